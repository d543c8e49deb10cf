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

// BenchmarkExec runs `exec -- true` and `shell -c true` against a running sidecar, in turns with what they are measured by:
//
//   - floor is `sh -c true` and the least client that can make a call (call/main.go), each a process;
//   - warm is `sh -c true` and a call on a connection that is there, which no command can have.
//
// wall is the median of the times of exec by those of a floor, over-ms its median without that of warm, and least-over-ms the same of
// the shortest times. later-ms is what exec adds to a command of 50 ms, during which it gets ready; cpu-ms is the processor time of
// exec, and bare-ms the time of the same binary that does nothing.
func BenchmarkExec(b *testing.B) {
	dir, err := os.MkdirTemp("", "trb")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	sidecar := startSidecar(b, dir)
	client := filepath.Join(dir, "call")
	if out, err := exec.Command("go", "build", "-o", client, "./call").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	address := "unix://" + filepath.Join(dir, "s", "ours")
	env := append(sidecartest.Environment(b), "TOOLRESULT_PATIENCE=20s", "TOOLRESULT_ADDRESS="+address)
	times := map[string][]float64{}
	measure := func(name, program string, args ...string) {
		wall, cpu := command(b, env, program, args...)
		times[name], times[name+", cpu"] = append(times[name], wall), append(times[name+", cpu"], cpu)
	}
	for b.Loop() {
		for range rounds {
			measure("exec", binary, "exec", "--", "true")
			measure("shell", binary, "shell", "-c", "true")
			measure("sh", "sh", "-c", "true")
			measure("client", client, address)
			measure("bare", binary, "version")
			measure("later", binary, "exec", "--", "sleep", "0.05")
			measure("sleep", "sleep", "0.05")
			begun := time.Now()
			if _, err := sidecar.Project(context.Background(), request(unknown, nil)); err != nil {
				b.Fatal(err)
			}
			times["call"] = append(times["call"], milliseconds(begun))
		}
	}
	of := func(name string) float64 { return median(times[name]) }
	least := func(name string) float64 { return slices.Min(times[name]) }
	warm := of("sh") + of("call")
	b.ReportMetric(of("exec")/(of("sh")+of("client")), "wall/floor")
	b.ReportMetric(of("exec")/warm, "wall/warm")
	b.ReportMetric(of("exec")-warm, "over-ms")
	b.ReportMetric(least("exec")-least("sh")-least("call"), "least-over-ms")
	b.ReportMetric(of("later")-of("sleep"), "later-ms")
	b.ReportMetric(of("shell")-of("sh"), "shell-over-ms")
	b.ReportMetric(of("exec, cpu"), "cpu-ms")
	b.ReportMetric(of("bare"), "bare-ms")
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
