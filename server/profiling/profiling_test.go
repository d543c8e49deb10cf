package profiling

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"testing"

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

// endpoint returns a client of profiles that are served as Start serves them.
func endpoint(t *testing.T) *http.Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.pprof")
	e, err := Start(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := errors.Join(e.Close(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	return &http.Client{Transport: transport}
}

// ask returns the answer to a request.
func ask(t *testing.T, c *http.Client, method, path string) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestOnlyProfilesAreServed(t *testing.T) {
	c := endpoint(t)
	for path, want := range map[string]int{
		"/debug/pprof/": 200, "/debug/pprof/heap": 200, "/debug/pprof/none": 404, "/": 404, "/debug/": 404, "/debug/pprof/heap?seconds=-1": 400,
		"/debug/pprof/profile?seconds=301": 400, "/debug/pprof/trace?seconds=301": 400, "/debug/pprof/block?seconds=301": 400, "/debug/pprof/cmdline": 200,
	} {
		if code, body := ask(t, c, http.MethodGet, path); code != want {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, body := ask(t, c, http.MethodPost, "/debug/pprof/heap"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d %s", code, body)
	}
}

// TestProfilesTakeTurns asks for profiles while another one is taken that the process can take one at a time: they are rejected.
// The rate of locks is 0 again, and the next ones are taken.
func TestProfilesTakeTurns(t *testing.T) {
	c := endpoint(t)
	want := func(code int, names ...string) {
		t.Helper()
		for _, name := range names {
			if got, body := ask(t, c, http.MethodGet, "/debug/pprof/"+name); got != code || body == "" {
				t.Errorf("%s: %d %s", name, got, body)
			}
		}
	}
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	want(http.StatusInternalServerError, "profile?seconds=1")
	pprof.StopCPUProfile()
	first := httptest.NewRecorder()
	ofLocks(first, httptest.NewRequest(http.MethodGet, "/", nil), "mutex", func(rate int) {
		if rate > 0 {
			want(http.StatusInternalServerError, "mutex", "block")
		}
		runtime.SetMutexProfileFraction(rate)
	})
	if first.Code != http.StatusOK {
		t.Errorf("the first one: %d", first.Code)
	}
	want(http.StatusOK, "profile?seconds=1", "mutex", "block")
	if after := runtime.SetMutexProfileFraction(-1); after != 0 {
		t.Errorf("the rate is %d", after)
	}
}
