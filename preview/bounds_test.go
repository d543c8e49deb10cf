package preview

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// uncounted is a counter that must not be asked.
type uncounted struct {
	tokens.Counter
	t *testing.T
}

func (u uncounted) Count(text string) int {
	u.t.Errorf("%q is counted", text)
	return 0
}

// A text of as many bytes as there are tokens needs no count, and limits hold up to their bound.
func TestBudgetHoldsAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		b     Budget
		text  string
		lines int
		want  bool
	}{
		{Budget{Tokens: 4, Lines: 2, Bytes: 4}, "abcd", 2, true}, {Budget{Tokens: 4, Lines: 1, Bytes: 4}, "abcd", 2, false},
		{Budget{Tokens: 4, Lines: 2, Bytes: 3}, "abcd", 2, false}, {Budget{Tokens: 6, Lines: 2, Bytes: 8, BeforeTokens: 1, BeforeBytes: 2}, "abcd", 2, true},
		{Budget{Tokens: 6, Lines: 2, Bytes: 7, BeforeTokens: 1, BeforeBytes: 2}, "abcd", 2, false},
	} {
		if got := c.b.fits(c.text, c.lines, uncounted{t: t}); got != c.want {
			t.Errorf("%+v fits %q of %d lines: %v", c.b, c.text, c.lines, got)
		}
	}
	for _, c := range []struct {
		rest remaining
		want bool
	}{{remaining{0, 0, 0}, true}, {remaining{-1, 0, 0}, false}, {remaining{0, -1, 0}, false}, {remaining{0, 0, -1}, false}} {
		if c.rest.ok() != c.want {
			t.Errorf("%+v is left: %v", c.rest, !c.want)
		}
	}
	if got := (remaining{9, 0, 9}).spend("ab", 1, uncounted{t: t}); got != (remaining{9, -1, 7}) {
		t.Errorf("a line too many leaves %+v", got)
	}
	whole := Budget{Tokens: 100, Lines: 9, Bytes: 100}
	for _, c := range []struct {
		rest remaining
		want bool
	}{{remaining{26, 1, 26}, true}, {remaining{25, 1, 26}, false}, {remaining{26, 1, 25}, false}, {remaining{26, 0, 26}, false}} {
		if (&chosen{remaining: c.rest}).roomy(whole) != c.want {
			t.Errorf("%+v of %+v is much: %v", c.rest, whole, !c.want)
		}
	}
}

// Beside the first and the last line of a payload nothing is omitted; beside a line at a gap something is.
func TestBesideKnowsTheEnds(t *testing.T) {
	list := []shape.Ranked{{Number: 2}, {Number: 3}, {Number: 5}}
	for _, c := range []struct {
		lines   int64
		i, step int
		shown   []int32
		want    bool
	}{
		{6, 0, -1, []int32{0, 0, 0}, false}, {6, 2, 1, []int32{0, 0, 0}, false}, {5, 2, 1, []int32{0, 0, 0}, true},
		{6, 0, 1, []int32{0, 1, 0}, true}, {6, 0, 1, []int32{0, 0, 0}, false}, {6, 1, 1, []int32{0, 0, 1}, false}, {6, 2, -1, []int32{0, 1, 0}, false}, {6, 1, -1, []int32{1, 0, 0}, true},
	} {
		s := selection{excerpt: &Excerpt{lines: c.lines}}
		if got := s.beside(&chosen{place: c.shown}, list, c.i, c.step); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if s := (selection{excerpt: &Excerpt{lines: 1}}); !s.beside(&chosen{place: []int32{0}}, []shape.Ranked{{Number: 1}}, 0, -1) {
		t.Error("something is before line 1")
	}
	s := selection{excerpt: &Excerpt{lines: 3}, budget: Budget{Tokens: 9}, counter: tokens.Estimate()}
	if c := s.choose(nil, nil, 100); len(c.shown) != 0 {
		t.Errorf("of no lines %d are shown", len(c.shown))
	}
}

// texts returns the texts of the lines of a band.
func (f *found) texts() (list []string) {
	for _, l := range slices.Concat(f.first.Lines(), f.last.Lines()) {
		list = append(list, string(l.Text))
	}
	return list
}

// The lines before a find that are kept are as many as belong to it, not seen before, and near.
func TestLinesBeforeAFindAreBounded(t *testing.T) {
	near := strings.Repeat("n", recentBytes-4-3) + "\n" // begins recentBytes-1 before the end with "abcd\n"
	for name, c := range map[string]struct {
		b, recent string
		n         int
		last      int64
		want      []string
	}{
		"as many as asked":        {"a\nb\nc\nd\n", "", 3, 0, []string{"b", "c", "d"}},
		"all there are":           {"a\nb\n", "", 9, 0, []string{"a", "b"}},
		"none":                    {"a\nb\n", "", 0, 0, nil},
		"not those kept before":   {"a\nb\nc\nd\n", "", 9, 98, []string{"c", "d"}},
		"of earlier calls":        {"", "a\nb\n", 9, 0, []string{"a", "b"}},
		"of both":                 {"c\n", "a\nb\n", 2, 0, []string{"b", "c"}},
		"at most":                 {strings.Repeat("x\n", 30), "", 30, 0, slices.Repeat([]string{"x"}, mostBefore)},
		"near":                    {near + "abcd\n", "", 9, 0, []string{near[:len(near)-1], "abcd"}},
		"not far":                 {"n" + near + "abcd\n", "", 9, 0, []string{"abcd"}},
		"not behind one that far": {"x\nn" + near + "abcd\n", "y\n", 9, 0, []string{"abcd"}},
	} {
		f := finder{number: 100, last: c.last, share: 1 << 20, recent: []byte(c.recent)}
		f.keepBefore([]byte(c.b), 1<<20, c.n, 2)
		if got := f.bands[2].texts(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %.20q, want %.20q", name, got, c.want)
		}
	}
	f := finder{recent: []byte("a\n")}
	if got := f.recentBefore(f.recent); got != nil {
		t.Errorf("%q is before itself", got)
	}
	for _, b := range [][]byte{nil, []byte("a\n")} {
		if got := f.recentBefore(b); string(got) != "a\n" {
			t.Errorf("%q is before %q", got, b)
		}
	}
}

// A finder keeps each line once: in the first part of its band until that is full, and then in the last.
func TestBandFillsItsFirstPart(t *testing.T) {
	f := finder{share: 20}
	for i, number := range []int64{1, 2, 2, 1, 3} {
		f.keep([]byte{'a' + byte(i), 'x', 'x', 'x', 'x'}, 10*number, 10*number+6, number, 0)
	}
	if first, last := f.bands[0].first.Lines(), f.bands[0].last.Lines(); len(first) != 2 || len(last) != 1 || string(last[0].Text) != "exxxx" || f.last != 3 {
		t.Errorf("%d lines first, %d last", len(first), len(last))
	}
	for _, c := range []struct{ after, to, want int64 }{{0, 3, 3}, {1, 3, 2}, {0, 2, 2}, {3, 3, 0}, {1, 2, 1}} {
		if got := f.finish(c.after, c.to, new(memory)); int64(len(got)) != c.want {
			t.Errorf("%d lines after %d up to %d, want %d", len(got), c.after, c.to, c.want)
		}
	}
	for score, want := range map[uint8]int{100: 0, 85: 0, 84: 1, 72: 1, 71: 2, salience.MustKeep: 2, salience.MustKeep - 1: 3} {
		if got := markBand(salience.Mark{Score: score}); got != want {
			t.Errorf("score %d is of band %d, want %d", score, got, want)
		}
	}
}

// Of the bytes before a line at most twice those are kept in which lines may belong to it, and whole lines of a longer write.
func TestRecentBytesAreBounded(t *testing.T) {
	block := []byte(strings.Repeat("fifteen bytes..\n", 2*recentBytes/16))
	var f finder
	f.remember([]byte("old\n"))
	if f.remember(block[:recentBytes]); string(f.recent) != string(block[:recentBytes]) {
		t.Errorf("of a block of the bound %d bytes are kept", len(f.recent))
	}
	f.remember(block[:recentBytes-16])
	if f.remember(block[:16]); len(f.recent) != 2*recentBytes {
		t.Errorf("%d bytes are kept, want %d", len(f.recent), 2*recentBytes)
	}
	if f.remember(block[:16]); len(f.recent) != recentBytes-16 {
		t.Errorf("behind the bound %d bytes are kept, want %d", len(f.recent), recentBytes-16)
	}
	if f.remember(append([]byte("x"), block[:recentBytes]...)); string(f.recent) != string(block[:recentBytes-16]) {
		t.Errorf("of a longer block %d bytes are kept", len(f.recent))
	}
}

// A line that is not long is kept whole, and of one byte more its two ends.
func TestLongLinesHaveTwoEnds(t *testing.T) {
	for n, want := range map[int]int{longLine: longLine, longLine + 1: 2 * longEnds, 3 * longLine: 2 * longEnds} {
		var f finder
		f.hold(bytes.Repeat([]byte("x"), n))
		if len(f.carry) != want || f.length != int64(n) {
			t.Errorf("%d bytes of %d are held, want %d", len(f.carry), n, want)
		}
		if got := f.lineEnds(bytes.Repeat([]byte("x"), n)); len(got) != want {
			t.Errorf("%d bytes of %d are looked at, want %d", len(got), n, want)
		}
		over := append([]byte("x\r"), bytes.Repeat([]byte("x"), n-2)...)
		if got := f.lineEnds(over); (got == nil) != (n > longLine) {
			t.Errorf("of an overwritten line of %d bytes %d are looked at", n, len(got))
		}
	}
}

// Lines of one shape are enough after a dozen, and the table of shapes begins again when it is full.
func TestShapesAreRememberedUpToABound(t *testing.T) {
	f := finder{similar: map[uint64]int{}}
	for i := range 2 * likeTheRest {
		if got := f.isNew([]byte("error: it broke")); got != (i < likeTheRest) {
			t.Errorf("line %d of one shape is new: %v", i+1, got)
		}
	}
	f.similar = map[uint64]int{}
	for i := range uint64(mostShapes) {
		f.similar[i] = 1
	}
	if f.isNew([]byte("error: it broke")); len(f.similar) != mostShapes+1 {
		t.Errorf("%d shapes are remembered, want %d", len(f.similar), mostShapes+1)
	}
	if f.isNew([]byte("error: it broke")); len(f.similar) != 1 {
		t.Errorf("%d shapes are remembered behind the bound", len(f.similar))
	}
}

// A message is known by the bytes around its word in its line, without digits, and is frequent after some dozens.
func TestMessagesAreKnownByTheirBytes(t *testing.T) {
	for c := range 256 {
		b, isDigit := []byte{byte(c)}, c >= '0' && c <= '9'
		if got := messageMark(b, nil) == messageMark(nil, nil); got != isDigit {
			t.Errorf("%q before a word does not count: %v", b, got)
		}
		if got := messageMark(nil, b) == messageMark(nil, nil); got != (isDigit || c == '\n') {
			t.Errorf("%q behind a word does not count: %v", b, got)
		}
	}
	if messageMark([]byte("ab"), []byte("\ncd")) != messageMark([]byte("ab"), nil) || messageMark(nil, []byte("ab\ncd")) != messageMark(nil, []byte("ab")) {
		t.Error("the next line counts")
	}
	if messageMark([]byte("xabcd"), nil) != messageMark([]byte("abcd"), nil) || messageMark([]byte("xbcd"), nil) == messageMark([]byte("abcd"), nil) {
		t.Error("the bytes before a word are not four")
	}
	same := strings.Repeat("a", markBehind)
	if messageMark(nil, []byte(same+"x")) != messageMark(nil, []byte(same)) || messageMark(nil, []byte(same[1:]+"x")) == messageMark(nil, []byte(same)) {
		t.Error("the bytes behind a word are not sixteen")
	}
	var f frequentMessages
	if f.count(0); f.seen != nil || f.has(7) {
		t.Error("a line that was found by no word counts")
	}
	for i := range 2 * frequentAfter {
		if got := f.has(7); got != (i >= frequentAfter) {
			t.Errorf("after %d lines it is frequent: %v", i, got)
		}
		f.count(7)
	}
	if f.has(7 + 2*messagePlaces) {
		t.Error("another message of the same place is frequent")
	}
	if f.count(7 + 2*messagePlaces); f.has(7) {
		t.Error("the place is not taken")
	}
}

// A Writer reads its beginning until the head and the sniff are full, and then leaves bytes unread up to a bound.
func TestWriterLeavesBytesUnread(t *testing.T) {
	for n, want := range map[int]bool{textscan.SniffBytes: false, textscan.SniffBytes - 1: true} {
		if w := (&Writer{headFull: true, sniff: make([]byte, n)}); w.begins() != want {
			t.Errorf("with a sniff of %d bytes it begins: %v", n, !want)
		}
	}
	for _, c := range []struct {
		bytes  int
		whole  bool
		unread int
	}{{1, false, 1}, {leastUnread, false, leastUnread}, {leastUnread + 1, false, 0}, {1, true, 0}} {
		w := NewWriter(1)
		w.headFull, w.whole = true, c.whole
		w.middle([][]byte{bytes.Repeat([]byte("x"), c.bytes)}, 0)
		if len(w.unread) != c.unread {
			t.Errorf("of %d bytes %d are unread, want %d", c.bytes, len(w.unread), c.unread)
		}
	}
	for n, want := range map[int]bool{minWindow: true, minWindow + 1: false} {
		if got := NewWriter(1).usual(bytes.Repeat([]byte("x"), n)); got != want {
			t.Errorf("a line of %d bytes is usual: %v", n, got)
		}
	}
	for n, want := range map[int]bool{minWindow - 1: false, minWindow: true} {
		w := NewWriter(1)
		if _, _ = w.Write(append(bytes.Repeat([]byte("x"), n), '\n')); w.headFull != want {
			t.Errorf("%d bytes fill the head: %v", n, w.headFull)
		}
	}
	for n, want := range map[int]bool{15: false, 16: true} {
		w := NewWriter(1)
		if _, _ = w.Write(bytes.Repeat([]byte("\n"), n)); w.headFull != want {
			t.Errorf("%d lines fill the head: %v", n, w.headFull)
		}
	}
}

// Of a payload of which nothing will be shown bytes and lines are counted, and where the last line begins.
func TestBytesOfBinariesAreCounted(t *testing.T) {
	w := NewWriter(1)
	w.count([][]byte{[]byte("ab\nc"), []byte("d\nef")}, 2)
	if w.lines != 2 || w.offset != 8 || w.cur.Offset() != 6 {
		t.Errorf("%d lines, %d bytes, the last line is from %d", w.lines, w.offset, w.cur.Offset())
	}
	if w.count([][]byte{[]byte("gh")}, 0); w.lines != 2 || w.offset != 10 || w.cur.Offset() != 6 {
		t.Errorf("%d lines, %d bytes, the last line is from %d", w.lines, w.offset, w.cur.Offset())
	}
}

// A cut is widened to whole characters, and only to them.
func TestCutsAreBetweenCharacters(t *testing.T) {
	const text = "aé€😀b" // at 0, 1, 3, 6, 10
	for _, c := range []struct{ first, last, wantFirst, wantLast int }{
		{0, 11, 0, 11}, {1, 1, 1, 1}, {2, 2, 1, 3}, {3, 3, 3, 3}, {4, 4, 3, 6}, {5, 5, 3, 6}, {6, 6, 6, 6}, {7, 7, 6, 10}, {8, 8, 6, 10}, {9, 9, 6, 10}, {10, 10, 10, 10}, {11, 11, 11, 11},
	} {
		if first, last := wholeRunes([]byte(text), c.first, c.last); first != c.wantFirst || last != c.wantLast {
			t.Errorf("a cut from %d to %d is from %d to %d, want %d to %d", c.first, c.last, first, last, c.wantFirst, c.wantLast)
		}
	}
	if first, last := wholeRunes([]byte("\x80\x80\x80\x80\x80"), 4, 0); first != 4 || last != 3 {
		t.Errorf("of bytes that are no text %d and %d are shown", first, last)
	}
}

// A line has its number in the windows at either end, and none between them.
func TestLinesAreInTheirWindows(t *testing.T) {
	e := Excerpt{head: []textscan.Line{{Start: 1}, {Start: 2}}, tail: []textscan.Line{{Start: 9}, {Start: 10}}, lines: 10}
	for n, want := range map[int64]int64{0: 0, -1: 0, 1: 1, 2: 2, 3: 0, 8: 0, 9: 9, 10: 10, 11: 0} {
		got := int64(0)
		if l := e.at(n); l != nil {
			got = l.Start
		}
		if got != want {
			t.Errorf("line %d is the one at %d, want %d", n, got, want)
		}
	}
}

// However large the budget, a Writer keeps a bounded number of lines, whose memory it states; the ledger has the others.
func TestWriterKeepsBoundedLines(t *testing.T) {
	w := NewWriter(200_000)
	const lines = 400_000
	text := bytes.Repeat([]byte("ab\n"), lines)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if kept := w.head.Len() + w.tail.Len(); kept > 131_072 {
		t.Errorf("%d lines are kept", kept)
	}
	if least := w.head.Len() * 80; w.Memory() < least || w.Memory() > 64<<20 {
		t.Errorf("the memory is %d bytes, want at least %d", w.Memory(), least)
	}
	p := w.Finish().Select(Budget{Tokens: 200_000, Lines: NoLimit, Bytes: NoLimit, LineBytes: 100}, tokens.Estimate(), Hints{})
	left := int64(0)
	for i := range p.Cuts {
		left += p.Cuts[i].OmittedBytes
	}
	if p.Lines != lines || p.VisibleBytes()+left != int64(len(text)) {
		t.Errorf("%d lines, %d bytes shown and %d omitted of %d", p.Lines, p.VisibleBytes(), left, len(text))
	}
}
