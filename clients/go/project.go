package toolresult

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Option sets something about the projection of one output.
type Option func(*projection)

// projection is how one output is projected.
type projection struct {
	request   *pb.ProjectRequest // without its output
	mediaType string
	family    string // of a stream
	line      string // the command line of a stream
	hasID     bool   // the caller chose the request id
}

// MaxTokens bounds the receipt, in tokens. Default: by tool, model and family.
func MaxTokens(n int) Option {
	return func(p *projection) {
		policy := p.policy()
		if policy.Render == nil {
			policy.Render = &pb.RenderPolicy{}
		}
		if policy.Render.Budget == nil {
			policy.Render.Budget = &pb.Budget{}
		}
		policy.Render.Budget.MaxTokens = uint32(n)
	}
}

// Policy sets how the output is projected. An option before it that is about the policy has no effect.
func Policy(policy *pb.ProjectionPolicy) Option {
	return func(p *projection) { p.request.Policy = proto.CloneOf(policy) }
}

// Focus sets what the agent looks for, in its own words: the question, the last message. At most 8
// KiB. Default: the task of the client.
func Focus(text string) Option { return func(p *projection) { p.policy().Focus = text } }

// Session sets the session that owns the artifacts. Default: that of the client, or none.
func Session(id string) Option { return func(p *projection) { p.call().SessionId = id } }

// CallID sets the id of the call, such as the provider's tool_call_id. It needs a session.
func CallID(id string) Option { return func(p *projection) { p.call().CallId = id } }

// AgentID sets which agent of the session made the call. It needs a session.
func AgentID(id string) Option { return func(p *projection) { p.call().AgentId = id } }

// RequestID sets the id by which a call that is made again gets the same answer. "" is none. Default: one of its own for each call but
// streams, which are never sent again.
func RequestID(id string) Option {
	return func(p *projection) { p.request.RequestId, p.hasID = id, true }
}

// MediaType sets the media type of a text, such as "text/markdown".
func MediaType(t string) Option { return func(p *projection) { p.mediaType = t } }

// Family sets the family of a stream, as GetServerInfo names it. Default: "command".
func Family(name string) Option { return func(p *projection) { p.family = name } }

// CommandLine sets the command line of a stream, by which lines are ranked while they arrive.
func CommandLine(line string) Option { return func(p *projection) { p.line = line } }

// policy returns the policy, to be changed.
func (p *projection) policy() *pb.ProjectionPolicy {
	if p.request.Policy == nil {
		p.request.Policy = &pb.ProjectionPolicy{}
	}
	return p.request.Policy
}

// call returns the call, to be changed.
func (p *projection) call() *pb.CallReference {
	if p.request.Call == nil {
		p.request.Call = &pb.CallReference{}
	}
	return p.request.Call
}

// projection returns how an output is projected.
func (c *Client) projection(options []Option) *projection {
	p := &projection{request: &pb.ProjectRequest{}, family: "command"}
	for _, set := range options {
		set(p)
	}
	if c.session != "" && p.request.GetCall().GetSessionId() == "" {
		p.call().SessionId = c.session
	}
	if task, _ := c.task.Load().(string); task != "" {
		p.policy().Focus = joinFocus(task, p.request.GetPolicy().GetFocus())
	}
	return p
}

// maxFocus bounds a focus, in bytes, as the contract has it.
const maxFocus = 8 << 10

// joinFocus puts a task before a focus, or as much of its beginning as there is space for. A focus
// that is too long is for the sidecar to reject.
func joinFocus(task, focus string) string {
	end := ""
	if focus != "" {
		end = "\n" + focus
	}
	n := max(maxFocus-len(end), 0)
	if n < len(task) {
		for n > 0 && !utf8.RuneStart(task[n]) {
			n--
		}
		task = task[:n]
	}
	if task = strings.ToValidUTF8(task, "?"); task == "" {
		return focus
	}
	return task + end
}

// ProjectText projects what a tool answered: any text, any bytes, of any size.
func (c *Client) ProjectText(ctx context.Context, tool, text string, options ...Option) (*Result, error) {
	p := c.projection(options)
	return c.project(ctx, p, &pb.CompleteToolOutput{ToolName: tool, Result: &pb.CompleteToolOutput_Text{
		Text: &pb.TextOutput{Content: inline([]byte(text)), MediaType: p.mediaType},
	}})
}

// ProjectCommand projects what a command printed, and how it ended.
func (c *Client) ProjectCommand(ctx context.Context, command Command, options ...Option) (*Result, error) {
	return c.project(ctx, c.projection(options), command.output(inline))
}

// ProjectError projects a tool that could not do its work.
func (c *Client) ProjectError(ctx context.Context, tool string, failure Failure, options ...Option) (*Result, error) {
	return c.project(ctx, c.projection(options), &pb.CompleteToolOutput{ToolName: tool, Error: failure.error()})
}

// Project projects the output of a tool of any family.
func (c *Client) Project(ctx context.Context, output *pb.CompleteToolOutput, options ...Option) (*Result, error) {
	if proto.Size(output) > maxUnary {
		output = proto.CloneOf(output) // its payloads move
	}
	return c.project(ctx, c.projection(options), output)
}

// project sends an output in one message, or its payloads in a stream if it is large. It may change the output then.
func (c *Client) project(ctx context.Context, p *projection, output *pb.CompleteToolOutput) (*Result, error) {
	send := c.projectOnce
	if proto.Size(output) > maxUnary {
		send = c.projectStreamed
	}
	answer, err := send(ctx, p, output)
	if err != nil {
		return nil, err
	}
	return newResult(answer), nil
}

// projectOnce sends an output in one message, with an id of its own, so that it may be sent again. A sidecar without an audit log takes
// no ids.
func (c *Client) projectOnce(ctx context.Context, p *projection, output *pb.CompleteToolOutput) (*pb.ProjectResponse, error) {
	p.request.Output = output
	if p.hasID || c.noIDs.Load() {
		return c.Results.Project(ctx, p.request)
	}
	p.request.RequestId = rand.Text()
	answer, err := c.Results.Project(ctx, p.request)
	if errors.Is(err, ErrAuditDisabled) {
		c.noIDs.Store(true)
		p.request.RequestId = ""
		answer, err = c.Results.Project(ctx, p.request)
	}
	return answer, err
}

// inline returns a payload that is in the message; nil for one that was not captured.
func inline(data []byte) *pb.Payload {
	if data == nil {
		return nil
	}
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: data}}
}
