package reports

import "bytes"

// Which XML and which JSON is a report. The outermost element, or the members
// that only a report has together, decide.

// elements are elements that reports begin with.
var elements = map[string]bool{ // true: of a checker
	"testsuites": false, "testsuite": false, "testcase": false, // JUnit: Surefire, Gradle, pytest, Jest, gotestsum, CTest, PHPUnit, Mocha, Bazel
	"testrun": false, "unittestresult": false, // MSTest, dotnet test
	"assemblies": false, "assembly": false, // xUnit.net
	"test-run": false, "test-results": false, "test-suite": false, "test-case": false, // NUnit
	"testng-results": false, "test-method": false, // TestNG
	"robot":      false,                 // Robot Framework
	"site":       false,                 // CTest
	"checkstyle": true,                  // Checkstyle, ktlint, PHP_CodeSniffer, golangci-lint
	"pmd":        true, "pmd-cpd": true, // PMD
	"bugcollection": true, // SpotBugs
	"results":       true, // cppcheck
	"issues":        true, // Android Lint
	"lint-results":  true,
}

// testElements are elements that no other documents have. They show what a report
// is that something else is around, or whose start is cut.
var testElements = map[string]bool{
	"testsuites": true, "testsuite": true, "testcase": true, "unittestresult": true, "test-suite": true, "test-case": true, "test-method": true,
}

// firstElements is how far the elements of a report are looked for.
const firstElements = 8 << 10

// readXML reads a report of elements.
func (b *builder) readXML(text []byte) bool {
	checks, known := xmlKind(text[:min(len(text), firstElements)])
	if !known {
		return false
	}
	b.checks = checks
	t, whole, ok := readXML(text)
	b.exact = whole && !checks
	if ok {
		(&resultReader{tree: t, builder: b, xml: true}).read()
	}
	return ok
}

// xmlKind looks for an element that reports begin with, and then for one that only
// reports have.
func xmlKind(text []byte) (checks, known bool) {
	first := true
	for at := bytes.IndexByte(text, '<'); at >= 0; {
		text = text[at+1:]
		if bytes.HasPrefix(text, []byte("!--")) {
			text = text[max(0, bytes.Index(text, []byte("-->"))):]
		}
		end := 0
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		name := string(bytes.ToLower(localName(text[:end])))
		if checks, known = elements[name]; known && (first || testElements[name]) {
			return checks, name != "results" || bytes.Contains(text, []byte("severity="))
		}
		if first && name == "html" {
			return false, false
		}
		first = first && end == 0
		at = bytes.IndexByte(text, '<')
	}
	return false, false
}

// jsonKinds are members that a report has together.
var jsonKinds = [...]struct {
	checks  checker
	members []string
}{
	{members: []string{`"numTotalTests"`, `"testResults"`}},              // Jest, Vitest
	{members: []string{`"stats"`, `"tests"`, `"passes"`, `"failures"`}},  // Mocha, Mochawesome, Cypress
	{members: []string{`"nodeid"`, `"outcome"`}},                         // pytest-json-report
	{members: []string{`"suites"`, `"specs"`, `"projectName"`}},          // Playwright
	{members: []string{`"examples"`, `"full_description"`, `"version"`}}, // RSpec
	{members: []string{`"elements"`, `"steps"`, `"keyword"`}},            // Cucumber
	{members: []string{`"type"`, `"event"`, `"suite"`, `"test_count"`}},  // cargo test
	{checks: eslint, members: []string{`"filePath"`, `"messages"`}},      // ESLint
	{checks: sarif, members: []string{`"runs"`, `"tool"`, `"driver"`}},   // SARIF
}

// readJSON reads a report of JSON values.
func (b *builder) readJSON(text []byte) bool {
	if isGoEvents(text) {
		return b.readGoEvents(text)
	}
	for _, kind := range jsonKinds {
		has := 0
		for _, member := range kind.members {
			if bytes.Contains(text, []byte(member)) {
				has++
			}
		}
		if has < len(kind.members) {
			continue
		}
		b.checks, b.checker = kind.checks != noChecker, kind.checks
		t, _, ok := readJSON(text)
		if ok {
			(&resultReader{tree: t, builder: b}).read()
		}
		return ok
	}
	return false
}
