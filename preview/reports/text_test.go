package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/salience"
)

// passing are reports in which nothing failed, without their last line end.
var passing = map[string]string{
	"go test": strings.Repeat(`{"Action":"run","Package":"shop","Test":"TestPay"}`+"\n"+`{"Action":"pass","Package":"shop","Test":"TestPay"}`+"\n", 20) + `{"Action":"pass","Package":"shop"}`,
	"Jest":    `{"numTotalTests":2,"success":true,"testResults":[{"name":"/shop/a.test.js","status":"passed","assertionResults":[{"fullName":"pays","title":"pays","status":"passed"}]}]}`,
	"ESLint":  `[{"filePath":"/shop/a.js","messages":[{"ruleId":"semi","severity":1,"message":"Missing semicolon.","line":2}],"errorCount":0}]`,
	"cargo":   `{"type":"suite","event":"started","test_count":1}` + "\n" + `{"type":"test","event":"ok","name":"pays"}`,
	"pytest":  `{"summary":{"passed":1},"tests":[{"nodeid":"shop.py::test_pays","outcome":"passed"}]}`,
	"JUnit":   `<testsuites><testsuite name="shop">` + strings.Repeat("\n"+`<testcase name="pays" classname="shop.Cart"/>`, 20) + "\n</testsuite></testsuites>",
	"TAP":     "TAP version 13\n1..2\nok 1 - pays\nok 2 - ships",
}

// What is printed before, between and after the parts of a report stays as it is,
// and is ranked as any text.
func TestTextBesideAReportStays(t *testing.T) {
	printed := []string{
		"Segmentation fault (core dumped)", "make: *** [Makefile:12: test] Error 139", "fatal error: out of memory (heap at 512 MiB)",
		`Jest: "global" coverage threshold for lines (80%) not met: 42%`, "npm ERR! code ELIFECYCLE", "panic: send on closed channel",
		"cart.go:3:4: undefined: fee", "error: expected <unit> got <cents> [E31]", "[ERROR] the runner ended, 3 handles are open",
	}
	for name, report := range passing {
		for _, line := range printed {
			r := parse(t, []byte(report+"\n"+line+"\n"))
			if !slices.Contains(r.lines, line) {
				t.Errorf("%s: no line %q in\n%s", name, line, strings.Join(r.lines, "\n"))
			}
			least := int(salience.Builtin().Classify([]byte(line)).Score)
			if name == "ESLint" { // it has a finding
				least = min(least, scorePlain)
			}
			if got := r.score(line); got < least {
				t.Errorf("%s: %q has score %d, want %d", name, line, got, least)
			}
		}
		r := parse(t, []byte(report+"\n"+strings.Join(printed, "\n")+"\n"))
		if got := strings.Join(r.lines, "\n"); !strings.Contains(got, strings.Join(printed, "\n")) {
			t.Errorf("%s has\n%s", name, got)
		}
	}
}

// Whatever line is behind a report is in its form as it is.
func TestAnyLineBehindAReportStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"go test", "Jest", "ESLint", "cargo", "pytest", "JUnit", "TAP"}).Draw(t, "report")
		line := rapid.StringMatching(`[a-zA-Z0-9(*=>.][ -;=-~]{0,60}[!-;=-z]`).Draw(t, "line")
		if bytes.HasPrefix([]byte(line), []byte("ok ")) || strings.HasPrefix(line, "1..") || strings.HasPrefix(line, "not ok ") || strings.Contains(line, `{"`) || strings.Contains(line, `{ "`) {
			t.Skip("part of a report")
		}
		r, err := Parse([]byte(passing[name] + "\n" + line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(append([]byte("\n"), r.Text()...), []byte("\n"+line+"\n")) {
			t.Fatalf("%q behind %s is lost:\n%s", line, name, r.Text())
		}
	})
}

// Texts inside of a report that are of no test that passed are ranked as any text.
func TestTextsOutsideOfTestsAreRanked(t *testing.T) {
	events := func(between string) string {
		return `{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + between + "\n" + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n"
	}
	for _, c := range []struct{ name, text, want string }{
		{"output of a suite", `<testsuites><testsuite name="s" errors="1"><testcase name="a"/><system-err>OutOfMemoryError: Java heap space</system-err></testsuite></testsuites>`, "OutOfMemoryError: Java heap space"},
		{"a comment", `<testsuites><!-- ERROR: the runner was killed --><testsuite name="s"><testcase name="a"/></testsuite></testsuites>`, "<!-- ERROR: the runner was killed -->"},
		{"an error of the run", `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>error: Test host process crashed</Text></RunInfo></RunInfos></ResultSummary></TestRun>`, "error: Test host process crashed"},
		{"between events", events("# shop/cart\ncart/a.go:3:4: undefined: fee"), "cart/a.go:3:4: undefined: fee"},
		{"an object that is no event", events(`{"level":"error","msg":"fatal error: disk full"}`), `{"level":"error","msg":"fatal error: disk full"}`},
		{"a test without an end", `{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: runtime error: index out of range\n"}`, "  panic: runtime error: index out of range"},
		{"between points", "1..2\nok 1 - a\npanic: no more memory\nok 2 - b\n", "panic: no more memory"},
		{"behind a cut element", "<testsuite name='s'><testcase name='a'>\nSegmentation fault (core dumped)\n", "Segmentation fault (core dumped)"},
		{"in a cut value", `{"numTotalTests":2,"testResults":[{"name":"a","status":"passed","assertionResults":[{"fullName":"b","status":"passed"},` + "\nfatal error: out of memory\n", "fatal error: out of memory"},
	} {
		r := parse(t, []byte(c.text))
		if got := r.score(c.want); got < salience.MustKeep {
			t.Errorf("%s: score %d of %q in\n%s", c.name, got, c.want, strings.Join(r.lines, "\n"))
		}
	}
}

// Lines of a difference are no frames of go test.
func TestGoDifferencesStay(t *testing.T) {
	r := parse(t, []byte(`{"Action":"output","Package":"p","Test":"T","Output":"--- FAIL: T (0.00s)\n"}`+"\n"+
		`{"Action":"output","Package":"p","Test":"T","Output":"    --- want\n"}`+"\n"+`{"Action":"output","Package":"p","Test":"T","Output":"    +++ got\n"}`+"\n"+
		`{"Action":"fail","Package":"p","Test":"T","Elapsed":0.25}`+"\n"))
	if got := strings.Join(r.lines, "\n"); !strings.Contains(got, "--- want\n") || !strings.Contains(got, "fail p T 0.25s") || strings.Contains(got, "--- FAIL") {
		t.Errorf("%s", got)
	}
}

// All values and texts of a report are in its readable form, which is what the
// handle of a receipt names.
func TestNothingOfAReportIsLost(t *testing.T) {
	for _, p := range programs {
		t.Run(p.file, func(t *testing.T) {
			text := readFile(t, p.file)
			r, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			form := strings.Join(strings.Fields(string(r.Text())), " ")
			lost := 0
			for _, value := range valuesOf(t, p.file, text) {
				for line := range strings.Lines(visibleText(value)) {
					if line = strings.Join(strings.Fields(line), " "); !strings.Contains(form, line) {
						if lost++; lost < 10 {
							t.Errorf("lost: %q", line)
						}
					}
				}
			}
		})
	}
}

// valuesOf returns the values and texts of a report.
func valuesOf(t *testing.T, file string, text []byte) (values []string) {
	switch filepath.Ext(file) {
	case ".xml":
		d := xml.NewDecoder(bytes.NewReader(text))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return values
			}
			if err != nil {
				t.Fatal(err)
			}
			switch token := token.(type) {
			case xml.CharData:
				values = append(values, string(token))
			case xml.Comment:
				values = append(values, string(token))
			case xml.StartElement:
				for _, a := range token.Attr {
					values = append(values, a.Value)
				}
			}
		}
	case ".json":
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		for {
			var value any
			if err := d.Decode(&value); errors.Is(err, io.EOF) {
				return values
			} else if err != nil {
				t.Fatal(err)
			}
			if event, is := value.(map[string]any); is && event["Action"] != nil { // of go test
				output, _ := event["Output"].(string)
				if !isGoFrame(output) {
					values = append(values, output)
				}
				continue
			}
			values = append(values, stringsIn(value)...)
		}
	}
	for line := range strings.Lines(string(text)) { // of TAP: names of subtests are said again behind them
		line = strings.TrimPrefix(strings.TrimSpace(line), "#")
		line = strings.TrimPrefix(line, "not ok ")
		if key, value, is := strings.Cut(line, ": "); is && !strings.Contains(key, " ") { // of YAML
			line = strings.Trim(value, `'"|>-`)
		}
		if !strings.HasPrefix(line, " Subtest: ") && line != "---" && line != "..." {
			values = append(values, line)
		}
	}
	return values
}

// stringsIn returns the strings and numbers in a value.
func stringsIn(value any) (values []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			values = append(values, stringsIn(v)...)
		}
	case []any:
		for _, v := range value {
			values = append(values, stringsIn(v)...)
		}
	case string:
		values = append(values, value)
	case json.Number:
		values = append(values, value.String())
	}
	return values
}
