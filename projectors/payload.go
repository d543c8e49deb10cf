package projectors

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// A payload is the part of a projection that most outputs consist of: bytes of any
// size that become a preview with a ledger. Selecting lines is the business of package
// preview. This file decides in which form the bytes are shown, stores them when the
// preview is not all of them, and states the ledger in the terms of the contract.

// payload is a complete payload that becomes a large field.
type payload struct {
	field      *envelope.LargeField
	into       protoreflect.Message // the canonical message with the field
	blob       artifactstore.Blob
	inline     []byte // its bytes, if they are in memory; nil for others
	loss       *pb.SourceLoss
	redactions []*pb.Redaction // of its secrets
	excerpt    excerpt
	stored     artifactstore.Ref // zero until the payload is stored
	shown      *preview.Preview  // the preview of the last round
	hints      preview.Hints     // what is known of the payload beside its bytes
	derived    bool              // the bytes are not those that were given, so their digest is always stated

	isPage      bool                // it is the text of a page as HTML
	lookedAt    lookedAt            // how it was tried to be text
	decoded     bool                // it was decoded, drawn or lifted, and the payload as it was given is originalRef
	mayRead     bool                // it is shown as text, and in its readable form, if it has one
	tried       [len(readings)]bool // the ways in which it was tried to be read
	sampled     bool                // and as a large list
	readable    preview.Readable    // its readable form, which is shown; nil for others
	originalRef artifactstore.Ref   // the payload as it was given, where something else is shown

	parts *[]*pb.PayloadPart // folders and files of its lines, once they were counted; nil before

	written  originalSize // size as the tool wrote it, where the bytes were made of that; zero otherwise
	original originalSize // the same, where a readable form is shown; zero otherwise

	omitted, counted *preview.Counts // of all payloads, nil if counting is off; and the share of this one
}

// originalSize is the size of a payload as the tool wrote it.
type originalSize struct{ bytes, lines int64 }

// countWritten returns the size of content. A last line without an end counts.
func countWritten(content []byte) originalSize {
	lines := int64(bytes.Count(content, []byte{'\n'}))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	return originalSize{int64(len(content)), lines}
}

// excerpt is a payload of which previews can be selected: preview.Excerpt,
// preview.JSON or preview.Readable.
type excerpt interface {
	Bytes() int64
	Select(b preview.Budget, c tokens.Counter, f preview.Hints) *preview.Preview
}

// fields holds the large fields of a canonical message by name.
type fields map[string]*envelope.LargeField

// newFields returns the large fields of a message.
func newFields(m protoreflect.ProtoMessage) fields {
	byName := fields{}
	list := envelope.LargeFields(m.ProtoReflect().Descriptor())
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	return byName
}

// add appends a payload as a part, if it was captured.
func (f fields) add(list []part, name string, into protoreflect.Message, p *pb.Payload, in *Input, hints preview.Hints) []part {
	if p == nil {
		return list
	}
	one := newPayload(f[name], into, p, in, hints)
	one.mayRead = true
	return append(list, one)
}

// newPayload returns a payload that becomes a large field. A stream has an excerpt
// already.
func newPayload(field *envelope.LargeField, into protoreflect.Message, p *pb.Payload, in *Input, hints preview.Hints) *payload {
	if hints.Rules == nil {
		hints.Rules = in.Rules
	}
	made := &payload{field: field, into: into, loss: p.GetSourceLoss(), redactions: p.GetRedactions(), hints: hints, omitted: in.Omitted}
	if s, ok := in.Streams[Key(p)]; ok {
		made.blob, made.excerpt = s.Blob, s.Excerpt
		return made
	}
	made.blob, made.inline = artifactstore.BytesBlob(p.GetInline()), p.GetInline()
	made.excerpt = preview.FromCommand(p.GetInline(), in.Policy.Budget.Tokens, hints.Rules)
	return made
}

// content returns the bytes of the payload, which nobody may change.
func (p *payload) content() ([]byte, error) {
	if p.inline != nil {
		return p.inline, nil
	}
	return artifactstore.Content(p.blob)
}

// release gives the memory of the excerpt back. Of a stream it belongs to the caller.
func (p *payload) release() {
	if e, ok := p.excerpt.(*preview.Excerpt); ok && p.inline != nil {
		e.Release()
	}
}

// maxRedactions bounds the kinds of redactions of one payload.
const maxRedactions = 64

// checkPayload checks what a caller states about a payload.
func checkPayload(c envelope.Checker, field string, p *pb.Payload, in *Input) {
	const reason = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	size, ok := in.size(p)
	if !ok {
		c.Fail(field+".stream", reason, "names a stream that there is not")
	} else if at := p.GetSourceLoss().GetAtByte(); at > uint64(size) {
		c.Fail(field+".source_loss.at_byte", reason, "is %d, and %d bytes arrived", at, size)
	}
	if n := len(p.GetRedactions()); n > maxRedactions {
		c.Fail(field+".redactions", reason, "has %d kinds, at most %d are allowed", n, maxRedactions)
		return
	}
	for i, r := range p.GetRedactions() {
		at := c.At(fmt.Sprintf("%s.redactions[%d]", field, i))
		at.Name("kind", r.GetKind(), true)
		if r.GetCount() == 0 || r.GetCount() > math.MaxInt64 {
			at.Fail("count", reason, "is %d", r.GetCount())
		}
	}
}

func (p *payload) bytes() int64    { return p.excerpt.Bytes() }
func (p *payload) truncated() bool { return p.shown.Truncated() || p.loss != nil }

// show writes a preview into the canonical message, and stores the payload if the
// preview is not all of it.
func (p *payload) show(ctx context.Context, share envelope.Cost, policy Policy, sink artifactstore.Sink) error {
	budget := preview.Budget{
		Tokens: share.Tokens, Lines: share.Lines, Bytes: share.Bytes, LineBytes: policy.LineBytes,
		BeforeTokens: policy.Counter.Count(policy.BeforeLine), BeforeBytes: len(policy.BeforeLine),
	}
	hints := p.hints
	hints.HeadPercent, hints.Focus = policy.HeadPercent, policy.Focus
	v := p.excerpt.Select(budget, policy.Counter, hints)
	again, err := p.asText(ctx, v, policy, sink)
	if err != nil {
		return err
	}
	if again {
		v = p.excerpt.Select(budget, policy.Counter, hints)
	}
	if again, err = p.lift(ctx, v, policy, sink); err != nil {
		return err
	}
	if again {
		v = p.excerpt.Select(budget, policy.Counter, hints)
	}
	if p.mayRead && hints.HeadPercent < 100 {
		asWritten := p.readable == nil
		if err := p.read(ctx, v, hints, policy, sink); err != nil {
			return err
		}
		if asWritten && p.readable != nil {
			v = p.excerpt.Select(budget, policy.Counter, hints)
		}
	}
	if p.stored.Path == "" && p.blob.Size() > 0 && (policy.KeepAll || !v.Whole() || p.readable != nil || p.decoded || v.Shape == shape.Records) {
		ref, err := sink.Put(ctx, p.blob)
		if err != nil {
			return err
		}
		p.stored = ref
	}
	p.shown = v
	p.count(v)
	large := envelope.Large{Preview: v.Text, Truncated: p.truncated(), Artifact: p.stored.Path}
	if !v.Whole() || p.loss != nil || len(p.redactions) > 0 || p.derived && p.stored.Path != "" {
		large.Cuts, large.Source = p.ledger(v)
	}
	if share.Tokens >= leastCounted && v.ShownLines() < v.Lines {
		large.Source.Parts = p.countParts(hints)
	}
	p.field.Set(p.into, large)
	if p.readable != nil || p.decoded {
		large.Source.OriginalArtifact = new(envelope.AddArtifact(p.into, p.originalRef.Path))
	}
	return nil
}

// leastCounted is the share of a payload, in tokens, from which on its lines are counted
// by folder: the counts cost about fifty.
const leastCounted = 400

// maxPartName bounds the name of a part, in bytes, as ledger.proto states it.
const maxPartName = 128

// countParts counts the lines of a search or a listing by folder, once.
func (p *payload) countParts(f preview.Hints) []*pb.PayloadPart {
	text, ok := p.excerpt.(*preview.Excerpt)
	if !ok {
		return nil
	}
	if p.parts == nil {
		p.parts = new([]*pb.PayloadPart)
		for _, part := range text.Parts(f) {
			made := &pb.PayloadPart{Name: oneLine(part.Name, maxPartName), Lines: uint64(part.Lines)}
			if part.Name == "" {
				made.Others = uint64(part.Parts)
			}
			*p.parts = append(*p.parts, made)
		}
	}
	return *p.parts
}

// count adds the salient lines that a preview omits to the counts of all payloads, in
// place of those of the preview before.
func (p *payload) count(v *preview.Preview) {
	if p.omitted == nil {
		return
	}
	for i := range v.Omitted {
		p.omitted[i] += v.Omitted[i]
		if p.counted != nil {
			p.omitted[i] -= p.counted[i]
		}
	}
	p.counted = &v.Omitted
}

// fitsWhole implements counted. The payload has an excerpt of all of it afterwards if
// it fits.
func (p *payload) fitsWhole(policy Policy) (bool, error) {
	text, ok := p.excerpt.(*preview.Excerpt)
	if !ok || p.loss != nil {
		return false, nil
	}
	content, err := p.content()
	if err != nil {
		return false, err
	}
	before := policy.Counter.Count(policy.BeforeLine)
	whole := text.Whole(content, preview.Budget{
		Tokens: policy.Budget.Tokens, Lines: limit(policy.Budget.Lines), Bytes: limit(policy.Budget.Bytes), LineBytes: policy.LineBytes,
		BeforeTokens: before, BeforeBytes: len(policy.BeforeLine),
	}, policy.Counter, p.hints.Rules)
	if whole == nil {
		return false, nil
	}
	p.excerpt = whole
	return true, nil
}

// hasAll implements counted.
func (p *payload) hasAll() bool {
	text, ok := p.excerpt.(*preview.Excerpt)
	return !ok || text.HasAll()
}

// omits reports whether a preview has a cut of one of some kinds.
func omits(v *preview.Preview, kinds ...preview.CutKind) bool {
	return slices.ContainsFunc(v.Cuts, func(c preview.Cut) bool { return slices.Contains(kinds, c.Kind) })
}

// cost implements part.
func (p *payload) cost(policy Policy) envelope.Cost {
	return envelope.Cost{Tokens: policy.Counter.Count(p.shown.Text), Lines: int(p.shown.ShownLines()), Bytes: len(p.shown.Text)}
}

// ledger returns the cuts and source facts of a preview in the terms of the contract.
func (p *payload) ledger(v *preview.Preview) ([]*pb.Cut, *pb.SourceFacts) {
	source := &pb.SourceFacts{
		Bytes: uint64(v.Bytes), Lines: uint64(v.Lines), ShownLines: uint64(v.ShownLines()),
		VisibleBytes: uint64(v.VisibleBytes()), Encoding: encodings[v.Encoding],
		ReplacedBytes: uint64(v.ReplacedBytes), EscapedBytes: uint64(v.EscapedBytes), ControlStrings: uint64(v.Strings),
		Digest: p.stored.Digest, SourceLoss: p.loss, Shape: pb.PayloadShape(v.Shape),
		Redactions: p.redactions, OriginalBytes: uint64(p.original.bytes), OriginalLines: uint64(p.original.lines),
	}
	if i := v.Invisible; i != (textscan.Invisible{}) {
		source.Invisible = &pb.InvisibleCharacters{
			Tags: uint64(i.Tags), Bidi: uint64(i.Bidi), ZeroWidth: uint64(i.ZeroWidth), CombiningMarks: uint64(i.Marks),
		}
	}
	if text, ok := p.excerpt.(*preview.Excerpt); ok && v.Omitted != (preview.Counts{}) && text.IsLog(p.hints) {
		source.UnshownFindings = unshown(v)
	}
	for _, s := range v.Segments {
		source.Segments = append(source.Segments, &pb.Segment{
			FirstLine: uint64(s.FirstLine), LastLine: uint64(s.LastLine),
			ByteStart: uint64(s.ByteStart), ByteEnd: uint64(s.ByteEnd), PreviewBytes: uint64(s.PreviewBytes),
			Reason: pb.KeepReason(s.Reason), Score: uint32(s.Score),
		})
	}
	cuts := make([]*pb.Cut, 0, len(v.Cuts)+1)
	for i := range v.Cuts {
		cuts = append(cuts, contractCut(&v.Cuts[i]))
	}
	if p.loss != nil {
		cuts = append(cuts, lossCut(p.loss, v))
	}
	return cuts, source
}

// unshown counts the lines that say what went wrong and are not shown; nil for none.
func unshown(v *preview.Preview) *pb.UnshownFindings {
	count := func(reasons ...shape.Reason) (n uint64) {
		for _, r := range reasons {
			n += uint64(v.Omitted[r])
		}
		return n
	}
	u := &pb.UnshownFindings{
		Errors:   count(shape.KeepError, shape.KeepCrash, shape.KeepDiagnostic),
		Failures: count(shape.KeepFailure), Warnings: count(shape.KeepWarning),
	}
	if u.GetErrors()+u.GetFailures()+u.GetWarnings() == 0 {
		return nil
	}
	return u
}

// contractCut returns a cut in the terms of the contract. A contiguous cut omits its
// range and states no counts.
func contractCut(c *preview.Cut) *pb.Cut {
	cut := &pb.Cut{
		Kind: kinds[c.Kind], FirstLine: uint64(c.FirstLine), LastLine: uint64(c.LastLine),
		ByteStart: uint64(c.ByteStart), ByteEnd: uint64(c.ByteEnd), PreviewOffset: uint64(c.PreviewOffset),
		OmittedValues: uint64(c.OmittedValues), TotalValues: uint64(c.TotalValues), LikeLine: uint64(c.LikeLine),
	}
	if !envelope.Contiguous(cut) {
		for _, n := range c.LineBytes {
			cut.LineBytes = append(cut.LineBytes, uint64(n))
		}
		cut.OmittedBytes, cut.OmittedLines, cut.Occurrences = uint64(c.OmittedBytes), uint64(c.OmittedLines), uint64(c.Occurrences)
	}
	return cut
}

// lossCut returns the cut for bytes that were lost before they were received: an empty range
// at its place.
func lossCut(loss *pb.SourceLoss, v *preview.Preview) *pb.Cut {
	cut := &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_SOURCE_LOSS, LostBytes: loss.GetLostBytes(),
		ByteStart: loss.GetAtByte(), ByteEnd: loss.GetAtByte(),
	}
	for _, s := range v.Segments { // after the last segment that ends before it
		if uint64(s.ByteEnd) > loss.GetAtByte() {
			break
		}
		cut.PreviewOffset += uint64(s.PreviewBytes)
	}
	return cut
}

// encodings maps encodings to those of the contract.
var encodings = map[preview.Encoding]pb.TextEncoding{
	preview.EncodingUTF8:    pb.TextEncoding_TEXT_ENCODING_UTF8,
	preview.EncodingUnknown: pb.TextEncoding_TEXT_ENCODING_UNKNOWN,
	preview.EncodingBinary:  pb.TextEncoding_TEXT_ENCODING_BINARY,
}

// kinds maps kinds of cuts to those of the contract.
var kinds = map[preview.CutKind]pb.CutKind{
	preview.CutMiddle:     pb.CutKind_CUT_KIND_MIDDLE,
	preview.CutLongLine:   pb.CutKind_CUT_KIND_LONG_LINE,
	preview.CutRepeated:   pb.CutKind_CUT_KIND_REPEATED,
	preview.CutProgress:   pb.CutKind_CUT_KIND_PROGRESS,
	preview.CutControl:    pb.CutKind_CUT_KIND_CONTROL,
	preview.CutInvisible:  pb.CutKind_CUT_KIND_INVISIBLE,
	preview.CutBinary:     pb.CutKind_CUT_KIND_BINARY,
	preview.CutTime:       pb.CutKind_CUT_KIND_TIME,
	preview.CutFolded:     pb.CutKind_CUT_KIND_FOLDED,
	preview.CutCell:       pb.CutKind_CUT_KIND_CELL,
	preview.CutAttributes: pb.CutKind_CUT_KIND_ATTRIBUTES,
}
