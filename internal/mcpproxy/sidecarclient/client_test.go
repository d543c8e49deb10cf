package sidecarclient

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/mcpproxy"
)

// slowSidecar takes all of a result and answers after a time. alive is for how long it answers what its health is.
type slowSidecar struct {
	pb.UnimplementedToolResultServiceServer
	healthpb.UnimplementedHealthServer
	takes  func(ctx context.Context, chunk int) // is called for each chunk
	answer time.Duration
	alive  time.Duration
	began  time.Time
	took   atomic.Int64 // when it took the last chunk, in nanoseconds since it began
	asked  atomic.Int64
}

func (s *slowSidecar) Project(ctx context.Context, _ *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if sleep(ctx, s.answer) {
		return &pb.ProjectResponse{Receipt: &pb.Receipt{Text: "a receipt"}}, nil
	}
	return nil, ctx.Err()
}

func (s *slowSidecar) ProjectStream(call pb.ToolResultService_ProjectStreamServer) error {
	for chunk := 0; ; chunk++ {
		m, err := call.Recv()
		if err != nil {
			return err
		}
		if m.GetFinish() != nil {
			break
		}
		s.took.Store(int64(time.Since(s.began)))
		if s.takes != nil {
			s.takes(call.Context(), chunk)
		}
	}
	if !sleep(call.Context(), s.answer) {
		return call.Context().Err()
	}
	return call.Send(&pb.ProjectStreamResponse{Answer: &pb.ProjectStreamResponse_Result{Result: &pb.ProjectResponse{Receipt: &pb.Receipt{Text: "a receipt"}}}})
}

func (s *slowSidecar) Check(ctx context.Context, _ *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	s.asked.Add(1)
	if time.Since(s.began) > s.alive {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_NOT_SERVING}, nil
}

// sleep reports whether the time is over before ctx.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// clientOf serves a sidecar in memory, within a bubble of synctest, and returns its client.
func clientOf(t *testing.T, s *slowSidecar, patience time.Duration) *Client {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	s.began = time.Now()
	server := grpc.NewServer(grpc.StaticStreamWindowSize(64<<10), grpc.StaticConnWindowSize(64<<10))
	pb.RegisterToolResultServiceServer(server, s)
	healthpb.RegisterHealthServer(server, s)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:///s", grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &Client{Results: pb.NewToolResultServiceClient(conn), Health: healthpb.NewHealthClient(conn), Patience: patience}
}

// textResult is a result of about n bytes of text alone.
func textResult(n int) mcpproxy.Result {
	text := []byte(`"` + strings.Repeat("a", n) + `"`)
	json := [][]byte{[]byte(`{"content":[{"type":"text","text":`), text, []byte(`}]}`)}
	return mcpproxy.Result{Tool: "x", JSON: json, Size: len(json[0]) + len(text) + len(json[2]), Texts: [][]byte{text}}
}

// A sidecar that freezes costs the patience and no more, whatever the size and wherever it freezes.
func TestFrozenSidecarCostsThePatience(t *testing.T) {
	synctest.Test(t, testFrozenSidecarCostsThePatience)
}

func testFrozenSidecarCostsThePatience(t *testing.T) {
	const patience = 500 * time.Millisecond
	for name, takes := range map[string]func(context.Context, int){
		"takes everything": nil,
		"takes a part": func(ctx context.Context, chunk int) {
			if chunk == 3 {
				sleep(ctx, time.Hour)
			}
		},
	} {
		for _, size := range []int{100_000, 2 << 20, 36 << 20} {
			if name == "takes a part" && size < maxUnary {
				continue
			}
			s := &slowSidecar{takes: takes, answer: time.Hour}
			c := clientOf(t, s, patience)
			_, err := c.Project(t.Context(), textResult(size))
			took := time.Since(s.began) - time.Duration(s.took.Load()) // it works until then
			if !errors.Is(err, errPatience) || took > 2*patience {
				t.Errorf("%s, %d bytes: %v after %v", name, size, err, took)
			}
		}
	}
}

// A sidecar that is slow and alive is waited for, as long as its size allows; so is one that takes a chunk now and then.
func TestSlowSidecarIsWaitedFor(t *testing.T) {
	synctest.Test(t, testSlowSidecarIsWaitedFor)
}

func testSlowSidecarIsWaitedFor(t *testing.T) {
	const patience = 500 * time.Millisecond
	s := &slowSidecar{answer: 1200 * time.Millisecond, alive: time.Hour}
	if r, err := clientOf(t, s, patience).Project(t.Context(), textResult(12<<20)); err != nil || r.Text != "a receipt" || s.asked.Load() < 3 {
		t.Errorf("%q, %v, asked %d times", r.Text, err, s.asked.Load())
	}
	s = &slowSidecar{takes: func(ctx context.Context, _ int) { sleep(ctx, 25*time.Millisecond) }}
	if r, err := clientOf(t, s, patience).Project(t.Context(), textResult(7<<20)); err != nil || r.Text != "a receipt" {
		t.Errorf("%q, %v", r.Text, err)
	}
	s = &slowSidecar{answer: time.Hour, alive: time.Hour}
	began := time.Now()
	if _, err := clientOf(t, s, patience).Project(t.Context(), textResult(2<<20)); !errors.Is(err, errPatience) || time.Since(began) > 3*time.Second {
		t.Errorf("one that never answers: %v after %v", err, time.Since(began))
	}
}

// startsOnce is a starter whose start ends after a time.
type startsOnce struct {
	after  time.Duration
	err    error
	starts atomic.Int64
}

func (s *startsOnce) Start(bool) { s.starts.Add(1) }

func (s *startsOnce) Wait(ctx context.Context) error {
	sleep(ctx, s.after)
	return s.err
}

// A sidecar that is starting is waited for within the patience of its call.
func TestStartIsPartOfThePatience(t *testing.T) {
	synctest.Test(t, testStartIsPartOfThePatience)
}

func testStartIsPartOfThePatience(t *testing.T) {
	const patience = 500 * time.Millisecond
	c := clientOf(t, &slowSidecar{}, patience)
	starter := &startsOnce{after: patience / 4}
	c.Starter = starter
	c.Expect()
	if r, err := c.Project(t.Context(), textResult(100)); err != nil || r.Text != "a receipt" || starter.starts.Load() != 2 {
		t.Errorf("%q, %v, %d starts", r.Text, err, starter.starts.Load())
	}
	starter.err = errors.New("it did not start")
	if _, err := c.Project(t.Context(), textResult(100)); !errors.Is(err, starter.err) {
		t.Errorf("a sidecar that did not start: %v", err)
	}
	starter.after, starter.err = time.Hour, nil
	began := time.Now()
	if _, err := c.Project(t.Context(), textResult(100)); !errors.Is(err, errPatience) || time.Since(began) > 2*patience {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
