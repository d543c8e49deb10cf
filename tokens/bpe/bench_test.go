package bpe_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/tokens/bpe"
)

// BenchmarkLoad reports beside the time of loading a vocabulary the memory that it
// keeps.
func BenchmarkLoad(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			var kept *bpe.Vocabulary
			before := heap()
			for b.Loop() {
				v, err := bpe.Load(s.packed, s.tokens)
				if err != nil {
					b.Fatal(err)
				}
				kept = v
			}
			b.ReportMetric(float64(heap()-before)/(1<<20), "MiB-kept")
			runtime.KeepAlive(kept)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkHostile shows that the time per byte does not grow with the length of a
// piece. integration/tokens has more shapes, and asserts it.
func BenchmarkHostile(b *testing.B) {
	v := subjects(b)[0]
	for _, unit := range []string{"a", "-", "中", "🚀", " ", "\n", " \t\n"} {
		for _, size := range []int{100_000, 1_000_000} {
			text := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					v.Count(text)
				}
			})
		}
	}
}
