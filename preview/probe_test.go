package preview_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// A text with many bytes a token is shown whole where it just fits, though a part of it is counted before the rest is read:
// runs of line ends and blanks may cost less than their beginning.
func TestLongTextThatJustFitsIsWhole(t *testing.T) {
	t.Parallel()
	exact, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	for _, counter := range []tokens.Counter{exact, tokens.Estimate()} {
		for _, unit := range []string{" international information", "\n", "  \n", "    \n\n", strings.Repeat("=", 32) + "\n", " configuration\n", "\r\n\r\n"} {
			for n := 20; n < 4000; n += 317 {
				seen := "green\n" + strings.Repeat(unit, n) + "\nend\n"
				cost := counter.Count(seen)
				for more := range 4 {
					b := preview.Budget{Tokens: cost + more, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 1 << 20}
					e := preview.FromCommand([]byte("\x1b[32m"+seen[:5]+"\x1b[0m"+seen[5:]), 40_000, nil)
					if p := e.Select(b, counter, preview.Hints{Range: true}); strings.Count(p.Text, "\n") < int(p.Lines)-1 {
						t.Fatalf("%d times %q, %d tokens over its cost: %d lines of %d", n, unit, more, strings.Count(p.Text, "\n"), p.Lines)
					}
				}
			}
		}
	}
}
