package toolresult

import (
	"context"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Answer returns a result as the answer to a call, for [Client.EncodeTurn].
func (r *Result) Answer(callID string) *pb.TurnResult {
	return &pb.TurnResult{CallId: &callID, Content: &pb.TurnResult_Canonical{Canonical: r.Canonical}, Receipt: r.Response.GetReceipt()}
}

// EncodeTurn makes the messages of one turn for a provider: the text of the model, the calls that it made, and their results, of
// [Result.Answer]. Each message is one JSON object.
func (c *Client) EncodeTurn(ctx context.Context, turn *pb.EncodeTurnRequest) (*pb.EncodeTurnResponse, error) {
	if turn.GetSessionId() == "" && c.session != "" {
		turn = proto.CloneOf(turn)
		turn.SessionId = c.session
	}
	return c.Transport.EncodeTurn(ctx, turn)
}

// ToolDefinitions returns the definitions of read_result for a provider: the tool by which a model reads what receipts do not show.
func (c *Client) ToolDefinitions(ctx context.Context, provider pb.Provider) ([]*pb.ToolDefinition, error) {
	answer, err := c.Tools.GetToolDefinitions(ctx, &pb.GetToolDefinitionsRequest{Provider: provider})
	return answer.GetTools(), err
}

// CallTool executes a call of read_result that a model made, with arguments as it wrote them, for the session of the client or that of
// an option. What the model did wrong is in the receipt. Of the options, [Session], [CallID], [AgentID], [MaxTokens] and the render
// policy of [Policy] have an effect.
func (c *Client) CallTool(ctx context.Context, name, arguments string, options ...Option) (*pb.CallToolResponse, error) {
	p := c.projection(options)
	return c.Tools.CallTool(ctx, &pb.CallToolRequest{
		Name: name, ArgumentsJson: arguments, Call: p.request.GetCall(), Policy: p.request.GetPolicy().GetRender(),
	})
}
