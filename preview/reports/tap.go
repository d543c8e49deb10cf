package reports

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The Test Anything Protocol, versions 12 to 14: of node --test, tape, Mocha,
// Perl's Test::More, pgTAP, Bats, prove. What follows a point belongs to it:
// YAML between "---" and "...", comments, and plain text.

// beginsTAP reports whether TAP may begin with a line.
func beginsTAP(text []byte) bool {
	if bytes.HasPrefix(text, []byte("TAP version ")) || bytes.HasPrefix(text, []byte("# Subtest: ")) {
		return true
	}
	_, plan := tapPlan(string(text))
	return plan || parsePoint(string(text)).known
}

// point is one line of TAP that says how a test ended.
type point struct {
	known, ok bool
	name      string // with its number: other lines may say that alone
	directive string // in lower case: "skip", "todo"
	why       string
}

// parsePoint reads a point.
func parsePoint(text string) (p point) {
	rest, failing := strings.CutPrefix(text, "not ")
	rest, is := strings.CutPrefix(rest, "ok ")
	if !is {
		return p
	}
	n, digits := textscan.Number([]byte(rest))
	if digits == 0 && !strings.HasPrefix(rest, "- ") || n < 0 || digits > 0 && len(rest) > digits && rest[digits] != ' ' && rest[digits] != '\n' && rest[digits] != '\r' {
		return p
	}
	p = point{known: true, ok: !failing, name: strings.TrimSpace(rest)}
	if at := strings.LastIndex(p.name, "# "); at >= 0 {
		word, why, _ := strings.Cut(p.name[at+2:], " ")
		if word = strings.TrimRight(strings.ToLower(word), ":"); word == "skip" || word == "skipped" || word == "todo" {
			p.name, p.directive, p.why = strings.TrimSpace(p.name[:at]), word[:4], why
		}
	}
	return p
}

// leastPoints is how many points show that a text is TAP, if it has no version and
// no plan. They must be as many as the lines that belong to none, too.
const leastPoints = 2

// tapReader reads the lines of one report.
type tapReader struct {
	*builder
	subtests []subtest
	current  int // the finding that further lines belong to, from 1; 0: none
	text     []string
	yaml     yamlState
	dashes   int // the blanks before the line that the block of YAML begins with
	points   int
	others   int  // lines that belong to no point
	outer    int  // points that are in no subtest
	excused  bool // the last point may fail
	planned  int  // the line of the rest with the plan, from 1
	plan     int  // how many there should be; -1 if it is not said
	version  bool
}

// yamlState is whether the lines that follow a point are a block of YAML.
type yamlState uint8

const (
	noYAML yamlState = iota
	noBlock
	inYAML
	afterYAML
)

// subtest is a group of points further in.
type subtest struct {
	indent, findings int // findings before it
	name             string
}

// readTAP reads TAP, with what is between its lines.
func (b *builder) readTAP(text []byte) bool {
	t := tapReader{builder: b}
	t.plan = -1
	for line := range strings.Lines(visibleText(string(text))) {
		t.line(strings.TrimRight(line, " \t\n"))
	}
	t.end()
	if b.found = t.points+b.counts[failed] > 0; !b.found {
		return false
	}
	if b.exact = t.plan == t.outer; b.exact { // then the plan says nothing
		b.rest.lines[t.planned-1].score = scoreOtherSuite
	}
	if t.plan >= 0 && !b.exact {
		b.findings = append(b.findings, finding{head: fmt.Sprintf("planned 1..%d, and there are %d", t.plan, t.outer), score: scoreFailed})
	}
	return t.version || t.plan >= 0 || t.points >= max(leastPoints, t.others)
}

// line reads one line.
func (t *tapReader) line(line string) {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	p := parsePoint(body)
	name, isSubtest := strings.CutPrefix(body, "# Subtest: ")
	if t.yaml == inYAML && t.current == 0 && indent == 0 && body != "" { // YAML is indented
		t.end()
	}
	switch {
	case t.yaml == inYAML && !(p.known && indent == 0):
		t.add(line)
	case p.known:
		t.end()
		t.point(p, indent, line)
	case isSubtest:
		t.end()
		t.leave(indent)
		t.subtests = append(t.subtests, subtest{indent, len(t.findings), name})
	case strings.HasPrefix(body, "Bail out!"):
		t.end()
		t.fail(body)
		t.current = 0
	case isTAPCount(body):
		t.end()
		score := scoreCounts
		if indent > 0 { // of a subtest
			score = scoreCounted
		} else if n, planned := tapPlan(body); planned {
			t.plan, t.planned = n, len(t.rest.lines)+1
		}
		t.rest.add(score, shape.KeepSummary, line)
	case t.current > 0 && (indent > 0 || body == "" || body[0] == '#' || len(t.text) < fallingSaid) || body == "---" && indent > 0:
		t.add(line)
	case strings.HasPrefix(body, "TAP version "):
		t.version = true
		t.rest.add(scoreCounted, shape.KeepContext, line)
	case body != "":
		t.end()
		t.foreign(body, indent)
	}
}

// foreign adds a line that belongs to no test that failed.
func (t *tapReader) foreign(body string, indent int) {
	kind := plainLine
	switch {
	case body[0] == '#' && t.excused:
		kind = spareLine
	case body[0] == '#':
		kind = quietLine
	case indent == 0 || t.points == 0:
		t.others++
	}
	t.rest.addText(kind, strings.Repeat(" ", indent), body)
}

// add adds a line to those that follow a point.
func (t *tapReader) add(line string) {
	body := strings.TrimLeft(line, " ")
	switch indent := len(line) - len(body); {
	case body == "---" && t.yaml == noYAML:
		t.yaml, t.dashes = inYAML, indent
	case body == "..." && t.yaml == inYAML && indent <= t.dashes: // further in it is text
		t.yaml = afterYAML
	case body != "" && t.yaml == noYAML:
		t.yaml = noBlock
	}
	t.text = append(t.text, line)
}

// isTAPCount reports whether a line has counts: a plan, or a total.
func isTAPCount(body string) bool {
	if _, plan := tapPlan(body); plan {
		return true
	}
	for _, word := range [...]string{"tests ", "suites ", "pass ", "fail ", "cancelled ", "skipped ", "todo ", "failed ", "Looks like "} {
		if rest, is := strings.CutPrefix(body, "# "+word); is && rest != "" && (rest[0] >= '0' && rest[0] <= '9' || word == "Looks like ") {
			return true
		}
	}
	return false
}

// tapPlan reads a plan.
func tapPlan(body string) (n int, plan bool) {
	rest, plan := strings.CutPrefix(body, "1..")
	if !plan {
		return 0, false
	}
	n, digits := textscan.Number([]byte(rest))
	rest = strings.TrimSpace(rest[digits:])
	return n, digits > 0 && (rest == "" || rest[0] == '#')
}

// leave ends the subtests from an indentation on, and reports whether something
// failed in the outermost of them.
func (t *tapReader) leave(indent int) (failedInside bool) {
	for n := len(t.subtests); n > 0 && t.subtests[n-1].indent >= indent; n-- {
		failedInside = len(t.findings) > t.subtests[n-1].findings
		t.subtests = t.subtests[:n-1]
	}
	return failedInside
}

// point adds what a point says.
func (t *tapReader) point(p point, indent int, line string) {
	if t.points++; indent == 0 {
		t.outer++
	}
	failedInside := t.leave(indent)
	t.excused = p.directive != ""
	switch {
	case p.directive != "":
		t.counts[skipped]++
		t.rest.add(scoreCounted, shape.KeepContext, line)
	case p.ok:
		t.counts[passed]++
		t.rest.add(scoreCounted, shape.KeepContext, line)
	case failedInside: // those inside say why
		t.rest.add(scoreCounted, shape.KeepFailure, line)
	default:
		names := make([]string, 0, len(t.subtests)+1)
		for _, s := range t.subtests {
			names = append(names, s.name)
		}
		t.fail("not ok " + strings.Join(append(names, p.name), nameSeparator))
	}
}

// fail begins a finding.
func (t *tapReader) fail(head string) {
	t.counts[failed]++
	t.findings = append(t.findings, finding{head: head, score: scoreFailed})
	t.current = len(t.findings)
}

// end ends the text of a finding. That of others is part of the rest.
func (t *tapReader) end() {
	switch {
	case t.current == 0:
		for _, line := range t.text {
			t.rest.add(scoreCounted, shape.KeepContext, line)
		}
	case t.yaml == inYAML || t.yaml == afterYAML:
		readYAML(&t.findings[t.current-1], t.text)
	case len(t.text) > 0:
		f := &t.findings[t.current-1]
		f.says = append(f.says, strings.Join(uncommented(t.text), "\n"))
	}
	t.current, t.text, t.yaml = 0, nil, noYAML
}

// uncommented returns lines without the signs of comments.
func uncommented(lines []string) []string {
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
	}
	return lines
}

// readYAML sorts the members of a block into what a finding says. Their lines keep what they are indented beyond
// the first of them: what was expected is often nested, and so is code.
func readYAML(f *finding, lines []string) {
	base, key := -1, ""
	var value []string
	member := func() {
		text := strings.Join(lessIndented(value), "\n")
		switch r := roleOf[plainWord([]byte(key))]; {
		case text == "":
		case r == roleSays || r == roleProblem:
			f.says = append(f.says, text)
		case r == roleStack:
			f.stack = append(f.stack, text)
		case key == "":
			f.other = append(f.other, text)
		case len(value) > 1:
			f.other = append(f.other, key+":\n  "+strings.ReplaceAll(text, "\n", "\n  "))
		default:
			f.other = append(f.other, key+": "+text)
		}
		value = nil
	}
	for _, line := range lines {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if body == "" || (body == "---" || body == "...") && (base < 0 || indent <= base) {
			continue
		}
		if base < 0 {
			base = indent
		}
		if name, rest, is := strings.Cut(body, ":"); is && indent == base && !strings.ContainsAny(name, " ") {
			member()
			if key, rest = name, strings.TrimSpace(rest); strings.Trim(rest, "|>-+") != "" {
				value = append(value, strings.Trim(rest, `'"`))
			}
			continue
		}
		value = append(value, line)
	}
	member()
}

// lessIndented returns the lines of a value without the blanks that all of them begin with. The first may be beside
// its key, and is as it is then.
func lessIndented(lines []string) []string {
	least := math.MaxInt
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); n > 0 {
			least = min(least, n)
		}
	}
	for i, line := range lines {
		lines[i] = line[min(least, len(line)-len(strings.TrimLeft(line, " "))):]
	}
	return lines
}
