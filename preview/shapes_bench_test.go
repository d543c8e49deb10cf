package preview_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// hostile are texts of about n bytes that make work for somebody.
func hostile(n int) map[string][]byte {
	numbered := func(format string) []byte {
		b := make([]byte, 0, n+200)
		for i := 0; len(b) < n; i++ {
			b = fmt.Appendf(b, format, i)
		}
		return b
	}
	return map[string][]byte{
		"giant line":        append(bytes.Repeat([]byte("word and error: "), n/16), '\n'),
		"one letter":        bytes.Repeat([]byte("e"), n),
		"one letter a line": bytes.Repeat([]byte("e\n"), n/2),
		"only matches":      numbered("src/file.c:%d:3: error: something is wrong here\n"),
		"other matches":     numbered("error %[1]d of part%[1]d: %[1]x failed, %[1]o not found\n"),
		"near duplicates":   numbered("worker 7 has done step %d of many steps\n"),
		"escapes":           numbered("\x1b[2K\x1b[1G\x1b[31merror\x1b[0m \x1b[1m%d\x1b[22m\b\b\x1b]0;t\a\n"),
		"names that fail":   numbered("--- FAIL: TestNumber%d (0.00s)\n"),
		"empty lines":       bytes.Repeat([]byte("\n"), n),
	}
}

// Ten times the input takes at most fourteen times as long, whatever its shape.
func BenchmarkHostile(b *testing.B) {
	const small = 1 << 20
	pass := func(payload []byte) time.Duration {
		start := time.Now()
		w := preview.NewWriter(2000)
		for len(payload) > 0 {
			n := min(len(payload), 256<<10)
			_, _ = w.Write(payload[:n])
			payload = payload[n:]
		}
		w.Finish().Select(preview.Budget{Tokens: 2000, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{HeadPercent: 25})
		return time.Since(start)
	}
	large := hostile(10 * small)
	for name, payload := range hostile(small) {
		b.Run(name, func(b *testing.B) {
			fast, slow := time.Hour, time.Hour
			for b.Loop() {
				fast, slow = min(fast, pass(payload)), min(slow, pass(large[name]))
			}
			b.ReportMetric(slow.Seconds()/fast.Seconds(), "x-for-10x")
			b.ReportMetric(float64(len(large[name]))/slow.Seconds()/1e6, "MB/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
