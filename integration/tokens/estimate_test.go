package tokens_test

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/tokens"
)

// TestEstimate: on the documents of the corpus, none of which its weights were
// fitted on, the estimate is 8 % off at the most, as a mean of blocks of 4 KiB.
func TestEstimate(t *testing.T) {
	exact, estimate := pairs(t)[0], tokens.Estimate()
	bySource := make(map[string][]float64)
	for path, text := range corpus(t) {
		source := filepath.Base(filepath.Dir(path))
		for _, block := range blocks(text) {
			off := float64(estimate.Count(block))/float64(exact.Count(block)) - 1
			bySource[source] = append(bySource[source], off)
			bySource["all"] = append(bySource["all"], off)
		}
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		all := bySource[source]
		signed, absolute := 0.0, make([]float64, len(all))
		for i, off := range all {
			signed += off / float64(len(all))
			absolute[i] = math.Abs(off)
		}
		slices.Sort(absolute)
		mean := 0.0
		for _, off := range absolute {
			mean += off / float64(len(all))
		}
		t.Logf("%-16s %5d blocks: signed mean %+5.1f %%, mean %4.1f %%, p95 %4.1f %%, max %5.1f %%", source, len(all),
			100*signed, 100*mean, 100*absolute[int(math.Ceil(0.95*float64(len(all))))-1], 100*absolute[len(all)-1])
		if mean > 0.08 && source == "all" {
			t.Errorf("the mean absolute error is %.1f %%, want 8 %% at most", 100*mean)
		}
	}
}

// blocks cuts a text after line ends into blocks of at most 4 KiB, without a last
// one that is short.
func blocks(text string) (out []string) {
	const size = 4096
	for len(text) > size {
		end := strings.LastIndexByte(text[:size], '\n') + 1
		if end == 0 {
			end = size
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	if len(text) >= size/4 {
		out = append(out, text)
	}
	return out
}
