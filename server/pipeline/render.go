package pipeline

import (
	"context"
	"time"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/redaction"
)

// Render makes the receipt of a canonical result.
func (p *Pipeline) Render(ctx context.Context, req *pb.RenderRequest) (*pb.RenderResponse, error) {
	began := time.Now()
	canonical, field, err := p.canonicalToRender(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := envelope.ValidateCanonical(field, canonical, p.Registry.Types()); err != nil {
		return nil, err
	}
	canonical = p.Screen().Result(req.GetCall().GetSessionId(), canonical)
	receipt, err := Receipt(p.Registry, p.Policies, "policy", canonical, req.GetPolicy())
	if err != nil {
		return nil, apierror.AtField(field, err)
	}
	record := &pb.AuditRecord{
		Family: p.Registry.ForResult(canonical).Name, Policy: &pb.ProjectionPolicy{Render: req.GetPolicy()}, Canonical: canonical, Receipt: receipt,
	}
	if field == callField {
		record.Call = req.GetCall()
	}
	if err := p.Recorder.Rendered(ctx, began, record); err != nil {
		return nil, err
	}
	return &pb.RenderResponse{Receipt: receipt}, nil
}

// Screen redacts what callers bring.
func (p *Pipeline) Screen() redaction.Screen {
	return redaction.Screen{Secrets: p.Secrets, Patterns: p.Patterns}
}

// canonicalToRender returns the result that a request is about, and the field that names it.
func (p *Pipeline) canonicalToRender(ctx context.Context, req *pb.RenderRequest) (*pb.CanonicalToolResult, string, error) {
	if err := identity.ConfineCall(ctx, &req.Call); err != nil {
		return nil, "", err
	}
	canonical, field, err := ReadCanonical(p.Registry, req)
	if err != nil || canonical != nil || req.GetCall().GetCallId() == "" {
		return canonical, field, err
	}
	check := envelope.NewChecker("")
	envelope.CheckCall(check, req.GetCall())
	if err := check.Err(); err != nil {
		return nil, "", err
	}
	canonical, err = p.onRecord(ctx, req.GetCall().GetSessionId(), req.GetCall().GetCallId())
	return p.Registry.ResultAsText(canonical), callField, err
}

// Receipt renders a valid canonical result under a policy; path is where the request has the policy. A policy without a
// token budget gets that of the operator, or else of the result's family.
func Receipt(r *families.Registry, policies *policy.Resolver, path string, canonical *pb.CanonicalToolResult, p *pb.RenderPolicy) (*pb.Receipt, error) {
	family, check := r.ForResult(canonical), envelope.NewChecker(path)
	resolved, err := policies.Receipt(check, p, policies.DefaultTokens(canonical.GetToolName(), p.GetModel(), family.ResultTokens(canonical)))
	if err != nil {
		return nil, err
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	receipt, err := family.Renderer.Render(canonical, resolved.Render)
	if err != nil {
		return nil, err
	}
	if err := receipt.Cost().Fits(resolved.Limit); err != nil {
		return nil, err
	}
	return renderers.Message(receipt, resolved.Render.Counter.Name()), nil
}
