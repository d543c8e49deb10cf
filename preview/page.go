package preview

import "github.com/toolresult/toolresult/tokens"

// Part is a run of bytes of a text: whole lines, or a part of one.
type Part struct {
	Text      []byte
	LineStart int64 // offset of the first byte of its first line in the text
	Start     int64 // offset of its first byte in the text
	FirstLine int64 // number of its first line, from 1
	LastLine  int64 // number of its last line
	LineEnd   int64 // offset just after its last line in the text; at least its own end
}

// Page returns the visible form of one part of a text by itself: the preview of
// a payload that is nothing else. All of it is shown, whatever it costs, and it
// is not taken for a binary.
func Page(text []byte) *Preview {
	w := NewWriter(len(text)/bytesPerToken + 1)
	w.asText, w.maxLines, w.headMost = true, len(text)+1, len(text)+1
	w.grow(len(text))
	_, _ = w.Write(text) // it never fails
	return w.Finish().Select(Budget{Tokens: NoLimit, Lines: NoLimit, Bytes: NoLimit, LineBytes: NoLimit}, tokens.Estimate(), Hints{HeadPercent: 100})
}

// Parts returns the preview of a text of some bytes and lines that shows some
// parts of it: in order and without overlap, of which none ends a line that
// the next one begins with. The ranges between them are cut.
func Parts(parts []Part, bytes, lines int64) *Preview {
	whole := &Preview{Bytes: bytes, Lines: lines, Encoding: EncodingUTF8}
	end, line := int64(0), int64(0)
	gap := func(to, last int64) {
		if to > end {
			whole.Cuts = append(whole.Cuts, Cut{
				Kind: CutMiddle, FirstLine: line + 1, LastLine: last, ByteStart: end, ByteEnd: to, OmittedBytes: to - end,
				OmittedLines: last - line, Occurrences: 1, PreviewOffset: int64(len(whole.Text)),
			})
		}
	}
	for i := range parts {
		p := &parts[i]
		gap(p.LineStart, p.FirstLine-1)
		if p.Start > p.LineStart {
			whole.Cuts = append(whole.Cuts, Cut{
				Kind: CutLongLine, FirstLine: p.FirstLine, LastLine: p.FirstLine, ByteStart: p.LineStart, ByteEnd: p.Start,
				OmittedBytes: p.Start - p.LineStart, Occurrences: 1, PreviewOffset: int64(len(whole.Text)),
			})
		}
		n := len(whole.Segments)
		whole.append(p)
		if n < len(whole.Segments) { // a segment has whole lines, of which cuts are parts
			whole.Segments[n].ByteStart = p.LineStart
		}
		end, line = p.LineEnd, p.LastLine
	}
	gap(bytes, lines)
	return whole
}

// append adds a part, and cuts the rest of its last line but for the line end.
func (v *Preview) append(p *Part) {
	shown, at := Page(p.Text), int64(len(v.Text))
	v.Text += shown.Text
	for _, s := range shown.Segments {
		s.FirstLine, s.LastLine = s.FirstLine+p.FirstLine-1, s.LastLine+p.FirstLine-1
		s.ByteStart, s.ByteEnd = s.ByteStart+p.Start, s.ByteEnd+p.Start
		v.Segments = append(v.Segments, s)
	}
	for _, c := range shown.Cuts {
		c.FirstLine, c.LastLine = c.FirstLine+p.FirstLine-1, c.LastLine+p.FirstLine-1
		c.ByteStart, c.ByteEnd = c.ByteStart+p.Start, c.ByteEnd+p.Start
		c.PreviewOffset += at
		v.Cuts = append(v.Cuts, c)
	}
	if end := p.Start + int64(len(p.Text)); end < p.LineEnd && len(v.Segments) > 0 {
		v.Cuts = append(v.Cuts, Cut{
			Kind: CutLongLine, FirstLine: p.LastLine, LastLine: p.LastLine, ByteStart: end, ByteEnd: p.LineEnd - 1,
			OmittedBytes: p.LineEnd - 1 - end, Occurrences: 1, PreviewOffset: int64(len(v.Text)),
		})
		v.Text += "\n"
		last := &v.Segments[len(v.Segments)-1]
		last.ByteEnd, last.PreviewBytes = p.LineEnd, last.PreviewBytes+1
	}
	if shown.Encoding == EncodingUnknown {
		v.Encoding = EncodingUnknown
	}
	v.ReplacedBytes += shown.ReplacedBytes
	v.EscapedBytes += shown.EscapedBytes
	v.Strings += shown.Strings
	v.Invisible.Add(shown.Invisible)
}
