package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/session"
)

// wire is the client's side of a stream without a transport. Time is that of synctest.
type wire struct {
	grpc.ServerStream
	ctx      context.Context // of the stream
	requests chan *pb.ProjectSessionRequest
	answers  chan *pb.ProjectSessionResponse
	linger   time.Duration // for which a Send goes on when the client has the answer
}

func (w *wire) Context() context.Context { return w.ctx }

func (w *wire) RecvMsg(m any) error {
	select {
	case req, more := <-w.requests:
		if !more {
			return io.EOF
		}
		*m.(*pb.ProjectSessionRequest) = pb.ProjectSessionRequest{Number: req.GetNumber(), Message: req.GetMessage()}
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

func (w *wire) SendMsg(m any) error {
	if w.answers == nil {
		<-w.ctx.Done()
		return w.ctx.Err()
	}
	select {
	case w.answers <- m.(*pb.ProjectSessionResponse):
		time.Sleep(w.linger)
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// open opens a stream, whose end comes from ended. answers is how many the client takes; negative: none.
func open(o session.Options, answers int) (w *wire, ended <-chan error, leave context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	w = &wire{ctx: ctx, requests: make(chan *pb.ProjectSessionRequest)}
	if answers >= 0 {
		w.answers = make(chan *pb.ProjectSessionResponse, answers)
	}
	end := make(chan error, 1)
	go func() {
		defer cancel() // a transport ends the context of a call that is over
		defer func() {
			if p := recover(); p != nil {
				end <- fmt.Errorf("panic: %v", p)
			}
		}()
		end <- session.New(o).ProjectSession(&grpc.GenericServerStream[pb.ProjectSessionRequest, pb.ProjectSessionResponse]{ServerStream: w})
	}()
	return w, end, cancel
}

// project is a message with a call. The name of its tool says how it is answered.
func project(number uint64, tool string) *pb.ProjectSessionRequest {
	return &pb.ProjectSessionRequest{Number: number, Message: &pb.ProjectSessionRequest_Project{Project: &pb.ProjectRequest{Output: &pb.CompleteToolOutput{ToolName: tool}}}}
}

// slowly answers with the name of the tool, after as long as that says.
func slowly(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	name := req.GetOutput().GetToolName()
	d, err := time.ParseDuration(name)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(d):
		return &pb.ProjectResponse{Family: name}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// limit is the idle limit of these streams.
const limit = time.Minute

// numbers are those of the answers that are there, in their order.
func numbers(w *wire) (list []uint64) {
	for {
		select {
		case a := <-w.answers:
			list = append(list, a.GetNumber())
		default:
			return list
		}
	}
}

// TestAnswersAsTheyAreReady has calls that take long and short ones: they are worked on at the same time, and after the client has
// closed its side all of them are answered before the stream ends with OK.
func TestAnswersAsTheyAreReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit}, 10)
		for i, tool := range []string{"40s", "10s", "30s", "20s"} {
			w.requests <- project(uint64(i+1), tool)
		}
		close(w.requests)
		if err := <-ended; err != nil || time.Since(began) != 40*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if got := numbers(w); !slices.Equal(got, []uint64{2, 4, 3, 1}) {
			t.Errorf("the answers are %v", got)
		}
	})
}

// TestCallsUnderWayAreBounded sends more calls than a stream has under way: the server takes the others when answers are sent.
func TestCallsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit}, 1000)
		taken := 0
		for more := true; more; {
			select {
			case w.requests <- project(uint64(taken+1), "10s"):
				taken++
			case <-time.After(time.Second):
				more = false
			}
		}
		if taken != 65 { // the last one was read, in case that it ends a call, and is not begun
			t.Errorf("%d calls are under way", taken)
		}
		for i := range 100 {
			w.requests <- project(uint64(taken+i+1), "10s")
		}
		close(w.requests)
		if err := <-ended; err != nil || len(numbers(w)) != 165 {
			t.Error(err)
		}
	})
}

// TestSlowReader has a client that takes no answer: the server takes no more calls than it may have answers for, and the stream ends
// at the idle limit.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	for tool, most := range map[string]int{"0s": 66, strings.Repeat(" ", 300<<10) + "x": 7} {
		synctest.Test(t, func(t *testing.T) {
			large := func(_ context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
				return &pb.ProjectResponse{Family: req.GetOutput().GetToolName()}, nil
			}
			w, ended, _ := open(session.Options{Project: large, Idle: limit}, -1)
			taken := 0
			for {
				select {
				case w.requests <- project(uint64(taken+1), tool):
					taken++
					synctest.Wait()
					continue
				case err := <-ended:
					if !errors.Is(err, apierror.ErrIdle) || taken > most || taken < most-2 {
						t.Errorf("%v after %d calls", err, taken)
					}
				}
				break
			}
		})
	}
}

// TestClientThatMovesIsNotIdle has messages that come at long intervals, and a call that takes longer than a stream may be idle.
func TestClientThatMovesIsNotIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit}, 10)
		for i := range 4 {
			time.Sleep(limit - 1)
			w.requests <- project(uint64(i+1), "0s")
			synctest.Wait()
		}
		w.requests <- project(9, "10m")
		time.Sleep(9 * time.Minute)
		w.requests <- project(10, "0s")
		time.Sleep(time.Minute + limit - 1)
		if got := numbers(w); len(got) != 6 {
			t.Errorf("the answers are %v", got)
		}
		time.Sleep(2 * time.Nanosecond)
		if err := <-ended; !errors.Is(err, apierror.ErrIdle) {
			t.Error(err)
		}
	})
}

// TestDrain ends a stream while calls are under way: they are answered, and then the stream ends.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		draining := make(chan struct{})
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit, Draining: draining}, 10)
		w.requests <- project(1, "10s")
		w.requests <- project(2, "20s")
		synctest.Wait()
		began := time.Now()
		close(draining)
		err := <-ended
		if got := numbers(w); apierror.ToStatus(err).Reason != pb.ErrorReason_ERROR_REASON_DRAINING || len(got) != 2 || time.Since(began) != 20*time.Second {
			t.Errorf("%v, %v after %v", got, err, time.Since(began))
		}
	})
}

// TestClientThatGoesAway ends its calls, and the stream does not end before they have.
func TestClientThatGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen error
		w, ended, leave := open(session.Options{Idle: limit, Project: func(ctx context.Context, _ *pb.ProjectRequest) (*pb.ProjectResponse, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // it looks at its context now and then
			seen = ctx.Err()
			return nil, seen
		}}, 10)
		w.requests <- project(1, "x")
		synctest.Wait()
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) || !errors.Is(seen, context.Canceled) {
			t.Errorf("%v; the call saw %v", err, seen)
		}
	})
}

// TestCancelAndDeadline end one call each, which is answered, and no other.
func TestCancelAndDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit, Deadline: 30 * time.Second}, 10)
		for i, tool := range []string{"20s", "25s", "1h"} {
			w.requests <- project(uint64(i+1), tool)
		}
		w.requests <- cancelOf(1)
		w.requests <- cancelOf(1)
		w.requests <- cancelOf(77)
		close(w.requests)
		for _, want := range []struct {
			number uint64
			code   codes.Code
			after  time.Duration
		}{{1, codes.Canceled, 0}, {2, codes.OK, 25 * time.Second}, {3, codes.DeadlineExceeded, 30 * time.Second}} {
			a := <-w.answers
			if a.GetNumber() != want.number || codes.Code(a.GetStatus().GetCode()) != want.code || time.Since(began) != want.after {
				t.Errorf("%v after %v, want %v", a, time.Since(began), want)
			}
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestCancelReachesAllCalls has as many calls under way as may be, none of which ends by itself: all are ended by messages behind them.
func TestCancelReachesAllCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit}, 100)
		for n := range uint64(64) {
			w.requests <- project(n+1, "1h")
		}
		for n := range uint64(64) {
			w.requests <- cancelOf(n + 1)
		}
		close(w.requests)
		began := time.Now()
		if err := <-ended; err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		close(w.answers)
		count := 0
		for a := range w.answers {
			if codes.Code(a.GetStatus().GetCode()) == codes.Canceled {
				count++
			}
		}
		if count != 64 {
			t.Errorf("%d calls were cancelled", count)
		}
	})
}

// cancelOf is a message that ends a call.
func cancelOf(n uint64) *pb.ProjectSessionRequest {
	return &pb.ProjectSessionRequest{Number: n, Message: &pb.ProjectSessionRequest_Cancel{Cancel: &pb.CancelCall{}}}
}

// TestNumbers has numbers that are used again: after the answer they may be, before it the stream ends, when what is under way is
// answered.
func TestNumbers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, ended, _ := open(session.Options{Project: slowly, Idle: limit}, 0)
		w.linger = time.Second
		for range 3 {
			w.requests <- project(7, "1s")
			<-w.answers
		}
		w.requests <- project(0, "1s")
		if a := <-w.answers; a.GetNumber() != 0 || !strings.Contains(a.GetStatus().GetMessage(), "number: is required") {
			t.Errorf("%v", a)
		}
		w.requests <- &pb.ProjectSessionRequest{Number: 8}
		if a := <-w.answers; a.GetNumber() != 8 || !strings.Contains(a.GetStatus().GetMessage(), "project: is required") {
			t.Errorf("%v", a)
		}
		w.requests <- project(7, "10s")
		w.requests <- project(7, "1s")
		if a := <-w.answers; a.GetNumber() != 7 || a.GetResult().GetFamily() != "10s" {
			t.Errorf("%v", a)
		}
		if s := apierror.ToStatus(<-ended); s.Reason != pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS || s.Metadata["field"] != "number" {
			t.Errorf("%v", s)
		}
	})
}

// TestPanicOutsideOfACall ends the stream, and is passed on to who called the handler: no worker ends the process.
func TestPanicOutsideOfACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, ended, _ := open(session.Options{Idle: limit, Project: func(_ context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
			if req.GetOutput().GetToolName() == "bad" {
				panic(errors.New("text of a tool"))
			}
			return slowly(context.Background(), req)
		}}, 10)
		w.requests <- project(1, "10s")
		w.requests <- project(2, "bad")
		err := <-ended
		if err == nil || !strings.Contains(err.Error(), "a value of type *errors.errorString") || strings.Contains(err.Error(), "text of a tool") {
			t.Error(err)
		}
	})
}
