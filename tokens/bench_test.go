package tokens_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/tokens"
)

// benchText is all of testdata, about 110 KB.
func benchText(b *testing.B) string {
	texts := testTexts(b)
	var all strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		all.WriteString(texts[kind])
	}
	return all.String()
}

// BenchmarkEstimate reports beside its own speed how many times longer it takes
// than a plain loop that lowers the case of the same bytes in the same run.
func BenchmarkEstimate(b *testing.B) {
	text := benchText(b)
	counter := tokens.Estimate()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		counter.Count(text)
	}
	estimate := b.Elapsed()
	dst := make([]byte, len(text))
	start := time.Now()
	for range b.N {
		lower(dst, text)
	}
	b.ReportMetric(float64(estimate)/float64(time.Since(start)), "x-lower-casing")
}

func lower(dst []byte, src string) {
	for i := range len(src) {
		c := src[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst[i] = c
	}
}

// BenchmarkEstimateHostile shows that the time per byte does not grow with the
// length of a run.
func BenchmarkEstimateHostile(b *testing.B) {
	counter := tokens.Estimate()
	for name, pattern := range map[string]string{
		"letter": "a", "case": "aA", "mark": "-", "space": " ", "newline": "\n", "emoji": "🚀", "invalid": "\xE2",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(pattern, 1<<20/len(pattern))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				counter.Count(text)
			}
		})
	}
}

// BenchmarkExact reports beside its own speed how many times as long as the
// estimate it takes for the same text, in the same run: for all of testdata, and
// for one block of it.
func BenchmarkExact(b *testing.B) {
	text := benchText(b)
	for _, counter := range []tokens.Counter{mustO200k(b), mustCL100k(b)} {
		for _, size := range []int{blockSize, len(text)} {
			b.Run(fmt.Sprintf("%s/%d", counter.Name(), size), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					counter.Count(text[:size])
				}
				exact := b.Elapsed()
				start := time.Now()
				for range b.N {
					tokens.Estimate().Count(text[:size])
				}
				b.ReportMetric(float64(exact)/float64(time.Since(start)), "x-estimate")
			})
		}
	}
}
