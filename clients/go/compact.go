package toolresult

import (
	"context"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/compactstream"
)

// Render makes the receipt of a canonical result again, under another policy; nil is every default.
func (c *Client) Render(ctx context.Context, canonical *pb.CanonicalToolResult, policy *pb.RenderPolicy) (*pb.Receipt, error) {
	answer, err := c.Results.Render(ctx, &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: canonical}, Policy: policy})
	return answer.GetReceipt(), err
}

// Entry returns a result as an entry of a history, for [Client.Compact]. The turn is that of the conversation in which the call was
// made; 0 for all: each result is a turn of its own.
func (r *Result) Entry(callID string, turn uint32) *pb.CompactEntry {
	return &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r.Canonical}, CallId: callID, Turn: turn}
}

// maxHistory is the size of a history in one message, in bytes.
const maxHistory = 3 << 20

// Compact brings a history of canonical results to fewer tokens: by a policy, which has a budget or a level. A history of any length
// is taken. Results of the answer are those that changed.
func (c *Client) Compact(ctx context.Context, request *pb.CompactRequest) (*pb.CompactResponse, error) {
	if request.GetSessionId() == "" && c.session != "" {
		request = proto.CloneOf(request)
		request.SessionId = c.session
	}
	if proto.Size(request) <= maxHistory {
		return c.Results.Compact(ctx, request)
	}
	return compactstream.Request(ctx, c.Results, request)
}
