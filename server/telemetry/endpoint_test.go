package telemetry

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/metrics"
)

// scraped returns telemetry that is scraped, closed with the test.
func scraped(t *testing.T) *Telemetry {
	t.Helper()
	c := config.Default(nil)
	c.Metrics = "127.0.0.1:0"
	made, err := Start(c, Options{Logger: slog.New(slog.DiscardHandler), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := made.Close(); err != nil {
			t.Error(err)
		}
	})
	return made
}

// samples scrapes telemetry, and returns its own lines.
func samples(t *testing.T, made *Telemetry) map[string]string {
	t.Helper()
	resp, err := http.Get(made.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", resp.Status, err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if i := strings.LastIndexByte(line, ' '); strings.HasPrefix(line, "toolresult_") {
			list[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return list
}

// TestEveryReportIsScraped reports one thing of each kind, and reads all series that follow.
func TestEveryReportIsScraped(t *testing.T) {
	made := scraped(t)
	ctx := t.Context()
	p := &metrics.Projected{
		Began: time.Now().Add(-time.Minute), Family: "command", Failed: true, Bytes: 4096, Tokens: 1000, Receipt: 300, Truncated: true,
		Cuts:       map[pb.CutKind]metrics.Cuts{pb.CutKind_CUT_KIND_LONG_LINE: {Count: 2, Bytes: 3000}},
		Redactions: map[string]int64{"registered": 5}, Artifacts: []string{"0123456789ab"},
	}
	p.Kept[shape.KeepError], p.Left[shape.KeepWarning] = 3, 4
	made.Projected(ctx, p)
	made.Projected(ctx, &metrics.Projected{Began: time.Now(), Family: "text"})
	made.Call("/toolresult.v1.ToolResultService/Project", codes.NotFound, 2*time.Millisecond)
	made.Read(metrics.Read{Selection: "tail", Bytes: 70, Artifact: "0123456789ab"})
	made.Read(metrics.Read{Selection: "tail", Bytes: 7, Artifact: "0123456789ab"})
	made.Read(metrics.Read{Selection: "whole", Bytes: 0, Artifact: "other"})
	made.Put(ctx, 10, time.Now().Add(-time.Minute), nil)
	made.Put(ctx, 99, time.Now(), errors.New("full"))
	made.Step(ctx, "audit", time.Now().Add(-time.Minute), nil)
	made.Commits("journal", 3, 2*time.Second, time.Minute)
	made.Compacted(metrics.Compacted{Results: 5, Changed: 2, Before: 100, After: 40})
	state := server.State{
		Artifacts: 1, ArtifactBytes: 2, QuotaBytes: 3, InFlightBytes: 4, MaxInFlight: 5, Connections: 6, MaxConnections: 7, OpenUnary: 8, OpenStreams: 9,
		Waiting: map[string]int64{"audit": 10}, PendingArtifacts: 11, PendingBytes: 12,
	}
	if err := made.Watch(func() server.State { return state }, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	got := samples(t, made)
	for series, want := range map[string]string{
		`toolresult_projections_total{family="command",outcome="error",truncated="true"}`:                                       "1",
		`toolresult_projections_total{family="text",outcome="success",truncated="false"}`:                                       "1",
		`toolresult_projection_duration_seconds_bucket{family="command",le="30"}`:                                               "0",
		`toolresult_projection_duration_seconds_bucket{family="text",le="30"}`:                                                  "1",
		`toolresult_output_size_bytes_total{family="command"}`:                                                                  "4096",
		`toolresult_output_tokens_total{family="command"}`:                                                                      "1000",
		`toolresult_receipt_tokens_total{family="command"}`:                                                                     "300",
		`toolresult_cuts_total{kind="long_line"}`:                                                                               "2",
		`toolresult_cut_size_bytes_total{kind="long_line"}`:                                                                     "3000",
		`toolresult_salient_lines_total{reason="error",shown="true"}`:                                                           "3",
		`toolresult_salient_lines_total{reason="warning",shown="false"}`:                                                        "4",
		`toolresult_redactions_total{kind="registered"}`:                                                                        "5",
		`toolresult_artifact_reads_total{receipt="truncated",selection="tail"}`:                                                 "2",
		`toolresult_artifact_reads_total{receipt="other",selection="whole"}`:                                                    "1",
		`toolresult_artifact_read_size_bytes_total{selection="tail"}`:                                                           "77",
		`toolresult_artifact_read_size_bytes_total{selection="whole"}`:                                                          "", // of 0 there is no series
		`toolresult_receipts_regretted_total{family="command"}`:                                                                 "1",
		`toolresult_artifact_put_duration_seconds_bucket{outcome="success",le="30"}`:                                            "0",
		`toolresult_artifact_put_duration_seconds_count{outcome="error"}`:                                                       "1",
		`toolresult_artifact_put_size_bytes_total`:                                                                              "10",
		`toolresult_step_duration_seconds_bucket{outcome="success",step="audit",le="30"}`:                                       "0",
		`toolresult_commit_records_total{store="journal"}`:                                                                      "3",
		`toolresult_commit_wait_seconds_sum{store="journal"}`:                                                                   "2",
		`toolresult_commit_duration_seconds_sum{store="journal"}`:                                                               "60",
		`toolresult_compactions_total`:                                                                                          "1",
		`toolresult_compaction_results_total{changed="true"}`:                                                                   "2",
		`toolresult_compaction_results_total{changed="false"}`:                                                                  "3",
		`toolresult_compaction_freed_tokens_total`:                                                                              "60",
		`toolresult_store_artifacts`:                                                                                            "1",
		`toolresult_store_size_bytes`:                                                                                           "2",
		`toolresult_store_quota_bytes`:                                                                                          "3",
		`toolresult_inflight_size_bytes`:                                                                                        "4",
		`toolresult_inflight_limit_bytes`:                                                                                       "5",
		`toolresult_connections_open`:                                                                                           "6",
		`toolresult_connections_limit`:                                                                                          "7",
		`toolresult_calls_open{kind="unary"}`:                                                                                   "8",
		`toolresult_calls_open{kind="stream"}`:                                                                                  "9",
		`toolresult_queue_length{store="audit"}`:                                                                                "10",
		`toolresult_objectstore_pending_artifacts`:                                                                              "", // without an object store
		`toolresult_objectstore_pending_size_bytes`:                                                                             "",
		`toolresult_call_duration_seconds_bucket{code="NotFound",method="toolresult.v1.ToolResultService/Project",le="0.0025"}`: "1",
		`toolresult_call_duration_seconds_bucket{code="NotFound",method="toolresult.v1.ToolResultService/Project",le="0.001"}`:  "0",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %q", series, got[series], want)
		}
	}
	state.ObjectStore = true
	if got := samples(t, made); got["toolresult_objectstore_pending_artifacts"] != "11" || got["toolresult_objectstore_pending_size_bytes"] != "12" {
		t.Errorf("with an object store: %q", got)
	}
}

// TestEndpointServesOneThing has requests of other hosts, paths and methods.
func TestEndpointServesOneThing(t *testing.T) {
	handler := onlyMetrics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, c := range []struct {
		method, host, path string
		want               int
	}{
		{"GET", "127.0.0.1:9090", "/metrics", 418}, {"HEAD", "localhost:9090", "/metrics", 418}, {"GET", "localhost", "/metrics", 418},
		{"GET", "[::1]:9090", "/metrics", 418}, {"GET", "[::1]", "/metrics", 418}, {"GET", "127.9.9.9", "/metrics", 418},
		{"GET", "evil.example:9090", "/metrics", 403}, {"GET", "10.0.0.1", "/metrics", 403}, {"GET", "", "/metrics", 403}, {"GET", "localhost.evil", "/", 403},
		{"GET", "127.0.0.1", "/", 404}, {"GET", "127.0.0.1", "/metrics/", 404}, {"POST", "127.0.0.1", "/metrics", 405}, {"DELETE", "127.0.0.1", "/metrics", 405},
	} {
		r, w := httptest.NewRequest(c.method, c.path, nil), httptest.NewRecorder()
		r.Host = c.host
		handler.ServeHTTP(w, r)
		if w.Code != c.want || (c.want == http.StatusMethodNotAllowed) != (w.Header().Get("Allow") == "GET, HEAD") {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

// TestEndpointEnds closes an endpoint while a client is connected and has not sent its request, and one with a broken listener.
func TestEndpointEnds(t *testing.T) {
	made := scraped(t)
	conn, err := net.Dial("tcp", made.endpoint.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// The answer to a first request says that the connection was accepted.
	if _, err := conn.Write([]byte("HEAD /none HTTP/1.1\r\nHost: localhost\r\n\r\nGET /metrics HTTP/1.1\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodHead}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // there is no time to wait for the rest
	if err := made.endpoint.close(ctx); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the connection: %v", err)
	}
	text := &bytes.Buffer{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, registry, err := newPrometheus()
	if err != nil {
		t.Fatal(err)
	}
	broken := serve(l, registry, slog.New(slog.NewTextHandler(text, nil)))
	<-broken.done
	if !strings.Contains(text.String(), "metrics are not served any more") {
		t.Errorf("the log is %q", text)
	}
	_ = broken.close(t.Context())
}

// failing is an exporter that fails as long as an error is set, and keeps what it exports.
type failing struct {
	trace.SpanExporter
	metric.Exporter
	err   error
	spans []trace.ReadOnlySpan
}

func (f *failing) ExportSpans(_ context.Context, spans []trace.ReadOnlySpan) error {
	f.spans = append(f.spans, spans...)
	return f.err
}

func (f *failing) Shutdown(context.Context) error { return nil }

func (f *failing) ForceFlush(context.Context) error { return nil }

func (f *failing) Export(context.Context, *metricdata.ResourceMetrics) error { return f.err }

// TestFailedExportsAreCountedAndSeldomLogged exports to a collector that does not take anything: each failure is counted, and
// logged once in five minutes for each signal.
func TestFailedExportsAreCountedAndSeldomLogged(t *testing.T) {
	text := &bytes.Buffer{}
	reader := metric.NewManualReader()
	synctest.Test(t, func(t *testing.T) {
		text.Reset()
		made := &Telemetry{logger: slog.New(slog.NewTextHandler(text, nil))}
		var err error
		if made.instruments, err = newInstruments(metric.NewMeterProvider(metric.WithReader(reader)).Meter(scope)); err != nil {
			t.Fatal(err)
		}
		f := &failing{err: errors.New("down")}
		spans, measured := bestEffortSpans{f, made.failures(signalTraces)}, bestEffortMetrics{f, made.failures(signalMetrics)}
		for _, after := range []time.Duration{0, 0, complaints - 1, 1, complaints} {
			time.Sleep(after)
			if err := errors.Join(spans.ExportSpans(t.Context(), nil), measured.Export(t.Context(), nil)); err != nil {
				t.Errorf("%v", err)
			}
		}
		f.err = nil
		if err := errors.Join(spans.ExportSpans(t.Context(), nil), measured.Export(t.Context(), nil)); err != nil {
			t.Errorf("%v", err)
		}
	})
	for _, signal := range []string{signalTraces, signalMetrics} {
		if n := strings.Count(text.String(), "signal="+signal+" error=down"); n != 3 {
			t.Errorf("%s: logged %d times: %s", signal, n, text)
		}
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	for _, m := range data.ScopeMetrics[0].Metrics {
		sum := m.Data.(metricdata.Sum[int64])
		if m.Name != exportFailures || len(sum.DataPoints) != 2 || sum.DataPoints[0].Value != 5 || sum.DataPoints[1].Value != 5 {
			t.Errorf("%+v", m)
		}
	}
}

// TestSpansLeaveWithoutText ends spans with attributes, errors, events and links of all kinds: what leaves is of closed sets.
func TestSpansLeaveWithoutText(t *testing.T) {
	inner := &failing{err: errors.New("down")}
	provider := trace.NewTracerProvider(trace.WithSyncer(checked{inner}))
	made := &Telemetry{traces: provider, tracer: provider.Tracer(scope)}
	ctx, call := made.tracer.Start(t.Context(), "call", api.WithLinks(api.Link{Attributes: []attribute.KeyValue{attribute.String("s3cret", "s3cret")}}))
	call.SetAttributes(attribute.String("net.peer.name", "/s3cret.sock"), attribute.String("rpc.method", "Project"), keyFamily.String("command"))
	call.SetStatus(otelcodes.Error, "s3cret")
	call.AddEvent("s3cret")
	call.RecordError(errors.New("s3cret"))
	began := time.Now().Add(-time.Minute)
	made.span(ctx, "put", began, errors.New("s3cret"), func() []attribute.KeyValue { return []attribute.KeyValue{keyBytes.Int64(3)} })
	made.span(ctx, "step", began, nil, nil)
	call.End()
	made.span(t.Context(), "outside of a call", began, nil, nil)
	(&Telemetry{}).span(ctx, "not traced", began, nil, nil)
	var got []string
	for _, s := range inner.spans {
		got = append(got, fmt.Sprint(s.Name(), s.Status(), s.Attributes(), s.Events(), s.Links()))
		if s.Name() != "call" && !s.StartTime().Equal(began) {
			t.Errorf("%s began at %v", s.Name(), s.StartTime())
		}
	}
	want := fmt.Sprint([]string{
		fmt.Sprint("put", trace.Status{Code: otelcodes.Error}, []attribute.KeyValue{keyBytes.Int64(3)}, []trace.Event(nil), []trace.Link(nil)),
		fmt.Sprint("step", trace.Status{}, []attribute.KeyValue{}, []trace.Event(nil), []trace.Link(nil)),
		fmt.Sprint("call", trace.Status{Code: otelcodes.Error}, []attribute.KeyValue{attribute.String("rpc.method", "Project"), keyFamily.String("command")}, []trace.Event(nil), []trace.Link(nil)),
	})
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	if err := (checked{inner}).ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "x"}}.Snapshots()); !errors.Is(err, inner.err) {
		t.Errorf("%v", err)
	}
}

// TestCallsAreTracedIfAsked has configurations with and without traces.
func TestCallsAreTracedIfAsked(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // a collector that says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, c := range map[string]struct {
		endpoint, metrics string
		traced            bool
	}{"scraped": {"", "127.0.0.1:0", false}, "traced": {"http://" + l.Addr().String(), "", true}} {
		text := &bytes.Buffer{}
		set := config.Default(nil)
		set.OTLPEndpoint, set.Metrics = c.endpoint, c.metrics
		made, err := Start(set, Options{Logger: slog.New(slog.NewTextHandler(text, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(made.ServerOptions()) > 0; got != c.traced || (made.spans != nil) != c.traced || (made.URL() == "") != (c.metrics == "") {
			t.Errorf("%s: traced is %v, scraped at %q", name, got, made.URL())
		}
		if err := made.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if late := strings.Contains(text.String(), "what was measured last was not sent"); late != (c.endpoint != "") {
			t.Errorf("%s: the log is %q", name, text)
		}
	}
	ours := methods()
	if !ours["/toolresult.v1.ToolResultService/Project"] || ours["/grpc.health.v1.Health/Check"] || len(ours) < 20 {
		t.Errorf("methods are %v", ours)
	}
	if _, err := Start(config.Config{}, Options{}); err == nil {
		t.Error("a configuration that is not valid is started")
	}
}

// TestResourceNamesTheServiceAndNoMachine looks at what all metrics and spans carry.
func TestResourceNamesTheServiceAndNoMachine(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test,service.version=v9")
	r, err := resourceOf("v1")
	if err != nil {
		t.Fatal(err)
	}
	other, err := resourceOf("v1")
	if err != nil {
		t.Fatal(err)
	}
	values := map[attribute.Key]string{}
	for _, a := range r.Attributes() {
		values[a.Key] = a.Value.AsString()
	}
	if values["service.name"] != "toolresult" || values["service.version"] != "v9" || values["deployment.environment"] != "test" || values["host.name"] != "" {
		t.Errorf("%v", values)
	}
	if id, _ := other.Set().Value("service.instance.id"); id.AsString() == values["service.instance.id"] || values["service.instance.id"] == "" {
		t.Errorf("two processes have the id %q", id.AsString())
	}
}
