package session_test

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/apierror"
)

// calls is the client's side of a session: messages that are sent one after the other, as they are encoded, and their answers by
// number.
type calls struct {
	grpc.ServerStream
	ctx      context.Context // of the stream
	messages [][]byte
	answers  map[uint64]*pb.ProjectSessionResponse
	sent     int
}

func (c *calls) Context() context.Context { return c.ctx }

func (c *calls) RecvMsg(m any) error {
	if len(c.messages) == 0 {
		return io.EOF
	}
	next := c.messages[0]
	c.messages = c.messages[1:]
	return proto.Unmarshal(next, m.(proto.Message))
}

// SendMsg is called by one goroutine at a time.
func (c *calls) SendMsg(m any) error {
	a := m.(*pb.ProjectSessionResponse)
	c.answers[a.GetNumber()], c.sent = a, c.sent+1
	return nil
}

// session serves one stream of calls, which have the numbers from 1 on.
func (h harness) session(ctx context.Context, requests ...*pb.ProjectRequest) (map[uint64]*pb.ProjectSessionResponse, error) {
	c := &calls{ctx: ctx, answers: map[uint64]*pb.ProjectSessionResponse{}}
	for i, req := range requests {
		encoded, err := proto.Marshal(&pb.ProjectSessionRequest{Number: uint64(i + 1), Message: &pb.ProjectSessionRequest_Project{Project: req}})
		if err != nil {
			return nil, err
		}
		c.messages = append(c.messages, encoded)
	}
	err := h.sessions.ProjectSession(&grpc.GenericServerStream[pb.ProjectSessionRequest, pb.ProjectSessionResponse]{ServerStream: c})
	return c.answers, err
}

// Calls of one stream get what the same calls of Project get, for every family, with others beside them: results, and statuses with
// all of their details.
func TestSessionEqualsProject(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			var requests []*pb.ProjectRequest
			for range rapid.IntRange(1, 5).Draw(t, "calls") {
				requests = append(requests, &pb.ProjectRequest{
					Output: h.OutputOf(family).Draw(t, "output"), Policy: servertest.Policies().Draw(t, "policy"),
					CanonicalForm: rapid.SampledFrom([]pb.CanonicalForm{0, 1, 2, 99}).Draw(t, "form"),
				})
			}
			answers, err := h.session(t.Context(), requests...)
			if err != nil || len(answers) != len(requests) {
				t.Fatalf("%d answers, %v", len(answers), err)
			}
			for i, req := range requests {
				want := &pb.ProjectSessionResponse{Number: uint64(i + 1)}
				if resp, err := h.Project(t.Context(), proto.CloneOf(req)); err == nil {
					want.Answer = &pb.ProjectSessionResponse_Result{Result: resp}
				} else {
					s := apierror.ToStatus(err).GRPCStatus().Proto()
					want.Answer = &pb.ProjectSessionResponse_Status{Status: &pb.CallStatus{Code: s.GetCode(), Message: s.GetMessage(), Details: s.GetDetails()}}
				}
				if diff := cmp.Diff(want, answers[uint64(i+1)], protocmp.Transform()); diff != "" {
					t.Fatalf("by a session (+) it is another answer:\n%s", diff)
				}
			}
		})
	})
}

// The status of a call is google.rpc.Status, byte for byte.
func TestCallStatusIsAStatus(t *testing.T) {
	h := newHarness(t)
	answers, err := h.session(t.Context(), &pb.ProjectRequest{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := proto.Marshal(answers[1].GetStatus())
	if err != nil {
		t.Fatal(err)
	}
	_, rejected := h.Project(t.Context(), &pb.ProjectRequest{})
	read := proto.CloneOf(apierror.ToStatus(rejected).GRPCStatus().Proto())
	want := proto.CloneOf(read)
	proto.Reset(read)
	err = proto.Unmarshal(encoded, read)
	// The bytes of details may have their entries in any order.
	if diff := cmp.Diff(want, read, protocmp.Transform()); err != nil || diff != "" || len(read.GetDetails()) < 2 {
		t.Errorf("%v\n%s", err, diff)
	}
}

// FuzzSession gives a stream messages that no client sends: each call that is begun has one answer, and the stream ends.
func FuzzSession(f *testing.F) {
	h := newHarness(f)
	for _, m := range []*pb.ProjectSessionRequest{
		{Number: 1, Message: &pb.ProjectSessionRequest_Project{Project: &pb.ProjectRequest{Output: servertest.Small("T", "x")}}},
		{Number: 2, Message: &pb.ProjectSessionRequest_Cancel{Cancel: &pb.CancelCall{}}}, {Number: 3}, {},
	} {
		seed, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		c := &calls{ctx: t.Context(), answers: map[uint64]*pb.ProjectSessionResponse{}, messages: [][]byte{a, b}}
		err := h.sessions.ProjectSession(&grpc.GenericServerStream[pb.ProjectSessionRequest, pb.ProjectSessionResponse]{ServerStream: c})
		begun := 0
		for _, encoded := range [][]byte{a, b} {
			var m pb.ProjectSessionRequest
			if proto.Unmarshal(encoded, &m) != nil {
				break
			}
			if m.GetCancel() == nil {
				begun++
			}
		}
		if c.sent > begun || err == nil && c.sent != begun {
			t.Errorf("%d answers to %d calls, %v", c.sent, begun, err)
		}
	})
}
