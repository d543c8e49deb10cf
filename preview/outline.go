package preview

import (
	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Outline is a text in a readable form whose lines have ranks, such as JSON that is no table of
// records: a line for each object, with its path and its scalars. Lines are chosen as those of any
// text, by these ranks.
type Outline struct {
	outline ranked
	shape   shape.Shape
	excerpt *Excerpt
}

// ranked is lines with ranks. They count from 0.
type ranked interface {
	Text() []byte
	Len() int
	Rank(i int) records.Rank
}

// newOutline returns the outline of lines.
func newOutline(lines ranked, s shape.Shape) *Outline {
	return &Outline{lines, s, wholeExcerpt(lines.Text(), lines.Len())}
}

// ParseOutline reads JSON, with a few lines of other text around it. It returns
// records.ErrNotJSON for anything else. The readable form is a copy, made for a budget of tokens.
func ParseOutline(text []byte, budget int) (*Outline, error) {
	outline, err := records.ParseOutline(text, budget)
	if err != nil {
		return nil, err
	}
	return newOutline(outline, shape.JSON), nil
}

// Text returns the readable form. It ends with a line end.
func (o *Outline) Text() []byte { return o.outline.Text() }

// Bytes returns the size of the readable form.
func (o *Outline) Bytes() int64 { return int64(len(o.outline.Text())) }

// Select makes a preview that costs about b at most. Lines that say that something is wrong come
// first, then lines that have what the reader looks for, then those with names and states.
func (o *Outline) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	f := Hints{Focus: hints.Focus}
	if e := o.excerpt; e.ranking == nil || e.ranking.hints != f {
		e.ranking = o.ranking(f)
	}
	o.excerpt.seen = seenShape{known: true, shape: o.shape}
	p := o.excerpt.Select(b, c, f)
	p.Shape = o.shape
	return p
}

// ranking returns the lines by the ranks of the outline.
func (o *Outline) ranking(f Hints) *ranking {
	k := &ranking{hints: f, list: make([]shape.Ranked, 0, o.excerpt.available())}
	for n, l := range o.excerpt.each() {
		r := o.outline.Rank(int(n - 1))
		k.list = append(k.list, shape.Ranked{Line: l, Number: n, Score: r.Score, Reason: r.Reason})
	}
	shape.InOrder(k.list)
	k.order = firstByFocus(f.Focus, k.list, shape.Order(k.list))
	return k
}

// firstByFocus returns the order of lines with those first that have what the reader looks for,
// behind lines that say that something is wrong.
func firstByFocus(text string, list []shape.Ranked, order []int) []int {
	terms := focus.Parse(text)
	if terms == nil {
		return order
	}
	before := make([]int32, len(order))
	for i, at := range order {
		before[i] = int32(at)
	}
	line := func(i int) []byte { return list[i].Line.Text }
	finding := func(i int32) bool { return list[i].Reason >= shape.KeepError && list[i].Reason < shape.KeepStructure }
	for i, at := range terms.First(before, len(list), line, finding) {
		order[i] = int(at)
	}
	return order
}
