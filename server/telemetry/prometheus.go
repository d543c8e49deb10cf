package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"golang.org/x/net/netutil"
)

// Bounds of the endpoint. It has no authentication, so a process of the machine that abuses it must not cost much.
const (
	maxScrapes      = 4                // at the same time; others are answered 503
	maxScrapers     = 16               // connections
	scrapeTimeout   = 10 * time.Second // of gathering
	scrapeHeaders   = 5 * time.Second  // of reading a request
	scrapeIdle      = 2 * time.Minute  // between two requests; Prometheus scrapes every 15 s to 1 min
	scrapeHeadBytes = 16 << 10         // of a request
)

// metricsPath is the only path that is served.
const metricsPath = "/metrics"

// endpoint serves metrics to Prometheus.
type endpoint struct {
	listener net.Listener
	server   *http.Server
	done     chan struct{} // closed when nothing is served any more
}

// translation names metrics as Prometheus has always had them: letters, digits and underscores, and the unit at the end.
const translation = "UnderscoreEscapingWithSuffixes"

// newPrometheus returns a reader for a meter, and the registry from which its metrics are scraped. Those of the Go runtime and of
// the process are in it too.
func newPrometheus() (metric.Reader, *prometheus.Registry, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := registry.Register(c); err != nil {
			return nil, nil, err
		}
	}
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(),
		exporter.WithTranslationStrategy(translation))
	return reader, registry, err
}

// serve serves the registry until close.
func serve(l net.Listener, registry *prometheus.Registry, logger *slog.Logger) *endpoint {
	// A scraper that disconnects is no news: errors of requests are for debugging alone.
	quiet := slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
	scrape := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: quiet, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout,
	})
	e := &endpoint{listener: netutil.LimitListener(l, maxScrapers), done: make(chan struct{})}
	e.server = &http.Server{
		Handler: onlyMetrics(scrape), ErrorLog: quiet,
		ReadHeaderTimeout: scrapeHeaders, ReadTimeout: scrapeHeaders, WriteTimeout: 2 * scrapeTimeout, IdleTimeout: scrapeIdle,
		MaxHeaderBytes: scrapeHeadBytes,
	}
	go func() {
		defer close(e.done)
		if err := e.server.Serve(e.listener); !errors.Is(err, http.ErrServerClosed) {
			logger.Error("metrics are not served any more", "error", err)
		}
	}()
	return e
}

// onlyMetrics serves one path, to clients that name this machine by its loopback address. A page in a browser with a name of its
// own for that address (DNS rebinding) is rejected.
func onlyMetrics(scrape http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLoopback(r.Host):
			http.Error(w, "call the loopback address", http.StatusForbidden)
		case r.URL.Path != metricsPath:
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET", http.StatusMethodNotAllowed)
		default:
			scrape.ServeHTTP(w, r)
		}
	})
}

// isLoopback reports whether the host of a request, with or without a port, is an address of loopback or localhost.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback() || host == "localhost"
}

// close ends the endpoint. A scrape that is being answered may end by itself, until ctx is done.
func (e *endpoint) close(ctx context.Context) error {
	err := e.server.Shutdown(ctx)
	if err != nil {
		err = e.server.Close()
	}
	<-e.done
	return err
}
