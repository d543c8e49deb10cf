package preview

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// A line that was kept is not kept again.
func TestFoundLineIsKeptOnce(t *testing.T) {
	f := finder{share: 1000}
	for _, number := range []int64{4, 4, 3, 5} {
		f.keep([]byte("x"), 2*number, 2*number+2, number, 1)
	}
	var got []int64
	for _, l := range f.finish(0, 9, new(memory)) {
		got = append(got, l.Number)
	}
	if !slices.Equal(got, []int64{4, 5}) {
		t.Errorf("lines %v are kept", got)
	}
}

// A gap of which most repeats the lines before is two cuts, and noise alone is folded.
func TestGapsAreCutByWhatIsInThem(t *testing.T) {
	for _, c := range []struct {
		last   int64
		from   int64
		folded []int64
		want   string
	}{
		{20, 10, nil, "middle 11-20"}, {19, 10, nil, "repeated 11-15 middle 16-19"}, {15, 10, nil, "repeated 11-15"}, {13, 10, nil, "repeated 11-13"}, {19, 11, nil, "middle 11-19"},
		{13, 11, []int64{9, 11, 12, 13}, "folded 11-13"}, {13, 11, []int64{11, 13}, "middle 11-13"}, {13, 11, []int64{11, 12}, "middle 11-13"}, {19, 10, []int64{16, 17, 18, 19}, "repeated 11-15 folded 16-19"},
	} {
		a := assembly{
			preview: &Preview{}, line: 10, end: 100, from: c.from, folded: c.folded,
			runs: []shape.Run{{First: 3, Last: 4, Like: 2, End: 40}, {First: 11, Last: 15, Like: 10, End: 150}},
		}
		a.gap(Cut{LastLine: c.last, ByteEnd: 10 * c.last})
		var got []string
		for _, cut := range a.preview.Cuts {
			kind := map[CutKind]string{CutMiddle: "middle", CutRepeated: "repeated", CutFolded: "folded"}[cut.Kind]
			got = append(got, fmt.Sprintf("%s %d-%d", kind, cut.FirstLine, cut.LastLine))
			if cut.ByteEnd != 10*cut.LastLine || cut.OmittedLines != cut.LastLine-cut.FirstLine+1 {
				t.Errorf("cut %+v", cut)
			}
		}
		if text := strings.Join(got, " "); text != c.want || a.from != c.last+1 {
			t.Errorf("the gap up to %d is %s, want %s", c.last, text, c.want)
		}
	}
}

// A line of the limit is whole, and one byte more has its two ends.
func TestLinesAreCutBehindTheirLimit(t *testing.T) {
	for n, long := range map[int]bool{0: false, 99: false, 100: false, 101: true} {
		s := selection{excerpt: &Excerpt{}}
		text := bytes.Repeat([]byte("x"), n)
		if r := s.render(&textscan.Line{Text: text, Split: n}, 1, 100); r.long != long || r.to-r.from != min(n, 100) {
			t.Errorf("a line of %d bytes is cut: %v, and has %d bytes", n, r.long, r.to-r.from)
		}
	}
}

// Only lines that matter by themselves, and for which no other speaks, are counted where they are not shown.
func TestOmittedCountsLinesThatMatter(t *testing.T) {
	list := []shape.Ranked{
		{Reason: shape.KeepError, Score: 1}, {Reason: shape.KeepError, Score: 0}, {Reason: shape.KeepContext, Score: 9}, {Reason: shape.KeepStructure, Score: 9},
		{Reason: shape.KeepProfile, Score: 9}, {Reason: shape.KeepError, Score: 9, Folded: true}, {Reason: shape.KeepError, Score: 9},
	}
	c := chosen{place: []int32{0, 0, 0, 0, 0, 0, 1}}
	if got := c.omitted(list); got != (Counts{shape.KeepError: 1, shape.KeepProfile: 1}) {
		t.Errorf("%v", got)
	}
}

// A redrawn line is shown in its last state, if that has the limit at most.
func TestLastStateOfTheLimitIsWhole(t *testing.T) {
	text := []byte("N\bNA\bA") // a terminal shows NA
	for limit, whole := range map[int]bool{1: false, 2: true, 3: true} {
		s := selection{excerpt: &Excerpt{}}
		r := s.render(&textscan.Line{Text: text, Split: len(text)}, 1, limit)
		if got := string(s.scratch[r.from:r.to]); (got == "NA") != whole || r.long == whole {
			t.Errorf("up to %d bytes it is shown as %q", limit, got)
		}
	}
}

// A part without text shows nothing of its line.
func TestPartWithoutTextShowsNothing(t *testing.T) {
	if p := Parts([]Part{{FirstLine: 1, LastLine: 1, LineEnd: 5}}, 5, 1); p.Text != "" || len(p.Segments) != 0 {
		t.Errorf("%+v", p)
	}
}
