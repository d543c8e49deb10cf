package envelope

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// checkPayload checks every artifact index and every ledger of a payload.
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
	fields, lists := LargeFields(m.Descriptor()), LargeLists(m.Descriptor())
	checkArtifacts(c, m)
	for i := range fields {
		f := &fields[i]
		v := f.Get(m)
		if n := m.Get(f.artifacts).List().Len(); v.Source != nil && v.Source.OriginalArtifact != nil && int64(v.Source.GetOriginalArtifact()) >= int64(n) {
			c.Fail(f.Name+suffixSource, pb.ErrorReason_ERROR_REASON_ARTIFACT_INDEX_INVALID, "names artifact %d of %d", v.Source.GetOriginalArtifact(), n)
		}
		if err := checkLedger(v); err != nil {
			c.Fail(f.Name+suffixCuts, reason, "%v", err)
		}
	}
	for i := range lists {
		v := lists[i].Get(m)
		if v.Shown > v.Total || v.Shown < v.Total && !v.Truncated {
			c.Fail(lists[i].Name+suffixTotal, reason, "is %d, and %d elements are shown", v.Total, v.Shown)
		}
	}
}

// checkArtifacts checks that every index names an artifact, and each its own.
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

// isIndex reports whether a field of a message with artifacts is an index there.
func isIndex(f protoreflect.FieldDescriptor) bool {
	return strings.HasSuffix(string(f.Name()), suffixArtifact) && f.Kind() == protoreflect.Uint32Kind && !f.IsList()
}

// checkLedger checks that preview, cuts and source facts add up; see
// ledger.proto for the rules.
func checkLedger(v Large) error {
	if v.Source == nil {
		if len(v.Cuts) > 0 || v.Truncated {
			return errors.New("a preview with cuts needs source facts")
		}
		return nil
	}
	l := ledger{Large: v}
	for _, cut := range v.Cuts {
		if err := l.take(cut); err != nil {
			return err
		}
	}
	l.segmentsUpTo(v.Source.GetBytes(), false)
	return l.close()
}

// ledger walks segments and cuts together, in the order of the payload.
type ledger struct {
	Large
	at, text uint64 // how far payload and preview are covered
	next     int    // the next segment
	leftOut  uint64
}

// take books a cut.
func (l *ledger) take(c *pb.Cut) error {
	if c.GetByteEnd() < c.GetByteStart() || c.GetLeftOutBytes() > c.GetByteEnd()-c.GetByteStart() {
		return errors.New("a cut leaves out more than its range")
	}
	if c.GetPreviewOffset() > uint64(len(l.Preview)) || !onRune(l.Preview, c.GetPreviewOffset()) {
		return errors.New("a cut has its place outside of the preview or inside a character")
	}
	if c.GetLeftOutValues() > c.GetOfValues() || c.GetLeftOutValues() == 0 && c.GetOfValues() > 0 {
		return errors.New("a cut leaves out more values than there are, or none of them")
	}
	l.leftOut += c.GetLeftOutBytes()
	if !Contiguous(c) {
		return nil
	}
	l.segmentsUpTo(c.GetByteStart(), true)
	if c.GetByteStart() != l.at || c.GetLeftOutBytes() != c.GetByteEnd()-c.GetByteStart() || c.GetPreviewOffset() != l.text {
		return fmt.Errorf("a cut at byte %d does not continue at byte %d of the payload and %d of the preview",
			c.GetByteStart(), l.at, l.text)
	}
	if o := c.GetPreviewOffset(); o > 0 && l.Preview[o-1] != '\n' {
		return errors.New("a cut between lines has its place inside a line")
	}
	l.at = c.GetByteEnd()
	return nil
}

// Contiguous reports whether a cut lies between segments and leaves out its whole
// range.
func Contiguous(c *pb.Cut) bool {
	switch c.GetKind() {
	case pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_BINARY, pb.CutKind_CUT_KIND_COMPACTED, pb.CutKind_CUT_KIND_FOLDED:
		return true
	case pb.CutKind_CUT_KIND_REPEATED:
		return c.GetLikeLine() > 0
	}
	return false
}

// segmentsUpTo covers the segments that follow each other up to a place.
func (l *ledger) segmentsUpTo(place uint64, strict bool) {
	segments := l.Source.GetSegments()
	for ; l.next < len(segments); l.next++ {
		s := segments[l.next]
		if strict && s.GetByteStart() >= place {
			return
		}
		if s.GetByteStart() != l.at || s.GetByteEnd() < l.at || s.GetFirstLine() > s.GetLastLine() ||
			s.GetPreviewBytes() > uint64(len(l.Preview))-l.text {
			return // does not tile: close finds the rest uncovered
		}
		l.at = s.GetByteEnd()
		l.text += s.GetPreviewBytes()
	}
}

// close checks the sums.
func (l *ledger) close() error {
	s := l.Source
	switch {
	case l.at != s.GetBytes() || l.next != len(s.GetSegments()):
		return fmt.Errorf("segments and cuts cover %d of %d bytes", l.at, s.GetBytes())
	case l.text != uint64(len(l.Preview)):
		return fmt.Errorf("segments cover %d of %d bytes of the preview", l.text, len(l.Preview))
	case s.GetVisibleBytes()+l.leftOut != s.GetBytes():
		return fmt.Errorf("%d visible bytes and %d left out are not %d", s.GetVisibleBytes(), l.leftOut, s.GetBytes())
	}
	return nil
}

func onRune(text string, at uint64) bool {
	return at == uint64(len(text)) || utf8.RuneStart(text[at])
}
