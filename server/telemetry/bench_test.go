package telemetry_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/server/config"
)

// BenchmarkReport measures the report of one call with one projection.
func BenchmarkReport(b *testing.B) {
	made := start(b, func(c *config.Config) { c.Metrics = "127.0.0.1:0" })
	b.ReportAllocs()
	for b.Loop() {
		made.Projected(b.Context(), facts())
		made.Call("/toolresult.v1.ToolResultService/Project", codes.OK, time.Millisecond)
	}
}
