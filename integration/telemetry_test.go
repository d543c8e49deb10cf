package integration_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/telemetry"
)

const metricsOn = "--metrics=127.0.0.1:0"

// scrape reads what Prometheus would.
func (s *sidecar) scrape(t testing.TB) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", s.Metrics, resp.Status, err)
	}
	return string(text)
}

// samples are the series of a scrape, as they are written, that are ours and no buckets.
func samples(t testing.TB, text string) map[string]float64 {
	t.Helper()
	list := map[string]float64{}
	for line := range strings.Lines(text) {
		series, number, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if number == "" {
			series, number, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			series += "}"
		}
		if !strings.HasPrefix(series, "toolresult_") || strings.Contains(series, "_bucket{") {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list[series] = n
	}
	return list
}

// mustFail makes a call that is refused.
func mustFail(t *testing.T, code codes.Code, err error) {
	t.Helper()
	if status.Code(err) != code {
		t.Fatalf("refused with %v, want %v", err, code)
	}
}

// What is scraped after some calls is what their answers say, to the last number.
func TestMetricsOfKnownCalls(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{metricsOn}})
	var sizes, tokens, before, after float64
	add := func(out *pb.CompleteToolOutput, resp *pb.ProjectResponse) *pb.ProjectResponse {
		sizes += float64(proto.Size(out))
		tokens += float64(resp.GetReceipt().GetTokens())
		return resp
	}
	project := func(req *pb.ProjectRequest) *pb.ProjectResponse { return add(req.GetOutput(), s.project(t, req)) }

	small := completed(0, "fine\n")
	small.Policy = &pb.ProjectionPolicy{ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS}
	kept := project(small)
	project(completed(3, "a\x1b[31mred\x1b[0m\n"))
	cut := project(within(&pb.Budget{MaxTokens: 300}, completed(0, counted(20_000))))
	other := project(within(&pb.Budget{MaxTokens: 300}, completed(0, counted(30_000))))
	s.project(t, failedTool(&pb.CompleteToolError{Kind: "timeout", Message: payloadOf("it took too long")}))
	_, err := s.Project(t.Context(), &pb.ProjectRequest{})
	mustFail(t, codes.InvalidArgument, err)
	turn := &pb.ProjectTurnRequest{TotalTokens: 500, Outputs: []*pb.ProjectRequest{completed(0, "x\n"), completed(0, counted(9_000))}}
	answers, err := s.ProjectTurn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range answers.GetResults() {
		add(turn.GetOutputs()[i].GetOutput(), r)
	}
	compacted, err := s.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: kept.GetCanonical()}}, {Result: &pb.CompactEntry_Canonical{Canonical: cut.GetCanonical()}}},
		Policy:  &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE},
	})
	if err != nil {
		t.Fatal(err)
	}
	before, after = float64(compacted.GetPlan().GetTokensBefore()), float64(compacted.GetPlan().GetTokensAfter())

	artifacts := pb.NewArtifactServiceClient(s.conn)
	read := func(r *pb.ProjectResponse, selection *pb.ReadArtifactRequest) float64 {
		selection.Path = r.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
		page, err := artifacts.ReadArtifact(t.Context(), selection)
		if err != nil {
			t.Fatal(err)
		}
		return float64(len(page.GetData()))
	}
	tail := func() *pb.ReadArtifactRequest {
		return &pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 3}}}
	}
	tails := read(cut, tail()) + read(cut, tail()) + read(other, tail())
	wholes := read(kept, &pb.ReadArtifactRequest{})
	_, err = artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: "nothing"})
	unknown := status.Code(err)

	got := samples(t, s.scrape(t))
	var cutBytes, cuts float64
	for _, r := range append(answers.GetResults(), cut, other) {
		for _, c := range r.GetCanonical().GetCommand().GetStdoutCuts() {
			if c.GetKind() == pb.CutKind_CUT_KIND_MIDDLE {
				bytes, _ := envelope.Omitted(c)
				cuts, cutBytes = cuts+1, cutBytes+float64(bytes)
			}
		}
	}
	info, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method string, code codes.Code) string {
		return fmt.Sprintf(`toolresult_call_duration_seconds_count{code=%q,method="toolresult.v1.%s"}`, code, method)
	}
	want := map[string]float64{
		call("ToolResultService/Project", codes.OK):              5,
		call("ToolResultService/Project", codes.InvalidArgument): 1,
		call("ToolResultService/ProjectTurn", codes.OK):          1,
		call("ToolResultService/Compact", codes.OK):              1,
		call("ArtifactService/ReadArtifact", codes.OK):           4,
		call("ArtifactService/ReadArtifact", unknown):            1,
		`toolresult_calls_open{kind="unary"}`:                    0,
		`toolresult_calls_open{kind="stream"}`:                   0,
		`toolresult_connections_open`:                            1,
		`toolresult_connections_limit`:                           64,
		`toolresult_inflight_size_bytes`:                         0,
		`toolresult_inflight_limit_bytes`:                        64 << 20,

		`toolresult_projections_total{family="command",outcome="success",truncated="false"}`: 3,
		`toolresult_projections_total{family="command",outcome="success",truncated="true"}`:  3,
		`toolresult_projections_total{family="error",outcome="error",truncated="false"}`:     1,
		`toolresult_projection_duration_seconds_count{family="command"}`:                     6,
		`toolresult_output_size_bytes_total{family="command"}`:                               sizes,
		`toolresult_receipt_tokens_total{family="command"}`:                                  tokens,
		`toolresult_cuts_total{kind="middle"}`:                                               cuts,
		`toolresult_cut_size_bytes_total{kind="middle"}`:                                     cutBytes,
		`toolresult_cuts_total{kind="control"}`:                                              1,
		`toolresult_cut_size_bytes_total{kind="control"}`:                                    9,

		`toolresult_artifact_reads_total{receipt="truncated",selection="tail"}`: 3,
		`toolresult_artifact_reads_total{receipt="other",selection="whole"}`:    1,
		`toolresult_artifact_read_size_bytes_total{selection="tail"}`:           tails,
		`toolresult_artifact_read_size_bytes_total{selection="whole"}`:          wholes,
		`toolresult_receipts_regretted_total{family="command"}`:                 2, // of 3 that were truncated
		`toolresult_artifact_put_duration_seconds_count{outcome="success"}`:     6, // the cut output of the turn is put once for each budget that was tried
		`toolresult_store_artifacts`:                                            float64(info.GetStore().GetArtifacts()),
		`toolresult_store_size_bytes`:                                           float64(info.GetStore().GetBytes()),
		`toolresult_store_quota_bytes`:                                          0,
		`toolresult_queue_length{store="journal"}`:                              0,
		`toolresult_compactions_total`:                                          1,
		`toolresult_compaction_freed_tokens_total`:                              before - after,
	}
	for series, n := range want {
		if v, ok := got[series]; !ok || v != n {
			t.Errorf("%s is %v, want %v", series, v, n)
		}
	}
	if got[`toolresult_commit_records_total{store="journal"}`] < 4 || got[`toolresult_commit_duration_seconds_sum{store="journal"}`] <= 0 {
		t.Error("the commits of the journal are not counted")
	}
	if in := got[`toolresult_output_tokens_total{family="command"}`]; in < sizes/6 || in > sizes {
		t.Errorf("%v tokens are estimated for %v bytes", in, sizes)
	}
	if t.Failed() {
		for _, series := range slices.Sorted(maps.Keys(got)) {
			t.Log(series, got[series])
		}
	}
}

// The endpoint serves one path, to who calls it by the loopback address.
func TestMetricsEndpoint(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{metricsOn}})
	base := strings.TrimSuffix(s.Metrics, "/metrics")
	port := base[strings.LastIndexByte(base, ':'):]
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/metrics", "", 200}, {"HEAD", "/metrics", "", 200}, {"GET", "/metrics", "localhost" + port, 200},
		{"GET", "/", "", 404}, {"GET", "/debug/pprof/", "", 404}, {"GET", "/metrics/x", "", 404}, {"POST", "/metrics", "", 405},
		{"GET", "/metrics", "evil.example" + port, 403}, {"GET", "/metrics", "127.0.0.1.evil.example", 403}, {"GET", "/metrics", "10.0.0.1", 403},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Host = c.host; c.host == "" {
			req.Host = strings.TrimPrefix(base, "http://")
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s %s for %q: %s, want %d", c.method, c.path, req.Host, resp.Status, c.want)
		}
	}
}

// collector is a collector of OpenTelemetry that keeps what it is sent.
type collector struct {
	url string

	mu      sync.Mutex
	traces  []*tracepb.ExportTraceServiceRequest
	metrics []*metricspb.ExportMetricsServiceRequest
}

// traceTaker gives the two services of a collector, which both have a method Export, a receiver each.
type traceTaker struct {
	tracepb.UnimplementedTraceServiceServer
	*collector
}

type metricTaker struct {
	metricspb.UnimplementedMetricsServiceServer
	*collector
}

func (c traceTaker) Export(_ context.Context, r *tracepb.ExportTraceServiceRequest) (*tracepb.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.traces = append(c.traces, r)
	return &tracepb.ExportTraceServiceResponse{}, nil
}

func (c metricTaker) Export(_ context.Context, r *metricspb.ExportMetricsServiceRequest) (*metricspb.ExportMetricsServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.metrics = append(c.metrics, r)
	return &metricspb.ExportMetricsServiceResponse{}, nil
}

func startCollector(t testing.TB) *collector {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{url: "http://" + l.Addr().String()}
	g := grpc.NewServer()
	tracepb.RegisterTraceServiceServer(g, traceTaker{collector: c})
	metricspb.RegisterMetricsServiceServer(g, metricTaker{collector: c})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(l)
	}()
	t.Cleanup(func() {
		g.Stop()
		<-done
	})
	return c
}

// spans are all that came.
func (c *collector) spans() (list []*spans.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.traces {
		for _, of := range r.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				list = append(list, scope.GetSpans()...)
			}
		}
	}
	return list
}

// text is everything that came, written out.
func (c *collector) text(t testing.TB) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, m := range c.all() {
		text, err := protojson.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

func (c *collector) all() (list []proto.Message) {
	for _, m := range c.traces {
		list = append(list, m)
	}
	for _, m := range c.metrics {
		list = append(list, m)
	}
	return list
}

func attributes(list []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			m[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			m[a.GetKey()] = strconv.FormatInt(v.IntValue, 10)
		case *common.AnyValue_BoolValue:
			m[a.GetKey()] = strconv.FormatBool(v.BoolValue)
		default:
			m[a.GetKey()] = a.GetValue().String()
		}
	}
	return m
}

// A collector gets metrics, and the trace that the caller began with the steps of the call. What was not sent when the
// sidecar ends is sent then.
func TestCollector(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	s := startSidecar(t, launch{Args: []string{"--otlp-endpoint", c.url}, Env: []string{"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=here"}})
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-"+trace+"-"+parent+"-01")
	req := within(&pb.Budget{MaxTokens: 300}, completed(0, counted(20_000)))
	req.Output.ToolName, req.Call = "Bash", &pb.CallReference{SessionId: "conversation-1", CallId: "call_1"}
	resp, err := s.Project(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	if code := s.Terminate(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, s.Log)
	}
	byName := map[string]*spans.Span{}
	for _, span := range c.spans() {
		if id := fmt.Sprintf("%x", span.GetTraceId()); id != trace {
			t.Errorf("span %s is of trace %s", span.GetName(), id)
		}
		byName[span.GetName()] = span
	}
	call, project := byName["toolresult.v1.ToolResultService/Project"], byName["execute_tool Bash"]
	put, audit := byName["put"], byName["audit"]
	if len(byName) != 4 || call == nil || project == nil || put == nil || audit == nil {
		t.Fatalf("spans %v\n%s", slices.Collect(maps.Keys(byName)), s.Log)
	}
	if fmt.Sprintf("%x", call.GetParentSpanId()) != parent || string(project.GetParentSpanId()) != string(call.GetSpanId()) ||
		string(put.GetParentSpanId()) != string(call.GetSpanId()) {
		t.Error("the steps are not those of the call, or the call is not that of the caller")
	}
	if call.GetStartTimeUnixNano() > project.GetStartTimeUnixNano() || project.GetStartTimeUnixNano() > put.GetStartTimeUnixNano() ||
		put.GetEndTimeUnixNano() > audit.GetStartTimeUnixNano() || audit.GetEndTimeUnixNano() > project.GetEndTimeUnixNano() || project.GetEndTimeUnixNano() > call.GetEndTimeUnixNano() {
		t.Error("a step began before the call, or ended after it")
	}
	got := attributes(project.GetAttributes())
	delete(got, "toolresult.output.tokens")
	delete(got, "toolresult.bytes")
	want := map[string]string{
		"toolresult.family": "command", "toolresult.outcome": "success", "toolresult.truncated": "true",
		"toolresult.receipt.tokens": strconv.Itoa(int(resp.GetReceipt().GetTokens())),
		"gen_ai.operation.name":     "execute_tool", "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "call_1", "gen_ai.conversation.id": "conversation-1",
	}
	if kind := project.GetKind(); kind != spans.Span_SPAN_KIND_INTERNAL || project.GetStatus().GetCode() != spans.Status_STATUS_CODE_UNSET {
		t.Errorf("the span of the tool is of kind %s, with status %s", kind, project.GetStatus())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes of the projection (-want +got):\n%s", diff)
	}
	who := attributes(c.traces[0].GetResourceSpans()[0].GetResource().GetAttributes())
	if who["service.name"] != "toolresult" || who["service.version"] == "" || who["service.instance.id"] == "" || who["deployment.environment.name"] != "here" {
		t.Errorf("resource %v", who)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]bool{}
	for _, r := range c.metrics {
		for _, of := range r.GetResourceMetrics() {
			for _, scope := range of.GetScopeMetrics() {
				for _, m := range scope.GetMetrics() {
					names[m.GetName()] = true
				}
			}
		}
	}
	for _, name := range []string{"toolresult.projections", "toolresult.call.duration", "toolresult.store.size", "toolresult.commit.duration"} {
		if !names[name] {
			t.Errorf("metric %s did not come; these did: %v", name, slices.Sorted(maps.Keys(names)))
		}
	}
}

// A tool that failed, and whose call has no names but that of the tool, is an error by a name of ours and without a message.
func TestSpanOfAFailedTool(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	s := startSidecar(t, launch{Args: []string{"--otlp-endpoint", c.url}})
	if _, err := s.Project(t.Context(), failedTool(&pb.CompleteToolError{Kind: telltale, Message: payloadOf(telltale)})); err != nil {
		t.Fatal(err)
	}
	s.Terminate()
	for _, span := range c.spans() {
		if !strings.HasPrefix(span.GetName(), "execute_tool ") {
			continue
		}
		got := attributes(span.GetAttributes())
		if got["error.type"] != "tool_error" || got["gen_ai.tool.name"] == "" || span.GetStatus().GetCode() != spans.Status_STATUS_CODE_ERROR || span.GetStatus().GetMessage() != "" {
			t.Errorf("%v", span)
		}
		for _, key := range []string{"gen_ai.tool.call.id", "gen_ai.conversation.id"} {
			if _, there := got[key]; there {
				t.Errorf("%s of a call without names", key)
			}
		}
		return
	}
	t.Errorf("no span of the tool: %v", c.spans())
}

// TestTraceSampler sets the standard sampler. By default the caller decides first.
func TestTraceSampler(t *testing.T) {
	t.Parallel()
	const sampled, dropped = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00"
	for _, c := range []struct {
		sampler, parent string
		want            bool
	}{{"always_off", sampled, false}, {"parentbased_always_off", sampled, true}, {"", dropped, false}, {"", "", true}} {
		t.Run(c.sampler+c.parent, func(t *testing.T) {
			t.Parallel()
			to := startCollector(t)
			s := startSidecar(t, launch{Args: []string{"--otlp-endpoint", to.url}, Env: []string{"OTEL_TRACES_SAMPLER=" + c.sampler}})
			ctx := t.Context()
			if c.parent != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "traceparent", c.parent)
			}
			if _, err := s.Project(ctx, completed(0, "x\n")); err != nil {
				t.Fatal(err)
			}
			s.Terminate()
			to.mu.Lock()
			metrics := len(to.metrics)
			to.mu.Unlock()
			if n := len(to.spans()); (n > 0) != c.want || metrics == 0 {
				t.Errorf("%d spans and %d exports of metrics", n, metrics)
			}
		})
	}
}

// telltale stands wherever a caller or a tool can write a text. It may not leave but in an answer.
const telltale = "canary7d1"

// named begins the names of calls: what spans of tools have, and nothing else.
const named = "named7d1"

// Nothing that a tool, a caller or an operator wrote is in a metric or in a span: outputs, paths, methods, messages of errors. The
// names of tools, calls and sessions are in the spans of tools alone.
func TestTelemetryHasNoTexts(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	dir := filepath.Join(shortDir(t), telltale)
	roots := filepath.Join(t.TempDir(), telltale)
	if err := os.MkdirAll(roots, 0o700); err != nil {
		t.Fatal(err)
	}
	s := startSidecar(t, launch{
		Args:  []string{metricsOn, "--otlp-endpoint", c.url, "--roots", roots},
		Store: filepath.Join(dir, "store"), Socket: filepath.Join(dir, "run", "s"),
		Env: []string{"OTEL_METRIC_EXPORT_INTERVAL=100"},
	})
	exerciseWithCanaries(t, s, roots)
	scraped := s.scrape(t)
	s.Terminate()
	sent := c.text(t)
	if len(c.spans()) < 8 || !strings.Contains(sent, "toolresult.projections") || len(samples(t, scraped)) < 30 {
		t.Fatalf("only %d spans and %d series", len(c.spans()), len(samples(t, scraped)))
	}
	for where, text := range map[string]string{"scraped": scraped, "sent": sent} {
		if where == "scraped" && strings.Contains(text, named) {
			t.Errorf("a metric has the name of a tool, a call or a session")
		}
		if at := strings.Index(strings.ToLower(text), telltale); at >= 0 {
			t.Errorf("%s: ...%s...", where, text[max(0, at-200):min(len(text), at+200)])
		}
	}
	keys := map[string]bool{}
	for _, span := range c.spans() {
		for key := range attributes(span.GetAttributes()) {
			keys[key] = true
		}
		if name := span.GetName(); !strings.HasPrefix(name, "execute_tool ") && name != "put" && name != "audit" && !strings.HasPrefix(name, "toolresult.v1.") {
			t.Errorf("span %s is of no step and no method of the contract", name)
		}
		if span.GetStatus().GetMessage() != "" || len(span.GetEvents()) > 0 || len(span.GetLinks()) > 0 {
			t.Errorf("span %s has a message, events or links: %v", span.GetName(), span)
		}
	}
	want := []string{
		"error.type", "gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.tool.call.id", "gen_ai.tool.name", "rpc.method", "rpc.response.status_code", "rpc.system.name", "toolresult.bytes", "toolresult.family", "toolresult.outcome",
		"toolresult.output.tokens", "toolresult.receipt.tokens", "toolresult.truncated",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(keys))); diff != "" {
		t.Errorf("attributes of spans (-want +got):\n%s", diff)
	}
}

// exerciseWithCanaries calls a sidecar in every way that takes a text, and makes it refuse and fail.
func exerciseWithCanaries(t *testing.T, s *sidecar, roots string) {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-request-id", telltale, "baggage", "k="+telltale, telltale, telltale)
	loud := strings.Repeat("error: "+telltale+" failed\n"+telltale+" is a line\n", 4000)
	request := func() *pb.ProjectRequest {
		req := within(&pb.Budget{MaxTokens: 300}, completed(1, loud))
		req.Output.ToolName, req.Output.SummaryText = named+".tool", telltale
		req.Output.GetCommand().CommandLine = "make " + telltale
		req.Call = &pb.CallReference{SessionId: named + ".session", CallId: named + ".call"}
		return req
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	resp, err := s.Project(ctx, request())
	must(err)
	file := filepath.Join(roots, telltale)
	must(os.WriteFile(file, []byte(loud), 0o600))
	byFile := request()
	byFile.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: file}}}
	_, err = s.Project(ctx, byFile)
	must(err)
	_, err = s.Project(ctx, failedTool(&pb.CompleteToolError{Kind: telltale, Message: payloadOf(telltale), Details: payloadOf(`{"` + telltale + `":"` + strings.Repeat(telltale, 900) + `"}`)}))
	must(err)
	_, err = s.ProjectTurn(ctx, &pb.ProjectTurnRequest{TotalTokens: 900, Outputs: []*pb.ProjectRequest{request(), request()}})
	must(err)
	_, err = s.Compact(ctx, &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: resp.GetCanonical()}}}, SessionId: telltale,
		Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE},
	})
	must(err)
	_, err = streams(ctx, s, headerOf(&pb.StreamHeader{Family: telltale}))
	mustFail(t, codes.InvalidArgument, err)
	_, err = s.Project(ctx, &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{Type: telltale}},
	}})
	mustFail(t, codes.InvalidArgument, err)

	artifacts := pb.NewArtifactServiceClient(s.conn)
	path := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	for _, read := range []*pb.ReadArtifactRequest{
		{Path: path}, {Path: path, Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: telltale}}},
	} {
		_, err = artifacts.ReadArtifact(ctx, read)
		must(err)
	}
	_, err = artifacts.ReadArtifact(ctx, &pb.ReadArtifactRequest{Path: "/" + telltale})
	if err == nil {
		t.Fatal("a path of nobody can be read")
	}
	must(os.Chmod(path, 0o600))
	must(os.WriteFile(path, []byte(telltale), 0o600)) // damage is told with DATA_LOSS, which traces call an error
	_, err = artifacts.ReadArtifact(ctx, &pb.ReadArtifactRequest{Path: path})
	mustFail(t, codes.DataLoss, err)
	for _, method := range []string{"/toolresult.v1.ToolResultService/" + telltale, "/" + telltale + "/" + telltale} {
		mustFail(t, codes.Unimplemented, s.conn.Invoke(ctx, method, &pb.ProjectRequest{}, &pb.ProjectResponse{}))
	}
	_, err = healthpb.NewHealthClient(s.conn).Check(ctx, &healthpb.HealthCheckRequest{})
	must(err)
}

// Nothing is there that was not asked for: no port; and with metrics one, on the loopback address.
func TestNoPortUnlessAsked(t *testing.T) {
	t.Parallel()
	off := startSidecar(t, launch{})
	on := startSidecar(t, launch{Args: []string{metricsOn}})
	sends := startSidecar(t, launch{Args: []string{"--otlp-endpoint", startCollector(t).url}})
	for name, want := range map[*sidecar]int{off: 0, on: 1, sends: 0} {
		name.project(t, completed(0, "x\n"))
		if ports := listening(t, name.PID()); len(ports) != want {
			t.Errorf("%v: listens on %v, want %d", name.Cmd.Args[2:], ports, want)
		}
	}
}

// listening are the addresses of the TCP sockets that a process listens on.
func listening(t *testing.T, pid int) (list []string) {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			own[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		f, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			continue // no IPv6
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			const listens = "0A"
			if fields := strings.Fields(lines.Text()); len(fields) > 9 && fields[3] == listens && own[fields[9]] {
				list = append(list, fields[1])
			}
		}
	}
	return list
}

// A collector that is not there, or does not answer, costs no call anything, and the end of the sidecar a bounded time.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	for name, l := range map[string]net.Listener{"silent": silent, "gone": gone} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{Args: []string{"--otlp-endpoint", "http://" + l.Addr().String(), "--log-level=warn"}, Env: []string{"OTEL_METRIC_EXPORT_INTERVAL=50"}})
			calls := 500 // several batches of spans
			if testing.Short() {
				calls = 100
			}
			for range calls {
				s.project(t, completed(0, "x\n"))
			}
			if code := s.Terminate(); code != 0 { // it ends within a minute, or is killed
				t.Errorf("exit code %d", code)
			}
			if n := strings.Count(s.Log.String(), "\n"); n > 6 {
				t.Errorf("the log has %d lines:\n%s", n, s.Log)
			}
		})
	}
}

// The tables of metrics in the documentation are those that are made, under the names that Prometheus sees.
func TestDocumentedMetrics(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, i := range telemetry.Instruments() {
		unit := strings.Trim(strings.NewReplacer("By", "bytes", "s", "seconds").Replace(i.Unit), "{}")
		if strings.HasPrefix(i.Unit, "{") {
			unit = strings.Trim(i.Unit, "{}") + "s"
		}
		metric := "`" + i.Prometheus() + "`"
		if len(i.Labels) > 0 {
			metric += ": " + strings.Join(i.Labels, ", ")
		}
		rows = append(rows, fmt.Sprintf("| %s | %s, %s | %s |", metric, i.Kind, unit, i.Help))
	}
	checkTable(t, "../docs/reference/observability.md", "| metric: labels | kind, unit | what |", rows)
}

// Every series that is scraped has the name and the labels that the documentation has.
func TestScrapedNames(t *testing.T) {
	t.Parallel()
	roots := t.TempDir()
	s := startSidecar(t, launch{Args: []string{metricsOn, "--roots", roots}})
	exerciseWithCanaries(t, s, roots)
	known := map[string][]string{}
	for _, i := range telemetry.Instruments() {
		names := []string{i.Prometheus()}
		if i.Kind == telemetry.Histogram {
			names = []string{names[0] + "_sum", names[0] + "_count"}
		}
		for _, name := range names {
			known[name] = slices.Sorted(slices.Values(i.Labels))
		}
	}
	seen := map[string]bool{}
	for series := range samples(t, s.scrape(t)) {
		name, rest, _ := strings.Cut(series, "{")
		var labels []string
		for _, m := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(rest, -1) {
			labels = append(labels, m[1])
		}
		if want, ok := known[name]; !ok || !slices.Equal(want, labels) {
			t.Errorf("%s has labels %v, and is documented with %v", name, labels, want)
		}
		seen[name] = true
	}
	if len(seen) < len(known)*2/3 {
		t.Errorf("only %d of %d metrics were seen", len(seen), len(known))
	}
}

// The queries in the documentation name metrics and labels that there are.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{}
	for _, i := range telemetry.Instruments() {
		names := []string{i.Prometheus()}
		if i.Kind == telemetry.Histogram {
			names = []string{names[0] + "_sum", names[0] + "_count", names[0] + "_bucket"}
		}
		for _, name := range names {
			labels[name] = append([]string{"le", "instance", "job"}, i.Labels...)
		}
	}
	queries := 0
	for _, block := range regexp.MustCompile("(?s)```promql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for query := range strings.SplitSeq(strings.TrimSpace(block[1]), "\n\n") {
			queries++
			checkQuery(t, query, labels)
		}
	}
	for _, m := range regexp.MustCompile(`\btoolresult_[a-z_]+[a-z]`).FindAllString(string(text), -1) {
		if _, ok := labels[m]; !ok && labels[m+"_sum"] == nil {
			t.Errorf("%s is no metric", m)
		}
	}
	if queries < 10 {
		t.Errorf("only %d queries were found", queries)
	}
}

// checkQuery checks one query: the labels that it matches or groups by are those of its metrics.
func checkQuery(t *testing.T, query string, labels map[string][]string) {
	t.Helper()
	var known []string
	for _, name := range regexp.MustCompile(`toolresult_\w+`).FindAllString(query, -1) {
		if labels[name] == nil {
			t.Errorf("%s is no metric, in\n%s", name, query)
		}
		known = append(known, labels[name]...)
	}
	for _, m := range regexp.MustCompile(`(?:by|on|ignoring) ?\(([^)]*)\)|\{([^}]*)\}`).FindAllStringSubmatch(query, -1) {
		for part := range strings.SplitSeq(m[1]+m[2], ",") {
			label := regexp.MustCompile(`^\s*(\w+)`).FindString(part)
			if label = strings.TrimSpace(label); label != "" && !slices.Contains(known, label) {
				t.Errorf("%q is no label of the metrics in\n%s", label, query)
			}
		}
	}
	if strings.Count(query, "(") != strings.Count(query, ")") || len(known) == 0 {
		t.Errorf("no query:\n%s", query)
	}
}
