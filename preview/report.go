package preview

import (
	"strings"

	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/reports"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Previews of reports of tests and checks show the readable form of package
// reports, in which what failed comes first. Lines are chosen as those of any
// text; only their ranks are the report's own.

// Report is a report of tests or checks in its readable form.
type Report struct {
	report  *reports.Report
	excerpt *Excerpt
}

// ParseReport reads a report, whole or cut. It returns reports.ErrNone for
// anything else. The readable form is a copy.
func ParseReport(text []byte) (*Report, error) {
	report, err := reports.Parse(text)
	if err != nil {
		return nil, err
	}
	return &Report{report, wholeExcerpt(report.Text(), report.Len())}, nil
}

// wholeExcerpt returns an excerpt that keeps all lines of a readable form.
func wholeExcerpt(form []byte, lines int) *Excerpt {
	w := NewWriter(len(form)/bytesPerToken + 1)
	w.asText, w.maxLines, w.headMost = true, lines+1, lines+1 // its windows hold all of it
	w.grow(len(form))
	_, _ = w.Write(form) // it never fails
	e := w.Finish()
	e.form = true
	return e
}

// Text returns the readable form. It ends with a line end.
func (r *Report) Text() []byte { return r.report.Text() }

// Bytes returns the size of the readable form.
func (r *Report) Bytes() int64 { return int64(len(r.report.Text())) }

// Select makes a preview that costs about b at most, of what failed first. Of the
// hints only the success of the program has a meaning here.
func (r *Report) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	f := Hints{Succeeded: hints.Succeeded}
	e := r.excerpt
	if e.ranking == nil {
		e.ranking = r.ranking(f)
	}
	e.seen = seenShape{known: true, shape: shape.TestReport}
	p := e.Select(b, c, f)
	p.Shape = shape.TestReport
	return p
}

// ranking returns the lines by the ranks of the report.
func (r *Report) ranking(f Hints) *ranking {
	k := &ranking{hints: f, list: make([]shape.Ranked, 0, r.excerpt.available())}
	for n, l := range r.excerpt.each() {
		k.list = append(k.list, shape.Ranked{Line: l, Number: n})
	}
	r.report.Rank(k.list, f.Succeeded)
	k.order = shape.Order(k.list)
	return k
}

// MayBeReport reports whether the first lines of a payload look like those of a
// report of tests or checks.
func (e *Excerpt) MayBeReport() bool { return reports.MayBegin(e.fromFirst) }

// MayHaveRecords reports whether one of the first lines of a payload looks like the
// beginning of records in JSON.
func (e *Excerpt) MayHaveRecords() bool { return records.MayBegin(e.fromFirst) }

// MayBeTable reports whether the first lines of a payload look like those of a table that is text.
func (e *Excerpt) MayBeTable() bool { return records.MayBeTable(e.fromFirst) }

// fromFirst iterates over the kept lines of a payload, from the first one on.
func (e *Excerpt) fromFirst(yield func([]byte) bool) {
	if e.plain != "" {
		for line := range strings.Lines(e.plain) {
			if !yield(asBytes(line)) {
				return
			}
		}
		return
	}
	for _, l := range e.each() {
		if !yield(l.Text) {
			return
		}
	}
}
