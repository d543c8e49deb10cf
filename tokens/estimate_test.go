package tokens_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens"
)

func TestEstimateName(t *testing.T) {
	if got := tokens.Estimate().Name(); got != tokens.EstimateName {
		t.Errorf("Name() = %q, want %q", got, tokens.EstimateName)
	}
}

// TestEstimateUniform holds 4 KiB of one pattern against the exact count: the
// estimate may be far off on such a text, but not absurdly.
func TestEstimateUniform(t *testing.T) {
	exact := mustO200k(t)
	estimate := tokens.Estimate()
	for _, tc := range []struct {
		name, pattern string
		low, high     float64 // of estimate / exact
	}{
		{"small letter", "a", 0.5, 2},
		{"capital letter", "X", 0.3, 4},
		{"digits", "0123456789", 0.99, 1.01},
		{"spaces", " ", 0.9, 1.2},
		{"tabs", "\t", 0.9, 1.2},
		{"newlines", "\n", 0.9, 1.2},
		{"blank lines", "  \n", 0.9, 4},
		{"dashes", "-", 0.5, 4},
		{"mixed marks", "{}()[];,", 0.3, 3},
		{"hexadecimal", "9f86d081884c7d65", 0.8, 1.2},
		{"words", "the quick brown fox ", 0.9, 1.2},
		{"ideographs", "文件已保存", 0.5, 2},
		{"replacement characters", "\uFFFD", 0.1, 2},
		{"box line", "─", 0.3, 8},
		{"emoji", "🚀", 0.4, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Repeat(tc.pattern, blockSize/len(tc.pattern))
			got, want := estimate.Count(text), exact.Count(text)
			ratio := float64(got) / float64(want)
			t.Logf("estimate %d, exact %d: %.2f", got, want, ratio)
			if ratio < tc.low || ratio > tc.high {
				t.Errorf("estimate %d, exact %d: ratio %.2f, want %g to %g", got, want, ratio, tc.low, tc.high)
			}
		})
	}
}

// anyText draws texts that are rich in what the estimate treats specially,
// invalid UTF-8 included.
func anyText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\r\n", "\r", " ", "  ", "\t", "\t\t", " \t", "\n \n", "a", "Z", "HTTPServer", "camelCase",
			"snake_case", "0", "1234567", "3.14", ";", "});", "----", "://", "\x00", "\x1b[0m", "\x7f",
			"é", "中文", "привет", "\u200c", "──", "🚀🚀", "\uFFFD", "\xE2", "\xE2\x94", "\xF0\x9F", "\x80", "\xFF",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 20), func(s []string) string { return strings.Join(s, "") })
}

func TestEstimateAddsUpAtLineEnds(t *testing.T) {
	estimate := tokens.Estimate()
	rapid.Check(t, func(t *rapid.T) {
		a := anyText().Draw(t, "a") + "\n"
		b := anyText().Draw(t, "b") + "\n"
		whole, parts := estimate.Count(a+b), estimate.Count(a)+estimate.Count(b)
		if whole > parts {
			t.Fatalf("Count(a+b) = %d, want at most Count(a)+Count(b) = %d", whole, parts)
		}
	})
}

func TestEstimateBounds(t *testing.T) {
	estimate := tokens.Estimate()
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		got := estimate.Count(text)
		if got > len(text) || (got < 1) != (text == "") {
			t.Fatalf("Count of %d bytes = %d, want 1 to %d, and 0 for the empty text alone", len(text), got, len(text))
		}
	})
}

// TestEstimateEveryCharacter checks the bounds on single characters and on
// every pair of bytes.
func TestEstimateEveryCharacter(t *testing.T) {
	estimate := tokens.Estimate()
	check := func(text string) {
		if got := estimate.Count(text); got < 1 || got > len(text) {
			t.Errorf("Count(%q) = %d, want 1 to %d", text, got, len(text))
		}
	}
	for r := range rune(0x110000) {
		check(string(r))
	}
	for pair := range 1 << 16 {
		check(string([]byte{byte(pair >> 8), byte(pair)}))
	}
}

func TestEstimateDoesNotAllocate(t *testing.T) {
	estimate := tokens.Estimate()
	for kind, text := range testTexts(t) {
		if n := testing.AllocsPerRun(10, func() { estimate.Count(text) }); n != 0 {
			t.Errorf("%s: %.0f allocations a call, want none", kind, n)
		}
	}
}

// TestCountersAreConcurrent lets the race detector see one Counter shared by
// several callers, who must all get the same count.
func TestCountersAreConcurrent(t *testing.T) {
	text := testTexts(t)["prose_en"]
	for _, counter := range []tokens.Counter{tokens.Estimate(), mustO200k(t), mustCL100k(t)} {
		want := counter.Count(text)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got := counter.Count(text); got != want {
					t.Errorf("%s: Count = %d beside other calls, %d alone", counter.Name(), got, want)
				}
			})
		}
		wg.Wait()
	}
}

func ExampleEstimate() {
	counter := tokens.Estimate()
	fmt.Println(counter.Name(), counter.Count("Process exited with code 0\n"))
	// Output: estimate-1 8
}
