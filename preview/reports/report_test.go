package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// report is a form with the ranks of its lines.
type report struct {
	lines []string
	ranks []shape.Ranked
}

// parse reads a report, which must be one.
func parse(t *testing.T, text []byte) report {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatalf("%v: %.80q", err, text)
	}
	got := report{lines: strings.SplitAfter(strings.TrimSuffix(string(r.Text()), "\n"), "\n")}
	if len(got.lines) != r.Len() {
		t.Fatalf("%d lines, and %d ranks", len(got.lines), r.Len())
	}
	for i := range got.lines {
		got.lines[i] = strings.TrimSuffix(got.lines[i], "\n")
		got.ranks = append(got.ranks, shape.Ranked{Line: &textscan.Line{Text: []byte(got.lines[i])}, Number: int64(i) + 1})
	}
	r.Rank(got.ranks, false)
	return got
}

// heads returns the names of what failed.
func (r report) heads() (list []string) {
	for i := range r.ranks {
		if r.ranks[i].Reason == shape.KeepFailure && !strings.HasPrefix(r.lines[i], " ") && r.ranks[i].Score > scoreCounts {
			list = append(list, r.lines[i])
		}
	}
	return list
}

// score returns the highest score of the lines that have a text.
func (r report) score(text string) int {
	best := -1
	for i, line := range r.lines {
		if strings.Contains(line, text) {
			best = max(best, r.ranks[i].Score)
		}
	}
	return best
}

// program is a report that a program wrote on a real project.
type program struct {
	file  string
	total string   // the first line
	heads []string // all that failed
	says  []string // of these: messages, and frames of the project's own code
	never []string // what did not fail
}

// programs are the reports in testdata.
var programs = []program{
	{"pytest.xml", "3 of 757 failed, 1 skipped",
		[]string{"FAILED test_quota > test_shipping_cost[3-b-10]", "FAILED test_quota > test_unknown_zone", "FAILED test_quota > test_needs_database"},
		[]string{"AssertionError: zone b charges 9", "assert 9 == 10", "KeyError: 'q'", "RuntimeError: no database at port 5999"}, []string{"test_ledger_again[7]", "test_slow"}},
	{"pytest.json", "3 failed, 1 skipped",
		[]string{"FAILED test_quota.py::test_shipping_cost[3-b-10]", "FAILED test_quota.py::test_unknown_zone", "FAILED test_quota.py::test_needs_database"},
		[]string{"AssertionError: zone b charges 9", "KeyError: 'q'", "RuntimeError: no database at port 5999"}, []string{"test_ledger_again[7]"}},
	{"jest.json", "4 failed, 1 skipped",
		[]string{"FAILED /tmp/rep/js/t/cart.test.js > cart discounts takes ten percent off above 100", "FAILED /tmp/rep/js/t/cart.test.js > cart discounts keeps the currency",
			"FAILED /tmp/rep/js/t/cart.test.js > cart discounts reads a missing price", "FAILED /tmp/rep/js/t/broken.test.js"},
		[]string{"Expected: 108", "Cannot read properties of undefined", "cart.test.js:5:90", "Cannot find module './no-such-module'"}, []string{"fine 71", "removes 7 items"}},
	{"jest-junit.xml", "3 of 146 failed, 1 skipped",
		[]string{"FAILED cart discounts takes ten percent off above 100", "FAILED cart discounts keeps the currency", "FAILED cart discounts reads a missing price"},
		[]string{"Received: 120", "cart.test.js:5:90"}, []string{"fine 71"}},
	{"mocha.json", "3 failed",
		[]string{"FAILED cart discounts takes ten percent off above 100 (/tmp/rep/js/m/cart.js)", "FAILED cart discounts keeps the currency (/tmp/rep/js/m/cart.js)", "FAILED cart discounts reads a missing price (/tmp/rep/js/m/cart.js)"},
		[]string{"120 !== 108", "m/cart.js:5:69"}, []string{"adds 7 items"}},
	{"mocha.xml", "3 of 304 failed, 1 skipped",
		[]string{"FAILED cart discounts > takes ten percent off above 100 (/tmp/rep/js/m/cart.js)", "FAILED cart discounts > keeps the currency (/tmp/rep/js/m/cart.js)", "FAILED cart discounts > reads a missing price (/tmp/rep/js/m/cart.js)"},
		[]string{"120 !== 108", "m/cart.js:5:69"}, []string{"adds 7 items"}},
	{"mocha.tap", "3 of 304 failed, 1 skipped",
		[]string{"not ok 301 cart discounts takes ten percent off above 100", "not ok 302 cart discounts keeps the currency", "not ok 303 cart discounts reads a missing price"},
		[]string{"120 !== 108", "m/cart.js:5:69", "# fail 3"}, []string{"adds 7 items"}},
	{"node.xml", "3 of 304 failed, 1 skipped",
		[]string{"FAILED cart > discounts > takes ten percent off above 100", "FAILED cart > discounts > keeps the currency", "FAILED cart > discounts > reads a missing price"},
		[]string{"120 !== 108", "cart.test.js:6:69"}, []string{"adds 7 items"}},
	{"node.tap", "3 of 84 failed, 1 skipped",
		[]string{"not ok cart > discounts > 1 - takes ten percent off above 100", "not ok cart > discounts > 2 - keeps the currency", "not ok cart > discounts > 3 - reads a missing price"},
		[]string{"120 !== 108", "cart.test.js:6:69", "# fail 3"}, []string{"adds 7 items"}},
	{"perl.tap", "2 of 204 failed, 1 skipped",
		[]string{"not ok 121 - adds a fee", "not ok currencies > 2 - franc"},
		[]string{"got: '13'", "at prove.t line 3", "got: 'USD'"}, []string{"row 7", "rounds down"}},
	{"go.json", "4 of 58 failed",
		[]string{"FAILED build of example.org/shelf/bad [example.org/shelf/bad.test]", "FAILED example.org/shelf/store TestMany/row_97", "FAILED example.org/shelf/store TestPanics", "FAILED example.org/shelf/index TestOrder"},
		[]string{"bad/bad_test.go:3:28: undefined: undefinedCall", "order is [b a c], want [a b c]", "row 97 has checksum beef", "panic: assignment to entry in nil map", "store_test.go:4"}, []string{"key_7", "looked up 7"}},
	{"cargo.json", "2 failed", []string{"FAILED tests::reads_header", "FAILED tests::sums_to_five"},
		[]string{"index out of bounds", "two and two", "at ./src/lib.rs:4:65"}, []string{"tests::t77"}},
	{"robot.xml", "2 of 42 failed", []string{"FAILED S > Order Total Is Right", "FAILED S > Missing Keyword"},
		[]string{"totals differ: 12 != 13", "No keyword with name 'No Such Keyword' found.", "pass=40 fail=2"}, []string{"Row 7 Is Right"}},
	{"ctest.xml", "1 of 79 failed, 1 skipped", []string{"FAILED parser_rejects_tabs"},
		[]string{"parser.c:41: assertion depth==0 failed"}, []string{"unit_77"}},
	{"rspec.json", "2 failed", []string{"FAILED Invoice with tax adds 19 percent (./i_spec.rb:152)", "FAILED Invoice with tax has a payer (./i_spec.rb:152)"},
		[]string{"got: 107.0", "undefined method `payer'", "rb/i_spec.rb:152:in"}, []string{"row 77"}},
	{"phpunit.xml", "2 of 202 failed", []string{"FAILED PriceTest > testTax (/tmp/rep/php/PriceTest.php:122)", "FAILED PriceTest > testNull (/tmp/rep/php/PriceTest.php:122)"},
		[]string{"Failed asserting that 107 is identical to 119.", "Call to a member function foo() on null"}, []string{"testRow77"}},
}

func TestReportsOfPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.file, func(t *testing.T) {
			r := parse(t, readFile(t, p.file))
			if r.lines[0] != p.total {
				t.Errorf("begins with %q, want %q", r.lines[0], p.total)
			}
			if got := r.heads(); !slices.Equal(got, p.heads) {
				t.Errorf("failed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(p.heads, "\n"))
			}
			for _, text := range p.says {
				if got := r.score(text); got < scoreStack-fallingSaid {
					t.Errorf("%q has score %d", text, got)
				}
			}
			for _, text := range p.never {
				if got := r.score(text); got > scoreUnclear {
					t.Errorf("%q has score %d", text, got)
				}
			}
		})
	}
}

// readFile reads a file of testdata.
func readFile(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A report that is cut has all that failed before the cut.
func TestCutReportsHaveWhatFailedBeforeTheCut(t *testing.T) {
	for _, p := range programs {
		t.Run(p.file, func(t *testing.T) {
			text := readFile(t, p.file)
			before := 0
			for _, share := range []int{20, 40, 60, 80, 95} {
				cut := text[:len(text)*share/100]
				r, err := Parse(cut)
				if err != nil {
					continue // what makes it a report was cut
				}
				if n := strings.Count(string(r.Text()), "\nFAILED ") + strings.Count(string(r.Text()), "\nnot ok "); n < before {
					t.Errorf("%d of a hundred have %d that failed, less than a shorter cut with %d", share, n, before)
				} else {
					before = n
				}
			}
		})
	}
	for _, file := range []string{"pytest.xml", "phpunit.xml", "mocha.tap", "cargo.json"} {
		text := string(readFile(t, file))
		for _, p := range programs {
			if p.file != file {
				continue
			}
			says := p.says[0]
			cut := text[:strings.Index(text, says)+len(says)+40]
			if r := parse(t, []byte(cut)); r.score(says) < scoreStack {
				t.Errorf("%s cut behind %q: score %d", file, says, r.score(says))
			}
		}
	}
}

// Forms of programs that were written down after their documentation.
func TestReportForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // the lines of the form that matter most, in the order of their ranks
	}{
		{"MSTest", `<?xml version="1.0"?><TestRun id="9" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>` +
			`<UnitTestResult testName="Shop.Tests.Adds" outcome="Passed"/><UnitTestResult testName="Shop.Tests.Rounds" outcome="Failed" duration="00:00:00.1"><Output><ErrorInfo>` +
			`<Message>Assert.AreEqual failed. Expected:&lt;2&gt;. Actual:&lt;3&gt;.</Message><StackTrace>   at Shop.Tests.Rounds() in C:\shop\Tests.cs:line 14</StackTrace></ErrorInfo></Output></UnitTestResult>` +
			`</Results><ResultSummary outcome="Failed"><Counters total="2" passed="1" failed="1"/></ResultSummary></TestRun>`,
			[]string{"1 of 2 failed", "FAILED Shop.Tests.Rounds", "  Assert.AreEqual failed. Expected:<2>. Actual:<3>.", `     at Shop.Tests.Rounds() in C:\shop\Tests.cs:line 14`}},
		{"NUnit", `<test-run id="2" total="2" failed="1"><test-suite type="TestFixture" name="Shop" result="Failed"><failure><message>One or more child tests had errors</message></failure>` +
			`<test-case name="Adds" fullname="Shop.Adds" result="Passed"/><test-case name="Rounds" fullname="Shop.Rounds" result="Failed"><failure><message><![CDATA[  Expected: 2` + "\n" + `  But was:  3]]></message>` +
			`<stack-trace><![CDATA[   at Shop.Rounds() in /shop/Tests.cs:line 14]]></stack-trace></failure></test-case></test-suite></test-run>`,
			[]string{"1 of 2 failed", "FAILED Shop.Rounds", "    Expected: 2", "    But was:  3", "     at Shop.Rounds() in /shop/Tests.cs:line 14"}},
		{"xUnit.net", `<assemblies><assembly name="Shop.dll" total="2" failed="1"><collection name="C"><test name="Shop.Adds" result="Pass"/><test name="Shop.Rounds" type="Shop" method="Rounds" result="Fail">` +
			`<failure exception-type="Xunit.Sdk.EqualException"><message>Assert.Equal() Failure&#10;Expected: 2&#10;Actual:   3</message><stack-trace>   at Shop.Rounds() in /shop/T.cs:line 9</stack-trace></failure></test></collection></assembly></assemblies>`,
			[]string{"1 of 2 failed", "FAILED Shop.dll > C > Shop.Rounds", "  Assert.Equal() Failure", "  Expected: 2", "  Actual:   3"}},
		{"TestNG", `<testng-results failed="1" passed="1"><suite name="All"><test name="T"><class name="shop.CartTest"><test-method status="PASS" name="adds"/><test-method status="FAIL" name="rounds"><exception class="java.lang.AssertionError">` +
			`<message><![CDATA[expected [2] but found [3]]]></message><full-stacktrace><![CDATA[java.lang.AssertionError: expected [2] but found [3]` + "\n\tat org.testng.Assert.fail(Assert.java:99)\n\tat shop.CartTest.rounds(CartTest.java:12)" + `]]></full-stacktrace></exception></test-method></class></test></suite></testng-results>`,
			[]string{"1 of 2 failed", "FAILED All > T > shop.CartTest > rounds", "  java.lang.AssertionError: expected [2] but found [3]", "  \tat shop.CartTest.rounds(CartTest.java:12)"}},
		{"Surefire", `<testsuite name="shop.CartTest" tests="2" errors="1" failures="0"><properties><property name="user.dir" value="/shop"/></properties><testcase name="adds" classname="shop.CartTest" time="0.01"/>` +
			`<testcase name="rounds" classname="shop.CartTest" time="0.02"><error message="no rate for &quot;CHF&quot;" type="java.lang.IllegalStateException">java.lang.IllegalStateException: no rate for "CHF"&#10;&#9;at shop.Rates.of(Rates.java:31)&#10;&#9;at java.base/java.lang.Thread.run(Thread.java:840)</error></testcase></testsuite>`,
			[]string{"1 of 2 failed", "FAILED shop.CartTest > rounds", `  java.lang.IllegalStateException: no rate for "CHF"`, "  \tat shop.Rates.of(Rates.java:31)"}},
		{"Checkstyle", `<checkstyle version="10"><file name="/shop/Cart.java"><error line="7" column="3" severity="warning" message="Missing a Javadoc comment." source="com.puppycrawl.checks.JavadocMethod"/>` +
			`<error line="9" severity="error" message="&apos;{&apos; is not preceded with whitespace." source="com.puppycrawl.checks.WhitespaceAround"/></file></checkstyle>`,
			[]string{"2 findings, 1 of them an error", "/shop/Cart.java:9: error: '{' is not preceded with whitespace. [WhitespaceAround]", "/shop/Cart.java:7:3: warning: Missing a Javadoc comment. [JavadocMethod]"}},
		{"PMD", "<pmd version=\"7\"><file name=\"/shop/Cart.java\"><violation beginline=\"4\" begincolumn=\"2\" rule=\"UnusedPrivateField\" priority=\"3\">\nAvoid unused private fields such as 'x'.\n</violation></file></pmd>",
			[]string{"1 finding, 0 of them errors", "/shop/Cart.java:4:2: warning: Avoid unused private fields such as 'x'. [UnusedPrivateField]"}},
		{"SpotBugs", `<BugCollection><BugInstance type="NP_NULL_ON_SOME_PATH" priority="1" category="CORRECTNESS"><LongMessage>Possible null pointer dereference of rate</LongMessage><SourceLine classname="shop.Cart" start="31" sourcepath="shop/Cart.java"/></BugInstance></BugCollection>`,
			[]string{"1 finding, 1 of them an error", "shop/Cart.java:31: error: Possible null pointer dereference of rate [NP_NULL_ON_SOME_PATH]"}},
		{"cppcheck", `<results version="2"><cppcheck version="2.9"/><errors><error id="nullPointer" severity="error" msg="Null pointer dereference: p"><location file="shop.c" line="5" column="3"/></error></errors></results>`,
			[]string{"1 finding, 1 of them an error", "shop.c:5:3: error: Null pointer dereference: p"}},
		{"SARIF", `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"CodeQL","rules":[{"id":"js/sql"}]}},"results":[{"ruleId":"js/sql","level":"error","message":{"text":"This query depends on a user value."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/db.js"},"region":{"startLine":12,"startColumn":4}}}]}]}]}`,
			[]string{"1 finding, 1 of them an error", "src/db.js:12:4: error: This query depends on a user value. [js/sql]"}},
		{"Playwright", `{"config":{},"suites":[{"title":"cart.spec.ts","file":"cart.spec.ts","specs":[{"title":"adds","ok":true,"tests":[{"projectName":"chromium","results":[{"status":"failed"},{"status":"passed"}],"status":"flaky"}],"file":"cart.spec.ts","line":3},` +
			`{"title":"pays","ok":false,"tests":[{"projectName":"chromium","results":[{"status":"timedOut","error":{"message":"Test timeout of 30000ms exceeded.","stack":"Error: Test timeout of 30000ms exceeded.\n    at /shop/cart.spec.ts:14:5"}}],"status":"unexpected"}],"file":"cart.spec.ts","line":12}]}],"stats":{"expected":1,"unexpected":1}}`,
			[]string{"1 failed", "FAILED cart.spec.ts > pays (cart.spec.ts:12)", "  Error: Test timeout of 30000ms exceeded.", "      at /shop/cart.spec.ts:14:5"}},
		{"Mochawesome", `{"stats":{"tests":2,"passes":1,"failures":1},"results":[{"suites":[{"title":"Cart","tests":[{"title":"adds","fullTitle":"Cart adds","state":"passed","pass":true,"fail":false,"err":{}},{"title":"pays","fullTitle":"Cart pays","state":"failed","pass":false,"fail":true,` +
			`"err":{"message":"AssertionError: Timed out retrying after 4000ms","estack":"AssertionError: Timed out retrying after 4000ms\n    at Context.eval (cypress/e2e/cart.cy.js:9:12)"}}],"passes":["1"],"failures":["2"]}]}]}`,
			[]string{"1 failed", "FAILED Cart pays", "  AssertionError: Timed out retrying after 4000ms", "      at Context.eval (cypress/e2e/cart.cy.js:9:12)"}},
		{"Cucumber", `[{"uri":"cart.feature","name":"Cart","keyword":"Feature","elements":[{"name":"Pay twice","keyword":"Scenario","steps":[{"keyword":"Given ","name":"a cart","line":3,"result":{"status":"passed"}},` +
			`{"keyword":"When ","name":"I pay","line":4,"result":{"status":"failed","error_message":"Expected 1 payment, got 2\n    at World.<anonymous> (steps.js:7:9)"}},{"keyword":"Then ","name":"it is paid","line":5,"result":{"status":"skipped"}}]}]}]`,
			[]string{"1 failed, 1 skipped", "FAILED Cart > Pay twice > I pay", "  Expected 1 payment, got 2", "      at World.<anonymous> (steps.js:7:9)"}},
		{"a script's lines before it", "\n> shop@1.0.0 test\n> mocha --reporter json\n\n" + `{"stats":{"tests":1},"tests":[{"title":"pays","fullTitle":"Cart pays","err":{"message":"boom"}}],"passes":[],"failures":[]}`,
			[]string{"1 failed", "FAILED Cart pays", "  boom"}},
		{"TAP with nested values", "TAP version 14\n1..1\nnot ok 1 - reads\n  ---\n  error: |-\n    Expected values to be equal:\n      {\n    ...\n    +   c: 3\n    -   c: 4\n      }\n  expected:\n    a:\n      c: 4\n  operator: equal\n  ...\n# fail 1\n",
			[]string{"1 of 1 failed", "not ok 1 - reads", "  Expected values to be equal:", "    {", "  ...", "  +   c: 3", "  -   c: 4", "    }", "# fail 1", "1..1", "  expected:", "    a:", "      c: 4"}},
		{"TAP that was given up", "TAP version 14\n1..4\nok 1 - starts\nnot ok 2 - has a disk # TODO none yet\nBail out! No database.\n",
			[]string{"1 failed, 1 skipped", "Bail out! No database.", "planned 1..4, and there are 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := parse(t, []byte(c.text))
			var got []string
			for _, i := range shape.Order(r.ranks)[:min(len(c.want), len(r.lines))] {
				got = append(got, r.lines[i])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"), strings.Join(r.lines, "\n"))
			}
		})
	}
}

// Other documents keep their own forms.
func TestOtherDocumentsAreNoReports(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "HTML": "<!DOCTYPE html><html><body>error</body></html>", "a POM": `<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>x</artifactId></project>`,
		"an answer of an API": `{"status":"failed","name":"x","message":"no"}`, "a log": "ok\nnot here\nok 1 of them\n", "a go test run": "ok  \texample.org/x\t0.1s\nFAIL\texample.org/y\t0.2s\n",
		"issues of GitHub": `[{"number":1,"title":"fails","state":"open"}]`, "a log of JSON": "{\"level\":\"error\",\"msg\":\"a\"}\n{\"level\":\"info\",\"msg\":\"b\"}\n", "a list of one": "[INFO] Scanning\n[ERROR] x\n",
		"a log with two points": "ok 1 copied\nok 2 copied\n" + strings.Repeat("host unreachable\n", 9), "a range": "1..5 of the pages\nok 1 page\n" + strings.Repeat("page\n", 5), "a plan": "1..3\npanic: no tests\n",
		"results of a query": `<sparql><head/><results><result><binding name="c"><literal>Oslo</literal></binding></result></results></sparql>`, "a robot": `<robot name="arm"><link name="base"/><joint name="j" type="fixed"/></robot>`,
		"issues of Redmine": `<issues type="array"><issue><id>7</id><priority id="2" name="High"/><subject>Crash</subject><journals><details><message>no</message></details></journals></issue></issues>`,
		"a manifest":        `<assembly manifestVersion="1.0"><dependency name="x" type="win32"/></assembly>`, "a page with results": `<html><body><results><p>error: <error id="1" severity="error" msg="x"/></p></results></body></html>`,
		"rows":               `<results><result type="a" id="1"><text>row</text></result></results>`,
		"a page about tests": `<html><body><p>The element <testcase name="x"> is <b>one</b></p></body></html>`, "a text about tests": `<p>The element <testcase> is one</p>`,
		"messages of files": `[{"filePath":"/a.js","messages":["hello"]},{"filePath":"/b.js","messages":[{"level":"info","message":"hello"}]}]`, "steps of a recipe": `{"elements":[{"steps":4,"keyword":"cake","name":"x"}]}`,
		"SARIF in which all is suppressed": `{"runs":[{"tool":{"driver":{"name":"x"}},"results":[{"level":"error","message":{"text":"no"},"suppressions":[{"kind":"inSource"}]}]}]}`,
	} {
		if r, err := Parse([]byte(text)); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v\n%s", name, err, r.Text())
		}
	}
}

// A report in which nothing failed has its counts, and no word about success.
func TestReportWithoutFailures(t *testing.T) {
	r := parse(t, []byte(`<testsuite name="shop" tests="2" failures="0">`+strings.Repeat(`<testcase name="adds" classname="shop"/>`, 2)+`</testsuite>`))
	if got := r.lines[shape.Order(r.ranks)[0]]; got != "testsuite name=shop tests=2 failures=0" {
		t.Errorf("%q first", got)
	}
}

func TestWithoutEntities(t *testing.T) {
	for text, want := range map[string]string{
		"a &lt;b&gt; &amp;amp; &quot;c&apos;": `a <b> &amp; "c'`, "&#10;&#x41;&#xe9;": "\nAé", "&nbsp; & &; &#; &#x; &#99999999;": "&nbsp; & &; &#; &#x; &#99999999;", "&": "&", "&lt": "&lt",
	} {
		if got := withoutEntities(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzReport checks that any text is read without harm: each line has a rank,
// and no byte of a terminal is left.
func FuzzReport(f *testing.F) {
	for _, p := range programs {
		text := readFile(f, p.file)
		f.Add(text[:min(len(text), 4<<10)])
	}
	for _, text := range []string{"<testsuite><testcase name='a'><failure>", `[{"filePath":"a","messages":[{"ruleId":"x","message":"\u001b[31m\u0000`, "ok 1\nnot ok 2\n  ---\n  a: |-\n", `{"Action":"fail","Package":"p"}`, "<testcase name=\"&#0;\"></x></testcase>]]>"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if n := strings.Count(string(r.Text()), "\n"); n != r.Len() || !strings.HasSuffix(string(r.Text()), "\n") && n > 0 {
			t.Errorf("%d lines, and %d ranks", n, r.Len())
		}
		if strings.ContainsAny(string(r.Text()), "\r\x00") {
			t.Errorf("a sign of a terminal is left: %q", r.Text())
		}
		if again, err := Parse(text); err != nil || string(again.Text()) != string(r.Text()) {
			t.Error(fmt.Sprint("read again it is another: ", err))
		}
	})
}
