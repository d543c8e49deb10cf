package preview_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/tokens"
)

// A text that is known by its first lines keeps its lines wherever they are, however it was split.
func TestKnownTextIsIndependentOfSplits(t *testing.T) {
	signs, err := linerule.New(nil, nil, []string{`^Refreshing \d+`})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := linerule.New([]string{`must be replaced`}, []string{`^Refreshing `}, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := linerule.NewTexts([]linerule.Text{{Signs: signs, Rules: rules}})
	if err != nil {
		t.Fatal(err)
	}
	unnamed := (*linerule.Rules)(nil).Among(texts)
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		lines := rapid.IntRange(1, 6000).Draw(t, "lines")
		odd := rapid.IntRange(0, lines-1).Draw(t, "odd")
		for i := range lines {
			switch {
			case i < 5:
				fmt.Fprintf(&b, "Refreshing %d\n", i)
			case i == odd:
				b.WriteString("# x must be replaced\n")
			default:
				fmt.Fprintf(&b, "      attribute %d of it is as it was\n", i%7)
			}
		}
		small := preview.Budget{Tokens: 300, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
		hints := preview.Hints{HeadPercent: 25, Rules: unnamed}
		want := preview.FromCommand(b.Bytes(), small.Tokens, unnamed).Select(small, tokens.Estimate(), hints)
		checkLedger(t, b.Bytes(), want)
		if odd >= 5 && !bytes.Contains([]byte(want.Text), []byte("must be replaced")) {
			t.Fatalf("the line to keep is not in\n%s", want.Text)
		}
		w := preview.NewWriter(small.Tokens)
		w.Watch(unnamed)
		for rest := b.Bytes(); len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 40_000).Draw(t, "size"))
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, w.Finish().Select(small, tokens.Estimate(), hints)); diff != "" {
			t.Fatalf("-whole +split:\n%s", diff)
		}
	})
}
