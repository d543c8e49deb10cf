// Package profiling serves profiles of a running sidecar: where it spends time and memory, and what its goroutines wait for. It is
// off unless the configuration turns it on, and then it is on a Unix socket of its own, which only the sidecar's user can open.
//
// The profiles are those of net/http/pprof. That package also registers them with http.DefaultServeMux, which nothing here serves.
package profiling

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/toolresult/toolresult/server/rpc"
)

// Bounds of the endpoint.
const (
	maxConnections = 4
	readTimeout    = 5 * time.Second // of a request
	maxTime        = 5 * time.Minute // that a profile is taken for
)

// Endpoint serves profiles. It is nil when none are served.
type Endpoint struct {
	server *http.Server
	lock   io.Closer
	done   chan struct{} // closed when nothing is served any more
}

// Start binds a socket and serves profiles at it; it returns nil when the path is empty.
//
// Errors: those of binding a socket.
func Start(path string, logger *slog.Logger) (*Endpoint, error) {
	if path == "" {
		return nil, nil
	}
	socket, err := rpc.ListenUnix(path)
	if err != nil {
		return nil, fmt.Errorf("pprof: %w", err)
	}
	e := &Endpoint{lock: socket.Lock, done: make(chan struct{})}
	e.server = &http.Server{
		Handler: handler(), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: maxTime + time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	logger.Info("serving profiles", "socket", path)
	go e.serve(netutil.LimitListener(socket, maxConnections), logger)
	return e, nil
}

// serve serves until Close.
func (e *Endpoint) serve(l net.Listener, logger *slog.Logger) {
	defer close(e.done)
	if err := e.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		logger.Error("profiles are not served any more", "error", err)
	}
}

// Close ends the endpoint, with the profiles that are being taken, and removes the socket. e may be nil.
func (e *Endpoint) Close() error {
	if e == nil {
		return nil
	}
	err := e.server.Close()
	<-e.done
	return errors.Join(err, e.lock.Close())
}

// handler returns what serves the profiles of net/http/pprof.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/block", block)
	mux.HandleFunc("GET /debug/pprof/mutex", mutex)
	return bounded(mux)
}

// bounded rejects a profile that would take longer than maxTime, as net/http/pprof does not.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.URL.Query().Get("seconds")
		if seconds, err := strconv.ParseFloat(text, 64); text != "" && (err != nil || !(seconds > 0 && seconds <= maxTime.Seconds())) {
			http.Error(w, fmt.Sprintf("seconds: a number from 1 to %.0f", maxTime.Seconds()), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// locks is held while a profile of locks is taken: its rate is that of the process. They cost too much to be taken always.
var locks sync.Mutex

// block serves the profile of goroutines that wait, taken while it is asked for alone.
func block(w http.ResponseWriter, r *http.Request) {
	ofLocks(w, r, "block", runtime.SetBlockProfileRate)
}

// mutex serves the profile of locks that others wait for, likewise.
func mutex(w http.ResponseWriter, r *http.Request) {
	ofLocks(w, r, "mutex", func(rate int) { runtime.SetMutexProfileFraction(rate) })
}

// ofLocks serves a profile whose rate is 0 before and after. A second one at the same time is rejected as net/http/pprof does that.
func ofLocks(w http.ResponseWriter, r *http.Request, name string, setRate func(int)) {
	if !locks.TryLock() {
		http.Error(w, "a profile of locks is being taken", http.StatusInternalServerError)
		return
	}
	defer locks.Unlock()
	setRate(1)
	defer setRate(0)
	pprof.Handler(name).ServeHTTP(w, r)
}
