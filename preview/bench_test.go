package preview_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// bigLog is 100 MB of log in shape of a build.
func bigLog(ending string) []byte {
	b := make([]byte, 0, 100<<20)
	for i := 0; len(b) < 100<<20-200; i++ {
		b = fmt.Appendf(b, "2026-11-21T10:%02d:%02d.%03dZ [worker-%d] compiling internal/mod%d/file_%d.go (cached=%v)%s",
			i/60%60, i%60, i%1000, i%8, i%97, i%1013, i%3 == 0, ending)
	}
	return b
}

// lower is the floor: one pass that lower-cases ASCII into a buffer that stays
// in the cache.
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

// A payload of 100 MB, from the first byte to the preview, as a ratio to one
// lower-casing pass over the same bytes: over 1 is faster than that.
func BenchmarkThroughput(b *testing.B) {
	for _, c := range []struct {
		name, ending string
		chunk        int
	}{
		{"lines/256KiB", "\n", 256 << 10}, {"lines/16KiB", "\n", 16 << 10}, {"CRLF/256KiB", "\r\n", 256 << 10},
		{"one-line/256KiB", " ", 256 << 10}, {"progress/256KiB", "\r", 256 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			payload, buffer := bigLog(c.ending), make([]byte, 64<<10)
			var ratios, speeds []float64
			for b.Loop() {
				start := time.Now()
				lower(payload, buffer)
				floor := time.Since(start)
				start = time.Now()
				w := preview.NewWriter(2000)
				for piece := range slices.Chunk(payload, c.chunk) {
					_, _ = w.Write(piece)
				}
				p := w.Finish().Select(preview.Budget{Tokens: 2000, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{HeadPercent: 25})
				ours := time.Since(start)
				if p.Bytes != int64(len(payload)) {
					b.Fatal(p.Bytes)
				}
				ratios = append(ratios, floor.Seconds()/ours.Seconds())
				speeds = append(speeds, float64(len(payload))/ours.Seconds()/1e6)
			}
			slices.Sort(ratios)
			slices.Sort(speeds)
			b.ReportMetric(ratios[len(ratios)/2], "x-lower")
			b.ReportMetric(speeds[len(speeds)/2], "MB/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// Reading 64 KB, and ranking, sanitising and counting what is shown of it.
func BenchmarkSelect(b *testing.B) {
	for name, line := range map[string]string{
		"plain": "    at com.example.Service.handle(Service.java:117)\n", "colours": "\x1b[32mok\x1b[0m   example/pkg \x1b[2m0.31s\x1b[0m\n",
		"unicode": "✓ überprüft: 漢字 und 👩\u200d🚀 in Datei\n", "escapes": "\x1b]\x1b]\x1b[\x1b]\x1b]\n",
	} {
		b.Run(name, func(b *testing.B) {
			payload := bytes.Repeat([]byte(line), 64<<10/len(line))
			b.ReportAllocs()
			for b.Loop() {
				preview.FromBytes(payload, 2000).Select(preview.Budget{Tokens: 2000, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			}
		})
	}
}
