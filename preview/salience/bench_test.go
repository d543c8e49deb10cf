package salience_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func BenchmarkOf(b *testing.B) {
	for name, line := range map[string]string{
		"nothing": "    at com.example.Service.handle(Service.java:117) and more text", "error": "src/file.c:12:3: error: something is wrong here",
		"colours": "\x1b[31merror\x1b[0m: \x1b[1msomething\x1b[22m is wrong here", "log": "2026-11-21T10:00:00.000Z INFO worker: request failed: timeout",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(line)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				classifier.Classify(text)
			}
		})
	}
}

// ordinary and notable are lines of a build, with numbers in place of the verbs.
var (
	ordinary = []string{
		"2026-11-21T10:%02[1]d:%02[2]d.%07[3]dZ [worker-%[2]d] compiling internal/storage/file_%[1]d.go (cached=true)",
		"[INFO] Downloaded from central: https://repo.example.org/maven2/org/session/1.%[1]d.%[2]d/session-1.%[1]d.jar (%[2]d kB at 2.1 MB/s)",
		"ok  \tgithub.com/example/server/internal/gateway\t%[1]d.%03[2]ds", "[ %[1]d%%] Building CXX object src/CMakeFiles/kernel.dir/layout%[2]d.cpp.o",
		"        at org.example.template.Worker.run(Worker.java:%[3]d)", "   Compiling vector v%[1]d.%[2]d", "tests/unit/test_user.py::test_%[3]d PASS  [ %[1]d%%]",
		"", "drwxr-xr-x 2 runner docker %[3]d Nov 21 10:%02[1]d billing",
	}
	notable = []string{
		"src/network/client.c:%[3]d:%[1]d: warning: unused variable 'metrics' [-Wunused-variable]", "--- FAIL: TestParser%[2]d (%[1]d.%02[2]ds)",
		"Error: Cannot find module 'account'", "make[%[1]d]: *** [Makefile:%[3]d: storage] Error 1", "E   AssertionError: assert %[1]d == %[2]d",
	}
)

// buildLog is 8 MiB of lines, about one in seven of which matters, as in the
// logs of failed builds.
func buildLog() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 8<<20+300)
	for len(b) < 8<<20 {
		lines := ordinary
		if r.IntN(7) == 0 {
			lines = notable
		}
		line := fmt.Appendf(nil, lines[r.IntN(len(lines))], r.IntN(60), r.IntN(60), r.IntN(9999999))
		line, _, _ = bytes.Cut(line, []byte("%!(EXTRA"))
		b = append(append(b, line...), '\n')
	}
	return b
}

// lower is the floor: one pass that lower-cases ASCII into a buffer that stays
// in the cache. It is not inlined, so that it is always the same code.
//
//go:noinline
func lower(src, dst []byte) {
	for len(src) > 0 {
		n := min(len(src), len(dst))
		for i, c := range src[:n] {
			if c-'A' < 26 {
				c += 'a' - 'A'
			}
			dst[i] = c
		}
		src = src[n:]
	}
}

// The scan for lines that may matter, as a ratio to lower-casing passes over the
// same bytes, by the loop above and by the standard library: over 1 is faster.
func BenchmarkNext(b *testing.B) {
	text, buffer := buildLog(), make([]byte, 64<<10)
	timed := func(pass func()) float64 {
		start := time.Now()
		pass()
		return time.Since(start).Seconds()
	}
	scan := func() {
		for from := 0; ; {
			at := classifier.Next(text, from)
			if at < 0 {
				return
			}
			from = at + 1 + bytes.IndexByte(text[at+1:], '\n')
		}
	}
	var loop, library, speed []float64
	for b.Loop() {
		floor, std := timed(func() { lower(text, buffer) }), timed(func() { bytes.ToLower(text) })
		ours := timed(scan)
		loop, library, speed = append(loop, floor/ours), append(library, std/ours), append(speed, float64(len(text))/ours/1e6)
	}
	for unit, values := range map[string][]float64{"x-loop": loop, "x-ToLower": library, "MB/s": speed} {
		slices.Sort(values)
		b.ReportMetric(values[len(values)/2], unit)
	}
	b.ReportMetric(0, "ns/op")
}
