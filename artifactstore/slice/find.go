package slice

// Searching reads an artifact in windows and tries the pattern on one line after the other. A line that is longer than a
// window is searched in windows that overlap, and never in memory as a whole. Ranges of matches that touch are one range, so that
// lines around several matches are not shown twice. A call ends at its budget of bytes and lines, or after 256 MiB without a
// match, and the next one goes on there.

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
	// windowBytes is the length of a line, in bytes, from which on it is searched in windows of this size.
	windowBytes = 1 << 20
	// overlapBytes is how much of a window the next one has, too: the longest match that is found wherever it is.
	overlapBytes = 64 << 10
	// maxScanned is the number of bytes that one call searches, of one line or of several. Then it returns the offset of the
	// next call; of a longer line, the rest is not searched.
	maxScanned = 256 << 20
	// scanBytes is the number of bytes that are read at a time.
	scanBytes = 256 << 10
)

// Find returns the first matches from the line at an offset on. Their ranges are in order and do not overlap. Of a line that
// is larger than the budget, the page has as much as fits: from its beginning or, if the match is not there, from somewhat
// before the match.
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
	if f.inside { // the only range begins inside of a line
		whole := trimPartialStart(page.Data)
		page.Ranges[0].From += int64(len(page.Data) - len(whole))
		page.Data = whole
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
	ctx    context.Context // of the call
	pages  *artifactstore.Pages
	match  Match
	budget Budget
	from   int64 // no line before it is looked at or shown
	end    int64 // nor after it
	found  []Range
	number int64 // of the line that is looked at
	after  int64 // lines that still belong to the last match
	next   int64
	inside bool // the first range begins inside of a line
}

// scan searches lines from an offset on, until the budget or the artifact ends.
func (f *search) scan(at int64) error {
	var window []byte // of the artifact, from at on
	for scanned := at; ; {
		if at >= f.end {
			f.next = -1
			return nil
		}
		if at-scanned > maxScanned && f.after == 0 {
			f.next = at
			return nil
		}
		var err error
		if window, err = f.fill(window, at); err != nil {
			return err
		}
		l := text{at: at, to: at + int64(bytes.IndexByte(window, '\n')) + 1, match: -1}
		if l.to > at || at+int64(len(window)) == f.end {
			if l.to == at {
				l.to = f.end // the last line has no newline
			}
			if place := f.match.Pattern.FindIndex(bytes.TrimSuffix(window[:l.to-at], newline)); place != nil {
				l.match = at + int64(place[0])
			}
		} else if l, err = f.long(window, at); err != nil {
			return err
		}
		more, err := f.line(l)
		if err != nil || !more {
			f.next = at
			if len(f.found) > 0 && f.found[len(f.found)-1].To > at { // it was cut
				f.next = l.to
			}
			return err
		}
		window = window[min(l.to-at, int64(len(window))):]
		at = l.to
		f.number++
	}
}

// fill reads more of the artifact until the window has a whole line, or windowBytes of one.
func (f *search) fill(window []byte, at int64) ([]byte, error) {
	searched := 0
	for bytes.IndexByte(window[searched:], '\n') < 0 && len(window) < windowBytes {
		searched = len(window)
		read := at + int64(searched)
		if read >= f.end {
			break
		}
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if window, err = f.pages.Read(window, read, min(f.end, read+scanBytes)); err != nil {
			return nil, err
		}
	}
	return window, nil
}

// long searches a line that begins at an offset and is longer than the window, which has its beginning. It changes the
// window.
func (f *search) long(window []byte, at int64) (text, error) {
	to, err := f.pages.LineStart(f.number + 1)
	if err != nil {
		return text{}, err
	}
	l := text{at: at, to: min(to, f.end), match: -1}
	end := l.to
	if to <= f.end && f.number < f.pages.Lines() {
		end-- // the newline
	}
	window = window[:min(int64(len(window)), end-at)]
	for from := at; ; {
		first, last := from == at, from+int64(len(window)) == end
		if place := findWithin(f.match.Pattern, window, first, last); place >= 0 {
			l.match = from + int64(place)
			return l, nil
		}
		if last || from-at > maxScanned {
			return l, nil
		}
		if err := f.ctx.Err(); err != nil {
			return text{}, err
		}
		from += int64(len(window) - overlapBytes)
		n := copy(window, window[len(window)-overlapBytes:])
		if window, err = f.pages.Read(window[:n], from+overlapBytes, min(end, from+windowBytes)); err != nil {
			return text{}, err
		}
	}
}

// findWithin returns where the first match in a window of a line begins, or -1. The ends of the window are no ends of the
// line unless first and last say so: a match there counts if it is one in a smaller window, too, so that "^" and "$" match
// at the ends of the line only. A match that does not count is whole in the next window.
func findWithin(pattern *regexp.Regexp, window []byte, first, last bool) int {
	const tries = 4 // the first matches, of which all but one may be at an end
	for _, place := range pattern.FindAllIndex(window, tries) {
		if !first && place[0] == 0 && !pattern.Match(window[1:]) {
			continue
		}
		if !last && place[1] == len(window) && !pattern.Match(window[place[0]:len(window)-1]) {
			continue
		}
		return place[0]
	}
	return -1
}

// text is one line, by offsets, and where the pattern matches first in it; -1 for nowhere.
type text struct{ at, to, match int64 }

// line takes one line into account. It reports false if the budget has no space for it.
func (f *search) line(l text) (bool, error) {
	if l.match < 0 {
		if f.after == 0 {
			return true, nil
		}
		f.after-- // a line after a match, which is shown although it does not match
		return f.show(Range{From: l.at, To: l.to, FirstLine: f.number, LastLine: f.number}, l), nil
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
	return f.show(Range{From: start, To: l.to, FirstLine: first, LastLine: f.number}, l), nil
}

// show adds a range that ends with a line, or extends the last one, if it fits the budget.
func (f *search) show(r Range, l text) bool {
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
		size := int64(f.budget.Bytes)
		r.FirstLine, r.From = r.LastLine, l.at
		if l.match-l.at > size/2 {
			r.From, f.inside = max(l.at, min(l.match-size/4, l.to-size)), true
		}
		r.To = min(r.To, r.From+size)
		f.found = append(f.found, r)
		return false
	}
	f.found = append(f.found, r)
	return true
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
