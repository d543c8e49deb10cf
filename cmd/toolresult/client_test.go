package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// logStream is a call of AppendLog that keeps what was sent; the n-th message fails, if n is not 0.
type logStream struct {
	grpc.BidiStreamingClient[pb.AppendLogRequest, pb.AppendLogResponse]
	data             strings.Builder
	finished, closed bool
	sent, fails      int
}

func (s *logStream) Send(m *pb.AppendLogRequest) error {
	if s.sent++; s.sent == s.fails {
		return io.EOF
	}
	s.data.Write(m.GetData())
	s.finished = s.finished || m.GetFinish() != nil
	return nil
}

func (s *logStream) CloseSend() error {
	s.closed = true
	return nil
}

// A log is finished when its input has ended, and stays as it is when reading fails.
func TestLogIsFinishedAtTheEndOfItsInput(t *testing.T) {
	t.Parallel()
	s := &logStream{}
	if err := (&logAppend{}).copy(s, iotest.OneByteReader(strings.NewReader("lines\n"))); err != nil || s.data.String() != "lines\n" || !s.finished || !s.closed {
		t.Errorf("%q, finished %v, closed %v, %v", &s.data, s.finished, s.closed, err)
	}
	s = &logStream{}
	broken := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errFull))
	if err := (&logAppend{}).copy(s, broken); !errors.Is(err, errFull) || s.data.String() != "half" || s.finished || !s.closed {
		t.Errorf("%q, finished %v, closed %v, %v", &s.data, s.finished, s.closed, err)
	}
	for n := 1; n <= 2; n++ { // the data, and the finish
		s = &logStream{fails: n}
		if err := (&logAppend{}).copy(s, strings.NewReader("x")); err != nil || s.closed {
			t.Errorf("message %d: %v; the answer has the reason", n, err)
		}
	}
}

// bodyStream is a call of AssembleToolCalls that keeps the body.
type bodyStream struct {
	grpc.ClientStreamingClient[pb.AssembleToolCallsRequest, pb.AssembleToolCallsResponse]
	body  strings.Builder
	fails bool
	ended bool
}

func (s *bodyStream) Send(m *pb.AssembleToolCallsRequest) error {
	if s.fails {
		return io.EOF
	}
	s.body.Write(m.GetBody())
	return nil
}

func (s *bodyStream) CloseAndRecv() (*pb.AssembleToolCallsResponse, error) {
	s.ended = true
	if s.fails {
		return nil, errSend
	}
	return &pb.AssembleToolCallsResponse{}, nil
}

// A body is sent to its last byte, also when the last read returns bytes and the end at once.
func TestBodiesAreSentWhole(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("data: {}\n\n", bodyChunk/5)
	for name, r := range map[string]io.Reader{"plain": strings.NewReader(body), "with the end": iotest.DataErrReader(strings.NewReader(body)), "in halves": iotest.HalfReader(strings.NewReader(body))} {
		s := &bodyStream{}
		if _, err := assemble(s, &pb.AssembleHeader{}, r); err != nil || s.body.String() != body || !s.ended {
			t.Errorf("%s: %d bytes of %d, %v", name, s.body.Len(), len(body), err)
		}
	}
	if _, err := assemble(&bodyStream{}, nil, iotest.ErrReader(errFull)); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if _, err := assemble(&bodyStream{fails: true}, nil, strings.NewReader(body)); !errors.Is(err, errSend) {
		t.Errorf("the reason of the server is %v", err)
	}
}

func TestSelectionsOfARead(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]*artifactRead{
		`path:"/a" budget:{}`: {}, `tail:{lines:3}`: {tail: 3}, `around:{line:7 before:2 after:2}`: {around: 7, context: 2},
		`match:{pattern:"x" before:1 after:1}`: {match: "x", context: 1}, `json_pointer:"/b"`: {pointer: new("/b")}, `json_pointer:""`: {pointer: new("")},
		`lines:{first:2 last:4}`: {lines: "2-4"}, `session_id:"s"`: {session: "s"}, `raw:true`: {raw: true}, `page_token:"p"`: {cursor: "p"},
	} {
		req, err := r.request("/a")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(req.String(), "  ", " "); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPauseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	if err := pause(t.Context(), 0); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An embedded sidecar that cannot come up is an error that names the reason, and leaves nothing behind.
func TestEmbeddedSidecarNeedsItsDirectory(t *testing.T) {
	c, err := defaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	c.Store = "/proc/none"
	if _, err := embed(t.Context(), c, false); err == nil || !strings.Contains(err.Error(), "/proc/none") {
		t.Errorf("a store that cannot be made is %v", err)
	}
}
