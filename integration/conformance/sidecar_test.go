package conformance_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

// patience is how long a test waits for what should happen at once.
const patience = 30 * time.Second

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) {
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
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/toolresult").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n%v\n", out, err)
		return 1
	}
	return m.Run()
}

// sidecar is a running process of the binary.
type sidecar struct {
	dir    string // of the test: the socket, the store, and files that payloads may name
	socket string
	stop   func() error
}

// start starts a sidecar in a directory, with the store that is there from an earlier start.
func start(dir string) (*sidecar, error) {
	s := &sidecar{dir: dir, socket: filepath.Join(dir, "run", "s")}
	family, err := writeFamily(dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "serve", "--socket", s.socket, "--store", filepath.Join(dir, "store"),
		"--roots", dir, "--families", "../../docs/examples/acme.binpb,"+family)
	env, err := environment(dir)
	if err != nil {
		return nil, err
	}
	var stdout, stderr written
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	s.stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-ended
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("the sidecar exited with code %d\n%s", code, &stderr)
		}
		return nil
	}
	for deadline := time.Now().Add(patience); !strings.Contains(stdout.String(), "\n"); time.Sleep(2 * time.Millisecond) {
		select {
		case <-ended:
			return nil, fmt.Errorf("the sidecar ended at once\n%s", &stderr)
		default:
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the sidecar did not start in %v\n%s%w", patience, &stderr, s.stop())
		}
	}
	return s, nil
}

// environment is that of a user who has nothing but the defaults. Where home is on
// a volatile file system it allows a store there.
func environment(home string) ([]string, error) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home}
	on, err := dir.DetectFileSystem(home)
	if err != nil {
		return nil, err
	}
	if on.Volatile {
		env = append(env, "TOOLRESULT_VOLATILE=true")
	}
	return env, nil
}

// shortDir is a temporary directory with a short name: the kernel takes 107 bytes for the
// path of a socket.
func shortDir() (string, error) { return os.MkdirTemp("", "tr") }

// written collects what a process writes.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
