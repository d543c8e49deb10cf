package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Bounds of exports. An export that the collector does not take is tried again for a while, and then given up;
// meanwhile spans wait in a queue, and those that do not fit into it are dropped. A collector that is restarted within 20 s
// loses nothing.
const (
	exportTimeout = 10 * time.Second // of one try
	exportRetries = 20 * time.Second // of all of them
	firstRetry    = time.Second
	longestRetry  = 5 * time.Second
	maxSpans      = 2048 // that wait
	spanBatch     = 512
	spanDelay     = 5 * time.Second // until a span is sent, at the latest
	complaints    = 5 * time.Minute // between two lines of the log about a failure
)

// newSpanExporter returns an exporter that connects when there is something to be sent.
func (t *Telemetry) newSpanExporter(endpoint string) (trace.SpanExporter, error) {
	made, err := otlptracegrpc.New(context.Background(), otlptracegrpc.WithEndpointURL(endpoint),
		otlptracegrpc.WithTimeout(exportTimeout), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: longestRetry, MaxElapsedTime: exportRetries,
		}))
	if err != nil {
		return nil, err
	}
	return bestEffortSpans{checked{made}, t.failures(signalTraces)}, nil
}

// newMetricExporter returns an exporter that connects when there is something to be sent.
func (t *Telemetry) newMetricExporter(endpoint string) (metric.Exporter, error) {
	made, err := otlpmetricgrpc.New(context.Background(), otlpmetricgrpc.WithEndpointURL(endpoint),
		otlpmetricgrpc.WithTimeout(exportTimeout), otlpmetricgrpc.WithRetry(otlpmetricgrpc.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: longestRetry, MaxElapsedTime: exportRetries,
		}))
	if err != nil {
		return nil, err
	}
	return bestEffortMetrics{made, t.failures(signalMetrics)}, nil
}

// Signals.
const (
	signalTraces  = "traces"
	signalMetrics = "metrics"
)

// failures returns a callback that counts the exports of a signal that the collector did not take. It logs the first failure,
// and later ones at most once in a while: a collector that is down would otherwise fill the log.
func (t *Telemetry) failures(signal string) func(error) {
	var mu sync.Mutex
	var last time.Time
	return func(err error) {
		t.count(exportFailures, 1, labels{labelSignal, signal})
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); last.IsZero() || now.Sub(last) >= complaints {
			last = now
			t.logger.Warn("the collector does not take what it is sent", "signal", signal, "error", err)
		}
	}
}

// bestEffortSpans is an exporter that reports its failures to a callback and returns none: the library would write them to the
// standard error, each time.
type bestEffortSpans struct {
	trace.SpanExporter
	failed func(error)
}

// ExportSpans exports spans. It never fails.
func (f bestEffortSpans) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if err := f.SpanExporter.ExportSpans(ctx, spans); err != nil {
		f.failed(err)
	}
	return nil
}

// bestEffortMetrics does the same for metrics.
type bestEffortMetrics struct {
	metric.Exporter
	failed func(error)
}

// Export exports metrics. It never fails.
func (f bestEffortMetrics) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	if err := f.Exporter.Export(ctx, data); err != nil {
		f.failed(err)
	}
	return nil
}
