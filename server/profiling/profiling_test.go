package profiling

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/server/rpc"
)

// TestEndpointIsPrivateAndEnds starts an endpoint, once, and closes it.
func TestEndpointIsPrivateAndEnds(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	dir, err := os.MkdirTemp("", "tr") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s.pprof")
	off, err := Start("", logger)
	if off != nil || err != nil || off.Close() != nil {
		t.Fatalf("without being asked for: %v, %v", off, err)
	}
	e, err := Start(path, logger)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if second, err := Start(path, logger); second != nil || !errors.Is(err, rpc.ErrSocketInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// get returns the answer to a request.
func get(t *testing.T, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	serveProfile(w, httptest.NewRequestWithContext(t.Context(), method, target, nil))
	return w
}

func TestOnlyProfilesAreServed(t *testing.T) {
	for target, want := range map[string]int{
		root: 200, root + "heap": 200, root + "none": 404, "/": 404, "/debug/pprof": 404, root + "heap?debug=x": 400, root + "heap?seconds=-1": 400,
		root + "profile?seconds=1e9": 400, root + "trace?seconds=NaN": 400, root + "cmdline": 200,
	} {
		if w := get(t, http.MethodGet, target); w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	if w := get(t, http.MethodPost, root+"heap"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET" {
		t.Errorf("POST: %d", w.Code)
	}
	if text := get(t, http.MethodGet, root).Body.String(); !strings.Contains(text, root+"goroutine\t") || !strings.Contains(text, root+"profile?seconds=30\n") {
		t.Errorf("the list is %q", text)
	}
}

// Two cannot profile the processor at once: the second one gets an error. The rates of locks are as before.
func TestProfilesTakeTurns(t *testing.T) {
	before := runtime.SetMutexProfileFraction(-1)
	var all sync.WaitGroup
	var first *httptest.ResponseRecorder
	all.Go(func() { first = get(t, http.MethodGet, root+"profile?seconds=0.5") })
	time.Sleep(100 * time.Millisecond)
	if w := get(t, http.MethodGet, root+"profile?seconds=0.1"); w.Code != http.StatusConflict {
		t.Errorf("the second: %d", w.Code)
	}
	all.Wait()
	if first.Code != http.StatusOK || first.Body.Len() == 0 {
		t.Errorf("the first: %d", first.Code)
	}
	get(t, http.MethodGet, root+"mutex?seconds=0.01")
	if after := runtime.SetMutexProfileFraction(-1); after != before {
		t.Errorf("the rate was %d, and is %d", before, after)
	}
}
