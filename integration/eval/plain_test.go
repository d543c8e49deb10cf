package eval_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/tokens"
)

// Plain cuts are within their budget, valid, and waste less than a line of it.
func TestPlainCuts(t *testing.T) {
	t.Parallel()
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"error: é", "\n", "  at main.go:12 ", "日本語", "{\"a\":1}"}), 1, 400).Draw(t, "text"), "")
		budget := rapid.IntRange(40, 300).Draw(t, "budget")
		for name, cut := range map[string]string{"tail": eval.Tail(counter, text, budget), "head and tail": eval.HeadAndTail(counter, text, budget)} {
			n := counter.Count(cut)
			if n > budget || !utf8.ValidString(cut) {
				t.Errorf("%s: %d tokens, and %d are allowed: %q", name, n, budget, cut)
			}
			if cut != text && n < budget-20 {
				t.Errorf("%s: %d tokens of %d", name, n, budget)
			}
		}
		if cut := eval.Tail(counter, text, budget); !strings.HasSuffix(text, cut) {
			t.Errorf("%q is no end of the text", cut)
		}
	})
}
