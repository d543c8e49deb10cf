package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/redaction"
)

// Bounds of what is kept in a record itself, in bytes. Larger payloads are artifacts.
const (
	maxInlinePayload  = 32 << 10
	maxInlinePayloads = 256 << 10 // of one record
)

// Bounds of AuditDetails, as service.proto states them.
const (
	maxToolInput      = 1 << 20
	maxRuntimeDetails = 64 << 10
	maxTrust          = 32
	maxTrustValue     = 256
)

// checkDetails checks what a runtime wants on record.
func checkDetails(check envelope.Checker, d *pb.AuditDetails) {
	check.Length("tool_input", d.GetToolInput(), maxToolInput)
	check.Length("runtime", string(d.GetRuntime()), maxRuntimeDetails)
	if n := len(d.GetTrust()); n > maxTrust {
		check.Fail("trust", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d entries, at most %d are allowed", n, maxTrust)
		return
	}
	for key, value := range d.GetTrust() { // keys that may be anything are not repeated
		inside := envelope.NewChecker("")
		inside.Name("", key, true)
		if inside.Err() != nil {
			check.Fail("trust", pb.ErrorReason_ERROR_REASON_NAME_INVALID, "has a key that is no name")
		}
		check.Length("trust", value, maxTrustValue)
	}
}

// payloadOfOutput is one payload of an output, on its way into a record.
type payloadOfOutput struct {
	facts   *pb.AuditPayload
	blob    artifactstore.Blob
	message *pb.Payload        // nil in the message of a family that an operator brought
	inline  bool               // the record has it
	content *pb.Payload_Inline // in place of what the output has; nil: it stays
}

// payloads are those of an output, with their digests.
func (p *projection) payloads(ctx context.Context) (list []payloadOfOutput, err error) {
	room := int64(maxInlinePayloads)
	add := func(field string, payload *pb.Payload, message *pb.Payload) {
		one, ok, failed := p.payload(ctx, payload, message, room)
		if failed != nil || !ok {
			err = errors.Join(err, failed)
			return
		}
		if one.facts.Field = field; one.inline {
			room -= one.blob.Size()
		}
		list = append(list, one)
	}
	envelope.VisitPayloads("output", p.output.ProtoReflect(), func(field string, payload *pb.Payload) { add(field, payload, payload) })
	envelope.VisitCustomPayloads(p.output, p.family.Type, func(field string, payload *pb.Payload) { add(field, payload, nil) })
	return list, err
}

// payload is one of them; false for a stream that there is not, which the projector refuses.
// What is small is in the record itself, however it came.
func (p *projection) payload(ctx context.Context, payload, message *pb.Payload, room int64) (one payloadOfOutput, ok bool, err error) {
	key := projectors.Key(payload)
	one = payloadOfOutput{blob: artifactstore.BytesBlob(payload.GetInline()), message: message}
	if key != "" {
		s, ok := p.streams[key]
		if !ok {
			return one, false, nil
		}
		one.blob = s.Blob
	}
	size := one.blob.Size()
	one.facts = &pb.AuditPayload{Bytes: uint64(size), Redactions: payload.GetRedactions(), SourceKey: key}
	switch small := size <= maxInlinePayload && size <= room; {
	case message == nil: // a message that was brought stays as it is
		one.inline = key == ""
	case small && key != "":
		content, err := artifactstore.Content(one.blob)
		if err != nil {
			return one, false, err
		}
		one.inline, one.content = true, &pb.Payload_Inline{Inline: content}
	case small:
		one.inline = true
	case key == "":
		one.content = &pb.Payload_Inline{}
	}
	one.facts.Digest, err = artifactstore.Digest(ctx, one.blob)
	return one, true, err
}

// recordable is an output as a record has it: with small payloads, and without those that
// are artifacts.
func recordable(out *pb.CompleteToolOutput, payloads []payloadOfOutput) *pb.CompleteToolOutput {
	var given []*pb.Payload
	for _, p := range payloads {
		if p.content != nil { // for a moment, so that what is large is not copied
			given = append(given, &pb.Payload{Source: p.message.Source})
			p.message.Source = p.content
		}
	}
	if len(given) == 0 {
		return out
	}
	small := proto.CloneOf(out)
	for _, p := range payloads {
		if p.content != nil {
			p.message.Source, given = given[0].Source, given[1:]
		}
	}
	return small
}

// identify names a request, so that one that is made again is known.
func (p *projection) identify(ctx context.Context) (err error) {
	if p.audit == nil {
		return nil
	}
	if p.kept, err = p.payloads(ctx); err != nil {
		return err
	}
	p.recorded = recordable(p.output, p.kept)
	policy := proto.CloneOf(p.req.GetPolicy())
	if policy.GetRedaction() != nil {
		policy.Redaction.RequireSet = "" // of this start of the server
	}
	asked := &pb.ProjectRequest{Output: p.recorded, Policy: policy, Call: p.req.GetCall()}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(asked)
	if err != nil {
		return err
	}
	hash := blake3.New()
	_, _ = hash.Write(encoded) // a hash never fails
	for _, k := range p.kept {
		fmt.Fprintf(hash, "\n%s %d %s", k.facts.GetField(), k.facts.GetBytes(), k.facts.GetDigest())
	}
	p.digest = fmt.Sprintf("blake3:%x", hash.Sum(nil))
	return nil
}

// record is the record of an answer. What it names is stored when it returns.
func (p *projection) record(ctx context.Context, resp *pb.ProjectResponse, budget int) (*pb.AuditRecord, error) {
	originals, err := p.keepOriginals(ctx)
	if err != nil || p.audit == nil {
		return nil, err
	}
	r := p.audit.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_PROJECTION, p.began)
	for _, k := range p.kept {
		facts := k.facts
		if !k.inline && facts.GetBytes() > 0 {
			ref, err := p.puts.ref(ctx, facts.GetDigest(), k.blob)
			if err != nil {
				return nil, err
			}
			facts.Artifact = ref.Path
		}
		if o, ok := originals[facts.GetField()]; ok {
			facts.OriginalBytes, facts.OriginalArtifact = uint64(o.Size), o.Path
		}
		r.Payloads = append(r.Payloads, facts)
	}
	if order := resp.GetCanonical().GetCommand(); order.GetInOrderArtifact() < uint32(len(order.GetArtifacts())) && order.InOrderArtifact != nil {
		facts, err := p.orderFacts(ctx)
		if err != nil {
			return nil, err
		}
		r.InOrder, r.Payloads = p.in.InOrder.Keys, append(r.Payloads, facts)
	}
	r.Call, r.Policy, r.PolicyDigest = redaction.WithoutUnknown(p.req.GetCall()), redaction.WithoutUnknown(p.req.GetPolicy()), p.policyDigest()
	r.ToolName, r.Family, r.Status = p.output.GetToolName(), p.family.Name, p.output.GetStatus()
	r.Versions = p.versions()
	r.Redactions, r.Unchanged, r.BudgetTokens = resp.GetRedactions(), p.in.Unchanged, uint32(budget)
	r.Details, r.Output, r.Canonical, r.Receipt = p.details, p.recorded, resp.GetCanonical(), resp.GetReceipt()
	return r, nil
}

// orderFacts stores several streams in one, so that the result can be made again.
func (p *projection) orderFacts(ctx context.Context) (*pb.AuditPayload, error) {
	blob := p.in.InOrder.Blob
	digest, err := artifactstore.Digest(ctx, blob)
	if err != nil {
		return nil, err
	}
	ref, err := p.puts.ref(ctx, digest, blob)
	return &pb.AuditPayload{Field: inOrderField, Bytes: uint64(blob.Size()), Digest: digest, Artifact: ref.Path}, err
}

// inOrderField is where a record has the streams that are one.
const inOrderField = "in_order"

// keepOriginals stores the payloads in which something was replaced as the tool wrote them.
// They are of the call like its other artifacts, and read by those alone who may.
func (p *projection) keepOriginals(ctx context.Context) (map[string]artifactstore.Ref, error) {
	refs := map[string]artifactstore.Ref{}
	owner := ownerOf(p.req.GetCall())
	owner.Raw = true
	for _, o := range p.redaction.Originals {
		ref, err := p.store.SinkFor(owner).Put(ctx, o.Blob)
		if err != nil {
			return nil, err
		}
		refs[o.Field] = ref
	}
	return refs, nil
}

// ref is where a blob is; it is put if it was not put before.
func (p *puts) ref(ctx context.Context, digest string, b artifactstore.Blob) (artifactstore.Ref, error) {
	if ref, ok := p.refs[digest]; ok {
		return ref, nil
	}
	return p.Put(ctx, b)
}

// versions are those of what made the result.
func (p *projection) versions() *pb.AuditVersions {
	v := &pb.AuditVersions{
		Server: p.audit.Version, Projector: projectors.Version, Renderer: renderers.Version,
		Redaction: p.redaction.Options.Patterns.Version(), TokenCounter: p.in.Policy.Counter.Name(), ProfileDigest: p.family.Profiles.Digest(),
	}
	if used := p.family.Profiles.Find(p.output.GetCommand().GetCommandLine()); used != nil {
		v.Profile = used.Name()
	}
	return v
}

// policyDigest identifies the policy with every default in its place.
func (p *projection) policyDigest() string { return p.policy.digest() }

// digest identifies the policy.
func (p projectionPolicy) digest() string {
	text := fmt.Sprintf("%+v limit=%d line_bytes=%d head=%d all=%t counter=%s handles=%d",
		p.Budget, p.limit, p.LineBytes, p.HeadPercent, p.KeepAll, p.Counter.Name(), p.handles)
	return fmt.Sprintf("blake3:%x", blake3.Sum256([]byte(text)))
}
