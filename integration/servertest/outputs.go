package servertest

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Command returns the output of a command.
func Command(line string, exit int32, stdout string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "ran",
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &exit, CommandLine: line,
			Stdout: Inline([]byte(stdout)),
		}},
	}
}

// Inline returns an inline payload.
func Inline(data []byte) *pb.Payload { return &pb.Payload{Source: &pb.Payload_Inline{Inline: data}} }

// Small returns a text of a tool.
func Small(tool, text string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: tool, Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{
		Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}},
	}}}
}

// Entries returns entries for results of which the runtime knows nothing else.
func Entries(results ...*pb.CanonicalToolResult) []*pb.CompactEntry {
	list := make([]*pb.CompactEntry, len(results))
	for i, r := range results {
		list[i] = &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r}}
	}
	return list
}
