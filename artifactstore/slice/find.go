package slice

// Searching reads an artifact in windows and tries the pattern on one line after the other. Ranges of matches that touch are
// one range, so that lines around several matches are not shown twice. A call ends at its budget of bytes and lines, or
// after 256 MiB without a match, and the next one goes on there.

import (
	"bytes"
	"context"
	"regexp"

	"github.com/toolresult/toolresult/artifactstore"
)

// Match selects the lines that a pattern matches, with some lines before and after each.
type Match struct {
	Pattern       *regexp.Regexp
	Before, After int64
	// End is the offset at which the search stops, after a whole line. 0 is the end of the artifact.
	End int64
}

const (
	// maxMatched is the part of a line, in bytes, on which the pattern is tried.
	maxMatched = 64 << 10
	// maxScanned is the number of bytes that one call searches. Then it returns the offset of the next call.
	maxScanned = 256 << 20
	// scanBytes is the number of bytes that are read at a time.
	scanBytes = 256 << 10
)

// Find returns the first matches from the line at an offset on. Their ranges are in order and do not overlap. A line that
// is larger than the budget is cut before a character that does not fit.
func Find(ctx context.Context, p *artifactstore.Pages, m Match, at int64, b Budget) (Page, error) {
	number, err := p.LineAt(at)
	if err != nil {
		return Page{}, err
	}
	// A search begins at the beginning of a line, as Next of an earlier page has it.
	if start, err := p.LineStart(number); err != nil || start != at && at < p.Size() {
		return Page{}, ErrNothing
	}
	f := search{ctx: ctx, pages: p, match: m, budget: b, from: at, number: number, end: p.Size()}
	if m.End > 0 {
		f.end = m.End
	}
	if err := f.scan(at); err != nil {
		return Page{}, err
	}
	page := Page{Ranges: f.found, Next: f.next}
	for _, r := range f.found {
		if page.Data, err = p.Read(page.Data, r.From, r.To); err != nil {
			return Page{}, err
		}
	}
	if n := len(page.Ranges); n > 0 && page.Ranges[n-1].To < p.Size() && !bytes.HasSuffix(page.Data, newline) { // cut inside of a line
		whole := trimPartialRune(page.Data, false)
		page.Ranges[n-1].To -= int64(len(page.Data) - len(whole))
		page.Data = whole
	}
	return page, nil
}

// newline ends a line.
var newline = []byte("\n")

// search is the state of one call of Find.
type search struct {
	ctx    context.Context //nolint:containedctx // of the call
	pages  *artifactstore.Pages
	match  Match
	budget Budget
	from   int64 // no line before it is looked at or shown
	end    int64 // nor after it
	found  []Range
	number int64 // of the line that is looked at
	after  int64 // lines that still belong to the last match
	next   int64
}

// scan searches lines from an offset on, until the budget or the artifact ends.
func (f *search) scan(at int64) error {
	var window []byte // of the artifact, from at on
	var err error
	for read, scanned := at, at; ; {
		end := bytes.IndexByte(window, '\n') + 1
		for end == 0 && read < f.end {
			if err := f.ctx.Err(); err != nil {
				return err
			}
			before := len(window)
			if window, err = f.pages.Read(window, read, min(f.end, read+scanBytes)); err != nil {
				return err
			}
			read += int64(len(window) - before)
			if n := bytes.IndexByte(window[before:], '\n'); n >= 0 {
				end = before + n + 1
			}
		}
		if end == 0 { // the last line has no newline
			end = len(window)
		}
		if end == 0 {
			f.next = -1
			return nil
		}
		if at-scanned > maxScanned && f.after == 0 {
			f.next = at
			return nil
		}
		more, err := f.line(window[:end], at)
		if err != nil || !more {
			f.next = at
			if len(f.found) > 0 && f.found[len(f.found)-1].To > at { // it was cut
				f.next = at + int64(end)
			}
			return err
		}
		at += int64(end)
		window = window[end:]
		f.number++
	}
}

// line searches one line. It reports false if the budget has no space for it.
func (f *search) line(text []byte, at int64) (bool, error) {
	to := at + int64(len(text))
	if !f.match.Pattern.Match(bytes.TrimSuffix(text[:min(len(text), maxMatched)], []byte("\n"))) {
		if f.after == 0 {
			return true, nil
		}
		f.after-- // a line after a match, which is shown although it does not match
		return f.show(Range{From: at, To: to, FirstLine: f.number, LastLine: f.number}), nil
	}
	first := max(1, f.number-f.match.Before)
	start, err := f.pages.LineStart(first)
	if err != nil {
		return false, err
	}
	if start < f.from { // lines before an earlier page's end were on that page
		start = f.from
		if first, err = f.pages.LineAt(start); err != nil {
			return false, err
		}
	}
	f.after = f.match.After
	return f.show(Range{From: start, To: to, FirstLine: first, LastLine: f.number}), nil
}

// show adds a range, or extends the last one, if it fits the budget.
func (f *search) show(r Range) bool {
	if n := len(f.found); n > 0 && r.From <= f.found[n-1].To { // they touch or overlap
		r.From, r.FirstLine = f.found[n-1].To, f.found[n-1].LastLine+1
		if !f.fits(r) {
			return false
		}
		f.found[n-1].To, f.found[n-1].LastLine = r.To, r.LastLine
		return true
	}
	if !f.fits(r) {
		if len(f.found) > 0 {
			return false
		}
		// The first match does not fit: return as much of its line as fits.
		r.FirstLine, r.From = r.LastLine, max(r.From, lineStart(f, r))
		r.To = min(r.To, r.From+int64(f.budget.Bytes))
		f.found = append(f.found, r)
		return false
	}
	f.found = append(f.found, r)
	return true
}

// lineStart returns the offset of the last line of a range, or its beginning if the lines cannot be read.
func lineStart(f *search, r Range) int64 {
	start, err := f.pages.LineStart(r.LastLine)
	if err != nil {
		return r.From
	}
	return start
}

// fits reports whether a range fits the budget beside those that were found.
func (f *search) fits(r Range) bool {
	bytes, lines := r.To-r.From, r.LastLine-r.FirstLine+1
	for _, other := range f.found {
		bytes += other.To - other.From
		lines += other.LastLine - other.FirstLine + 1
	}
	return bytes <= int64(f.budget.Bytes) && lines <= int64(f.budget.Lines)
}
