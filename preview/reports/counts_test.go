package reports

import (
	"slices"
	"strings"
	"testing"
)

// Every test that failed is counted, and what each printed is there.
func TestFailuresThatAreAlikeAreCounted(t *testing.T) {
	failing := func(suite, printed string) string {
		return `<testsuite name="` + suite + `"><testcase classname="shop.Cart" name="pays"><failure message="no fee"/><system-out>` + printed + `</system-out></testcase></testsuite>`
	}
	for _, c := range []struct {
		name, text, total string
		heads             []string
		says              string
	}{
		{"in two suites", "<testsuites>" + failing("chrome", "tab 1 crashed") + failing("firefox", "tab 2 crashed") + "</testsuites>", "2 of 2 failed",
			[]string{"FAILED chrome > shop.Cart > pays", "FAILED firefox > shop.Cart > pays"}, "  tab 2 crashed"},
		{"the same in all", `<testsuite name="s">` + strings.Repeat(`<testcase name="pays"><failure message="no fee"/></testcase>`, 5) + `<testcase name="b"/></testsuite>`, "5 of 6 failed",
			[]string{"FAILED s > pays (5 times)"}, "  no fee"},
		{"in a second list of JSON", `{"stats":{},"tests":[{"title":"pays","fullTitle":"pays","err":{"message":"no fee"}}],"passes":[],"failures":[{"title":"pays","fullTitle":"pays","err":{"message":"no fee"}}]}`, "1 failed",
			[]string{"FAILED pays"}, "  no fee"},
		{"a name that is cut", `<testcase name="` + strings.Repeat("pays ", 100) + `twice"><failure/></testcase>`, "1 of 1 failed", nil, "twice"},
		{"points without a name", "1..3\nok 1\nnot ok 2\nnot ok 3\n", "2 of 3 failed", []string{"not ok 2", "not ok 3"}, "not ok 3"},
		{"a point without a number", "TAP version 13\nok - pays\nnot ok - ships\n1..2\n", "1 of 2 failed", []string{"not ok - ships"}, "not ok - ships"},
		{"a word that is no directive", "1..1\nnot ok 1 - rope # skipping fails\n", "1 of 1 failed", []string{"not ok 1 - rope # skipping fails"}, ""},
		{"a test of a class without a name", `<testsuites><testsuite name="s"><testcase name="" classname="shop.Cart"><error message="no database"/></testcase><testcase name="a"/></testsuite></testsuites>`, "1 of 2 failed",
			[]string{"FAILED shop.Cart"}, "  no database"},
		{"a test without a name", `<testsuite><testcase><error message="no database"/></testcase><testcase name="a"/></testsuite>`, "1 of 2 failed", []string{"FAILED (no name)"}, "  no database"},
		{"an empty title", `{"numTotalTests":1,"testResults":[{"name":"a.js","assertionResults":[{"title":"","fullName":"","status":"failed","failureMessages":["no fee"]}]}]}`, "1 failed", []string{"FAILED a.js > (no name)"}, "  no fee"},
		{"a suite by itself", `<test-run result="Failed"><test-suite name="Shop" result="Failed"><failure><message>OneTimeSetUp: no database</message></failure>` +
			strings.Repeat(`<test-case name="a" result="Passed"><output>row</output></test-case>`, 3) + `</test-suite></test-run>`, "1 suite failed", []string{"FAILED Shop"}, "  OneTimeSetUp: no database"},
		{"a suite and a test", `<test-run><test-suite name="A" result="Failed"><failure><message>no database</message></failure><test-case name="a" result="Passed"/></test-suite><test-suite name="B" result="Failed"><test-case name="b" result="Failed"/></test-suite></test-run>`,
			"1 of 2 failed, 1 suite failed", []string{"FAILED A", "FAILED B > b"}, "  no database"},
		{"in a suite that says it passed", `<test-run result="Passed"><test-suite name="A" result="Passed"><test-case name="a" fullname="A.a" result="Failed"><failure><message>no fee</message></failure></test-case><test-case name="b" result="Passed"/></test-suite></test-run>`,
			"1 of 2 failed", []string{"FAILED A.a"}, "  no fee"},
		{"in a file that says it passed", `{"numTotalTests":1,"testResults":[{"name":"a.js","status":"passed","assertionResults":[{"fullName":"pays","status":"failed","failureMessages":["no fee"]}]}]}`, "1 failed", []string{"FAILED a.js > pays"}, "  no fee"},
		{"capital letters", `<TESTSUITE NAME="s"><TESTCASE NAME="pays"><FAILURE MESSAGE="no fee"/></TESTCASE></TESTSUITE>`, "1 of 1 failed", []string{"FAILED s > pays"}, "  no fee"},
		{"no quotes", `<testsuite name=s><testcase name=pays><failure message=none/></testcase></testsuite>`, "1 of 1 failed", []string{"FAILED s > pays"}, "  none"},
		{"a message within what it printed", `<testsuite name="s"><testcase name="pays"><failure message="m"/><system-out>of chrome</system-out></testcase></testsuite>`, "1 of 1 failed", []string{"FAILED s > pays"}, "  m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := parse(t, []byte(c.text))
			if r.lines[0] != c.total {
				t.Errorf("begins with %q, want %q", r.lines[0], c.total)
			}
			if got := r.heads(); c.heads != nil && !slices.Equal(got, c.heads) {
				t.Errorf("failed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.heads, "\n"))
			}
			if !strings.Contains(strings.Join(r.lines, "\n"), c.says) {
				t.Errorf("no %q in\n%s", c.says, strings.Join(r.lines, "\n"))
			}
		})
	}
}

// A suite that failed by itself does not hide its tests.
func TestTestsOfAFailedSuiteAreInTheRest(t *testing.T) {
	r := parse(t, []byte(`<test-run><test-suite name="Shop" result="Failed"><failure><message>no database</message></failure><results><test-case name="Pays" result="Passed"/></results></test-suite></test-run>`))
	if got := r.score("Pays"); got > scoreCounted || !slices.ContainsFunc(r.lines, func(line string) bool { return strings.Contains(line, "test-case name=Pays") }) {
		t.Errorf("score %d in\n%s", got, strings.Join(r.lines, "\n"))
	}
}

// The levels of SARIF are those of its results, of their rules, or the default.
func TestLevelsOfSARIF(t *testing.T) {
	rules := `"rules":[{"id":"sql","defaultConfiguration":{"level":"error"}},{"id":"name"},{"id":"style","defaultConfiguration":{"level":"note"}}]`
	for _, c := range []struct{ name, driver, result, want string }{
		{"of the result", rules, `"ruleId":"sql","level":"note"`, "note: m [sql]"},
		{"of the rule", rules, `"ruleId":"sql"`, "error: m [sql]"},
		{"of a more general rule", rules, `"ruleId":"sql/7"`, "error: m [sql/7]"},
		{"by a reference", rules, `"rule":{"id":"sql"}`, "error: m"},
		{"of a rule without one", rules, `"ruleId":"name"`, "warning: m [name]"},
		{"without a rule", rules, `"ruleId":"other"`, "warning: m [other]"},
		{"of an extension", `"name":"x"},"extensions":[{` + rules + `}],"y":{`, `"ruleId":"sql"`, "error: m [sql]"},
		{"of another kind", rules, `"ruleId":"sql","kind":"review"`, "review: m [sql]"},
		{"rejected", rules, `"ruleId":"sql","suppressions":[{"status":"rejected"}]`, "error: m [sql]"},
		{"suppressed", rules, `"ruleId":"sql","suppressions":[{"kind":"inSource"}]`, ""},
		{"absent", rules, `"ruleId":"sql","baselineState":"absent"`, ""},
		{"passed", rules, `"ruleId":"sql","kind":"pass"`, ""},
	} {
		r := parse(t, []byte(`{"version":"2.1.0","runs":[{"tool":{"driver":{`+c.driver+`}},"results":[{`+c.result+`,"message":{"text":"m"}},{"message":{"text":"last"},"level":"note"}]}]}`))
		want := c.want
		if want == "" {
			want = "note: last"
		}
		if r.lines[1] != want {
			t.Errorf("%s: %q, want %q", c.name, r.lines[1], want)
		}
	}
}

// Findings of checkers are counted after those that are there twice.
func TestFindingsAreCounted(t *testing.T) {
	result := `{"level":"error","message":{"text":"m"},"ruleId":"r"}`
	for _, c := range []struct{ name, text, want string }{
		{"two runs with the same", `{"runs":[{"tool":{"driver":{}},"results":[` + result + `]},{"tool":{"driver":{}},"results":[` + result + `]}]}`, "1 finding, 1 of them an error"},
		{"twice in one run", `{"runs":[{"tool":{"driver":{}},"results":[` + result + `,` + result + `]}]}`, "2 findings, 2 of them errors"},
		{"a message that is suppressed", `[{"filePath":"a.js","messages":[{"ruleId":"a","severity":1,"message":"m"}],"suppressedMessages":[{"ruleId":"b","severity":2,"message":"n"}]}]`, "1 finding, 0 of them errors"},
		{"words in the rule", `{"runs":[{"tool":{"driver":{}},"results":[{"ruleId":"r","message":{"id":"default","arguments":["strcpy"]}}]}]}`, "1 finding, 0 of them errors"},
		{"no level", `<checkstyle><file name="a"><error line="1" source="x" message="m"/></file></checkstyle>`, "1 finding"},
	} {
		r := parse(t, []byte(c.text))
		if r.lines[0] != c.want {
			t.Errorf("%s: %q, want %q", c.name, r.lines[0], c.want)
		}
		if strings.Contains(c.text, "strcpy") && r.lines[1] != "warning: default strcpy [r]" {
			t.Errorf("%s: %q", c.name, r.lines[1])
		}
	}
}
