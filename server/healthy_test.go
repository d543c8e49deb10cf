package server_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/rpc"
)

// served serves a store until end is called, which waits for the end.
func served(t *testing.T, log *lines) (s *server.Server, store string, end func()) {
	t.Helper()
	c := config.Default(nil)
	store = filepath.Join(t.TempDir(), "store")
	c.Store, c.Volatile, c.DrainDelay = store, true, 0
	s, err := server.New(c, server.Options{Logger: slog.New(slog.NewTextHandler(log, nil)), Listener: rpc.ListenInProcess()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.Serve(ctx); err != nil {
			t.Error(err)
		}
	})
	end = sync.OnceFunc(func() { cancel(); done.Wait() })
	t.Cleanup(end)
	return s, store, end
}

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write writes b.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns what was written.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestEndInOrderIsNoFault asks a server before, while and after it ends in order: it is healthy, and then ending, at no time with a
// fault, and its log has none.
func TestEndInOrderIsNoFault(t *testing.T) {
	t.Parallel()
	log := &lines{}
	s, _, end := served(t, log)
	if err := s.Healthy(t.Context()); err != nil {
		t.Errorf("before: %v", err)
	}
	stop, asked := make(chan struct{}), make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			case asked <- struct{}{}: // somebody waits for it
			default:
			}
			if err := s.Healthy(t.Context()); err != nil && !errors.Is(err, server.ErrEnding) {
				t.Errorf("at its end: %v", err)
			}
		}
	})
	end()
	for range 3 { // and some more
		<-asked
	}
	close(stop)
	asking.Wait()
	if err := s.Healthy(t.Context()); !errors.Is(err, server.ErrEnding) {
		t.Errorf("after: %v", err)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log.String())
	}
}

// TestLostStoreIsAFault takes the store away: that is a fault until the server ends.
func TestLostStoreIsAFault(t *testing.T) {
	t.Parallel()
	s, store, end := served(t, &lines{})
	if err := os.Rename(store, store+"-2"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Healthy(t.Context()); err == nil || errors.Is(err, server.ErrEnding) {
			t.Errorf("%v", err)
		}
	}
	if err := os.Rename(store+"-2", store); err != nil {
		t.Fatal(err)
	}
	if err := s.Healthy(t.Context()); err == nil || errors.Is(err, server.ErrEnding) {
		t.Errorf("when it is back: %v", err)
	}
	end()
	if err := s.Healthy(t.Context()); !errors.Is(err, server.ErrEnding) {
		t.Errorf("after: %v", err)
	}
}
