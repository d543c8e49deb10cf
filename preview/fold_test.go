package preview_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// TestFoldOmitsNoiseAlone: noise is omitted although it would fit, and nothing else is.
func TestFoldOmitsNoiseAlone(t *testing.T) {
	noise := rules(t, nil, []string{`^   Compiling `}, []string{`^    Finished `})
	compiling := numbered(60, "   Compiling crate-%d v1.0.0\n")
	many := ""
	for _, crate := range strings.Fields("apple bread cream dates eggs figs") {
		many += "   Compiling " + crate + " failed: out of room\n"
	}
	finished := "    Finished `dev` profile in 3.1s\nand more\nand the last\n"
	for name, c := range map[string]struct {
		payload, text string
		hints         preview.Hints
	}{
		"noise goes":                {compiling + finished, finished, preview.Hints{Rules: noise}},
		"not without rules":         {compiling + finished, compiling + finished, preview.Hints{}},
		"not from a range":          {compiling + finished, compiling + finished, preview.Hints{Rules: noise, Range: true}},
		"not when it is little":     {numbered(3, "   Compiling crate-%d\n") + finished, numbered(3, "   Compiling crate-%d\n") + finished, preview.Hints{Rules: noise}},
		"not when it is all":        {compiling, compiling, preview.Hints{Rules: noise}},
		"not beside an error":       {compiling + "error: no space\n" + compiling + finished, "   Compiling crate-59 v1.0.0\nerror: no space\n   Compiling crate-0 v1.0.0\n" + finished, preview.Hints{Rules: noise}},
		"not an error":              {compiling + "x\n   Compiling of y failed: error\nx\n" + finished, "x\n   Compiling of y failed: error\nx\n" + finished, preview.Hints{Rules: noise}},
		"not an error of a success": {compiling + "   Compiling of y failed: error\n" + compiling + finished, "   Compiling of y failed: error\n" + finished, preview.Hints{Rules: noise, Succeeded: true}},
		"not one of many errors":    {compiling + many + compiling + finished, "   Compiling crate-59 v1.0.0\n" + many + "   Compiling crate-0 v1.0.0\n" + finished, preview.Hints{Rules: noise}},
		"not the last lines":        {finished + compiling, finished + "   Compiling crate-57 v1.0.0\n   Compiling crate-58 v1.0.0\n   Compiling crate-59 v1.0.0\n", preview.Hints{Rules: noise}},
	} {
		t.Run(name, func(t *testing.T) {
			c.hints.HeadPercent = 25
			p := preview.FromBytes([]byte(c.payload), 2000).Select(ample, tokens.Estimate(), c.hints)
			checkLedger(t, []byte(c.payload), p)
			if p.Text != c.text {
				t.Errorf("shown is\n%s\nwant\n%s", p.Text, c.text)
			}
			for _, cut := range p.Cuts {
				if cut.Kind != preview.CutFolded {
					t.Errorf("%+v", cut)
				}
			}
		})
	}
}

// TestRulesKeepTheirLines: what a rule keeps stays, and does not crowd out errors.
func TestRulesKeepTheirLines(t *testing.T) {
	payload := numbered(200, "line of work, in words, number %d\n") + "the verdict is in\n" + numbered(200, "line of play, in words, number %d\n")
	keep := rules(t, []string{`^the verdict`}, nil, nil)
	p := preview.FromCommand([]byte(payload), 300, keep).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25, Rules: keep})
	if reasonOf(p, 201) != shape.KeepProfile {
		t.Errorf("the line is shown for reason %d:\n%s", reasonOf(p, 201), p.Text)
	}
	hostile := rules(t, []string{`line of work`}, []string{`error`}, nil)
	p = preview.FromCommand([]byte(payload+"error: it broke\n"+payload), 300, hostile).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25, Rules: hostile})
	if !strings.Contains(p.Text, "error: it broke") {
		t.Errorf("rules have hidden an error:\n%s", p.Text)
	}
}

// Whatever rules say, the shown text is in the payload, is not larger than it, and the ledger is right; and every
// line that matters by itself is shown where all lines fit.
func TestRulesCannotLie(t *testing.T) {
	patterns := rapid.SampledFrom([]string{`error`, `.+`, `^FAIL`, `line`, `(?i)warn`, `^\s+at `, `work`})
	rapid.Check(t, func(t *rapid.T) {
		payload := logs().Draw(t, "payload")
		list := func(name string) []string { return rapid.SliceOfN(patterns, 0, 3).Draw(t, name) }
		r, err := linerule.New(nil, list("fold"), nil)
		if err != nil {
			t.Skip(err)
		}
		p := preview.FromBytes(payload, 3000).Select(ample, tokens.Estimate(), preview.Hints{HeadPercent: 25, Rules: r})
		checkLedger(t, payload, p)
		if len(p.Text) > len(payload) {
			t.Fatalf("%d bytes are shown of %d", len(p.Text), len(payload))
		}
		if want, got := strings.Count(string(payload), "error: it broke"), strings.Count(p.Text, "error: it broke"); len(payload) < 12_000 && got < min(want, 1) {
			t.Fatalf("%d errors of %d are shown:\n%s", got, want, p.Text)
		}
	})
}

func rules(t testing.TB, keep, fold, summary []string) *linerule.Rules {
	t.Helper()
	r, err := linerule.New(keep, fold, summary)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
