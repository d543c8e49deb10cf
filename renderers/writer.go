package renderers

import (
	"errors"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// ErrNotSanitised is returned for a canonical result whose preview has characters that
// no projection leaves in.
var ErrNotSanitised = errors.New("a preview holds escape sequences, other line breaks or invisible characters")

// Receipt is the text that a Renderer makes, with its cost. The type is declared in
// envelope, so that projectors can fit receipts without importing renderers.
type Receipt = envelope.Receipt

// Write renders a document.
func Write(d Document, c tokens.Counter) (Receipt, error) { return write(d, c, nil) }

// write renders a document of a family that has forms of its own, besides those of the
// contract; nil for none.
func write(d Document, c tokens.Counter, own *reserved) (Receipt, error) {
	w := writer{own: own}
	w.text.Grow(d.size())
	if d.Brief {
		w.brief(&d)
		d.Facts = nil
	} else if !d.isBare() {
		w.line(onBriefLine(d.Outcome)) // a tab would make it a line of several parts
	}
	for _, f := range d.Facts {
		w.line(f.Label + ": " + textscan.OneLine(f.Value))
	}
	last := ""
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Extent != nil {
			w.line(s.Label + ": " + textscan.OneLine(s.Extent.String()))
			last = s.Label
		}
	}
	if last == "" {
		last = labelCombined
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if len(s.Body) == 0 {
			continue
		}
		// Facts come before any tool byte, so every extent is out by now. The
		// last one can stand as the title of its own text. Without one, the output
		// of a command needs no title.
		if s.Label != last {
			w.line(s.Label + ":")
		}
		last = ""
		if err := w.body(s.Body); err != nil {
			return Receipt{}, err
		}
	}
	if ending := d.ending(w.text.Len()); ending != "" {
		w.line(ending)
	}
	text := w.text.String()
	return Receipt{Text: text, Tokens: c.Count(text), Lines: w.lines, Stuffed: w.stuffed}, nil
}

// size estimates the length of the receipt of a document, in bytes.
func (d *Document) size() int {
	const line = 128 // a fact or an extent
	n := line * (1 + len(d.Facts))
	for i := range d.Sections {
		n += line
		for _, p := range d.Sections[i].Body {
			n += len(p.Text) + line/8
			if p.First > 0 {
				n += (1 + strings.Count(p.Text, "\n")) * len(numbered(p.First, ""))
			}
		}
	}
	return n
}

// writer joins the lines of a receipt.
type writer struct {
	own     *reserved // forms of a custom family; nil for none
	text    strings.Builder
	lines   int
	stuffed int // number of stuffed lines
}

// line writes a line.
func (w *writer) line(text string) {
	if w.lines > 0 {
		w.text.WriteByte('\n')
	}
	w.lines++
	w.text.WriteString(text)
}

// body writes the text of a section.
func (w *writer) body(pieces []Piece) error {
	for i := range pieces {
		if m := pieces[i].Mark; m != nil {
			w.line(m.String())
			continue
		}
		if !textscan.Sanitised(pieces[i].Text) {
			return ErrNotSanitised
		}
		number := pieces[i].First
		for line := range strings.SplitSeq(pieces[i].Text, "\n") {
			if number > 0 {
				w.line(numbered(number, line))
				number++
			} else {
				w.tool(line)
			}
		}
	}
	return nil
}

// tool writes a line of tool text.
func (w *writer) tool(line string) {
	if contractReserved().matches(line) || w.own != nil && w.own.matches(line) {
		w.stuffed++
		line = stuffing + line
	}
	w.line(line)
}

// Message returns a receipt as the contract has it. counter is the name of the token counter that counted it.
func Message(r Receipt, counter string) *pb.Receipt {
	return &pb.Receipt{
		Text: r.Text, Tokens: uint32(r.Tokens), TokenCounter: counter, StuffedLines: uint32(r.Stuffed),
		RendererVersion: Version,
	}
}
