package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/rpc"
	"github.com/toolresult/toolresult/server/session"
)

// Bounds of these servers, in bytes.
const (
	maxMessage  = 1 << 20
	maxInFlight = 4 << 20
)

// serving is a server in this process, and what it reports.
type serving struct {
	metrics.Reporter
	pb.UnimplementedToolResultServiceServer
	*session.Service
	access *identity.Authenticator
	memory *admission.Memory
	calls  *rpc.Interceptors
	client pb.ToolResultServiceClient
	conn   *grpc.ClientConn

	mu       sync.Mutex
	log      bytes.Buffer
	counted  []string
	rejected []string
}

// ProjectSession is that of the Service.
func (s *serving) ProjectSession(w grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]) error {
	return s.Service.ProjectSession(w)
}

func (s *serving) Call(method string, code codes.Code, _ time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted = append(s.counted, method[strings.LastIndex(method, "/")+1:]+" "+code.String())
}

func (s *serving) Rejected(ctx context.Context, method string, req any, err *apierror.StatusError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	named, _ := grpc.Method(ctx)
	s.rejected = append(s.rejected, method[strings.LastIndex(method, "/")+1:]+" "+apierror.ReasonName(err.Reason)+" "+identity.RequestID(ctx)+" "+named[strings.LastIndex(named, "/")+1:])
}

func (s *serving) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

// serve serves a Project in this process.
func serve(t testing.TB, project session.Project, change func(*session.Options)) *serving {
	t.Helper()
	s := &serving{access: identity.NewAuthenticator("", nil), memory: admission.NewMemory(maxInFlight)}
	s.calls = rpc.NewInterceptors(rpc.Options{
		Logger: slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug})), Metrics: s, Authenticator: s.access, Memory: s.memory,
		Limits:     &pb.Limits{MaxMessageBytes: maxMessage, MaxInFlightBytes: maxInFlight, DefaultDeadline: durationpb.New(time.Minute)},
		Rejections: s,
	})
	o := session.Options{Project: project, Calls: s.calls, Idle: time.Minute, Deadline: time.Minute}
	if change != nil {
		change(&o)
	}
	s.Service = session.New(o)
	server := grpc.NewServer(append(rpc.BufferOptions(), grpc.Creds(identity.PeerCredentials{}), s.calls.Tap(), s.calls.Unary(), s.calls.Stream())...)
	pb.RegisterToolResultServiceServer(rpc.NewRegistrar(server, s.calls), s)
	listener := rpc.ListenInProcess()
	go func() { _ = server.Serve(listener) }()
	var err error
	s.conn, err = grpc.NewClient("passthrough:x", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	s.client = pb.NewToolResultServiceClient(s.conn)
	t.Cleanup(func() {
		_ = s.conn.Close()
		server.Stop()
	})
	return s
}

// wantNothingReserved checks that calls have given back their memory when all of the bubble wait.
func (s *serving) wantNothingReserved(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if n := s.memory.Reserved(); n != 0 {
		t.Errorf("%d bytes stay reserved", n)
	}
}

// bidi is the client's side of a stream.
type bidi = grpc.BidiStreamingClient[pb.ProjectSessionRequest, pb.ProjectSessionResponse]

// start opens a stream.
func (s *serving) start(ctx context.Context, t testing.TB, o ...grpc.CallOption) bidi {
	t.Helper()
	stream, err := s.client.ProjectSession(ctx, o...)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// ask sends a message, and returns the next answer.
func ask(t testing.TB, stream bidi, m *pb.ProjectSessionRequest) *pb.ProjectSessionResponse {
	t.Helper()
	if err := stream.Send(m); err != nil {
		t.Fatal(err)
	}
	a, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// reasonOf returns the code and the reason of an answer; "OK" for a result.
func reasonOf(t testing.TB, a *pb.ProjectSessionResponse) string {
	t.Helper()
	if a.GetResult() != nil {
		return "OK"
	}
	for _, d := range a.GetStatus().GetDetails() {
		var info errdetails.ErrorInfo
		if d.UnmarshalTo(&info) == nil {
			return codes.Code(a.GetStatus().GetCode()).String() + " " + info.GetReason()
		}
	}
	return "no reason"
}

// byName does what the name of the tool says.
func byName(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	switch name := req.GetOutput().GetToolName(); name {
	case "panic":
		panic("text of a tool")
	case "fail":
		return nil, fmt.Errorf("anything")
	case "session":
		return &pb.ProjectResponse{Family: identity.FromContext(ctx).Session}, identity.ConfineCall(ctx, &req.Call)
	default:
		_ = grpc.SetTrailer(ctx, metadata.Pairs(recorder.AuditTrailer, "log 1 "+name))
		return &pb.ProjectResponse{Family: name}, nil
	}
}

// TestEachCallTakesTheStepsOfAUnaryOne has calls that are served, fail and panic in one stream: each is logged, counted and recorded as
// a call of Project, under an id of its own, and none harms another.
func TestEachCallTakesTheStepsOfAUnaryOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, byName, nil)
		stream := s.start(metadata.AppendToOutgoingContext(t.Context(), rpc.RequestIDHeader, "abc"), t)
		for i, c := range []struct{ tool, want string }{{"good", "OK"}, {"panic", "Internal PANIC"}, {"fail", "Internal INTERNAL"}, {"good", "OK"}} {
			a := ask(t, stream, project(uint64(i+1), c.tool))
			if got := reasonOf(t, a); a.GetNumber() != uint64(i+1) || got != c.want {
				t.Errorf("call %d: %v, want %s", i+1, a, c.want)
			}
			if head := a.GetAuditHead(); (c.want == "OK") != (head == "log 1 good") {
				t.Errorf("call %d has the record %q", i+1, head)
			}
			if strings.HasPrefix(c.want, "Internal") && !strings.Contains(a.GetStatus().GetMessage(), fmt.Sprintf("incident abc/%d", i+1)) {
				t.Errorf("%v", a)
			}
		}
		if err := stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err == nil || err.Error() != "EOF" {
			t.Error(err)
		}
		s.calls.Wait()
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if want := []string{"Project OK", "Project Internal", "Project Internal", "Project OK", "ProjectSession OK"}; !slices.Equal(s.counted, want) {
			t.Errorf("counted are %v", s.counted)
		}
		if want := []string{"Project PANIC abc/2 Project", "Project INTERNAL abc/3 Project"}; !slices.Equal(s.rejected, want) {
			t.Errorf("recorded are %v", s.rejected)
		}
		if log := s.log.String(); strings.Contains(log, "text of a tool") || strings.Count(log, "msg=call") != 5 || !strings.Contains(log, "request_id=abc/4") {
			t.Error(log)
		}
	})
}

// TestTokenIsReadForEachCall has a token of a session that is taken back while a stream is open.
func TestTokenIsReadForEachCall(t *testing.T) {
	t.Parallel()
	s := serve(t, byName, nil)
	token, _ := s.access.Sessions.IssueFor("mine", 0)
	stream := s.start(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), t)
	if a := ask(t, stream, project(1, "session")); a.GetResult().GetFamily() != "mine" {
		t.Errorf("%v", a)
	}
	foreign := project(2, "session")
	foreign.GetProject().Call = &pb.CallReference{SessionId: "other"}
	if got := reasonOf(t, ask(t, stream, foreign)); got != "PermissionDenied SESSION_MISMATCH" {
		t.Error(got)
	}
	if err := s.access.Sessions.RevokeSession("mine"); err != nil {
		t.Fatal(err)
	}
	if got := reasonOf(t, ask(t, stream, project(3, "session"))); got != "Unauthenticated TOKEN_EXPIRED" {
		t.Error(got)
	}
}

// TestDrainingRejectsCalls has calls that come while the server drains, before it ends its streams.
func TestDrainingRejectsCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, byName, nil)
	stream := s.start(t.Context(), t)
	if got := reasonOf(t, ask(t, stream, project(1, "x"))); got != "OK" {
		t.Error(got)
	}
	s.calls.Drain()
	if got := reasonOf(t, ask(t, stream, project(2, "x"))); got != "Unavailable DRAINING" {
		t.Error(got)
	}
}

// encoded is a codec for messages that no encoder writes.
type encoded struct{}

func (encoded) Marshal(m any) ([]byte, error) {
	if b, ok := m.([]byte); ok {
		return b, nil
	}
	return proto.Marshal(m.(proto.Message))
}

func (encoded) Unmarshal(b []byte, m any) error { return proto.Unmarshal(b, m.(proto.Message)) }

func (encoded) Name() string { return "proto" }

// numbered is a message of a call whose request is given as it is encoded.
func numbered(number uint64, request []byte) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), number)
	return protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), request)
}

// TestRejectedMessages has messages that cannot be read, between good ones: they are answered by their numbers, and the stream goes on.
func TestRejectedMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, byName, nil)
		stream := s.start(t.Context(), t, grpc.ForceCodec(encoded{}))
		brokenText := []byte("\x0a\x03\x0a\x01\xff")
		for i, c := range []struct {
			request []byte
			want    string
		}{
			{brokenText, "InvalidArgument MESSAGE_INVALID"},
			{bytes.Repeat([]byte{0xff}, 100<<10), "InvalidArgument MESSAGE_INVALID"},
			{make([]byte, maxMessage), "ResourceExhausted MESSAGE_TOO_LARGE"},
			{bytes.Repeat([]byte("\x2a\x00"), 200), "OK"},
		} {
			number := uint64(i + 1)
			if err := stream.SendMsg(numbered(number, c.request)); err != nil {
				t.Fatal(err)
			}
			if a, err := stream.Recv(); err != nil || a.GetNumber() != number || reasonOf(t, a) != c.want {
				t.Fatalf("%d: %v, %v, want %s", number, a, err, c.want)
			}
		}
		if err := stream.SendMsg([]byte("\x12\xff")); err != nil { // without a number
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err == nil || !strings.Contains(err.Error(), "cannot be decoded") {
			t.Error(err)
		}
		s.wantNothingReserved(t)
	})
}

// TestPackedMessages has calls that are sent compressed.
func TestPackedMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, byName, nil)
		stream := s.start(t.Context(), t, grpc.UseCompressor("gzip"))
		for i := range 3 {
			tool := strings.Repeat("x", i*50_000)
			if a := ask(t, stream, project(uint64(i+1), tool)); a.GetResult().GetFamily() != tool {
				t.Fatalf("%v", reasonOf(t, a))
			}
		}
		s.wantNothingReserved(t)
	})
}

// TestMemoryOfCalls has large calls that are under way: each has its memory until it is over, others wait for it, and what waits for too
// long is rejected by its number, after which the stream goes on.
func TestMemoryOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		s := serve(t, func(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
			if len(req.GetOutput().GetToolName()) > 1000 {
				<-proceed
			}
			return byName(ctx, req)
		}, nil)
		stream := s.start(t.Context(), t)
		tool := strings.Repeat("x", 400<<10) // 8 bytes for each: one fits 4 MiB
		for i := range 2 {
			if err := stream.Send(project(uint64(i+1), tool)); err != nil {
				t.Fatal(err)
			}
		}
		a, err := stream.Recv() // after 10 s
		if err != nil || a.GetNumber() != 2 || reasonOf(t, a) != "ResourceExhausted IN_FLIGHT_BYTES" {
			t.Fatalf("%v, %v", a, err)
		}
		if reserved := s.memory.Reserved(); reserved < 8*400<<10 {
			t.Errorf("%d bytes are reserved", reserved)
		}
		if got := reasonOf(t, ask(t, stream, project(3, "x"))); got != "OK" {
			t.Error(got)
		}
		close(proceed)
		if a, err := stream.Recv(); err != nil || a.GetNumber() != 1 || reasonOf(t, a) != "OK" {
			t.Errorf("%v, %v", a.GetNumber(), err)
		}
		s.wantNothingReserved(t)
	})
}

// TestCancelReachesCallsThatWait has calls that wait for others: for memory, for a place, and for the answers of as many as
// may be under way. All are ended by messages behind them, compressed or not.
func TestCancelReachesCallsThatWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ calls, bytes int }{{64, 10}, {64, 3 << 10}, {40, 8 << 10}, {12, 40 << 10}, {3, 160 << 10}} {
		for _, options := range [][]grpc.CallOption{nil, {grpc.UseCompressor("gzip")}} {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, func(ctx context.Context, _ *pb.ProjectRequest) (*pb.ProjectResponse, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}, nil)
				stream := s.start(t.Context(), t, options...)
				for n := range c.calls {
					if err := stream.Send(project(uint64(n+1), text(c.bytes, n))); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				for n := range c.calls {
					if err := stream.Send(cancelOf(uint64(n + 1))); err != nil {
						t.Fatal(err)
					}
				}
				began := time.Now()
				for range c.calls {
					a, err := stream.Recv()
					if err != nil || reasonOf(t, a) != "Canceled CLIENT_CANCELLED" {
						t.Fatalf("%v, %v", a, err)
					}
				}
				if took := time.Since(began); took > 0 {
					t.Errorf("%+v: they ended after %v", c, took)
				}
				if err := stream.CloseSend(); err != nil {
					t.Fatal(err)
				}
				if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				s.wantNothingReserved(t)
			})
		}
	}
}

// text is a text of n bytes that does not compress well.
func text(n, seed int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + r.IntN(90))
	}
	return string(b)
}

// TestSlowReadersHoldNothing has eight clients that send large calls and take no answers, while the work on none of them ends: few calls
// are worked on at once, and small ones and one larger than little, of a session and by themselves, are served meanwhile.
func TestSlowReadersHoldNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var working, most atomic.Int64
		s := serve(t, func(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
			if len(req.GetOutput().GetToolName()) > 16<<10 {
				most.Store(max(working.Add(1), most.Load()))
				defer working.Add(-1)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return byName(ctx, req)
		}, nil)
		busy, leave := context.WithCancel(t.Context())
		var senders sync.WaitGroup
		for range 8 {
			stream := s.start(busy, t)
			senders.Go(func() {
				for n := uint64(1); stream.Send(project(n, strings.Repeat("x", 20<<10))) == nil; n++ { // until leave
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		for _, bytes := range []int{10, 3 << 10, 10 << 10} {
			req := project(1, strings.Repeat("y", bytes))
			if got := reasonOf(t, ask(t, s.start(t.Context(), t), req)); got != "OK" {
				t.Errorf("%d bytes in a session: %s", bytes, got)
			}
			if _, err := s.client.Project(t.Context(), req.GetProject()); status.Code(err) != codes.Unimplemented { // it got there
				t.Error(err)
			}
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("small calls waited for %v", took)
		}
		if n, limit := most.Load(), int64(2*runtime.GOMAXPROCS(0)); n > limit || n < 2 {
			t.Errorf("%d calls were worked on at once, of at most %d", n, limit)
		}
		leave()
		senders.Wait()
		s.wantNothingReserved(t)
	})
}
