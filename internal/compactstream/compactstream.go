// Package compactstream calls CompactStream for the clients in this module.
package compactstream

import (
	"context"
	"errors"
	"io"
	"iter"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Entries yields the entries of a history, the oldest first, or the error that ends it.
type Entries = iter.Seq2[*pb.CompactEntry, error]

// Compact compacts a history of any length, and returns the answer that the unary call would give. The
// server answers when it has all entries, so that sending before receiving cannot block.
func Compact(
	ctx context.Context, to pb.ToolResultServiceClient, header *pb.CompactHeader, entries Entries,
) (*pb.CompactResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := to.CompactStream(ctx)
	if err != nil {
		return nil, err
	}
	err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: header}})
	for entry, failed := range entries {
		if failed != nil {
			return nil, failed
		}
		if err != nil {
			break
		}
		err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: entry}})
	}
	if err == nil {
		err = call.CloseSend()
	}
	if err != nil && err != io.EOF { // EOF: the server ended the call, and Recv returns its status
		return nil, err
	}
	var planned []*pb.PlannedResult
	var results []*pb.CompactedResult
	for {
		answer, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("toolresult: the answer has no summary")
		}
		if err != nil {
			return nil, err
		}
		switch m := answer.GetAnswer().(type) {
		case *pb.CompactStreamResponse_Planned:
			planned = append(planned, m.Planned)
		case *pb.CompactStreamResponse_Result:
			results = append(results, m.Result)
		case *pb.CompactStreamResponse_Summary:
			m.Summary.Results, m.Summary.GetPlan().Results = results, planned
			return m.Summary, nil
		}
	}
}

// Request compacts the history of a request with [Compact].
func Request(
	ctx context.Context, to pb.ToolResultServiceClient, r *pb.CompactRequest,
) (*pb.CompactResponse, error) {
	header := &pb.CompactHeader{
		Policy: r.GetPolicy(), SessionId: r.GetSessionId(), DryRun: r.GetDryRun(), CanonicalForm: r.GetCanonicalForm(),
	}
	return Compact(ctx, to, header, func(yield func(*pb.CompactEntry, error) bool) {
		for _, entry := range r.GetEntries() {
			if !yield(entry, nil) {
				return
			}
		}
	})
}
