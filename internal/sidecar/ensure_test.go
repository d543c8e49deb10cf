package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// fake is a sidecar in this process: a listener that a start makes after a while, and that serves a while later.
type fake struct {
	names         sidecar.Names
	starts        atomic.Int64
	serving       atomic.Bool
	listens, long time.Duration // after a start
	ends          error         // it ends in place of listening
	endsOnce      bool          // and the second start succeeds

	mu       sync.Mutex
	listener net.Listener
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{names: sidecar.FromEnvironment([]string{"XDG_RUNTIME_DIR=" + shortDir(t)})}
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.listener != nil {
			_ = f.listener.Close()
		}
	})
	return f
}

var errBusy = errors.New("busy")

func (f *fake) start() (<-chan error, error) {
	n := f.starts.Add(1)
	ended := make(chan error, 1)
	go func() {
		time.Sleep(f.listens)
		if f.ends != nil && (!f.endsOnce || n == 1) {
			ended <- f.ends
			return
		}
		l, err := net.Listen("unix", f.names.Socket)
		if err != nil {
			ended <- err
			return
		}
		f.mu.Lock()
		f.listener = l
		f.mu.Unlock()
		time.Sleep(f.long)
		f.serving.Store(true)
	}()
	return ended, nil
}

// serves answers once the sidecar serves.
func (f *fake) serves(ctx context.Context, _ string) error {
	for !f.serving.Load() {
		select {
		case <-ctx.Done():
			if f.serving.Load() { // a busy machine was late
				return nil
			}
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func (f *fake) ensurer() *sidecar.Ensurer {
	return &sidecar.Ensurer{
		Names: f.names, Serves: f.serves, Start: f.start, IsBusy: func(err error) bool { return errors.Is(err, errBusy) },
		Patience: 300 * time.Millisecond, Wait: 30 * time.Second,
	}
}

// TestManyStartOne ensures a sidecar twenty times at once, whether it is quick or listens for longer than the patience before it
// serves: one is started, and everybody gets its place.
func TestManyStartOne(t *testing.T) {
	t.Parallel()
	for _, long := range []time.Duration{0, 20 * time.Millisecond, 900 * time.Millisecond} {
		f := newFake(t)
		f.listens, f.long = 20*time.Millisecond, long
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				place, err := f.ensurer().Ensure(t.Context())
				if err != nil || place.Address != "unix://"+f.names.Socket {
					t.Errorf("serves after %v: %+v, %v", long, place, err)
				}
			})
		}
		if all.Wait(); f.starts.Load() != 1 {
			t.Errorf("serves after %v: %d starts", long, f.starts.Load())
		}
	}
}

// TestSilentSidecarIsReported has one that listens and answers nothing: it is reported after the patience, by many at once too,
// and none is started.
func TestSilentSidecarIsReported(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if err := os.Mkdir(filepath.Dir(f.names.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	listen(t, f.names.Socket)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := f.ensurer().Ensure(t.Context())
			if !errors.Is(err, sidecar.ErrSilent) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
				t.Error(err)
			}
		})
	}
	if all.Wait(); f.starts.Load() != 0 {
		t.Errorf("%d starts", f.starts.Load())
	}
}

// TestUnhealthySidecarIsReported has one that says that it does not serve: it is asked until the patience is over.
func TestUnhealthySidecarIsReported(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if err := os.Mkdir(filepath.Dir(f.names.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	listen(t, f.names.Socket)
	e := f.ensurer()
	asked := 0
	e.Serves = func(context.Context, string) error { asked++; return errors.New("NOT_SERVING") }
	_, err := e.Ensure(t.Context())
	if err == nil || !strings.Contains(err.Error(), "does not serve: NOT_SERVING") || asked < 2 || f.starts.Load() != 0 {
		t.Errorf("%v, asked %d times, %d starts", err, asked, f.starts.Load())
	}
}

// TestEndingSidecarIsReplaced has one that says that it does not serve, and ends meanwhile.
func TestEndingSidecarIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if err := os.Mkdir(filepath.Dir(f.names.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	old, err := net.Listen("unix", f.names.Socket)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(30*time.Millisecond, func() { _ = old.Close() })
	e := f.ensurer()
	e.Patience = 10 * time.Second
	e.Serves = func(ctx context.Context, address string) error {
		if f.starts.Load() == 0 {
			return errors.New("NOT_SERVING")
		}
		return f.serves(ctx, address)
	}
	if place, err := e.Ensure(t.Context()); err != nil || f.starts.Load() != 1 {
		t.Errorf("%+v, %v, %d starts", place, err, f.starts.Load())
	}
}

// TestFailedStartIsReported has starts that fail, at once or for good, and one that succeeds at the second attempt because what it
// needed was about to be free.
func TestFailedStartIsReported(t *testing.T) {
	t.Parallel()
	wrong := errors.New("no space left")
	f := newFake(t)
	f.ends = wrong
	if _, err := f.ensurer().Ensure(t.Context()); !errors.Is(err, wrong) || f.starts.Load() != 1 {
		t.Errorf("%v, %d starts", err, f.starts.Load())
	}
	f = newFake(t)
	f.ends, f.endsOnce = errBusy, true
	if _, err := f.ensurer().Ensure(t.Context()); err != nil || f.starts.Load() != 2 {
		t.Errorf("busy: %v, %d starts", err, f.starts.Load())
	}
	f = newFake(t)
	f.ends = errBusy
	e := f.ensurer()
	e.Wait = 2 * time.Second
	if _, err := e.Ensure(t.Context()); !errors.Is(err, errBusy) || f.starts.Load() < 2 {
		t.Errorf("busy for good: %v, %d starts", err, f.starts.Load())
	}
	e.Start = func() (<-chan error, error) { return nil, wrong }
	if _, err := e.Ensure(t.Context()); !errors.Is(err, wrong) {
		t.Errorf("not started: %v", err)
	}
}

// TestSlowStartIsReported has a sidecar that does not serve in time, and one who waits for another's start that long.
func TestSlowStartIsReported(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.listens = time.Hour
	e := f.ensurer()
	e.Wait = 3 * time.Second
	done := make(chan error, 1)
	go func() {
		_, err := e.Ensure(t.Context())
		done <- err
	}()
	for f.starts.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	other := f.ensurer()
	other.Wait = 200 * time.Millisecond
	if _, err := other.Ensure(t.Context()); err == nil || !strings.Contains(err.Error(), "another process has the lock "+f.names.Socket+".ensure") {
		t.Errorf("the other: %v", err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "does not serve after 3s") || !errors.Is(err, sidecar.ErrNone) {
		t.Error(err)
	}
	if f.starts.Load() != 1 {
		t.Errorf("%d starts", f.starts.Load())
	}
}

// TestUnusableDirectoriesAreReported has runtime directories in which there can be no socket.
func TestUnusableDirectoriesAreReported(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	file := filepath.Join(dir, "file")
	open := filepath.Join(dir, "open", "toolresult")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.MkdirAll(open, 0o700), os.Chmod(open, 0o755)); err != nil {
		t.Fatal(err)
	}
	for environ, want := range map[string]string{
		"XDG_RUNTIME_DIR=/proc/none":                "runtime directory: ",
		"XDG_RUNTIME_DIR=" + file:                   "not a directory; XDG_RUNTIME_DIR names another",
		"XDG_RUNTIME_DIR=" + filepath.Dir(open):     "lets other users in",
		"TOOLRESULT_SOCKET=" + file + "/s":          "directory of the socket " + file + "/s",
		"TOOLRESULT_SOCKET=/proc/none/there/s":      "directory of the socket /proc/none/there/s",
		"TOOLRESULT_ADDRESS=unix:///nonexistent/s ": "TOOLRESULT_ADDRESS",
	} {
		e := newFake(t).ensurer()
		e.Names = sidecar.FromEnvironment(strings.Fields(environ))
		e.Serves = func(context.Context, string) error { return errors.New("no connection") }
		if place, err := e.Ensure(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", environ, place, err)
		}
	}
}
