package renderers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// stream is a large field of a payload and the label of its section.
type stream struct {
	field envelope.LargeField
	label string
}

// streams returns the large fields of a message that have a label, in the order of the
// given pairs of field name and label.
func streams(d protoreflect.MessageDescriptor, labels ...[2]string) []stream {
	var list []stream
	fields := envelope.LargeFields(d)
	for _, l := range labels {
		for _, f := range fields {
			if f.Name == l[0] {
				list = append(list, stream{f, l[1]})
			}
		}
	}
	return list
}

// section describes a stream. It reports false for one that needs no section: it was
// not captured, or is empty.
func (s *stream) section(m protoreflect.Message, prefix string) (Section, bool) {
	if !s.field.Has(m) {
		return Section{}, false
	}
	v := s.field.Get(m)
	section := Section{Label: prefix + s.label, Extent: extent(&v), Body: pieces(&v, isNumbered(s.label))}
	return section, section.Extent != nil || len(section.Body) > 0
}

// extent returns the extent of a stream that is not shown as it is; nil for others. A
// stream of nothing but colours and carriage returns shows nothing, and is not empty.
func extent(v *envelope.Large) *Extent {
	s := v.Source
	if s == nil {
		return nil
	}
	notes := notes(s, v.Cuts)
	if v.Preview != "" && len(notes) == 1 && strings.Contains(notes[0], noteProgress) && onlyOverwritten(v.Cuts) {
		return nil
	}
	if note := unshownNote(s.GetUnshownFindings(), v.Cuts); note != "" {
		notes = append(notes, note)
	}
	if v.Preview != "" && len(s.GetParts()) > 0 {
		notes = append(notes, partsNote(s.GetParts()))
	}
	if form := formOf(s); !v.Truncated && len(notes) == 0 && form != FormReport && form != FormTable && form != FormValues {
		if v.Preview == "" && s.GetBytes() > 0 {
			return &Extent{Bytes: int64(s.GetBytes()), Notes: []string{noteInvisible}, Artifact: v.Artifact}
		}
		return nil
	}
	return newExtent(v, notes)
}

// onlyOverwritten reports whether nothing was omitted but states of lines that the tool
// itself overwrote, with colours and the like. A terminal does not show them either, so a
// heading would cost more than it is worth; the canonical result counts them.
func onlyOverwritten(cuts []*pb.Cut) bool {
	return !slices.ContainsFunc(cuts, func(c *pb.Cut) bool {
		return c.GetKind() != pb.CutKind_CUT_KIND_PROGRESS && c.GetKind() != pb.CutKind_CUT_KIND_CONTROL
	})
}

// newExtent returns the extent of a stream with facts.
func newExtent(v *envelope.Large, notes []string) *Extent {
	s := v.Source
	e := &Extent{Lines: int64(s.GetLines()), Form: formOf(s), Shown: int64(s.GetShownLines()), Notes: notes, Artifact: v.Artifact}
	if s.GetEncoding() == pb.TextEncoding_TEXT_ENCODING_BINARY {
		e.Lines, e.Form = 0, FormWritten
	}
	if (e.Form == FormTable || e.Form == FormValues) && v.Original != "" { // some of the columns or values may be left out
		e.Artifact = v.Original
	}
	if s.GetBytes()/usualLineBytes > s.GetLines() || e.Lines == 0 {
		e.Bytes = int64(s.GetBytes())
	}
	return e
}

// usualLineBytes is the average length of lines up to which their number implies the size
// of a text, in bytes.
const usualLineBytes = 200

// formOf returns the form in which a payload is shown.
func formOf(s *pb.SourceFacts) ReadableForm {
	switch {
	case s.GetOriginalBytes() == 0, s.GetShape() == pb.PayloadShape_PAYLOAD_SHAPE_PROSE: // the text of a page
		return FormWritten
	case s.GetShape() == pb.PayloadShape_PAYLOAD_SHAPE_TEST_REPORT, s.GetShape() == pb.PayloadShape_PAYLOAD_SHAPE_DIFF:
		return FormReport
	case s.GetShape() == pb.PayloadShape_PAYLOAD_SHAPE_ROWS:
		return FormTable
	}
	return FormValues
}

// notes states what a reader must know of a stream beside its size.
func notes(s *pb.SourceFacts, cuts []*pb.Cut) (list []string) {
	add := func(n uint64, unit, note string) {
		if n > 0 {
			list = append(list, count(int64(n), unit)+" "+note)
		}
	}
	if s.GetEncoding() == pb.TextEncoding_TEXT_ENCODING_BINARY {
		list = append(list, noteBinary)
		if digest, ok := strings.CutPrefix(s.GetDigest(), "blake3:"); ok && len(digest) >= 16 {
			list = append(list, "blake3 "+digest[:16])
		}
	}
	var secrets uint64
	for _, r := range s.GetRedactions() {
		secrets += r.GetCount()
	}
	add(secrets, "secret", noteRedacted)
	var progress, repeated, times, cells, attributes uint64
	for _, c := range cuts {
		switch c.GetKind() {
		case pb.CutKind_CUT_KIND_PROGRESS:
			progress += c.GetOccurrences()
		case pb.CutKind_CUT_KIND_REPEATED:
			if c.GetLikeLine() == 0 {
				repeated += c.GetOmittedBytes()
			}
		case pb.CutKind_CUT_KIND_TIME:
			times += c.GetOccurrences()
		case pb.CutKind_CUT_KIND_CELL:
			cells += c.GetOccurrences()
		case pb.CutKind_CUT_KIND_ATTRIBUTES:
			attributes += c.GetOccurrences()
		}
	}
	add(s.GetReplacedBytes(), "byte", noteReplaced)
	add(s.GetInvisible().GetTags()+s.GetInvisible().GetBidi()+s.GetInvisible().GetZeroWidth(), "invisible character", noteRemoved)
	add(s.GetInvisible().GetCombiningMarks(), "combining mark", noteRemoved)
	add(s.GetControlStrings(), "control string", noteRemoved)
	add(times, "line time", noteOmitted)
	add(cells, "cell", noteClipped)
	add(attributes, "file attribute", noteOmitted)
	add(progress, noteProgress, noteOmitted)
	if s.GetOriginalBytes() == 0 { // it is no readable form, but what a terminal shows
		add(s.GetOriginalLines(), "line", noteDrawn)
	}
	add(repeated, "repeated control byte", noteOmitted)
	if loss := s.GetSourceLoss(); loss != nil {
		lost := "an unknown number of bytes"
		if n := loss.GetLostBytes(); n > 0 { // a count of the runtime, which may be over what an int64 holds
			lost = strconv.FormatUint(n, 10) + " " + envelope.Plural("byte", n == 1)
		}
		list = append(list, fmt.Sprintf("%s %s at byte %d", lost, noteLoss, loss.GetAtByte()))
	}
	return list
}

// unshownNote states how many lines that say what went wrong are not shown. Compaction
// omits further ones, which it does not count.
//
//	35 errors, 12 warnings not shown
func unshownNote(u *pb.UnshownFindings, cuts []*pb.Cut) string {
	if slices.ContainsFunc(cuts, func(c *pb.Cut) bool { return c.GetKind() == pb.CutKind_CUT_KIND_COMPACTED }) {
		return ""
	}
	var list []string
	for _, kind := range []struct {
		n    uint64
		unit string
	}{{u.GetErrors(), "error"}, {u.GetFailures(), "failure"}, {u.GetWarnings(), "warning"}} {
		if kind.n > 0 {
			list = append(list, count(int64(kind.n), kind.unit))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + " " + noteUnshown
}

// partsNote states how many lines are in which folders and files:
//
//	by folder: server/ 86, store/ 12, 5 others 22
func partsNote(parts []*pb.PayloadPart) string {
	list := make([]string, 0, len(parts))
	for _, p := range parts {
		name := p.GetName()
		if name == "" {
			name = strconv.FormatUint(p.GetOthers(), 10) + " " + envelope.Plural("other", p.GetOthers() == 1)
		}
		list = append(list, strings.ReplaceAll(name, ";", "?")+" "+strconv.FormatUint(p.GetLines(), 10))
	}
	return noteParts + strings.Join(list, ", ")
}

// pieces returns the preview with markers at the places of its cuts. If lines are
// numbered, no marker needs a number.
func pieces(v *envelope.Large, numbered bool) []Piece {
	var list []Piece
	from, next := uint64(0), uint64(1)
	if segments := v.Source.GetSegments(); len(segments) > 0 {
		next = segments[0].GetFirstLine()
	}
	upTo := func(to uint64) {
		if text := v.Preview[from:to]; text != "" {
			p := Piece{Text: strings.TrimSuffix(text, "\n")}
			if numbered {
				p.First = max(1, bounded(next))
			}
			list = append(list, p)
		}
		from = to
	}
	for _, c := range v.Cuts {
		if m := mark(c); m != nil && c.GetPreviewOffset() >= from {
			upTo(c.GetPreviewOffset())
			list = append(list, Piece{Mark: m})
			next = c.GetLastLine() + 1
			switch {
			case c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE:
				if next = c.GetFirstLine(); from == 0 || v.Preview[from-1] == '\n' {
					m.Next = bounded(next)
				}
			case numbered || from == uint64(len(v.Preview)):
				m.Next = 0
			}
		}
	}
	upTo(uint64(len(v.Preview)))
	return onlyMarks(list)
}

// onlyMarks returns nil for a stream of which nothing is shown: its extent says so
// already.
func onlyMarks(list []Piece) []Piece {
	for i := range list {
		if list[i].Mark == nil {
			return list
		}
	}
	return nil
}

// mark returns the marker of a cut; nil for a cut that the extent states.
func mark(c *pb.Cut) *Mark {
	first, last := bounded(c.GetFirstLine()), bounded(c.GetLastLine())
	switch c.GetKind() {
	case pb.CutKind_CUT_KIND_LONG_LINE:
		bytes, _ := envelope.Omitted(c)
		return &Mark{Bytes: bounded(bytes)}
	case pb.CutKind_CUT_KIND_REPEATED:
		if like := bounded(c.GetLikeLine()); like > 0 {
			return &Mark{Repeats: max(1, last-first+1), Like: max(1, first-like)}
		}
	case pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_COMPACTED, pb.CutKind_CUT_KIND_FOLDED:
		if n := bounded(c.GetOmittedValues()); n > 0 {
			return &Mark{Values: n, Total: bounded(c.GetTotalValues())}
		}
		return &Mark{Next: last + 1}
	}
	return nil
}

// itemPrefix precedes the labels of an item of a batch.
func itemPrefix(i int) string { return fmt.Sprintf("%s %d ", labelItem, i+1) }
