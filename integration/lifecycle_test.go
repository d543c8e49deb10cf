package integration_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestTerminationUnderLoad sends SIGTERM while calls are made: each of them is
// served whole or refused as UNAVAILABLE, every artifact that was answered is
// there, and the exit code is 0.
func TestTerminationUnderLoad(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	var callers sync.WaitGroup
	served := make(chan struct{}, 1)
	for i := range 8 {
		callers.Go(func() {
			payload := fmt.Sprintf("caller %d\n%s", i, numbered(20_000))
			for {
				resp, err := s.Project(context.WithoutCancel(t.Context()), completed(0, payload))
				if err != nil {
					if status.Code(err) != codes.Unavailable {
						t.Errorf("a call ended with %v", err)
					}
					return
				}
				path := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
				if kept, err := os.ReadFile(path); err != nil || string(kept) != payload {
					t.Errorf("the artifact has %d bytes of %d, error %v", len(kept), len(payload), err)
				}
				select {
				case served <- struct{}{}:
				default:
				}
			}
		})
	}
	<-served
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
	callers.Wait()
	if left, err := os.ReadDir(filepath.Join(s.Store, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("tmp has %v, error %v", left, err)
	}
	if _, err := os.Lstat(s.Socket); err == nil {
		t.Error("the socket is still there")
	}
}

func TestInterruptEndsTheSidecarToo(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	s.Signal(syscall.SIGINT)
	if code := s.Wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
}

// TestNothingOfOursEndsIt is K14: a closed terminal is no reason to stop.
func TestNothingOfOursEndsIt(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGPIPE} {
		s.Signal(sig)
		s.project(t, completed(0, "still here\n"))
	}
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
}

// TestAnotherTakesTheSocket binds the path as a service manager does, which does not know the lock: the sidecar ends with an error that
// says so, and leaves the socket of the other alone.
func TestAnotherTakesTheSocket(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{AnyExit: true})
	if err := os.Remove(s.Socket); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if code := s.Wait(); code != 125 {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, s.Log.String(), `"reason":"socket_lost"`)
	conn, err := net.Dial("unix", s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// TestSecondSidecar starts another sidecar on the socket or the store of one
// that runs: it is refused, and the first one does not notice.
func TestSecondSidecar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second func(first *sidecar) launch
		want   func(first *sidecar) string
	}{
		"on the same socket": {
			func(first *sidecar) launch { return launch{Socket: first.Socket} },
			func(first *sidecar) string { return first.Socket + ": in use by another server" },
		},
		"on the same store": {
			func(first *sidecar) launch { return launch{Store: first.Store} },
			func(first *sidecar) string { return fmt.Sprintf("locked by process %d", first.PID()) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := startSidecar(t, launch{})
			wantIn(t, refusedStart(t, c.second(first)), c.want(first))
			first.project(t, completed(0, numbered(2000)))
		})
	}
}

// TestRestartAfterKill kills a sidecar at work. The next one starts at once on
// the stale socket and the same store, and what was answered is still there.
func TestRestartAfterKill(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := completed(0, numbered(2000))
	before := s.project(t, req)
	ctx, cancel := context.WithCancel(t.Context())
	var caller sync.WaitGroup
	served := make(chan struct{})
	caller.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			_, _ = s.Project(ctx, completed(0, numbered(20_000+i)))
			if i == 0 {
				close(served)
			}
		}
	})
	<-served
	s.Signal(syscall.SIGKILL)
	s.Wait()
	cancel()
	caller.Wait()
	if _, err := os.Lstat(s.Socket); err != nil {
		t.Fatalf("there is no stale socket to start on: %v", err)
	}
	next := startSidecar(t, launch{Socket: s.Socket, Store: s.Store})
	after := next.project(t, req)
	if bytesOf(t, before) != bytesOf(t, after) {
		t.Errorf("the answer differs after the restart:\n%v\n%v", before, after)
	}
	if left, err := os.ReadDir(filepath.Join(s.Store, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("tmp has %v, error %v", left, err)
	}
}

// TestOtherUsers lets another user try the socket: as it is, opened up by
// mistake, and with leave.
func TestOtherUsers(t *testing.T) {
	t.Parallel()
	legTool(t, "setpriv")
	program := executable(t)
	asNobody := func(s *sidecar) ran {
		t.Helper()
		return run(t, os.Environ(), nil, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
			program, "info", "--server", "unix://"+s.Socket)
	}
	s := startSidecar(t, launch{})
	if r := asNobody(s); r.code != 125 || !strings.Contains(r.stderr, "permission denied") {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	openUp(t, s)
	if r := asNobody(s); r.code != 125 || !strings.Contains(r.stderr, "Unavailable") {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	s.project(t, completed(0, "the owner is still served"))

	allowing := startSidecar(t, launch{Args: []string{"--allow-uids=65534"}})
	openUp(t, allowing)
	if r := asNobody(allowing); r.code != 0 {
		t.Errorf("an allowed user: exit code %d: %s", r.code, r.stderr)
	}
}

// executable is a copy of the binary that every user may run.
func executable(t *testing.T) string {
	t.Helper()
	dir := shortDir(t)
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "toolresult")
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// openUp lets every user reach a socket.
func openUp(t *testing.T, s *sidecar) {
	t.Helper()
	for _, path := range []string{filepath.Dir(filepath.Dir(s.Socket)), filepath.Dir(s.Socket), s.Socket} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHealth asks for the health of a sidecar that serves, and of one that
// drains.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--drain-delay=1s"}})
	health := healthpb.NewHealthClient(s.conn)
	for _, service := range []string{"", "toolresult.v1.ToolResultService"} {
		resp, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
		if err != nil || resp.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("health of %q: %v, error %v", service, resp, err)
		}
	}
	if _, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{Service: "nothing"}); status.Code(err) != codes.NotFound {
		t.Errorf("health of a service that is not there: %v", err)
	}
	s.Signal(syscall.SIGTERM)
	waitFor(t, "NOT_SERVING", func() bool {
		resp, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{})
		return err == nil && resp.GetStatus() == healthpb.HealthCheckResponse_NOT_SERVING
	})
	if code := s.Wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
}

// TestRefusedStarts has configurations that must not come up.
func TestRefusedStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a token file that the group can read":   {[]string{"--tcp=127.0.0.1:0", "--token-file=" + tokenFile(t, 0o640)}, "mode 0640"},
		"a token file that everyone can read":    {[]string{"--tcp=127.0.0.1:0", "--token-file=" + tokenFile(t, 0o604)}, "mode 0604"},
		"a token file that is not there":         {[]string{"--tcp=127.0.0.1:0", "--token-file=/nonexistent/token"}, "no such file"},
		"TCP without a token":                    {[]string{"--tcp=127.0.0.1:0"}, "token"},
		"all addresses":                          {[]string{"--tcp=0.0.0.0:0", "--token-file=" + tokenFile(t, 0o600)}, "loopback"},
		"an address of the network":              {[]string{"--tcp=192.0.2.1:7001", "--token-file=" + tokenFile(t, 0o600)}, "loopback"},
		"a name in place of an address":          {[]string{"--tcp=localhost:7001", "--token-file=" + tokenFile(t, 0o600)}, "names a host"},
		"a token on the command line":            {[]string{"--tcp=127.0.0.1:0", "--token=" + secret}, "must not be a flag"},
		"less in flight than one message":        {[]string{"--max-message-bytes=8MiB", "--max-in-flight-bytes=4MiB"}, "max_in_flight_bytes"},
		"a configuration file that is not there": {[]string{"--config=/nonexistent/c.yaml"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stderr := refusedStart(t, launch{Args: c.args})
			wantIn(t, stderr, c.want)
			wantNone(t, stderr, secret)
		})
	}
}

// TestClosedOutput lets nobody read what a sidecar writes: it serves on.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Shell: "exec 2>&-"})
	for range 20 {
		s.project(t, completed(0, "x"))
	}
	if _, err := s.Project(t.Context(), &pb.ProjectRequest{}); err == nil {
		t.Error("an empty request was served")
	}
}

// TestNothingLeaks makes calls of every kind, and counts descriptors, files in
// tmp and threads afterwards.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	mixed := func(i int) {
		req := completed(0, numbered(1500+i%7))
		resp := s.project(t, req)
		s.compact(t, resp.GetCanonical(), handles)
		_, _ = s.Project(t.Context(), &pb.ProjectRequest{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
		_, _ = s.Project(ctx, req)
		cancel()
		conn := dial(t, "unix://"+s.Socket)
		_, _ = pb.NewToolResultServiceClient(conn).GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
		_ = conn.Close()
	}
	mixed(0)
	before := s.Descriptors(t)
	for i := range 40 {
		mixed(i)
	}
	waitFor(t, "the descriptors to be closed", func() bool { return s.Descriptors(t) <= before })
	if left, err := os.ReadDir(filepath.Join(s.Store, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("tmp has %v, error %v", left, err)
	}
}
