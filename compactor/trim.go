package compactor

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Trimming a preview means choosing units, the lines that can go one by one, and
// writing the preview and its ledger again from those that are kept. The old cuts are
// carried over: those between two kept units stay, and those next to a removed unit
// become part of one new cut.

// Costs of saying that something is not shown, in tokens, estimated: a heading with a
// handle and a mark in a receipt of many lines, a handle in a receipt of one
// line, and a smaller extent where there is a handle already. Removing fewer tokens than that would make a receipt
// longer.
const (
	handleTokens = 44
	lineTokens   = 28
	shownTokens  = 8
)

// sizes are the limits that previews are trimmed to, in tokens, one after the other.
// They are few, because each trim rewrites the result, and the prompt from there on.
var sizes = []int{1024, 512, 256, 128, 64, 32, 16}

// sizesTo returns the sizes down to the smallest one, which comes last.
func sizesTo(least int) []int {
	var list []int
	for _, n := range sizes {
		if n > least {
			list = append(list, n)
		}
	}
	return append(list, least)
}

// limits returns the limits that a preview is shortened to, one after the other.
func (t *Target) limits() []int {
	if t.Level == trimmed {
		return sizesTo(t.PreviewTokens)
	}
	return []int{0}
}

// slack returns the excess over a limit, in tokens, that is not worth a cut: the cost
// of saying that something is missing.
func (t *Target) slack(hasHandle bool) int {
	switch {
	case hasHandle && t.Level == trimmed:
		return shownTokens
	case hasHandle:
		return 0 // nothing is shown, so no extent is either
	case t.Level == line:
		return lineTokens
	}
	return handleTokens
}

// previews shortens the large fields of a message.
func (w *work) previews(s *schema, m protoreflect.Message, given proto.Message) {
	for i := range s.large {
		f := &s.large[i]
		if !f.Has(m) || f.Text(m) == "" {
			continue
		}
		v := f.Get(m)
		r := w.rankings.lookup(previewKey{given, i}, &v, w.suspect)
		if r == nil {
			continue
		}
		shorter, ok := w.shorten(&v, r)
		if !ok {
			continue
		}
		if shorter.Artifact == "" {
			shorter.Artifact, shorter.Source.Digest = w.storeLater([]byte(v.Preview))
		}
		if !isCompacted(&v) {
			shorter.Source.Names = namesIn(v.Preview, w.Names)
		}
		f.Set(m, shorter)
		w.changed = true
	}
}

// shorten removes units from a preview until it fits the target. It reports false when
// nothing can be saved.
func (w *work) shorten(v *envelope.Large, r *ranking) (envelope.Large, bool) {
	limits := w.limits()
	k := r.keep(limits, w.slack(v.Truncated && v.Artifact != ""))
	if k == 0 {
		if cut, ok := r.lineAt(limits); ok {
			return cutInside(v, r, cut.head, cut.tail), true
		}
	}
	if k == len(r.units) {
		return envelope.Large{}, false
	}
	kept := make([]bool, len(r.units))
	for _, i := range r.order[:k] {
		kept[i] = true
	}
	return keepUnits(v, r.source, r.units, kept), true
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

// keepUnits returns a preview of the units that are kept, with one cut for each run of
// others.
func keepUnits(v *envelope.Large, source *pb.SourceFacts, units []unit, kept []bool) envelope.Large {
	b := builder{old: v, source: source}
	b.cuts, b.scattered, b.losses = splitCuts(v.Cuts)
	b.left = make([]*pb.Cut, len(b.scattered))
	for i := range units {
		b.scatter(&units[i], kept[i])
		if kept[i] {
			b.keep(&units[i])
		} else {
			b.pendingRemoval = true
		}
	}
	b.gap(source.GetLines()+1, source.GetBytes())
	return b.finish()
}

// splitCuts separates the cuts of a preview: contiguous ones in the order of the
// payload, scattered ones, and losses at the source.
func splitCuts(all []*pb.Cut) (cuts []*pb.Cut, scattered []scatter, losses []*pb.Cut) {
	for _, c := range all {
		switch {
		case c.GetKind() == pb.CutKind_CUT_KIND_SOURCE_LOSS:
			losses = append(losses, c)
		case envelope.Contiguous(c):
			cuts = append(cuts, c)
		default:
			scattered = append(scattered, scatter{Cut: c})
		}
	}
	return cuts, scattered, losses
}

// builder writes a preview and its ledger from the units that are kept. It walks over
// the old units and cuts in the order of the payload.
type builder struct {
	old            *envelope.Large
	source         *pb.SourceFacts
	cuts           []*pb.Cut // contiguous cuts of the old preview, not yet reached
	losses         []*pb.Cut // losses at the source, not yet reached: they stay, whatever is removed
	scattered      []scatter
	left           []*pb.Cut // by scattered cut: what remains of it; nil for nothing
	text           strings.Builder
	segments       []*pb.Segment
	clean          bool // the last segment may grow
	ledger         []*pb.Cut
	pendingRemoval bool   // units were removed since the last one that is kept
	line           uint64 // last line that segments and cuts cover
	endByte        uint64 // last byte that they cover
	wholeFrom      uint64 // first line after the last cut of this compaction
}

// keep appends a unit, with the cuts inside it.
func (b *builder) keep(u *unit) {
	b.gap(u.first, u.start)
	at := uint64(b.text.Len())
	b.placeLosses(u, at)
	for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < u.end {
		c := b.nextCut()
		c.PreviewOffset = c.GetPreviewOffset() - uint64(u.from) + at
		b.ledger = append(b.ledger, c)
	}
	b.text.WriteString(b.old.Preview[u.from:u.to])
	b.segment(u)
	b.line, b.endByte = u.last, u.end
}

// scatter keeps the part of the scattered cuts that lies in a unit, if the unit is
// kept. The range of a cut stays.
func (b *builder) scatter(u *unit, kept bool) {
	for i := range b.scattered {
		c := &b.scattered[i]
		bytes := c.next(u.first, u.last)
		if !kept || len(bytes) == 0 {
			continue
		}
		if b.left[i] == nil {
			b.left[i] = proto.CloneOf(c.Cut)
			b.left[i].LineBytes, b.left[i].OmittedBytes = nil, 0
			b.left[i].PreviewOffset = uint64(b.text.Len()) + max(c.GetPreviewOffset(), uint64(u.from)) - uint64(u.from)
		}
		b.left[i].LineBytes = append(b.left[i].LineBytes, bytes...)
		for _, n := range bytes {
			b.left[i].OmittedBytes += n
		}
	}
}

// segment adds a unit to the segments: the last segment grows, if both are clean and
// have the same score.
func (b *builder) segment(u *unit) {
	length := uint64(u.to - u.from)
	if n := len(b.segments); n > 0 && b.clean && u.clean {
		if s := b.segments[n-1]; s.GetByteEnd() == u.start && s.GetReason() == u.reason && s.GetScore() == u.score {
			s.LastLine, s.ByteEnd, s.PreviewBytes = u.last, u.end, s.GetPreviewBytes()+length
			return
		}
	}
	b.clean = u.clean
	b.segments = append(b.segments, &pb.Segment{
		FirstLine: u.first, LastLine: u.last, ByteStart: u.start, ByteEnd: u.end,
		PreviewBytes: length, Reason: u.reason, Score: u.score,
	})
}

// placeLosses places the losses up to the end of a unit.
func (b *builder) placeLosses(u *unit, at uint64) {
	for len(b.losses) > 0 && b.losses[0].GetPreviewOffset() < uint64(u.to) {
		c := proto.CloneOf(b.losses[0])
		c.PreviewOffset = at + max(c.GetPreviewOffset(), uint64(u.from)) - uint64(u.from)
		b.ledger, b.losses = append(b.ledger, c), b.losses[1:]
	}
}

// nextCut takes a copy of the next cut.
func (b *builder) nextCut() *pb.Cut {
	c := proto.CloneOf(b.cuts[0])
	b.cuts = b.cuts[1:]
	return c
}

// gap accounts for everything before a line: with one cut if units were removed there,
// and with the old cuts otherwise.
func (b *builder) gap(line, start uint64) {
	if b.pendingRemoval {
		for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < start {
			b.cuts = b.cuts[1:]
		}
		b.compacted(line-1, start)
		b.wholeFrom, b.pendingRemoval = line, false
		return
	}
	for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < start {
		c := b.nextCut()
		if c.GetLikeLine() > 0 && c.GetLikeLine() < b.wholeFrom {
			b.compacted(c.GetLastLine(), c.GetByteEnd()) // the lines that these repeat are gone
			continue
		}
		c.PreviewOffset = uint64(b.text.Len())
		b.ledger = append(b.ledger, c)
		b.line, b.endByte = c.GetLastLine(), c.GetByteEnd()
	}
}

// compacted adds the cut of everything up to a line.
func (b *builder) compacted(last, end uint64) {
	b.ledger = append(b.ledger, &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_COMPACTED, PreviewOffset: uint64(b.text.Len()),
		FirstLine: b.line + 1, LastLine: last, ByteStart: b.endByte, ByteEnd: end,
	})
	b.line, b.endByte = last, end
}

// finish returns the preview, with the sums of its ledger.
func (b *builder) finish() envelope.Large {
	facts := withSegments(b.source, b.segments)
	facts.VisibleBytes, facts.ShownLines = b.source.GetBytes(), 0
	for _, s := range b.segments {
		facts.ShownLines += s.GetLastLine() - s.GetFirstLine() + 1
	}
	for _, c := range b.left {
		if c.GetOmittedBytes() > 0 {
			b.ledger = append(b.ledger, c)
		}
	}
	for _, c := range b.ledger {
		bytes, _ := envelope.Omitted(c)
		facts.VisibleBytes -= bytes
	}
	for _, c := range b.losses {
		c = proto.CloneOf(c)
		c.PreviewOffset = uint64(b.text.Len())
		b.ledger = append(b.ledger, c)
	}
	slices.SortStableFunc(b.ledger, func(x, y *pb.Cut) int { return cmp.Compare(x.GetByteStart(), y.GetByteStart()) })
	return envelope.Large{
		Preview: b.text.String(), Truncated: true, Artifact: b.old.Artifact, Cuts: b.ledger, Source: facts,
	}
}

// withSegments returns a shallow copy of source facts with other segments.
func withSegments(source *pb.SourceFacts, segments []*pb.Segment) *pb.SourceFacts {
	facts := &pb.SourceFacts{}
	source.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		facts.ProtoReflect().Set(f, v)
		return true
	})
	facts.ProtoReflect().SetUnknown(source.ProtoReflect().GetUnknown())
	facts.Segments = segments
	return facts
}
