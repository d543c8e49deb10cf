package preview

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// ranked is a line and how much it matters.
type ranked struct {
	line   *textscan.Line
	number int64
	score  int // 0 to 100
	turn   int // of two lines with the same score, that with the lower one comes first
	reason Reason
	loud   bool // its own words say that something is wrong, though many may say so
	folded bool // rules call it noise
}

// Scores of lines that have no word in them that matters.
const (
	scoreLast      = 90 // of the very last lines, which seldom cost much
	scoreTail      = 62 // of the tail, falling by one a line
	scoreFirst     = 64 // of the first two lines, which say what it is
	scoreHead      = 44 // of the head, falling by two a line
	scoreSucceeded = 30 // less for what sounds like an error, if the program succeeded
	scoreHollow    = 30 // of a line that says nothing by itself, at the most
	scoreLike      = -1 // of a line that is like one before it
	scoreSame      = -2 // of one that is the same: it is never shown
)

// ranking is the lines of an excerpt in the order in which they are chosen.
type ranking struct {
	focus  Focus
	list   []ranked   // in the order of the payload
	order  []int      // indices of the list, the best line first
	runs   []repeated // lines that one before them speaks for
	folded []int64    // numbers of the lines that rules call noise
}

// rank ranks the lines that were kept, once for a focus.
func (e *Excerpt) rank(f Focus) *ranking {
	if e.ranking == nil || e.ranking.focus != f {
		e.ranking = e.newRanking(f)
	}
	return e.ranking
}

func (e *Excerpt) newRanking(f Focus) *ranking {
	r := &ranking{focus: f, list: make([]ranked, 0, e.available())}
	for n, l := range e.each() {
		r.list = append(r.list, ranked{line: l, number: n})
	}
	r.score(e, f)
	for i := range r.list {
		if r.list[i].folded {
			r.folded = append(r.folded, r.list[i].number)
		}
	}
	r.order = byScore(r.list)
	return r
}

// score gives the lines their scores.
func (r *ranking) score(e *Excerpt, f Focus) {
	shape := e.Shape(f)
	if rankShape(shape, r.list) {
		return
	}
	rankText(r.list, f)
	if shape == ShapeNDJSON {
		rankNDJSON(r.list)
	}
	overwritten(r.list)
	rankEnds(r.list, e.lines)
	if f.Rules != nil {
		applyRules(r.list, e.judge(f.Rules).verdicts)
		e.fold(r.list)
	}
	if shape != ShapeNDJSON { // there each line is a value of its own
		r.runs = repeats(r.list)
	}
}

// rankEnds raises the first lines and the last ones.
func rankEnds(list []ranked, lines int64) {
	for i := range list {
		r := &list[i]
		switch first := int(r.number - 1); {
		case first < 2:
			r.raise(scoreFirst-first, KeepHead)
		case first*2 < scoreHead:
			r.place(scoreHead-2*first, KeepHead)
		}
		switch last := int(lines - r.number); {
		case last < 3:
			r.place(scoreLast-last, KeepTail)
		case last < 6:
			r.place(scoreTail+10-last, KeepTail)
		case last < scoreTail:
			r.place(scoreTail-last, KeepTail)
		}
	}
}

// overwritten takes their scores from lines that a later one was drawn over.
func overwritten(list []ranked) {
	for i := range list {
		n := textscan.LinesUp(list[i].line.Text)
		for k := 1; k <= n && i-k >= 0 && list[i-k].number == list[i].number-int64(k); k++ {
			list[i-k].score, list[i-k].reason = scoreLike, 0
		}
	}
}

// rankText ranks the lines of a log, or of any text.
func rankText(list []ranked, f Focus) {
	marks := make([]salience.Mark, len(list))
	for i := range list {
		marks[i] = classifier.Of(list[i].line.Text)
	}
	scores := unlike(list, marks)
	groups := 0
	for i, m := range marks {
		if m.Score == 0 {
			continue
		}
		list[i].loud = m.Score >= salience.MustKeep && m.Reason != salience.Summary
		score := scores[i]
		if f.Succeeded && m.Reason != salience.Summary {
			score -= scoreSucceeded
		}
		list[i].raise(score, reasons[m.Reason])
		// Every failure by name comes before any in detail, and the first ones in more detail.
		around := score - 6 - min(24, 2*groups)
		switch {
		case m.Reason == salience.Exit:
			around = min(84, score-6)
		case m.Reason == salience.Failure && m.Score >= salience.MustKeep:
			groups++
		}
		before(list[:i+1], m, around)
		after(list[i:], m, score, around)
	}
}

// leastNamed is the least score of a failure that has a name of its own.
const leastNamed = 86

// unlike returns the scores of marks, less for each line that is like others
// before it, so that what is different comes first. Of counters the last ones
// count.
func unlike(list []ranked, marks []salience.Mark) []int {
	scores, seen := make([]int, len(marks)), map[uint64]int{}
	weigh := func(i int, coarse bool, each, most int) {
		h := shape(list[i].line.Text, coarse)
		scores[i] = int(marks[i].Score) - min(most, each*seen[h])
		seen[h]++
	}
	for i, m := range marks {
		switch {
		case m.Reason == salience.None || m.Reason == salience.Summary:
		case m.Reason == salience.Failure && m.Score >= leastNamed:
			weigh(i, false, 2, 10)
		default:
			weigh(i, true, 9, 32)
		}
	}
	for i, m := range slices.Backward(marks) {
		if m.Reason == salience.Summary {
			weigh(i, true, 9, 32)
		}
	}
	return scores
}

// before raises the lines before the last of a list that belong to it.
func before(list []ranked, m salience.Mark, around int) {
	at := len(list) - 1
	for k := 1; k <= int(m.Before) && at-k >= 0 && list[at-k].number == list[at].number-int64(k); k++ {
		if boundary(list[at-k].line.Text) {
			return
		}
		list[at-k].place(around-k, KeepContext)
	}
}

// after raises the lines after the first of a list that belong to it.
func after(list []ranked, m salience.Mark, score, around int) {
	introduces := bytes.HasSuffix(bytes.TrimRight(list[0].line.Text, " \r"), []byte(":"))
	introduced, nest := 0, nestOf(list[0].line.Text, m)
	for k := 1; k < len(list) && list[k].number == list[0].number+int64(k); k++ {
		text := list[k].line.Text
		if !nest.holds(text) && k > int(m.After) {
			return
		}
		switch {
		case m.List && k > 1 && k <= int(m.After) && len(bytes.TrimSpace(text)) == 0:
			return
		case m.List && k <= int(m.After):
			list[k].raise(score-1, reasons[m.Reason])
		case introduces && introduced < 2 && !salience.Hollow(text):
			introduced++
			list[k].place(score-1-k, KeepContext)
		default:
			list[k].place(around-k-min(k, 6), KeepContext)
		}
	}
}

// reasons are those of salience in the words of the ledger.
var reasons = [...]Reason{
	salience.Error: KeepError, salience.Failure: KeepFailure, salience.Crash: KeepCrash, salience.Diagnostic: KeepDiagnostic,
	salience.Warning: KeepWarning, salience.Summary: KeepSummary, salience.Exit: KeepExit,
}

// raise gives a line a score if it has none as high. The reason is that of the
// highest score, unless the line matters by itself, too.
func (r *ranked) raise(score int, reason Reason) {
	if higher := score > r.score; higher && r.reason <= KeepContext || reason > KeepContext && (higher || r.reason <= KeepContext) {
		r.reason = reason
	}
	r.score = max(r.score, score)
}

// place raises a line for its place. One that says nothing by itself comes with
// those around it, or not at all.
func (r *ranked) place(score int, reason Reason) {
	if score > r.score && salience.Hollow(r.line.Text) {
		score = min(score-scoreHollow, scoreHollow)
	}
	r.raise(score, reason)
}

// boundary reports whether a line begins another step.
func boundary(text []byte) bool {
	for _, p := range []string{"$ ", "##[group]", "travis_fold"} {
		if len(text) >= len(p) && string(text[:len(p)]) == p {
			return true
		}
	}
	return false
}

// Shares of the budget, one line in so many parts of it, that bound how much of a
// long line is shown: less of one that is there for its place alone.
const (
	lineShare    = 2 // bytes a token: an eighth of the budget, about
	contextShare = 2 // of that of a line that matters
)

// leastInside is how many bytes are left out inside a line, at the least.
const leastInside = 48

// ranked shows the lines that matter most, in the order of the payload.
func (s *selection) ranked(f Focus) []rendered {
	s.ranking, s.untimed = s.excerpt.rank(f), true
	list, order := s.ranking.list, s.ranking.order
	limit := min(s.budget.LineBytes, max(2*minLineBytes, s.budget.Tokens/lineShare))
	for {
		c := s.choose(list, order, limit)
		if limit == s.budget.LineBytes || !c.long || !c.roomy(s.budget) {
			s.left = c.leaves(list)
			return c.lines()
		}
		limit = min(s.budget.LineBytes, 2*limit) // there is room for more of the long lines
	}
}

// byScore returns the indices of a list, the best line first and, of equal ones,
// the last first.
func byScore(list []ranked) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[b].score, list[a].score), cmp.Compare(list[a].turn, list[b].turn))
	})
	return order
}

// chosen are the lines of one choice.
type chosen struct {
	place []int32    // of each line of the list: its place in shown, from 1; 0 if it is not shown
	shown []rendered // as they were chosen
	long  bool       // one of them is cut inside
	left  left
}

func (c *chosen) has(i int) bool { return c.place[i] > 0 }

// show adds a line of the list.
func (c *chosen) show(i int, line rendered, rest left) {
	c.shown = append(c.shown, line)
	c.place[i], c.left, c.long = int32(len(c.shown)), rest, c.long || line.long
}

// roomy reports whether much of the budget is left.
func (c *chosen) roomy(b Budget) bool {
	whole := b.left()
	return c.left.tokens > whole.tokens/4 && c.left.bytes > whole.bytes/4 && c.left.lines > 0
}

// lines are those that are shown, in order.
func (c *chosen) lines() []rendered {
	lines := make([]rendered, 0, len(c.shown))
	for _, place := range c.place {
		if place > 0 {
			lines = append(lines, c.shown[place-1])
		}
	}
	return lines
}

// leaves counts the lines that matter by themselves and are not shown. One that is like a line before it is not left
// out: that line speaks for it.
func (c *chosen) leaves(list []ranked) (n Counts) {
	for i := range list {
		if r := &list[i]; r.reason >= KeepError && r.reason < KeepStructure && r.score > 0 && !r.folded && !c.has(i) {
			n[r.reason]++
		}
	}
	return n
}

// usualLineTokens is what a line costs, about.
const usualLineTokens = 16

// mostMisses is how many lines that do not fit end a choice: further ones would
// be short, and matter less.
const mostMisses = 40

// choose takes the lines in their order until the budget is spent, and then those
// that cost less than the marker in their place.
func (s *selection) choose(list []ranked, order []int, limit int) chosen {
	s.scratch = slices.Grow(s.scratch[:0], min(s.excerpt.kept, bytesPerToken*min(s.excerpt.kept, s.budget.Tokens)))
	c := chosen{place: make([]int32, len(list)), left: s.budget.left().marker(1)}
	c.shown = make([]rendered, 0, min(len(list), s.budget.Tokens/usualLineTokens+1))
	misses := 0
	for _, i := range order {
		if list[i].score == scoreSame || misses > mostMisses {
			break
		}
		if !s.take1(&c, list, i, limit) {
			misses++
		}
	}
	if len(c.shown) == 0 && len(order) > 0 { // not even one: cut it until it fits
		r := &list[order[0]]
		if line, rest, ok := s.squeeze(r.line, r.number, c.left); ok {
			line.reason, line.score = r.reason, r.score
			c.show(order[0], line, rest)
		}
	}
	s.fill(&c, list)
	return c
}

// Bounds of a gap that is filled because its lines cost about what its marker
// does.
const (
	mostFilled      = 3 // lines
	mostFilledBytes = 2 * minLineBytes
)

// fill shows the lines of small gaps.
func (s *selection) fill(c *chosen, list []ranked) {
	for i := range list {
		if c.has(i) || !s.beside(c, list, i, -1) {
			continue
		}
		end, bytes := i, 0
		for end < len(list) && end-i <= mostFilled && list[end].number == list[i].number+int64(end-i) {
			if c.has(end) {
				break
			}
			bytes += len(list[end].line.Text)
			end++
		}
		if end-i > mostFilled || bytes > mostFilledBytes || !s.beside(c, list, end-1, +1) {
			continue
		}
		for k := i; k < end && s.take1(c, list, k, minLineBytes); k++ {
		}
	}
}

// beside reports whether nothing is left out before or after a line: the next one
// is shown, or there is none.
func (s *selection) beside(c *chosen, list []ranked, i, step int) bool {
	next := list[i].number + int64(step)
	if next < 1 || next > s.excerpt.lines {
		return true
	}
	i += step
	return i >= 0 && i < len(list) && list[i].number == next && c.has(i)
}

// take1 shows a line if it fits, with the marker that it needs or saves.
func (s *selection) take1(c *chosen, list []ranked, i, limit int) bool {
	r, budget := &list[i], c.left
	switch before, after := s.beside(c, list, i, -1), s.beside(c, list, i, +1); {
	case before && after:
		budget = budget.marker(-1)
	case !before && !after:
		budget = budget.marker(1)
	}
	if r.reason <= KeepContext {
		limit = max(minLineBytes, limit/contextShare)
	}
	if n := len(r.line.Text); n-limit < leastInside { // the marker would cost as much
		limit = min(max(limit, n), s.budget.LineBytes)
	}
	line, rest, ok := s.try(r.line, r.number, limit, budget)
	if !ok {
		return false
	}
	line.reason, line.score = max(r.reason, KeepHead), max(r.score, 1)
	if r.reason == 0 {
		line.reason = KeepContext
	}
	c.show(i, line, rest)
	return true
}
