package preview

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/shape"
)

// The choice of lines for a budget. Lines are taken in the order of their rank
// while they fit; a line that does not fit is passed over, and after some of
// them the choice ends. A cut costs a marker, so taking a line beside one that
// is shown is cheaper than another, and gaps that cost about as much as their
// marker are filled.

// Shares of the budget that bound how much of a long line is shown: less of one
// that is there for its place alone.
const (
	lineShare    = 2 // bytes a token: an eighth of the budget, about
	contextShare = 2 // of that of a line that matters
)

// leastInside is the least number of bytes that a cut inside a line omits.
const leastInside = 48

// ranked shows the lines that matter most, in the order of the payload. Where
// budget is left, long lines are shown further.
func (s *selection) ranked(f Hints) []rendered {
	s.ranking = s.excerpt.rank(f)
	s.costs = s.ranking.costsOf(s.counter)
	list, order := s.ranking.list, s.ranking.order
	switch s.excerpt.Shape(f) {
	case shape.Listing:
		s.leading = shape.NamesAlone(list)
	case shape.Table: // a time is a column
	default:
		s.untimed = !s.excerpt.form && saysMoreThanTimes(list)
	}
	limit := min(s.budget.LineBytes, max(2*minLineBytes, s.budget.Tokens/lineShare))
	for {
		c := s.choose(list, order, limit)
		if limit == s.budget.LineBytes || !c.long || !c.roomy(s.budget) {
			s.omitted = c.omitted(list)
			return c.lines()
		}
		limit = min(s.budget.LineBytes, 2*limit) // the budget allows for more of the long lines
	}
}

// chosen is the lines of one choice.
type chosen struct {
	place     []int32    // of each line of the list: its place in shown, from 1; 0 if it is not shown
	shown     []rendered // as they were chosen
	long      bool       // one of them is cut inside
	remaining remaining
}

// has reports whether line i of the list is shown.
func (c *chosen) has(i int) bool { return c.place[i] > 0 }

// show adds a line of the list.
func (c *chosen) show(i int, line rendered, rest remaining) {
	c.shown = append(c.shown, line)
	c.place[i], c.remaining, c.long = int32(len(c.shown)), rest, c.long || line.long
}

// roomy reports whether much of the budget is left.
func (c *chosen) roomy(b Budget) bool {
	whole := b.remaining()
	return c.remaining.tokens > whole.tokens/4 && c.remaining.bytes > whole.bytes/4 && c.remaining.lines > 0
}

// lines returns the shown lines in order.
func (c *chosen) lines() []rendered {
	lines := make([]rendered, 0, len(c.shown))
	for _, place := range c.place {
		if place > 0 {
			lines = append(lines, c.shown[place-1])
		}
	}
	return lines
}

// omitted counts the lines that matter by themselves and are not shown. A line
// that is like one before it does not count: that line speaks for it.
func (c *chosen) omitted(list []shape.Ranked) (n Counts) {
	for i := range list {
		if r := &list[i]; r.Reason >= shape.KeepError && r.Reason < shape.KeepStructure && r.Score > 0 && !r.Folded && !c.has(i) {
			n[r.Reason]++
		}
	}
	return n
}

// usualLineTokens is the estimated cost of a line.
const usualLineTokens = 16

// mostMisses is how many lines that do not fit end a choice: further ones would
// be short, and matter less.
const mostMisses = 40

// choose takes the lines in their order until the budget is spent, and then
// those that cost less than the marker in their place.
func (s *selection) choose(list []shape.Ranked, order []int, limit int) chosen {
	s.scratch = slices.Grow(s.scratch[:0], min(s.excerpt.kept, bytesPerToken*min(s.excerpt.kept, s.budget.Tokens)))
	c := chosen{place: make([]int32, len(list)), remaining: s.budget.remaining().marker(1)}
	c.shown = make([]rendered, 0, min(len(list), s.budget.Tokens/usualLineTokens+1))
	misses, ended := 0, int32(0)
	for _, i := range order {
		if list[i].Score == shape.NeverShown || misses > mostMisses {
			break
		}
		if block := list[i].Block; block > 0 && block == ended {
			continue
		}
		if !s.showLine(&c, list, i, limit) {
			misses++
			ended = list[i].Block
		}
	}
	if len(c.shown) == 0 && len(order) > 0 { // not even one: cut it until it fits
		r := &list[order[0]]
		if line, rest, ok := s.squeeze(r.Line, r.Number, c.remaining); ok {
			line.reason, line.score = r.Reason, r.Score
			c.show(order[0], line, rest)
		}
	}
	s.fill(&c, list)
	return c
}

// Bounds of a gap that is filled because its lines cost about as much as its
// marker.
const (
	mostFilled      = 3 // lines
	mostFilledBytes = 16
)

// fill shows the lines of small gaps.
func (s *selection) fill(c *chosen, list []shape.Ranked) {
	for i := range list {
		if c.has(i) || !s.beside(c, list, i, -1) {
			continue
		}
		end, bytes := i, 0
		for end < len(list) && end-i <= mostFilled && list[end].Number == list[i].Number+int64(end-i) {
			if c.has(end) {
				break
			}
			bytes += len(s.behindTime(list[end].Line.Text))
			end++
		}
		if end-i > mostFilled || bytes > mostFilledBytes || !s.beside(c, list, end-1, +1) {
			continue
		}
		for k := i; k < end && s.showLine(c, list, k, minLineBytes); k++ {
		}
	}
}

// beside reports whether nothing is omitted before or after a line: the next
// one is shown, or there is none.
func (s *selection) beside(c *chosen, list []shape.Ranked, i, step int) bool {
	next := list[i].Number + int64(step)
	if next < 1 || next > s.excerpt.lines {
		return true
	}
	i += step
	return i >= 0 && i < len(list) && list[i].Number == next && c.has(i)
}

// showLine shows a line if it fits, with the marker that it needs or saves.
func (s *selection) showLine(c *chosen, list []shape.Ranked, i, limit int) bool {
	r, budget := &list[i], c.remaining
	switch before, after := s.beside(c, list, i, -1), s.beside(c, list, i, +1); {
	case before && after:
		budget = budget.marker(-1)
	case !before && !after:
		budget = budget.marker(1)
	}
	if len(c.shown) > 0 && len(bytes.TrimSpace(s.behindTime(r.Line.Text))) == 0 && !c.has(max(0, i-1)) && !c.has(min(i+1, len(list)-1)) {
		return false // it would be alone
	}
	if r.Reason <= shape.KeepContext {
		limit = max(minLineBytes, limit/contextShare)
	}
	if r.Width > 0 {
		limit = min(limit, r.Width)
	}
	if n := len(r.Line.Text); n-limit < leastInside { // the marker would cost as much
		limit = min(max(limit, n), s.budget.LineBytes)
	}
	line, rest, ok := s.try(r.Line, r.Number, limit, budget, &s.costs[i])
	if !ok {
		return false
	}
	line.reason, line.score = max(r.Reason, shape.KeepHead), max(r.Score, 1)
	if r.Reason == 0 {
		line.reason = shape.KeepContext
	}
	c.show(i, line, rest)
	return true
}
