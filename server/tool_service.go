package server

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/slice"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/artifactapi"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/tokens"
	"github.com/toolresult/toolresult/transports"
)

// defaultPageTokens is the budget of a page, as tool.proto states it.
const defaultPageTokens = 4000

// toolService is ToolService.
type toolService struct {
	pb.UnimplementedToolServiceServer
	*service
	catalog *catalog.Catalog
}

// GetToolDefinitions returns the definitions of the tools for a provider.
func (*toolService) GetToolDefinitions(_ context.Context, req *pb.GetToolDefinitionsRequest) (*pb.GetToolDefinitionsResponse, error) {
	tools, err := transports.ToolDefinitions(req.GetProvider())
	if err != nil {
		return nil, err
	}
	return &pb.GetToolDefinitionsResponse{Tools: tools}, nil
}

// CallTool executes a call that a model made.
func (t *toolService) CallTool(ctx context.Context, req *pb.CallToolRequest) (*pb.CallToolResponse, error) {
	if err := identity.ConfineCall(ctx, &req.Call); err != nil {
		return nil, err
	}
	c := toolCall{toolService: t, req: req, began: time.Now()}
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
	resp := &pb.CallToolResponse{Canonical: answer.canonical, Receipt: receiptOf(answer.receipt, c.counter.Name())}
	if err := c.record(ctx, resp); err != nil {
		return nil, err
	}
	resp.Canonical, resp.CanonicalJson, err = envelope.InForm(req.GetCanonicalForm(), resp.GetCanonical())
	return resp, err
}

// toolCall is one call of CallTool.
type toolCall struct {
	*toolService
	req       *pb.CallToolRequest
	began     time.Time
	budget    budget
	counter   tokens.Counter
	redaction *redaction.Pass // of what the model wrote
}

// check checks what the runtime says of a call. What the model says is not its mistake.
func (c *toolCall) check() (err error) {
	check := envelope.NewChecker("")
	check.Name("name", c.req.GetName(), true)
	envelope.CheckForm(check, c.req.GetCanonicalForm())
	check.Name("call.session_id", c.req.GetCall().GetSessionId(), true)
	check.Name("call.call_id", c.req.GetCall().GetCallId(), false)
	if c.budget, c.counter, err = c.counters.render(check.At("policy"), c.req.GetPolicy(), defaultPageTokens); err != nil {
		return err
	}
	if err := check.Err(); err != nil {
		return err
	}
	if c.redaction, err = c.secrets.Resolve(c.patterns, nil, c.req.GetCall().GetSessionId(), c.registry.ErrorFamily().Name); err != nil {
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

func (c *toolCall) policy() renderers.Policy {
	return renderers.Policy{Counter: c.counter, Handle: c.handle(c.req.GetPolicy())}
}

// execute makes the page that a model asks for. It returns a *mistake for what the model did wrong.
func (c *toolCall) execute(ctx context.Context) (page, error) {
	call, err := parseReadCall(c.req.GetArgumentsJson())
	if err != nil {
		return page{}, err
	}
	pages, err := c.open(ctx, call.result, c.req.GetCall().GetSessionId())
	if err != nil {
		return page{}, err
	}
	defer pages.Close() // read-only
	r := pageReading{call: call, pages: pages, family: c.registry.ByName("text"), policy: c.policy(), limit: c.budget.receipt}
	if err := r.begin(ctx); err != nil {
		return page{}, err
	}
	answer, err := r.largest(ctx)
	if err == nil && c.metrics != nil {
		c.metrics.Read(metrics.Read{
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

// failed tells the model what it did wrong.
func (c *toolCall) failed(ctx context.Context, wrong *mistake) (page, error) {
	family := c.registry.ErrorFamily()
	out := c.redaction.Redact(&pb.CompleteToolOutput{
		ToolName: envelope.ReadTool,
		Error:    &pb.CompleteToolError{Kind: wrong.kind, Message: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(wrong.message)}}},
	}, family, nil)
	policy := projectors.Policy{Budget: c.budget.receipt, LineBytes: c.budget.lineBytes, HeadPercent: defaultHeadPercent, Counter: c.counter}
	made, err := projectFamily(ctx, family, projectors.Input{Output: out, Policy: policy}, c.handle(c.req.GetPolicy()), c.store.SinkFor(ownerOf(c.req.GetCall())))
	if err != nil {
		return page{}, err
	}
	return page{canonical: made.Canonical, receipt: made.Receipt}, nil
}

// record records the call before it is answered.
func (c *toolCall) record(ctx context.Context, resp *pb.CallToolResponse) error {
	if c.audit == nil {
		return nil
	}
	r := c.audit.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_TOOL_CALL, c.began)
	arguments := strings.ToValidUTF8(cutText(c.req.GetArgumentsJson(), maxArguments), "")
	r.Call, r.Details = redaction.WithoutUnknown(c.req.GetCall()), c.redaction.RedactDetails(&pb.AuditDetails{ToolInput: arguments})
	r.Policy = &pb.ProjectionPolicy{Render: redaction.WithoutUnknown(c.req.GetPolicy())}
	r.ToolName, r.Family, r.Status = envelope.ReadTool, c.registry.NameOf(resp.GetCanonical()), resp.GetCanonical().GetStatus()
	r.Versions = &pb.AuditVersions{
		Server: c.audit.Version, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: c.counter.Name(),
	}
	r.Redactions, r.BudgetTokens = c.redaction.Replaced(), uint32(c.budget.receipt.Tokens)
	r.Canonical, r.Receipt = resp.GetCanonical(), resp.GetReceipt()
	return c.audit.Append(ctx, nil, r)
}
