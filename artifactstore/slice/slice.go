// Package slice reads parts of artifacts: ranges of lines and bytes, the last lines, the lines around one, the lines that
// match a pattern, and the value at a JSON pointer.
//
// Pages have the bytes exactly as they were put. Every page fits a budget and has the offset of the next one, or reports
// that it is the last, so that the pages in order are the selection, byte for byte. A page ends between lines, or inside
// of a line that is larger than the budget.
package slice

// A selection is a run of bytes, which Read divides into pages, or what Find finds. The offset of the next page is all the
// state that there is between two calls: a client may keep it for any time, and a server keeps nothing.

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
)

// Budget bounds one page. Both bounds must be positive.
type Budget struct{ Bytes, Lines int }

// Range is a run of bytes of an artifact: two offsets, and the first and last line that it touches, from 1. An empty range
// touches none.
type Range struct {
	From, To            int64
	FirstLine, LastLine int64
}

// Page is one page of an answer. Its data are the bytes of its ranges, in order.
type Page struct {
	Data   []byte
	Ranges []Range
	Next   int64 // the offset of the next page in the artifact; -1 if this is the last
}

// Selection selects bytes of an artifact. Span returns them as one run.
type Selection interface {
	Span(ctx context.Context, p *artifactstore.Pages) (from, to int64, err error)
}

// ErrNothing means that the selected place does not exist, such as a line after the last.
var ErrNothing = errors.New("nothing is there")

// Lines selects the lines First to Last, from 1 and inclusive. Last 0 is the last line. A Last after the last line is that
// line, and a First after it is nothing.
type Lines struct{ First, Last int64 }

// Span returns the bytes of the lines.
func (l Lines) Span(_ context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	if l.First > max(1, p.Lines()) {
		return 0, 0, ErrNothing
	}
	if from, err = p.LineStart(l.First); err != nil || l.Last == 0 || l.Last >= p.Lines() {
		return from, p.Size(), err
	}
	to, err = p.LineStart(l.Last + 1)
	return from, to, err
}

// Bytes selects the bytes from Start up to End. End 0 is the end of the artifact.
type Bytes struct{ Start, End int64 }

// Span returns the bytes.
func (b Bytes) Span(_ context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	if b.Start > p.Size() {
		return 0, 0, ErrNothing
	}
	if b.End == 0 || b.End > p.Size() {
		b.End = p.Size()
	}
	return b.Start, max(b.Start, b.End), nil
}

// Tail selects the last lines. There may be fewer.
type Tail struct{ Lines int64 }

// Span returns the bytes of the lines.
func (t Tail) Span(_ context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	from, err = p.LineStart(p.Lines() - t.Lines + 1)
	return from, p.Size(), err
}

// Around selects a line, from 1, and a number of lines before and after it. There may be fewer at the ends.
type Around struct{ Line, Before, After int64 }

// Span returns the bytes of the lines.
func (a Around) Span(ctx context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	if a.Line > max(1, p.Lines()) {
		return 0, 0, ErrNothing
	}
	return Lines{max(1, a.Line-a.Before), a.Line + a.After}.Span(ctx, p)
}

// Read returns a page of a selection: the first one if at is negative, or else the one that begins at that offset.
func Read(ctx context.Context, p *artifactstore.Pages, s Selection, at int64, b Budget) (Page, error) {
	from, to, err := s.Span(ctx, p)
	if err != nil {
		return Page{}, err
	}
	if at >= 0 { // a later page of the same selection
		if at < from || at > to {
			return Page{}, ErrNothing
		}
		from = at
	}
	data, err := p.Read(nil, from, min(to, from+int64(b.Bytes)))
	if err != nil {
		return Page{}, err
	}
	// More bytes than fit were never read: a page costs its budget, whatever the size of the artifact.
	data = cut(data, b.Lines, from+int64(len(data)) == to)
	page := Page{Data: data, Next: -1}
	r, err := newRange(p, from, from+int64(len(data)))
	page.Ranges = []Range{r}
	if r.To < to {
		page.Next = r.To
	}
	return page, err
}

// cut ends data after the last complete line, and after at most lines lines. A line that is larger than the data is cut
// before an incomplete character.
func cut(data []byte, lines int, all bool) []byte {
	end := 0
	for range lines {
		n := bytes.IndexByte(data[end:], '\n')
		if n < 0 {
			if all || end == 0 { // the end of the selection, or a line that no page has space for
				return trimPartialRune(data, all)
			}
			return data[:end]
		}
		end += n + 1
	}
	return data[:end]
}

// trimPartialRune removes the bytes of an incomplete UTF-8 character at the end, so that a page can be shown by itself. Bytes
// that are no UTF-8 stay, and so does everything if data is all that there is.
func trimPartialRune(data []byte, all bool) []byte {
	if all {
		return data
	}
	for n := 1; n < min(utf8.UTFMax, len(data)); n++ {
		if at := len(data) - n; utf8.RuneStart(data[at]) {
			if !utf8.FullRune(data[at:]) {
				return data[:at]
			}
			break
		}
	}
	return data
}

// newRange returns the range between two offsets, with its lines.
func newRange(p *artifactstore.Pages, from, to int64) (r Range, err error) {
	r = Range{From: from, To: to}
	if from == to {
		return r, nil
	}
	if r.FirstLine, err = p.LineAt(from); err != nil {
		return r, err
	}
	r.LastLine, err = p.LineAt(to - 1) // a newline belongs to the line that it ends
	return r, err
}

// trimPartialStart removes the bytes of an incomplete UTF-8 character at the beginning of data that begin inside of a text.
func trimPartialStart(data []byte) []byte {
	for n := range min(utf8.UTFMax-1, len(data)) {
		if utf8.RuneStart(data[n]) {
			return data[n:]
		}
	}
	return data
}
