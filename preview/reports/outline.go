package reports

import (
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
)

// The outline of a report: all but the findings, a node on a line, with its
// short values beside it. What a reader needs of it are the suites and their
// counts.

// scores of a node in the outline.
var placeScores = [...]int{
	isRest: scoreCounted, isFinding: scoreCounted, isSuiteFinding: scoreCounted, isTest: scoreCounted, isSkipped: scoreCounted, isUnclear: scoreUnclear,
	isSuite: scoreOtherSuite, isFailedSuite: scoreSuite,
}

// setting is what a node of the outline is in.
type setting struct {
	depth  int
	counts bool // of all
	over   bool // a test that did not fail
	failed bool // a suite, and no test: those that failed in it say why
}

// outline writes a node and what is inside.
func (t *resultReader) outline(i int32, in setting) {
	switch {
	case t.tree[i].kind != container:
		t.longText(i, in)
		return
	case t.is[i] == isFinding:
		if t.checks {
			t.outlineCheck(i, in)
		}
		return
	case t.is[i] == isSuiteFinding:
		t.outlineTests(i, in)
		return
	}
	in.counts = in.counts || t.role(i) == roleCounts && t.is[i] == isRest
	in.failed = t.is[i] == isFailedSuite || in.failed && t.is[i] == isRest
	in.over = in.over || t.is[i] == isTest || t.is[i] == isSkipped
	line, values, inside := t.inline(i)
	if line != "" {
		t.rest.add(t.outlineScore(i, in, values), shape.KeepContext, indentation(in.depth), line)
		if t.is[i] == isRest && !in.over && !in.counts && t.hasMessage(i) && isWrong(line) {
			t.rest.lines[len(t.rest.lines)-1].kind = spareLine
		}
		in.depth++
	}
	for _, c := range inside {
		t.outline(c, in)
	}
}

// outlineTests writes the tests of a suite that is a finding itself.
func (t *resultReader) outlineTests(i int32, in setting) {
	for c := range t.children(i) {
		switch {
		case t.tree[c].kind != container:
		case t.is[c] == isRest:
			t.outlineTests(c, in)
		default:
			t.outline(c, in)
		}
	}
}

// hasMessage reports whether a node has a message.
func (t *resultReader) hasMessage(i int32) bool {
	for c := range t.children(i) {
		if r := t.role(c); r == roleSays || r == roleProblem || r == roleStack {
			return true
		}
	}
	return false
}

// isWrong reports whether a line says that something is wrong.
func isWrong(line string) bool {
	return salience.Builtin().Classify([]byte(line)).Score >= salience.MustKeep
}

// outlineScore returns the score of the line of a node.
func (t *resultReader) outlineScore(i int32, in setting, values int) int {
	switch score := placeScores[t.is[i]]; {
	case values == 0:
		return scoreCounted
	case in.counts:
		return scoreCounts
	case t.is[i] >= isSuite:
		return score - min(in.depth, indentMost)
	default:
		return score
	}
}

// inline returns the name of a container and its short values in one line, and
// the nodes that are not in it. A list has no line of its own.
func (t *resultReader) inline(i int32) (line string, values int, inside []int32) {
	var b strings.Builder
	b.WriteString(plainName(t.tree[i].name))
	for c := range t.children(i) {
		n := &t.tree[c]
		if n.kind == container || n.kind == foreignText || n.kind == comment || n.name == nil && t.xml {
			inside = append(inside, c)
			continue
		}
		text := t.text(c)
		if len(text) > inlineMost || strings.Contains(text, "\n") {
			inside = append(inside, c)
			continue
		}
		if values++; b.Len() > 0 {
			b.WriteByte(' ')
		}
		if n.name != nil {
			b.WriteString(t.label(c))
		}
		b.WriteString(quoted(text))
	}
	return b.String(), values, inside
}

// longText writes a text on lines of its own.
func (t *resultReader) longText(i int32, in setting) {
	text, kind := t.text(i), t.textKind(i, in)
	if name := t.tree[i].name; name != nil {
		text = plainName(name) + "=" + text
	}
	t.rest.addText(kind, indentation(in.depth), text)
}

// textKind returns how the lines of a text are ranked: those that a test printed
// that did not fail are not shown.
func (t *resultReader) textKind(i int32, in setting) lineKind {
	switch n := &t.tree[i]; {
	case n.kind == foreignText || n.kind == comment:
		return plainLine
	case in.over:
		return ownRank
	}
	switch t.roleInside(i) {
	case roleSays, roleStack, roleProblem:
		if in.failed {
			return spareLine
		}
	case roleShows:
	default:
		if text := t.text(i); strings.IndexByte(text, '\n') < 0 && !isWrong(text) {
			return ownRank
		}
	}
	if t.checks {
		return spareLine
	}
	return quietLine
}

// indentation returns the blanks before a line.
func indentation(depth int) string { return strings.Repeat("  ", min(depth, indentMost)) }
