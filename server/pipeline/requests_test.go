package pipeline_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// A request that is made again has its answer again, byte for byte and once on record, also
// after a start and at the same time; another one with its id is rejected.
func TestRequestIDs(t *testing.T) {
	a := newArchive(t)
	request := func(text string) *pb.ProjectRequest {
		return &pb.ProjectRequest{
			Output: servertest.Command("make", 1, text), RequestId: "r-1", Call: &pb.CallReference{SessionId: "s", CallId: "c"},
			Audit: &pb.AuditDetails{ToolInput: `{"cmd":"make"}`},
		}
	}
	text := string(servertest.LogText(9000))
	answers := make([]*pb.ProjectResponse, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			resp, err := a.Project(t.Context(), request(text))
			if err != nil {
				t.Error(err)
			}
			answers[i] = resp
		})
	}
	all.Wait()
	again, err := a.Reopened(t).Project(t.Context(), request(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, resp := range append(answers, again) {
		if diff := cmp.Diff(answers[0], resp, protocmp.Transform()); diff != "" {
			t.Errorf("the answer differs:\n%s", diff)
		}
	}
	if head, err := a.Log.Head(t.Context()); err != nil || head.Sequence != 1 {
		t.Errorf("%d records, %v", head.Sequence, err)
	}
	_, err = a.Project(t.Context(), request(text+"x"))
	if s := status.Convert(servertest.ToStatus(err)); s.Code() != codes.AlreadyExists {
		t.Errorf("another output: %v", s)
	}
	other := request(text + "x")
	other.Call.SessionId = "t"
	if _, err := a.Project(t.Context(), other); err != nil {
		t.Errorf("another session: %v", err)
	}
}

// A turn and a stream have ids like that, too.
func TestRequestIDsOfTurnsAndStreams(t *testing.T) {
	a := newArchive(t)
	turn := &pb.ProjectTurnRequest{TotalTokens: 600, RequestId: "turn", Outputs: []*pb.ProjectRequest{
		{Output: servertest.Command("make", 1, string(servertest.LogText(60_000)))}, {Output: servertest.Command("ls", 0, "a\n")}, {Output: servertest.Command("cat", 0, string(servertest.LogText(4000)))},
	}}
	first, err := a.ProjectTurn(t.Context(), proto.CloneOf(turn))
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Reopened(t).ProjectTurn(t.Context(), proto.CloneOf(turn))
	if diff := cmp.Diff(first, second, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	turn.TotalTokens++
	if _, err := a.ProjectTurn(t.Context(), turn); status.Code(servertest.ToStatus(err)) != codes.AlreadyExists {
		t.Errorf("another turn: %v", err)
	}
	stream := func(data ...string) (*pb.ProjectResponse, error) {
		header := servertest.Ordered(nil)
		header.GetHeader().RequestId = "stream"
		requests := []*pb.ProjectStreamRequest{header}
		for _, d := range data {
			requests = append(requests, servertest.Chunk("stdout", []byte(d)))
		}
		answers, err := a.Stream(t.Context(), append(requests, servertest.Finish(servertest.Completed())))
		if err != nil {
			return nil, err
		}
		return answers[len(answers)-1].GetResult(), nil
	}
	one, err := stream("a line\nanother\n")
	if err != nil {
		t.Fatal(err)
	}
	two, err := stream("a l", "ine\nanother", "\n") // the chunks do not count
	if diff := cmp.Diff(one, two, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if head, err := a.Log.Head(t.Context()); err != nil || head.Sequence != 4 {
		t.Errorf("%d records, %v", head.Sequence, err)
	}
	if _, err := stream("a line\n"); status.Code(servertest.ToStatus(err)) != codes.AlreadyExists {
		t.Errorf("another stream: %v", err)
	}
}
