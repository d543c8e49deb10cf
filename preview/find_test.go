package preview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// small is a budget for about twenty lines.
var small = preview.Budget{Tokens: 300, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}

// reasonOf is why a line is shown; 0 when it is not.
func reasonOf(p *preview.Preview, line int64) shape.Reason {
	for _, s := range p.Segments {
		if line >= s.FirstLine && line <= s.LastLine {
			return s.Reason
		}
	}
	return 0
}

// TestMiddleKeepsLinesThatMatter: lines that matter are kept wherever they are, with the reason, in logs that are far larger than any
// window.
func TestMiddleKeepsLinesThatMatter(t *testing.T) {
	for line, reason := range map[string]shape.Reason{
		"src/main.c:12:3: error: expected ';' before '}' token": shape.KeepDiagnostic,
		"--- FAIL: TestParse (0.01s)":                           shape.KeepFailure,
		"panic: runtime error: index out of range [3]":          shape.KeepCrash,
		"Caused by: java.net.ConnectException: refused":         shape.KeepCrash,
		"make: *** [Makefile:39: test] Error 2":                 shape.KeepExit,
		"fatal: not a git repository":                           shape.KeepError,
		"556 tests completed, 1 failed":                         shape.KeepSummary,
	} {
		for _, lines := range []int{100, 5000, 200_000} {
			for _, at := range []int{30, lines / 3, lines - 70} {
				t.Run(fmt.Sprintf("%.12s %d of %d", line, at, lines), func(t *testing.T) {
					t.Parallel()
					var b bytes.Buffer
					for i := range lines {
						if i == at {
							b.WriteString(line + "\n")
						}
						fmt.Fprintf(&b, "step %c%c of the work is being done in /src/%d\n", 'a'+i%26, 'a'+i%23, i)
					}
					p := write(preview.NewWriter(300), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
					checkLedger(t, b.Bytes(), p)
					if got := reasonOf(p, int64(at)+1); got != reason {
						t.Errorf("line %d is kept for reason %d, want %d:\n%s", at+1, got, reason, p.Text)
					}
				})
			}
		}
	}
}

// TestMiddleKeepsHiddenMarkers: colours, links and invisible characters before a marker or inside of it do not hide a line, wherever it is.
func TestMiddleKeepsHiddenMarkers(t *testing.T) {
	for _, line := range []string{
		"\x1b[31m✗\x1b[0m parses an empty file", "  \x1b[31m●\x1b[39m renders nothing", "\x1b[1mpan\x1b[0mic: no", "\x1b]8;;file:///x.go\x1b\\FA\x1b]8;;\x1b\\IL x",
		"\u200b\u2060--- FAIL: TestX", "\ufeffFA\u200bILED tests/x", "✗\ufe0f parses",
	} {
		for _, ending := range []string{"\n", "\x1b[0m\n", " “quoted” – ✓\n"} {
			var b bytes.Buffer
			for i := range 20_000 {
				if i == 10_000 {
					b.WriteString(line + "\n")
				}
				fmt.Fprintf(&b, "step %c%c of the work is being done in /src/%d%s", 'a'+i%26, 'a'+i%23, i, ending)
			}
			p := write(preview.NewWriter(300), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			checkLedger(t, b.Bytes(), p)
			if reasonOf(p, 10_001) == 0 {
				t.Errorf("%q is not in\n%s", line, p.Text)
			}
		}
	}
}

// A rule keeps a line that colours are in, also where the literals of the rule are torn by them.
func TestRulesKeepColouredLines(t *testing.T) {
	rules, err := linerule.New([]string{`^result of`}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for i := range 20_000 {
		if i == 10_000 {
			b.WriteString("\x1b[1mresult\x1b[0m of it\n")
		}
		fmt.Fprintf(&b, "step %c%c is being done in /src/%d\n", 'a'+i%26, 'a'+i%23, i)
	}
	w := preview.NewWriter(300)
	w.Watch(rules)
	p := write(w, b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25, Rules: rules})
	if !strings.Contains(p.Text, "result of it") {
		t.Errorf("it is not in\n%s", p.Text)
	}
}

// logs generates logs with lines that matter, lines around them, and long lines.
func logs() *rapid.Generator[[]byte] {
	lines := rapid.SampledFrom([]string{
		"", "a line of work", "    at frame (file.js:1:2)", "error: it broke", "FAIL pkg/x", "--- FAIL: TestY", "warning: look here", "exit status 3",
		"1) first", "Failed tests:", "2026-01-02T03:04:05Z step", "\x1b[31mERROR\x1b[0m red", "\x1b[31m✗\x1b[0m red", "\x1b[2mer\x1b[0mror torn", "\u200bFAIL x", "\x1b[31m" + strings.Repeat("w", 17<<10) + "\x1b[0mer\x1b[1mror", "10%\r20%\rpanic: progress",
		strings.Repeat("long ", 900), strings.Repeat("long ", 1500) + "error: inside " + strings.Repeat("long ", 1500), strings.Repeat("x", 16<<10),
		strings.Repeat("y", 16<<10+1), strings.Repeat("z", 17<<10) + " fatal end", "fatal begin " + strings.Repeat("\rz", 9<<10),
	})
	return rapid.Map(rapid.SliceOfN(lines, 0, 300), func(l []string) []byte { return []byte(strings.Join(l, "\n")) })
}

// What is found does not depend on how the bytes were split.
func TestFindingIsIndependentOfSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := logs().Draw(t, "payload")
		hints := preview.Hints{HeadPercent: 25, Succeeded: rapid.Bool().Draw(t, "succeeded")}
		b := preview.Budget{
			Tokens: rapid.SampledFrom([]int{40, 300, 3000}).Draw(t, "tokens"), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000,
		}
		want := write(preview.NewWriter(40), payload).Select(b, tokens.Estimate(), hints)
		checkLedger(t, payload, want)
		w, size := preview.NewWriter(40), rapid.SampledFrom([]int{1, 7, 100, 4095, 16 << 10, 64 << 10})
		for rest := payload; len(rest) > 0; {
			n := min(len(rest), size.Draw(t, "size"))
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
			if rapid.IntRange(0, 50).Draw(t, "snapshot") == 0 {
				w.Snapshot().Select(b, tokens.Estimate(), hints)
			}
		}
		if diff := cmp.Diff(want, w.Finish().Select(b, tokens.Estimate(), hints)); diff != "" {
			t.Fatalf("-whole +split:\n%s", diff)
		}
	})
}

// TestFrequentMessageHidesNoOther: a thousand of one message do not crowd out the one of another.
func TestFrequentMessageHidesNoOther(t *testing.T) {
	var b bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&b, "ERROR worker %d: connection reset by peer\n", i%7)
		if i == 9_999 {
			b.WriteString("ERROR disk: no space left on device\n")
		}
	}
	p := write(preview.NewWriter(300), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	if !strings.Contains(p.Text, "no space left on device") {
		t.Errorf("the one that matters is not in\n%s", p.Text)
	}
}

// TestNamesBeforeDetails: where not all fits, every failure by name comes before the details of any.
func TestNamesBeforeDetails(t *testing.T) {
	var b bytes.Buffer
	for i := range 8 {
		fmt.Fprintf(&b, "--- FAIL: Test%c (0.01s)\n", 'A'+i)
		for k := range 30 {
			fmt.Fprintf(&b, "    detail_%c%c: a value of some kind is %d\n", 'a'+k%26, 'a'+i, k)
		}
	}
	p := write(preview.NewWriter(300), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	for i := range 8 {
		if name := fmt.Sprintf("Test%c ", 'A'+i); !strings.Contains(p.Text, name) {
			t.Errorf("%sis not in\n%s", name, p.Text)
		}
	}
	if !strings.Contains(p.Text, "detail_aa") {
		t.Errorf("no detail of the first is in\n%s", p.Text)
	}
}

// TestSuccessLowersErrors: what sounds like an error matters less when the program says that all went well.
func TestSuccessLowersErrors(t *testing.T) {
	var b bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&b, "retry %c%c: it failed, and will be tried again: %d\n", 'a'+i%26, 'a'+i%23, i)
		if i == 1500 {
			b.WriteString("Tests run: 12, Failures: 0, Errors: 0\n")
		}
	}
	most := func(succeeded bool) int { // score of what sounds like an error
		p := write(preview.NewWriter(300), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25, Succeeded: succeeded})
		if !strings.Contains(p.Text, "Tests run: 12") {
			t.Errorf("succeeded %v: the counter is not in\n%s", succeeded, p.Text)
		}
		score := 0
		for _, s := range p.Segments {
			if s.Reason == shape.KeepFailure && s.FirstLine > 100 && s.LastLine < 2900 { // not for its place
				score = max(score, s.Score)
			}
		}
		return score
	}
	if well, badly := most(true), most(false); well >= badly-20 {
		t.Errorf("a retry has score %d after a success, and %d after a failure", well, badly)
	}
}
