package server

import (
	"context"
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// received is what came as streams.
type received struct {
	streams map[string]projectors.Stream
	inOrder projectors.InOrder
}

// project is Project, with the payloads that came as streams.
func (s *service) project(ctx context.Context, req *pb.ProjectRequest, came received) (*pb.ProjectResponse, error) {
	p, err := s.prepare(ctx, req, came)
	if err != nil {
		return nil, err
	}
	defer p.close()
	resp, err := p.within(ctx, p.in.Policy.Budget.Tokens)
	if err != nil {
		return nil, err
	}
	p.answered()
	return resp, nil
}

// projection is one output that is valid and ready to be projected.
type projection struct {
	*service
	family      *Family
	call        *pb.CallReference
	in          projectors.Input
	fingerprint string
	files       *files // nil when none can be named
}

// prepare checks an output and its policy, and reads the files that it names. What it
// returns must be closed.
func (s *service) prepare(ctx context.Context, req *pb.ProjectRequest, came received) (*projection, error) {
	p := &projection{service: s, call: req.GetCall()}
	if err := p.read(ctx, req, came); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *projection) read(ctx context.Context, req *pb.ProjectRequest, came received) (err error) {
	check := envelope.NewChecker("")
	checkCall(check, req.GetCall())
	if err := check.Err(); err != nil {
		return err
	}
	out := req.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return err
	}
	if p.family, err = p.registry.ofOutput(out); err != nil {
		return err
	}
	policy, err := p.counters.projection(req.GetPolicy(), p.family.Tokens)
	if err != nil {
		return err
	}
	streams := came.streams
	if len(p.roots) > 0 {
		p.files, err = p.withFiles(ctx, out, streams, policy.Budget.Tokens, p.family.rules(out.GetCommand().GetCommandLine()))
		if err != nil {
			return err
		}
		streams = p.files.streams
	}
	if p.family.Whole && len(streams) > 0 {
		if out, err = inlined(out, streams); err != nil {
			return err
		}
	}
	p.in = projectors.Input{Output: out, Policy: policy, Streams: streams, InOrder: came.inOrder}
	p.fingerprint, err = p.compare(ctx, req, &p.in)
	return err
}

func (p *projection) close() {
	if p.files != nil {
		p.files.discard()
	}
}

// within projects the output with a budget of some tokens.
func (p *projection) within(ctx context.Context, tokens int) (*pb.ProjectResponse, error) {
	in := p.in
	in.Policy.Budget.Tokens = tokens
	m := &measuring{renderer: p.family.Renderer, policy: renderers.Policy{Counter: in.Policy.Counter}}
	in.Measure = m.result
	if _, brought := p.family.Renderer.(*renderers.CustomRenderer); brought {
		in.MeasurePayload = m.payload
	}
	canonical, err := p.family.Projector.Project(ctx, in, p.store.For(ownerOf(p.call)))
	if err != nil {
		return nil, err
	}
	return &pb.ProjectResponse{
		Canonical: canonical, Receipt: receiptOf(m.receipt, in.Policy.Counter.Name()), Durability: p.durability,
	}, nil
}

// answered remembers what the call wrote, for those that come after it.
func (p *projection) answered() {
	if p.call != nil {
		p.outputs.answered(p.call, p.fingerprint, p.in.Unchanged)
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

// measuring tells a projector what receipts cost. The last one that was measured is
// the one that fits.
type measuring struct {
	renderer renderers.Renderer
	policy   renderers.Policy
	receipt  renderers.Receipt
}

func (m *measuring) result(r *pb.CanonicalToolResult) (cost envelope.Cost, err error) {
	m.receipt, err = m.renderer.Render(r, m.policy)
	return m.receipt.Cost(), err
}

// payload measures the payload of a family that an operator brought.
func (m *measuring) payload(payload protoreflect.Message) (cost envelope.Cost, err error) {
	brought, ok := m.renderer.(*renderers.CustomRenderer)
	if !ok {
		return cost, errors.ErrUnsupported
	}
	m.receipt, err = brought.RenderPayload(payload, m.policy)
	return m.receipt.Cost(), err
}
