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

// What a handle costs that stands for a preview, about, in a receipt of many lines and
// in one of one line, and what it costs to say that less is shown, where there is a
// handle already. Taking away less would make a receipt longer.
const (
	handleTokens = 64
	lineTokens   = 28
	shownTokens  = 16
)

// sizes are the sizes, in tokens, that previews are trimmed to, one after the other: few,
// because each rewrites the result, and the prompt from there on.
var sizes = []int{1024, 512, 256, 128, 64, 32, 16}

// sizesDownTo returns the sizes down to a smallest one.
func sizesDownTo(least int) []int {
	var list []int
	for _, n := range sizes {
		if n > least {
			list = append(list, n)
		}
	}
	return append(list, least)
}

// limits are what a preview is brought to, one after the other.
func (t *Target) limits() []int {
	if t.Level == trimmed {
		return sizesDownTo(t.PreviewTokens)
	}
	return []int{0}
}

// slack is how much more than a limit something may have: what it costs to say that it
// is not all.
func (t *Target) slack(hasHandle bool) int {
	switch {
	case hasHandle && t.Level == trimmed:
		return shownTokens
	case hasHandle:
		return 0 // nothing is shown, and so there is nothing to say of it
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
		r := w.rankings.of(previewKey{given, i}, &v, w.failed)
		if r == nil {
			continue
		}
		shorter, ok := w.shorten(&v, r)
		if !ok {
			continue
		}
		if shorter.Artifact == "" {
			shorter.Artifact, shorter.Source.Digest = w.keep([]byte(v.Preview))
		}
		f.Set(m, shorter)
		w.changed = true
	}
}

// shorten takes units out of a preview until it costs what the target allows. It
// reports false where there is nothing to win.
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
	return without(v, r.source, r.units, kept), true
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

// without makes the preview of the units that are kept, with one cut wherever others
// were.
func without(v *envelope.Large, source *pb.SourceFacts, units []unit, kept []bool) envelope.Large {
	b := builder{old: v, source: source}
	b.cuts, b.scattered, b.losses = apart(v.Cuts)
	b.left = make([]*pb.Cut, len(b.scattered))
	for i := range units {
		b.scatter(&units[i], kept[i])
		if kept[i] {
			b.keep(&units[i])
		} else {
			b.removed = true
		}
	}
	b.gap(source.GetLines()+1, source.GetBytes())
	return b.finish()
}

// apart parts the cuts of a preview: those in the order of the payload, the scattered ones,
// and losses at the source.
func apart(all []*pb.Cut) (cuts []*pb.Cut, scattered []scatter, losses []*pb.Cut) {
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

// builder puts the preview together that is left.
type builder struct {
	old       *envelope.Large
	source    *pb.SourceFacts
	cuts      []*pb.Cut // of the old preview that are still to come
	losses    []*pb.Cut // at the source: they stay, whatever goes
	scattered []scatter
	left      []*pb.Cut // what is left of each scattered one; nil for nothing
	text      strings.Builder
	segments  []*pb.Segment
	clean     bool // whether the last segment may grow
	ledger    []*pb.Cut
	removed   bool   // whether units were taken away since the last one that was kept
	line      uint64 // the last line that segments and cuts cover
	end       uint64 // the last byte
	whole     uint64 // the first line of those that are shown without a gap of ours
}

// keep appends a unit.
func (b *builder) keep(u *unit) {
	b.gap(u.first, u.start)
	at := uint64(b.text.Len())
	b.lost(u, at)
	for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < u.end {
		c := b.next()
		c.PreviewOffset = c.GetPreviewOffset() - uint64(u.from) + at
		b.ledger = append(b.ledger, c)
	}
	b.text.WriteString(b.old.Preview[u.from:u.to])
	b.segment(u)
	b.line, b.end = u.last, u.end
}

// scatter takes of the scattered cuts what they leave out of a unit, if it is kept. The
// range of the cut stays.
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

// segment makes a segment of a unit, or makes the last one longer.
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

// lost gives losses their places, up to the end of a unit.
func (b *builder) lost(u *unit, at uint64) {
	for len(b.losses) > 0 && b.losses[0].GetPreviewOffset() < uint64(u.to) {
		c := proto.CloneOf(b.losses[0])
		c.PreviewOffset = at + max(c.GetPreviewOffset(), uint64(u.from)) - uint64(u.from)
		b.ledger, b.losses = append(b.ledger, c), b.losses[1:]
	}
}

// next takes a copy of the next cut.
func (b *builder) next() *pb.Cut {
	c := proto.CloneOf(b.cuts[0])
	b.cuts = b.cuts[1:]
	return c
}

// gap books what lies before a line: one cut if units were there, and otherwise the
// cuts that there were.
func (b *builder) gap(line, start uint64) {
	if b.removed {
		for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < start {
			b.cuts = b.cuts[1:]
		}
		b.compacted(line-1, start)
		b.whole, b.removed = line, false
		return
	}
	for len(b.cuts) > 0 && b.cuts[0].GetByteStart() < start {
		c := b.next()
		if c.GetLikeLine() > 0 && c.GetLikeLine() < b.whole {
			b.compacted(c.GetLastLine(), c.GetByteEnd()) // those that its lines are like are gone
			continue
		}
		c.PreviewOffset = uint64(b.text.Len())
		b.ledger = append(b.ledger, c)
		b.line, b.end = c.GetLastLine(), c.GetByteEnd()
	}
}

// compacted books that everything up to a line was taken away.
func (b *builder) compacted(last, end uint64) {
	b.ledger = append(b.ledger, &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_COMPACTED, PreviewOffset: uint64(b.text.Len()),
		FirstLine: b.line + 1, LastLine: last, ByteStart: b.end, ByteEnd: end,
	})
	b.line, b.end = last, end
}

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
		bytes, _ := envelope.LeftOut(c)
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

// withSegments copies facts with other segments.
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
