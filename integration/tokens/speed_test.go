package tokens_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolresult/toolresult/tokens"
)

// samples are texts of the kinds that tools print, by their kind.
func samples(tb testing.TB) map[string]string {
	tb.Helper()
	texts := make(map[string]string)
	for _, file := range []struct{ kind, pattern string }{
		{"logs", "../../tokens/testdata/docker_build.txt"},
		{"logs", "../../tokens/testdata/pytest.txt"},
		{"logs", "../../tokens/testdata/rustc.txt"},
		{"logs", "../../tokens/testdata/stack_trace.txt"},
		{"JSON", "../testdata/golden/*/*/canonical.json"},
		{"diff", "testdata/changes.diff"},
		{"ls -lR", "testdata/listing.txt"},
		{"Go source", "../../preview/*.go"},
		{"other scripts", "../../tokens/testdata/prose_[rz]*.txt"},
		{"other scripts", "../../tokens/testdata/status_emoji.txt"},
	} {
		paths, err := filepath.Glob(file.pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				tb.Fatal(err)
			}
			texts[file.kind] += string(content)
		}
	}
	for kind := range texts {
		if len(texts[kind]) < 4096 {
			tb.Fatalf("%s: only %d bytes", kind, len(texts[kind]))
		}
	}
	return texts
}

// count returns how many tokens one of the libraries finds.
type count func(text string) int

// others are what we are measured beside, by name.
func others(tb testing.TB) map[string]count {
	tb.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		tb.Fatal(err)
	}
	reference := pairs(tb)[0].reference
	return map[string]count{
		"tiktoken-go": func(text string) int { n, _ := codec.Count(text); return n },
		"pkoukk":      func(text string) int { return len(reference.EncodeOrdinary(text)) },
		"estimate":    tokens.Estimate().Count,
	}
}

// fastest is the shortest time of some passes over a text.
func fastest(passes int, c count, text string) time.Duration {
	times := make([]time.Duration, passes)
	for i := range times {
		start := time.Now()
		c(text)
		times[i] = time.Since(start)
	}
	return slices.Min(times)
}

// BenchmarkO200k reports beside its own speed how many times as long the others
// take for the same text, in the same run.
func BenchmarkO200k(b *testing.B) {
	ours, libraries := pairs(b)[0], others(b)
	for kind, text := range samples(b) {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				ours.Count(text)
			}
			own := fastest(20, ours.Count, text)
			for name, library := range libraries {
				b.ReportMetric(float64(fastest(5, library, text))/float64(own), "x-"+name)
			}
		})
	}
}

// BenchmarkCorpus is the same over every document of the corpus, each once.
func BenchmarkCorpus(b *testing.B) {
	documents := corpus(b)
	ours, libraries := pairs(b)[0], others(b)
	size := 0
	for _, text := range documents {
		size += len(text)
	}
	all := func(c count) count {
		return func(string) (n int) {
			for _, text := range documents {
				n += c(text)
			}
			return n
		}
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		all(ours.Count)("")
	}
	own := fastest(5, all(ours.Count), "")
	for name, library := range libraries {
		b.ReportMetric(float64(fastest(1, all(library), ""))/float64(own), "x-"+name)
	}
}

// TestSpeed: at least 15 times as fast as the usual library on what tools print, and
// 5 times on scripts without spaces, whose pieces are long and seldom come again.
// When the machine is busy, a try may fail; all of five do not.
func TestSpeed(t *testing.T) {
	ours, usual := pairs(t)[0], others(t)["tiktoken-go"]
	for kind, text := range samples(t) {
		ratio, want := 0.0, 15.0
		if kind == "other scripts" {
			want = 5
		}
		for range 5 {
			ratio = max(ratio, float64(fastest(5, usual, text))/float64(fastest(20, ours.Count, text)))
			if ratio >= want {
				break
			}
		}
		t.Logf("%-16s %.0f x", kind, ratio)
		if ratio < want {
			t.Errorf("%s: %.1f times as fast as the usual library, want %.0f", kind, ratio, want)
		}
	}
}

// shapes are texts of n bytes, about, that are slow for who counts them carelessly.
func shapes() map[string]func(n int) string {
	all := make(map[string]func(int) string)
	for _, unit := range []string{
		"a", "A", "-", "中", "文件已保存", "🚀", " ", "\n", " \t\n", "\u00a0 \u3000\t", "ab", "é", "\u0301", "'s", "Aa中", "0", "\x00",
		"\xff", "a\xff", "//\n", "xyzzy", "0中", " x", "\r", "/",
	} {
		all[unit] = func(n int) string { return strings.Repeat(unit, n/len(unit)) }
	}
	for _, ends := range [][3]string{
		{"", "0", "²"}, {"", " ", "中"}, {"", "A", "—"}, {"中", "A", "—"}, {"\n", " ", "x"}, {"", "-", "中"}, {"", "a", "\u0301"}, {"", "\u3000", "\n"},
	} {
		all[strings.Join(ends[:], "…")] = func(n int) string { return ends[0] + strings.Repeat(ends[1], n/len(ends[1])) + ends[2] }
	}
	return all
}

// TestLinear: ten times the text takes at most 30 times as long: what is quadratic takes 100 times.
func TestLinear(t *testing.T) {
	for _, p := range pairs(t) {
		for name, shape := range shapes() {
			short, long := shape(100_000), shape(1_000_000)
			ratio := math.Inf(1)
			for range 5 {
				ratio = min(ratio, float64(fastest(3, p.Count, long))/float64(fastest(10, p.Count, short)))
				if ratio <= 30 {
					break
				}
			}
			t.Logf("%s, %-12q %.1f x", p.Name(), name, ratio)
			if ratio > 30 {
				t.Errorf("%s, %q: ten times the text takes %.1f times as long, want 30 at most", p.Name(), name, ratio)
			}
		}
	}
}
