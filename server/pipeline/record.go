package pipeline

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

// Bounds of payloads in a record itself, in bytes. Larger payloads are artifacts.
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

// InOrderField is the field by which a record names the streams that are one, in the order in which they were received.
const InOrderField = "in_order"

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

// recordedPayload is one payload of an output, on its way into a record.
type recordedPayload struct {
	facts   *pb.AuditPayload
	blob    artifactstore.Blob
	message *pb.Payload // in the output; nil in the message of a custom family, which stays as it is
	inline  bool        // the record has the content itself
	content []byte      // in the record, if that is replaced
	replace bool
}

// takeInventory returns the payloads of an output, with their digests. They are read once.
func (o *prepared) takeInventory(ctx context.Context) ([]recordedPayload, error) {
	if o.inventory != nil {
		return o.inventory, nil
	}
	rest := int64(maxInlinePayloads)
	var err error
	list := []recordedPayload{}
	add := func(field string, payload *pb.Payload, message *pb.Payload) {
		one, ok, failed := o.recordedPayload(ctx, payload, message, rest)
		if failed != nil || !ok {
			err = errors.Join(err, failed)
			return
		}
		if one.facts.Field = field; one.inline {
			rest -= one.blob.Size()
		}
		list = append(list, one)
	}
	out := o.input.Output
	envelope.VisitPayloads("output", out.ProtoReflect(), func(field string, payload *pb.Payload) { add(field, payload, payload) })
	envelope.VisitCustomPayloads(out, o.family.Type, func(field string, payload *pb.Payload) { add(field, payload, nil) })
	o.inventory = list
	return list, err
}

// recordedPayload returns one payload, of which at most rest bytes may be inline; false for a stream that did not arrive, which
// the projector rejects. A small payload is in the record itself, however it was received.
func (o *prepared) recordedPayload(ctx context.Context, payload, message *pb.Payload, rest int64) (one recordedPayload, ok bool, err error) {
	key := projectors.Key(payload)
	one = recordedPayload{blob: artifactstore.BytesBlob(payload.GetInline()), message: message}
	if key != "" {
		s, ok := o.streams[key]
		if !ok {
			return one, false, nil
		}
		one.blob = s.Blob
	}
	size := one.blob.Size()
	one.facts = &pb.AuditPayload{Bytes: uint64(size), Redactions: payload.GetRedactions(), SourceKey: key}
	switch small := size <= maxInlinePayload && size <= rest; {
	case message == nil:
		one.inline = key == ""
	case small && key != "":
		content, err := artifactstore.Content(one.blob)
		if err != nil {
			return one, false, err
		}
		one.inline, one.replace, one.content = true, true, content
	case small:
		one.inline = true
	case key == "":
		one.replace = true
	}
	one.facts.Digest, err = artifactstore.Digest(ctx, one.blob)
	return one, true, err
}

// recordedOutput returns an output as a record has it: with the content of small payloads, and without that of payloads
// that are artifacts. It shares memory with out.
func recordedOutput(out *pb.CompleteToolOutput, inventory []recordedPayload) *pb.CompleteToolOutput {
	contents := map[*pb.Payload][]byte{}
	for _, p := range inventory {
		if p.replace {
			contents[p.message] = p.content
		}
	}
	return envelope.WithContents(out, contents)
}

// digest identifies a request by what it asks, so that one that is made again is known. It is empty without an audit log,
// in which the request would be looked for.
func (p *Pipeline) digest(ctx context.Context, o *prepared) (string, error) {
	if p.Recorder == nil {
		return "", nil
	}
	inventory, err := o.takeInventory(ctx)
	if err != nil {
		return "", err
	}
	asked := proto.CloneOf(o.req.GetPolicy())
	if asked.GetRedaction() != nil {
		asked.Redaction.RequireSet = "" // the name of a set is of this start of the server
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(&pb.ProjectRequest{
		Output: recordedOutput(o.input.Output, inventory), Policy: asked, Call: o.req.GetCall(),
	})
	if err != nil {
		return "", err
	}
	for _, k := range inventory {
		encoded = fmt.Appendf(encoded, "\n%s %d %s", k.facts.GetField(), k.facts.GetBytes(), k.facts.GetDigest())
	}
	return fmt.Sprintf("blake3:%x", blake3.Sum256(encoded)), nil
}

// record returns the record of an answer; nil when no audit log is kept. Everything that it names is stored when it
// returns, and so are the payloads as they were before they were redacted.
func (p *Pipeline) record(ctx context.Context, o *prepared, made projected) (*pb.AuditRecord, error) {
	originals, err := p.storeOriginals(ctx, o)
	if err != nil || p.Recorder == nil {
		return nil, err
	}
	inventory, err := o.takeInventory(ctx)
	if err != nil {
		return nil, err
	}
	r := p.Recorder.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_PROJECTION, o.began)
	if r.Payloads, err = storePayloads(ctx, o.sink, inventory, originals); err != nil {
		return nil, err
	}
	if order := made.resp.GetCanonical().GetCommand(); order.GetInOrderArtifact() < uint32(len(order.GetArtifacts())) && order.InOrderArtifact != nil {
		facts, err := storeOrder(ctx, o)
		if err != nil {
			return nil, err
		}
		r.InOrder, r.Payloads = o.input.InOrder.Keys, append(r.Payloads, facts)
	}
	r.Call, r.Policy, r.PolicyDigest = redaction.WithoutUnknown(o.req.GetCall()), redaction.WithoutUnknown(o.req.GetPolicy()), o.policyDigest
	r.SessionFocus = o.focus
	r.ToolName, r.Family, r.Status = o.input.Output.GetToolName(), o.family.Name, o.input.Output.GetStatus()
	r.Versions = p.versions(o)
	r.Redactions, r.Unchanged, r.BudgetTokens = made.resp.GetRedactions(), o.input.Unchanged, uint32(made.budget)
	r.Details, r.Output = o.details, recordedOutput(o.input.Output, inventory)
	r.Canonical, r.Receipt = made.resp.GetCanonical(), made.resp.GetReceipt()
	return r, nil
}

// storeOriginals stores payloads in which something was redacted as the tool wrote them, and returns where by their fields.
// They belong to the call like its other artifacts, and only the sidecar's own user may read them.
func (p *Pipeline) storeOriginals(ctx context.Context, o *prepared) (map[string]artifactstore.Ref, error) {
	refs := map[string]artifactstore.Ref{}
	owner := Owner(o.req.GetCall())
	owner.Raw = true
	for _, original := range o.pass.Originals {
		ref, err := o.puts.SinkFor(owner).Put(ctx, original.Blob)
		if err != nil {
			return nil, err
		}
		refs[original.Field] = ref
	}
	return refs, nil
}

// storePayloads stores payloads that are not in the record itself, and returns what the record says of all of them.
func storePayloads(ctx context.Context, sink *rememberingSink, inventory []recordedPayload, originals map[string]artifactstore.Ref) (list []*pb.AuditPayload, err error) {
	for _, k := range inventory {
		facts := k.facts
		if !k.inline && facts.GetBytes() > 0 {
			ref, err := sink.ref(ctx, facts.GetDigest(), k.blob)
			if err != nil {
				return nil, err
			}
			facts.Artifact = ref.Path
		}
		if o, ok := originals[facts.GetField()]; ok {
			facts.OriginalBytes, facts.OriginalArtifact = uint64(o.Size), o.Path
		}
		list = append(list, facts)
	}
	return list, nil
}

// storeOrder stores the streams that are one, so that the result can be made again.
func storeOrder(ctx context.Context, o *prepared) (*pb.AuditPayload, error) {
	blob := o.input.InOrder.Blob
	digest, err := artifactstore.Digest(ctx, blob)
	if err != nil {
		return nil, err
	}
	ref, err := o.sink.ref(ctx, digest, blob)
	return &pb.AuditPayload{Field: InOrderField, Bytes: uint64(blob.Size()), Digest: digest, Artifact: ref.Path}, err
}

// versions returns the versions of everything that made a result.
func (p *Pipeline) versions(o *prepared) *pb.AuditVersions {
	v := &pb.AuditVersions{
		Server: p.Recorder.Version, Projector: projectors.Version, Renderer: renderers.Version,
		Redaction: o.pass.Options.Patterns.Version(), TokenCounter: o.input.Policy.Counter.Name(), ProfileDigest: o.family.Profiles.Digest(),
	}
	if used := o.family.Profiles.Find(o.input.Output.GetCommand().GetCommandLine()); used != nil {
		v.Profile = used.Name()
	}
	return v
}
