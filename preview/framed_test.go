package preview_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// deployment is JSON of which most is no list of records.
func deployment() string {
	var labels, more []string
	for i := range 60 {
		labels, more = append(labels, fmt.Sprintf(`"label-%d":"value %d"`, i, i)), append(more, fmt.Sprintf(`"key-%d":%d`, i, i))
	}
	return `{"kind":"Deployment","labels":{` + strings.Join(labels, ",") + `},"status":{"reason":"MinimumReplicasUnavailable","message":"image pull failed"},"more":{` + strings.Join(more, ",") + `}}`
}

// readFramed reads a text as a value with lines around it.
func readFramed(t failer, text string) *preview.Framed {
	r, err := preview.ReadJSON([]byte(text), 4000, tokens.Estimate())
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	f, ok := r.(*preview.Framed)
	if !ok {
		t.Fatalf("%T: %q", r, text)
	}
	return f
}

// checkFramed selects, and checks the ledger and the budget.
func checkFramed(t failer, f *preview.Framed, b preview.Budget) *preview.Preview {
	p := f.Select(b, tokens.Estimate(), preview.Hints{})
	checkLedger(t, f.Text(), p)
	checkFits(t, p, b)
	for i := range p.Cuts {
		if c := &p.Cuts[i]; c.Kind == preview.CutMiddle && i > 0 && p.Cuts[i-1].Kind == preview.CutMiddle && p.Cuts[i-1].ByteEnd == c.ByteStart {
			t.Fatalf("cuts %+v and %+v are one", p.Cuts[i-1], *c)
		}
	}
	return p
}

func TestLinesAroundJSONAreShown(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"Asking for it ...\n", "\nHTTP 500 in 2.1s\n"}, {"", "500"}, {"npm warn config\nnpm warn old\n", ""}, {"[1] a\n\n", "\n\nbye\n"},
	} {
		f := readFramed(t, c.before+deployment()+c.after)
		p := checkFramed(t, f, budgetOf(250))
		for line := range strings.Lines(c.before + `  "status": {` + "\n" + `    "message": "image pull failed"` + "\n" + c.after) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.Contains("\n"+p.Text, "\n"+line+"\n") {
				t.Errorf("%q is not in\n%s", line, p.Text)
			}
		}
		if whole := checkFramed(t, f, budgetOf(4000)); whole.Text != string(f.Text()) || !whole.Whole() {
			t.Errorf("%d of %d bytes", len(whole.Text), f.Bytes())
		}
		for n := range 120 { // lines around it do not crowd out the value
			checkFramed(t, f, budgetOf(n))
		}
	}
}

func TestTextWithoutOneValueIsNotFramed(t *testing.T) {
	for name, text := range map[string]string{
		"much around":   strings.Repeat("words and words\n", 19) + deployment() + strings.Repeat("\nwords and words", 19),
		"a cut value":   "a\n" + deployment()[:2000],
		"a second one":  deployment() + "\n" + deployment(),
		"colours":       "\x1b[1ma\x1b[0m\n" + deployment(),
		"hidden signs":  "a\u200b\n" + deployment(),
		"in its line":   "answer: " + deployment(),
		"no JSON":       "a\n" + strings.ReplaceAll(deployment(), ":", "="),
		"two that lean": "a\n" + deployment()[1:],
	} {
		if r, err := preview.ReadJSON([]byte(text), 300, tokens.Estimate()); !errors.Is(err, shape.ErrNotJSON) {
			t.Errorf("%s: %T, %v", name, r, err)
		}
	}
}

func TestFramedLedgerAddsUp(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "Fetching", "error: connection lost", "200", "[…10:]", "a\tb"}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		around := lines.Draw(t, "before")
		at := len(around)
		around = append(append(around, jsonTexts().Draw(t, "value")), lines.Draw(t, "after")...)
		r, err := preview.ReadJSON([]byte(strings.Join(around, "\n")), 4000, tokens.Estimate())
		if err != nil || around[at] == "" {
			t.Skip("no container")
		}
		if f, ok := r.(*preview.Framed); ok {
			checkFramed(t, f, budgets().Draw(t, "budget"))
		}
	})
}
