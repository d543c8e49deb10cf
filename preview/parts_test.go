package preview

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Lines that are passed over are those that reading every line would drop.
func TestPassedOverLinesWouldBeDropped(t *testing.T) {
	ends := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r\r\n", "\r", ""})
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		for range rapid.IntRange(1, 12).Draw(t, "blocks") {
			text := strings.Repeat("a line of it ", rapid.SampledFrom([]int{0, 0, 1, 3, 40, 2000}).Draw(t, "words"))
			line := text[:rapid.IntRange(0, len(text)).Draw(t, "length")] + ends.Draw(t, "end")
			b.WriteString(strings.Repeat(line, rapid.SampledFrom([]int{1, 2, 30, 600, 9000}).Draw(t, "times")))
			if b.Len() > 1<<20 {
				break
			}
		}
		payload := b.Bytes()
		plain := NewWriter(200)
		plain.sniff = payload[:min(len(payload), textscan.SniffBytes)]
		plain.readLines(payload)

		w := NewWriter(200)
		for rest := payload; len(rest) > 0; {
			var parts [][]byte
			n := 0
			for range rapid.IntRange(1, 9).Draw(t, "parts") {
				length := min(len(rest), rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(1, 40_000)).Draw(t, "part"))
				n += bytes.Count(rest[:length], newline)
				parts, rest = append(parts, bytes.Clone(rest[:length])), rest[length:]
			}
			w.WriteParts(parts, n)
			for _, p := range parts { // the writer must not keep them
				clear(p)
			}
			if rapid.IntRange(0, 20).Draw(t, "look") == 0 {
				w.Snapshot()
			}
		}
		budget := Budget{Tokens: 150, Lines: NoLimit, Bytes: NoLimit, LineBytes: 200}
		want, got := plain.Finish(), w.Finish()
		if want.lines != got.lines || want.bytes != got.bytes || len(want.tail) != len(got.tail) {
			t.Fatalf("%d lines, %d bytes, a tail of %d, want %d, %d, %d", got.lines, got.bytes, len(got.tail), want.lines, want.bytes, len(want.tail))
		}
		want.found, want.equals, got.found, got.equals = nil, equals{}, nil, equals{} // the test is of the windows
		if diff := cmp.Diff(want.Select(budget, tokens.Estimate(), Hints{HeadPercent: 25}), got.Select(budget, tokens.Estimate(), Hints{HeadPercent: 25})); diff != "" {
			t.Fatal(diff)
		}
	})
}
