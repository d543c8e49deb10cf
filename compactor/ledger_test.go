package compactor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// projected is the canonical result of real output, with the cuts that a projection makes:
// repeats, control bytes, progress, long lines, losses at the source.
func projected(t *rapid.T) *pb.CanonicalToolResult {
	var b strings.Builder
	for range rapid.IntRange(0, 60).Draw(t, "lines") {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			b.WriteString("main.go:3:1: undefined: x\n")
		case 1:
			b.WriteString("\x1b[1mbold\x1b[0m words\n")
		case 2:
			b.WriteString("10%\r50%\rdone\n")
		case 3:
			b.WriteString(strings.Repeat("GET /index 200\n", rapid.IntRange(1, 9).Draw(t, "repeats")))
		case 4:
			b.WriteString(strings.Repeat("{\"id\":1},", rapid.IntRange(1, 300).Draw(t, "long")) + "\n")
		case 5:
			b.WriteString("broken \xff bytes\n")
		case 6:
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "line about %s\n", rapid.StringMatching(`[a-z]{1,12}`).Draw(t, "word"))
		}
	}
	if rapid.Bool().Draw(t, "unfinished") {
		b.WriteString("no end")
	}
	out := &pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(rapid.Int32Range(0, 1).Draw(t, "exit")),
		Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(b.String())}},
	}
	if rapid.IntRange(0, 3).Draw(t, "loss") == 0 {
		out.Stdout.SourceLoss = &pb.SourceLoss{LostBytes: 7, AtByte: uint64(rapid.IntRange(0, b.Len()).Draw(t, "at"))}
	}
	counter := tokens.Estimate()
	made, err := projectors.Command(nil).Project(t.Context(), projectors.Input{
		Output: &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: out}},
		Policy: projectors.Policy{
			Budget: envelope.Cost{Tokens: rapid.SampledFrom([]int{150, 500, 4000}).Draw(t, "budget")}, LineBytes: 400,
			HeadPercent: rapid.SampledFrom([]int{0, 25, 100}).Draw(t, "head"), Counter: counter,
		},
		Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
			return renderers.Command().Render(r, renderers.Policy{Counter: counter})
		},
	}, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	return made.Canonical
}

// Whatever a projection made, a compacted result keeps a valid ledger, shows only lines that
// were shown, costs no more but for the lines that say what is omitted, and is final: compacting it again changes nothing.
func TestCompactedLedgersAddUp(t *testing.T) {
	c := compactorAt(t, "/store/3f8/a9c1e2")
	cost := func(t *rapid.T, r *pb.CanonicalToolResult) int {
		receipt, err := renderers.Command().Render(r, renderers.Policy{Counter: tokens.Estimate()})
		if err != nil {
			t.Fatal(err)
		}
		return receipt.Tokens
	}
	rapid.Check(t, func(t *rapid.T) {
		r := projected(t)
		segments := rapid.Bool().Draw(t, "segments")
		if !segments {
			envelope.Types(nil).WithoutSegments(r)
		}
		before := proto.CloneOf(r)
		target := rapid.SampledFrom([]compactor.Target{to(trimmed, 256), to(trimmed, 64), to(trimmed, 16), to(handles, 0), to(line, 0)}).Draw(t, "target")
		got := c.Compact(r, target)
		if !proto.Equal(r, before) {
			t.Fatal("the given result was changed")
		}
		if err := envelope.ValidateCanonical("", got.Result, nil); err != nil {
			t.Fatalf("%v\n%v", err, got.Result)
		}
		// A result that is only a little over its target gets a mark and a last line for what it loses. A plan measures that, and undoes it.
		const markAndEnding = 32
		if got.Changed && cost(t, got.Result) > cost(t, r)+markAndEnding {
			t.Errorf("%d tokens became %d", cost(t, r), cost(t, got.Result))
		}
		shown := strings.Split(r.GetCommand().GetStdoutPreview(), "\n")
		for l := range strings.Lines(got.Result.GetCommand().GetStdoutPreview()) {
			if l = strings.TrimSuffix(l, "\n"); len(shown) > 1 && !contains(shown, l) {
				t.Fatalf("%q was not shown before", l)
			}
		}
		if again := c.Compact(got.Result, target); again.Changed {
			t.Fatalf("compacted again it changes: %v", again.Result)
		}
		for _, need := range got.Needs {
			if need.Path == "" || len(need.Content) == 0 {
				t.Fatalf("an artifact without a path or content is needed: %v", need)
			}
		}
	})
}

// A plan changes no result that would not cost less, by any budget.
func TestPlansMakeNothingDearer(t *testing.T) {
	c := compactorAt(t, "/store/3f8/a9c1e2")
	rapid.Check(t, func(t *rapid.T) {
		results := rapid.SliceOfN(rapid.Custom(projected), 1, 5).Draw(t, "results")
		h := compactor.History{Load: func(i int) (*pb.CanonicalToolResult, error) { return results[i], nil }}
		for i := range results {
			h.Entries = append(h.Entries, compactor.Entry{Call: fmt.Sprint(i), Turn: i})
		}
		measure := func(_ int, r *pb.CanonicalToolResult) (int, error) {
			receipt, err := renderers.Command().Render(r, renderers.Policy{Counter: tokens.Estimate()})
			return receipt.Tokens, err
		}
		plan, err := c.Plan(h, compactor.Policy{
			Level: rapid.SampledFrom([]pb.CompactionLevel{trimmed, handles, line}).Draw(t, "level"), PreviewTokens: rapid.IntRange(16, 300).Draw(t, "preview"),
			OpenFailure: 16, Measure: measure, Budget: rapid.IntRange(16, 2000).Draw(t, "budget"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range plan.Results {
			if r.Changed && r.After >= r.Before {
				t.Errorf("result %d: %d tokens became %d", i, r.Before, r.After)
			}
		}
	})
}

func contains(list []string, line string) bool {
	for _, l := range list {
		if l == line || strings.HasPrefix(l, line) && line != "" || strings.HasSuffix(l, line) && line != "" {
			return true
		}
		// A long line is cut inside: its beginning and its end are joined.
		if n := len(line) / 2; n > 0 && len(l) > len(line) && strings.HasPrefix(l, line[:min(8, n)]) {
			return true
		}
	}
	return false
}

var errBroken = errors.New("broken")

// Whichever load or measurement fails, the plan fails with its error.
func TestPlanFailsWithItsHistory(t *testing.T) {
	var list []given
	for i := range 12 {
		list = append(list, ran(fmt.Sprint("make ", i), int32(i%2), 20+20*(i%5)))
	}
	for _, p := range []compactor.Policy{
		{Level: line, PreviewTokens: 16, OpenFailure: 16, Budget: 700},
		{Level: line, PreviewTokens: 16, OpenFailure: 16},
		{Level: line, PreviewTokens: 16, OpenFailure: 16, Budget: 3000, Cache: compactor.Cache{Results: 12, MayBreak: true, MinSaving: 1 << 20, Write: 10, Read: 1, Requests: 5}},
	} {
		for failAt, done := 1, false; !done; failAt++ {
			calls := 0
			fails := func() error {
				if calls++; calls == failAt {
					return errBroken
				}
				return nil
			}
			h := historyOf(list)
			h.Keep = 0
			load := h.Load
			h.Load = func(i int) (*pb.CanonicalToolResult, error) {
				if err := fails(); err != nil {
					return nil, err
				}
				return load(i)
			}
			p.Measure = func(i int, r *pb.CanonicalToolResult) (int, error) {
				if err := fails(); err != nil {
					return 0, err
				}
				return about(i, r)
			}
			got, err := compactorAt(t, "/a").Plan(h, p)
			if done = calls < failAt; done {
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			if !errors.Is(err, errBroken) || got != nil {
				t.Fatalf("call %d fails, and the plan is %v, %v", failAt, got, err)
			}
		}
	}
}

// A planned result fails with its load, and gets the place that it is asked for.
func TestPlannedResultsAreLoadedAgain(t *testing.T) {
	list := []given{ran("make", 0, 200), ran("ls", 0, 4)}
	h := historyOf(list)
	broken := false
	load := h.Load
	h.Load, h.Keep = func(i int) (*pb.CanonicalToolResult, error) {
		if broken {
			return nil, errBroken
		}
		return load(i)
	}, 0
	p, err := compactorAt(t, "/old").Plan(h, compactor.Policy{Level: handles, PreviewTokens: 16, Measure: about})
	if err != nil || !p.Results[0].Changed {
		t.Fatalf("%v, %v", p, err)
	}
	made, err := p.ResultAt(0, func(b []byte) (string, string) { return fmt.Sprintf("/new/%d", len(b)), "blake3:11" })
	want := fmt.Sprintf("/new/%d", len(list[0].Result.GetCommand().GetStdoutPreview()))
	if err != nil || made.Result.GetCommand().GetArtifacts()[0].GetPath() != want || made.Needs[0].Path != want {
		t.Errorf("%v, %v", made, err)
	}
	if made, err := p.Result(1); err != nil || made.Changed || made.Result != list[1].Result {
		t.Errorf("a result that stays is %v, %v", made, err)
	}
	broken = true
	if _, err := p.Result(0); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if _, err := p.ResultAt(0, nil); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
}

// A result that states nothing to compact stays, whatever the target.
func TestResultWithoutPayloadStays(t *testing.T) {
	c := compactorAt(t, "/a")
	r := &pb.CanonicalToolResult{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}
	if got := c.Compact(r, to(line, 0)); got.Changed || got.Result != r || c.Failed(r) || c.Level(r) != pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED {
		t.Errorf("%v", got)
	}
	failed := &pb.CanonicalToolResult{Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.ToolError{Kind: "k"}}
	if !c.Failed(failed) || !c.Failed(ran("make", 1, 2).Result) || c.Failed(ran("make", 0, 2).Result) {
		t.Error("failures are not told from successes")
	}
}

// Status 0 of a pipeline says nothing of the commands before its end: when such an output is shortened, what sounds like
// an error survives, as in the output of a failure.
func TestUncertainStatusKeepsErrors(t *testing.T) {
	c := compactorAt(t, "/a")
	for _, uncertain := range []bool{false, true} {
		r := result(numbered(100) + wrong + numbered(100))
		r.GetCommand().ExitStatus, r.GetCommand().StatusUncertain = new(int32(0)), uncertain
		got := c.Compact(r, to(trimmed, 100)).Result.GetCommand()
		if !got.GetStdoutTruncated() || strings.Contains(got.GetStdoutPreview(), wrong) != uncertain {
			t.Errorf("uncertain %v: %s", uncertain, got.GetStdoutPreview())
		}
		if c.Failed(r) {
			t.Error("it is no failure")
		}
	}
}

func TestSubjectsAreBounded(t *testing.T) {
	if compactor.NewSubject("") != (compactor.Subject{}) {
		t.Error("no text is a subject")
	}
	long := strings.Repeat("é", compactor.MaxSubject)
	one, other := compactor.NewSubject(long+"a"), compactor.NewSubject(long+"b")
	if one == other || one.Text != other.Text || len(one.Text) > compactor.MaxSubject || !strings.HasPrefix(long, one.Text) {
		t.Errorf("%q and %q", one.Text, other.Text)
	}
	if compactor.NewSubject("a\nb").Text == "a\nb" {
		t.Error("a subject has two lines")
	}
}
