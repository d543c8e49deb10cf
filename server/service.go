package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/library"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// service is ToolResultService. Its methods return the errors of the rooms
// below; the interceptor that wraps them makes statuses of these.
type service struct {
	pb.UnimplementedToolResultServiceServer
	registry   *Registry
	counters   counters
	store      store
	roots      []root
	durability pb.StoreDurability
	info       *pb.GetServerInfoResponse
	logger     *slog.Logger
	outputs    *outputs
	idle       time.Duration      // that a stream may be without a message
	objects    *objectstore.Store // nil when there is none
}

// store is what the service needs of the library of artifacts.
type store interface {
	artifactstore.Stager
	For(library.Owner) artifactstore.Sink
	Status() library.Status
}

// Project validates, projects and renders one complete output.
func (s *service) Project(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	check := envelope.NewChecker("")
	checkCall(check, req.GetCall())
	if err := check.Err(); err != nil {
		return nil, err
	}
	return s.project(ctx, req, received{})
}

// checkCall checks the reference to the call of a tool, where there is one.
func checkCall(check envelope.Checker, call *pb.CallReference) {
	if call != nil {
		check.Name("call.session_id", call.GetSessionId(), true)
		check.Name("call.call_id", call.GetCallId(), false)
	}
}

// received is what came as streams.
type received struct {
	streams map[string]projectors.Stream
	inOrder projectors.InOrder
}

// project is Project, with the payloads that came as streams.
func (s *service) project(ctx context.Context, req *pb.ProjectRequest, came received) (*pb.ProjectResponse, error) {
	out := req.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return nil, err
	}
	family, err := s.registry.ofOutput(out)
	if err != nil {
		return nil, err
	}
	policy, err := s.counters.projection(req.GetPolicy(), family.Tokens)
	if err != nil {
		return nil, err
	}
	streams := came.streams
	if len(s.roots) > 0 {
		files, err := s.withFiles(ctx, out, streams, policy.Budget.Tokens, family.rules(out.GetCommand().GetCommandLine()))
		defer files.discard()
		if err != nil {
			return nil, err
		}
		streams = files.streams
	}
	if family.Whole && len(streams) > 0 {
		if out, err = inlined(out, streams); err != nil {
			return nil, err
		}
	}
	m := &measuring{renderer: family.Renderer, policy: renderers.Policy{Counter: policy.Counter}}
	in := projectors.Input{Output: out, Policy: policy, Streams: streams, InOrder: came.inOrder, Measure: m.result}
	if _, brought := family.Renderer.(*renderers.CustomRenderer); brought {
		in.MeasurePayload = m.payload
	}
	fingerprint, err := s.compare(ctx, req, &in)
	if err != nil {
		return nil, err
	}
	canonical, err := family.Projector.Project(ctx, in, s.store.For(ownerOf(req.GetCall())))
	if err != nil {
		return nil, err
	}
	if req.GetCall() != nil {
		s.outputs.answered(req.GetCall(), fingerprint, in.Unchanged)
	}
	return &pb.ProjectResponse{
		Canonical: canonical, Receipt: receiptOf(m.receipt, policy.Counter.Name()), Durability: s.durability,
	}, nil
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

// ownerOf is whom the artifacts of a call belong to.
func ownerOf(c *pb.CallReference) library.Owner {
	return library.Owner{Session: c.GetSessionId(), Call: c.GetCallId()}
}

func receiptOf(r renderers.Receipt, counter string) *pb.Receipt {
	return &pb.Receipt{
		Text: r.Text, Tokens: uint32(r.Tokens), TokenCounter: counter, StuffedLines: uint32(r.Stuffed),
		RendererVersion: renderers.Version,
	}
}

// Render makes the receipt of a canonical result.
func (s *service) Render(_ context.Context, req *pb.RenderRequest) (*pb.RenderResponse, error) {
	if err := envelope.ValidateCanonical("canonical", req.GetCanonical(), s.registry.types); err != nil {
		return nil, err
	}
	family := s.registry.ofResult(req.GetCanonical())
	receipt, err := s.receipt("policy", req.GetCanonical(), req.GetPolicy(), family.Tokens)
	if err != nil {
		return nil, located{"canonical", err}
	}
	return &pb.RenderResponse{Receipt: receipt}, nil
}

// receipt renders a valid canonical result under a policy, which may leave the
// tokens to a default.
func (s *service) receipt(path string, r *pb.CanonicalToolResult, p *pb.RenderPolicy, tokens int) (*pb.Receipt, error) {
	check := envelope.NewChecker(path)
	b, counter, err := s.counters.render(check, p, tokens)
	if err != nil {
		return nil, err
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	receipt, err := s.registry.ofResult(r).Renderer.Render(r, renderers.Policy{Counter: counter})
	if err != nil {
		return nil, err
	}
	if err := receipt.Cost().Fits(b.receipt); err != nil {
		return nil, err
	}
	return receiptOf(receipt, counter.Name()), nil
}

// Compact brings results to a level.
func (s *service) Compact(ctx context.Context, req *pb.CompactRequest) (*pb.CompactResponse, error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), false)
	if err := check.Err(); err != nil {
		return nil, err
	}
	policy, err := s.counters.compaction(req.GetPolicy())
	if err != nil {
		return nil, err
	}
	sink := s.store.For(library.Owner{Session: req.GetSessionId()})
	policy.Keep = func(ctx context.Context, payload []byte) (path, digest string, err error) {
		ref, err := sink.Put(ctx, artifactstore.BytesBlob(payload))
		return ref.Path, ref.Digest, err
	}
	policy.Types = s.registry.types
	if err := validateAll(req.GetResults(), s.registry.types); err != nil {
		return nil, err
	}
	resp := &pb.CompactResponse{Results: make([]*pb.CompactedResult, len(req.GetResults()))}
	for i, r := range req.GetResults() {
		compacted, changed, err := compactor.Compact(ctx, r, policy)
		if err != nil {
			return nil, located{fmt.Sprintf("results[%d]", i), err}
		}
		receipt, err := s.receipt("policy.render", compacted, req.GetPolicy().GetRender(), maxTokens)
		if err != nil {
			return nil, located{fmt.Sprintf("results[%d]", i), err}
		}
		if changed && resp.FirstChanged == nil {
			resp.FirstChanged = new(uint32(i))
		}
		resp.Results[i] = &pb.CompactedResult{Canonical: compacted, Receipt: receipt, Changed: changed}
	}
	return resp, nil
}

func validateAll(results []*pb.CanonicalToolResult, types envelope.Types) error {
	check := envelope.NewChecker("")
	if len(results) > maxResults {
		check.Fail("results", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d results, at most %d are allowed", len(results), maxResults)
		return check.Err()
	}
	for i, r := range results {
		if err := envelope.ValidateCanonical(fmt.Sprintf("results[%d]", i), r, types); err != nil {
			return err
		}
	}
	return nil
}

// GetServerInfo says what this server is.
func (s *service) GetServerInfo(context.Context, *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
	info := proto.CloneOf(s.info)
	status := s.store.Status()
	info.Store.Artifacts, info.Store.Bytes = uint64(status.Artifacts), uint64(status.Bytes)
	if s.objects != nil {
		o := s.objects.Status()
		info.Store.ObjectStore = &pb.ObjectStoreStatus{
			Url: o.URL, PendingArtifacts: uint64(o.PendingArtifacts), PendingBytes: uint64(o.PendingBytes), LastError: o.LastError,
		}
	}
	return info, nil
}
