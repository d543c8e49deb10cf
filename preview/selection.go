package preview

import (
	"slices"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Hints tell what matters where not all of a payload fits. The zero Hints know
// nothing.
type Hints struct {
	HeadPercent int             // weight of the first lines against the last ones; with 100 the first lines are shown without a gap
	Succeeded   bool            // the program said so by its exit status: what sounds like an error matters less
	Range       bool            // it was asked for as a range, and is shown from its start without a gap
	FromEnd     bool            // a range is shown from its end
	MaybeLog    bool            // a range may be of a log or of data, which has an order of its own
	Rules       *linerule.Rules // what is known of the program's lines; nil: nothing
	Shape       shape.Shape
	Focus       string // what the reader looks for, in its own words; empty: unknown
}

// Select makes a preview that costs about b at most. It can be called again
// with another budget. The whole payload is shown if it fits; otherwise the
// first or last lines for a range, and for every other payload the lines that
// rank first.
func (e *Excerpt) Select(b Budget, c tokens.Counter, f Hints) *Preview {
	if e.binary {
		p := e.unseen(CutBinary, EncodingBinary)
		p.Shape = shape.Binary
		return p
	}
	s := selection{excerpt: e, budget: b, counter: c}
	if e.folds(f) || e.repeats(f) {
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
	if f.HeadPercent == 100 {
		return s.assemble(s.start())
	}
	if f.Range && (f.FromEnd || e.Shape(f) != shape.Source) && !(f.MaybeLog && e.hasItsOwn(f)) {
		if f.FromEnd {
			return s.assemble(s.end())
		}
		return s.assemble(s.start())
	}
	p := s.choice(f)
	p.Shape = e.Shape(f)
	return p
}

// hasItsOwn reports whether the text of a payload says that it is a log, data or a
// report: the lines that matter may be anywhere in it, and have an order of their own.
func (e *Excerpt) hasItsOwn(f Hints) bool {
	if e.rulesFor(f).KnowsText() {
		return true
	}
	switch e.Shape(f) {
	case shape.None:
	case shape.Prose, shape.Binary, shape.Source:
		return false
	default:
		return true
	}
	signs := e.logSigns()
	return signs.IsLog() || signs.IsData()
}

// IsLog reports whether the text of a payload says that it is a log, a report of tests or
// a trace. What sounds like an error in any other text may be its subject.
func (e *Excerpt) IsLog(f Hints) bool {
	switch e.Shape(f) {
	case shape.BuildLog, shape.TestReport, shape.StackTrace, shape.NDJSON:
		return true
	case shape.None:
		return e.logSigns().IsLog()
	}
	return false
}

// logSigns counts the signs of a log in the kept lines, once.
func (e *Excerpt) logSigns() *shape.LogSigns {
	if e.signs == nil {
		e.signs = &shape.LogSigns{}
		for _, l := range e.each() {
			e.signs.Add(l.Text)
		}
	}
	return e.signs
}

// choice shows the lines that matter most.
func (s *selection) choice(f Hints) *Preview {
	p := s.assemble(s.ranked(f))
	p.Omitted = s.omitted
	return p
}

// unseen returns a preview that shows nothing.
func (e *Excerpt) unseen(kind CutKind, encoding Encoding) *Preview {
	p := &Preview{Bytes: e.bytes, Lines: e.lines, Encoding: encoding}
	p.Cuts = []Cut{{
		Kind: kind, FirstLine: 1, LastLine: e.lines, ByteEnd: e.bytes,
		OmittedBytes: e.bytes, OmittedLines: e.lines, Occurrences: 1,
	}}
	return p
}

// selection is one choice of lines.
type selection struct {
	excerpt *Excerpt
	budget  Budget
	counter tokens.Counter
	ranking *ranking              // nil where lines are shown in their order
	costs   []int32               // of the ranking
	runs    []shape.Run           // of a table: rows that one before them speaks for
	omitted Counts                // lines that matter and were not chosen
	untimed bool                  // omit the times that lines begin with
	leading func(text []byte) int // how much of their beginning is omitted instead, as attributes; nil: none
	scratch []byte
	altered textscan.Changes // of the line that is being rendered
}

// farTooLong is more bytes than a token of text has on average, with runs of
// one character omitted. A text with more is not worth counting.
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
	if lowest == longest {
		return nil, false
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
// where low does. It halves the range until it is known to a sixteenth, about a
// dozen tries.
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

// probeBytes is how many bytes a token has in a text that may be too long.
const probeBytes = 5

// usualLineBytes is the estimated length of a line.
const usualLineBytes = 40

// limited renders every line, none of them longer than limit bytes.
func (s *selection) limited(limit int) ([]rendered, bool) {
	e := s.excerpt
	budget := s.budget.before(s.budget.remaining(), int(e.lines))
	budget.lines -= int(e.lines)
	probe := probeBytes * min(max(0, budget.tokens), e.kept)
	s.scratch = slices.Grow(s.scratch[:0], min(e.kept, probe))
	lines := make([]rendered, 0, min(int(e.lines), probe/usualLineBytes+1))
	for n := int64(1); n <= e.lines; n++ {
		if len(s.scratch) > probe { // more than the whole may cost: count what there is before the rest is rendered
			if s.counter.Count(asString(s.scratch))-1 > budget.tokens { // its last line end may be a token with the next
				return nil, false
			}
			probe = NoLimit
		}
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
	return s.take(1, +1)
}

// end shows lines up to the end, with a cut before them.
func (s *selection) end() []rendered {
	lines := s.take(s.excerpt.lines, -1)
	slices.Reverse(lines)
	return lines
}

// take renders lines from number n on in the given direction, while they fit. The
// first of them is cut inside until it fits.
func (s *selection) take(n, step int64) []rendered {
	s.scratch = s.scratch[:0]
	budget := s.budget.remaining().marker(1)
	var lines []rendered
	for l := s.excerpt.at(n); l != nil; l = s.excerpt.at(n) {
		r, after, ok := s.try(l, n, s.budget.LineBytes, budget, nil)
		if !ok && len(lines) == 0 {
			r, after, ok = s.squeeze(l, n, budget)
		}
		if !ok {
			break
		}
		lines, budget = append(lines, r), after
		n += step
	}
	return lines
}

// try renders a line and pays for it. A line that does not fit leaves nothing
// in the scratch buffer. The cost of a line that is not cut inside is the same each
// time, so it is counted once: known has it, plus one, or gets it; nil counts anew.
func (s *selection) try(l *textscan.Line, n int64, limit int, budget remaining, known *int32) (rendered, remaining, bool) {
	r := s.render(l, n, limit)
	if r.long {
		budget = budget.marker(1)
	}
	after := s.budget.before(budget, 1).spendSize(r.to-r.from, 1)
	if after.ok() {
		if r.long {
			known = nil
		}
		after.tokens -= s.count(r.from, r.to, known)
	}
	if !after.ok() {
		s.scratch = s.scratch[:r.from]
	}
	return r, after, after.ok()
}

// count returns the tokens of a part of the scratch buffer, if they are not known.
func (s *selection) count(from, to int, known *int32) int {
	if known == nil {
		return s.counter.Count(asString(s.scratch[from:to]))
	}
	if *known == 0 {
		*known = int32(s.counter.Count(asString(s.scratch[from:to]))) + 1
	}
	return int(*known) - 1
}

// squeeze renders as much of a line as fits.
func (s *selection) squeeze(l *textscan.Line, n int64, budget remaining) (rendered, remaining, bool) {
	limit := s.search(0, s.budget.LineBytes, func(limit int) bool {
		r, _, ok := s.try(l, n, limit, budget, nil)
		if ok {
			s.scratch = s.scratch[:r.from]
		}
		return ok
	})
	if limit == 0 {
		return rendered{}, budget, false
	}
	return s.try(l, n, limit, budget, nil)
}
