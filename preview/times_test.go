package preview_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/tokens"
)

// A cut log shows no time, in whatever form, and no line that is a time alone; what fits is whole.
func TestCutLogHasNoTimes(t *testing.T) {
	for name, stamp := range map[string]string{
		"ISO": "2026-11-29T10:00:%02d.1234567Z ", "brackets": "[10:00:%02d] ", "syslog": "Nov 29 10:00:%02d ", "kernel": "[   %02d.345678] ",
		"zone": "2026-11-29 10:00:%02d.123 UTC ", "Apache": "[Sun Nov 29 10:00:%02d.123456 2026] ", "epoch": "17644104%02d.123 ",
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 600 {
				text := fmt.Sprintf("short %c%c", 'a'+i%26, 'a'+i/26)
				switch {
				case i == 300:
					text = "error: it broke"
				case i%7 == 0:
					text = ""
				}
				fmt.Fprintf(&b, stamp+"%s\n", i%60, text)
			}
			small := preview.Budget{Tokens: 200, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
			p := preview.FromBytes([]byte(b.String()), small.Tokens).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			checkLedger(t, []byte(b.String()), p)
			if !strings.Contains(p.Text, "\nerror: it broke\n") || regexp.MustCompile(`\d\d[:.]`).MatchString(p.Text) {
				t.Errorf("it shows\n%s", p.Text)
			}
			large := preview.Budget{Tokens: 1 << 20, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
			if p := preview.FromBytes([]byte(b.String()), large.Tokens).Select(large, tokens.Estimate(), preview.Hints{}); p.Text != b.String() {
				t.Error("a text that fits is not whole")
			}
		})
	}
}

// Times stay where they are all that the text says, and in a table, of which they are a column.
func TestTimesThatAreContentStay(t *testing.T) {
	var list, table strings.Builder
	table.WriteString("TIME                 HOST     LOAD   FREE\n")
	for i := range 300 {
		fmt.Fprintf(&list, "2026-11-29 %02d:%02d:00\n", i/60, i%60)
		fmt.Fprintf(&table, "2026-11-29 %02d:%02d:00  db%-3d    %5.2f  %d\n", i/60, i%60, i%4, float64(i%9)/3, 1000+i)
	}
	small := preview.Budget{Tokens: 200, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
	for _, text := range []string{list.String(), table.String()} {
		p := preview.FromBytes([]byte(text), small.Tokens).Select(small, tokens.Estimate(), preview.Hints{})
		checkLedger(t, []byte(text), p)
		if !strings.Contains(p.Text, "2026-11-29 00:00:00") {
			t.Errorf("it shows\n%s", p.Text)
		}
	}
}

// Rules match behind the time of a line, and the line as it is.
func TestRulesMatchBehindTimes(t *testing.T) {
	rules, err := linerule.New([]string{`^2026-.* kept whole`}, []string{`^Downloading `}, []string{`^Plan: \d+ to`})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]linerule.Verdict{
		"2026-11-29T10:00:00Z Plan: 3 to add": linerule.Summary, "[10:00:00] Downloading x": linerule.Fold, "2026-11-29T10:00:00Z kept whole": linerule.Keep,
		"10:00:00 a Plan: 3 to add": linerule.None, "10:00:00": linerule.None,
	} {
		if got := rules.Classify(linerule.Visible([]byte(text))); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if rules.Kept([]byte("[10:00:00] Plan: 1 to add")) != linerule.Summary {
		t.Error("a line to keep is not kept behind its time")
	}
}
