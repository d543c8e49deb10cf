package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
)

// limits of the servers of these tests.
const (
	maxMessage  = 64 << 10
	maxInFlight = 100 << 10
)

// service answers with what a test says.
type service struct {
	pb.UnimplementedToolResultServiceServer
	render func(context.Context, *pb.RenderRequest) error
	stream func(grpc.ServerStream) error
}

func (s *service) Render(ctx context.Context, req *pb.RenderRequest) (*pb.RenderResponse, error) {
	if err := s.render(ctx, req); err != nil {
		return nil, err
	}
	return &pb.RenderResponse{}, nil
}

func (s *service) ProjectStream(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) error {
	return s.stream(call)
}

// observed records what a server logs, reports and records. Safe for concurrent use.
type observed struct {
	metrics.Reporter
	mu       sync.Mutex
	log      bytes.Buffer
	calls    []string
	rejected []string
	reported chan struct{} // has a value after a report
}

func newObserved() *observed { return &observed{reported: make(chan struct{}, 1)} }

func (o *observed) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(p)
}

func (o *observed) Call(method string, code codes.Code, _ time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, method[strings.LastIndex(method, "/")+1:]+" "+code.String())
	select {
	case o.reported <- struct{}{}:
	default:
	}
}

func (o *observed) Rejected(_ context.Context, method string, req any, err *apierror.StatusError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rejected = append(o.rejected, fmt.Sprintf("%s %s %v", method[strings.LastIndex(method, "/")+1:], apierror.ReasonName(err.Reason), req != nil))
}

// take returns what was observed since the last take, once a call is reported: a client may have its answer before.
func (o *observed) take() (log string, calls, rejected []string) {
	for len(calls) == 0 {
		<-o.reported
		o.mu.Lock()
		if calls = o.calls; len(calls) > 0 {
			log, rejected = o.log.String(), o.rejected
			o.log.Reset()
			o.calls, o.rejected = nil, nil
		}
		o.mu.Unlock()
	}
	return log, calls, rejected
}

// serving is a server with a connected client.
type serving struct {
	*observed
	*Interceptors
	service *service
	conn    *grpc.ClientConn
	client  pb.ToolResultServiceClient
}

func serve(t *testing.T) *serving {
	t.Helper()
	socket, err := ListenUnix(filepath.Join(socketDir(t), "run", "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Lock.Close() })
	return serveOn(t, socket, "unix:"+socket.Addr().String())
}

// serveInProcess serves without a socket, as a bubble needs it.
func serveInProcess(t *testing.T) *serving {
	t.Helper()
	l := ListenInProcess()
	return serveOn(t, l, "passthrough:x", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
}

func serveOn(t *testing.T, l net.Listener, target string, dial ...grpc.DialOption) *serving {
	t.Helper()
	s := &serving{observed: newObserved(), service: &service{}}
	s.Interceptors = NewInterceptors(Options{
		Logger: slog.New(slog.NewTextHandler(s.observed, nil)), Metrics: s.observed, Authenticator: identity.NewAuthenticator("", nil),
		Limits:     &pb.Limits{MaxMessageBytes: maxMessage, MaxInFlightBytes: maxInFlight, DefaultDeadline: durationpb.New(time.Hour)},
		Memory:     admission.NewMemory(maxInFlight),
		Rejections: s.observed,
	})
	options := append(BufferOptions(), grpc.Creds(identity.PeerCredentials{Allowed: []uint32{uint32(os.Geteuid())}}), s.Unary(), s.Stream(), grpc.UnknownServiceHandler(s.Unknown))
	server := grpc.NewServer(options...)
	pb.RegisterToolResultServiceServer(NewRegistrar(server, s.Interceptors), s.service)
	go func() { _ = server.Serve(l) }()
	var err error
	s.conn, err = grpc.NewClient(target, append(dial, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
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

// reasonOf returns the reason and the metadata of a status.
func reasonOf(err error) (string, map[string]string) {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason(), info.GetMetadata()
		}
	}
	return "", nil
}

// TestPushback: the trailer says when to repeat what it would repeat by the code alone, and what never to repeat.
func TestPushback(t *testing.T) {
	t.Parallel()
	s := serve(t)
	full := errors.New("full")
	for _, c := range []struct {
		err  error
		want string
	}{
		{apierror.InFlightBytes(1), "100"},
		{apierror.AnswerTooLarge(1), "-1"},
		{fmt.Errorf("x: %w", artifactstore.ErrFull), "-1"},
		{fmt.Errorf("x: %w", catalog.ErrBusy), "1000"},
		{apierror.Draining(), ""},
		{full, ""},
	} {
		s.service.render = func(context.Context, *pb.RenderRequest) error { return c.err }
		var trailer metadata.MD
		_, err := s.client.Render(t.Context(), &pb.RenderRequest{}, grpc.Trailer(&trailer))
		if got := strings.Join(trailer.Get("grpc-retry-pushback-ms"), ","); got != c.want {
			t.Errorf("%v: the trailer has %q, want %q", err, got, c.want)
		}
		s.service.stream = func(grpc.ServerStream) error { return c.err }
		call, err := s.client.ProjectStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = call.Recv()
		if got := strings.Join(call.Trailer().Get("grpc-retry-pushback-ms"), ","); got != c.want {
			t.Errorf("%v: the trailer of a stream has %q, want %q", err, got, c.want)
		}
	}
}

// TestEveryCallHasAnID has ids of clients that are kept, and those that are replaced by ones of the server, all different.
func TestEveryCallHasAnID(t *testing.T) {
	t.Parallel()
	s := serve(t)
	seen := ""
	s.service.render = func(ctx context.Context, _ *pb.RenderRequest) error { seen = identity.RequestID(ctx); return nil }
	s.service.stream = func(call grpc.ServerStream) error { seen = identity.RequestID(call.Context()); return nil }
	made := map[string]bool{}
	for given, kept := range map[string]bool{"": false, "abc-1": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "a b": false, "~!": true} {
		for _, stream := range []bool{false, true} {
			ctx := t.Context()
			if given != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, RequestIDHeader, given)
			}
			var header metadata.MD
			var err error
			if stream {
				var call pb.ToolResultService_ProjectStreamClient
				if call, err = s.client.ProjectStream(ctx); err == nil {
					header, err = call.Header()
				}
			} else {
				_, err = s.client.Render(ctx, &pb.RenderRequest{}, grpc.Header(&header))
			}
			got := header.Get(RequestIDHeader)
			if err != nil || len(got) != 1 || got[0] != seen || seen == "" || (got[0] == given) != kept {
				t.Errorf("given %q: answered %q, seen %q, %v", given, got, seen, err)
			}
			if !kept && made[seen] {
				t.Errorf("%q is the id of two calls", seen)
			}
			made[seen] = true
		}
	}
}

// TestErrorsBecomeStatuses maps errors of a service, unary and streaming. A fault has an incident, and its text is in the log
// and not in the status; other errors have neither.
func TestErrorsBecomeStatuses(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for name, c := range map[string]struct {
		fail   func() error
		code   codes.Code
		reason string
		level  string // of the log
		fault  string // text that only the log has
	}{
		"none":      {func() error { return nil }, codes.OK, "", "", ""},
		"unknown":   {func() error { return fmt.Errorf("a: %w", artifactstore.ErrUnknown) }, codes.NotFound, "ARTIFACT_NOT_FOUND", "INFO", ""},
		"fault":     {func() error { return errors.New("s3cret") }, codes.Internal, "INTERNAL", "ERROR", "msg=fault incident=id-7 method=/toolresult.v1.ToolResultService/"},
		"panic":     {func() error { panic("s3cret") }, codes.Internal, "PANIC", "ERROR", "a value of type string"},
		"index":     {func() error { _ = []int{}[len(name())]; return nil }, codes.Internal, "PANIC", "ERROR", "index out of range [4]"},
		"data loss": {func() error { return apierror.FromRead(artifactstore.ErrDamaged) }, codes.DataLoss, "ARTIFACT_CORRUPT", "ERROR", ""},
	} {
		s.service.render = func(context.Context, *pb.RenderRequest) error { return c.fail() }
		s.service.stream = func(grpc.ServerStream) error { return c.fail() }
		ctx := metadata.AppendToOutgoingContext(t.Context(), RequestIDHeader, "id-7")
		for _, method := range []string{"Render", "ProjectStream"} {
			var err error
			if method == "Render" {
				_, err = s.client.Render(ctx, &pb.RenderRequest{})
			} else {
				call, failed := s.client.ProjectStream(ctx)
				if failed != nil {
					t.Fatal(failed)
				}
				if _, err = call.Recv(); c.code == codes.OK {
					err = nil
				}
			}
			reason, facts := reasonOf(err)
			if status.Code(err) != c.code || reason != c.reason || strings.Contains(fmt.Sprint(err), "s3cret") {
				t.Errorf("%s of %s: %v", name, method, err)
			}
			if incident := facts["incident"]; (incident == "id-7") != (c.code == codes.Internal) {
				t.Errorf("%s of %s: the incident is %q", name, method, incident)
			}
			log, calls, rejected := s.take()
			if want := []string{method + " " + c.code.String()}; !slices.Equal(calls, want) {
				t.Errorf("%s: reported %q, want %q", name, calls, want)
			}
			want := []string{fmt.Sprint(method, " ", c.reason, " ", method == "Render")}
			if c.code == codes.OK {
				want = nil
			}
			if !slices.Equal(rejected, want) {
				t.Errorf("%s: recorded %q, want %q", name, rejected, want)
			}
			if c.level == "" && log != "" || !strings.Contains(log, c.fault) || c.level != "" && !strings.Contains(log, "level="+c.level+" msg=call method=/toolresult.v1.ToolResultService/"+method) {
				t.Errorf("%s of %s: the log is %s", name, method, log)
			}
			if c.reason == "PANIC" && (!strings.Contains(log, "TestErrorsBecomeStatuses") || strings.Contains(log, "s3cret")) {
				t.Errorf("%s of %s: the log is %s", name, method, log)
			}
		}
	}
}

// name is a text of four bytes that the compiler does not know.
func name() string { return fmt.Sprint("na", "me") }

// TestRejectedCallsDoNotReachTheService has a method that does not exist, and a drain.
func TestRejectedCallsDoNotReachTheService(t *testing.T) {
	t.Parallel()
	s := serve(t)
	reached := false
	s.service.render = func(context.Context, *pb.RenderRequest) error { reached = true; return nil }
	s.service.stream = func(grpc.ServerStream) error { reached = true; return nil }
	err := s.conn.Invoke(t.Context(), "/toolresult.v1.Other/S3cret", &pb.RenderRequest{}, &pb.RenderResponse{})
	if reason, _ := reasonOf(err); reason != "METHOD_UNKNOWN" || status.Code(err) != codes.Unimplemented {
		t.Errorf("an unknown method: %v", err)
	}
	if log, calls, rejected := s.take(); strings.Contains(log, "S3cret") || !slices.Equal(calls, []string{"unknown Unimplemented"}) || !slices.Equal(rejected, []string{"unknown METHOD_UNKNOWN false"}) {
		t.Errorf("an unknown method: %q, %q, %q", log, calls, rejected)
	}
	s.Drain()
	_, err = s.client.Render(t.Context(), &pb.RenderRequest{})
	if reason, _ := reasonOf(err); reason != "DRAINING" {
		t.Errorf("a unary call in a drain: %v", err)
	}
	call, err := s.client.ProjectStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = call.Recv()
	if reason, _ := reasonOf(err); reason != "DRAINING" || reached {
		t.Errorf("a stream in a drain: %v, reached %v", err, reached)
	}
}

// TestDefaultDeadlineIsForUnaryCallsWithoutOne looks at the deadlines that a service sees.
func TestDefaultDeadlineIsForUnaryCallsWithoutOne(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var left time.Duration
	s.service.render = func(ctx context.Context, _ *pb.RenderRequest) error {
		d, ok := ctx.Deadline()
		if left = 0; ok {
			left = time.Until(d)
		}
		return nil
	}
	s.service.stream = func(call grpc.ServerStream) error { return s.service.render(call.Context(), nil) }
	if _, err := s.client.Render(t.Context(), &pb.RenderRequest{}); err != nil || left < 50*time.Minute || left > time.Hour {
		t.Errorf("without a deadline: %v, %v", left, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := s.client.Render(ctx, &pb.RenderRequest{}); err != nil || left <= 0 || left > time.Minute {
		t.Errorf("with a deadline: %v, %v", left, err)
	}
	call, err := s.client.ProjectStream(t.Context())
	if err == nil {
		_, _ = call.Recv() // the end
	}
	if err != nil || left != 0 {
		t.Errorf("a stream: %v, %v", left, err)
	}
}

// TestBytesInFlightAreBounded has calls of which one takes all memory: another waits, is rejected when half of its deadline is
// over, and served afterwards. Calls with little and streams do not wait for it. The load has all of them.
func TestBytesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serveInProcess(t)
		inside, release := make(chan struct{}), make(chan struct{})
		s.service.render = func(context.Context, *pb.RenderRequest) error { inside <- struct{}{}; <-release; return nil }
		s.service.stream = func(grpc.ServerStream) error { inside <- struct{}{}; <-release; return nil }
		large := &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: &pb.CanonicalToolResult{ToolName: strings.Repeat("x", 60<<10)}}}
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := s.client.Render(t.Context(), large); err != nil {
				t.Error(err)
			}
		})
		<-inside
		call, err := s.client.ProjectStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		<-inside
		if l := s.Load(); l.Unary != 1 || l.Streams != 1 || l.Bytes != maxInFlight {
			t.Errorf("the load is %+v", l)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.client.Render(ctx, large)
		if reason, facts := reasonOf(err); reason != "IN_FLIGHT_BYTES" || facts["limit"] != fmt.Sprint(maxInFlight) {
			t.Errorf("a second one: %v", err)
		}
		all.Go(func() {
			if _, err := s.client.Render(t.Context(), &pb.RenderRequest{}); err != nil {
				t.Error(err)
			}
		})
		<-inside // of one with little
		close(release)
		all.Wait()
		_, _ = call.Recv()
		all.Go(func() { <-inside })
		if _, err := s.client.Render(t.Context(), large); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		all.Wait()
		synctest.Wait() // a client has its answer before the call is over
		if (s.Load() != load{}) {
			t.Errorf("the load is %+v at the end", s.Load())
		}
	})
}

// TestIncidentsDiffer has calls without an id.
func TestIncidentsDiffer(t *testing.T) {
	t.Parallel()
	c := NewInterceptors(Options{})
	if id := c.incident(t.Context()); id == "" || id == c.incident(t.Context()) {
		t.Errorf("incidents of calls without an id are both %q", id)
	}
}
