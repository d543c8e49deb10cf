package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/session"
)

// caller makes one call.
type caller func(context.Context) error

// BenchmarkSession measures 4 KB by ProjectSession and by Project, with everything off, beside a stock server that does nothing and
// has answers of the same size, in the same rounds in shuffled order. One caller, and eight; of a session eight callers share one
// stream. "nothing" is a session whose calls do nothing. The metrics are the medians of the ratios of the rounds.
func BenchmarkSession(b *testing.B) {
	req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
			Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: servertest.LogText(3900)}},
		}},
	}}
	ours := pb.NewToolResultServiceClient(connect(b, sidecarFor(b)))
	answer, err := ours.Project(b.Context(), req)
	if err != nil {
		b.Fatal(err)
	}
	floor := pb.NewToolResultServiceClient(connect(b, stockServer(b, answer)))
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			ways := map[string][]caller{}
			mux, nothing := newMultiplexer(b, ours), newMultiplexer(b, floor)
			for range callers {
				ways["floor"] = append(ways["floor"], func(ctx context.Context) error { _, err := floor.Project(ctx, req); return err })
				ways["unary"] = append(ways["unary"], func(ctx context.Context) error { _, err := ours.Project(ctx, req); return err })
				ways["session"] = append(ways["session"], func(context.Context) error { return mux.call(req) })
				ways["nothing"] = append(ways["nothing"], func(context.Context) error { return nothing.call(req) })
			}
			ratios := map[string][]float64{}
			for b.Loop() {
				took := map[string]float64{}
				order := []string{"floor", "unary", "session", "nothing"}
				rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				for _, way := range order {
					took[way] = median(b, ways[way])
				}
				for _, way := range order {
					if way == "floor" {
						continue
					}
					ratios[way] = append(ratios[way], took[way]/took["floor"])
				}
				ratios["floor_us"] = append(ratios["floor_us"], took["floor"])
			}
			for way, list := range ratios {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], way)
			}
			b.ReportMetric(0, "ns/op") // of a round
		})
	}
}

// callsInARound are the calls of one caller.
const callsInARound = 300

// median returns the median time of the calls that callers make at the same time, in microseconds.
func median(b *testing.B, callers []caller) float64 {
	times := make([][]float64, len(callers))
	var all sync.WaitGroup
	for i, call := range callers {
		all.Go(func() {
			for range callsInARound {
				began := time.Now()
				if err := call(b.Context()); err != nil {
					b.Error(err)
					return
				}
				times[i] = append(times[i], float64(time.Since(began).Nanoseconds())/1000)
			}
		})
	}
	all.Wait()
	list := slices.Concat(times...)
	slices.Sort(list)
	return list[len(list)/2]
}

// sidecarFor starts a sidecar with everything off, and returns its socket.
func sidecarFor(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := config.Default(nil)
	c.Socket, c.Store, c.Audit, c.Redaction, c.DrainDelay = filepath.Join(dir, "run", "s"), config.MemoryStore, config.AuditOff, config.RedactValues, 0
	s, err := server.New(c, server.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return c.Socket
}

// noop answers every call with the same.
type noop struct {
	pb.UnimplementedToolResultServiceServer
	sessions *session.Service
	answer   *pb.ProjectResponse
}

func (n noop) Project(context.Context, *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	return n.answer, nil
}

func (n noop) ProjectSession(w grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]) error {
	return n.sessions.ProjectSession(w)
}

// stockServer starts a server without any option, and returns its socket.
func stockServer(b *testing.B, answer *pb.ProjectResponse) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	s := grpc.NewServer()
	n := noop{answer: proto.CloneOf(answer)}
	n.sessions = session.New(session.Options{Project: n.Project, Idle: time.Minute, Deadline: time.Minute})
	pb.RegisterToolResultServiceServer(s, n)
	go func() { _ = s.Serve(listener) }()
	b.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(dir)
	})
	return listener.Addr().String()
}

// connect returns a stock connection.
func connect(b *testing.B, socket string) *grpc.ClientConn {
	b.Helper()
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return conn
}

// multiplexer makes calls of several callers in one stream.
type multiplexer struct {
	stream  grpc.BidiStreamingClient[pb.ProjectSessionRequest, pb.ProjectSessionResponse]
	mu      sync.Mutex // of sending
	number  uint64
	waiting map[uint64]chan *pb.ProjectSessionResponse
	names   sync.Mutex // of waiting
}

// newMultiplexer opens a stream.
func newMultiplexer(b *testing.B, client pb.ToolResultServiceClient) *multiplexer {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	stream, err := client.ProjectSession(ctx)
	if err != nil {
		b.Fatal(err)
	}
	m := &multiplexer{stream: stream, waiting: map[uint64]chan *pb.ProjectSessionResponse{}}
	go func() {
		for {
			a, err := stream.Recv()
			if err != nil {
				return
			}
			m.names.Lock()
			waits := m.waiting[a.GetNumber()]
			delete(m.waiting, a.GetNumber())
			m.names.Unlock()
			waits <- a
		}
	}()
	return m
}

// call makes one call.
func (m *multiplexer) call(req *pb.ProjectRequest) error {
	answer := make(chan *pb.ProjectSessionResponse, 1)
	m.mu.Lock()
	m.number++
	number := m.number
	m.names.Lock()
	m.waiting[number] = answer
	m.names.Unlock()
	err := m.stream.Send(&pb.ProjectSessionRequest{Number: number, Message: &pb.ProjectSessionRequest_Project{Project: req}})
	m.mu.Unlock()
	if err != nil {
		return err
	}
	if a := <-answer; a.GetResult() == nil {
		return fmt.Errorf("rejected: %v", a.GetStatus())
	}
	return nil
}
