package bench_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// collector starts one that takes everything and keeps nothing, in this process.
func collector(b *testing.B) (url string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	g := grpc.NewServer()
	traces.RegisterTraceServiceServer(g, traces.UnimplementedTraceServiceServer{})
	metrics.RegisterMetricsServiceServer(g, metrics.UnimplementedMetricsServiceServer{})
	go func() { _ = g.Serve(l) }()
	b.Cleanup(g.Stop)
	return "http://" + l.Addr().String()
}

// BenchmarkTelemetry compares a sidecar that is measured with one that is not: the same 4 KB command, whole and with
// its noise in an artifact, in turns. A collector refuses what it is sent, so that only the sidecar's part counts.
func BenchmarkTelemetry(b *testing.B) {
	for name, flags := range map[string]func() []string{
		"metrics": func() []string { return []string{"--metrics=127.0.0.1:0"} },
		"traces":  func() []string { return []string{"--metrics=127.0.0.1:0", "--otlp-endpoint=" + collector(b)} },
		"same":    func() []string { return nil }, // how much of a difference is none
	} {
		for _, command := range []string{unknown, known} {
			b.Run(fmt.Sprintf("%s/%.4s", name, command), func(b *testing.B) {
				req := request(command, logOf(4096, 0))
				dir := b.TempDir()
				serve := func(name string, flags ...string) side {
					at := filepath.Join(dir, name)
					if err := os.Mkdir(at, 0o700); err != nil {
						b.Fatal(err)
					}
					return startSidecar(b, at, append([]string{"--log-level=error", "--store=memory"}, flags...)...)
				}
				off, on := serve("off"), serve("on", flags()...)
				compare(b, on, off, 1, 1500, func(int) *pb.ProjectRequest { return req })
			})
		}
	}
}
