package systemd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolresult/toolresult/internal/systemd"
)

// childVar makes this test binary the process that a manager starts.
const childVar = "SYSTEMD_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	_ = os.Setenv("LISTEN_PID", fmt.Sprint(os.Getpid()))
	if os.Getenv(childVar) == "other process" {
		_ = os.Setenv("LISTEN_PID", "1")
	}
	l, err := systemd.Listener()
	switch {
	case err != nil:
		fmt.Println("error:", err)
	case l == nil:
		fmt.Println("none")
	default:
		fmt.Println("listens:", l.Addr(), "variables:", os.Getenv("LISTEN_FDS"))
		_ = l.Close()
	}
}

// child runs this binary with sockets from descriptor 3 on, and returns what it prints.
func child(t *testing.T, kind string, files ...*os.File) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+kind, fmt.Sprint("LISTEN_FDS=", len(files)))
	cmd.ExtraFiles = files
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// fileOf returns the descriptor of a listener.
func fileOf(t *testing.T, l net.Listener, err error) *os.File {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	f, err := l.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestListener passes sockets as a manager does.
func TestListener(t *testing.T) {
	dir, err := os.MkdirTemp("", "sd")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	one := fileOf(t, l, err)
	l, err = net.Listen("tcp", "127.0.0.1:0")
	tcp := fileOf(t, l, err)
	l, err = net.Listen("unix", "@toolresult-systemd-test")
	abstract := fileOf(t, l, err)
	plain, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	for name, c := range map[string]struct {
		kind  string
		files []*os.File
		want  string
	}{
		"one socket":            {"child", []*os.File{one}, "listens: " + path + " variables:"},
		"none":                  {"child", nil, "none"},
		"for another process":   {"other process", []*os.File{one}, "none"},
		"two sockets":           {"child", []*os.File{one, tcp}, "error: " + systemd.ErrSockets.Error() + ", and there are 2"},
		"a port":                {"child", []*os.File{tcp}, "error: " + systemd.ErrSockets.Error() + ", and this is tcp"},
		"a socket with no path": {"child", []*os.File{abstract}, "error: " + systemd.ErrSockets.Error() + ", and this is unix"},
		"no socket":             {"child", []*os.File{plain}, "error: " + systemd.ErrSockets.Error()},
	} {
		if got := child(t, c.kind, c.files...); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file of the manager's socket: %v", err)
	}
}

// quiet is how long nothing comes from one that says nothing any more: some times as long as from sign to sign in these tests.
const quiet = time.Second

// manager listens where states are sent, and has the process of the test send them there. What it returns waits for the next state.
func manager(t *testing.T) (next func(limit time.Duration) string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func(limit time.Duration) string {
		t.Helper()
		buffer := make([]byte, 4096)
		if err := conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
			t.Fatal(err)
		}
		n, err := conn.Read(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "nothing"
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(buffer[:n])
	}
}

func TestStates(t *testing.T) {
	next := manager(t)
	for want, say := range map[string]func() error{
		"READY=1\nSTATUS=Serving":                                 func() error { return systemd.Ready("Serving") },
		"RELOADING=1\nMONOTONIC_USEC=":                            systemd.Reloading,
		"STOPPING=1\nSTATUS=Ending\nEXTEND_TIMEOUT_USEC=61500000": func() error { return systemd.Stopping(61*time.Second + 500*time.Millisecond) },
	} {
		if err := say(); err != nil {
			t.Fatal(err)
		}
		if got := next(time.Minute); !strings.HasPrefix(got, want) || strings.HasSuffix(got, "\n") {
			t.Errorf("%q, not %q", got, want)
		}
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "none"))
	if err := systemd.Ready(""); err == nil {
		t.Error("nobody listens, and that is no error")
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := systemd.Ready(""); err != nil {
		t.Errorf("without a manager: %v", err)
	}
}

// TestNobodyReads fills what a manager has not read yet: nothing waits for it for ever.
func TestNobodyReads(t *testing.T) {
	next := manager(t)
	var err error
	for range 10_000 {
		if err = systemd.Ready("Serving"); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if got := next(time.Minute); got != "READY=1\nSTATUS=Serving" {
		t.Errorf("%q", got)
	}
}

// TestKeepAlive has a process that is well, then fails, then hangs, then is well again.
func TestKeepAlive(t *testing.T) {
	next := manager(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := errors.New("the store has failed")
	var state atomic.Value
	state.Store("well")
	healthy := func(ctx context.Context) error {
		switch state.Load() {
		case "failed":
			return failed
		case "hangs":
			select {} // also when ctx is done
		}
		return nil
	}
	reports := make(chan error, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		systemd.KeepAlive(ctx, 800*time.Millisecond, healthy, func(err error) { reports <- err })
	}()
	report := func() error {
		select {
		case err := <-reports:
			return err
		case <-time.After(time.Minute):
			return errors.New("there is none")
		}
	}
	silence := func() {
		t.Helper()
		for range 100 { // some can be on their way
			if next(quiet) == "nothing" {
				return
			}
		}
		t.Errorf("signs of a process that is %s", state.Load())
	}
	for range 3 {
		if got := next(time.Minute); got != "WATCHDOG=1" {
			t.Errorf("%q", got)
		}
	}
	state.Store("failed")
	silence()
	if err := report(); !errors.Is(err, failed) {
		t.Errorf("the report is %v", err)
	}
	state.Store("hangs")
	silence()
	state.Store("well")
	if got := next(time.Minute); got != "WATCHDOG=1" {
		t.Errorf("%q of a process that is well again", got)
	}
	if err := report(); err != nil {
		t.Errorf("the report is %v", err)
	}
	cancel()
	<-done
	if len(reports) != 0 {
		t.Errorf("a report of the end: %v", <-reports)
	}
}

// TestOneMissedSignIsNoRestart has a process that is not well once, and one that hangs once: signs of life go on within the interval. Time
// is that of the test.
func TestOneMissedSignIsNoRestart(t *testing.T) {
	const interval = 30 * time.Second
	for kind, miss := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return errors.New("once") },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*interval)
			defer cancel()
			var mu sync.Mutex // one that hangs may return beside the next
			calls, last, longest := 0, time.Now(), time.Duration(0)
			systemd.KeepAlive(ctx, interval, func(ctx context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				if calls++; calls == 4 {
					mu.Unlock()
					defer mu.Lock()
					return miss(ctx)
				}
				longest = max(longest, time.Since(last))
				last = time.Now()
				return nil
			}, func(error) {})
			mu.Lock()
			defer mu.Unlock()
			if calls < 5 || longest >= interval*3/4 {
				t.Errorf("one that %s once: %d signs, and %s without any", kind, calls-1, longest)
			}
		})
	}
}
