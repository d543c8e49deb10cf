package compactor_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

const (
	trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
	handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
	line    = pb.CompactionLevel_COMPACTION_LEVEL_LINE
)

// compactorAt is a compactor whose artifacts all have one path.
func compactorAt(t testing.TB, path string) *compactor.Compactor {
	t.Helper()
	c, err := compactor.New(nil, func([]byte) (string, string) { return path, "blake3:00" })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func to(level pb.CompactionLevel, n int) compactor.Target {
	return compactor.Target{Level: level, PreviewTokens: n}
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

func compact(t *testing.T, r *pb.CanonicalToolResult, to compactor.Target) (*pb.CanonicalToolResult, bool) {
	t.Helper()
	before := proto.CloneOf(r)
	got := compactorAt(t, "/store/3f8/a9c1e2").Compact(r, to)
	if err := envelope.ValidateCanonical("", got.Result, nil); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(before, r) {
		t.Fatal("the given result was changed")
	}
	return got.Result, got.Changed
}

func TestPreviewsAreShortenedFromTheMiddle(t *testing.T) {
	r, changed := compact(t, result(numbered(200)), to(trimmed, 200))
	got := r.GetCommand()
	text := got.GetStdoutPreview()
	if !changed || !strings.HasPrefix(text, "line 1 of") || !strings.HasSuffix(text, "line 200 of the output\n") {
		t.Fatalf("%v, %q", changed, text)
	}
	if n := tokens.Estimate().Count(text); n > 200 || n < 100 {
		t.Errorf("%d tokens are left of 200", n)
	}
	cut := got.GetStdoutCuts()[0]
	if len(got.GetStdoutCuts()) != 1 || cut.GetKind() != pb.CutKind_CUT_KIND_COMPACTED ||
		omittedLines(cut)+got.GetStdoutSource().GetShownLines() != 200 {
		t.Errorf("cuts %v, shown %d", got.GetStdoutCuts(), got.GetStdoutSource().GetShownLines())
	}
	if !got.GetStdoutTruncated() || !got.GetTruncated() || got.GetCompactionLevel() != trimmed || got.GetArtifacts()[0].GetPath() == "" {
		t.Errorf("flags, level or artifact are wrong: %v", got)
	}
}

func TestSmallerBudgetsKeepAPartOfWhatLargerOnesKeep(t *testing.T) {
	kept := numbered(400)
	for _, n := range []int{1500, 800, 400, 200, 100, 40} {
		r, _ := compact(t, result(numbered(400)), to(trimmed, n))
		got := r.GetCommand()
		for line := range strings.Lines(got.GetStdoutPreview()) {
			if !strings.Contains(kept, line) {
				t.Fatalf("%q is shown at %d tokens and not at more", line, n)
			}
		}
		kept = got.GetStdoutPreview()
	}
}

// Two steps leave the same as one, because the order in which units are kept does not
// depend on their number.
func TestTwoStepsAreAsGoodAsOne(t *testing.T) {
	first, _ := compact(t, result(numbered(400)), to(trimmed, 900))
	two, _ := compact(t, first, to(trimmed, 150))
	one, _ := compact(t, result(numbered(400)), to(trimmed, 150))
	if !proto.Equal(one, two) {
		t.Errorf("one step leaves %q, two %q", one.GetCommand().GetStdoutPreview(), two.GetCommand().GetStdoutPreview())
	}
}

// The lines in which a failure states itself outlast those around them, wherever they are.
func TestSalientLinesAreKept(t *testing.T) {
	r := result(numbered(90) + wrong + numbered(90))
	for _, n := range []int{400, 100, 32, 16} {
		got, changed := compact(t, r, to(trimmed, n))
		if !changed || !strings.Contains(got.GetCommand().GetStdoutPreview(), wrong) {
			t.Errorf("at %d tokens: %q", n, got.GetCommand().GetStdoutPreview())
		}
	}
}

// A giant line is cut inside, with an exact cut, and goes only with its handle.
func TestGiantLineIsCutInside(t *testing.T) {
	giant := strings.Repeat("{\"id\":12345,\"näme\":\"wörd\"},", 300)
	last := len(giant)
	for _, n := range []int{800, 300, 100} {
		r, changed := compact(t, result(giant), to(trimmed, n))
		text, cut := r.GetCommand().GetStdoutPreview(), r.GetCommand().GetStdoutCuts()[0]
		if !changed || cut.GetKind() != pb.CutKind_CUT_KIND_LONG_LINE || len(text) >= last {
			t.Fatalf("%d tokens: %v, %q", n, changed, text)
		}
		if want := giant[:cut.GetByteStart()] + giant[cut.GetByteEnd():]; text != want || tokens.Estimate().Count(text) > n {
			t.Errorf("%d tokens show %q, want %q", n, text, want)
		}
		last = len(text)
	}
	first, _ := compact(t, result(giant), to(trimmed, 800))
	r, changed := compact(t, first, to(trimmed, 100)) // a cut is widened
	again := r.GetCommand()
	if !changed || len(again.GetStdoutCuts()) != 1 || !strings.HasPrefix(giant, again.GetStdoutPreview()[:20]) {
		t.Errorf("%v", again)
	}
	if got, _ := compact(t, result(giant), to(handles, 0)); got.GetCommand().GetStdoutPreview() != "" {
		t.Errorf("%v is left at the level of handles", got)
	}
}

func TestHandlesKeepFactsAndDropConveniences(t *testing.T) {
	r := result(numbered(200))
	c := r.GetCommand()
	c.TaskHandle, c.Instructions = &pb.TaskHandle{TaskId: "task_1"}, "ask for its output"
	lower, _ := compact(t, r, to(handles, 0))
	got := lower.GetCommand()
	if got.GetStdoutPreview() != "" || got.GetInstructions() != "" || got.GetTaskHandle().GetTaskId() != "task_1" ||
		got.GetExitStatus() != 1 || got.GetStdoutSource().GetLines() != 200 || got.GetCompactionLevel() != handles {
		t.Errorf("%v", got)
	}
	if again, changed := compact(t, result(numbered(3)), to(handles, 0)); changed || again.GetCommand().GetStdoutPreview() == "" {
		t.Error("a preview that is smaller than its handle was taken away")
	}
}

func TestOneLineShowsNothing(t *testing.T) {
	got, changed := compact(t, result(numbered(20)), to(line, 0))
	if c := got.GetCommand(); !changed || c.GetStdoutPreview() != "" || c.GetCompactionLevel() != line || len(c.GetArtifacts()) != 1 {
		t.Errorf("%v, %v", changed, c)
	}
	if again, changed := compact(t, got, to(line, 0)); changed {
		t.Errorf("%v", again)
	}
	short, changed := compact(t, result("ok\n"), to(line, 0))
	if changed {
		t.Errorf("what is shorter than a handle became %v", short)
	}
}

func TestNothingIsUndone(t *testing.T) {
	lowest, _ := compact(t, result(numbered(200)), to(line, 0))
	for _, higher := range []compactor.Target{to(trimmed, 5000), to(handles, 0)} {
		if got, changed := compact(t, lowest, higher); changed {
			t.Errorf("a higher level changed a lower one: %v", got)
		}
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
	if _, changed := compact(t, r, to(handles, 0)); changed {
		t.Error("a preview that is not its payload and has no artifact was shortened")
	}
}

func TestErrorsKeepAllButLongDetails(t *testing.T) {
	details := `{"log":"` + strings.Repeat("words and ", 150) + `"}`
	r := &pb.CanonicalToolResult{
		ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s",
		Error: &pb.ToolError{Kind: "k", Message: "m", RecoveryHint: new("h"), Retryable: new(true), DetailsJson: &details},
	}
	got, changed := compact(t, r, to(line, 0))
	e := got.GetError()
	if !changed || e.DetailsJson != nil || e.GetDetailsOmitted().GetBytes() != uint64(len(details)) {
		t.Fatalf("%v, %v", e, changed)
	}
	if e.GetKind() != "k" || e.GetMessage() != "m" || e.GetRecoveryHint() != "h" || !e.GetRetryable() {
		t.Errorf("%v", e)
	}
}

func omittedLines(c *pb.Cut) uint64 {
	_, lines := envelope.Omitted(c)
	return lines
}
