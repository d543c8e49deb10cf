// Package profiling serves profiles of a running sidecar: where it spends time and memory, and what its goroutines wait for. It is
// off unless the configuration turns it on, and then it is on a Unix socket of its own, which only the sidecar's user can open.
//
// It is in the place of net/http/pprof, whose page is a template of html/template, which makes the binary 6 MB larger, and which
// registers itself with the server of the whole process. Paths and parameters are the same, so that `go tool pprof` reads what
// curl fetches.
package profiling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/toolresult/toolresult/server/rpc"
)

// Bounds of the endpoint.
const (
	maxConnections = 4
	readTimeout    = 5 * time.Second // of a request
	maxTime        = 5 * time.Minute // that a profile is taken for
	defaultTime    = 30 * time.Second
)

// root begins every path.
const root = "/debug/pprof/"

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
		return nil, nil //nolint:nilnil // documented
	}
	socket, err := rpc.ListenUnix(path)
	if err != nil {
		return nil, fmt.Errorf("pprof: %w", err)
	}
	e := &Endpoint{lock: socket.Lock, done: make(chan struct{})}
	e.server = &http.Server{
		Handler: http.HandlerFunc(serveProfile), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: maxTime + time.Minute,
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

// serveProfile serves one profile. Paths are compared here, because http.ServeMux is as large as all of this.
func serveProfile(w http.ResponseWriter, r *http.Request) {
	name, found := strings.CutPrefix(r.URL.Path, root)
	switch {
	case !found:
		http.NotFound(w, r)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	case name == "":
		index(w)
	case name == "cmdline":
		cmdline(w)
	case name == "profile":
		record(w, r, defaultTime, pprof.StartCPUProfile, pprof.StopCPUProfile)
	case name == "trace":
		record(w, r, time.Second, trace.Start, trace.Stop)
	default:
		named(w, r, name)
	}
}

// index lists the profiles, one a line.
func index(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for _, p := range pprof.Profiles() {
		_, _ = fmt.Fprintf(w, "%s%s\t%d\n", root, p.Name(), p.Count()) // the client has gone
	}
	_, _ = fmt.Fprintf(w, "%[1]sprofile?seconds=30\n%[1]strace?seconds=1\n%[1]scmdline\n", root)
}

// cmdline writes the command line, its words ended by zero bytes.
func cmdline(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, strings.Join(os.Args, "\x00"))
}

// record writes what is recorded between a start and a stop. Only one can be recorded at a time in a process.
func record(w http.ResponseWriter, r *http.Request, usual time.Duration, start func(io.Writer) error, stop func()) {
	d, err := duration(r, usual)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := start(w); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	wait(r.Context(), d)
	stop()
}

// named writes one of the profiles that the runtime keeps. With seconds, those of locks are taken for so long: they cost too much to
// be taken always.
func named(w http.ResponseWriter, r *http.Request, name string) {
	p := pprof.Lookup(name)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	d, err := duration(r, 0)
	debug, wrong := number(r, "debug", 0)
	if err = errors.Join(err, wrong); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch p.Name() {
	case "heap":
		if r.URL.Query().Get("gc") != "" && r.URL.Query().Get("gc") != "0" {
			runtime.GC()
		}
	case "block":
		runtime.SetBlockProfileRate(1)
		defer runtime.SetBlockProfileRate(0)
	case "mutex":
		defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	}
	wait(r.Context(), d)
	w.Header().Set("Content-Type", "application/octet-stream")
	if debug > 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	_ = p.WriteTo(w, debug) // the client has gone
}

// duration returns the parameter seconds, which may have a fraction.
func duration(r *http.Request, usual time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get("seconds")
	if text == "" {
		return usual, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxTime.Seconds()) {
		return 0, fmt.Errorf("seconds: a number of at most %.0f", maxTime.Seconds())
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// number returns a parameter that is a number from 0 on.
func number(r *http.Request, name string, usual int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: a number", name)
	}
	return n, nil
}

// wait waits, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
