package bench_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// BenchmarkExec runs `exec -- true` against a running sidecar, in turns with what it cannot do without: `sh -c true`, and one call on
// a connection that is there. over-ms is what exec adds to an agent's command, cpu-ms the processor time of its client, and
// bare-ms the start of the same binary that does nothing.
func BenchmarkExec(b *testing.B) {
	dir, err := os.MkdirTemp("", "trb")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	sidecar := startSidecar(b, dir)
	env := append(sidecartest.Environment(b), "TOOLRESULT_PATIENCE=20s")
	server := "unix://" + filepath.Join(dir, "s", "ours")
	ours := func() (wall, cpu float64) { return command(b, env, binary, "exec", "--server", server, "--", "true") }
	floor := func() float64 {
		wall, _ := command(b, env, "sh", "-c", "true")
		begun := time.Now()
		if _, err := sidecar.Project(context.Background(), request(unknown, nil)); err != nil {
			b.Fatal(err)
		}
		return wall + milliseconds(begun)
	}
	bare := func() float64 {
		wall, _ := command(b, env, binary, "version")
		return wall
	}
	ours() // warm up
	floor()
	var own, used, base, starts []float64
	for b.Loop() {
		for range rounds {
			wall, cpu := ours()
			own, used = append(own, wall), append(used, cpu)
			base, starts = append(base, floor()), append(starts, bare())
		}
	}
	b.ReportMetric(median(own)/median(base), "wall/floor")
	b.ReportMetric(median(own)-median(base), "over-ms")
	b.ReportMetric(slices.Min(own)-slices.Min(base), "least-over-ms")
	b.ReportMetric(median(used), "cpu-ms")
	b.ReportMetric(median(starts), "bare-ms")
	b.ReportMetric(0, "ns/op")
}

// command runs a command, and returns the time that it takes and the processor time that it and its children use, in milliseconds.
func command(b *testing.B, env []string, name string, args ...string) (wall, cpu float64) {
	b.Helper()
	c := exec.Command(name, args...)
	c.Env = env
	begun := time.Now()
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
	return milliseconds(begun), inMilliseconds(c.ProcessState.UserTime() + c.ProcessState.SystemTime())
}

// inMilliseconds returns a time in milliseconds.
func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
