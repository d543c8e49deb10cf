package server

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// service is ToolResultService. Its methods return the errors of the rooms
// below; the interceptor that wraps them makes statuses of these.
type service struct {
	pb.UnimplementedToolResultServiceServer
	registry     *families.Registry
	compactor    *compactor.Compactor
	counters     counters
	store        store
	roots        []ingest.Root
	durability   pb.StoreDurability
	info         *pb.GetServerInfoResponse
	logger       *slog.Logger
	outputs      *outputs
	idle         time.Duration // that a stream may be without a message
	streamMemory int           // bytes of a history in a stream that are kept in memory
	secrets      *redaction.Secrets
	patterns     *redact.Patterns   // of what looks like a secret; nil when that is off
	audit        *recorder.Recorder // nil when no log is kept
	requests     *recorder.Requests
	objects      *objectstore.Store // nil when there is none
	metrics      metrics.Reporter   // nil when nobody asks
	redactions   map[string]bool    // the rules of redaction, by which they are counted; other kinds are names that callers chose
}

// store is what the service needs of the catalog of artifacts.
type store interface {
	artifactstore.Stager
	Open(ctx context.Context, name string) (*artifactstore.Reader, error)
	Resolve(path string) (string, error)
	SinkFor(catalog.Owner) artifactstore.Sink
	RefFor(content []byte) artifactstore.Ref
	Status() catalog.Status
}

// Project validates, projects and renders one complete output.
func (s *service) Project(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if err := identity.ConfineCall(ctx, &req.Call); err != nil {
		return nil, err
	}
	resp, err := s.project(ctx, req, received{})
	if err != nil {
		return nil, err
	}
	return resp, s.form(req.GetCanonicalForm(), resp)
}

// form brings an answer to the form that its request names. It comes after everything else that reads the answer: the
// record of it has the message whatever is asked for.
func (s *service) form(form pb.CanonicalForm, resp *pb.ProjectResponse) (err error) {
	r := resp.GetCanonical()
	resp.Family = s.registry.NameOf(r)
	resp.Canonical, resp.CanonicalJson, err = envelope.InForm(form, r)
	return err
}

// ownerOf is whom the artifacts of a call belong to.
func ownerOf(c *pb.CallReference) catalog.Owner {
	return catalog.Owner{Session: c.GetSessionId(), Call: c.GetCallId()}
}

func receiptOf(r renderers.Receipt, counter string) *pb.Receipt {
	return &pb.Receipt{
		Text: r.Text, Tokens: uint32(r.Tokens), TokenCounter: counter, StuffedLines: uint32(r.Stuffed),
		RendererVersion: renderers.Version,
	}
}

// Render makes the receipt of a canonical result.
func (s *service) Render(ctx context.Context, req *pb.RenderRequest) (*pb.RenderResponse, error) {
	began := time.Now()
	canonical, field, err := s.toRender(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := envelope.ValidateCanonical(field, canonical, s.registry.Types()); err != nil {
		return nil, err
	}
	family := s.registry.ForResult(canonical)
	receipt, err := s.receipt("policy", canonical, req.GetPolicy(), family.Tokens)
	if err != nil {
		return nil, apierror.AtField(field, err)
	}
	record := &pb.AuditRecord{Family: family.Name, Policy: &pb.ProjectionPolicy{Render: req.GetPolicy()}, Canonical: canonical, Receipt: receipt}
	if field == callField {
		record.Call = req.GetCall()
	}
	if err := s.audit.Rendered(ctx, began, record); err != nil {
		return nil, err
	}
	return &pb.RenderResponse{Receipt: receipt}, nil
}

// toRender returns the result that a request is about, and the field that names it.
func (s *service) toRender(ctx context.Context, req *pb.RenderRequest) (*pb.CanonicalToolResult, string, error) {
	if err := identity.ConfineCall(ctx, &req.Call); err != nil {
		return nil, "", err
	}
	canonical, field, err := s.inRequest(req)
	if err != nil || canonical != nil || req.GetCall().GetCallId() == "" {
		return canonical, field, err
	}
	check := envelope.NewChecker("")
	envelope.CheckCall(check, req.GetCall())
	if err := check.Err(); err != nil {
		return nil, "", err
	}
	canonical, err = s.onRecord(ctx, req.GetCall().GetSessionId(), req.GetCall().GetCallId())
	return canonical, callField, err
}

// receipt renders a valid canonical result under a policy, which may leave the
// tokens to a default.
func (s *service) receipt(path string, r *pb.CanonicalToolResult, p *pb.RenderPolicy, tokens int) (*pb.Receipt, error) {
	check := envelope.NewChecker(path)
	b, counter, err := s.counters.render(check, p, s.counters.unsetTokens(r.GetToolName(), p.GetModel(), tokens))
	if err != nil {
		return nil, err
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	receipt, err := s.registry.ForResult(r).Renderer.Render(r, renderers.Policy{Counter: counter, Handle: s.handle(p)})
	if err != nil {
		return nil, err
	}
	if err := receipt.Cost().Fits(b.receipt); err != nil {
		return nil, err
	}
	return receiptOf(receipt, counter.Name()), nil
}

// GetServerInfo says what this server is.
func (s *service) GetServerInfo(ctx context.Context, _ *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
	info := proto.CloneOf(s.info)
	if identity.FromContext(ctx).Session != "" { // what is in the store is of all sessions
		return info, nil
	}
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
