package telemetry

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/metric"
)

// This file has the table of everything that is measured. A test compares it with docs/reference/observability.md, so
// that a measurement cannot be added without a line there.

// Kind says how an instrument adds up.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"   // only grows
	Gauge     Kind = "gauge"     // the current value
	Histogram Kind = "histogram" // of durations, in seconds
)

// Instrument is one row of the table: a measurement and its labels.
type Instrument struct {
	Name   string // of OpenTelemetry
	Kind   Kind
	Unit   string   // UCUM
	Labels []string // each of a closed set
	Help   string
}

// Prometheus is the name of the instrument there, without the _bucket, _sum and _count of a histogram.
func (i Instrument) Prometheus() string {
	name := strings.ReplaceAll(i.Name, ".", "_")
	switch i.Unit {
	case unitSeconds:
		name += "_seconds"
	case unitBytes:
		name += "_bytes"
	}
	if i.Kind == Counter {
		name += "_total"
	}
	return name
}

const (
	unitSeconds = "s"
	unitBytes   = "By"
)

// Names of instruments. Dashboards depend on them.
const (
	callDuration        = "toolresult.call.duration"
	projections         = "toolresult.projections"
	projectionDuration  = "toolresult.projection.duration"
	outputSize          = "toolresult.output.size"
	outputTokens        = "toolresult.output.tokens"
	receiptTokens       = "toolresult.receipt.tokens"
	cuts                = "toolresult.cuts"
	cutSize             = "toolresult.cut.size"
	salientLines        = "toolresult.salient.lines"
	redactions          = "toolresult.redactions"
	regretted           = "toolresult.receipts.regretted"
	artifactReads       = "toolresult.artifact.reads"
	artifactReadSize    = "toolresult.artifact.read.size"
	artifactPutDuration = "toolresult.artifact.put.duration"
	artifactPutSize     = "toolresult.artifact.put.size"
	compactions         = "toolresult.compactions"
	compactionResults   = "toolresult.compaction.results"
	compactionFreed     = "toolresult.compaction.freed.tokens"
	stepDuration        = "toolresult.step.duration"
	commitDuration      = "toolresult.commit.duration"
	commitWait          = "toolresult.commit.wait"
	commitRecords       = "toolresult.commit.records"
	exportFailures      = "toolresult.export.failures"

	serverHealthy     = "toolresult.healthy"
	queueLength       = "toolresult.queue.length"
	storeArtifacts    = "toolresult.store.artifacts"
	storeSize         = "toolresult.store.size"
	storeQuota        = "toolresult.store.quota"
	pendingArtifacts  = "toolresult.objectstore.pending.artifacts"
	pendingSize       = "toolresult.objectstore.pending.size"
	openCalls         = "toolresult.calls.open"
	inFlightSize      = "toolresult.inflight.size"
	inFlightLimit     = "toolresult.inflight.limit"
	openConnections   = "toolresult.connections.open"
	connectionsLimits = "toolresult.connections.limit"
)

// Labels. Each has values of a closed set, so that the number of series has a bound.
const (
	labelMethod    = "method"
	labelCode      = "code"
	labelFamily    = "family"
	labelOutcome   = "outcome"
	labelTruncated = "truncated"
	labelKind      = "kind"
	labelReason    = "reason"
	labelShown     = "shown"
	labelSelection = "selection"
	labelReceipt   = "receipt"
	labelChanged   = "changed"
	labelStep      = "step"
	labelStore     = "store"
	labelSignal    = "signal"
)

// Instruments is the table of everything that is measured, in the order of the documentation.
func Instruments() []Instrument {
	return []Instrument{
		{serverHealthy, Gauge, "{sidecar}", nil, "1: results can be made; 0: not until a new start (below); absent while it ends"},
		{callDuration, Histogram, unitSeconds, []string{labelMethod, labelCode}, "calls, by duration; an unknown method is \"unknown\""},
		{openCalls, Gauge, "{call}", []string{labelKind}, "calls in flight, unary and streams"},
		{openConnections, Gauge, "{connection}", nil, "open connections"},
		{connectionsLimits, Gauge, "{connection}", nil, "connections that may be open (`max_connections`)"},
		{inFlightSize, Gauge, unitBytes, nil, "memory that calls in flight have reserved"},
		{inFlightLimit, Gauge, unitBytes, nil, "limit of the work of calls in flight (`max_in_flight_bytes`)"},

		{projections, Counter, "{projection}", []string{labelFamily, labelOutcome, labelTruncated},
			"outputs projected and answered; outcome of the tool: success, error"},
		{projectionDuration, Histogram, unitSeconds, []string{labelFamily}, "projections, by duration, storing included"},
		{outputSize, Counter, unitBytes, []string{labelFamily}, "complete outputs: messages, streams and files"},
		{outputTokens, Counter, "{token}", []string{labelFamily}, "complete outputs, estimated (below)"},
		{receiptTokens, Counter, "{token}", []string{labelFamily}, "receipts, in the vocabulary of the policy"},
		{cuts, Counter, "{cut}", []string{labelKind}, "entries of ledgers"},
		{cutSize, Counter, unitBytes, []string{labelKind}, "bytes omitted by cuts"},
		{salientLines, Counter, "{line}", []string{labelReason, labelShown}, "lines that matter by themselves, where lines were chosen (below)"},
		{redactions, Counter, "{redaction}", []string{labelKind}, "secrets replaced; `registered`: values of callers"},

		{artifactReads, Counter, "{read}", []string{labelSelection, labelReceipt}, "pages read of artifacts that a truncated receipt names, or others"},
		{artifactReadSize, Counter, unitBytes, []string{labelSelection}, "bytes read of artifacts"},
		{regretted, Counter, "{receipt}", []string{labelFamily}, "truncated receipts of which something was read later, each once"},

		{artifactPutDuration, Histogram, unitSeconds, []string{labelOutcome}, "artifacts put by projections and compactions, by the time until they were durable and in the catalog"},
		{artifactPutSize, Counter, unitBytes, nil, "artifacts put, duplicates included"},
		{storeArtifacts, Gauge, "{artifact}", nil, "artifacts in the catalog"},
		{storeSize, Gauge, unitBytes, nil, "size of all artifacts"},
		{storeQuota, Gauge, unitBytes, nil, "limit of that size (`store_quota`); 0: the disk"},
		{pendingArtifacts, Gauge, "{artifact}", nil, "artifacts not yet in the object store; absent without one"},
		{pendingSize, Gauge, unitBytes, nil, "size of these"},

		{commitDuration, Histogram, unitSeconds, []string{labelStore}, "commits with their sync, by duration"},
		{commitWait, Histogram, unitSeconds, []string{labelStore}, "wait of the first record of each commit"},
		{commitRecords, Counter, "{record}", []string{labelStore}, "records made durable"},
		{queueLength, Gauge, "{record}", []string{labelStore}, "records waiting to be durable, or to be in their database"},
		{stepDuration, Histogram, unitSeconds, []string{labelStep, labelOutcome}, "further steps of calls, by duration"},

		{compactions, Counter, "{compaction}", nil, "compactions, without dry runs"},
		{compactionResults, Counter, "{result}", []string{labelChanged}, "results compacted, changed or not"},
		{compactionFreed, Counter, "{token}", nil, "tokens freed by compaction"},

		{exportFailures, Counter, "{export}", []string{labelSignal}, "exports that failed; their data is lost"},
	}
}

// instruments are the instruments of one meter, by name.
type instruments struct {
	counters   map[string]metric.Int64Counter
	histograms map[string]metric.Float64Histogram
	gauges     map[string]metric.Int64ObservableGauge
}

// seconds returns the bounds of the buckets of every histogram, in seconds: from the time of a call that stores nothing (a
// quarter of a millisecond) to the default deadline. All histograms share them, so that steps can be compared with calls.
func seconds() []float64 {
	return []float64{0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
}

// newInstruments makes all instruments of the table.
func newInstruments(m metric.Meter) (*instruments, error) {
	made := &instruments{
		counters:   map[string]metric.Int64Counter{},
		histograms: map[string]metric.Float64Histogram{},
		gauges:     map[string]metric.Int64ObservableGauge{},
	}
	for _, i := range Instruments() {
		var err error
		switch help, unit := metric.WithDescription(i.Help), metric.WithUnit(i.Unit); i.Kind {
		case Counter:
			made.counters[i.Name], err = m.Int64Counter(i.Name, help, unit)
		case Histogram:
			made.histograms[i.Name], err = m.Float64Histogram(i.Name, help, unit, metric.WithExplicitBucketBoundaries(seconds()...))
		case Gauge:
			made.gauges[i.Name], err = m.Int64ObservableGauge(i.Name, help, unit)
		}
		if err != nil {
			return nil, fmt.Errorf("instrument %s: %w", i.Name, err)
		}
	}
	return made, nil
}
