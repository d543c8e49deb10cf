package preview

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Excerpt is what was kept of a payload.
type Excerpt struct {
	plain      string // the payload, if it is small and its own visible form
	maxTokens  int
	head, tail []textscan.Line
	found      []textscan.Line // between the two, in order: what matters, and what belongs to it
	bytes      int64
	lines      int64
	literal    bool // no terminal shows it
	kept       int  // bytes of text of the lines that were kept, and their ends
	binary     bool
	seen       seenShape
	judged     *judgement
	ranking    *ranking
}

// FromBytes returns the excerpt of a payload in memory: the same as writing it
// to a Writer. The payload must not change until the excerpt is done with.
func FromBytes(payload []byte, maxTokens int) *Excerpt { return FromCommand(payload, maxTokens, nil) }

// FromCommand is FromBytes for the output of a program with rules; nil rules mean none.
func FromCommand(payload []byte, maxTokens int, rules *linerule.Rules) *Excerpt {
	w := NewWriter(maxTokens)
	w.Watch(rules)
	if lines := countLines(payload); len(payload) <= w.window && lines <= int64(w.maxLines) && textscan.Clean(payload, '\n') {
		return &Excerpt{plain: asString(payload), maxTokens: maxTokens, bytes: int64(len(payload)), lines: lines}
	}
	w.grow(len(payload))
	_, _ = w.Write(payload) // it never fails
	return w.Finish()
}

// FromFile is FromBytes for text that was not written to a terminal: a carriage return that
// does not end a line is a character of it, and overwrites nothing.
func FromFile(payload []byte, maxTokens int) *Excerpt {
	if bytes.Count(payload, []byte{'\r'}) == bytes.Count(payload, []byte("\r\n")) {
		return FromBytes(payload, maxTokens)
	}
	w := NewWriter(maxTokens)
	w.literal = true
	w.grow(len(payload))
	_, _ = w.Write(payload) // it never fails
	return w.Finish()
}

func countLines(payload []byte) int64 {
	n := int64(bytes.Count(payload, newline))
	if len(payload) > 0 && payload[len(payload)-1] != '\n' {
		n++
	}
	return n
}

// whole is the preview of a plain payload that fits.
func (e *Excerpt) whole() *Preview {
	return &Preview{
		Text: strings.Clone(e.plain), Segments: Split(e.plain), Bytes: e.bytes, Lines: e.lines, Encoding: EncodingUTF8,
	}
}

// byLines reads a plain payload by its lines, once it is known not to fit.
func (e *Excerpt) byLines() {
	w := NewWriter(e.maxTokens)     // it has room for all of it: nothing needs to be found
	_, _ = w.Write([]byte(e.plain)) // it never fails
	judged := e.judged
	*e = *w.Finish()
	e.judged = judged
}

// Bytes is the size of the payload.
func (e *Excerpt) Bytes() int64 { return e.bytes }

// Lines is how many lines the payload has; the last one need not end.
func (e *Excerpt) Lines() int64 { return e.lines }

// complete reports whether every line was kept.
func (e *Excerpt) complete() bool { return int64(len(e.head)+len(e.tail)) == e.lines }

// available is how many lines were kept.
func (e *Excerpt) available() int {
	if e.plain != "" {
		return int(e.lines)
	}
	return len(e.head) + len(e.found) + len(e.tail)
}

// each goes over the lines that were kept of a payload that is not plain, in order,
// with their numbers.
func (e *Excerpt) each() iter.Seq2[int64, *textscan.Line] {
	return func(yield func(int64, *textscan.Line) bool) {
		for i := range e.head {
			if !yield(int64(i)+1, &e.head[i]) {
				return
			}
		}
		for i := range e.found {
			if !yield(e.found[i].Number, &e.found[i]) {
				return
			}
		}
		for i := range e.tail {
			if !yield(e.lines-int64(len(e.tail))+int64(i)+1, &e.tail[i]) {
				return
			}
		}
	}
}

// at returns line number n, from 1, or nil if it was not kept.
func (e *Excerpt) at(n int64) *textscan.Line {
	if n >= 1 && n <= int64(len(e.head)) {
		return &e.head[n-1]
	}
	if i := n - 1 - (e.lines - int64(len(e.tail))); i >= 0 && n <= e.lines {
		return &e.tail[i]
	}
	return nil
}

func (e *Excerpt) longest() int64 {
	var longest int64
	for _, lines := range [][]textscan.Line{e.head, e.tail} {
		for i := range lines {
			longest = max(longest, int64(len(lines[i].Text))+lines[i].Skipped)
		}
	}
	return longest
}

// Focus says what matters where not all of a payload fits.
type Focus struct {
	HeadPercent int             // weight of the first lines against the last ones; with 100 the first lines are shown without a gap
	Succeeded   bool            // the program said so by its exit status: what sounds like an error matters less
	Range       bool            // it was asked for as a range, and is shown from its start without a gap
	Rules       *linerule.Rules // what is known of the program's lines; nil: nothing
	Shape       shape.Shape
}

// Select makes a preview that costs about b at the most. It can be called again
// with another budget. The whole payload is shown if it fits; otherwise the
// lines that matter most, or with a HeadPercent of 100 those from the start,
// without a gap; and a line that does not fit by itself is cut inside, never
// dropped.
func (e *Excerpt) Select(b Budget, c tokens.Counter, f Focus) *Preview {
	if e.binary {
		p := e.unseen(CutBinary, EncodingBinary)
		p.Shape = shape.Binary
		return p
	}
	s := selection{excerpt: e, budget: b, counter: c}
	if e.folds(f) {
		if e.plain != "" {
			e.byLines()
		}
		return s.choice(f)
	}
	if e.plain != "" {
		if b.fits(e.plain, int(e.lines), c) {
			return e.whole()
		}
		e.byLines()
	}
	if lines, ok := s.all(); ok {
		return s.assemble(lines)
	}
	if f.HeadPercent == 100 || f.Range {
		return s.assemble(s.start())
	}
	p := s.choice(f)
	p.Shape = e.Shape(f)
	return p
}

// choice shows the lines that matter most.
func (s *selection) choice(f Focus) *Preview {
	p := s.assemble(s.ranked(f))
	p.Left = s.left
	return p
}

// unseen is a preview that shows nothing.
func (e *Excerpt) unseen(kind CutKind, encoding Encoding) *Preview {
	p := &Preview{Bytes: e.bytes, Lines: e.lines, Encoding: encoding}
	p.Cuts = []Cut{{
		Kind: kind, FirstLine: 1, LastLine: e.lines, ByteEnd: e.bytes,
		OmittedBytes: e.bytes, OmittedLines: e.lines, Occurrences: 1,
	}}
	return p
}

// rendered is a line in its visible form.
type rendered struct {
	line     *textscan.Line
	number   int64
	from, to int               // range of the text in the scratch buffer, with "\n"
	altered  *textscan.Changes // nil when the text is as it was
	time     int               // bytes of the time that it begins with, which are not shown
	redrawn  int               // bytes that the line itself overwrote
	long     bool              // the line is cut inside
	cutAt    int               // where in the text, from its start
	cutFrom  int64             // range of the cut in the payload
	cutTo    int64
	reason   shape.Reason
	score    int
	left, of int64 // values of a JSON container that a cut before the line leaves out
}

// selection is one choice of lines.
type selection struct {
	excerpt *Excerpt
	budget  Budget
	counter tokens.Counter
	ranking *ranking // nil where lines are shown in their order
	left    Counts   // lines that matter and were not chosen
	untimed bool     // leave out the times that lines begin with
	scratch []byte
	altered textscan.Changes // of the line that is being rendered
}

// farTooLong is more bytes than a token of text has on average, with runs of one character left out. It is not worth a
// count whether more than that fits.
const farTooLong = 64

// all shows every line, if that fits: unshortened, or with the longest line
// limit that does.
func (s *selection) all() ([]rendered, bool) {
	e := s.excerpt
	if !e.complete() || e.kept/farTooLong > s.budget.Tokens {
		return nil, false
	}
	longest := int(e.longest())
	if lines, ok := s.limited(longest); ok || longest <= minLineBytes {
		return lines, ok
	}
	lowest := min(s.budget.LineBytes, longest)
	if e.lines <= fewLines {
		lowest = minLineBytes
	}
	if _, ok := s.limited(lowest); !ok {
		return nil, false
	}
	return s.limited(s.search(lowest, longest, func(limit int) bool {
		_, ok := s.limited(limit)
		return ok
	}))
}

// search returns the largest limit from low up to and without high that fits,
// where low does; it halves the range and so tries a dozen.
func (s *selection) search(low, high int, fits func(limit int) bool) int {
	for high-low > 1+low/16 {
		middle := low + (high-low)/2
		if fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// limited renders every line, none of them longer than limit bytes.
func (s *selection) limited(limit int) ([]rendered, bool) {
	e := s.excerpt
	s.scratch = slices.Grow(s.scratch[:0], e.kept)
	budget := s.budget.before(s.budget.left(), int(e.lines))
	budget.lines -= int(e.lines)
	lines := make([]rendered, 0, e.lines)
	for n := int64(1); n <= e.lines; n++ {
		r := s.render(e.at(n), n, limit)
		if r.long {
			budget = budget.marker(1)
		}
		if budget.bytes < len(s.scratch) || !budget.ok() {
			return nil, false
		}
		lines = append(lines, r)
	}
	return lines, Budget{Tokens: budget.tokens, Lines: NoLimit, Bytes: NoLimit}.fits(asString(s.scratch), 0, s.counter)
}

// start shows lines from the start, with a cut behind them.
func (s *selection) start() []rendered {
	s.scratch = s.scratch[:0]
	lines, _ := s.take(1, +1, s.excerpt.lines, s.budget.left().marker(1), true)
	return lines
}

// take renders lines from number n on in the given direction, up to number
// stop, while they fit. With force the first of them is cut inside until it
// fits.
func (s *selection) take(n, step, stop int64, budget left, force bool) ([]rendered, left) {
	var lines []rendered
	for ; (stop-n)*step >= 0; n += step {
		l := s.excerpt.at(n)
		if l == nil {
			break
		}
		r, after, ok := s.try(l, n, s.budget.LineBytes, budget)
		if !ok && force && len(lines) == 0 {
			r, after, ok = s.squeeze(l, n, budget)
		}
		if !ok {
			break
		}
		lines, budget = append(lines, r), after
	}
	return lines, budget
}

// try renders a line and pays for it. A line that does not fit leaves nothing
// behind.
func (s *selection) try(l *textscan.Line, n int64, limit int, budget left) (rendered, left, bool) {
	r := s.render(l, n, limit)
	if r.long {
		budget = budget.marker(1)
	}
	after := s.budget.before(budget, 1).spend(asString(s.scratch[r.from:r.to]), 1, s.counter)
	if !after.ok() {
		s.scratch = s.scratch[:r.from]
	}
	return r, after, after.ok()
}

// squeeze renders as much of a line as fits.
func (s *selection) squeeze(l *textscan.Line, n int64, budget left) (rendered, left, bool) {
	limit := s.search(0, s.budget.LineBytes, func(limit int) bool {
		r, _, ok := s.try(l, n, limit, budget)
		if ok {
			s.scratch = s.scratch[:r.from]
		}
		return ok
	})
	if limit == 0 {
		return rendered{}, budget, false
	}
	return s.try(l, n, limit, budget)
}

// asBytes lends s to who changes nothing, and keeps nothing.
func asBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// asString lends b to a counter as a string without a copy; counters keep
// nothing.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// render appends the visible form of a line to the scratch buffer. A text of
// more than limit bytes is cut inside, on character boundaries.
func (s *selection) render(l *textscan.Line, number int64, limit int) rendered {
	r := rendered{line: l, number: number, from: len(s.scratch)}
	a := &s.altered // one for all lines: most alter nothing
	*a = textscan.Changes{}
	if s.untimed {
		r.time = shortTime(l.Text)
	}
	text := l.Text[r.time:]
	if l.Skipped == 0 && !s.excerpt.literal && textscan.Redraws(text) {
		if last, ok := textscan.LastState(text); ok && len(last) <= limit {
			r.redrawn, text = len(text)-len(last), last
		}
	}
	if l.Skipped == 0 && len(text) <= limit {
		s.scratch = textscan.Sanitise(s.scratch, text, a)
	} else {
		s.renderEnds(l, limit, &r)
	}
	if l.Newline {
		s.scratch = append(s.scratch, '\n')
	}
	r.to = len(s.scratch)
	if cr := l.EndBytes() - boolBytes(l.Newline); cr > 0 {
		a.ControlBytes += cr
		a.Controls++
	}
	if *a != (textscan.Changes{}) {
		r.altered = new(*a)
	}
	return r
}

// leastBehindTime is how many times as long as a time the rest of its line is, where the time is left out. Short lines
// keep theirs, so that a reader still knows when.
const leastBehindTime = 2

// shortTime is the length of the time that a line begins with, if it can be left out.
func shortTime(text []byte) int {
	n := salience.TimeLength(text)
	if len(text)-n < leastBehindTime*n {
		return 0
	}
	return n
}

func boolBytes(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// renderEnds shows the beginning and the end of a long line.
func (s *selection) renderEnds(l *textscan.Line, limit int, r *rendered) {
	firstLen := min(limit-limit/2, l.Split)
	lastFrom := max(l.Split, len(l.Text)-limit/2)
	if l.Skipped == 0 {
		firstLen, lastFrom = limit-limit/2, len(l.Text)-limit/2
	}
	firstLen = max(firstLen, r.time)
	first, last := wholeRunes(l.Text, firstLen, lastFrom)
	r.long = true
	r.cutFrom = l.TextAt + int64(first)
	r.cutTo = l.TextAt + l.Skipped + int64(last)
	s.scratch = textscan.Sanitise(s.scratch, l.Text[min(first, r.time):first], &s.altered)
	r.cutAt = len(s.scratch) - r.from
	s.scratch = textscan.Sanitise(s.scratch, l.Text[last:], &s.altered)
}

// wholeRunes widens the cut between first and last so that no character is torn
// by it. The two ends are looked at apart, because bytes between them may be
// missing.
func wholeRunes(text []byte, first, last int) (int, int) {
	for i := 1; i < utf8.UTFMax && i <= first; i++ {
		if utf8.RuneStart(text[first-i]) {
			if !utf8.FullRune(text[first-i : first]) {
				first -= i
			}
			break
		}
	}
	for i := 1; i < utf8.UTFMax && last < len(text) && !utf8.RuneStart(text[last]); i++ {
		last++
	}
	return first, last
}
