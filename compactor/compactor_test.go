package compactor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
)

const (
	trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
	handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
)

func policy(level pb.CompactionLevel, n int) compactor.Policy {
	return compactor.Policy{
		Level: level, PreviewTokens: n, Counter: tokens.Estimate(),
		Keep: func(context.Context, []byte) (string, string, error) { return "/store/3f8/a9c1e2", "blake3:00", nil },
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the output\n", i+1)
	}
	return b.String()
}

func result(stdout string) *pb.CanonicalToolResult {
	return &pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)),
			StdoutPreview: &stdout, Truncated: new(false),
		}},
	}
}

func compact(t *testing.T, r *pb.CanonicalToolResult, p compactor.Policy) (*pb.CommandResult, bool) {
	t.Helper()
	before := proto.CloneOf(r)
	got, changed, err := compactor.Compact(t.Context(), r, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := envelope.ValidateCanonical("", got, nil); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(before, r) {
		t.Fatal("the given result was changed")
	}
	return got.GetCommand(), changed
}

func TestPreviewsAreShortenedFromTheMiddle(t *testing.T) {
	got, changed := compact(t, result(numbered(200)), policy(trimmed, 200))
	text := got.GetStdoutPreview()
	if !changed || !strings.HasPrefix(text, "line 1 of") || !strings.HasSuffix(text, "line 200 of the output\n") {
		t.Fatalf("%v, %q", changed, text)
	}
	if n := tokens.Estimate().Count(text); n > 200 || n < 100 {
		t.Errorf("%d tokens are left of 200", n)
	}
	cut := got.GetStdoutCuts()[0]
	if len(got.GetStdoutCuts()) != 1 || cut.GetKind() != pb.CutKind_CUT_KIND_COMPACTED ||
		cut.GetLeftOutLines()+got.GetStdoutSource().GetShownLines() != 200 {
		t.Errorf("cuts %v, shown %d", got.GetStdoutCuts(), got.GetStdoutSource().GetShownLines())
	}
	if !got.GetStdoutTruncated() || !got.GetTruncated() || got.GetCompactionLevel() != trimmed || got.GetArtifacts()[0].GetPath() == "" {
		t.Errorf("flags, level or artifact are wrong: %v", got)
	}
}

func TestSmallerBudgetsKeepAPartOfWhatLargerOnesKeep(t *testing.T) {
	kept := numbered(400)
	for _, n := range []int{1500, 800, 400, 200, 100, 40} {
		got, _ := compact(t, result(numbered(400)), policy(trimmed, n))
		for line := range strings.Lines(got.GetStdoutPreview()) {
			if !strings.Contains(kept, line) {
				t.Fatalf("%q is shown at %d tokens and not at more", line, n)
			}
		}
		kept = got.GetStdoutPreview()
	}
}

// Two steps leave the same as one, because segments go in an order that does
// not depend on the budget.
func TestTwoStepsAreAsGoodAsOne(t *testing.T) {
	first, _, err := compactor.Compact(t.Context(), result(numbered(400)), policy(trimmed, 900))
	if err != nil {
		t.Fatal(err)
	}
	two, _ := compact(t, first, policy(trimmed, 150))
	one, _ := compact(t, result(numbered(400)), policy(trimmed, 150))
	if one.GetStdoutPreview() != two.GetStdoutPreview() || len(two.GetStdoutCuts()) != 1 {
		t.Errorf("one step leaves %q, two %q with %v", one.GetStdoutPreview(), two.GetStdoutPreview(), two.GetStdoutCuts())
	}
}

// A giant line is cut inside, with an exact cut, and goes only with its handle.
func TestGiantLineIsCutInside(t *testing.T) {
	line := strings.Repeat("{\"id\":12345,\"näme\":\"wörd\"},", 300)
	last := len(line)
	for _, n := range []int{800, 300, 100} {
		got, changed := compact(t, result(line), policy(trimmed, n))
		text, cut := got.GetStdoutPreview(), got.GetStdoutCuts()[0]
		if !changed || cut.GetKind() != pb.CutKind_CUT_KIND_LONG_LINE || len(text) >= last {
			t.Fatalf("%d tokens: %v, %q", n, changed, text)
		}
		if want := line[:cut.GetByteStart()] + line[cut.GetByteEnd():]; text != want || tokens.Estimate().Count(text) > n {
			t.Errorf("%d tokens show %q, want %q", n, text, want)
		}
		last = len(text)
	}
	first, _, err := compactor.Compact(t.Context(), result(line), policy(trimmed, 800))
	if err != nil {
		t.Fatal(err)
	}
	again, changed := compact(t, first, policy(trimmed, 100)) // a cut is widened
	if !changed || len(again.GetStdoutCuts()) != 1 || !strings.HasPrefix(line, again.GetStdoutPreview()[:20]) {
		t.Errorf("%v", again)
	}
	if got, _ := compact(t, result(line), policy(handles, 0)); got.GetStdoutPreview() != "" {
		t.Errorf("%q is left at the lowest level", got.GetStdoutPreview())
	}
}

func TestHandlesKeepFactsAndDropConveniences(t *testing.T) {
	r := result(numbered(200))
	c := r.GetCommand()
	c.TaskHandle, c.Instructions = &pb.TaskHandle{TaskId: "task_1"}, "ask for its output"
	got, _ := compact(t, r, policy(handles, 0))
	if got.GetStdoutPreview() != "" || got.GetInstructions() != "" || got.GetTaskHandle().GetTaskId() != "task_1" ||
		got.GetExitStatus() != 1 || got.GetStdoutSource().GetLines() != 200 || got.GetCompactionLevel() != handles {
		t.Errorf("%v", got)
	}
	again, changed, err := compactor.Compact(t.Context(), result(numbered(3)), policy(handles, 0))
	if err != nil || changed || again.GetCommand().GetStdoutPreview() == "" {
		t.Error("a preview that is smaller than its handle was taken away")
	}
}

func TestNothingIsUndone(t *testing.T) {
	low, _, err := compactor.Compact(t.Context(), result(numbered(200)), policy(handles, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, changed := compact(t, low, policy(trimmed, 5000)); changed {
		t.Error("a higher level changed a lower one")
	}
}

// What could not be read any more stays.
func TestPreviewWithoutArtifactStays(t *testing.T) {
	text := numbered(200)
	r := result(text)
	r.GetCommand().StdoutSource = &pb.SourceFacts{
		Bytes: uint64(len(text)), Lines: 200, ShownLines: 200, VisibleBytes: uint64(len(text)), ReplacedBytes: 3,
		Segments: []*pb.Segment{{FirstLine: 1, LastLine: 200, ByteEnd: uint64(len(text)), PreviewBytes: uint64(len(text))}},
	}
	if _, changed := compact(t, r, policy(handles, 0)); changed {
		t.Error("a preview that is not its payload and has no artifact was shortened")
	}
}

func TestErrorsKeepAllButLongDetails(t *testing.T) {
	details := `{"log":"` + strings.Repeat("words and ", 150) + `"}`
	r := &pb.CanonicalToolResult{
		ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s",
		Error: &pb.ToolError{Kind: "k", Message: "m", RecoveryHint: new("h"), Retryable: true, DetailsJson: &details},
	}
	got, changed, err := compactor.Compact(t.Context(), r, policy(handles, 0))
	e := got.GetError()
	if err != nil || !changed || e.DetailsJson != nil || e.GetDetailsOmitted().GetBytes() != uint64(len(details)) {
		t.Fatalf("%v, %v, %v", e, changed, err)
	}
	if e.GetKind() != "k" || e.GetMessage() != "m" || e.GetRecoveryHint() != "h" || !e.GetRetryable() {
		t.Errorf("%v", e)
	}
}

func TestFailureToKeepChangesNothing(t *testing.T) {
	p, full := policy(handles, 0), errors.New("disk full")
	p.Keep = func(context.Context, []byte) (string, string, error) { return "", "", full }
	r := result(numbered(200))
	got, changed, err := compactor.Compact(t.Context(), r, p)
	if !errors.Is(err, full) || changed || got != r {
		t.Errorf("%v, %v", changed, err)
	}
}
