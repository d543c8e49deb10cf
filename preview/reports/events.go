package reports

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
)

// Events of go test -json and go build -json (test2json): an object on a line
// for each line that a test printed. They are put together again, each test
// with its text. Between them are lines of the compiler and of scripts.

// goTest is what the events say of one test, of a package, or of a build.
type goTest struct {
	pkg, test, action string
	elapsed           string // in seconds
	output            []string
	failedInside      bool
}

// isGoEvents reports whether a text begins with such events.
func isGoEvents(text []byte) bool {
	text = text[:min(len(text), firstElements)]
	return bytes.Contains(text, []byte(`"Action":"`)) && (bytes.Contains(text, []byte(`"Package":"`)) || bytes.Contains(text, []byte(`"ImportPath":"`)))
}

// goEvents are the tests that events are about.
type goEvents struct {
	tree
	tests map[[2]string]*goTest
	order []*goTest
}

// readGoEvents reads the events, and the lines that are none.
func (b *builder) readGoEvents(text []byte) bool {
	r := newTreeReader(nil)
	events := goEvents{tests: map[[2]string]*goTest{}}
	b.exact = true
	for line := range bytes.Lines(text) {
		r.src, r.at, r.tree = line, 0, r.tree[:0]
		if line = bytes.TrimLeft(line, " \t"); len(line) > 0 && line[0] == '{' {
			for r.at < len(r.src) && !r.full() {
				r.jsonToken()
			}
		}
		all, whole, ok := r.finish()
		if !ok {
			return false
		}
		events.tree = all
		if len(all) == 0 || int(all[0].end) < len(all) || !events.add() {
			b.rest.addText(plainLine, "", visibleText(string(r.src)))
		}
		b.exact = b.exact && whole
	}
	events.failedInside()
	for _, t := range events.order {
		b.addGoTest(t)
	}
	b.found = len(events.order) > 0
	return true
}

// goActions are what an event may say, as go doc test2json has them.
const goActions = "start run pause cont pass bench fail output skip build-output build-fail"

// add reads the event that the tree begins with, and reports whether it is one.
func (e *goEvents) add() bool {
	const i = 0
	var action, pkg, test, output, elapsed string
	for c := range e.children(i) {
		switch string(e.tree[c].name) {
		case "Action":
			action = e.text(c)
		case "Package":
			pkg = e.text(c)
		case "ImportPath":
			pkg = "build of " + e.text(c)
		case "Test":
			test = e.text(c)
		case "Output":
			output = e.text(c)
		case "Elapsed":
			elapsed = e.text(c)
		}
	}
	if action == "" || !slices.Contains(strings.Fields(goActions), action) {
		return false
	}
	t := e.tests[[2]string{pkg, test}]
	if t == nil {
		t = &goTest{pkg: pkg, test: test}
		e.tests[[2]string{pkg, test}] = t
		e.order = append(e.order, t)
	}
	switch action {
	case "output", "build-output":
		if !isGoFrame(output) {
			t.output = append(t.output, output)
		}
	case "pass", "fail", "skip", "build-fail":
		t.action, t.elapsed = strings.TrimPrefix(action, "build-"), elapsed
	}
	return true
}

// isGoFrame reports whether a line only says that a test began or ended.
func isGoFrame(line string) bool {
	line = strings.TrimLeft(line, " ")
	for _, begin := range [...]string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "--- PASS: ", "--- FAIL: ", "--- SKIP: ", "--- BENCH: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return line == "FAIL\n" || line == "PASS\n"
}

// deepestGoTest is how many tests around one are known to have failed for it.
const deepestGoTest = 64

// failedInside finds the tests and packages that something else failed for.
func (e *goEvents) failedInside() {
	for _, t := range e.order {
		if t.action != "fail" || t.test == "" {
			continue
		}
		at := strings.LastIndexByte(t.test, '/')
		for n := 0; at >= 0 && n < deepestGoTest; n++ {
			if above := e.tests[[2]string{t.pkg, t.test[:at]}]; above != nil {
				above.failedInside = true
			}
			at = strings.LastIndexByte(t.test[:at], '/')
		}
		if all := e.tests[[2]string{t.pkg, ""}]; all != nil {
			all.failedInside = true
		}
	}
}

// addGoTest adds a test as a finding, or as a line of the rest.
func (b *builder) addGoTest(t *goTest) {
	name, score := plainName([]byte(t.pkg)), scoreOtherSuite
	if t.test != "" {
		name += " " + plainName([]byte(t.test))
		score = scoreCounted
	}
	text := strings.TrimSpace(strings.Join(t.output, ""))
	counted, kind := failed, ownRank
	switch {
	case t.action == "fail" && t.test == "" && (t.failedInside || strings.HasPrefix(text, "FAIL\t") && strings.HasSuffix(text, "[build failed]")),
		t.action == "fail" && t.failedInside && text == "":
		b.rest.add(scoreSuite, shape.KeepFailure, "fail ", name)
		kind = quietLine
	case t.action == "fail":
		b.find(finding{head: headFailed + name, says: []string{text}, score: scoreFailed})
		if t.elapsed != "" && t.elapsed != "0" {
			b.rest.add(scoreCounted, shape.KeepContext, "fail ", name, " ", t.elapsed, "s")
		}
		return
	case t.action == "":
		b.rest.add(scoreUnclear, shape.KeepContext, "no end: ", name)
		counted, kind = unknown, quietLine
	default:
		if counted = passed; t.action == "skip" {
			score, counted = scoreCounted, skipped
		}
		b.rest.add(score, shape.KeepContext, t.action, " ", name)
	}
	if t.test != "" && counted != failed {
		b.counts[counted]++
	}
	for line := range solidLines(text) {
		if strings.HasPrefix(line, "FAIL\t") { // of a package, of which the tests say why
			b.rest.addText(ownRank, "  ", line)
		} else {
			b.rest.addText(kind, "  ", line)
		}
	}
}
