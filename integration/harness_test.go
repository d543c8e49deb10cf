package integration_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/artifactstore/dir"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/rpc"
)

// patience is how long a test waits for what should happen at once.
const patience = 30 * time.Second

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) {
	rpc.UseBufferPool() // the client side of these tests uses it as the server does
	encoding.RegisterCompressor(fakeCompressor{})
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "toolresult")
	args := []string{"build", "-o", binary}
	if raceDetector {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "../cmd/toolresult")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n%v\n", out, err)
		return 1
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// leg guards a test that needs more than Go and Linux. Where it cannot run, the
// test is skipped or, with TOOLRESULT_LEGS=all, fails.
func leg(t *testing.T, ok bool, why string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("TOOLRESULT_LEGS") == "all":
		t.Fatalf("TOOLRESULT_LEGS=all, and this leg cannot run: %s", why)
	default:
		t.Skipf("leg skipped: %s", why)
	}
}

// legTool is a leg that needs root and a program.
func legTool(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	leg(t, err == nil && os.Geteuid() == 0, "needs root and "+program)
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch says how a sidecar is started. The zero value is a sidecar with a
// socket and a store of its own.
type launch struct {
	args   []string // further flags
	env    []string // further variables
	shell  string   // commands of sh before the sidecar, such as "umask 077"
	store  string
	socket string
}

// sidecar is a running process of the binary.
type sidecar struct {
	pb.ToolResultServiceClient
	conn   *grpc.ClientConn
	socket string
	store  string
	tcp    string // host and port, when it serves TCP
	url    string // of its metrics, when it serves them
	stderr *output

	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	quit bool          // the test ended it to see its goroutines
}

// startSidecar starts a sidecar and waits until it has said where it listens.
// At the end of the test it is sent SIGTERM and must exit with code 0, unless
// the test has ended it.
func startSidecar(t testing.TB, l launch) *sidecar {
	t.Helper()
	s, stdout := start(t, l)
	lines := 1
	for _, a := range l.args {
		if strings.HasPrefix(a, "--tcp") || strings.HasPrefix(a, "--metrics") {
			lines++
		}
	}
	waitFor(t, "the addresses of the sidecar", func() bool {
		if s.ended() {
			t.Fatalf("the sidecar ended at once: %v\n%s", s.cmd.ProcessState, s.stderr)
		}
		return strings.Count(stdout.String(), "\n") >= lines
	})
	addresses := strings.Fields(stdout.String())
	if want := "unix://" + s.socket; addresses[0] != want {
		t.Fatalf("the first address is %q, want %q", addresses[0], want)
	}
	for _, address := range addresses[1:] {
		if strings.HasPrefix(address, "http://") {
			s.url = address
		} else {
			s.tcp = address
		}
	}
	s.conn = dial(t, addresses[0])
	s.ToolResultServiceClient = pb.NewToolResultServiceClient(s.conn)
	return s
}

// start starts the process and arranges for its end.
func start(t testing.TB, l launch) (s *sidecar, stdout *output) {
	t.Helper()
	s = &sidecar{socket: l.socket, store: l.store, stderr: &output{}, done: make(chan struct{})}
	if s.socket == "" {
		s.socket = filepath.Join(shortDir(t), "run", "s")
	}
	if s.store == "" {
		s.store = filepath.Join(t.TempDir(), "store")
	}
	args := append([]string{binary, "serve", "--socket", s.socket, "--store", s.store, "--log-level=debug"}, l.args...)
	if l.shell != "" {
		args = append([]string{"sh", "-c", l.shell + `; exec "$@"`, "sh"}, args...)
	}
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Env = append(environment(t), l.env...)
	s.cmd.Dir = shortDir(t)
	stdout = &output{}
	s.cmd.Stdout, s.cmd.Stderr = stdout, s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() { s.finish(t) })
	return s, stdout
}

// finish ends a sidecar that the test has left running, and checks its exit.
func (s *sidecar) finish(t testing.TB) {
	if !s.ended() {
		if code := s.terminate(t); code != 0 {
			t.Errorf("the sidecar exited with code %d after SIGTERM\n%s", code, s.stderr)
		}
	}
	for _, bad := range []string{"WARNING: DATA RACE", "goroutine 1 ["} {
		if !s.quit && strings.Contains(s.stderr.String(), bad) {
			t.Errorf("the sidecar wrote:\n%s", s.stderr)
		}
	}
}

func (s *sidecar) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// terminate sends SIGTERM and returns the exit code, or -1 when the sidecar had
// to be killed.
func (s *sidecar) terminate(t testing.TB) int {
	t.Helper()
	s.signal(t, syscall.SIGTERM)
	return s.wait(t)
}

func (s *sidecar) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// wait waits for the end of the process and returns its exit code; -1 stands
// for a signal.
func (s *sidecar) wait(t testing.TB) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		t.Errorf("the sidecar did not end within %v; it is killed\n%s", patience, s.stderr)
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	return s.cmd.ProcessState.ExitCode()
}

// refusedStart starts a sidecar that must not come up. It returns what the
// sidecar wrote and how long it took.
func refusedStart(t *testing.T, l launch) (stderr string, took time.Duration) {
	t.Helper()
	began := time.Now()
	s, stdout := start(t, l)
	waitFor(t, "the sidecar to refuse to start", func() bool {
		if stdout.String() != "" {
			t.Fatalf("the sidecar came up at %s", stdout)
		}
		return s.ended()
	})
	if code := s.cmd.ProcessState.ExitCode(); code != 125 {
		t.Errorf("exit code %d, want 125\n%s", code, s.stderr)
	}
	return s.stderr.String(), time.Since(began)
}

// waitFor waits until a condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// dial connects to a sidecar. Every refusal that comes is checked for what holds for all of them.
func dial(t testing.TB, target string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	options = append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64 << 20)),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, resp any, conn *grpc.ClientConn, call grpc.UnaryInvoker, o ...grpc.CallOption) error {
			err := call(ctx, method, req, resp, conn, o...)
			checkRefusalText(t, status.Convert(err).Message())
			return err
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, call grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
			stream, err := call(ctx, desc, conn, method, o...)
			return checkedStream{stream, t}, err
		}),
	}, options...)
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// shortDir is a temporary directory with a short name: the kernel takes 107
// bytes for the path of a socket, and t.TempDir has the test's name in it.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// environment is that of a user who has nothing but the defaults, with a home
// of the test's own. Where the temporary directory is on a volatile file system
// it allows a store there.
func environment(t testing.TB) []string {
	t.Helper()
	home := shortDir(t)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + os.Getenv("TMPDIR"),
		"GORACE=atexit_sleep_ms=0", // else the race detector sleeps a second at every exit
	}
	on, err := dir.DetectFileSystem(home)
	if err != nil {
		t.Fatal(err)
	}
	if on.Volatile {
		env = append(env, "TOOLRESULT_VOLATILE=true")
	}
	return env
}

// ran is how a run of the command line ended.
type ran struct {
	stdout, stderr string
	code           int
}

// cli runs the binary to its end.
func cli(t testing.TB, env []string, stdin io.Reader, args ...string) ran {
	t.Helper()
	return run(t, env, stdin, binary, args...)
}

// run runs any program to its end.
func run(t testing.TB, env []string, stdin io.Reader, name string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, stdin, &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// mustCLI runs the binary and expects success.
func mustCLI(t testing.TB, env []string, stdin io.Reader, args ...string) string {
	t.Helper()
	r := cli(t, env, stdin, args...)
	if r.code != 0 {
		t.Fatalf("toolresult %q: exit code %d\n%s", args, r.code, r.stderr)
	}
	return r.stdout
}
