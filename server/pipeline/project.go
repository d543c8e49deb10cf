package pipeline

// One request, from top to bottom: Project is what a client calls, project has the order of the steps, and each step
// follows in its turn. Every step takes values and returns values; only the two that store something, fit and record,
// leave anything behind.

import (
	"context"
	"errors"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// received has the payloads that a client sent beside its request; the zero value has none.
type received struct {
	streams  map[string]ingest.Payload // by name
	inOrder  projectors.InOrder
	pass     *redaction.Pass // that the streams went through; nil: there are none
	focus    string          // of the session when the streams began
	snapshot bool            // the call goes on, so that this is not its answer
	reading  *reading        // of the request; nil for one with this output alone
	puts     Transaction     // of the request; likewise
}

// Project makes the result and the receipt of one complete output.
func (p *Pipeline) Project(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if err := confine(ctx, &req.Call, req.GetPolicy()); err != nil {
		return nil, err
	}
	resp, err := p.project(ctx, req, received{})
	if err != nil {
		return nil, err
	}
	return resp, p.form(req.GetCanonicalForm(), resp)
}

// project follows one output from its request to its answer. What it stores and the record are durable, and then there is an
// answer. A request that was answered before gets the same answer, from its record.
func (p *Pipeline) project(ctx context.Context, req *pb.ProjectRequest, from received) (*pb.ProjectResponse, error) {
	out, err := p.prepare(ctx, req, from)
	if err != nil {
		return nil, err
	}
	defer out.close()
	request, err := p.request(ctx, out)
	if err != nil {
		return nil, err
	}
	earlier, done, err := p.requests.Begin(ctx, request)
	if err != nil {
		return nil, err
	}
	defer done()
	if len(earlier) > 0 {
		return p.repeat(ctx, earlier), nil
	}
	made, err := p.fit(ctx, out)
	if err != nil {
		return nil, err
	}
	record, err := p.record(ctx, out, made)
	if err != nil {
		return nil, err
	}
	if earlier, err = p.requests.Append(ctx, request, out.puts, record); err != nil {
		return nil, err
	}
	if len(earlier) > 0 { // another server was first
		return p.repeat(ctx, earlier), nil
	}
	return p.answer(ctx, out, made), nil
}

// prepared is one output that is ready to be projected: valid, and without its secrets.
type prepared struct {
	validated
	began       time.Time
	details     *pb.AuditDetails // without secrets
	input       projectors.Input // its output is without secrets
	streams     map[string]ingest.Payload
	files       *ingest.Files // nil: none can be named
	puts        Transaction
	owns        bool // puts are of this output alone
	sink        *rememberingSink
	fingerprint string            // of the output; empty: it is not compared
	inventory   []recordedPayload // of the output; nil before it is needed
	reading     *reading          // nil: that of the request
	snapshot    bool
}

// close gives back what was read of files, and the memory for it.
func (o *prepared) close() {
	o.reading.close()
	if o.owns {
		o.puts.Discard()
	}
	if o.files != nil {
		o.files.Discard()
	}
}

// prepare validates an output, reads the files that it names, redacts it, and compares it with what its session was shown.
// What it returns must be closed.
func (p *Pipeline) prepare(ctx context.Context, req *pb.ProjectRequest, from received) (*prepared, error) {
	out := &prepared{began: time.Now(), snapshot: from.snapshot}
	var err error
	if out.validated, err = p.validate(req, from); err != nil {
		return nil, err
	}
	if out.puts = from.puts; out.puts == nil {
		out.puts, out.owns = p.Store.Begin(), true
	}
	out.sink = &rememberingSink{Sink: out.puts.SinkFor(Owner(req.GetCall())), refs: map[string]artifactstore.Ref{}}
	complete, err := p.ingest(ctx, out, from)
	if err == nil {
		err = p.redact(ctx, out, complete, from)
	}
	if err == nil {
		out.fingerprint, out.input.Unchanged, err = p.compare(ctx, out)
	}
	if err != nil {
		out.close()
		return nil, err
	}
	return out, nil
}

// validated is a request that the contract allows, with its family, its policy and what redacts it.
type validated struct {
	req          *pb.ProjectRequest // its focus is without secrets
	family       *families.Family
	policy       policy.Projection // its focus is that of the session and of the request
	policyDigest string            // of the policy before a turn raised its budget
	focus        string            // of the session, without secrets
	pass         *redaction.Pass
}

// validate checks a request. If it has streams, the rest of the output is redacted by the values
// that they were redacted by.
func (p *Pipeline) validate(req *pb.ProjectRequest, from received) (v validated, err error) {
	check := envelope.NewChecker("")
	envelope.CheckCall(check, req.GetCall())
	check.Name("request_id", req.GetRequestId(), false)
	checkDetails(check.At("audit"), req.GetAudit())
	envelope.CheckForm(check, req.GetCanonicalForm())
	policy.CheckHandles(check, req.GetPolicy().GetRender(), "call.session_id", req.GetCall().GetSessionId())
	if err := check.Err(); err != nil {
		return v, err
	}
	v.req = p.known(req)
	out := v.req.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return v, err
	}
	if v.family, err = p.Registry.ForOutput(out); err != nil {
		return v, err
	}
	if err := checkElements(out.GetCustom(), v.family); err != nil {
		return v, err
	}
	if v.policy, err = p.Policies.Projection(req.GetPolicy(), out.GetToolName(), v.family.DefaultTokens(out.GetToolName(), out.GetCommand().GetCommandLine())); err != nil {
		return v, err
	}
	if from.pass != nil {
		v.pass = redaction.NewPass(from.pass.Options)
	} else if v.pass, err = p.Secrets.Resolve(p.Patterns, req.GetPolicy().GetRedaction(), req.GetCall().GetSessionId(), v.family.Name); err != nil {
		return v, err
	}
	if err := v.pass.CheckNames(v.req, v.family); err != nil {
		return v, err
	}
	if v.focus = from.focus; from.pass == nil {
		v.focus = p.sessionFocus(req.GetCall(), req.GetPolicy(), v.pass)
	}
	v.req = p.redactFocus(v.req, v.pass)
	v.policy.Focus = v.req.GetPolicy().GetFocus()
	v.policy.WithSessionFocus(v.focus)
	v.policyDigest = v.policy.Digest()
	return v, nil
}

// known returns a request with its output as text if this server does not know the family.
func (p *Pipeline) known(req *pb.ProjectRequest) *pb.ProjectRequest {
	out := p.Registry.AsText(req.GetOutput())
	if out == req.GetOutput() {
		return req
	}
	return &pb.ProjectRequest{
		Output: out, Policy: req.GetPolicy(), Call: req.GetCall(), RequestId: req.GetRequestId(), Audit: req.GetAudit(),
		CanonicalForm: req.GetCanonicalForm(),
	}
}

// ingest brings the payloads of an output to where its projector finds them: files are read beside the streams, and a family
// that reads its payloads whole gets them inline. It returns the output with its secrets.
func (p *Pipeline) ingest(ctx context.Context, o *prepared, from received) (out *pb.CompleteToolOutput, err error) {
	out, o.streams = o.req.GetOutput(), from.streams
	if len(p.Roots) > 0 {
		rules := o.family.LineRules(out.GetCommand().GetCommandLine())
		o.files, err = ingest.SpoolFiles(ctx, p.Store, p.Roots, out, o.streams, o.policy.Budget.Tokens, rules, o.pass.Options)
		if err != nil {
			return nil, err
		}
		o.streams = o.files.Streams
	}
	if err := p.reserve(ctx, o, from); err != nil {
		return nil, err
	}
	out, o.streams, err = Inline(ctx, o.family, out, o.streams)
	return out, err
}

// redact replaces the secrets of an output, and makes it the input of its projector.
func (p *Pipeline) redact(ctx context.Context, o *prepared, out *pb.CompleteToolOutput, from received) error {
	o.details = o.pass.RedactDetails(o.req.GetAudit())
	redacted, err := o.pass.Redact(ctx, out, o.family, o.streams)
	o.input = projectors.Input{Output: redacted, Policy: o.policy.Policy, Streams: Streams(o.streams), InOrder: from.inOrder}
	return err
}

// compare finds an earlier call of the session that shows the same output; nil when there is none, or the policy does not
// ask for it.
func (p *Pipeline) compare(ctx context.Context, o *prepared) (fingerprint string, same *pb.OutputUnchanged, err error) {
	call := o.req.GetCall()
	if call == nil || o.req.GetPolicy().GetUnchanged() == pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE {
		return "", nil, nil
	}
	fingerprint, err = projectors.Fingerprint(ctx, o.input.Output, o.input.Streams)
	return fingerprint, p.shown.earlier(call, fingerprint, o.policy.Focus), err
}

// request returns the identity of a request; nil for one without an id, and for a snapshot, which cannot be asked for again.
func (p *Pipeline) request(ctx context.Context, o *prepared) (*recorder.Request, error) {
	id := o.req.GetRequestId()
	if id == "" || o.snapshot {
		return nil, nil
	}
	digest, err := p.digest(ctx, o)
	return recorder.NewRequest(o.req.GetCall().GetSessionId(), id, digest), err
}

// projected is what was made of an output.
type projected struct {
	resp    *pb.ProjectResponse
	budget  int             // tokens that it was made with
	omitted *preview.Counts // nil: nothing is measured
}

// fit projects an output with its own budget. Where a nearly full window makes the budget small, it gives way to what must
// be kept: a window makes receipts small, and fails no call.
func (p *Pipeline) fit(ctx context.Context, o *prepared) (projected, error) {
	tokens := o.policy.Budget.Tokens
	for {
		made, err := p.fitTokens(ctx, o, tokens)
		short, ok := errors.AsType[*envelope.ShortfallError](err)
		if !ok {
			return made, err
		}
		if tokens >= o.policy.Limit {
			return made, p.enough(ctx, o, short)
		}
		if short.Unit == "tokens" && short.Needed > tokens {
			tokens = min(short.Needed, o.policy.Limit)
		} else {
			tokens = o.policy.Limit
		}
	}
}

// maxForms bounds how often the amount of a shortfall is tried. A text has fewer forms.
const maxForms = 8

// enough raises the amount of a shortfall until a budget of it is enough. With more tokens a text may have another form, and what must
// be kept of that may cost more than the shortfall says: so the amount is tried.
func (p *Pipeline) enough(ctx context.Context, o *prepared, short *envelope.ShortfallError) *envelope.ShortfallError {
	for range maxForms {
		if short.Unit != "tokens" {
			break
		}
		_, err := p.fitTokens(ctx, o, short.Needed)
		more, ok := errors.AsType[*envelope.ShortfallError](err)
		if !ok || more.Unit != short.Unit || more.Needed <= short.Needed {
			break
		}
		short = &envelope.ShortfallError{Unit: short.Unit, Needed: more.Needed, Budget: short.Budget}
	}
	return short
}

// fitTokens projects an output with a budget of some tokens, and stores what the result leaves out. Its error is an
// *envelope.ShortfallError when what must be kept needs more.
func (p *Pipeline) fitTokens(ctx context.Context, o *prepared, tokens int) (projected, error) {
	if err := o.excerpt(ctx, tokens); err != nil {
		return projected{}, err
	}
	in := o.input
	in.Policy.Budget.Tokens = tokens
	if p.Metrics != nil {
		in.Omitted = new(preview.Counts)
	}
	in.Mask = o.pass.Mask
	made, err := o.family.Project(ctx, in, o.policy.Handle, o.pass.NewSink(o.sink))
	if err != nil {
		return projected{}, err
	}
	return projected{
		resp: &pb.ProjectResponse{
			Canonical: made.Canonical, Receipt: renderers.Message(made.Receipt, in.Policy.Counter.Name()),
			Durability: p.Durability, Redactions: o.pass.Replaced(),
		},
		budget: tokens, omitted: in.Omitted,
	}, nil
}

// answer returns the answer, from which on the output is known to its session.
func (p *Pipeline) answer(ctx context.Context, o *prepared, made projected) *pb.ProjectResponse {
	if call := o.req.GetCall(); call != nil {
		p.shown.answered(call, answer{o.fingerprint, o.input.Unchanged, made.resp.GetCanonical().GetCommand().GetTruncated(), o.policy.Focus})
	}
	p.measure(ctx, o, made)
	return p.trim(o.req.GetPolicy(), made.resp)
}

// repeat returns the answer that a record has, and names the record in the trailer.
func (p *Pipeline) repeat(ctx context.Context, earlier []*pb.AuditRecord) *pb.ProjectResponse {
	recorder.SetTrailer(ctx, earlier)
	return p.recorded(earlier[0])
}

// recorded returns the answer that a record has.
func (p *Pipeline) recorded(r *pb.AuditRecord) *pb.ProjectResponse {
	return p.trim(r.GetPolicy(), &pb.ProjectResponse{
		Canonical: r.GetCanonical(), Receipt: r.GetReceipt(), Durability: p.Durability, Redactions: r.GetRedactions(),
	})
}

// trim leaves out of an answer, in place, what its policy does not ask for. Its record has it.
func (p *Pipeline) trim(policy *pb.ProjectionPolicy, resp *pb.ProjectResponse) *pb.ProjectResponse {
	if !policy.GetSegments() {
		p.Registry.Types().WithoutSegments(resp.GetCanonical())
	}
	return resp
}

// form brings an answer to the form that its request names. It comes after everything else that reads the answer: the
// record of it has the message whatever is asked for.
func (p *Pipeline) form(form pb.CanonicalForm, resp *pb.ProjectResponse) (err error) {
	r := resp.GetCanonical()
	resp.Family = p.Registry.NameOf(r)
	resp.Canonical, resp.CanonicalJson, err = envelope.InForm(form, r)
	return err
}
