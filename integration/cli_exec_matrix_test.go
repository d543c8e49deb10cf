package integration_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// sidecarStates are what can be at the address of the sidecar: all but the first make no receipt.
var sidecarStates = map[string]func(t *testing.T) (address string){
	"alive": func(t *testing.T) string { return "unix://" + startSidecar(t, launch{}).Socket },
	"dead": func(t *testing.T) string {
		s := startSidecar(t, launch{})
		s.Kill()
		return "unix://" + s.Socket
	},
	"frozen": func(t *testing.T) string {
		s := startSidecar(t, launch{})
		if err := syscall.Kill(s.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(s.PID(), syscall.SIGCONT) })
		return "unix://" + s.Socket
	},
	"rejecting": func(t *testing.T) string {
		return "unix://" + startSidecar(t, launch{Args: []string{"--store-quota=1MiB", "--max-message-bytes=1MiB"}}).Socket
	},
	"junk": func(t *testing.T) string {
		l, err := net.Listen("unix", filepath.Join(sidecartest.ShortDir(t), "s"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				_, _ = c.Write([]byte(strings.Repeat("junk\r\n", 5000)))
				_ = c.Close()
			}
		}()
		return "unix://" + l.Addr().String()
	},
}

// TestExecMatrix runs commands beside sidecars in every state: the command runs once, its code comes back, and its output is on
// standard output as it was or as a receipt. It does not wait for children in the background: they end when it has ended.
func TestExecMatrix(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		code   int
		size   int // of the output
	}{
		"exit 0":   {"echo out", 0, 4},
		"exit 2":   {"echo out; exit 2", 2, 4},
		"killed":   {"echo out; kill -9 $$", 137, 4},
		"large":    {"head -c 90000000 /dev/zero; exit 3", 3, 90_000_000},
		"children": {"read x <FIFO & echo out; exit 4", 4, 4},
	} {
		for state, start := range sidecarStates {
			if testing.Short() && state != "alive" && (c.size > 4 || name == "exit 0" || name == "killed") {
				continue
			}
			for _, through := range []string{"exec", "shell"} {
				t.Run(name+", "+state+", "+through, func(t *testing.T) {
					t.Parallel()
					runs, fifo := filepath.Join(t.TempDir(), "runs"), filepath.Join(t.TempDir(), "fifo")
					if err := syscall.Mkfifo(fifo, 0o600); err != nil {
						t.Fatal(err)
					}
					address := start(t)
					script := "echo x >>" + runs + "; " + strings.ReplaceAll(c.script, "FIFO", fifo)
					args := map[string][]string{"exec": {"exec", "--", "sh", "-c", script}, "shell": {"shell", "-c", script}}
					r := cli(t, append(environment(t), "TOOLRESULT_PATIENCE=", "TOOLRESULT_ADDRESS="+address), nil, args[through]...)
					text, err := os.ReadFile(runs)
					if r.code != c.code || err != nil || string(text) != "x\n" || r.stderr != "" {
						t.Errorf("code %d, runs %q, %v, %q", r.code, text, err, r.stderr)
					}
					whole := len(r.stdout) == c.size
					receipt := strings.HasPrefix(r.stdout, "Process ") && (c.size < 10 || strings.Contains(r.stdout, fmt.Sprintf("%d bytes", c.size)))
					if !whole && (!receipt || state != "alive" && state != "rejecting") {
						t.Errorf("%d bytes: %.200q", len(r.stdout), r.stdout)
					}
					if name == "children" { // let it end
						if err := os.WriteFile(fifo, []byte("\n"), 0); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
	}
}
