package anyoutput_test

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// mend keeps an output to what the contract asks of a caller, as its comments say it: names
// in their patterns, numbers in their bounds, fields that exclude each other. What a tool
// wrote stays as it is.
func mend(out *pb.CompleteToolOutput) {
	switch r := out.GetResult().(type) {
	case *pb.CompleteToolOutput_Command:
		mendCommand(r.Command)
	case *pb.CompleteToolOutput_CommandBatch:
		mendBatch(r.CommandBatch)
	case *pb.CompleteToolOutput_WebFetch:
		r.WebFetch.Status = max(1, r.WebFetch.GetStatus()) // 0 is none
	case *pb.CompleteToolOutput_FileRead:
		r.FileRead.FirstLine = min(r.FileRead.GetFirstLine(), 1<<53)
	case *pb.CompleteToolOutput_FileMutation:
		if len(r.FileMutation.GetChanges()) == 0 && r.FileMutation.GetDiff() == nil {
			r.FileMutation.Diff = &pb.Payload{Source: &pb.Payload_Inline{}}
		}
	}
}

func mendCommand(c *pb.CommandOutput) {
	c.Disposition = 0 // it follows from the others
	if c.GetTaskHandle() != nil {
		c.TaskHandle = &pb.TaskHandle{TaskId: "task_123", Kind: "command_task", Status: "running"}
	}
	if c.Signal != nil {
		c.Signal = new(1 + uint32AsSignal(c.GetSignal()))
	}
	if c.GetCombinedOutput() != nil {
		c.Stdout, c.Stderr = nil, nil
	}
}

// uint32AsSignal brings any number to 0 to 63.
func uint32AsSignal(n int32) int32 { return int32(uint32(n) % 64) }

func mendBatch(b *pb.CommandBatchOutput) {
	if len(b.GetItems()) == 0 {
		b.Items = []*pb.CommandBatchItemOutput{{CommandLine: "true"}}
	}
	b.Items = b.Items[:min(len(b.Items), 64)]
	for i, item := range b.GetItems() {
		item.Status = 0 // it follows from the others
		if item.GetResult() != nil {
			item.Error = nil
			mendCommand(item.GetResult())
		}
		if item.GetCommandLine() == "" {
			b.Items[i].CommandLine = "true"
		}
	}
}
