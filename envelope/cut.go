package envelope

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// BetweenLines reports whether a cut leaves out whole lines that follow each other: it
// lies between segments.
func BetweenLines(c *pb.Cut) bool {
	switch c.GetKind() {
	case pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_BINARY, pb.CutKind_CUT_KIND_COMPACTED, pb.CutKind_CUT_KIND_FOLDED:
		return true
	case pb.CutKind_CUT_KIND_REPEATED:
		return c.GetLikeLine() > 0
	}
	return false
}

// Contiguous reports whether a cut leaves out its whole range, between lines or inside
// of one.
func Contiguous(c *pb.Cut) bool {
	return BetweenLines(c) || c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE
}

// LeftOut returns how many bytes and whole lines of the payload a cut leaves out. Those
// of a contiguous cut follow from its range.
func LeftOut(c *pb.Cut) (bytes, lines uint64) {
	if !Contiguous(c) {
		return c.GetOmittedBytes(), c.GetOmittedLines()
	}
	if BetweenLines(c) && c.GetFirstLine() > 0 && c.GetFirstLine() <= c.GetLastLine() {
		lines = c.GetLastLine() - c.GetFirstLine() + 1
	}
	return c.GetByteEnd() - min(c.GetByteStart(), c.GetByteEnd()), lines
}

// Segments returns the runs of lines that the preview shows, in order: those that the
// source facts have or, where they have none, those that follow from the cuts between
// lines. Of a preview that is its payload it is one. They tile the payload with the cuts
// between lines, if the ledger is valid; of any ledger they are inside of the preview.
func (v *Large) Segments() []*pb.Segment {
	source := v.Source
	if source == nil {
		source = &pb.SourceFacts{Bytes: uint64(len(v.Preview)), Lines: countLines(v.Preview)}
	}
	if given := source.GetSegments(); len(given) > 0 {
		return given
	}
	var list []*pb.Segment
	line, start, text := uint64(1), uint64(0), uint64(0) // where the cut before ends, and what lies behind it begins
	upTo := func(last, end, offset uint64) {
		if end <= start {
			return
		}
		offset = min(max(offset, text), uint64(len(v.Preview)))
		list = append(list, &pb.Segment{FirstLine: line, LastLine: last, ByteStart: start, ByteEnd: end, PreviewBytes: offset - text})
		text = offset
	}
	for _, c := range v.Cuts {
		if BetweenLines(c) {
			upTo(c.GetFirstLine()-1, c.GetByteStart(), c.GetPreviewOffset())
			line, start = c.GetLastLine()+1, c.GetByteEnd()
		}
	}
	upTo(source.GetLines(), source.GetBytes(), uint64(len(v.Preview)))
	return list
}

// WithoutSegments removes the segments of the large fields of a result, in place: the cuts
// say what is shown.
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

// withoutSegments reports whether there were any.
func withoutSegments(m protoreflect.Message) (changed bool) {
	Walk("", m, func(_ string, m protoreflect.Message) {
		fields := LargeFields(m.Descriptor())
		for i := range fields {
			f := &fields[i]
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

func countLines(text string) uint64 {
	n := uint64(strings.Count(text, "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
