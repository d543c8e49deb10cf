package hosts_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// states are what a sidecar can be for the commands of a host. In the first a command has its receipt, and in all others its output.
var states = []string{"alive", "dead", "frozen", "refusing", "junk"}

// sidecar brings a sidecar into a state, and returns the variables by which commands with these variables find it.
func sidecar(t *testing.T, state string, env []string) []string {
	t.Helper()
	switch state {
	case "alive":
		return []string{"TOOLRESULT_PATIENCE=30s"} // the first command starts one; this machine may do much else
	case "dead":
		return []string{"TOOLRESULT_ADDRESS=unix:///nonexistent/toolresult.sock"}
	case "frozen":
		run(t, env, binary, "ensure", "--patience=20s", "--wait=30s")
		if err := syscall.Kill(pid(t, env), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		return nil
	case "refusing":
		l := listen(t)
		s := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
			return status.Error(codes.ResourceExhausted, "there is no room")
		}))
		go func() { _ = s.Serve(l) }()
		t.Cleanup(s.Stop)
		return []string{"TOOLRESULT_ADDRESS=unix://" + l.Addr().String()}
	case "junk":
		l := listen(t)
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				_, _ = c.Write([]byte(strings.Repeat("junk\r\n", 5000)))
				_ = c.Close()
			}
		}()
		return []string{"TOOLRESULT_ADDRESS=unix://" + l.Addr().String()}
	}
	t.Fatalf("there is no state %s", state)
	return nil
}

// listen returns a socket.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(sidecartest.ShortDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// addressFile is the path of the address file for some variables.
func addressFile(env []string) (path string) {
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "XDG_RUNTIME_DIR="); ok {
			path = filepath.Join(dir, "toolresult", "address")
		}
	}
	return path
}

// pid returns the process of the sidecar that was started for some variables.
func pid(t *testing.T, env []string) int {
	t.Helper()
	var address struct{ PID int }
	text, err := os.ReadFile(addressFile(env))
	if err == nil {
		err = json.Unmarshal(text, &address)
	}
	if err != nil {
		t.Fatal(err)
	}
	return address.PID
}

// endSidecar ends the sidecar that was started for some variables, if there is one.
func endSidecar(t *testing.T, env []string) {
	t.Helper()
	if _, err := os.Stat(addressFile(env)); err == nil {
		_ = syscall.Kill(pid(t, env), syscall.SIGKILL)
	}
}
