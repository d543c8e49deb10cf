package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/server/rpc"
)

// patience is the time limit of everything that should happen at once.
const patience = sidecartest.Patience

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv(sandboxVariable) != "" {
		_ = os.Unsetenv(sandboxVariable)
		fmt.Fprintln(os.Stderr, runInSandbox(os.Args[1:]))
		os.Exit(1)
	}
	rpc.UseBufferPool() // the client side of these tests uses it as the server does
	encoding.RegisterCompressor(fakeCompressor{})
	var flags []string
	if raceDetector {
		flags = []string{"-race"}
	}
	code := sidecartest.Main(m, &binary, flags...)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// leg guards a test that needs more than Go and Linux. Where it cannot run, the
// test is skipped or, with TOOLRESULT_LEGS=all, fails.
func leg(t *testing.T, ok bool, why string) {
	t.Helper()
	sidecartest.Need(t, ok, why)
}

// legTool is a leg that needs root and a program.
func legTool(t *testing.T, program string) {
	t.Helper()
	sidecartest.NeedRoot(t, program)
}

// output collects what a process writes.
type output = sidecartest.Output

// launch says how a sidecar is started. The zero value is a sidecar with a
// socket and a store of its own.
type launch = sidecartest.Options

// sidecar is a running process of the binary, and a connection to it.
type sidecar struct {
	*sidecartest.Sidecar
	pb.ToolResultServiceClient
	conn *grpc.ClientConn
}

// startSidecar starts a sidecar and waits until it has said where it listens.
// At the end of the test it is sent SIGTERM and must exit with code 0, unless
// the test has ended it.
func startSidecar(t testing.TB, l launch) *sidecar {
	t.Helper()
	running := sidecartest.Start(t, withDefaults(t, l))
	conn := dial(t, running.Target())
	return &sidecar{running, pb.NewToolResultServiceClient(conn), conn}
}

// withDefaults names the binary, and a store whose path is as long as those of users.
func withDefaults(t testing.TB, l launch) launch {
	l.Binary = binary
	if l.Store == "" {
		l.Store = filepath.Join(t.TempDir(), "store")
	}
	return l
}

// refusedStart starts a sidecar that must not come up, and returns its log.
func refusedStart(t *testing.T, l launch) (stderr string) {
	t.Helper()
	s := sidecartest.Launch(t, withDefaults(t, l))
	waitFor(t, "the sidecar to refuse to start", func() bool {
		if s.Printed() != "" {
			t.Fatalf("the sidecar came up at %s", s.Printed())
		}
		return s.Ended()
	})
	if code := s.Wait(); code != 125 {
		t.Errorf("exit code %d, want 125\n%s", code, s.Log)
	}
	return s.Log.String()
}

func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	sidecartest.WaitFor(t, what, holds)
}

// dial connects to a sidecar. Every refusal that comes is checked for what holds for all of them.
func dial(t testing.TB, target string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	options = append([]grpc.DialOption{
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
	return sidecartest.Dial(t, target, options...)
}

func shortDir(t testing.TB) string {
	t.Helper()
	return sidecartest.ShortDir(t)
}

// environment is that of a user who has nothing but the defaults.
func environment(t testing.TB) []string {
	t.Helper()
	return append(sidecartest.Environment(t), "TOOLRESULT_PATIENCE=20s") // on a machine that does much else
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
