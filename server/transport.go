package server

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/transports"
)

// transport is the TransportService. It keeps nothing.
type transport struct {
	pb.UnimplementedTransportServiceServer
	idle  time.Duration // of a stream
	limit int           // bytes of an answer
}

// EncodeTurn makes the messages of one turn.
func (*transport) EncodeTurn(_ context.Context, req *pb.EncodeTurnRequest) (*pb.EncodeTurnResponse, error) {
	return transports.EncodeTurn(req)
}

// LintTranscript finds what a provider would refuse.
func (*transport) LintTranscript(_ context.Context, req *pb.LintTranscriptRequest) (*pb.LintTranscriptResponse, error) {
	return transports.LintTranscript(req)
}

// AssembleToolCalls reads the stream of one answer of a model.
func (t *transport) AssembleToolCalls(call grpc.ClientStreamingServer[pb.AssembleToolCallsRequest, pb.AssembleToolCallsResponse]) error {
	in := newInbox(t.idle)
	return in.while(func() error {
		resp, err := t.assemble(func() (m *pb.AssembleToolCallsRequest, err error) {
			err = in.await(func() error {
				m, err = call.Recv()
				return err
			})
			return m, err
		})
		if err != nil {
			return err
		}
		return call.SendAndClose(resp)
	})
}

// assemble takes all messages of a stream.
func (t *transport) assemble(next func() (*pb.AssembleToolCallsRequest, error)) (*pb.AssembleToolCallsResponse, error) {
	first, err := next()
	if errors.Is(err, io.EOF) || err == nil && first.GetHeader() == nil {
		return nil, outOfOrder("the first message is the header")
	}
	if err != nil {
		return nil, err
	}
	a, err := transports.NewAssembler(first.GetHeader(), quoted)
	if err != nil {
		return nil, err
	}
	for {
		m, err := next()
		if errors.Is(err, io.EOF) {
			return a.Finish(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := take(a, m); err != nil {
			return nil, err
		}
		if a.Held() > t.limit {
			return nil, answerTooLarge(t.limit)
		}
	}
}

// take takes one message behind the header.
func take(a *transports.Assembler, m *pb.AssembleToolCallsRequest) error {
	switch message := m.GetMessage().(type) {
	case *pb.AssembleToolCallsRequest_Body:
		return a.Body(message.Body)
	case *pb.AssembleToolCallsRequest_EventJson:
		return a.Event(message.EventJson)
	}
	return outOfOrder("the header comes once, and then body or events")
}

// quoted finds text of receipts.
func quoted(text string) []transports.FormAt {
	var list []transports.FormAt
	for _, q := range renderers.FindQuoted(text) {
		list = append(list, transports.FormAt(q))
	}
	return list
}
