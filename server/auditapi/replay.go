package auditapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/tokens"
)

// replay makes what a record has again, from what was stored, and compares the two. It
// writes nothing.
type replay struct {
	service  *Service
	record   *pb.AuditRecord
	findings []*pb.Finding
	gone     string // why the output cannot be projected again; empty when it can
}

// Verify compares a record with what it says it is of.
func (s *Service) Verify(ctx context.Context, record *pb.AuditRecord) (*pb.VerifyRecordResponse, error) {
	r := &replay{service: s, record: record}
	r.found("hash of the record", nil) // the log would not have given it away otherwise
	var err error
	switch record.GetKind() {
	case pb.AuditKind_AUDIT_KIND_PROJECTION:
		err = r.projection(ctx)
	case pb.AuditKind_AUDIT_KIND_RENDERING, pb.AuditKind_AUDIT_KIND_TOOL_CALL:
		r.receipt("receipt", record.GetCanonical(), record.GetReceipt())
	case pb.AuditKind_AUDIT_KIND_COMPACTION:
		for _, c := range record.GetCompacted() {
			r.receipt(fmt.Sprintf("receipt of results[%d]", c.GetIndex()), c.GetCanonical(), c.GetReceipt())
		}
	default:
		r.add("result", pb.Verdict_VERDICT_NONE, "the record has none")
	}
	return r.response(), err
}

func (r *replay) response() *pb.VerifyRecordResponse {
	resp := &pb.VerifyRecordResponse{Holds: true, Complete: true, Findings: r.findings}
	for _, f := range r.findings {
		resp.Holds = resp.Holds && f.GetVerdict() != pb.Verdict_VERDICT_DIFFERENT
		resp.Complete = resp.Complete && f.GetVerdict() != pb.Verdict_VERDICT_NOT_COMPARABLE
	}
	return resp
}

func (r *replay) add(subject string, v pb.Verdict, text string) {
	r.findings = append(r.findings, &pb.Finding{Subject: subject, Verdict: v, Text: text})
}

// incomparable is why something cannot be compared.
type incomparable string

func (i incomparable) Error() string { return string(i) }

// found adds the result of a comparison: a nil difference is VERDICT_SAME.
func (r *replay) found(subject string, difference error) {
	why, cannot := errors.AsType[incomparable](difference)
	switch {
	case difference == nil:
		r.add(subject, pb.Verdict_VERDICT_SAME, "")
	case cannot:
		r.add(subject, pb.Verdict_VERDICT_NOT_COMPARABLE, string(why))
	default:
		r.add(subject, pb.Verdict_VERDICT_DIFFERENT, difference.Error())
	}
}

// projection projects the output again.
func (r *replay) projection(ctx context.Context) error {
	known := &knownArtifacts{store: r.service.Store, refs: map[artifactstore.Blob]artifactstore.Ref{}, paths: r.paths()}
	blobs := map[string]artifactstore.Blob{} // by field
	for _, p := range r.record.GetPayloads() {
		blob, err := r.payload(ctx, p)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		r.found(p.GetField(), err)
		if err != nil {
			r.gone = "the output is not there as it was"
			continue
		}
		if blobs[p.GetField()] = blob; p.GetArtifact() != "" {
			known.refs[blob] = artifactstore.Ref{Path: p.GetArtifact(), Digest: p.GetDigest(), Size: int64(p.GetBytes())}
		}
	}
	canonical, err := r.again(ctx, blobs, known)
	if err != nil {
		return err
	}
	if r.gone != "" {
		r.found("canonical", incomparable(r.gone))
	} else {
		r.found("canonical", r.compare(canonical))
	}
	r.receipt("receipt", r.record.GetCanonical(), r.record.GetReceipt())
	return nil
}

// compare compares the canonical result with the one that was answered.
func (r *replay) compare(canonical *pb.CanonicalToolResult) error {
	if canonical != nil {
		redaction.CopyMasks(r.record.GetCanonical().ProtoReflect(), canonical.ProtoReflect())
	}
	difference := firstDifference("canonical", r.record.GetCanonical().ProtoReflect(), canonical.ProtoReflect())
	if difference == "" {
		return nil
	}
	was := r.record.GetVersions()
	switch {
	case was.GetProjector() != projectors.Version:
		return incomparable(fmt.Sprintf("it was made by version %d of the projectors, and this program has %d", was.GetProjector(), projectors.Version))
	case was.GetProfileDigest() != r.profiles(r.record.GetFamily()):
		return incomparable("the command profiles are others than they were")
	case r.hasMasks():
		return incomparable("registered values, which nobody has any more, were masked in it")
	}
	return errors.New(difference)
}

// hasMasks reports whether the canonical result has masks of registered values: a second projection does not know them.
func (r *replay) hasMasks() bool {
	for _, m := range redact.Placeholder().FindAllString(r.record.GetCanonical().String(), -1) {
		if kind := strings.TrimSuffix(strings.TrimPrefix(m, "[redacted:"), "]"); r.service.Patterns == nil || !slices.Contains(r.service.Patterns.Kinds(), kind) {
			return true
		}
	}
	return strings.Contains(r.record.GetCanonical().String(), "********")
}

func (r *replay) profiles(family string) string {
	f := r.service.Registry.ByName(family)
	if f == nil {
		return ""
	}
	return f.Profiles.Digest()
}

// receipt renders a canonical result again.
func (r *replay) receipt(subject string, canonical *pb.CanonicalToolResult, receipt *pb.Receipt) {
	r.found(subject, r.rendered(canonical, receipt))
}

func (r *replay) rendered(canonical *pb.CanonicalToolResult, receipt *pb.Receipt) error {
	if v := receipt.GetRendererVersion(); v != renderers.Version {
		return incomparable(fmt.Sprintf("it has version %d of the grammar of receipts, and this program writes %d", v, renderers.Version))
	}
	counter, err := counterNamed(receipt.GetTokenCounter())
	if err != nil {
		return err
	}
	if err := envelope.ValidateCanonical("canonical", canonical, r.service.Registry.Types()); err != nil {
		return incomparable("the canonical result is not one of a family that this server has")
	}
	again, err := r.service.Registry.ForResult(canonical).Renderer.Render(canonical, renderers.Policy{Counter: counter, Handle: r.service.Policies.Handle(r.record.GetPolicy().GetRender())})
	if err != nil {
		return incomparable("it cannot be rendered: " + err.Error())
	}
	if at := firstByte(receipt.GetText(), again.Text); at >= 0 {
		return fmt.Errorf("differs from byte %d on", at)
	}
	if again.Tokens != int(receipt.GetTokens()) {
		return fmt.Errorf("has %d tokens, and %d were answered", again.Tokens, receipt.GetTokens())
	}
	return nil
}

// counterNamed is the token counter that a receipt names.
func counterNamed(name string) (tokens.Counter, error) {
	switch name {
	case tokens.O200kName:
		return tokens.O200k()
	case tokens.CL100kName:
		return tokens.CL100k()
	case tokens.EstimateName:
		return tokens.Estimate(), nil
	}
	return nil, incomparable("it was counted by " + name + ", which this program has not")
}

// payload finds the bytes of a payload and compares them with their digest.
func (r *replay) payload(ctx context.Context, p *pb.AuditPayload) (artifactstore.Blob, error) {
	var blob artifactstore.Blob
	if p.GetArtifact() == "" {
		inline, ok := inlinePayload(r.record.GetOutput(), r.family(), p.GetField())
		if !ok {
			return nil, errors.New("the record has no such payload")
		}
		blob = artifactstore.BytesBlob(inline)
	} else {
		stored, err := r.service.stored(ctx, p.GetArtifact())
		if err != nil {
			return nil, incomparable(apierror.ToStatus(err).Message)
		}
		blob = stored
	}
	digest, err := artifactstore.Digest(ctx, blob)
	if err != nil {
		return nil, incomparable(apierror.ToStatus(apierror.FromRead(err)).Message)
	}
	if digest != p.GetDigest() || blob.Size() != int64(p.GetBytes()) {
		return nil, errors.New("is not what its digest says")
	}
	return blob, nil
}

func (r *replay) family() *families.Family {
	f, err := r.service.Registry.ForOutput(r.record.GetOutput())
	if err != nil {
		return &families.Family{}
	}
	return f
}

// stored is an artifact as a blob.
func (s *Service) stored(ctx context.Context, path string) (artifactstore.Blob, error) {
	name, err := s.Store.Resolve(path)
	if err != nil {
		return nil, err
	}
	r, err := s.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close() // read-only
	return &storedBlob{ctx, s.Store, name, r.Ref().Size}, nil
}

// storedBlob is an artifact as a blob.
type storedBlob struct {
	ctx  context.Context // of the call
	from Store
	name string
	size int64
}

// Size is that of the artifact.
func (b *storedBlob) Size() int64 { return b.size }

// Open reads the artifact.
func (b *storedBlob) Open() (io.ReadCloser, error) { return b.from.Open(b.ctx, b.name) }

// inlinePayload is a payload that a record has itself.
func inlinePayload(out *pb.CompleteToolOutput, f *families.Family, field string) (inline []byte, ok bool) {
	find := func(at string, p *pb.Payload) {
		if at == field {
			inline, ok = p.GetInline(), true
		}
	}
	envelope.VisitPayloads("output", out.ProtoReflect(), find)
	envelope.VisitCustomPayloads(out, f.Type, find)
	return inline, ok
}

// again projects the output again; nil when it cannot be.
func (r *replay) again(ctx context.Context, blobs map[string]artifactstore.Blob, known *knownArtifacts) (*pb.CanonicalToolResult, error) {
	family, err := r.service.Registry.ForOutput(r.record.GetOutput())
	if err != nil {
		r.gone = "this server does not have the family"
	}
	if r.gone != "" {
		return nil, nil
	}
	resolved, err := r.service.Policies.Projection(r.record.GetPolicy(), r.record.GetToolName(),
		family.DefaultTokens(r.record.GetToolName(), r.record.GetOutput().GetCommand().GetCommandLine()))
	resolved.WithSessionFocus(r.record.GetSessionFocus())
	if err != nil || resolved.Digest() != r.record.GetPolicyDigest() {
		r.gone = "the defaults of policies, or the budgets of the operator, are others than they were"
		return nil, nil
	}
	resolved.Budget.Tokens = int(r.record.GetBudgetTokens())
	out, streams, err := r.restore(ctx, family, blobs, resolved.Budget.Tokens)
	if err == nil {
		out, streams, err = pipeline.Inline(ctx, family, out, streams)
	}
	if err != nil {
		return nil, err
	}
	in := projectors.Input{Output: out, Policy: resolved.Policy, Streams: pipeline.Streams(streams), Unchanged: r.record.GetUnchanged()}
	if blob := blobs[pipeline.InOrderField]; blob != nil {
		in.InOrder = projectors.InOrder{Blob: blob, Keys: r.record.GetInOrder()}
	}
	pass := redaction.NewPass(redact.Options{Patterns: r.service.Patterns})
	if r.record.GetPolicy().GetRedaction().GetPatterns() == pb.PatternRedaction_PATTERN_REDACTION_OFF {
		pass.Options.Patterns = nil
	}
	pass.Redacted(out)
	in.Mask = pass.Mask
	made, err := family.Project(ctx, in, resolved.Handle, pass.NewSink(known))
	if shortfall := (*envelope.ShortfallError)(nil); errors.As(err, &shortfall) {
		r.gone = "it does not fit its budget any more"
		return nil, nil
	}
	return made.Canonical, err
}

// restore returns the output of the record with its payloads as they were received: inline, or as streams.
func (r *replay) restore(ctx context.Context, family *families.Family, blobs map[string]artifactstore.Blob, budget int) (*pb.CompleteToolOutput, map[string]ingest.Payload, error) {
	out, streams := proto.CloneOf(r.record.GetOutput()), map[string]ingest.Payload{}
	rules := family.LineRules(out.GetCommand().GetCommandLine())
	keys := map[string]string{}
	for _, facts := range r.record.GetPayloads() {
		keys[facts.GetField()] = facts.GetSourceKey()
	}
	var failed error
	put := func(field string, payload *pb.Payload) {
		blob := blobs[field]
		if blob == nil || failed != nil {
			return
		}
		key := keys[field]
		switch {
		case key == "":
			var content []byte
			content, failed = artifactstore.Content(blob)
			payload.Source = &pb.Payload_Inline{Inline: content}
			return
		case strings.HasPrefix(key, "/"):
			payload.Source = &pb.Payload_File{File: &pb.FileReference{Path: key[1:]}}
		default:
			payload.Source = &pb.Payload_Stream{Stream: key}
		}
		w := preview.NewWriter(budget)
		w.Watch(rules)
		failed = ingest.ReadBlocks(ctx, blob, func(block []byte) error {
			_, err := w.Write(block)
			return err
		})
		streams[key] = ingest.Payload{Stream: projectors.Stream{Blob: blob, Excerpt: w.Finish()}, Tokens: budget}
	}
	envelope.VisitPayloads("output", out.ProtoReflect(), put)
	envelope.VisitCustomPayloads(out, family.Type, func(field string, payload *pb.Payload) {
		if projectors.Key(payload) != "" { // those that are inline are in the message
			put(field, payload)
		}
	})
	return out, streams, failed
}

// paths returns the paths of artifacts in the recorded result, by name: the store may have been elsewhere then.
func (r *replay) paths() map[string]string {
	paths := map[string]string{}
	for _, m := range r.service.Registry.Messages(r.record.GetCanonical()) {
		envelope.Walk("", m, func(_ string, m protoreflect.Message) {
			for _, path := range envelope.Artifacts(m) {
				if name, err := r.service.Store.Resolve(path); err == nil {
					paths[name] = path
				}
			}
		})
	}
	return paths
}

// knownArtifacts is a sink that stores nothing, and says where what is put would be.
type knownArtifacts struct {
	store Store
	refs  map[artifactstore.Blob]artifactstore.Ref // of blobs that are stored
	paths map[string]string                        // of artifacts by name, where they were when the record was made
}

// Put says where a blob would be.
func (k *knownArtifacts) Put(_ context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if stored, ok := b.(*storedBlob); ok {
		if ref, ok := k.refs[stored]; ok {
			return ref, nil
		}
	}
	content, err := artifactstore.Content(b)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	ref := k.store.RefFor(content)
	if path, ok := k.paths[ref.Name]; ok {
		ref.Path = path
	}
	return ref, nil
}
