package literal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/preview/literal"
)

// quiet and loud are lines of CI logs; numbers and names take the place of the
// verbs.
var (
	quiet = []string{
		"2026-11-21T10:%02d:%02d.%07dZ [worker-%d] compiling internal/%s/%s.go (cached=true)",
		"[INFO] Downloaded from central: https://repo.example.org/maven2/org/%[6]s/%[5]s/1.%[1]d.%[2]d/%[5]s-1.%[1]d.%[2]d.jar (%[4]d kB at 2.1 MB/s)",
		"ok  \tgithub.com/example/%[5]s/internal/%[6]s\t%[1]d.%03[3]ds",
		"[ %[1]d%%] Building CXX object src/%[5]s/CMakeFiles/%[6]s.dir/%[5]s.cpp.o",
		"Get:%[1]d http://deb.example.org/debian bookworm/main amd64 lib%[5]s%[2]d amd64 %[1]d.%[2]d-3 [%[3]d B]",
		"   Compiling %[5]s v%[1]d.%[2]d.%[4]d",
		"tests/unit/test_%[5]s.py::test_%[6]s PASS  [ %[1]d%%]",
		"        at org.example.%[5]s.Worker.run(Worker.java:%[3]d)",
		"%08[3]x: 48 65 6c 6c 6f 20 77 6f  72 6c 64 21 0a %[1]d %[2]d",
		"",
		"remote: Compressing objects:  %[1]d%% (%[3]d/%[4]d)",
		"drwxr-xr-x 2 runner docker %[3]d Nov 21 10:%02[1]d %[5]s",
		"The %[5]s is used by the %[6]s when it is built from source with the default options of this platform.",
	}
	loud = []string{
		"src/%[5]s/%[6]s.c:%[3]d:%[1]d: warning: unused variable '%[5]s' [-Wunused-variable]",
		"##[error]Process completed with exit code %[1]d.",
		"--- FAIL: Test%[5]s (%[1]d.%02[2]ds)",
		"E   AssertionError: assert %[1]d == %[2]d",
		"Error: Cannot find module '%[5]s'",
		"make[%[1]d]: *** [Makefile:%[3]d: %[5]s] Error 1",
		"Tests run: %[3]d, Failures: %[1]d, Errors: 0, Skipped: 0",
		"test_%[5]s (tests.%[6]s) ... passed in %[1]d ms",
		"npm ERR! missing: %[5]s@%[1]d.%[2]d.0, required by %[6]s@1.0.0",
	}
	names = strings.Fields("parser server client network storage controller session template generator user account billing metrics gateway buffer socket kernel shader layout vector")
)

// buildLog is text of a size; one line in n has a hit, none for 0.
func buildLog(size, every int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, size+300)
	for i := 1; len(b) < size; i++ {
		lines := quiet
		if every > 0 && i%every == 0 {
			lines = loud
		}
		line := fmt.Appendf(nil, lines[r.IntN(len(lines))], r.IntN(60), r.IntN(60), r.IntN(9999999), r.IntN(8), names[r.IntN(len(names))], names[r.IntN(len(names))])
		line, _, _ = bytes.Cut(line, []byte("%!(EXTRA"))
		b = append(append(b, line...), '\n')
	}
	return b[:size]
}

// lines counts the lines with a hit, as a scan for lines that matter does.
func lines(s *literal.Set, text []byte) (hits int) {
	for from := 0; ; hits++ {
		at, _ := s.Next(text, from)
		if at < 0 {
			return hits
		}
		end := bytes.IndexByte(text[at+1:], '\n')
		if end < 0 {
			return hits + 1
		}
		from = at + 1 + end
	}
}

// lowerBranch, lowerTable and bytes.ToLower are floors: one lower-casing pass
// over the same bytes, the first two into a buffer that stays in the cache.
// They are not inlined, so that how fast they are depends less on their caller.
//
//go:noinline
func lowerBranch(src, dst []byte) {
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

//go:noinline
func lowerTable(src, dst []byte) {
	for len(src) > 0 {
		n := min(len(src), len(dst))
		for i, c := range src[:n] {
			dst[i] = table[c]
		}
		src = src[n:]
	}
}

var table = func() (t [256]byte) {
	for i := range t {
		t[i] = lower([]byte{byte(i)})[0]
	}
	return t
}()

func base64(size int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, size)
	for i := range b {
		if i%77 == 76 {
			b[i] = '\n'
			continue
		}
		b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
	}
	return b
}

const size = 8 << 20

func texts() []struct {
	name string
	text []byte
} {
	return []struct {
		name string
		text []byte
	}{
		{"no-hits", buildLog(size, 0)},
		{"1-line-in-50", buildLog(size, 50)},
		{"1-line-in-5", buildLog(size, 5)},
		{"every-line", buildLog(size, 1)},
		{"one-line", bytes.ReplaceAll(buildLog(size, 0), []byte("\n"), []byte(";"))},
		{"base64", base64(size)},
		{"spaces", bytes.Repeat([]byte(" "), size)},
		{"one-letter", bytes.Repeat([]byte("e"), size)},
		{"near-misses", bytes.Repeat([]byte("erroerroerro faifai warninexpecte"), size/33)},
		{"near-misses-long", bytes.Repeat([]byte("segmentation faul permission denie no such fil "), size/47)},
		{"only-hits", bytes.Repeat([]byte("error"), size/5)},
	}
}

// The lines with a hit, as a ratio to each floor: over 1 is faster than that.
func BenchmarkLines(b *testing.B) {
	s := set(b, salient...)
	for _, c := range texts() {
		b.Run(c.name, func(b *testing.B) {
			buffer, hits := make([]byte, 64<<10), 0
			passes := []func(){
				func() { hits = lines(s, c.text) },
				func() { lowerBranch(c.text, buffer) },
				func() { lowerTable(c.text, buffer) },
				func() { bytes.ToLower(c.text) },
			}
			took := make([][]float64, len(passes))
			for b.Loop() {
				for i, pass := range passes {
					start := time.Now()
					pass()
					took[i] = append(took[i], time.Since(start).Seconds())
				}
			}
			for i, unit := range []string{"", "x-branch", "x-table", "x-ToLower"} {
				if i > 0 {
					b.ReportMetric(median(took[i], took[0]), unit)
				}
			}
			slices.Sort(took[0])
			b.ReportMetric(float64(len(c.text))/took[0][len(took[0])/2]/1e6, "MB/s")
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// median is that of the ratios of each round.
func median(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// Every hit counts, resumed one byte behind it: ten times the text, how many
// times as long. The fastest rounds are compared, because a busy machine
// disturbs the long ones more.
func BenchmarkTenTimes(b *testing.B) {
	s := set(b, salient...)
	for _, c := range texts() {
		b.Run(c.name, func(b *testing.B) {
			all := func(text []byte) float64 {
				start := time.Now()
				for at := 0; at >= 0; {
					at, _ = s.Next(text, at+1)
				}
				return time.Since(start).Seconds()
			}
			var short, long []float64
			for b.Loop() {
				short, long = append(short, all(c.text[:size/20])), append(long, all(c.text[:size/2]))
			}
			b.ReportMetric(slices.Min(long)/slices.Min(short), "x-time")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		set(b, salient...)
	}
}
