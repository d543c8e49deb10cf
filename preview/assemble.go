package preview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The last step of a selection: chosen lines become text, segments and cuts.
// Lines come in the order of the payload, so whatever is between two of them is
// a cut, and the ledger tiles the payload by construction.

// A segment ends after this many lines or bytes of text: small enough for
// compaction to choose among segments, few enough to cost little.
const (
	segmentLines = 8
	segmentBytes = 256
)

// assembly is a preview while its lines are added.
type assembly struct {
	preview *Preview
	text    strings.Builder
	line    int64 // the last line that was added
	from    int64 // the first line of those that were added without a gap
	runs    []shape.Run
	folded  []int64 // numbers of the lines that are noise
	end     int64   // where it ends in the payload
	segment Segment
	altered textscan.Changes
	shown   int // lines so far
	extents [len(scattered)]cutExtent
}

// scattered are the kinds of which a preview has at most one cut.
var scattered = [...]CutKind{CutRepeated, CutProgress, CutControl, CutInvisible, CutTime, CutCell, CutAttributes}

// cutExtent is the smallest range of lines that holds every place of a
// scattered cut.
type cutExtent struct {
	Cut
	from int // lines that are shown before it
}

// assemble makes the preview of lines in the order of the payload. Gaps
// between, before and after them are cut.
func (s *selection) assemble(parts ...[]rendered) *Preview {
	e := s.excerpt
	a := assembly{preview: &Preview{Bytes: e.bytes, Lines: e.lines, Encoding: EncodingUTF8}, from: 1, runs: s.runs}
	if s.ranking != nil {
		a.runs, a.folded = s.ranking.runs, s.ranking.folded
	}
	a.text.Grow(len(s.scratch))
	for _, lines := range parts {
		a.add(s, lines)
	}
	a.gap(Cut{LastLine: e.lines, ByteEnd: e.bytes})
	a.close()
	return a.finish()
}

// finish adds the scattered cuts and sorts all.
func (a *assembly) finish() *Preview {
	p := a.preview
	for i := range a.extents {
		if a.extents[i].Occurrences > 0 {
			a.extents[i].Kind = scattered[i]
			p.Cuts = append(p.Cuts, a.extents[i].Cut)
		}
	}
	p.Text = a.text.String()
	p.ReplacedBytes, p.EscapedBytes = a.altered.Replaced, a.altered.Escaped
	p.Strings, p.Invisible = a.altered.Strings, a.altered.Invisible
	if a.altered.Invalid > 0 {
		p.Encoding = EncodingUnknown
	}
	slices.SortStableFunc(p.Cuts, func(x, y Cut) int {
		return cmp.Or(cmp.Compare(x.ByteStart, y.ByteStart), cmp.Compare(x.Kind, y.Kind))
	})
	return p
}

// gap records the range between the lines so far and the end of a cut, as one
// cut, or as two where most of it repeats the lines just before.
func (a *assembly) gap(cut Cut) {
	if cut.ByteEnd == a.end {
		return
	}
	a.close()
	if r := a.run(); r != nil && 2*(r.Last-r.First+1) > cut.LastLine-a.line {
		like := Cut{Kind: CutRepeated, LastLine: r.Last, ByteEnd: r.End, LikeLine: r.Like}
		if r.Last > cut.LastLine {
			like.LastLine, like.ByteEnd = cut.LastLine, cut.ByteEnd
		}
		from := a.line
		if a.cut(like); cut.OmittedValues > 0 { // a line of a table is a value
			cut.OmittedValues -= a.line - from
		}
	}
	if cut.ByteEnd > a.end {
		cut.Kind = CutMiddle
		if a.allFolded(cut.LastLine) {
			cut.Kind = CutFolded
		}
		a.cut(cut)
	}
	a.from = a.line + 1
}

// allFolded reports whether all lines up to a number are noise.
func (a *assembly) allFolded(last int64) bool {
	n := a.line
	for len(a.folded) > 0 && a.folded[0] <= last {
		if a.folded[0] == n+1 {
			n++
		}
		a.folded = a.folded[1:]
	}
	return n == last
}

// run returns the run of repeated lines that begins at the next line, if the
// lines it repeats are shown; else nil.
func (a *assembly) run() *shape.Run {
	for len(a.runs) > 0 && a.runs[0].First <= a.line {
		a.runs = a.runs[1:]
	}
	if len(a.runs) == 0 || a.runs[0].First != a.line+1 || a.runs[0].Like < a.from {
		return nil
	}
	return &a.runs[0]
}

// cut records a cut of whole lines that begins where the preview is.
func (a *assembly) cut(c Cut) {
	c.Occurrences, c.FirstLine, c.ByteStart = 1, a.line+1, a.end
	c.OmittedBytes, c.OmittedLines = c.ByteEnd-c.ByteStart, c.LastLine-c.FirstLine+1
	c.PreviewOffset = int64(a.text.Len())
	a.preview.Cuts = append(a.preview.Cuts, c)
	a.line, a.end = c.LastLine, c.ByteEnd
}

// add appends lines, and closes a segment where it is full, where the reason
// changes, and at every gap.
func (a *assembly) add(s *selection, lines []rendered) {
	for i := range lines {
		r := &lines[i]
		a.gap(Cut{LastLine: r.number - 1, ByteEnd: r.line.Start, OmittedValues: r.omittedValues, TotalValues: r.totalValues})
		if n := r.number - a.segment.FirstLine; a.segment.FirstLine > 0 &&
			(n >= segmentLines || a.segment.PreviewBytes >= segmentBytes || r.reason != a.segment.Reason) {
			a.close()
		}
		if a.segment.FirstLine == 0 {
			a.segment = Segment{FirstLine: r.number, ByteStart: r.line.Start, Reason: r.reason}
		}
		a.segment.Score = max(a.segment.Score, r.score)
		a.account(r)
		a.text.Write(s.scratch[r.from:r.to])
		a.line, a.end, a.shown = r.number, r.line.End, a.shown+1
		a.segment.LastLine, a.segment.ByteEnd = a.line, a.end
		a.segment.PreviewBytes += int64(r.to - r.from)
	}
}

// account records the cuts inside of a line.
func (a *assembly) account(r *rendered) {
	at := int64(a.text.Len())
	if r.long {
		a.preview.Cuts = append(a.preview.Cuts, Cut{
			Kind: CutLongLine, FirstLine: r.number, LastLine: r.number,
			ByteStart: r.cutFrom, ByteEnd: r.cutTo, OmittedBytes: r.cutTo - r.cutFrom,
			Occurrences: 1, PreviewOffset: at + int64(r.cutAt),
		})
	}
	overwritten, updates := r.line.TextAt-r.line.Start, r.line.Updates
	if r.altered == nil && overwritten == 0 && r.time == 0 && r.attributes == 0 && r.redrawn == 0 && r.clips == 0 {
		return
	}
	var lost textscan.Changes
	if r.altered != nil {
		lost = *r.altered
	}
	a.altered.Add(&lost)
	control, controls := lost.ControlBytes, lost.Controls
	if updates == 0 && overwritten > 0 { // a carriage return over an empty line
		control, controls, overwritten = control+overwritten, controls+1, 0
	}
	for i, n := range [...][2]int64{
		{lost.RepeatBytes, lost.Repeats},
		{overwritten + int64(r.redrawn), updates + boolBytes(r.redrawn > 0)},
		{control, controls},
		{lost.InvisibleBytes, lost.Invisibles},
		{int64(r.time), boolBytes(r.time > 0)},
		{int64(r.clipped), int64(r.clips)},
		{int64(r.attributes), boolBytes(r.attributes > 0)},
	} {
		if n[0] > 0 {
			a.extents[i].widen(r, n[0], n[1], at, a.shown)
		}
	}
}

// widen takes in the places of one line, before which some lines are shown.
func (h *cutExtent) widen(r *rendered, bytes, places, at int64, shown int) {
	if h.Occurrences == 0 {
		h.FirstLine, h.ByteStart, h.PreviewOffset, h.from = r.number, r.line.Start, at, shown
	}
	h.LastLine, h.ByteEnd = r.number, r.line.End
	h.OmittedBytes += bytes
	h.Occurrences += places
	for h.from+len(h.LineBytes) < shown {
		h.LineBytes = append(h.LineBytes, 0)
	}
	h.LineBytes = append(h.LineBytes, bytes)
}

// close ends the segment.
func (a *assembly) close() {
	if a.segment.FirstLine > 0 {
		a.preview.Segments = append(a.preview.Segments, a.segment)
		a.segment = Segment{}
	}
}

// Split returns the segments of a text that is its own payload: those of a
// Preview that shows all of it.
func Split(text string) []Segment {
	var list []Segment
	var s Segment
	for at := int64(0); len(text) > 0; {
		n := int64(strings.IndexByte(text, '\n') + 1)
		if n == 0 {
			n = int64(len(text))
		}
		if lines := s.LastLine - s.FirstLine + 1; s.FirstLine > 0 && (lines >= segmentLines || s.PreviewBytes >= segmentBytes) {
			list = append(list, s)
			s = Segment{FirstLine: s.LastLine + 1, ByteStart: at, LastLine: s.LastLine}
		}
		if s.FirstLine == 0 {
			s.FirstLine = 1
		}
		at += n
		s.LastLine, s.ByteEnd, s.PreviewBytes = s.LastLine+1, at, s.PreviewBytes+n
		text = text[n:]
	}
	if s.FirstLine > 0 {
		list = append(list, s)
	}
	return list
}
