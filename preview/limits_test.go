package preview

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// one counts every text as one token.
type one struct{ tokens.Counter }

func (one) Count(string) int { return 1 }

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

// document returns JSON of n lines between brackets, each of more than a short container has.
func document(t *testing.T, open, end string, n int) *shape.Document {
	t.Helper()
	var list []string
	for i := range n {
		value := `"` + strings.Repeat("x", 90) + `"`
		if open == "{" {
			value = fmt.Sprintf(`"k%d":`, i) + value
		}
		list = append(list, value)
	}
	j, err := ParseJSON([]byte(open + strings.Join(list, ",") + end))
	if err != nil {
		t.Fatal(err)
	}
	return j.doc
}

// Marks are as many as the gaps, and the one of the whole list is paid for.
func TestMarksFollowFromGaps(t *testing.T) {
	for _, c := range []struct {
		shown string // x where a line is shown
		i     int
		want  int
	}{{"x...x", 0, 0}, {"x...x", 4, 0}, {"x...x", 1, 0}, {"x...x", 2, 1}, {"x...x", 3, 0}, {"xx..x", 2, 0}, {"x..xx", 2, 0}, {"xx.xx", 2, -1}} {
		s := jsonSelection{doc: document(t, "[", "]", 3)}
		for _, r := range c.shown {
			s.shown = append(s.shown, r == 'x')
		}
		if got := s.marks(c.i); got != c.want {
			t.Errorf("line %d among %s changes the marks by %d, want %d", c.i, c.shown, got, c.want)
		}
	}
}

// Values are counted of arrays, and of objects that have the members of a list.
func TestValuesOfListsAreCounted(t *testing.T) {
	for _, c := range []struct {
		open, end   string
		n           int
		left, total int64
	}{{"[", "]", 3, 2, 3}, {"{", "}", fewMembers, 0, 0}, {"{", "}", fewMembers + 1, 2, fewMembers + 1}} {
		s := jsonSelection{doc: document(t, c.open, c.end, c.n)}
		if left, total := s.values(1, 3); left != c.left || total != c.total {
			t.Errorf("%d of %d values, want %d of %d", left, total, c.left, c.total)
		}
	}
}

// JSON that costs the budget exactly is shown, and what cannot fit is not counted.
func TestJSONFitsItsBudgetExactly(t *testing.T) {
	j, err := ParseJSON([]byte(`"` + strings.Repeat("x", 29) + `"`)) // 32 bytes with the line end
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tokens, lines, bytes int
		want                 bool
	}{{2, 1, 32, true}, {1, 1, 32, false}, {2, 0, 32, false}, {2, 1, 31, false}, {9, 9, 99, true}} {
		s := jsonSelection{doc: j.doc, selection: selection{excerpt: &Excerpt{}, budget: Budget{Tokens: c.tokens, Lines: c.lines, Bytes: c.bytes}, counter: one{}}}
		if _, ok := s.limited(99); ok != c.want {
			t.Errorf("%+v: %v", c, ok)
		}
	}
	for tokens, want := range map[int]int{1: 16, 2: 44, 3: 44, 99: 44} { // 32 bytes and a marker
		s := jsonSelection{doc: j.doc, selection: selection{budget: Budget{Tokens: tokens, Bytes: 100}}}
		if got := s.ceiling(); got != want {
			t.Errorf("with %d tokens the ceiling is %d, want %d", tokens, got, want)
		}
	}
	short := document(t, "[", "]", 0)
	s := jsonSelection{doc: short, selection: selection{excerpt: &Excerpt{}, budget: Budget{Tokens: 1, Lines: 1, Bytes: 3}, counter: one{}}}
	if _, ok := s.limited(9); !ok {
		t.Error("a line for each token does not fit")
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
