package reports

import (
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
)

// Reports of checkers: ESLint, SARIF, Checkstyle, PMD, SpotBugs, cppcheck,
// Android Lint. Each message is a finding of one line, as a compiler writes it.

// checker is the format of a checker that writes JSON.
type checker uint8

const (
	noChecker checker = iota
	eslint
	sarif
)

// isCheck reports whether a node is a message of a checker.
func (t *resultReader) isCheck(i int32) bool {
	switch t.checker {
	case eslint:
		list := t.listName(i)
		return (list == "messages" || list == "suppressedMessages") && t.member(i, "ruleId") >= 0 && t.member(i, "severity") >= 0 && t.member(i, "message") >= 0
	case sarif:
		list := t.listName(i)
		return (list == "results" || list == "toolExecutionNotifications" || list == "toolConfigurationNotifications") && t.member(i, "message") >= 0
	case noChecker:
	}
	return t.isElementOfChecker(i)
}

// isElementOfChecker reports whether an element is a message of a checker: it
// says something, and by which rule or how bad it is.
func (t *resultReader) isElementOfChecker(i int32) bool {
	says, graded := false, false
	for c := range t.children(i) {
		switch t.role(c) {
		case roleSays:
			_, is := t.leaf(c)
			says = says || is
		case roleRule, roleLevel:
			graded = graded || t.tree[c].kind != container
		default:
			says = says || t.tree[c].name == nil && t.tree[c].kind == escapedXML // PMD
		}
	}
	return says && graded
}

// isAccepted reports whether a message is there only to say that nothing is wrong,
// or no longer, or that it is accepted.
func (t *resultReader) isAccepted(i int32) bool {
	if t.checker == eslint {
		return t.listName(i) == "suppressedMessages"
	}
	if t.checker != sarif {
		return false
	}
	kind := t.memberText(i, "kind")
	return kind == "pass" || kind == "notApplicable" || t.memberText(i, "baselineState") == "absent" || t.isSuppressed(i)
}

// isSuppressed reports whether a result of SARIF has suppressions, none of which
// is rejected or under review.
func (t *resultReader) isSuppressed(i int32) bool {
	list, n := t.member(i, "suppressions"), 0
	if list < 0 {
		return false
	}
	for c := range t.children(list) {
		if status := t.memberText(c, "status"); status == "rejected" || status == "underReview" {
			return false
		}
		n++
	}
	return n > 0
}

// listName returns the name of the list that a node is in.
func (t *resultReader) listName(i int32) string {
	if p := t.tree[i].parent; p >= 0 && t.tree[i].name == nil {
		return string(t.tree[p].name)
	}
	return ""
}

// member returns the child of a node with a name, or -1.
func (t *resultReader) member(i int32, name string) int32 {
	if i >= 0 && t.tree[i].kind == container {
		for c := range t.children(i) {
			if string(t.tree[c].name) == name {
				return c
			}
		}
	}
	return -1
}

// memberText returns the text of the child of a node with a name.
func (t *resultReader) memberText(i int32, name string) string {
	if c := t.member(i, name); c >= 0 && t.tree[c].kind != container {
		return t.text(c)
	}
	return ""
}

// levelScores are how much a finding matters, by its level. Checkers that count
// have 1 for the worst, but for ESLint, whose 2 is an error.
var levelScores = map[string]int{
	"error": scoreFailed, "high": scoreFailed, "critical": scoreFailed, "blocker": scoreFailed, "fatal": scoreFailed, "major": scoreFailed - 4,
	"warning": scoreFailed - 14, "medium": scoreFailed - 14, "moderate": scoreFailed - 14, "performance": scoreFailed - 18, "portability": scoreFailed - 18,
	"style": scoreFailed - 20, "low": scoreFailed - 20, "minor": scoreFailed - 20, "information": scoreFailed - 24, "info": scoreFailed - 24, "note": scoreFailed - 24, "none": scoreFailed - 28,
}

// checkPlace is where a finding is, and the nodes that its line is made of.
type checkPlace struct {
	text string
	used []int32
}

// addCheck adds one message.
func (t *resultReader) addCheck(i int32) {
	level, score := t.level(i)
	f := finding{score: score, level: level}
	message, at := t.messageOf(i)
	place, used := t.placeOf(i)
	if message == "" {
		message = t.messageByID(i)
	}
	t.places[i] = checkPlace{place, append(used, at)}
	f.head = place
	if level != "" {
		f.head += level + ": "
	}
	f.head += message
	if rule := t.name(i, roleRule); rule != "" && rule != "null" {
		if short := rule[strings.LastIndexByte(rule, '.')+1:]; short != "" {
			f.head += " [" + short + "]"
		}
	}
	if !t.xml {
		f.list = t.tree[i].parent
	}
	t.find(f)
}

// outlineCheck writes what else is known of a message into the rest, so that
// messages are one below the other.
func (t *resultReader) outlineCheck(i int32, in setting) {
	var short []string
	place, indent, rule := t.places[i], indentation(in.depth), t.name(i, roleRule)
	for c := i + 1; c < t.tree[i].end; c++ {
		n := &t.tree[c]
		if n.kind == container || len(n.value) == 0 || slices.Contains(place.used, c) {
			continue
		}
		text := strings.Trim(t.text(c), "\n")
		r := t.role(c)
		switch {
		case n.kind == comment || n.kind == foreignText:
			t.longText(c, in)
		case n.parent == i && r == roleLevel && levelScores[text] > 0:
		case n.parent == i && r == roleRule && text == rule && strings.IndexByte(rule, '.') < 0:
		case len(text) > inlineMost || strings.Contains(text, "\n"):
			t.rest.addText(ownRank, indent, t.label(c)+text)
		default:
			short = append(short, t.label(c)+quoted(text))
		}
	}
	if len(short) > 0 {
		t.rest.add(scoreCounted, shape.KeepContext, indent, strings.TrimSpace(oneLine(place.text)+" "+strings.Join(short, " ")))
	}
}

// level returns how bad a message is, and its score. It is empty if nothing says it.
func (t *resultReader) level(i int32) (level string, score int) {
	if t.checker == sarif {
		level = t.sarifLevel(i)
	} else {
		level = strings.ToLower(t.name(i, roleLevel))
	}
	switch {
	case t.xml && level == "1", !t.xml && level == "2":
		level = "error"
	case len(level) == 1:
		level = "warning"
	}
	score, known := levelScores[level]
	if !known {
		score = levelScores["warning"]
	}
	return level, score
}

// messageOf returns what a message says, in the text or in what is inside, and the
// node with it.
func (t *resultReader) messageOf(i int32) (string, int32) {
	for c := i + 1; c < t.tree[i].end; c++ {
		n := &t.tree[c]
		if n.kind == container || n.kind == comment || len(n.value) == 0 {
			continue
		}
		if r := t.roleInside(c); r == roleSays || n.name == nil && n.parent == i {
			if text := strings.TrimSpace(t.text(c)); text != "" {
				return text, c
			}
		}
	}
	return "", -1
}

// messageByID returns the message of a result of SARIF that has its words in the
// rule: its name there, and what is put into it.
func (t *resultReader) messageByID(i int32) string {
	message := t.member(i, "message")
	words := []string{t.memberText(message, "id")}
	if list := t.member(message, "arguments"); list >= 0 {
		for c := range t.children(list) {
			if t.tree[c].kind != container {
				words = append(words, t.text(c))
			}
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// placeOf returns where a finding is: the file and line that it names, or the
// file that it is in. Used are the nodes that say it.
func (t *resultReader) placeOf(i int32) (place string, used []int32) {
	var file, line, column string
	used = make([]int32, 0, 4)
	take := func(text *string, c int32) {
		if *text == "" {
			*text, used = t.text(c), append(used, c)
		}
	}
	for c := i + 1; c < t.tree[i].end; c++ {
		n := &t.tree[c]
		if n.kind == container || len(n.value) == 0 {
			continue
		}
		switch t.role(c) {
		case roleFile:
			take(&file, c)
		case roleLine:
			take(&line, c)
		case roleColumn:
			take(&column, c)
		default:
		}
	}
	if file == "" {
		file = t.fileOf(t.tree[i].parent)
	}
	place = file
	for _, n := range []string{line, column} {
		if n != "" {
			place += ":" + n
		}
	}
	if place != "" {
		place += ": "
	}
	return place, used
}

// fileOf returns the name of the innermost node that has one around what is in a
// node.
func (t *resultReader) fileOf(i int32) string {
	if i < 0 {
		return ""
	}
	file, known := t.files[i]
	if !known {
		if file = t.groupName(i); file == "" {
			file = t.fileOf(t.tree[i].parent)
		}
		t.files[i] = file
	}
	return file
}
