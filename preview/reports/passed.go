package reports

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Consoles of test runners that print a line for each test: of a run that passed the
// names say what was tested.

// testLine is a line about one test.
type testLine struct {
	group, name string
	verdict     verdict
}

// Shares of what a digest of tests is made of.
const (
	passedLines = 4  // one line in this many is of a test
	passedShare = 75 // percent of a budget for their names
)

// testSuite is the tests of one file, class or package.
type testSuite struct {
	name  string
	tests []*namedTest
	known map[string]*namedTest
	cases map[string]bool // names with their parameters
	count int
}

// namedTest is the tests of one name.
type namedTest struct {
	name    string
	cases   []string // their parameters
	skipped bool
}

// digestPassed returns the digest of a run of tests without a failure; nil for any
// other text.
func digestPassed(lines []string) *Digest {
	var suites []*testSuite
	known := map[string]*testSuite{}
	var others []string
	used, heading := 0, ""
	for _, line := range lines {
		if h, ok := suiteHeading(line); ok {
			heading = h
		}
		one, ok := parseTestLine(line)
		if !ok {
			others = append(others, line)
			continue
		}
		used++
		if one.verdict == failed {
			return nil
		}
		if one.verdict == unknown { // says only that it begins
			continue
		}
		if one.group == "" {
			one.group = heading
		}
		s := known[one.group]
		if s == nil {
			s = &testSuite{name: one.group, known: map[string]*namedTest{}, cases: map[string]bool{}}
			known[one.group], suites = s, append(suites, s)
		}
		s.add(one)
	}
	total := 0
	for _, s := range suites {
		total += s.count
	}
	if total < leastDigested || used*passedLines < len(lines) {
		return nil
	}
	w := digestWriter{}
	for _, s := range suites {
		w.addSuite(s)
	}
	d := w.end(passedShare, others)
	d.passed = true
	return d
}

// add adds a test. A run may name it twice.
func (s *testSuite) add(one testLine) {
	base, parameters, found := strings.Cut(one.name, "[")
	if base == "" {
		base, found = one.name, false
	}
	t := s.known[base]
	switch {
	case t == nil:
		t = &namedTest{name: base}
		s.known[base], s.tests = t, append(s.tests, t)
	case !found || s.cases[one.name]:
		return
	}
	s.count++
	t.skipped = one.verdict == skipped
	if found {
		s.cases[one.name] = true
		t.cases = append(t.cases, "["+parameters)
	}
}

// addSuite adds the names of the tests of a suite, and after all others those of their
// cases.
func (w *digestWriter) addSuite(s *testSuite) {
	names := make([]string, 0, len(s.tests))
	for _, t := range s.tests {
		name := t.name
		switch n := len(t.cases); {
		case n == 1:
			name += t.cases[0]
		case n > 1:
			name += " (" + strconv.Itoa(n) + ")"
			late := digestWriter{}
			late.addList(0, 0, t.name+":", t.name+":", ",", t.cases)
			w.late = append(w.late, late.ranks[0]...)
		}
		if t.skipped && len(t.cases) < 2 {
			name += " (skipped)"
		}
		names = append(names, name)
	}
	w.addList(0, len(names), strings.TrimSpace(s.name+" ("+strconv.Itoa(s.count)+")")+":", strings.TrimSpace(s.name+" ...")+":", ",", names)
}

// suiteHeading returns the name of the tests below a line, if it names some.
func suiteHeading(line string) (string, bool) {
	trimmed := strings.TrimSpace(line)
	for _, p := range []string{"PASS ", "Running unittests ", "Running ", "Doc-tests "} {
		if rest, ok := strings.CutPrefix(trimmed, p); ok && rest != "" {
			name, _, _ := strings.Cut(rest, " (")
			return name, true
		}
	}
	if indent := len(line) - len(strings.TrimLeft(line, " ")); indent >= 2 && indent < 12 && trimmed != "" && !isTick(trimmed) && len(trimmed) < 80 {
		return trimmed, true // a suite of Mocha, Jest and their like
	}
	return "", false
}

// ticks begin the lines of tests that passed, and crosses of those that failed.
var (
	ticks   = []string{"✓ ", "✔ ", "√ "}
	crosses = []string{"✗ ", "✘ ", "✕ ", "× ", "✖ "}
)

// isTick reports whether a line begins with the sign of a test that passed or failed.
func isTick(line string) bool {
	_, tick := cutSign(line, ticks)
	_, cross := cutSign(line, crosses)
	return tick || cross
}

// parseTestLine reads a line about one test.
func parseTestLine(line string) (testLine, bool) {
	for _, parse := range [...]func(string) (testLine, bool){goTestLine, pytestLine, tickLine, dotsLine, gradleLine, ctestLine, googleLine} {
		if one, ok := parse(line); ok {
			return one, true
		}
	}
	return testLine{}, false
}

// verdictWords are the words of verdicts.
var verdictWords = map[string]verdict{
	"ok": passed, "PASS": passed, "PASSED": passed, "Passed": passed, "pass": passed, "passed": passed, "XFAIL": passed, "xfail": passed,
	"SKIP": skipped, "SKIPPED": skipped, "skipped": skipped, "ignored": skipped, "Skipped": skipped,
	"FAIL": failed, "FAILED": failed, "ERROR": failed, "Failed": failed, "fail": failed, "failed": failed, "XPASS": failed, "***Failed": failed,
	"***Timeout": failed, "***Exception": failed, "***Not": failed,
}

// goTestLine reads a line of go test -v.
func goTestLine(line string) (testLine, bool) {
	trimmed := strings.TrimLeft(line, " ")
	for _, begins := range []string{"=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  "} {
		if strings.HasPrefix(trimmed, begins) {
			return testLine{}, true
		}
	}
	rest, ok := strings.CutPrefix(trimmed, "--- ")
	word, name, found := strings.Cut(rest, ": ")
	v := verdictWords[word]
	if !ok || !found || v == unknown {
		return testLine{}, false
	}
	name, _, _ = strings.Cut(name, " (")
	suite, sub, nested := strings.Cut(name, "/")
	if !nested {
		return testLine{group: "tests", name: name, verdict: v}, true
	}
	return testLine{group: suite, name: sub, verdict: v}, true
}

// pytestLine reads a line of pytest -v or -rA.
func pytestLine(line string) (testLine, bool) {
	name, rest, found := strings.Cut(line, " ")
	if !found {
		return testLine{}, false
	}
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	v := verdictWords[word]
	if first := verdictWords[name]; first != unknown { // PASSED tests/a.py::test_b
		v, name = first, rest
		if first == failed || strings.HasPrefix(rest, "[") {
			name, _, _ = strings.Cut(rest, " - ")
		}
	}
	at := strings.Index(name, "::")
	if v == unknown || at < 0 {
		return testLine{}, false
	}
	base, _, _ := strings.Cut(name, "[")
	if last := strings.LastIndex(base, "::"); last > at {
		at = last
	}
	return testLine{group: name[:at], name: name[at+2:], verdict: v}, true
}

// tickLine reads "    ✓ adds up (3 ms)".
func tickLine(line string) (testLine, bool) {
	trimmed := strings.TrimSpace(line)
	v := passed
	name, ok := cutSign(trimmed, ticks)
	if !ok {
		if name, ok = cutSign(trimmed, crosses); !ok {
			return testLine{}, false
		}
		v = failed
	}
	name = duration().ReplaceAllString(name, "")
	if file, rest, found := strings.Cut(name, " > "); found && strings.Contains(file, ".") { // vitest
		return testLine{group: file, name: rest, verdict: v}, true
	}
	return testLine{name: name, verdict: v}, true
}

// cutSign returns what is behind one of some signs.
func cutSign(line string, signs []string) (rest string, ok bool) {
	for _, sign := range signs {
		if rest, ok = strings.CutPrefix(line, sign); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// duration matches how long a test took, at the end of its line.
var duration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` +\(?[0-9.]+ ?m?s\)?$`)
})

// dotsLine reads "test a::b ... ok" of cargo and "test_a (m.T.test_a) ... ok" of
// unittest.
func dotsLine(line string) (testLine, bool) {
	name, word, found := strings.Cut(line, " ... ")
	if !found {
		return testLine{}, false
	}
	word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
	v := verdictWords[strings.TrimRight(word, ",:")]
	if v == unknown {
		return testLine{}, false
	}
	if rest, ok := strings.CutPrefix(name, "test "); ok {
		if at := strings.LastIndex(rest, "::"); at >= 0 {
			return testLine{group: rest[:at], name: rest[at+2:], verdict: v}, true
		}
		return testLine{name: rest, verdict: v}, true
	}
	method, class, found := strings.Cut(strings.TrimSuffix(name, ")"), " (")
	if !found {
		return testLine{}, false
	}
	return testLine{group: strings.TrimSuffix(class, "."+method), name: method, verdict: v}, true
}

// gradleLine reads "ClassTest > adds up PASSED".
func gradleLine(line string) (testLine, bool) {
	at := strings.LastIndexByte(line, ' ')
	class, name, found := strings.Cut(line[:max(0, at)], " > ")
	if at < 0 || !found || strings.HasPrefix(line, " ") {
		return testLine{}, false
	}
	v := verdictWords[line[at+1:]]
	return testLine{group: class, name: name, verdict: v}, v != unknown
}

// ctestLine reads " 1/70 Test  #1: name ......   Passed    0.01 sec".
func ctestLine(line string) (testLine, bool) {
	trimmed := strings.TrimLeft(line, " ")
	if rest, ok := strings.CutPrefix(trimmed, "Start "); ok {
		number, name, found := strings.Cut(strings.TrimLeft(rest, " "), ": ")
		_, err := strconv.Atoi(number)
		return testLine{}, found && err == nil && name != ""
	}
	_, rest, found := strings.Cut(trimmed, " Test ")
	_, rest, numbered := strings.Cut(rest, ": ")
	if !found || !numbered || trimmed[0] < '0' || trimmed[0] > '9' {
		return testLine{}, false
	}
	fields := strings.Fields(rest)
	for i, word := range fields {
		if v := verdictWords[strings.TrimLeft(word, ".")]; v != unknown && i > 0 {
			return testLine{group: "tests", name: fields[0], verdict: v}, true
		}
	}
	return testLine{}, false
}

// googleLine reads "[       OK ] Suite.Name (0 ms)".
func googleLine(line string) (testLine, bool) {
	word, name, found := strings.Cut(line, " ] ")
	if !found || !strings.HasPrefix(word, "[ ") {
		return testLine{}, false
	}
	name, _, _ = strings.Cut(name, " (")
	suite, test, dotted := strings.Cut(name, ".")
	v, known := map[string]verdict{"RUN": unknown, "OK": passed, "SKIPPED": skipped, "FAILED": failed}[strings.Trim(word, "[ ")]
	return testLine{group: suite, name: test, verdict: v}, known && dotted
}
