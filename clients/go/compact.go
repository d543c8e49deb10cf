package toolresult

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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
	return c.compactStreamed(ctx, request)
}

// compactStreamed sends a history that is too large for one message.
func (c *Client) compactStreamed(ctx context.Context, request *pb.CompactRequest) (*pb.CompactResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := c.Results.CompactStream(ctx)
	if err != nil {
		return nil, err
	}
	err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: &pb.CompactHeader{
		Policy: request.GetPolicy(), SessionId: request.GetSessionId(), DryRun: request.GetDryRun(), CanonicalForm: request.GetCanonicalForm(),
	}}})
	for _, entry := range request.GetEntries() {
		if err != nil {
			break
		}
		err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: entry}})
	}
	if err == nil {
		err = call.CloseSend()
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the answer says why
		return nil, err
	}
	return collectCompaction(call)
}

// collectCompaction puts the messages of an answer together.
func collectCompaction(call pb.ToolResultService_CompactStreamClient) (*pb.CompactResponse, error) {
	var planned []*pb.PlannedResult
	var changed []*pb.CompactedResult
	for {
		m, err := call.Recv()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("toolresult: the answer has no summary")
			}
			return nil, err
		}
		switch {
		case m.GetPlanned() != nil:
			planned = append(planned, m.GetPlanned())
		case m.GetResult() != nil:
			changed = append(changed, m.GetResult())
		case m.GetSummary() != nil:
			all := m.GetSummary()
			all.Results = changed
			all.GetPlan().Results = planned
			return all, nil
		}
	}
}
