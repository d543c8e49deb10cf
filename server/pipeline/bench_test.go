package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// The work of one call without the transport; the artifact goes to memory.
func BenchmarkProject(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			h := newHarness(b)
			req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
				ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
				Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
					Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
					Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: servertest.LogText(size)}},
				}},
			}}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Project(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What each stage of a call costs by itself.
func BenchmarkStage(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10} {
		payload := servertest.LogText(size)
		h := newHarness(b)
		req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
				Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: payload}},
			}},
		}}
		resp, err := h.Project(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		request, _ := proto.Marshal(req)
		counter, family := tokens.Estimate(), renderers.Command()
		budget := preview.Budget{Tokens: 1900, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
		all := preview.Budget{Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
		excerpt := preview.FromBytes(payload, 2000)
		for name, stage := range map[string]func(){
			"decode the request": func() { _ = proto.Unmarshal(request, &pb.ProjectRequest{}) },
			"validate":           func() { _ = envelope.ValidateComplete(req.GetOutput()) },
			"read the payload":   func() { preview.FromBytes(payload, 2000) },
			"choose lines":       func() { excerpt.Select(budget, counter, preview.Hints{HeadPercent: 25}) },
			"show the whole":     func() { excerpt.Select(all, counter, preview.Hints{HeadPercent: 25}) },
			"digest":             func() { blake3.Sum256(payload) },
			"count tokens":       func() { counter.Count(resp.GetReceipt().GetText()) },
			"render and count":   func() { _, _ = family.Render(resp.GetCanonical(), renderers.Policy{Counter: counter}) },
			"encode the answer":  func() { _, _ = proto.Marshal(resp) },
		} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, name), func(b *testing.B) {
				for b.Loop() {
					stage()
				}
			})
		}
	}
}

// The same work by kind of family: described in Go, declared by options, and
// custom; each with 4 KiB of text, or with none.
func BenchmarkFamily(b *testing.B) {
	h := newHarness(b)
	log := &pb.Payload{Source: &pb.Payload_Inline{Inline: servertest.LogText(4 << 10)}}
	deploy := dynamicpb.NewMessage(h.Types["acme.v1.DeployResult"].Complete)
	text, err := protojson.Marshal(log)
	if err != nil {
		b.Fatal(err)
	}
	if err := protojson.Unmarshal([]byte(`{"deploymentId":"d-1","environment":"e","state":"DEPLOY_STATE_LIVE","log":`+string(text)+`}`), deploy); err != nil {
		b.Fatal(err)
	}
	message, err := proto.Marshal(deploy)
	if err != nil {
		b.Fatal(err)
	}
	task := &pb.TaskSnapshot{TaskId: "task_1", Status: pb.TaskStatus_TASK_STATUS_RUNNING}
	for _, c := range []struct {
		name string
		out  *pb.CompleteToolOutput
	}{
		{"in Go", &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, Stdout: log,
		}}}},
		{"declared", &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_TaskOutput{TaskOutput: &pb.TaskOutputOutput{
			RetrievalStatus: pb.TaskRetrieval_TASK_RETRIEVAL_SUCCESS, Task: task, Output: log,
		}}}},
		{"declared, without text", &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_TaskStatus{TaskStatus: &pb.TaskStatusOutput{Task: task}}}},
		{"custom", &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{
			Type: "acme.v1.DeployResult", Encoding: &pb.CustomOutput_Message{Message: message},
		}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.out.ToolName, c.out.Status = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Project(b.Context(), &pb.ProjectRequest{Output: c.out}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
