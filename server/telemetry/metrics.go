package telemetry

import (
	"context"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/server/metrics"
)

var _ metrics.Reporter = (*Telemetry)(nil)

// labels are up to three pairs of a label and its value. They are comparable, so that the attributes of each are made once: an
// attribute set costs more than the measurement itself.
type labels [6]string

// attributes returns the option with the attributes of labels.
func (t *Telemetry) attributes(l labels) metric.MeasurementOption {
	if known, ok := t.known.Load(l); ok {
		if option, ok := known.(metric.MeasurementOption); ok {
			return option
		}
	}
	list := make([]attribute.KeyValue, 0, len(l)/2)
	for i := 0; i < len(l) && l[i] != ""; i += 2 {
		list = append(list, attribute.String(l[i], l[i+1]))
	}
	option := metric.WithAttributeSet(attribute.NewSet(list...))
	t.known.Store(l, option) // one for each series; their number has a bound
	return option
}

// count adds n to a counter. 0 is not counted: a series that is always 0 would say nothing.
func (t *Telemetry) count(name string, n int64, l labels) {
	if n > 0 {
		t.counters[name].Add(context.Background(), n, t.attributes(l))
	}
}

// took adds a duration to a histogram.
func (t *Telemetry) took(name string, d time.Duration, l labels) {
	t.histograms[name].Record(context.Background(), d.Seconds(), t.attributes(l))
}

// Values of the label outcome.
const (
	success = "success"
	failure = "error"
)

// outcome returns the value of the label outcome.
func outcome(failed bool) string {
	if failed {
		return failure
	}
	return success
}

// Call implements [metrics.Calls].
func (t *Telemetry) Call(method string, code codes.Code, elapsed time.Duration) {
	t.took(callDuration, elapsed, labels{labelMethod, strings.TrimPrefix(method, "/"), labelCode, code.String()})
}

// Projected implements [metrics.Results]. A truncated receipt is remembered, so that a later read of its artifacts is known.
func (t *Telemetry) Projected(ctx context.Context, p *metrics.Projected) {
	// A handful of additions for a call of milliseconds: BenchmarkReport has the time.
	elapsed, family, cut := time.Since(p.Began), labels{labelFamily, p.Family}, strconv.FormatBool(p.Truncated)
	t.count(projections, 1, labels{labelFamily, p.Family, labelOutcome, outcome(p.Failed), labelTruncated, cut})
	t.took(projectionDuration, elapsed, family)
	t.count(outputSize, p.Bytes, family)
	t.count(outputTokens, p.Tokens, family)
	t.count(receiptTokens, p.Receipt, family)
	for kind, c := range p.Cuts {
		l := labels{labelKind, t.kinds[kind]}
		t.count(cuts, c.Count, l)
		t.count(cutSize, c.Bytes, l)
	}
	t.countLines(&p.Kept, "true")
	t.countLines(&p.Left, "false")
	for kind, n := range p.Redactions {
		t.count(redactions, n, labels{labelKind, kind})
	}
	if p.Truncated {
		t.rereads.add(p.Family, p.Artifacts)
	}
	t.toolSpan(ctx, p)
}

// countLines counts lines by the reason that they matter for.
func (t *Telemetry) countLines(lines *preview.Counts, shown string) {
	for reason, n := range lines {
		if n > 0 {
			t.count(salientLines, n, labels{labelReason, t.reasons[pb.KeepReason(reason)], labelShown, shown})
		}
	}
}

// words returns the names of the values of an enum in the contract, as labels have them: lower case, without the prefix.
func words[E ~int32](names map[int32]string, prefix string) map[E]string {
	list := make(map[E]string, len(names))
	for value, name := range names {
		list[E(value)] = strings.ToLower(strings.TrimPrefix(name, prefix))
	}
	return list
}

// Compacted implements [metrics.Results].
func (t *Telemetry) Compacted(c metrics.Compacted) {
	t.count(compactions, 1, labels{})
	t.count(compactionResults, c.Changed, labels{labelChanged, "true"})
	t.count(compactionResults, c.Results-c.Changed, labels{labelChanged, "false"})
	t.count(compactionFreed, c.Before-c.After, labels{})
}

// Read implements [metrics.Stores].
func (t *Telemetry) Read(r metrics.Read) {
	receipt := "other" // the artifact is named by no truncated receipt that is remembered
	named, first := t.rereads.read(r.Artifact)
	if named {
		receipt = labelTruncated
	}
	t.count(artifactReads, 1, labels{labelSelection, r.Selection, labelReceipt, receipt})
	t.count(artifactReadSize, r.Bytes, labels{labelSelection, r.Selection})
	if first != "" {
		t.count(regretted, 1, labels{labelFamily, first})
	}
}

// Put implements [metrics.Stores].
func (t *Telemetry) Put(ctx context.Context, bytes int64, began time.Time, err error) {
	t.took(artifactPutDuration, time.Since(began), labels{labelOutcome, outcome(err != nil)})
	if err == nil {
		t.count(artifactPutSize, bytes, labels{})
	}
	t.span(ctx, "put", began, err, func() []attribute.KeyValue { return []attribute.KeyValue{keyBytes.Int64(bytes)} })
}

// Step implements [metrics.Calls].
func (t *Telemetry) Step(ctx context.Context, step string, began time.Time, err error) {
	t.took(stepDuration, time.Since(began), labels{labelStep, step, labelOutcome, outcome(err != nil)})
	t.span(ctx, step, began, err, nil)
}

// Commits implements [metrics.Stores].
func (t *Telemetry) Commits(store string, records int, waited, took time.Duration) {
	l := labels{labelStore, store}
	t.took(commitDuration, took, l)
	t.took(commitWait, waited, l)
	t.count(commitRecords, int64(records), l)
}
