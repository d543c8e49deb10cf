package compactor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
)

// The score of a token halves with each doubling of the tokens before it; without a rank it is that of a middling line.
func TestScoresOfTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rank, before, want int }{
		{0, 0, 4 * fullScore}, {1, 0, 2 * fullScore}, {10, 0, 3 * fullScore}, {20, 0, 4 * fullScore}, {40, 0, 6 * fullScore},
		{0, doubling, 2 * fullScore}, {0, 3 * doubling, fullScore},
	} {
		if got := tokenScore(c.rank, c.before); got != c.want {
			t.Errorf("rank %d after %d tokens: %d, want %d", c.rank, c.before, got, c.want)
		}
	}
}

// Savings in the cache are worth what is left after the rewriting, from the place where that is the most.
func TestDiscountsOfTheCache(t *testing.T) {
	t.Parallel()
	saves := func(tokens int) []step { return []step{{saved: tokens}} }
	steps := [][]step{saves(90), saves(0), saves(90)}
	list, before := make([]facts, 3), []int{100, 100, 100}
	for i := range list {
		list[i].Entry = &Entry{}
	}
	for name, c := range map[string]struct {
		cache Cache
		want  []int
	}{
		"no cache":             {Cache{}, []int{16, 16, 16}},
		"nothing may break":    {Cache{Results: 3, Write: 10, Read: 1, Requests: 9}, []int{16, 16, 16}},
		"writing costs less":   {Cache{Results: 3, MayBreak: true, Write: 1, Read: 1, Requests: 9}, []int{16, 16, 16}},
		"many requests":        {Cache{Results: 3, MayBreak: true, Write: 2, Read: 1, Requests: 1000}, []int{16, 16, 16}},
		"from the first on":    {Cache{Results: 3, MayBreak: true, Write: 2, Read: 1, Requests: 2}, []int{11, 11, 11}},
		"from the last on":     {Cache{Results: 3, MayBreak: true, Write: 5, Read: 1, Requests: 2}, []int{1, 1, 13}},
		"behind the cache":     {Cache{Results: 2, MayBreak: true, Write: 100, Read: 1, Requests: 1}, []int{1, 1, 16}},
		"not worth it at all":  {Cache{Results: 3, MayBreak: true, Write: 100, Read: 1, Requests: 1}, []int{1, 1, 1}},
		"one result, worth it": {Cache{Results: 1, MayBreak: true, Write: 2, Read: 1, Requests: 1}, []int{15, 16, 16}},
	} {
		if got := c.cache.discounts(list, before, steps); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Of two boundaries that are worth the same, the later one leaves more of the cache.
func TestLaterBoundaryWinsATie(t *testing.T) {
	t.Parallel()
	list := []facts{{Entry: &Entry{}}, {Entry: &Entry{}}}
	cache := Cache{Results: 2, MayBreak: true, Write: 2, Read: 1, Requests: 1}
	// Rewriting from the first entry on saves 10 tokens more, and costs as many.
	if got := cache.discounts(list, []int{20, 100}, [][]step{{{saved: 10}}, {{saved: 90}}}); !slices.Equal(got, []int{1, 15}) {
		t.Errorf("%v", got)
	}
}

// Results are kept in memory while they are within the bound, and the oldest goes first.
func TestCacheOfResultsIsBounded(t *testing.T) {
	t.Parallel()
	c, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Result: &pb.CanonicalToolResult_Text{Text: &pb.TextResult{}}}
	for keep, want := range map[int]string{0: "4", 2*proto.Size(r) - 1: "4", 2 * proto.Size(r): "3 4", 3*proto.Size(r) + 1: "2 3 4"} {
		loads := 0
		cache := resultCache{Compactor: c, kept: map[int]*decoded{}, History: History{Keep: keep, Load: func(int) (*pb.CanonicalToolResult, error) {
			loads++
			return r, nil
		}}}
		for i := range 5 {
			if _, err := cache.get(i); err != nil {
				t.Fatal(err)
			}
		}
		var kept []string
		for _, k := range cache.order {
			kept = append(kept, fmt.Sprint(k.entry))
		}
		if _, err := cache.get(4); err != nil || loads != 5 || strings.Join(kept, " ") != want || len(cache.kept) != len(kept) {
			t.Errorf("%d bytes keep %v, want %s; %d loads, %v", keep, kept, want, loads, err)
		}
	}
}

// One line must save a few tokens over handles; a level that saves one token is taken.
func TestLevelsMustSave(t *testing.T) {
	t.Parallel()
	c, err := New(nil, func([]byte) (string, string) { return "/a", "blake3:00" })
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line of the log\n", 60)
	r := &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{StdoutPreview: &text}}}
	for _, costs := range []struct {
		whole, handles, line int
		want                 pb.CompactionLevel
	}{
		{100, 50, 50 - minGain, line}, {100, 50, 50 - minGain + 1, handles}, {100, 99, 99, handles}, {100, 100, 100, full}, {100, 100, 100 - minGain, line}, {100, 200, 90, line},
	} {
		measure := func(_ int, r *pb.CanonicalToolResult) (int, error) {
			switch c.Level(r) {
			case handles:
				return costs.handles, nil
			case line:
				return costs.line, nil
			}
			return costs.whole, nil
		}
		p, err := c.Plan(InMemory([]Entry{{}}, []*pb.CanonicalToolResult{r}), Policy{Level: line, PreviewTokens: 16, Measure: measure})
		if err != nil || p.Results[0].Level != costs.want {
			t.Errorf("%+v: %+v, %v", costs, p, err)
		}
	}
}

// A result that states no failure is one line, whatever messages it has.
func TestMessagesThatAreNoFailureDoNotShow(t *testing.T) {
	t.Parallel()
	c, err := New(nil, func([]byte) (string, string) { return "/a", "blake3:00" })
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line of the log\n", 60)
	r := &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_TaskOutput{TaskOutput: &pb.TaskOutputResult{Task: &pb.TaskSnapshot{TaskId: "t"}, OutputPreview: &text}}}
	if got := c.Compact(r, Target{Level: line}); c.Level(got.Result) != line {
		t.Errorf("level %v", c.Level(got.Result))
	}
	r.GetTaskOutput().Failure = &pb.TaskFailure{Kind: "k"}
	if got := c.Compact(r, Target{Level: line}); c.Level(got.Result) != handles {
		t.Errorf("level %v of a failure", c.Level(got.Result))
	}
}

// The score of a unit is that of its line with the highest rank; of two of equal rank, the first.
func TestUnitsHaveTheScoreOfTheirBestLine(t *testing.T) {
	t.Parallel()
	first, context := pb.KeepReason_KEEP_REASON_CONTEXT+1, pb.KeepReason_KEEP_REASON_CONTEXT
	for _, c := range []struct {
		reasons []pb.KeepReason
		scores  []int
		reason  pb.KeepReason
		score   uint32
	}{
		{nil, nil, 0, 0}, {[]pb.KeepReason{first}, []int{9}, first, 9}, {[]pb.KeepReason{first, first + 1}, []int{9, 9}, first, 9},
		{[]pb.KeepReason{context, first}, []int{9, 8}, first, 8}, {[]pb.KeepReason{first, context}, []int{8, 9}, first, 8},
	} {
		s := splitter{}
		for i := range c.scores {
			s.scores = append(s.scores, preview.Segment{ByteStart: int64(i), Reason: shape.Reason(c.reasons[i]), Score: c.scores[i]})
		}
		u := unit{to: 2}
		if s.setScore(&u); u.reason != c.reason || u.score != c.score || len(s.scores) != 0 {
			t.Errorf("%v with %v: %v %d", c.reasons, c.scores, u.reason, u.score)
		}
	}
}

// What follows removed lines keeps its own cuts: one at its very beginning, and one that repeats the first line behind them.
func TestCutsBehindRemovedLinesStay(t *testing.T) {
	t.Parallel()
	describe := func(cuts []*pb.Cut) string {
		var list []string
		for _, c := range cuts {
			list = append(list, fmt.Sprintf("%s %d-%d", strings.TrimPrefix(c.GetKind().String(), "CUT_KIND_"), c.GetByteStart(), c.GetByteEnd()))
		}
		return strings.Join(list, ", ")
	}
	segments := []*pb.Segment{{FirstLine: 1, LastLine: 1, ByteEnd: 3, PreviewBytes: 3}, {FirstLine: 2, LastLine: 2, ByteStart: 3, ByteEnd: 16, PreviewBytes: 3}}
	begins := envelope.Large{
		Preview: "ab\ncd\n", Truncated: true, Artifact: "/a", Cuts: []*pb.Cut{cutLine(2, 3, 13, 3)}, Source: &pb.SourceFacts{Bytes: 16, Lines: 2, Segments: segments},
	}
	repeated := &pb.Cut{Kind: pb.CutKind_CUT_KIND_REPEATED, FirstLine: 3, LastLine: 5, ByteStart: 6, ByteEnd: 15, PreviewOffset: 6, LikeLine: 2}
	repeats := envelope.Large{
		Preview: "ab\ncd\nef\n", Truncated: true, Artifact: "/a", Cuts: []*pb.Cut{repeated},
		Source: &pb.SourceFacts{Bytes: 18, Lines: 6, Segments: []*pb.Segment{{FirstLine: 1, LastLine: 2, ByteEnd: 6, PreviewBytes: 6}, {FirstLine: 6, LastLine: 6, ByteStart: 15, ByteEnd: 18, PreviewBytes: 3}}},
	}
	scattered := envelope.Large{
		Preview: "ab\ncd\n", Truncated: true, Artifact: "/a",
		Cuts:   []*pb.Cut{{Kind: pb.CutKind_CUT_KIND_CONTROL, FirstLine: 1, LastLine: 2, ByteEnd: 10, OmittedBytes: 4, LineBytes: []uint64{1, 3}, Occurrences: 2}},
		Source: &pb.SourceFacts{Bytes: 10, Lines: 2, Segments: []*pb.Segment{{FirstLine: 1, LastLine: 2, ByteEnd: 10, PreviewBytes: 6}}},
	}
	for _, c := range []struct {
		v       *envelope.Large
		kept    []bool
		want    string
		visible uint64
	}{
		{&begins, []bool{false, true}, "COMPACTED 0-3, LONG_LINE 3-13", 3},
		{&begins, []bool{true, false}, "COMPACTED 3-16", 3},
		{&repeats, []bool{false, true, true}, "COMPACTED 0-3, REPEATED 6-15", 6},
		{&repeats, []bool{true, false, true}, "COMPACTED 3-15", 6},
		{&scattered, []bool{true, true}, "CONTROL 0-10", 6},
		{&scattered, []bool{false, true}, "COMPACTED 0-4, CONTROL 0-10", 3},
		{&scattered, []bool{false, false}, "COMPACTED 0-10", 0},
	} {
		r := newRanking(c.v, false)
		if len(r.units) != len(c.kept) {
			t.Fatalf("%d units", len(r.units))
		}
		got := keepUnits(c.v, r.source, r.units, c.kept)
		cuts := strings.Split(describe(got.Cuts), ", ")
		want := strings.Split(c.want, ", ")
		slices.Sort(cuts)
		slices.Sort(want)
		if !slices.Equal(cuts, want) || got.Source.GetVisibleBytes() != c.visible {
			t.Errorf("kept %v: %s, %d bytes visible; want %s, %d", c.kept, describe(got.Cuts), got.Source.GetVisibleBytes(), c.want, c.visible)
		}
	}
}
