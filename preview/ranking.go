package preview

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// ranking is the lines of an excerpt in the order in which they are chosen.
type ranking struct {
	hints  Hints
	list   []shape.Ranked // in the order of the payload
	order  []int          // indices of the list, the best line first
	runs   []shape.Run    // lines that one before them speaks for
	folded []int64        // numbers of the lines that rules call noise

	counter string  // the name of that of the costs
	costs   []int32 // of lines that are not cut inside, in tokens, plus one; 0: not known
}

// costsOf returns the places for the costs of lines, by a counter.
func (r *ranking) costsOf(c tokens.Counter) []int32 {
	if r.costs == nil || r.counter != c.Name() {
		r.counter, r.costs = c.Name(), make([]int32, len(r.list))
	}
	return r.costs
}

// rank ranks the kept lines, once for a hints.
func (e *Excerpt) rank(f Hints) *ranking {
	if e.ranking == nil || e.ranking.hints != f {
		e.ranking = e.newRanking(f)
	}
	return e.ranking
}

// newRanking ranks the kept lines.
func (e *Excerpt) newRanking(f Hints) *ranking {
	r := &ranking{hints: f}
	if e.ranking == nil && e.memory != nil {
		r.list = e.memory.list[:0]
	}
	r.list = slices.Grow(r.list, e.available())
	for n, l := range e.each() {
		r.list = append(r.list, shape.Ranked{Line: l, Number: n})
	}
	if e.ranking == nil && e.memory != nil {
		e.memory.list = r.list
	}
	r.runs = shape.Rank(r.list, e.rankOptions(f))
	for i := range r.list {
		if r.list[i].Folded {
			r.folded = append(r.folded, r.list[i].Number)
		}
	}
	r.order = shape.Order(r.list)
	return r
}

// rankOptions returns what is known of the lines before they are ranked.
func (e *Excerpt) rankOptions(f Hints) shape.Options {
	o := shape.Options{Shape: e.Shape(f), Lines: e.lines, Succeeded: f.Succeeded, Runs: e.equals.runs}
	if f.Focus != "" {
		o.Focus = focus.Parse(f.Focus)
	}
	if rules := e.rulesFor(f); rules != nil {
		o.Verdicts = e.askRules(rules).lines
	}
	return o
}

// Shape returns the kind of text of the payload, by its first lines. The shape
// of the hints wins, unless these lines rule it out.
func (e *Excerpt) Shape(f Hints) shape.Shape {
	if e.binary {
		return shape.Binary
	}
	if !e.seen.known || e.seen.hint != f.Shape {
		e.seen = seenShape{known: true, hint: f.Shape}
		if e.plain != "" {
			e.seen.shape = shape.DetectText(e.plain, f.Shape)
		} else {
			e.seen.shape = shape.Detect(e.head, f.Shape)
		}
	}
	return e.seen.shape
}

// IsJSON reports whether the payload is JSON, or has a value of JSON on each line.
func (e *Excerpt) IsJSON(f Hints) bool {
	if e.plain != "" {
		if first := strings.TrimLeft(e.plain, " \t\r\n"); first == "" || first[0] != '{' && first[0] != '[' {
			return false
		}
	}
	s := e.Shape(f)
	return s == shape.JSON || s == shape.NDJSON
}

// DrawsRows reports whether a kept line of the output of a terminal is of a display of several rows.
func (e *Excerpt) DrawsRows() bool {
	if e.plain != "" || e.literal || e.binary {
		return false
	}
	for _, l := range e.each() {
		if textscan.MovesRows(l.Text) {
			return true
		}
	}
	return false
}

// seenShape is the shape that was detected last, and with which hint.
type seenShape struct {
	known       bool
	hint, shape shape.Shape
}

// Bounds of what is worth folding where all lines would fit.
const (
	leastFolded      = 256 // bytes of lines that are noise: twice what a heading and marks cost
	leastFoldedShare = 4   // and one byte in this many
)

// ruleVerdicts is the verdicts of rules on the lines of an excerpt.
type ruleVerdicts struct {
	rules *linerule.Rules
	lines []linerule.Verdict // of the kept lines, in order
	folds bool               // much of it is noise, and not all
}

// askRules asks rules about every kept line, once.
func (e *Excerpt) askRules(rules *linerule.Rules) *ruleVerdicts {
	if e.verdicts != nil && e.verdicts.rules == rules {
		return e.verdicts
	}
	e.verdicts = &ruleVerdicts{rules: rules, lines: make([]linerule.Verdict, 0, e.available())}
	noise, all := int64(0), true
	hear := func(text []byte, size int64) {
		v := rules.Classify(text)
		e.verdicts.lines = append(e.verdicts.lines, v)
		if v == linerule.Fold {
			noise += size
		} else if !salience.Hollow(text) {
			all = false
		}
	}
	for line := range strings.Lines(e.plain) { // it is its own visible form
		hear(bytes.TrimRight(asBytes(line), " \n"), int64(len(line)))
	}
	for _, l := range e.each() {
		hear(linerule.Visible(l.Text), l.End-l.Start)
	}
	e.verdicts.folds = !all && noise >= leastFolded && noise*leastFoldedShare >= e.bytes
	return e.verdicts
}

// folds reports whether rules call so much of a payload noise that it is
// omitted although it may fit. A range is never folded, and neither is a
// payload of noise alone: its rules are of another program.
func (e *Excerpt) folds(f Hints) bool {
	if f.Range || f.HeadPercent == 100 || e.bytes < leastFolded {
		return false
	}
	rules := e.rulesFor(f)
	return rules != nil && e.askRules(rules).folds
}

// sampleBytes is how much of either end of a payload says by its lines what text it is, in bytes.
const sampleBytes = 64 << 10

// firstOf returns the texts of the first lines of a list.
func firstOf(lines []textscan.Line) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i, rest := 0, sampleBytes; i < len(lines) && rest > 0; i++ {
			if !yield(lines[i].Text) {
				return
			}
			rest -= len(lines[i].Text) + 1
		}
	}
}

// ends returns the texts of the first lines and of the last ones.
func (e *Excerpt) ends() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if e.plain != "" {
			last := max(0, len(e.plain)-sampleBytes)
			at := 0
			for line := range strings.Lines(e.plain) {
				if (at < sampleBytes || at >= last) && !yield(asBytes(strings.TrimSuffix(line, "\n"))) {
					return
				}
				at += len(line)
			}
			return
		}
		for text := range firstOf(e.head) {
			if !yield(text) {
				return
			}
		}
		lines := e.tail
		if e.complete() { // the windows are one
			lines = slices.Concat(e.head, e.tail)
		}
		from, size := len(lines), 0
		for ; from > 0 && size < sampleBytes; from-- {
			size += len(lines[from-1].Text) + 1
		}
		for i := from; i < len(lines); i++ {
			if !yield(lines[i].Text) {
				return
			}
		}
	}
}

// rulesFor returns the rules for the payload: those of hints, and of the texts that it is known as
// by its ends. It returns nil if there are none.
func (e *Excerpt) rulesFor(f Hints) *linerule.Rules {
	if f.Rules == nil {
		return nil
	}
	if e.asked != f.Rules {
		e.asked, e.extended = f.Rules, f.Rules.ForText(e.ends())
	}
	return e.extended
}

// repeats reports whether enough lines of a log are equal to those before them
// that these are omitted although all lines may fit.
func (e *Excerpt) repeats(f Hints) bool {
	if f.Range || f.HeadPercent == 100 || e.bytes < leastFolded || e.literal {
		return false
	}
	if e.plain != "" && !e.counted {
		e.equals, e.counted = equalLines(e.plain), true
	}
	return e.equals.bytes >= leastFolded && e.equals.bytes*leastFoldedShare >= e.bytes && e.Shape(f).IsLog()
}

// Shown is text that is shown of a payload.
type Shown struct {
	Text  string
	Runs  []Segment   // the lines of the payload that follow each other in Text; other fields of them are not read
	Lines int64       // of the payload
	Shape shape.Shape // of the payload, if it is known
}

// Ranked returns the lines of a text that was shown whole, each as a segment
// with its score: how much it matters in the output of something that failed.
// It returns nil for a binary and for a text longer than the windows of a
// preview.
func Ranked(text string) []Segment {
	lines := int64(strings.Count(text, "\n")) + boolBytes(!strings.HasSuffix(text, "\n"))
	return Shown{Text: text, Runs: []Segment{{FirstLine: 1, LastLine: lines}}, Lines: lines}.Ranked()
}

// Ranked returns the same of a text that is a part of a payload: its lines have
// the numbers that they have there, and their bytes are those of the text.
func (s Shown) Ranked() []Segment {
	w := NewWriter(len(s.Text))
	w.grow(len(s.Text))
	_, _ = w.Write([]byte(s.Text))
	e := w.Finish()
	if e.binary || !e.complete() {
		return nil
	}
	list := make([]shape.Ranked, 0, e.available())
	runs, number, last := s.Runs, int64(0), int64(0)
	for _, l := range e.each() {
		if number++; number > last && len(runs) > 0 {
			number, last, runs = runs[0].FirstLine, runs[0].LastLine, runs[1:]
		}
		list = append(list, shape.Ranked{Line: l, Number: number})
	}
	shape.Rank(list, shape.Options{Shape: e.Shape(Hints{Shape: s.Shape}), Lines: s.Lines})
	segments := make([]Segment, len(list))
	for i := range list {
		l := &list[i]
		segments[i] = Segment{
			FirstLine: l.Number, LastLine: l.Number, ByteStart: l.Line.Start, ByteEnd: l.Line.End,
			PreviewBytes: l.Line.End - l.Line.Start, Reason: l.Reason, Score: max(0, l.Score),
		}
	}
	return segments
}
