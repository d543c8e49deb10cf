package preview

import (
	"slices"

	"github.com/toolresult/toolresult/preview/reports"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Digest is a run of tests that passed, or what a compiler or a linter found, in its
// readable form: by file first, and then what else is said.
type Digest struct {
	digest  *reports.Digest
	excerpt *Excerpt
}

// ParseDigest reads such a text. It returns nil for any other. The readable form is a
// copy.
func ParseDigest(text []byte) *Digest {
	parsed := reports.ParseDigest(text)
	if parsed == nil {
		return nil
	}
	e := excerptOfForm(parsed.Text(), parsed.Len())
	if e == nil {
		return nil
	}
	e.seen = seenShape{known: true, shape: shape.TestReport}
	return &Digest{parsed, e}
}

// excerptOfForm returns the excerpt of a readable form with some lines; nil if its lines
// are others when they are read.
func excerptOfForm(form []byte, lines int) *Excerpt {
	w := NewWriter(len(form)/bytesPerToken + 1)
	w.asText, w.maxLines, w.headMost = true, lines+1, lines+1 // its windows hold all of it
	w.grow(len(form))
	_, _ = w.Write(form) // it never fails
	e := w.Finish()
	if !e.complete() || e.lines != int64(lines) {
		return nil
	}
	return e
}

// Text returns the readable form. It ends with a line end.
func (d *Digest) Text() []byte { return d.digest.Text() }

// Bytes returns the size of the readable form.
func (d *Digest) Bytes() int64 { return int64(len(d.digest.Text())) }

// Select makes a preview that costs about b at most: of the lines that are by file as
// many as their share pays for, then other lines in the order of their ranks, then the
// rest. Of the hints only the success of the program has a meaning here.
func (d *Digest) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	f := Hints{Succeeded: hints.Succeeded}
	early, share := d.digest.Early()
	d.excerpt.ranking = d.ranking(f, early, b.Tokens*share/100, c)
	p := d.excerpt.Select(b, c, f)
	p.Shape = shape.TestReport
	return p
}

// saysWrong reports whether a line says that something is wrong.
func saysWrong(r shape.Ranked) bool {
	return r.Reason >= shape.KeepError && r.Reason < shape.KeepWarning && r.Score > 0
}

// scoreDigest is the score of lines that are by file.
const scoreDigest = 88

// ranking returns the lines in the order in which a budget pays for them. The early
// lines by file have a share of it.
func (d *Digest) ranking(f Hints, early, share int, c tokens.Counter) *ranking {
	k := &ranking{hints: f, list: make([]shape.Ranked, 0, d.excerpt.available())}
	for n, l := range d.excerpt.each() {
		k.list = append(k.list, shape.Ranked{Line: l, Number: n})
	}
	names := d.digest.Names()
	var rest []shape.Ranked
	for i := names; i < len(k.list); i++ {
		rest = append(rest, shape.Ranked{Line: k.list[i].Line, Number: int64(i - names + 1)})
	}
	shape.Rank(rest, shape.Options{Lines: int64(len(rest)), Succeeded: f.Succeeded})
	if d.digest.Passed() && slices.ContainsFunc(rest, saysWrong) {
		early = 0 // what failed comes before what passed
	}
	for i := range rest {
		k.list[names+i].Score, k.list[names+i].Reason = max(1, rest[i].Score), rest[i].Reason
	}
	for i := range names {
		k.list[i].SetRank(scoreDigest, 0, shape.KeepStructure)
	}
	n := 0
	for ; n < early && share > 0; n++ {
		k.order = append(k.order, n)
		share -= 1 + c.Count(asString(k.list[n].Line.Text))
	}
	for _, i := range shape.Order(rest) {
		k.order = append(k.order, names+i)
	}
	for ; n < names; n++ {
		k.order = append(k.order, n)
	}
	return k
}
