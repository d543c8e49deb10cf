package renderers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// A runtime may cut a receipt again, and often keeps its end alone. So a long receipt that
// leaves something out says at its end once more how the call ended and where all of it
// is:
//
//	[end: Process exited with code 2; stdout in full: /path]
//	[end: Batch of 9 commands: 8 exited with code 0, 1 otherwise, 0 rejected, 0 skipped; Item 2 stdout in full: /a; Item 4 stdout in full: /b; 3 more above]
//
// The line follows from the rest of the document, so a parser checks it.
const (
	endingBegin = "[end: "
	endingEnd   = "]"
	endingMore  = " more above"
)

// Bounds of an ending.
const (
	leastEnded       = 8000 // bytes before it; no runtime is known that cuts shorter texts
	maxEndingOutcome = 120  // characters of the outcome
	maxEndingPlaces  = 2    // places; of further ones the number is stated
)

// ending returns the last line of a receipt of some bytes that leaves something out and
// has tool text before its end; "" for others.
func (d *Document) ending(bytes int) string {
	if bytes < leastEnded || d.Brief || !d.showsBody() {
		return ""
	}
	omitted := d.omitted()
	if len(omitted) == 0 {
		return ""
	}
	var parts []string
	if !d.isBare() {
		parts = append(parts, shorten(onBriefLine(d.Outcome), maxEndingOutcome))
	}
	parts = append(parts, endingPlaces(omitted)...)
	if len(parts) == 0 {
		return "" // there is nothing to repeat
	}
	return textscan.OneLine(endingBegin + strings.Join(parts, extentStop) + endingEnd)
}

// omission is a part of a result that a document leaves out.
type omission struct {
	lines int64  // lines or entries, as far as that is known
	place string // of all of it; empty when it is not stored
}

// omitted returns what a document leaves out: most first, but items of a batch before
// all.
func (d *Document) omitted() (list []omission) {
	for _, f := range d.Facts {
		if f.Label == labelItemsOmitted {
			list = append(list, omission{math.MaxInt64, f.Label + ": " + f.Value})
		}
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.omits() {
			list = append(list, omission{s.Extent.total() - s.Extent.Shown, s.place()})
		}
	}
	slices.SortStableFunc(list, func(a, b omission) int { return cmp.Compare(b.lines, a.lines) })
	return list
}

// endingPlaces returns the first places, and how many there are besides.
func endingPlaces(omitted []omission) (parts []string) {
	more := 0
	for _, o := range omitted {
		switch {
		case o.place == "":
		case len(parts) < maxEndingPlaces:
			parts = append(parts, o.place)
		default:
			more++
		}
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d%s", more, endingMore))
	}
	return parts
}

// place names the whole text of a section, or what is left of it; empty when it is not
// stored.
func (s *Section) place() string {
	switch {
	case s.Extent.Artifact == "":
		return ""
	case s.Extent.loss() != "":
		return s.Label + ": " + extentRest + s.Extent.Artifact
	}
	return s.Label + briefInFull + ": " + s.Extent.Artifact
}

// omits reports whether a section leaves out lines or entries, parts of them, or all.
func (s *Section) omits() bool {
	e := s.Extent
	if e == nil {
		return false
	}
	if e.Shown != e.total() || len(s.Body) == 0 && e.Bytes > 0 {
		return true
	}
	for i := range s.Body {
		if s.Body[i].Mark != nil {
			return true
		}
	}
	return false
}

// endingOf cuts the ending off the lines of a receipt; "" if it has none.
func endingOf(lines []string) (rest []string, ending string) {
	if n := len(lines) - 1; n > 0 && strings.HasPrefix(lines[n], endingBegin) {
		return lines[:n], lines[n]
	}
	return lines, ""
}
