package tokens_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/tokens"
)

// The promise of the default estimate, on 4 KiB blocks of kinds of text that
// its weights were not fitted on.
const (
	meanLimit = 0.08
	p95Limit  = 0.20
)

// blockSize is the longest text that is measured as one, in bytes.
const blockSize = 4096

// TestEstimateError compares the estimate with the exact count on every kind
// of testdata, none of which the weights were fitted on.
func TestEstimateError(t *testing.T) {
	exact := mustO200k(t)
	estimate := tokens.Estimate()
	var all []float64
	for kind, text := range testTexts(t) {
		var signed []float64
		for _, block := range blocks(text) {
			want := exact.Count(block)
			got := estimate.Count(block)
			signed = append(signed, float64(got)/float64(want)-1)
		}
		all = append(all, signed...)
		s := summarise(signed)
		t.Logf("%-16s %2d blocks: signed mean %+5.1f %%, mean %4.1f %%, max %4.1f %%",
			kind, len(signed), 100*s.signed, 100*s.mean, 100*s.max)
		if s.mean > p95Limit {
			t.Errorf("%s: mean absolute error %.1f %%, want at most %.0f %% of any kind",
				kind, 100*s.mean, 100*p95Limit)
		}
	}
	s := summarise(all)
	t.Logf("all: %d blocks: signed mean %+.1f %%, mean %.1f %%, p95 %.1f %%, max %.1f %%",
		len(all), 100*s.signed, 100*s.mean, 100*s.p95, 100*s.max)
	if s.mean > meanLimit || s.p95 > p95Limit {
		t.Errorf("mean absolute error %.1f %%, p95 %.1f %%; want at most %.0f %% and %.0f %%",
			100*s.mean, 100*s.p95, 100*meanLimit, 100*p95Limit)
	}
}

// errorSummary describes relative errors; 1 is 100 %.
type errorSummary struct{ signed, mean, p95, max float64 }

func summarise(signed []float64) (s errorSummary) {
	n := float64(len(signed))
	absolute := make([]float64, 0, len(signed))
	for _, e := range signed {
		s.signed += e / n
		s.mean += math.Abs(e) / n
		absolute = append(absolute, math.Abs(e))
	}
	slices.Sort(absolute)
	s.p95 = absolute[int(math.Ceil(0.95*n))-1]
	s.max = absolute[len(absolute)-1]
	return s
}

// blocks cuts text after line ends into blocks of at most blockSize bytes. A
// last block that is short, and would weigh too much, is omitted.
func blocks(text string) (out []string) {
	for len(text) > blockSize {
		end := strings.LastIndexByte(text[:blockSize], '\n') + 1
		if end == 0 {
			end = blockSize
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	if len(text) >= blockSize/4 || len(out) == 0 {
		out = append(out, text)
	}
	return out
}

// testTexts returns the texts of testdata by kind.
func testTexts(tb testing.TB) map[string]string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no texts in testdata: %v", err)
	}
	texts := make(map[string]string, len(paths))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(path), ".txt")] = string(content)
	}
	return texts
}

func mustO200k(tb testing.TB) tokens.Counter {
	tb.Helper()
	counter, err := tokens.O200k()
	if err != nil {
		tb.Fatal(err)
	}
	return counter
}
