package integration_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// inSession is a message with a call.
func inSession(number uint64, req *pb.ProjectRequest) *pb.ProjectSessionRequest {
	return &pb.ProjectSessionRequest{Number: number, Message: &pb.ProjectSessionRequest_Project{Project: req}}
}

// session sends calls, and returns their answers by number and the error that the stream ended with.
func session(ctx context.Context, s *sidecar, messages ...*pb.ProjectSessionRequest) (map[uint64]*pb.ProjectSessionResponse, error) {
	answers := map[uint64]*pb.ProjectSessionResponse{}
	call, err := s.ProjectSession(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		_ = call.Send(m) // Recv says why
	}
	_ = call.CloseSend()
	for {
		a, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return answers, err
		}
		answers[a.GetNumber()] = a
	}
}

// statusOf returns the error of an answer, as a call of Project would have it; nil for a result.
func statusOf(a *pb.ProjectSessionResponse) error {
	if a.GetStatus() == nil {
		return nil
	}
	p := status.New(codes.OK, "").Proto()
	p.Code, p.Message, p.Details = a.GetStatus().GetCode(), a.GetStatus().GetMessage(), a.GetStatus().GetDetails()
	return status.ErrorProto(p)
}

// TestSession has calls in a stream beside the same calls of Project, on record.
func TestSession(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	large, wrong := completed(1, counted(9_000)), &pb.ProjectRequest{}
	answers, err := session(t.Context(), s, inSession(7, completed(0, "x\n")), inSession(8, wrong), inSession(9, large))
	if err != nil || len(answers) != 3 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for number, req := range map[uint64]*pb.ProjectRequest{7: completed(0, "x\n"), 9: large} {
		want, err := s.Project(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got := answers[number]; !proto.Equal(want, got.GetResult()) || got.GetAuditHead() == "" {
			t.Errorf("call %d: %v", number, got)
		}
	}
	wantRefusal(t, statusOf(answers[8]), codes.InvalidArgument, "FIELD_MISSING", "output")
}

// withNumberTwice sends a second call with a number while the first is under way, which it is until its answer is sent: of two calls
// at once, as often as it takes.
func withNumberTwice(t *testing.T, s *sidecar) error {
	for range 100 {
		large := completed(1, counted(9_000))
		if _, err := session(t.Context(), s, inSession(1, large), inSession(1, large)); err != nil {
			return err
		}
	}
	return nil
}

// whileSessionRests opens a stream, and sends nothing.
func whileSessionRests(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--stream-idle=1s"}})
	call, err := s.ProjectSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = call.Recv()
	return err
}
