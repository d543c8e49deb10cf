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
	large   places
}

// New returns a Service.
func New(o Options) *Service {
	serve := o.Calls.Inner(pb.ToolResultService_Project_FullMethodName, func(ctx context.Context, req any) (any, error) {
		resp, err := o.Project(ctx, req.(*pb.ProjectRequest))
		if err != nil {
			return nil, err // not a nil *pb.ProjectResponse in an any
		}
		return resp, nil
	})
	return &Service{o, serve, newPlaces()}
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
	message *rpc.Message // that is to be decoded; nil: it was not received
	into    *pb.ProjectSessionRequest
	why     error // why it is rejected before it is decoded; nil: it is not
	size    int   // of the message, in bytes; 0: it takes no memory
	ctx     context.Context
	cancel  context.CancelFunc
}

// answer works on a call, and returns its answer. decoded is called when its message takes no memory any more. A large call has a place
// of the share of its stream, and one of all, before it takes the memory of its work: others may need that.
func (s *Service) answer(c *call, id string, share places, decoded func()) *pb.ProjectSessionResponse {
	defer c.cancel()
	if c.size >= largeCall {
		for _, p := range []places{share, s.large} {
			if err := p.enter(c.ctx); err != nil {
				c.why = err
				break
			}
			defer p.leave()
		}
	}
	request, release := c.request()
	defer release()
	decoded()
	resp, trailer, err := s.serve(c.ctx, id+"/"+strconv.FormatUint(c.number, 10), request)
	a := &pb.ProjectSessionResponse{Number: c.number, AuditHead: auditHead(trailer)}
	if err != nil {
		a.Answer = &pb.ProjectSessionResponse_Status{Status: statusOf(err)}
		return a
	}
	result, _ := resp.(*pb.ProjectResponse)
	a.Answer = &pb.ProjectSessionResponse_Result{Result: result}
	return a
}

// request returns the request of a call, which is a *pb.ProjectRequest or an rpc.Rejected, and what frees its memory. It waits until
// there is enough of that, and no longer than the call may take.
func (c *call) request() (req any, release func()) {
	nothing := func() {}
	if c.why != nil {
		c.drop()
		return rpc.Rejected{Why: c.why}, nothing
	}
	release, err := c.message.Decode(c.ctx)
	if err != nil {
		if r, ok := errors.AsType[*rpc.RejectedMessage](err); ok {
			err = r.Why
		}
		return rpc.Rejected{Why: err}, nothing
	}
	check := envelope.NewChecker("")
	if c.number == 0 {
		check.Fail("number", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	if _, ok := c.into.GetMessage().(*pb.ProjectSessionRequest_Project); !ok {
		check.Fail("project", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	if err := check.Err(); err != nil {
		return rpc.Rejected{Why: err}, release
	}
	return c.into.GetProject(), release
}

// drop frees the memory of the message of a call that is not worked on.
func (c *call) drop() {
	if c.message != nil {
		c.message.Drop()
	}
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

// callOf returns the call of a message, without its context. isCancel says that the message ends a call instead.
func callOf(message *rpc.Message, m *pb.ProjectSessionRequest) (c *call, isCancel bool, err error) {
	c = &call{message: message, into: m, size: len(message.Encoded())}
	if message.Encoded() == nil {
		c.number = m.GetNumber()
		return c, m.GetCancel() != nil, nil
	}
	c.number, isCancel, err = head(message.Encoded())
	return c, isCancel, err
}

// Fields of ProjectSessionRequest.
const (
	fieldNumber  = 1
	fieldProject = 2
	fieldCancel  = 3
)

// head reads the number of an encoded message, and whether it ends a call, without the call in it. As of decoders, the last one of a
// field counts.
func head(encoded []byte) (number uint64, isCancel bool, err error) {
	for len(encoded) > 0 {
		field, wire, n := protowire.ConsumeTag(encoded)
		if n < 0 {
			return 0, false, protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(field, wire, encoded[n:])
		if size < 0 {
			return 0, false, protowire.ParseError(size)
		}
		switch {
		case field == fieldNumber && wire == protowire.VarintType:
			number, _ = protowire.ConsumeVarint(encoded[n:])
		case (field == fieldProject || field == fieldCancel) && wire == protowire.BytesType:
			isCancel = field == fieldCancel
		}
		encoded = encoded[n+size:]
	}
	return number, isCancel, nil
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
	return &call{number: number, why: r.Why}
}

// numberOf returns the number of a call, with which every encoder begins its message. It reports false for a message that begins
// with anything else: its call may have any number.
func numberOf(start []byte) (uint64, bool) {
	field, wire, n := protowire.ConsumeTag(start)
	if n < 0 || field != fieldNumber || wire != protowire.VarintType {
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
