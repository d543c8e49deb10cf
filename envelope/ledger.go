package envelope

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The ledger of a preview accounts for every byte of its payload: segments that are
// shown and cuts between lines tile the payload, cuts inside lines and scattered cuts
// lie inside what is shown, and the sums of both are the size of the payload. This
// file checks that, for results that come from outside, and derives segments from
// cuts.

// checkPayload checks the artifact indices and ledgers of a payload, and of the
// messages inside it.
func checkPayload(c Checker, payload protoreflect.Message) {
	Walk("", payload, func(path string, m protoreflect.Message) {
		if e, ok := m.Interface().(*pb.ToolError); ok {
			checkError(c.At(path), e)
			return
		}
		checkLarge(c.At(path), m)
	})
}

// checkLarge checks the large fields and lists of one message.
func checkLarge(c Checker, m protoreflect.Message) {
	const reason = pb.ErrorReason_ERROR_REASON_LEDGER_INVALID
	checkArtifacts(c, m)
	for _, f := range LargeFields(m.Descriptor()) {
		v := f.Get(m)
		if v.Source != nil && v.Source.OriginalArtifact != nil {
			if n := f.countArtifacts(m); uint64(v.Source.GetOriginalArtifact()) >= uint64(n) {
				c.Fail(f.partPath(suffixSource), pb.ErrorReason_ERROR_REASON_ARTIFACT_INDEX_INVALID, "names artifact %d of %d", v.Source.GetOriginalArtifact(), n)
			}
		}
		if f.hasPath(m) {
			c.Required(f.partPath(suffixArtifact)+".path", v.Artifact, maxPath)
		}
		if err := checkLedger(&v); err != nil {
			c.Fail(f.partPath(suffixCuts), reason, "%v", err)
		}
	}
	for _, l := range LargeLists(m.Descriptor()) {
		v := l.Get(m)
		if v.Shown > v.Total || v.Shown < v.Total && !v.Truncated {
			c.Fail(l.Name+suffixTotal, reason, "is %d, and %d elements are shown", v.Total, v.Shown)
		}
	}
}

// checkArtifacts checks that every index names an artifact, and no two the same one.
func checkArtifacts(c Checker, m protoreflect.Message) {
	const reason = pb.ErrorReason_ERROR_REASON_ARTIFACT_INDEX_INVALID
	artifacts := m.Descriptor().Fields().ByName(artifactsField)
	if artifacts == nil {
		return
	}
	list := m.Get(artifacts).List()
	for i := range list.Len() {
		ref := generated(list.Get(i).Message(), &pb.ArtifactReference{})
		c.Required(fmt.Sprintf("%s[%d].path", artifactsField, i), ref.GetPath(), maxPath)
	}
	taken := map[uint64]string{}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		name := string(f.Name())
		if !isIndex(f) || !m.Has(f) {
			continue
		}
		index := m.Get(f).Uint()
		if index >= uint64(list.Len()) {
			c.Fail(name, reason, "is %d, and there are %d artifacts", index, list.Len())
		} else if other, ok := taken[index]; ok {
			c.Fail(name, reason, "names the same artifact as %s", other)
		}
		taken[index] = name
	}
}

// isIndex reports whether a field is an index into the artifacts of its message.
func isIndex(f protoreflect.FieldDescriptor) bool {
	return strings.HasSuffix(string(f.Name()), suffixArtifact) && f.Kind() == protoreflect.Uint32Kind && !f.IsList()
}

// checkLedger checks that preview, cuts and source facts add up, by the rules of
// ledger.proto.
func checkLedger(v *Large) error {
	if v.Source == nil {
		if len(v.Cuts) > 0 || v.Truncated {
			return errors.New("a preview with cuts needs source facts")
		}
		return nil
	}
	l := ledger{Large: v, tiles: v.Segments()}
	l.pending = l.tiles
	for _, cut := range v.Cuts {
		if err := l.addCut(cut); err != nil {
			return err
		}
	}
	l.cover(v.Source.GetBytes(), false)
	return l.close()
}

// ledger walks segments and cuts together, in the order of the payload.
type ledger struct {
	*Large
	tiles, pending []*pb.Segment // all segments, and those not yet reached
	offset, line   uint64        // bytes and lines of the payload that are covered
	text           uint64        // bytes of the preview that are covered
	insideEnd      uint64        // end of the last cut inside a segment
	omitted, shown uint64        // bytes that are cut so far, lines that are shown so far
}

// addCut checks that a cut continues where segments and cuts before it end.
func (l *ledger) addCut(c *pb.Cut) error {
	if err := checkCut(c, l.Preview); err != nil {
		return err
	}
	bytes, _ := Omitted(c)
	l.omitted += bytes
	switch {
	case c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE:
		if c.GetByteStart() < l.offset {
			return errors.New("a cut inside a line is inside of another one, or out of order")
		}
		l.insideEnd = max(l.insideEnd, c.GetByteEnd())
		return nil
	case c.GetKind() == pb.CutKind_CUT_KIND_SOURCE_LOSS:
		return nil
	case !BetweenLines(c):
		return l.checkScattered(c)
	}
	l.cover(c.GetByteStart(), true)
	if c.GetByteStart() != l.offset || c.GetFirstLine() != l.line+1 || c.GetPreviewOffset() != l.text || l.insideEnd > l.offset {
		return fmt.Errorf("a cut at byte %d does not continue at byte %d and line %d of the payload, and byte %d of the preview",
			c.GetByteStart(), l.offset, l.line+1, l.text)
	}
	if o := c.GetPreviewOffset(); o > 0 && l.Preview[o-1] != '\n' {
		return errors.New("a cut between lines has its place inside a line")
	}
	l.offset, l.line = c.GetByteEnd(), c.GetLastLine()
	return nil
}

// checkScattered checks that a cut states for each shown line of its range how many
// bytes it omits.
func (l *ledger) checkScattered(c *pb.Cut) error {
	if c.GetByteEnd() > l.Source.GetBytes() {
		return errors.New("a scattered cut ends behind the payload")
	}
	var lines, bytes uint64
	for _, s := range l.tiles {
		first, last := max(s.GetFirstLine(), c.GetFirstLine()), min(s.GetLastLine(), c.GetLastLine())
		lines += max(last+1, first) - first
	}
	for _, n := range c.GetLineBytes() {
		bytes += min(n, c.GetOmittedBytes()+1)
	}
	if uint64(len(c.GetLineBytes())) != lines || bytes != c.GetOmittedBytes() {
		return fmt.Errorf("a scattered cut has line_bytes of %d lines with %d bytes, and %d lines with %d bytes are of its range",
			len(c.GetLineBytes()), bytes, lines, c.GetOmittedBytes())
	}
	return nil
}

// checkCut checks a cut by itself.
func checkCut(c *pb.Cut, preview string) error {
	switch size := c.GetByteEnd() - c.GetByteStart(); {
	case c.GetByteEnd() < c.GetByteStart() || c.GetOmittedBytes() > size:
		return errors.New("a cut leaves out more than its range")
	case Contiguous(c) && (c.GetOmittedBytes() > 0 || c.GetOmittedLines() > 0 || c.GetOccurrences() > 0 || len(c.GetLineBytes()) > 0):
		return errors.New("a contiguous cut leaves out its range, and states no omitted_bytes, omitted_lines, occurrences or line_bytes")
	case BetweenLines(c) && (c.GetFirstLine() == 0 || c.GetLastLine() < c.GetFirstLine()):
		return errors.New("a cut between lines has no lines")
	case c.GetKind() == pb.CutKind_CUT_KIND_SOURCE_LOSS && (size > 0 || len(c.GetLineBytes()) > 0):
		return errors.New("a loss at the source has a range, which is empty")
	case c.GetPreviewOffset() > uint64(len(preview)) || !isRuneBoundary(preview, c.GetPreviewOffset()):
		return errors.New("a cut has its place outside of the preview or inside a character")
	case c.GetOmittedValues() > c.GetTotalValues() || c.GetOmittedValues() == 0 && c.GetTotalValues() > 0:
		return errors.New("a cut leaves out more values than there are, or none of them")
	}
	return nil
}

// cover advances over the segments up to a place in the payload; with strict, over
// those that begin before it. A segment that does not continue stops it, and close
// finds the rest uncovered.
func (l *ledger) cover(place uint64, strict bool) {
	for len(l.pending) > 0 {
		s := l.pending[0]
		if strict && s.GetByteStart() >= place {
			return
		}
		if s.GetByteStart() != l.offset || s.GetByteEnd() < l.offset || s.GetFirstLine() != l.line+1 || s.GetLastLine() < s.GetFirstLine() ||
			s.GetPreviewBytes() > uint64(len(l.Preview))-l.text {
			return // does not tile: close finds the rest uncovered
		}
		l.offset, l.line, l.shown = s.GetByteEnd(), s.GetLastLine(), l.shown+s.GetLastLine()-l.line
		l.text += s.GetPreviewBytes()
		l.pending = l.pending[1:]
	}
}

// close checks the sums.
func (l *ledger) close() error {
	s := l.Source
	switch {
	case l.offset != s.GetBytes() || l.insideEnd > l.offset || len(l.pending) > 0:
		return fmt.Errorf("what is shown and what is cut cover %d of %d bytes", l.offset, s.GetBytes())
	case l.line != s.GetLines():
		return fmt.Errorf("what is shown and what is cut cover %d of %d lines", l.line, s.GetLines())
	case l.shown != s.GetShownLines():
		return fmt.Errorf("%d lines are shown, and shown_lines is %d", l.shown, s.GetShownLines())
	case l.text != uint64(len(l.Preview)):
		return fmt.Errorf("what is shown covers %d of %d bytes of the preview", l.text, len(l.Preview))
	case s.GetVisibleBytes()+l.omitted != s.GetBytes():
		return fmt.Errorf("%d visible bytes and %d left out are not %d", s.GetVisibleBytes(), l.omitted, s.GetBytes())
	}
	return nil
}

// isRuneBoundary reports whether an offset does not split a character.
func isRuneBoundary(text string, at uint64) bool {
	return at == uint64(len(text)) || utf8.RuneStart(text[at])
}

// BetweenLines reports whether a cut omits whole consecutive lines: it lies between
// segments.
func BetweenLines(c *pb.Cut) bool {
	switch c.GetKind() {
	case pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_BINARY, pb.CutKind_CUT_KIND_COMPACTED, pb.CutKind_CUT_KIND_FOLDED:
		return true
	case pb.CutKind_CUT_KIND_REPEATED:
		return c.GetLikeLine() > 0
	}
	return false
}

// Contiguous reports whether a cut omits its whole range, between lines or inside one.
func Contiguous(c *pb.Cut) bool {
	return BetweenLines(c) || c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE
}

// Omitted returns the number of bytes and whole lines of the payload that a cut omits.
// For a contiguous cut they follow from its range.
func Omitted(c *pb.Cut) (bytes, lines uint64) {
	if !Contiguous(c) {
		return c.GetOmittedBytes(), c.GetOmittedLines()
	}
	if BetweenLines(c) && c.GetFirstLine() > 0 && c.GetFirstLine() <= c.GetLastLine() {
		lines = c.GetLastLine() - c.GetFirstLine() + 1
	}
	return c.GetByteEnd() - min(c.GetByteStart(), c.GetByteEnd()), lines
}

// Segments returns the runs of lines that the preview shows, in order: those of the
// source facts or, if there are none, those that follow from the cuts between lines. A
// preview that is its payload has one. With a valid ledger, segments and cuts tile the
// payload; with any other, segments stay inside the preview.
func (v *Large) Segments() []*pb.Segment {
	source := v.Source
	if source == nil {
		source = &pb.SourceFacts{Bytes: uint64(len(v.Preview)), Lines: CountLines(v.Preview)}
	}
	if given := source.GetSegments(); len(given) > 0 {
		return given
	}
	var list []*pb.Segment
	line, start, text := uint64(1), uint64(0), uint64(0) // where the cut before ends, and what lies behind it begins
	closeSegment := func(last, end, offset uint64) {
		if end <= start {
			return
		}
		offset = min(max(offset, text), uint64(len(v.Preview)))
		list = append(list, &pb.Segment{FirstLine: line, LastLine: last, ByteStart: start, ByteEnd: end, PreviewBytes: offset - text})
		text = offset
	}
	for _, c := range v.Cuts {
		if BetweenLines(c) {
			closeSegment(c.GetFirstLine()-1, c.GetByteStart(), c.GetPreviewOffset())
			line, start = c.GetLastLine()+1, c.GetByteEnd()
		}
	}
	closeSegment(source.GetLines(), source.GetBytes(), uint64(len(v.Preview)))
	return list
}

// WithoutSegments removes the segments of all large fields of a result, in place. They
// follow from the cuts.
func (ts Types) WithoutSegments(r *pb.CanonicalToolResult) {
	if r.GetError() != nil {
		withoutSegments(r.GetError().ProtoReflect())
	}
	name, payload := ts.Open(r)
	if payload == nil || !withoutSegments(payload) {
		return
	}
	if t := ts[name]; t != nil {
		r.Result = &pb.CanonicalToolResult_Custom{Custom: t.Wrap(payload)}
	}
}

// withoutSegments removes the segments of a message, and reports whether there were
// any.
func withoutSegments(m protoreflect.Message) (changed bool) {
	Walk("", m, func(_ string, m protoreflect.Message) {
		for _, f := range LargeFields(m.Descriptor()) {
			v := f.Get(m)
			if len(v.Source.GetSegments()) == 0 {
				continue
			}
			v.Source.Segments, changed = nil, true
			f.Set(m, v)
		}
	})
	return changed
}

// CountLines returns the number of lines of a text; a last line without an end counts.
func CountLines(text string) uint64 {
	n := uint64(strings.Count(text, "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
