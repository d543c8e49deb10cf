package telemetry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	tracing "go.opentelemetry.io/otel/trace"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// flushTimeout bounds the time in which the last measurements are sent when the sidecar ends. A collector that does not answer
// must not keep a service manager waiting.
const flushTimeout = 3 * time.Second

// scope is the instrumentation scope of OpenTelemetry.
const scope = "github.com/toolresult/toolresult"

// Options configure telemetry beside the configuration of the server.
type Options struct {
	Logger  *slog.Logger // required
	Version string       // of the build
}

// Telemetry measures one sidecar. It is the [metrics.Reporter] of a server. Safe for concurrent use.
type Telemetry struct {
	*instruments
	logger   *slog.Logger
	meter    api.Meter
	tracer   tracing.Tracer        // nil when no call is traced
	metrics  *metric.MeterProvider // of both ways: scraped and pushed
	traces   *trace.TracerProvider // nil when no call is traced
	endpoint *endpoint             // nil when metrics are not served
	rereads  *rereadTracker
	kinds    map[pb.CutKind]string    // labels of cuts
	reasons  map[pb.KeepReason]string // labels of lines
	known    sync.Map                 // metric.MeasurementOption by labels
	spans    trace.SpanExporter       // nil when no call is traced
}

// Start starts the exporters that the configuration names; it returns nil for none. Close it after the server.
//
// Errors: those of a configuration that is not valid, and those of binding the address. A collector that does not answer is no
// error: it may start later.
func Start(c config.Config, o Options) (*Telemetry, error) {
	if err := config.Validate(c); err != nil {
		return nil, err
	}
	if c.Metrics == "" && c.OTLPEndpoint == "" {
		return nil, nil
	}
	t := &Telemetry{
		logger: o.Logger, rereads: newRereadTracker(maxReceipts),
		kinds: words[pb.CutKind](pb.CutKind_name, "CUT_KIND_"), reasons: words[pb.KeepReason](pb.KeepReason_name, "KEEP_REASON_"),
	}
	if err := t.start(c, o.Version); err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: %w", err), t.Close())
	}
	return t, nil
}

// start binds the endpoint first, because that is what fails most.
func (t *Telemetry) start(c config.Config, version string) error {
	who, err := resourceOf(version)
	if err != nil {
		return err
	}
	var scrapes net.Listener
	if c.Metrics != "" {
		if scrapes, err = net.Listen("tcp", c.Metrics); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	if err := t.measure(c, who, version, scrapes); err != nil {
		return closing(scrapes, err)
	}
	return nil
}

// closing closes a listener that will not be served, if there is one.
func closing(l net.Listener, why error) error {
	if l == nil {
		return why
	}
	return errors.Join(why, l.Close())
}

// measure makes the instruments and their exporters, and serves the endpoint last, when everything that it shows is there.
func (t *Telemetry) measure(c config.Config, who *resource.Resource, version string, scrapes net.Listener) (err error) {
	// Exemplars would attach ids of traces to every histogram, and cost more than the measurement.
	options := []metric.Option{metric.WithResource(who), metric.WithExemplarFilter(exemplar.AlwaysOffFilter)}
	var registry *prometheus.Registry
	if scrapes != nil {
		reader, made, err := newPrometheus()
		if err != nil {
			return err
		}
		registry, options = made, append(options, metric.WithReader(reader))
	}
	if c.OTLPEndpoint != "" {
		e, err := t.newMetricExporter(c.OTLPEndpoint)
		if err != nil {
			return err
		}
		options = append(options, metric.WithReader(metric.NewPeriodicReader(e)))
	}
	t.metrics = metric.NewMeterProvider(options...)
	t.meter = t.metrics.Meter(scope, api.WithInstrumentationVersion(version))
	if t.instruments, err = newInstruments(t.meter); err != nil {
		return err
	}
	if c.OTLPEndpoint != "" {
		if err := t.trace(c, who, version); err != nil {
			return err
		}
	}
	if scrapes != nil {
		t.endpoint = serve(scrapes, registry, t.logger)
	}
	return nil
}

// trace begins to trace calls. OTEL_TRACES_SAMPLER selects those that are traced; without it a
// caller's own traceparent decides, and calls without one are traced.
func (t *Telemetry) trace(c config.Config, who *resource.Resource, version string) error {
	e, err := t.newSpanExporter(c.OTLPEndpoint)
	if err != nil {
		return err
	}
	t.spans = e
	t.traces = trace.NewTracerProvider(trace.WithResource(who),
		trace.WithBatcher(e, trace.WithMaxQueueSize(maxSpans), trace.WithMaxExportBatchSize(spanBatch),
			trace.WithBatchTimeout(spanDelay), trace.WithExportTimeout(exportRetries)))
	t.tracer = t.traces.Tracer(scope, tracing.WithInstrumentationVersion(version))
	return nil
}

// resourceOf returns the resource that all metrics and spans name: service, version, process. The variables OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES are stronger, as the specification of OpenTelemetry has it.
func resourceOf(version string) (*resource.Resource, error) {
	return resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "toolresult"), attribute.String("service.version", version),
		attribute.String("service.instance.id", rand.Text()), // it tells processes apart, and names no machine
	), resource.WithFromEnv())
}

// URL returns the address at which metrics can be scraped; "" when they are not served.
func (t *Telemetry) URL() string {
	if t.endpoint == nil {
		return ""
	}
	return "http://" + t.endpoint.listener.Addr().String() + metricsPath
}

// Close sends the last measurements, within a bound, and ends everything. It may be called once.
func (t *Telemetry) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	var ends []func(context.Context) error // they run at the same time, so that a slow one takes no time from the others
	if t.endpoint != nil {
		ends = append(ends, t.endpoint.close)
	}
	if t.traces != nil {
		ends = append(ends, t.traces.Shutdown)
	}
	if t.metrics != nil {
		ends = append(ends, t.metrics.Shutdown)
	}
	errs := make([]error, len(ends))
	var all sync.WaitGroup
	for i, end := range ends {
		all.Go(func() { errs[i] = end(ctx) })
	}
	all.Wait()
	if ctx.Err() != nil { // a collector that is not there is no failure of ours
		t.logger.Warn("what was measured last was not sent")
		if t.spans != nil {
			_ = t.spans.Shutdown(ctx) // it ends the export that is running
		}
		return nil
	}
	return errors.Join(errs...)
}
