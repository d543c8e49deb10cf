package compactor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/compactor"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

// given is an entry with its result.
type given struct {
	compactor.Entry
	Result *pb.CanonicalToolResult
}

func historyOf(list []given) compactor.History {
	entries, results := make([]compactor.Entry, len(list)), make([]*pb.CanonicalToolResult, len(list))
	for i, g := range list {
		entries[i], results[i] = g.Entry, g.Result
	}
	return compactor.InMemory(entries, results)
}

// outcome is a plan and what it makes of the results.
type outcome struct {
	*compactor.Plan
	results []*pb.CanonicalToolResult
}

// ran is a result of a command line: lines of log and, of one that failed, an error in
// their middle.
func ran(line string, exit int32, lines int) given {
	text := numbered(lines / 2)
	if exit != 0 {
		text += wrong
	}
	r := result(text + numbered(lines/2))
	r.GetCommand().CommandPreview, r.GetCommand().ExitStatus = line, &exit
	return given{Result: r}
}

const wrong = "main.go:12:6: undefined: frobnicate\n"

// about is what a receipt costs, about.
func about(_ int, r *pb.CanonicalToolResult) (int, error) {
	c := r.GetCommand()
	n := 8 + tokens.Estimate().Count(c.GetStdoutPreview())
	if c.GetStdoutTruncated() {
		n += 25
	}
	if c.GetCompactionLevel() != line {
		n += 12
	}
	return n, nil
}

// plan plans within a budget that is a share of all, in per cent.
func plan(t *testing.T, share int, history []given, change func(*compactor.Policy)) outcome {
	t.Helper()
	p := compactor.Policy{Level: line, PreviewTokens: 16, OpenFailure: 16, Measure: about, Budget: 1 << 30}
	c := compactorAt(t, "/store/3f8/a9c1e2")
	all, err := c.Plan(historyOf(history), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Budget = all.Before * share / 100
	if change != nil {
		change(&p)
	}
	got, err := c.Plan(historyOf(history), p)
	if err != nil {
		t.Fatal(err)
	}
	if p.Budget > 0 && got.Shortfall != max(0, got.After-p.Budget) {
		t.Fatalf("%d tokens for %d, %d short", got.After, p.Budget, got.Shortfall)
	}
	o := outcome{Plan: got}
	for i, r := range got.Results {
		var made compactor.Compacted
		if history[i].Unknown == nil {
			if made, err = got.Result(i); err != nil {
				t.Fatal(err)
			}
		}
		if made.Changed != r.Changed || history[i].Result != nil && made.Result != nil && r.Level != c.Level(made.Result) {
			t.Fatalf("result %d is not as planned: %+v", i, r)
		}
		o.results = append(o.results, made.Result)
	}
	return o
}

// lost is how much of each result went, in per cent.
func lost(p outcome) (list []int) {
	for _, r := range p.Results {
		list = append(list, 100-100*r.After/r.Before)
	}
	return list
}

func TestOlderResultsGoFirst(t *testing.T) {
	got := lost(plan(t, 60, []given{ran("a", 0, 200), ran("b", 0, 200), ran("c", 0, 200), ran("d", 0, 200)}, nil))
	for i := range got[1:] {
		if got[i] < got[i+1] {
			t.Errorf("%v went", got)
		}
	}
	if got[0] < 60 || got[3] > 40 {
		t.Errorf("%v went", got)
	}
}

func TestSupersededResultsGoFirst(t *testing.T) {
	p := plan(t, 75, []given{ran("other", 0, 200), ran("make", 0, 200), ran("more", 0, 200), ran("make", 0, 180)}, nil)
	if got := lost(p); got[1] < 80 || got[0] > 60 || got[3] > 0 {
		t.Errorf("%v went", got)
	}
	if s := p.results[1].GetCommand().GetSuperseded(); s.GetResultsLater() != 2 || p.Results[1].SupersededBy != 3 || p.Results[0].SupersededBy != -1 {
		t.Errorf("superseded by %v, %d", s, p.Results[1].SupersededBy)
	}
}

// What the runtime says that was asked counts, whatever the command line.
func TestSubjectsOfTheRuntime(t *testing.T) {
	history := []given{ran("a", 0, 100), ran("b", 0, 100), ran("b", 0, 100)}
	same := compactor.NewSubject("the same")
	history[0].Subject, history[1].Subject, history[1].Call = same, same, "c2"
	p := plan(t, 60, history, nil)
	if p.Results[0].SupersededBy != 1 || p.Results[1].SupersededBy != -1 || p.Results[0].Subject != "the same" {
		t.Errorf("%+v", p.Results[0])
	}
	if s := p.results[0].GetCommand().GetSuperseded(); s.GetCallId() != "c2" {
		t.Errorf("superseded by %v", s)
	}
}

// A failure is open until the same was run again, and keeps what it says.
func TestOpenFailuresKeepWhatTheySay(t *testing.T) {
	history := []given{
		ran("make", 2, 200), ran("make test", 1, 200), ran("make test", 0, 200), ran("make lint", 1, 200), ran("make lint", 1, 150), ran("ls", 0, 200),
	}
	p := plan(t, 1, history, func(p *compactor.Policy) { p.OpenFailure = 100 })
	for i, open := range []bool{true, false, false, false, true, false} {
		r := p.Results[i]
		if r.Open != open {
			t.Errorf("result %d: open is %v", i, r.Open)
		}
		text := p.results[i].GetCommand().GetStdoutPreview()
		if shown := strings.Contains(text, wrong); shown != open || open && tokens.Estimate().Count(text) < 60 {
			t.Errorf("result %d: shown is %v\n%s", i, shown, text)
		}
	}
	if p.Shortfall == 0 {
		t.Error("a budget below the floors is met")
	}
	p = plan(t, 1, history, func(p *compactor.Policy) { p.OpenFailure = 0 })
	if strings.Contains(p.results[0].GetCommand().GetStdoutPreview(), wrong) {
		t.Error("without a floor a failure keeps its preview whatever the budget")
	}
}

// A long line of a failure goes down to what it keeps at once, and not half the way.
func TestLongLineOfAnOpenFailure(t *testing.T) {
	history := []given{{Result: &pb.CanonicalToolResult{
		ToolName: "Make", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)), StdoutPreview: new(strings.Repeat("long line ", 400)),
		}},
	}}}
	least := func(p *compactor.Policy) { p.OpenFailure, p.PreviewTokens = 256, 256 }
	once := plan(t, 1, history, least).results[0]
	if twice := plan(t, 1, []given{{Result: once}}, least); twice.Results[0].Changed {
		t.Errorf("%d bytes, and then %d", len(once.GetCommand().GetStdoutPreview()), len(twice.results[0].GetCommand().GetStdoutPreview()))
	}
}

// The lines of an open failure cost more than those of other results.
func TestOpenFailuresGoLater(t *testing.T) {
	history := []given{ran("a", 1, 100)}
	for i := range 7 {
		history = append(history, ran(fmt.Sprint("b", i), 0, 100))
	}
	if got := lost(plan(t, 60, history, nil)); got[0] >= got[4] {
		t.Errorf("%v went", got)
	}
}

func TestProtectedResultsStay(t *testing.T) {
	history := []given{ran("a", 0, 200), ran("b", 0, 200), ran("c", 0, 200), ran("d", 0, 200)}
	for i := range history {
		history[i].Call, history[i].Turn = fmt.Sprint("c", i), 1+i/2
	}
	p := plan(t, 1, history, func(p *compactor.Policy) { p.LastTurns, p.Calls = 1, map[string]bool{"c0": true} })
	for i, changed := range []bool{false, true, false, false} {
		if p.Results[i].Changed != changed {
			t.Errorf("result %d: changed is %v", i, p.Results[i].Changed)
		}
	}
	p = plan(t, 1, history, func(p *compactor.Policy) { p.Families = map[string]bool{"command": true} })
	if p.FirstChanged() >= 0 || p.Shortfall == 0 {
		t.Errorf("%v went of a protected family", lost(p))
	}
}

// A result that a later one refers to is as young as that.
func TestUnchangedOutputKeepsWhatItRefersTo(t *testing.T) {
	history := []given{ran("a", 0, 200), ran("b", 0, 200), ran("c", 0, 200), ran("d", 0, 10)}
	history[0].Call = "c1"
	history[3].Result.GetCommand().Unchanged = &pb.OutputUnchanged{CallId: "c1", CallsAgo: 3}
	if got := lost(plan(t, 60, history, nil)); got[0] >= got[2] {
		t.Errorf("%v went", got)
	}
}

// Within an epoch nothing changes that is in the cache. At its end the rewriting begins
// where it pays: far back if many requests follow, and behind the cache if none does.
func TestCacheBoundary(t *testing.T) {
	var history []given
	for i := range 30 {
		e := ran(fmt.Sprint("make ", i), 0, 6)
		if i == 2 || i >= 20 {
			e = ran(fmt.Sprint("make ", i), 0, 200)
		}
		e.Preceding = 60
		history = append(history, e)
	}
	first := func(change func(*compactor.Policy)) (int, outcome) {
		p := plan(t, 80, history, change)
		return p.FirstChanged(), p
	}
	if at, p := first(func(p *compactor.Policy) { p.Cache = compactor.Cache{Results: 25, Write: 100, Read: 10, Requests: 16} }); at != 25 || p.Invalidated != 0 ||
		p.Results[2].Hold != pb.ResultHold_RESULT_HOLD_CACHED {
		t.Errorf("within an epoch result %d changes, and %d tokens are invalidated", at, p.Invalidated)
	}
	cache := compactor.Cache{Results: 29, MayBreak: true, Write: 125, Read: 10, Requests: 2}
	if at, _ := first(func(p *compactor.Policy) { p.Cache = cache }); at < 20 {
		t.Errorf("the prompt is written again from result %d on", at)
	}
	cache.Requests = 1000
	at, p := first(func(p *compactor.Policy) { p.Cache = cache })
	if at != 2 {
		t.Errorf("with many requests to come the first change is in %d", at)
	}
	after := 0
	for i := at; i < cache.Results; i++ {
		after += p.Results[i].Before
		if i > at {
			after += 60
		}
	}
	if p.Invalidated != after {
		t.Errorf("%d tokens are invalidated, want %d", p.Invalidated, after)
	}
}

func TestBreakFreesEnough(t *testing.T) {
	var history []given
	for i := range 10 {
		history = append(history, ran(fmt.Sprint("make ", i), 0, 200))
	}
	saved := func(least int) int {
		p := plan(t, 98, history, func(p *compactor.Policy) {
			p.Cache = compactor.Cache{Results: 9, MayBreak: true, MinSaving: least, Write: 100, Read: 10, Requests: 16}
		})
		return p.Before - p.After
	}
	if few, many := saved(0), saved(4000); few >= 4000 || many < 4000 {
		t.Errorf("%d tokens are freed, and %d where it must be 4000", few, many)
	}
}

// A result with a message of what went wrong is not one line.
func TestFailuresWithAMessageAreNoLine(t *testing.T) {
	text := numbered(100)
	r := &pb.CanonicalToolResult{
		ToolName: "TaskOutput", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_TaskOutput{TaskOutput: &pb.TaskOutputResult{
			Task: &pb.TaskSnapshot{TaskId: "task_1"}, OutputPreview: &text,
			Failure: &pb.TaskFailure{Kind: "task_failed", Message: "it broke"},
		}},
	}
	got := compactorAt(t, "/store/1").Compact(r, to(line, 0))
	if o := got.Result.GetTaskOutput(); !got.Changed || o.GetOutputPreview() != "" || o.GetCompactionLevel() != handles {
		t.Errorf("%v", got.Result)
	}
}

// A history that is loaded result by result has the same plan as one in memory, and what
// is not known is never loaded.
func TestPlansOfLoadedHistories(t *testing.T) {
	var list []given
	for i := range 40 {
		list = append(list, ran(fmt.Sprint("make ", i%7), int32(i%3/2), 20+30*(i%9)))
	}
	list = append(list, given{Entry: compactor.Entry{Unknown: &compactor.UnknownError{Tokens: 70, Why: errors.New("newer")}}})
	for _, share := range []int{5, 30, 60, 95} {
		want := plan(t, share, list, nil)
		loads := 0
		h := historyOf(list)
		h.Load = func(i int) (*pb.CanonicalToolResult, error) {
			if list[i].Unknown != nil {
				t.Fatal("what is not known was loaded")
			}
			loads++
			return proto.CloneOf(list[i].Result), nil
		}
		h.Keep = 0
		c := compactorAt(t, "/store/3f8/a9c1e2")
		got, err := c.Plan(h, compactor.Policy{
			Level: line, PreviewTokens: 16, OpenFailure: 16, Measure: about, Budget: want.Before * share / 100,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.After != want.After || got.Unknown != 1 || got.Results[40].Hold != pb.ResultHold_RESULT_HOLD_UNKNOWN {
			t.Errorf("%d tokens, %d results not known; want %d", got.After, got.Unknown, want.After)
		}
		for i := range list[:40] {
			made, err := got.Result(i)
			if err != nil || !proto.Equal(made.Result, want.results[i]) {
				t.Errorf("result %d: %v, error %v", i, made.Result, err)
			}
		}
		if loads > 8*len(list) {
			t.Errorf("%d loads for %d results", loads, len(list))
		}
	}
}

// A budget that some number of steps meets exactly is met by that number, and by none more.
func TestExactBudgetsAreMetExactly(t *testing.T) {
	var history []given
	for i := range 12 {
		history = append(history, ran(fmt.Sprint("make ", i), int32(i%2), 20+25*(i%6)))
	}
	for share := 20; share < 100; share += 4 {
		some := plan(t, share, history, nil)
		if some.Shortfall > 0 {
			continue
		}
		if exact := plan(t, share, history, func(p *compactor.Policy) { p.Budget = some.After }); exact.After != some.After {
			t.Errorf("a budget of %d tokens leaves %d", some.After, exact.After)
		}
		// One step more than at a smaller budget: undoing it would exceed this one.
		if less := plan(t, share, history, func(p *compactor.Policy) { p.Budget = some.After - 1 }); less.After >= some.After && less.Shortfall == 0 {
			t.Errorf("a budget of %d tokens leaves %d", some.After-1, less.After)
		}
	}
}

// What a break of the cache must save is asked of changes inside the cache alone, and the first result is inside of it.
func TestCacheIsBrokenByItsOwnResults(t *testing.T) {
	history := []given{ran("a", 0, 4), ran("b", 0, 4), ran("c", 0, 200), ran("d", 0, 200)}
	cache := compactor.Cache{Results: 2, MayBreak: true, MinSaving: 1 << 20, Write: 100, Read: 10, Requests: 16}
	some := plan(t, 70, history, nil)
	if same := plan(t, 70, history, func(p *compactor.Policy) { p.Cache = cache }); same.After != some.After || same.Invalidated != 0 {
		t.Errorf("behind the cache %d tokens are left, want %d; %d are invalidated", same.After, some.After, same.Invalidated)
	}
	history[0] = ran("a", 0, 200)
	all := plan(t, 1, history, func(p *compactor.Policy) { p.Cache = cache })
	if want := all.Results[0].Before + all.Results[1].Before; all.FirstChanged() != 0 || all.Invalidated != want {
		t.Errorf("result %d changes first, and %d tokens are invalidated, want %d", all.FirstChanged(), all.Invalidated, want)
	}
}
