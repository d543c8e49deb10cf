// Package session serves ProjectSession: a stream whose messages are calls of Project, which are worked on at the same time and
// answered as they are ready. It knows nothing of results: each call goes through what a unary call of Project goes through.
package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/rpc"
)

// Project makes the result of one call.
type Project func(context.Context, *pb.ProjectRequest) (*pb.ProjectResponse, error)

// Options are what a Service is made of.
type Options struct {
	Project  Project
	Calls    *rpc.Interceptors // that every call passes; nil: there is no transport
	Idle     time.Duration     // that a stream may be without a message, or an answer may wait for its client
	Deadline time.Duration     // of a call; 0: none
	Draining <-chan struct{}   // closed when streams are to end; nil: never
}

// Service implements ProjectSession. Safe for concurrent use.
type Service struct {
	options Options
	serve   rpc.InnerHandler
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{o, o.Calls.Inner(pb.ToolResultService_Project_FullMethodName, func(ctx context.Context, req any) (any, error) {
		resp, err := o.Project(ctx, req.(*pb.ProjectRequest))
		if err != nil {
			return nil, err // not a nil *pb.ProjectResponse in an any
		}
		return resp, nil
	})}
}

// ProjectSession serves one stream.
func (s *Service) ProjectSession(wire grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]) error {
	t := newStream(s, wire)
	defer t.cancel()
	return t.run()
}

// call is one call of a stream.
type call struct {
	number  uint64
	request any    // *pb.ProjectRequest or rpc.Rejected
	release func() // gives its memory back
	ctx     context.Context
	cancel  context.CancelFunc
}

// answer works on a call, and returns its answer.
func (s *Service) answer(c *call, id string) *pb.ProjectSessionResponse {
	defer c.cancel()
	defer c.release()
	resp, trailer, err := s.serve(c.ctx, id+"/"+strconv.FormatUint(c.number, 10), c.request)
	a := &pb.ProjectSessionResponse{Number: c.number, AuditHead: auditHead(trailer)}
	if err != nil {
		a.Answer = &pb.ProjectSessionResponse_Status{Status: statusOf(err)}
		return a
	}
	result, _ := resp.(*pb.ProjectResponse)
	a.Answer = &pb.ProjectSessionResponse_Result{Result: result}
	return a
}

// auditHead returns the place of the record that a trailer has; empty if it has none.
func auditHead(trailer metadata.MD) string {
	if head := trailer.Get(recorder.AuditTrailer); len(head) > 0 {
		return head[len(head)-1]
	}
	return ""
}

// statusOf returns the status of an error as an answer has it.
func statusOf(err error) *pb.CallStatus {
	p := status.Convert(err).Proto()
	return &pb.CallStatus{Code: p.GetCode(), Message: p.GetMessage(), Details: p.GetDetails()}
}

// request returns the call of a message, without its context; nil for one that ends a call.
func request(m *pb.ProjectSessionRequest) *call {
	c := &call{number: m.GetNumber()}
	check := envelope.NewChecker("")
	if c.number == 0 {
		check.Fail("number", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	switch message := m.GetMessage().(type) {
	case *pb.ProjectSessionRequest_Cancel:
		return nil
	case *pb.ProjectSessionRequest_Project:
		c.request = message.Project
	default:
		check.Fail("project", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	if err := check.Err(); err != nil {
		c.request = rpc.Rejected{Why: err}
	}
	return c
}

// rejected returns the call of a message that was not accepted. It returns nil where the number of the call cannot be read.
func rejected(err error) *call {
	r, ok := errors.AsType[*rpc.RejectedMessage](err)
	if !ok {
		return nil
	}
	number, ok := numberOf(r.Start)
	if !ok {
		return nil
	}
	return &call{number: number, request: rpc.Rejected{Why: r.Why}, release: func() {}}
}

// numberOf returns the number of a call, with which every encoder begins its message. It reports false for a message that begins
// with anything else: its call may have any number.
func numberOf(start []byte) (uint64, bool) {
	field, wire, n := protowire.ConsumeTag(start)
	if n < 0 || field != 1 || wire != protowire.VarintType {
		return 0, false
	}
	number, n := protowire.ConsumeVarint(start[n:])
	return number, n > 0
}

// numberTaken is the error for a call whose number is that of another one under way.
func numberTaken() error {
	check := envelope.NewChecker("")
	check.Fail("number", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is that of a call that is under way")
	return check.Err()
}

// idOf returns the request id of a stream.
func idOf(ctx context.Context) string { return identity.RequestID(ctx) }
