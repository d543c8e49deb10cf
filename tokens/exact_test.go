package tokens_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens"
)

func TestExactNames(t *testing.T) {
	for want, counter := range map[string]tokens.Counter{"o200k_base": mustO200k(t), "cl100k_base": mustCL100k(t)} {
		if got := counter.Name(); got != want {
			t.Errorf("Name() = %q, want %q", got, want)
		}
	}
}

// TestExactCounts has a few counts of tiktoken 0.14.0, so that one sees what the
// counters do; bpe has the hard cases.
func TestExactCounts(t *testing.T) {
	o200k, cl100k := mustO200k(t), mustCL100k(t)
	for _, c := range []struct {
		text                  string
		wantO200k, wantCL100k int
	}{
		{"", 0, 0},
		{"Process exited with code 0\n", 7, 7},
		{"HTTPServer.handleRequest(ctx)", 6, 6},
		{"1234567890", 4, 4},
		{"don't", 1, 2},
		{"\n \n", 1, 1},
		{"привет, мир", 4, 7},
		{"<|endoftext|>", 7, 7},
	} {
		if got := o200k.Count(c.text); got != c.wantO200k {
			t.Errorf("o200k: Count(%q) = %d, want %d", c.text, got, c.wantO200k)
		}
		if got := cl100k.Count(c.text); got != c.wantCL100k {
			t.Errorf("cl100k: Count(%q) = %d, want %d", c.text, got, c.wantCL100k)
		}
	}
}

func TestExactBounds(t *testing.T) {
	for _, counter := range []tokens.Counter{mustO200k(t), mustCL100k(t)} {
		rapid.Check(t, func(t *rapid.T) {
			text := anyText().Draw(t, "text")
			got := counter.Count(text)
			if got > len(text) || (got < 1) != (text == "") {
				t.Fatalf("Count of %d bytes = %d, want 1 to %d, and 0 for the empty text alone", len(text), got, len(text))
			}
		})
	}
}

// TestExactInvalidUTF8: a byte that is no character counts as U+FFFD.
func TestExactInvalidUTF8(t *testing.T) {
	counter := mustO200k(t)
	for _, text := range []string{"\xff", "\xe2\x94", "a\x80b", "a\xff \xfe\n", strings.Repeat("\xc3", 100)} {
		repaired := string([]rune(text))
		if got, want := counter.Count(text), counter.Count(repaired); got != want {
			t.Errorf("Count(%q) = %d, want the %d of %q", text, got, want, repaired)
		}
	}
}

func mustCL100k(tb testing.TB) tokens.Counter {
	tb.Helper()
	counter, err := tokens.CL100k()
	if err != nil {
		tb.Fatal(err)
	}
	return counter
}
