package server

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// received is what came as streams.
type received struct {
	streams   map[string]ingest.Payload
	inOrder   projectors.InOrder
	redaction *redaction.Pass // that the streams went through; nil when none came
	snapshot  bool            // the call goes on
}

// project is Project, with the payloads that came as streams. The artifacts are durable
// first, then the record, and then there is an answer.
func (s *service) project(ctx context.Context, req *pb.ProjectRequest, came received) (*pb.ProjectResponse, error) {
	p, err := s.prepare(ctx, req, came)
	if err != nil {
		return nil, err
	}
	defer p.close()
	var request *recorder.Request
	if !came.snapshot { // a call that goes on cannot be made again
		request = recorder.NewRequest(req.GetCall().GetSessionId(), req.GetRequestId(), p.digest)
	}
	earlier, done, err := s.requests.Begin(ctx, request)
	if err != nil {
		return nil, err
	}
	defer done()
	if len(earlier) == 0 {
		resp, tokens, err := p.withinOwn(ctx)
		if err != nil {
			return nil, err
		}
		record, err := p.record(ctx, resp, tokens)
		if err != nil {
			return nil, err
		}
		if earlier, err = s.requests.Append(ctx, request, record); err != nil {
			return nil, err
		}
		if len(earlier) == 0 {
			p.answered(resp)
			if !came.snapshot {
				p.tell(ctx, resp)
			}
			return s.asked(req.GetPolicy(), resp), nil
		}
	}
	recorder.SetTrailer(ctx, earlier)
	return s.repeated(earlier[0]), nil
}

// asked leaves out of an answer, in place, what the policy does not ask for and its record
// has.
func (s *service) asked(policy *pb.ProjectionPolicy, resp *pb.ProjectResponse) *pb.ProjectResponse {
	if !policy.GetSegments() {
		s.registry.Types().WithoutSegments(resp.GetCanonical())
	}
	return resp
}

// projection is one output that is valid, without its secrets, and ready to be projected.
type projection struct {
	*service
	began       time.Time
	family      *families.Family
	req         *pb.ProjectRequest
	redaction   *redaction.Pass
	details     *pb.AuditDetails
	output      *pb.CompleteToolOutput // without its secrets
	policy      projectionPolicy
	in          projectors.Input
	streams     map[string]ingest.Payload
	puts        *puts // what was stored of it
	fingerprint string
	files       *ingest.Files // nil when none can be named

	kept     []payloadOfOutput      // of the output; none without an audit log
	recorded *pb.CompleteToolOutput // as a record has it
	digest   string                 // of what was asked
	observed
}

// prepare checks an output and its policy, reads the files that it names, and redacts it.
// What it returns must be closed.
func (s *service) prepare(ctx context.Context, req *pb.ProjectRequest, came received) (*projection, error) {
	p := &projection{service: s, began: time.Now(), req: req}
	p.puts = &puts{Sink: s.store.SinkFor(ownerOf(req.GetCall())), refs: map[string]artifactstore.Ref{}}
	if err := p.read(ctx, came); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *projection) read(ctx context.Context, came received) (err error) {
	check := envelope.NewChecker("")
	envelope.CheckCall(check, p.req.GetCall())
	check.Name("request_id", p.req.GetRequestId(), false)
	checkDetails(check.At("audit"), p.req.GetAudit())
	envelope.CheckForm(check, p.req.GetCanonicalForm())
	checkHandles(check, p.req.GetPolicy().GetRender(), "call.session_id", p.req.GetCall().GetSessionId())
	if err := check.Err(); err != nil {
		return err
	}
	out := p.req.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return err
	}
	if p.family, err = p.registry.ForOutput(out); err != nil {
		return err
	}
	if p.policy, err = p.counters.projection(p.req.GetPolicy(), out.GetToolName(), p.family.Tokens); err != nil {
		return err
	}
	p.policy = forPage(p.policy, out.GetToolName())
	if p.redaction, err = p.redactionFor(came); err != nil {
		return err
	}
	if err := p.redaction.CheckNames(p.req, p.family); err != nil {
		return err
	}
	if p.streams = came.streams; len(p.roots) > 0 {
		rules := p.family.LineRules(out.GetCommand().GetCommandLine())
		p.files, err = ingest.SpoolFiles(ctx, p.store, p.roots, out, p.streams, p.policy.Budget.Tokens, rules, p.redaction.Options)
		if err != nil {
			return err
		}
		p.streams = p.files.Streams
	}
	if p.family.Whole && len(p.streams) > 0 {
		if out, err = inlined(out, p.streams); err != nil {
			return err
		}
		p.streams = nil
	}
	p.output, p.details = p.redaction.Redact(out, p.family, p.streams), p.redaction.RedactDetails(p.req.GetAudit())
	p.in = projectors.Input{Output: p.output, Policy: p.policy.Policy, InOrder: came.inOrder}
	if err := p.whole(); err != nil {
		return err
	}
	if err := p.identify(ctx); err != nil {
		return err
	}
	p.fingerprint, err = p.compare(ctx, p.req, &p.in)
	return err
}

// redactionFor is the redaction of this output: with the values that its streams were
// redacted by, if it has any.
func (p *projection) redactionFor(came received) (*redaction.Pass, error) {
	if came.redaction != nil {
		return redaction.NewPass(came.redaction.Options), nil
	}
	return p.secrets.Resolve(p.patterns, p.req.GetPolicy().GetRedaction(), p.req.GetCall().GetSessionId(), p.family.Name)
}

// whole gives the projector the payloads as it takes them: some take them inline alone.
func (p *projection) whole() (err error) {
	if p.family.Whole && len(p.streams) > 0 {
		p.in.Output, err = inlined(p.in.Output, p.streams)
		return err
	}
	if len(p.streams) > 0 {
		p.in.Streams = make(map[string]projectors.Stream, len(p.streams))
	}
	for key, s := range p.streams {
		p.in.Streams[key] = s.Stream
	}
	return nil
}

func (p *projection) close() {
	if p.files != nil {
		p.files.Discard()
	}
}

// withinOwn projects the output with its own budget, and says how many tokens that was. Where a nearly full window makes
// it small, it gives way to what must be kept: a window makes receipts small, and fails no call.
func (p *projection) withinOwn(ctx context.Context) (*pb.ProjectResponse, int, error) {
	tokens := p.in.Policy.Budget.Tokens
	for {
		resp, err := p.within(ctx, tokens)
		short, ok := errors.AsType[*envelope.ShortfallError](err)
		if !ok || tokens >= p.policy.limit {
			return resp, tokens, err
		}
		if short.Unit == "tokens" && short.Needed > tokens {
			tokens = min(short.Needed, p.policy.limit)
		} else {
			tokens = p.policy.limit
		}
	}
}

// within projects the output with a budget of some tokens.
func (p *projection) within(ctx context.Context, tokens int) (*pb.ProjectResponse, error) {
	if err := p.keepFor(ctx, tokens); err != nil {
		return nil, err
	}
	in := p.in
	in.Policy.Budget.Tokens = tokens
	in.Omitted = p.leaves()
	made, err := projectFamily(ctx, p.family, in, p.handle(p.req.GetPolicy().GetRender()), p.puts)
	if err != nil {
		return nil, err
	}
	p.fitted(in.Omitted)
	return &pb.ProjectResponse{
		Canonical: made.Canonical, Receipt: receiptOf(made.Receipt, in.Policy.Counter.Name()), Durability: p.durability, Redactions: p.redaction.Replaced(),
	}, nil
}

// keepFor reads streams again whose excerpts were kept for another budget, so that they are shown like payloads that are
// inline: streams of a tool that was not known when they came, and outputs that get a share of a turn.
func (p *projection) keepFor(ctx context.Context, tokens int) error {
	rules := p.family.LineRules(p.output.GetCommand().GetCommandLine())
	for key := range p.in.Streams {
		s := p.streams[key]
		if s.Tokens == tokens {
			continue
		}
		w := preview.NewWriter(tokens)
		w.Watch(rules)
		if err := ingest.ReadBlocks(ctx, s.Blob, func(block []byte) error {
			_, err := w.Write(block)
			return err
		}); err != nil {
			return err
		}
		s.Excerpt, s.Tokens = w.Finish(), tokens
		p.streams[key], p.in.Streams[key] = s, s.Stream
	}
	return nil
}

// projectFamily makes the canonical result and the receipt of an output.
func projectFamily(ctx context.Context, f *families.Family, in projectors.Input, handle func(path string) string, sink artifactstore.Sink) (projectors.Projection, error) {
	policy := renderers.Policy{Counter: in.Policy.Counter, Handle: handle}
	in.Measure = func(r *pb.CanonicalToolResult) (renderers.Receipt, error) { return f.Renderer.Render(r, policy) }
	if custom, ok := f.Renderer.(*renderers.CustomRenderer); ok {
		in.MeasurePayload = func(m protoreflect.Message) (renderers.Receipt, error) { return custom.RenderPayload(m, policy) }
	}
	return f.Projector.Project(ctx, in, sink)
}

// puts is a sink that remembers what was put.
type puts struct {
	artifactstore.Sink
	refs map[string]artifactstore.Ref // by digest
}

// Put puts a blob.
func (p *puts) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := p.Sink.Put(ctx, b)
	if err == nil {
		p.refs[ref.Digest] = ref
	}
	return ref, err
}

// answered remembers what the call wrote, for those that come after it.
func (p *projection) answered(resp *pb.ProjectResponse) {
	if p.req.GetCall() != nil {
		p.outputs.answered(p.req.GetCall(), answer{p.fingerprint, p.in.Unchanged, resp.GetCanonical().GetCommand().GetTruncated()})
	}
}

// compare finds an earlier call of the session with the same output, if the policy wants it.
func (s *service) compare(ctx context.Context, req *pb.ProjectRequest, in *projectors.Input) (fingerprint string, err error) {
	if req.GetCall() == nil || req.GetPolicy().GetUnchanged() == pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE {
		return "", nil
	}
	fingerprint, err = projectors.Fingerprint(ctx, in.Output, in.Streams)
	in.Unchanged = s.outputs.earlier(req.GetCall(), fingerprint)
	return fingerprint, err
}

// repeated is the answer that a record has.
func (s *service) repeated(r *pb.AuditRecord) *pb.ProjectResponse {
	return s.asked(r.GetPolicy(), &pb.ProjectResponse{
		Canonical: r.GetCanonical(), Receipt: r.GetReceipt(), Durability: s.durability, Redactions: r.GetRedactions(),
	})
}
