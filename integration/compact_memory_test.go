package integration_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Memory over idle that a long history may take, in bytes, and what the history is.
const (
	memoryOfHistory = 128 << 20
	historyResults  = 10_000
	historyTokens   = 2_000
)

// A history of 10,000 results of some 2,000 tokens, 80 MB in all, is compacted in one stream.
func TestLongHistoryInBoundedMemory(t *testing.T) {
	needAlone(t)
	s := startSidecar(t, launch{})
	first := s.project(t, completed(0, "what every process has after its first call\n"))
	s.compact(t, first.GetCanonical(), handles)
	idle := s.memory(t, "VmRSS")

	lines := &strings.Builder{}
	for i := 0; lines.Len() < 4*historyTokens; i++ { // some four bytes are a token
		fmt.Fprintf(lines, "%d: the quick brown fox jumps over the lazy dog again\n", i)
	}
	call, err := s.CompactStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	send := func(m *pb.CompactStreamRequest) {
		if err := call.Send(m); err != nil && !errors.Is(err, io.EOF) { // then Recv says why
			t.Fatal(err)
		}
	}
	send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: &pb.CompactHeader{
		SessionId: "long", Policy: &pb.CompactionPolicy{TotalTokens: historyResults * historyTokens / 20},
	}}})
	for i := range historyResults {
		text := fmt.Sprintf("result %d\n%s", i, lines)
		send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: &pb.CompactEntry{
			CallId: fmt.Sprintf("call_%d", i),
			Result: &pb.CompactEntry_Canonical{Canonical: &pb.CanonicalToolResult{
				ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "ran",
				Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{
					Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
					CommandPreview: fmt.Sprintf("make target%d", i), StdoutPreview: &text, Truncated: new(false),
				}},
			}},
		}}})
	}
	if err := call.CloseSend(); err != nil {
		t.Fatal(err)
	}
	planned, changed := 0, 0
	var summary *pb.CompactResponse
	for summary == nil {
		answer, err := call.Recv()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case answer.GetPlanned() != nil:
			planned++
		case answer.GetResult() != nil:
			changed++
		}
		summary = answer.GetSummary()
	}
	most := s.memory(t, "VmHWM")
	t.Logf("idle %d KiB, at most %d KiB more; %d tokens became %d", idle>>10, (most-idle)>>10,
		summary.GetPlan().GetTokensBefore(), summary.GetPlan().GetTokensAfter())
	if planned != historyResults || changed < historyResults/2 || !summary.GetPlan().GetBudgetMet() ||
		summary.GetPlan().GetTokensBefore() < historyResults*historyTokens*9/10 {
		t.Errorf("%d plans, %d results, %v", planned, changed, summary.GetPlan())
	}
	if most-idle > memoryOfHistory {
		t.Errorf("%d bytes over idle, want at most %d", most-idle, memoryOfHistory)
	}
	wantNoTemp(t, s)
}
