package integration_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
)

// projector stands in for that of the command family, for what no real one can
// be made to do: to wait, to fail in a strange way, to panic.
type projector func(ctx context.Context) error

func (p projector) Project(ctx context.Context, _ projectors.Input, _ artifactstore.Sink) (projectors.Projection, error) {
	if err := p(ctx); err != nil {
		return projectors.Projection{}, err
	}
	return projectors.Projection{Canonical: canonicalCommand(unchanged)}, nil
}

// inProcess is a server in this process, on a real socket.
type inProcess struct {
	pb.ToolResultServiceClient
	conn *grpc.ClientConn
	log  *output
	stop context.CancelFunc // begins the shutdown
	done chan struct{}      // closed when Serve has returned
}

// serve starts a server whose command family has another projector.
func serve(t *testing.T, p projector, change func(*config.Config, *server.Options)) *inProcess {
	t.Helper()
	c := config.Default(nil)
	c.Socket, c.Store = filepath.Join(shortDir(t), "run", "s"), config.MemoryStore
	families := families.BuiltIn()
	for i := range families {
		if families[i].Name == "command" {
			families[i].Projector = p
		}
	}
	s := &inProcess{log: &output{}, done: make(chan struct{})}
	o := server.Options{Logger: slog.New(slog.NewJSONHandler(s.log, nil)), Families: families}
	change(&c, &o)
	real, err := server.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	address := real.Addresses()[0]
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	s.stop = stop
	go func() {
		defer close(s.done)
		if err := real.Serve(ctx); err != nil {
			t.Errorf("Serve: %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-s.done
	})
	s.conn = dial(t, address)
	s.ToolResultServiceClient = pb.NewToolResultServiceClient(s.conn)
	return s
}

func asConfigured(*config.Config, *server.Options) {}

// withPanic makes a projector panic with tool bytes in its hand.
func withPanic(t *testing.T, _ *sidecar) error {
	s := serve(t, func(context.Context) error { panic("index out of range: " + canary) }, asConfigured)
	_, err := s.Project(t.Context(), completed(0, canary))
	if _, live := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); live != nil {
		t.Errorf("the server does not answer after a panic: %v", live)
	}
	id := refusalOf(t, err).metadata["incident"]
	if !bytes.Contains([]byte(s.log.String()), []byte(`"incident":"`+id+`"`)) {
		t.Errorf("the log does not have incident %s:\n%s", id, s.log)
	}
	wantIn(t, s.log.String(), `"panic":"a value of type string"`, "withPanic")
	wantNone(t, s.log.String(), canary)
	return err
}

// withOddFailure makes a projector fail in a way that nothing foresees, in a unary call and in a stream.
func withOddFailure(t *testing.T, _ *sidecar) error {
	s := serve(t, func(context.Context) error { return errors.New("odd: " + canary) }, asConfigured)
	call, err := s.ProjectStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"}), finishOf(exited(0))} {
		if err := call.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	_, err = call.Recv()
	wantRefusal(t, err, codes.Internal, "INTERNAL", "")
	_, err = s.Project(t.Context(), completed(0, canary))
	if r := refusalOf(t, err); !bytes.Contains([]byte(s.log.String()), []byte(`"incident":"`+r.metadata["incident"]+`"`)) {
		t.Errorf("the log does not have the incident of %v:\n%s", r, s.log)
	}
	return err
}

// withSlowWork makes a call take longer than the server's default deadline; the
// client has set none.
func withSlowWork(t *testing.T, _ *sidecar) error {
	s := serve(t, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}, func(_ *config.Config, o *server.Options) { o.CallDeadline = 100 * time.Millisecond })
	began := time.Now()
	_, err := s.Project(context.WithoutCancel(t.Context()), completed(0, canary))
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("the deadline of 100 ms passed after %v", took)
	}
	return err
}

// withCancelledWork ends a call as a cancelled one ends. A client that cancels
// does not see the answer, so that the refusal is looked at with a client that
// waits; what a client that cancels leaves behind is another test.
func withCancelledWork(t *testing.T, _ *sidecar) error {
	s := serve(t, func(context.Context) error { return context.Canceled }, asConfigured)
	_, err := s.Project(t.Context(), completed(0, canary))
	return err
}

// TestCancelledCallEndsItsWork cancels a call in flight: the work ends, and the
// log says why.
func TestCancelledCallEndsItsWork(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), make(chan error, 1)
	s := serve(t, func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}, asConfigured)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, err := s.Project(ctx, completed(0, canary)); err == nil {
		t.Fatal("the call was served")
	}
	if err := <-ended; err != context.Canceled {
		t.Errorf("the work ended with %v", err)
	}
	waitFor(t, "the line of the log", func() bool { return bytes.Contains([]byte(s.log.String()), []byte(`"code":"Canceled"`)) })
}

// TestShutdownWaitsForCallsInFlight stops a server while a call is worked on:
// the call ends well, one that comes later is refused, and Serve returns nil.
func TestShutdownWaitsForCallsInFlight(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := serve(t, func(context.Context) error {
		once.Do(func() { close(started) })
		<-release
		return nil
	}, func(c *config.Config, _ *server.Options) { c.DrainDelay = 100 * time.Millisecond })
	first := make(chan error, 1)
	go func() {
		_, err := s.Project(context.WithoutCancel(t.Context()), completed(0, "x"))
		first <- err
	}()
	<-started
	s.stop()
	waitFor(t, "calls to be refused", func() bool {
		_, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
		return err != nil
	})
	select {
	case <-s.done:
		t.Error("the server stopped before its call had ended")
	case <-time.After(300 * time.Millisecond):
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
	<-s.done
}
