package compactor

import (
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// handleTokens is what a marker and the heading of a cut preview cost, about.
// Taking away less than that would make a receipt longer.
const handleTokens = 64

// shorten removes segments from the middle of a preview until it costs what the
// level allows. It reports false where there is nothing to win, or where what
// would go could not be read any more.
func (c *compaction) shorten(v *envelope.Large) (envelope.Large, bool) {
	limit := 0
	if c.Level == pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED {
		limit = c.PreviewTokens
	}
	if v.Artifact == "" && !isPayload(v) || c.Counter.Count(v.Preview) <= limit+handleTokens {
		return envelope.Large{}, false
	}
	source := v.Source
	if source == nil {
		source = factsOf(v.Preview)
	}
	head, tail := c.keep(v.Preview, source.GetSegments(), limit)
	if head+tail == 0 && limit > 0 {
		if shorter, ok := c.shortenLine(v, source, limit); ok {
			return shorter, true
		}
	}
	if head+tail == len(source.GetSegments()) {
		return envelope.Large{}, false
	}
	return without(v, source, head, tail), true
}

// isPayload reports whether a preview is its payload, byte for byte.
func isPayload(v *envelope.Large) bool {
	for _, cut := range v.Cuts {
		if cut.GetKind() != pb.CutKind_CUT_KIND_SOURCE_LOSS {
			return false
		}
	}
	return v.Source.GetReplacedBytes() == 0 && v.Source.GetEscapedBytes() == 0
}

// factsOf are the facts of a payload that is shown as it is.
func factsOf(text string) *pb.SourceFacts {
	s := &pb.SourceFacts{Bytes: uint64(len(text)), VisibleBytes: uint64(len(text)), Encoding: pb.TextEncoding_TEXT_ENCODING_UTF8}
	for _, p := range preview.Split(text) {
		s.Segments = append(s.Segments, &pb.Segment{
			FirstLine: uint64(p.FirstLine), LastLine: uint64(p.LastLine),
			ByteStart: uint64(p.ByteStart), ByteEnd: uint64(p.ByteEnd), PreviewBytes: uint64(p.PreviewBytes),
		})
		s.Lines = uint64(p.LastLine)
	}
	s.ShownLines = s.GetLines()
	return s
}

// tailsPerHead is how many segments from the end are kept for one from the
// start: logs end with what matters.
const tailsPerHead = 3

// keep returns how many segments to keep at the start and at the end. Segments
// are taken in an order that does not depend on the limit, up to the first that
// does not fit; so a smaller limit keeps a part of what a larger one keeps, and
// two steps keep no other segments than one.
func (c *compaction) keep(text string, segments []*pb.Segment, limit int) (head, tail int) {
	headAt, tailAt := uint64(0), uint64(len(text))
	for n := 0; head+tail < len(segments); n++ {
		fromHead := n%(tailsPerHead+1) == tailsPerHead-1
		s := segments[len(segments)-1-tail]
		piece := text[tailAt-s.GetPreviewBytes() : tailAt]
		if fromHead {
			s = segments[head]
			piece = text[headAt : headAt+s.GetPreviewBytes()]
		}
		if limit -= c.Counter.Count(piece); limit < 0 {
			return head, tail
		}
		if fromHead {
			head, headAt = head+1, headAt+s.GetPreviewBytes()
		} else {
			tail, tailAt = tail+1, tailAt-s.GetPreviewBytes()
		}
	}
	return head, tail
}

// without makes the preview of the first head and the last tail segments, with
// one cut for all that lies between them.
func without(v *envelope.Large, source *pb.SourceFacts, head, tail int) envelope.Large {
	segments := source.GetSegments()
	firsts, lasts := segments[:head], segments[len(segments)-tail:]
	cut := gap(source, firsts, lasts)
	tailAt := uint64(len(v.Preview)) - previewBytes(lasts)
	removed := tailAt - cut.GetPreviewOffset()

	facts := &pb.SourceFacts{
		Bytes: source.GetBytes(), Lines: source.GetLines(), Encoding: source.GetEncoding(), Digest: source.GetDigest(),
		ReplacedBytes: source.GetReplacedBytes(), EscapedBytes: source.GetEscapedBytes(), ControlStrings: source.GetControlStrings(),
		Invisible: source.GetInvisible(), SourceLoss: source.GetSourceLoss(),
		Segments: append(append([]*pb.Segment{}, firsts...), lasts...),
	}
	facts.VisibleBytes = facts.GetBytes()
	for _, s := range facts.GetSegments() {
		facts.ShownLines += s.GetLastLine() - s.GetFirstLine() + 1
	}
	var cuts []*pb.Cut
	for _, c := range withGap(v.Cuts, cut) {
		if c != cut && c.GetByteStart() >= cut.GetByteEnd() {
			c.PreviewOffset = max(c.GetPreviewOffset(), tailAt) - removed
		} else if c != cut {
			c.PreviewOffset = min(c.GetPreviewOffset(), cut.GetPreviewOffset())
		}
		facts.VisibleBytes -= c.GetLeftOutBytes()
		cuts = append(cuts, c)
	}
	return envelope.Large{
		Preview:   v.Preview[:cut.GetPreviewOffset()] + v.Preview[tailAt:],
		Truncated: true, Artifact: v.Artifact, Cuts: cuts, Source: facts,
	}
}

// gap is the cut between the segments that are kept.
func gap(source *pb.SourceFacts, firsts, lasts []*pb.Segment) *pb.Cut {
	cut := &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_COMPACTED, Occurrences: 1, PreviewOffset: previewBytes(firsts),
		FirstLine: 1, LastLine: source.GetLines(), ByteEnd: source.GetBytes(),
	}
	if n := len(firsts); n > 0 {
		cut.FirstLine, cut.ByteStart = firsts[n-1].GetLastLine()+1, firsts[n-1].GetByteEnd()
	}
	if len(lasts) > 0 {
		cut.LastLine, cut.ByteEnd = lasts[0].GetFirstLine()-1, lasts[0].GetByteStart()
	}
	cut.LeftOutBytes = cut.GetByteEnd() - cut.GetByteStart()
	cut.LeftOutLines = cut.GetLastLine() - cut.GetFirstLine() + 1
	return cut
}

func previewBytes(segments []*pb.Segment) (n uint64) {
	for _, s := range segments {
		n += s.GetPreviewBytes()
	}
	return n
}

// withGap puts a cut into its place among those that stay: cuts outside of its
// range, and what was lost at the source, wherever that was.
func withGap(cuts []*pb.Cut, gap *pb.Cut) []*pb.Cut {
	var list []*pb.Cut
	placed := false
	for _, c := range cuts {
		inside := c.GetByteStart() >= gap.GetByteStart() && c.GetByteEnd() <= gap.GetByteEnd()
		if inside && c.GetKind() != pb.CutKind_CUT_KIND_SOURCE_LOSS {
			continue
		}
		if !placed && c.GetByteStart() >= gap.GetByteEnd() {
			list, placed = append(list, gap), true
		}
		list = append(list, c)
	}
	if !placed {
		list = append(list, gap)
	}
	return list
}
