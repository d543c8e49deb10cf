package integration_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// canary stands in the tool bytes of requests that are refused: no refusal may
// repeat it.
const canary = "canary-5d1f"

func inline(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// commandOutput is the complete output of the command tool.
func commandOutput(c *pb.CommandOutput) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: c},
	}
}

// completed is a command that exited by itself.
func completed(code int32, stdout string) *pb.ProjectRequest {
	return &pb.ProjectRequest{Output: commandOutput(&pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &code, Stdout: inline(stdout),
	})}
}

// failedTool is a tool that could not do its work.
func failedTool(e *pb.CompleteToolError) *pb.ProjectRequest {
	return &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: e,
	}}
}

// within limits a request's receipt.
func within(b *pb.Budget, req *pb.ProjectRequest) *pb.ProjectRequest {
	req.Policy = &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: b}}
	return req
}

// project calls Project and expects an answer.
func (s *sidecar) project(t testing.TB, req *pb.ProjectRequest) *pb.ProjectResponse {
	t.Helper()
	resp, err := s.Project(t.Context(), req)
	if err != nil {
		t.Fatalf("Project: %v", err)
	}
	if resp.GetReceipt().GetText() == "" {
		t.Fatal("the receipt is empty")
	}
	return resp
}

// receipt is the receipt of a request.
func (s *sidecar) receipt(t testing.TB, req *pb.ProjectRequest) string {
	t.Helper()
	return s.project(t, req).GetReceipt().GetText()
}

// compacted is one result after a compaction, whether it changed or not.
type compacted struct {
	*pb.CompactedResult
	changed bool
}

// compact brings one result to a level and expects an answer.
func (s *sidecar) compact(t testing.TB, r *pb.CanonicalToolResult, level pb.CompactionLevel) compacted {
	t.Helper()
	resp, err := s.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: r}}}, Policy: &pb.CompactionPolicy{Level: level},
	})
	if err != nil {
		t.Fatalf("Compact: %v", err)
	}
	if len(resp.GetResults()) > 0 {
		return compacted{resp.GetResults()[0], true}
	}
	rendered, err := s.Render(t.Context(), &pb.RenderRequest{
		Result: &pb.RenderRequest_Canonical{Canonical: r}, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200_000}},
	})
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	return compacted{&pb.CompactedResult{Canonical: r, Receipt: rendered.GetReceipt()}, false}
}

const (
	trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
	handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
	line    = pb.CompactionLevel_COMPACTION_LEVEL_LINE
)

// bytesOf is the deterministic encoding of a message.
func bytesOf(t testing.TB, m proto.Message) string {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fromText reads a message from protobuf's text form.
func fromText[M proto.Message](t testing.TB, text string, into M) M {
	t.Helper()
	if err := prototext.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
	return into
}

// numbered is a text of so many lines that no two are alike.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line ")
		b.WriteString(strings.Repeat("ab", 1+i%5))
		b.WriteByte(' ')
		b.WriteString(strings.Repeat("9", 1+i%7))
		b.WriteByte('\n')
	}
	return b.String()
}
