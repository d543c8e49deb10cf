package preview

import (
	"strings"

	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Framed is one JSON value that is not alone in its output, in its readable form: a
// program says what it does before it prints its answer, and a client prints the status
// behind it. The lines around the value are few, and say where it is from: they are
// shown whole, unless a budget is so small that they would crowd the value out.
type Framed struct {
	before, after string // complete lines
	value         *JSON
}

// frameShare is the part of a budget that the lines around a value may cost when it is
// read: one in this many. They may cost twice as much in a smaller budget.
const frameShare = 4

// readFramed reads JSON with some lines around it. It returns ErrNotJSON for anything
// else, and for JSON that is cut: its value has no end to show.
func readFramed(text []byte, budget int, c tokens.Counter) (Readable, error) {
	e, err := records.Enclosed(text)
	if err != nil {
		return nil, err
	}
	before, after := asLines(e.Before), asLines(e.After)
	if e.Cut || !textscan.Clean(before+after, '\n') || c.Count(before)+c.Count(after) > budget/frameShare {
		return nil, shape.ErrNotJSON
	}
	value, err := ParseJSON(e.Value)
	if err != nil {
		return nil, err
	}
	return &Framed{before, after, value}, nil
}

// asLines returns lines, each with its end.
func asLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Text returns the readable form. It ends with a line end.
func (f *Framed) Text() []byte {
	return append(append([]byte(f.before), f.value.Text()...), f.after...)
}

// Bytes returns the size of the readable form.
func (f *Framed) Bytes() int64 { return int64(len(f.before)+len(f.after)) + f.value.Bytes() }

// Select makes a preview that costs about b at most: that of the value, with the lines
// around it.
func (f *Framed) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	lines := strings.Count(f.before, "\n") + strings.Count(f.after, "\n")
	cost := b.before(remaining{c.Count(f.before) + c.Count(f.after), lines, len(f.before) + len(f.after)}, -lines)
	if cost.tokens > b.Tokens/2 || cost.lines > b.Lines/2 || cost.bytes > b.Bytes/2 {
		cost = remaining{}.marker(-2)
		p := f.value.Select(b.less(cost), c, hints)
		if p.Shape == shape.None { // all of the value is shown, but not all of the text
			p.Shape = shape.JSON
			p.chosen()
		}
		return f.around(p, Preview{}, Preview{})
	}
	p := f.value.Select(b.less(cost), c, hints)
	return f.around(p, f.lines(f.before, p), f.lines(f.after, p))
}

// less returns what is left of a budget.
func (b Budget) less(cost remaining) Budget {
	b.Tokens, b.Lines, b.Bytes = max(0, b.Tokens-cost.tokens), max(0, b.Lines-cost.lines), max(0, b.Bytes-cost.bytes)
	return b
}

// scoreFrame is the score of lines around a value of which a part is shown.
const scoreFrame = 86

// lines returns the preview of lines that are shown beside that of a value.
func (f *Framed) lines(text string, value *Preview) Preview {
	p := Preview{Text: text, Segments: Split(text)}
	if value.Shape != shape.None {
		p.chosen()
	}
	return p
}

// chosen says of lines that are shown that they were chosen.
func (p *Preview) chosen() {
	for i := range p.Segments {
		p.Segments[i].Reason, p.Segments[i].Score = shape.KeepContext, scoreFrame
	}
}

// around puts the previews of the lines before and behind a value around its own. Lines
// that are not shown are cut.
func (f *Framed) around(p *Preview, before, after Preview) *Preview {
	first, last := int64(strings.Count(f.before, "\n")), int64(strings.Count(f.after, "\n"))
	moved := *p
	moved.Segments, moved.Cuts = nil, nil
	moved.Text = before.Text + p.Text + after.Text
	moved.Segments = append(before.Segments, shifted(p.Segments, first, int64(len(f.before)))...)
	moved.Segments = append(moved.Segments, shifted(after.Segments, first+p.Lines, int64(len(f.before))+p.Bytes)...)
	for _, c := range p.Cuts {
		c.FirstLine, c.LastLine = c.FirstLine+first, c.LastLine+first
		c.ByteStart, c.ByteEnd = c.ByteStart+int64(len(f.before)), c.ByteEnd+int64(len(f.before))
		c.PreviewOffset += int64(len(before.Text))
		if c.LikeLine > 0 {
			c.LikeLine += first
		}
		moved.Cuts = append(moved.Cuts, c)
	}
	moved.Bytes, moved.Lines = f.Bytes(), first+p.Lines+last
	if before.Text != f.before {
		moved.cutStart(first, int64(len(f.before)))
	}
	if after.Text != f.after {
		moved.cutEnd(last, int64(len(f.after)))
	}
	return &moved
}

// shifted returns segments some lines and bytes later.
func shifted(list []Segment, lines, bytes int64) []Segment {
	out := make([]Segment, 0, len(list))
	for _, s := range list {
		s.FirstLine, s.LastLine = s.FirstLine+lines, s.LastLine+lines
		s.ByteStart, s.ByteEnd = s.ByteStart+bytes, s.ByteEnd+bytes
		out = append(out, s)
	}
	return out
}

// cutStart cuts the first lines, together with a cut that follows them.
func (p *Preview) cutStart(lines, bytes int64) {
	for i := range p.Cuts {
		if c := &p.Cuts[i]; c.Kind == CutMiddle && c.ByteStart == bytes {
			c.FirstLine, c.ByteStart = 1, 0
			c.OmittedLines, c.OmittedBytes = c.OmittedLines+lines, c.OmittedBytes+bytes
			return
		}
	}
	cut := Cut{Kind: CutMiddle, FirstLine: 1, LastLine: lines, ByteEnd: bytes, OmittedBytes: bytes, OmittedLines: lines, Occurrences: 1}
	p.Cuts = append([]Cut{cut}, p.Cuts...)
}

// cutEnd cuts the last lines, together with a cut that is before them.
func (p *Preview) cutEnd(lines, bytes int64) {
	for i := range p.Cuts {
		if c := &p.Cuts[i]; c.Kind == CutMiddle && c.ByteEnd == p.Bytes-bytes {
			c.LastLine, c.ByteEnd = p.Lines, p.Bytes
			c.OmittedLines, c.OmittedBytes = c.OmittedLines+lines, c.OmittedBytes+bytes
			return
		}
	}
	p.Cuts = append(p.Cuts, Cut{
		Kind: CutMiddle, FirstLine: p.Lines - lines + 1, LastLine: p.Lines, ByteStart: p.Bytes - bytes, ByteEnd: p.Bytes,
		OmittedBytes: bytes, OmittedLines: lines, Occurrences: 1, PreviewOffset: int64(len(p.Text)),
	})
}
