// Package slice reads parts of artifacts back: ranges of lines and bytes, the end, what surrounds a line,
// lines that match, and the value at a JSON pointer.
//
// What is read is exact: the bytes as they were put. Every answer fits a budget, says whether it is all that
// was selected, and otherwise where to go on, so that pages one after the other are the selection, byte for
// byte. A page ends between lines where it can, and inside of a line that is larger than the budget.
package slice

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
)

// Budget bounds one answer. Both are positive.
type Budget struct{ Bytes, Lines int }

// Range is a run of bytes of an artifact: from one offset up to another, and the lines that it touches,
// from 1. An empty range touches none.
type Range struct {
	From, To            int64
	FirstLine, LastLine int64
}

// Page is one answer. Its data are the ranges, one after the other.
type Page struct {
	Data   []byte
	Ranges []Range
	Next   int64 // where to go on, in bytes of the artifact; -1 when this is all there is
}

// Selection says which bytes of an artifact are wanted. Span returns them as one run.
type Selection interface {
	Span(ctx context.Context, p *artifactstore.Pages) (from, to int64, err error)
}

// ErrNothing means that there is nothing at the place that was asked for, such as a line after the last.
var ErrNothing = errors.New("nothing is there")

// Lines selects the lines from First up to and with Last, from 1; Last 0 is the last line.
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

// Bytes selects the bytes from Start up to End; End 0 is the end.
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

// Tail selects the last lines.
type Tail struct{ Lines int64 }

// Span returns the bytes of the lines.
func (t Tail) Span(_ context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	from, err = p.LineStart(p.Lines() - t.Lines + 1)
	return from, p.Size(), err
}

// Around selects a line, and some before and after it.
type Around struct{ Line, Before, After int64 }

// Span returns the bytes of the lines.
func (a Around) Span(ctx context.Context, p *artifactstore.Pages) (from, to int64, err error) {
	if a.Line > max(1, p.Lines()) {
		return 0, 0, ErrNothing
	}
	return Lines{max(1, a.Line-a.Before), a.Line + a.After}.Span(ctx, p)
}

// Read returns a page of a selection: its beginning or, if at is not negative, what begins there.
func Read(ctx context.Context, p *artifactstore.Pages, s Selection, at int64, b Budget) (Page, error) {
	from, to, err := s.Span(ctx, p)
	if err != nil {
		return Page{}, err
	}
	if at >= 0 {
		if at < from || at > to {
			return Page{}, ErrNothing
		}
		from = at
	}
	data, err := p.Read(nil, from, min(to, from+int64(b.Bytes)))
	if err != nil {
		return Page{}, err
	}
	data = cut(data, b.Lines, from+int64(len(data)) == to)
	page := Page{Data: data, Next: -1}
	r, err := rangeOf(p, from, from+int64(len(data)))
	page.Ranges = []Range{r}
	if r.To < to {
		page.Next = r.To
	}
	return page, err
}

// cut ends data after the last line that is complete and among the first lines; a line that is larger than
// the data is cut inside, before a character that is not complete.
func cut(data []byte, lines int, all bool) []byte {
	end := 0
	for range lines {
		n := bytes.IndexByte(data[end:], '\n')
		if n < 0 {
			if all || end == 0 {
				return onRune(data, all)
			}
			return data[:end]
		}
		end += n + 1
	}
	return data[:end]
}

// onRune leaves out the bytes of a character that is not complete at the end.
func onRune(data []byte, all bool) []byte {
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

func rangeOf(p *artifactstore.Pages, from, to int64) (r Range, err error) {
	r = Range{From: from, To: to}
	if from == to {
		return r, nil
	}
	if r.FirstLine, err = p.LineAt(from); err != nil {
		return r, err
	}
	r.LastLine, err = p.LineAt(to - 1)
	return r, err
}
