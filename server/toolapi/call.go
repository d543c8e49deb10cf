// Package toolapi implements ToolService: the definition of read_result for a provider, and the calls that a model makes of
// it. What a model does wrong with a call is an answer that says how to mend it; what a runtime does wrong is an error.
package toolapi

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/slice"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/artifactapi"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/transports"
)

// defaultPageTokens is the budget of a page, as tool.proto states it.
const defaultPageTokens = 4000

// Options are what a Service is made of.
type Options struct {
	Registry *families.Registry
	Policies *policy.Resolver
	Catalog  *catalog.Catalog
	Sink     func(catalog.Owner) artifactstore.Sink // for what receipts of mistakes leave out
	Secrets  *redaction.Secrets
	Patterns *redact.Patterns   // of what looks like a secret; nil: off
	Recorder *recorder.Recorder // nil: no audit log is kept
	Metrics  metrics.Reporter   // nil: nothing is measured
}

// Service is ToolService. Safe for concurrent use.
type Service struct {
	pb.UnimplementedToolServiceServer
	Options
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o} }

// GetToolDefinitions returns the definitions of the tools for a provider.
func (*Service) GetToolDefinitions(_ context.Context, req *pb.GetToolDefinitionsRequest) (*pb.GetToolDefinitionsResponse, error) {
	tools, err := transports.ToolDefinitions(req.GetProvider())
	if err != nil {
		return nil, err
	}
	return &pb.GetToolDefinitionsResponse{Tools: tools}, nil
}

// CallTool executes a call that a model made.
func (t *Service) CallTool(ctx context.Context, req *pb.CallToolRequest) (*pb.CallToolResponse, error) {
	if err := identity.ConfineCall(ctx, &req.Call); err != nil {
		return nil, err
	}
	c := toolCall{service: t, req: req, began: time.Now()}
	if err := c.check(); err != nil {
		return nil, err
	}
	answer, err := c.execute(ctx)
	if wrong, ok := errors.AsType[*mistake](err); ok {
		answer, err = c.failed(ctx, wrong)
	}
	if err != nil {
		return nil, err
	}
	resp := &pb.CallToolResponse{Canonical: answer.canonical, Receipt: renderers.Message(answer.receipt, c.policy.Render.Counter.Name())}
	if err := c.record(ctx, resp); err != nil {
		return nil, err
	}
	resp.Canonical, resp.CanonicalJson, err = envelope.InForm(req.GetCanonicalForm(), resp.GetCanonical())
	return resp, err
}

// toolCall is one call of CallTool.
type toolCall struct {
	service   *Service
	req       *pb.CallToolRequest
	began     time.Time
	policy    policy.Receipt
	redaction *redaction.Pass // of what the model wrote
}

// check checks what the runtime says of a call. What the model says is not its mistake.
func (c *toolCall) check() (err error) {
	check := envelope.NewChecker("")
	check.Name("name", c.req.GetName(), true)
	envelope.CheckForm(check, c.req.GetCanonicalForm())
	check.Name("call.session_id", c.req.GetCall().GetSessionId(), true)
	check.Name("call.call_id", c.req.GetCall().GetCallId(), false)
	if c.policy, err = c.service.Policies.Receipt(check.At("policy"), c.req.GetPolicy(), defaultPageTokens); err != nil {
		return err
	}
	if err := check.Err(); err != nil {
		return err
	}
	if c.redaction, err = c.service.Secrets.Resolve(c.service.Patterns, nil, c.req.GetCall().GetSessionId(), c.service.Registry.ErrorFamily().Name); err != nil {
		return err
	}
	if c.redaction.CheckCall(check, c.req.GetCall()); check.Err() != nil {
		return check.Err()
	}
	if c.req.GetName() != envelope.ReadTool {
		return toolUnknown()
	}
	return nil
}

// toolUnknown does not repeat a name that a model may have written.
func toolUnknown() *apierror.StatusError {
	return &apierror.StatusError{
		Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_TOOL_UNKNOWN,
		Message: "name: is none of GetToolDefinitions", Metadata: map[string]string{"field": "name"},
	}
}

// execute makes the page that a model asks for. It returns a *mistake for what the model did wrong.
func (c *toolCall) execute(ctx context.Context) (page, error) {
	call, err := parseReadCall(c.req.GetArgumentsJson())
	if err != nil {
		return page{}, err
	}
	pages, err := c.service.open(ctx, call.result, c.req.GetCall().GetSessionId())
	if err != nil {
		return page{}, err
	}
	defer pages.Close() // read-only
	r := pageReading{
		call: call, pages: pages, family: c.service.Registry.ByName("text"), policy: c.policy.Render, limit: c.policy.Limit,
		secrets: c.redaction.Options,
	}
	if err := r.begin(ctx); err != nil {
		return page{}, err
	}
	answer, err := r.largest(ctx)
	if err == nil && c.service.Metrics != nil {
		c.service.Metrics.Read(metrics.Read{
			Artifact: pages.Ref().Name, Selection: selectionName(call), Bytes: int64(len(answer.canonical.GetText().GetContentPreview())),
		})
	}
	return answer, err
}

// selectionName names what a model chose, as ReadArtifactRequest does.
func selectionName(call readCall) string {
	if call.match != nil {
		return "match"
	}
	switch call.selection.(type) {
	case slice.Lines:
		return "lines"
	case slice.Tail:
		return "tail"
	case slice.Pointer:
		return "json_pointer"
	}
	return artifactapi.WholeSelection
}

// failed answers a mistake of the model with how to mend it.
func (c *toolCall) failed(ctx context.Context, wrong *mistake) (page, error) {
	family := c.service.Registry.ErrorFamily()
	out, err := c.redaction.Redact(ctx, &pb.CompleteToolOutput{
		ToolName: envelope.ReadTool,
		Error:    &pb.CompleteToolError{Kind: wrong.kind, Message: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(wrong.message)}}},
	}, family, nil)
	if err != nil {
		return page{}, err
	}
	in := projectors.Input{Output: out, Policy: projectors.Policy{
		Budget: c.policy.Limit, LineBytes: c.policy.LineBytes, HeadPercent: policy.DefaultHeadPercent, Counter: c.policy.Render.Counter,
	}}
	made, err := family.Project(ctx, in, c.policy.Render.Handle, c.service.Sink(pipeline.Owner(c.req.GetCall())))
	if err != nil {
		return page{}, err
	}
	return page{canonical: made.Canonical, receipt: made.Receipt}, nil
}

// record records the call before it is answered.
func (c *toolCall) record(ctx context.Context, resp *pb.CallToolResponse) error {
	if c.service.Recorder == nil {
		return nil
	}
	r := c.service.Recorder.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_TOOL_CALL, c.began)
	arguments := strings.ToValidUTF8(cutText(c.req.GetArgumentsJson(), maxArguments), "")
	r.Call, r.Details = redaction.WithoutUnknown(c.req.GetCall()), c.redaction.RedactDetails(&pb.AuditDetails{ToolInput: arguments})
	r.Policy = &pb.ProjectionPolicy{Render: redaction.WithoutUnknown(c.req.GetPolicy())}
	r.ToolName, r.Family, r.Status = envelope.ReadTool, c.service.Registry.NameOf(resp.GetCanonical()), resp.GetCanonical().GetStatus()
	r.Versions = &pb.AuditVersions{
		Server: c.service.Recorder.Version, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: c.policy.Render.Counter.Name(),
	}
	r.Redactions, r.BudgetTokens = c.redaction.Replaced(), uint32(c.policy.Limit.Tokens)
	r.Canonical, r.Receipt = resp.GetCanonical(), resp.GetReceipt()
	return c.service.Recorder.Append(ctx, nil, nil, r)
}
