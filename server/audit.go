package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zeebo/blake3"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// AuditTrailer is the trailer of an answer that has a record: the log, the sequence of the
// record and its hash, with a space between them.
const AuditTrailer = "toolresult-audit"

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

// How many refusals are recorded one by one: so many in a second, and as many more in a burst.
const (
	refusalsPerSecond = 50
	refusalBurst      = 500
)

// audit records what is answered. A nil audit records nothing.
type audit struct {
	log        auditlog.Log
	metrics    Metrics // nil when nobody asks
	logger     *slog.Logger
	server     string // the build
	poisoned   func() // called when the log takes nothing any more, maybe more than once; nil: nobody asks
	refusals   *rate.Limiter
	unrecorded counter // refusals since the last one that was recorded
}

func newAudit(log auditlog.Log, m Metrics, logger *slog.Logger, info *pb.GetServerInfoResponse) *audit {
	if log == nil {
		return nil
	}
	server := info.GetVersion()
	if commit := info.GetCommit(); commit != "" {
		server += " " + commit
	}
	return &audit{log: log, metrics: m, logger: logger, server: server, refusals: rate.NewLimiter(refusalsPerSecond, refusalBurst)}
}

// begin is a record of the call, with what is the same for all kinds.
func (a *audit) begin(ctx context.Context, kind pb.AuditKind, began time.Time) *pb.AuditRecord {
	method, _ := grpc.Method(ctx)
	return &pb.AuditRecord{
		Kind: kind, Method: method, CorrelationId: idOf(ctx), Caller: callerOf(ctx).audit(),
		Elapsed: durationpb.New(time.Since(began)),
	}
}

// append makes records durable, and tells the client where they are. It does not begin for
// a client that is gone, and is not given up half way.
func (a *audit) append(ctx context.Context, r *request, records ...*pb.AuditRecord) error {
	if a == nil {
		return nil
	}
	for _, record := range records {
		if r != nil {
			record.RequestId, record.RequestDigest = r.id, r.digest
		}
	}
	began := time.Now()
	err := a.write(ctx, records...)
	if a.metrics != nil {
		a.metrics.Step(ctx, auditStore, began, err)
	}
	if err == nil {
		tellHead(ctx, records)
	}
	return err
}

// waiting is how many calls wait for the log to take their records.
func (a *audit) waiting() int64 {
	if a == nil {
		return 0
	}
	return int64(a.log.Status().Waiting)
}

// write appends to the log, and notices when it takes nothing any more.
func (a *audit) write(ctx context.Context, records ...*pb.AuditRecord) error {
	_, err := a.log.Append(ctx, records...)
	if errors.Is(err, auditlog.ErrPoisoned) && a.poisoned != nil {
		a.poisoned()
	}
	return err
}

// tellHead puts the last of the records into the trailer.
func tellHead(ctx context.Context, records []*pb.AuditRecord) {
	last := records[len(records)-1]
	head := fmt.Sprintf("%s %d %s", last.GetLogId(), last.GetSequence(), last.GetHash())
	_ = grpc.SetTrailer(ctx, metadata.Pairs(AuditTrailer, head)) // it fails outside of a call
}

// keep deletes records whose time is over, from time to time, until ctx is done.
func (a *audit) keep(ctx context.Context, every, keepFor time.Duration) {
	if a == nil || keepFor == 0 {
		return
	}
	for ticker := time.NewTicker(every); ; {
		if n, err := a.log.Retain(ctx, time.Now().Add(-keepFor)); err != nil && ctx.Err() == nil {
			a.logger.WarnContext(ctx, "old audit records were not deleted", "error", err)
		} else if n > 0 {
			a.logger.InfoContext(ctx, "old audit records were deleted", "records", n)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			ticker.Stop()
			return
		}
	}
}

// refused records a refusal. The client waits for it, so that no call ends without its
// record; when there are too many they are counted in the next one.
func (a *audit) refused(ctx context.Context, method string, req any, r *refusal) {
	if a == nil {
		return
	}
	if !a.refusals.Allow() {
		a.unrecorded.add(1)
		return
	}
	record := a.begin(ctx, pb.AuditKind_AUDIT_KIND_REJECTION, time.Now())
	record.Method, record.Elapsed = method, nil
	if r.reason != pb.ErrorReason_ERROR_REASON_NAME_INVALID { // of the call, as it may be
		record.Call = validCall(req)
	}
	record.Rejection = &pb.AuditRejection{
		Code: codeName(r.code), Reason: reasonName(r.reason), Field: r.metadata["field"], Unrecorded: a.unrecorded.take(),
	}
	if err := a.write(context.WithoutCancel(ctx), record); err != nil {
		a.unrecorded.add(1 + record.GetRejection().GetUnrecorded())
		a.logger.WarnContext(ctx, "a refusal was not recorded", "error", err, "request_id", idOf(ctx))
	}
}

// validCall is the call that a request names, if its names may be recorded.
func validCall(req any) *pb.CallReference {
	named, ok := req.(interface{ GetCall() *pb.CallReference })
	if !ok || named.GetCall() == nil {
		return nil
	}
	check := envelope.NewChecker("")
	if checkCall(check, named.GetCall()); check.Err() != nil {
		return nil
	}
	return named.GetCall()
}

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
	eachPayload("output", p.output.ProtoReflect(), func(field string, payload *pb.Payload) { add(field, payload, payload) })
	eachCustomPayload(p.output, p.family, func(field string, payload *pb.Payload) { add(field, payload, nil) })
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
	r := p.audit.begin(ctx, pb.AuditKind_AUDIT_KIND_PROJECTION, p.began)
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
	r.Call, r.Policy, r.PolicyDigest = known(p.req.GetCall()), known(p.req.GetPolicy()), p.policyDigest()
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
	for _, o := range p.redaction.originals {
		ref, err := p.store.For(owner).Put(ctx, o.blob)
		if err != nil {
			return nil, err
		}
		refs[o.field] = ref
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
		Server: p.audit.server, Projector: projectors.Version, Renderer: renderers.Version,
		Redaction: p.redaction.options.Patterns.Version(), TokenCounter: p.in.Policy.Counter.Name(), ProfileDigest: p.family.Profiles.Digest(),
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

// rendered records a receipt that was made of a canonical result. made has both, the family and the policy.
func (a *audit) rendered(ctx context.Context, began time.Time, made *pb.AuditRecord) error {
	if a == nil {
		return nil
	}
	r := a.begin(ctx, pb.AuditKind_AUDIT_KIND_RENDERING, began)
	r.ToolName, r.Status = made.GetCanonical().GetToolName(), made.GetCanonical().GetStatus()
	r.Call, r.Family, r.Policy, r.Canonical, r.Receipt = made.Call, made.GetFamily(), made.Policy, made.Canonical, made.Receipt
	r.Versions = &pb.AuditVersions{Server: a.server, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: made.GetReceipt().GetTokenCounter()}
	return a.append(ctx, nil, r)
}

// compacted records what a compaction made: results that changed, the overview, and the policy.
func (a *audit) compacted(ctx context.Context, began time.Time, session string, made *pb.AuditRecord, counter string) error {
	if a == nil {
		return nil
	}
	r := a.begin(ctx, pb.AuditKind_AUDIT_KIND_COMPACTION, began)
	if session != "" {
		r.Call = &pb.CallReference{SessionId: session}
	}
	r.Versions = &pb.AuditVersions{Server: a.server, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: counter}
	r.Policy, r.Compacted, r.Receipt = made.Policy, made.Compacted, made.Receipt
	return a.append(ctx, nil, r)
}

var errAuditOff = errors.New("no audit log is kept")

func codeName(c interface{ String() string }) string {
	var b strings.Builder
	for i, r := range c.String() { // "NotFound" is NOT_FOUND
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

// counter counts from many goroutines.
type counter struct{ n atomic.Uint64 }

func (c *counter) add(n uint64) { c.n.Add(n) }

// take returns the count and begins again.
func (c *counter) take() uint64 { return c.n.Swap(0) }
