package reports

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// What failed in a report that is a tree. Elements and members of the many
// programs have different names for the same few things; one table has them
// all, so that a program that nobody knows, with names of others, is read, too.

// role is what an attribute, an element or a member is for.
type role uint8

const (
	roleOther role = iota
	roleFull       // the whole name of a test
	roleName       // the name of a test or a suite
	roleClass      // what a test is part of, whole
	roleFile
	roleLine
	roleColumn
	roleStatus  // how it ended, in a word
	rolePassed  // true or false
	roleFailed  // true or false
	roleProblem // there only if something is wrong
	roleSkipped // there only if it did not run
	roleSays    // a message
	roleStack
	roleShows  // what it printed
	roleRule   // of a checker
	roleLevel  // how bad a finding is
	roleCounts // holds counts of all results
)

// roles has the names in lower case, without signs. After each: who writes it.
var roles = [...]struct {
	role  role
	names string
}{
	{roleFull, "fullname fulltitle fulldescription nodeid"}, // NUnit; Mocha, Jest; RSpec; pytest
	{roleName, "name testname title displayname description"},
	{roleClass, "classname"},                                    // JUnit and its relatives
	{roleFile, "file filepath uri sourcepath absfilename path"}, // ESLint, SARIF, SpotBugs, pytest
	{roleLine, "line lineno linenumber startline beginline start"},
	{roleColumn, "column startcolumn begincolumn col"},
	{roleStatus, "status state outcome result conclusion event"}, // Allure and Robot; Mochawesome; TRX; xUnit.net; -; cargo
	{rolePassed, "ok success passed pass"},
	{roleFailed, "fail failed timedout"},
	{roleProblem, "failure error err errors failuremessages exception rerunfailure errorinfo"},
	{roleSkipped, "skipped pending disabled"},
	{roleSays, "message msg errormessage longmessage shortmessage reason details text"},
	{roleStack, "stack stacktrace fullstacktrace backtrace estack longrepr trace"},
	{roleShows, "systemout systemerr stdout stderr output console value debugtrace"},
	{roleRule, "rule ruleid source check checkid type"},
	{roleLevel, "severity level priority"},
	{roleCounts, "counters stats summary statistics resultsummary summaryline total"},
}

// The roles of names, and the verdicts of the words of a status.
var (
	roleOf    = wordTable(len(roles), func(i int) (role, string) { return roles[i].role, roles[i].names })
	verdictOf = wordTable(len(verdicts), func(i int) (verdict, string) { return verdicts[i].verdict, verdicts[i].words })
)

// verdicts has the words of a status.
var verdicts = [...]struct {
	verdict verdict
	words   string
}{
	{failed, "failed failure fail error errored broken timedout timeout unexpected aborted crashed undefined ambiguous interrupted notrunnable notok"},
	{passed, "passed pass success successful ok expected flaky xfailed"},
	{skipped, "skipped skip pending todo disabled ignored notexecuted notrun inconclusive"},
}

// wordTable makes a map of lists of words.
func wordTable[T any](n int, row func(i int) (T, string)) map[string]T {
	m := map[string]T{}
	for i := range n {
		value, words := row(i)
		for word := range strings.FieldsSeq(words) {
			m[word] = value
		}
	}
	return m
}

// plainWord returns a name in lower case without signs.
func plainWord(name []byte) string {
	var plain [24]byte
	if bytes.IndexByte(name, '@') >= 0 {
		name = bytes.ReplaceAll(name, []byte("@"), nil)
	}
	return string(textscan.PlainName(plain[:0], name))
}

// resultReader reads what failed from a tree.
type resultReader struct {
	tree
	*builder
	xml    bool              // it is of elements
	names  map[string]role   // of names that were looked up
	called map[int32]string  // what findings are in, by the name that was looked up
	groups map[int32]*groups // of tests, by what they are in
	files  map[int32]string  // that findings are in
	levels map[string]string // of rules of SARIF, by id; nil: not read yet
	places map[int32]checkPlace
	is     []place // of each node
}

// place is what is known of a node.
type place uint8

const (
	isRest         place = iota
	isFinding            // written before the rest
	isSuiteFinding       // with tests inside, which are written in the rest
	isTest               // which did not fail
	isSkipped
	isUnclear
	isSuite       // with tests
	isFailedSuite // with some that failed
)

// mostNames bounds how many names are remembered.
const mostNames = 1 << 16

// role returns the role of a node.
func (t *resultReader) role(i int32) role {
	name := t.tree[i].name
	r, known := t.names[string(name)]
	if !known {
		r = roleOf[plainWord(name)]
		if len(t.names) < mostNames {
			t.names[string(name)] = r
		}
	}
	return r
}

// read reads the whole tree.
func (t *resultReader) read() {
	t.names, t.called, t.is = map[string]role{}, map[int32]string{}, make([]place, len(t.tree))
	t.groups, t.files = map[int32]*groups{}, map[int32]string{}
	t.places = map[int32]checkPlace{}
	for i := range t.roots() {
		t.visit(i, false)
	}
	t.rest.text = make([]byte, 0, len(t.tree)*usualValue)
	for i := range t.roots() {
		t.outline(i, setting{})
	}
}

// usualValue is the usual length of a value in the outline, with its name.
const usualValue = 20

// wholeTests are elements that are one test, whatever is inside.
const wholeTests = "testcase unittestresult testmethod"

// isTestElement reports whether a node is one test by its element.
func (t *resultReader) isTestElement(i int32) bool {
	return t.tree[i].name != nil && textscan.HasWord(wholeTests, []byte(plainWord(t.tree[i].name)))
}

// isWholeTest reports whether a node with a name is one test, whatever is inside:
// by its element, or because it has a whole name and says how it ended. A test of
// Robot Framework and xUnit.net says how it ended, one of TestNG is a group.
func (t *resultReader) isWholeTest(i int32, ended verdict) bool {
	return t.isTestElement(i) || ended > unknown && (plainWord(t.tree[i].name) == "test" || t.name(i, roleFull) != "")
}

// isNamed reports whether a node has a name, which may be empty, or needs none.
func (t *resultReader) isNamed(i int32, ended verdict) bool {
	if t.name(i, roleFull, roleName) != "" {
		return true
	}
	element := t.isTestElement(i)
	if element && ended > unknown {
		return true
	}
	for c := range t.children(i) {
		if t.tree[c].kind == container || t.tree[c].name == nil {
			continue
		}
		if name := plainWord(t.tree[c].name); element || ended == failed && (name == "name" || name == "title") {
			return true
		}
	}
	return false
}

// visit finds the tests inside of a node, the innermost that have a name and a
// verdict, and returns how they ended, the worst first. Within something that
// passed nothing failed that is no whole test: it was tried again, or was meant
// to fail.
func (t *resultReader) visit(i int32, within bool) verdict {
	if t.tree[i].kind != container {
		return unknown
	}
	if t.checks && t.isCheck(i) {
		if t.isAccepted(i) {
			t.is[i] = isSkipped
			return unknown
		}
		t.is[i] = isFinding
		t.addCheck(i)
		return failed
	}
	ended := t.verdict(i)
	named := t.isNamed(i, ended)
	whole := named && t.isWholeTest(i, ended)
	if within && ended == failed && !whole {
		ended = unknown
	}
	inside := unknown
	if !whole {
		for c := range t.children(i) {
			inside = max(inside, t.visit(c, within || named && ended == passed))
		}
	}
	switch {
	case !named || inside == failed || inside > unknown && ended != failed:
		t.setSuite(i, inside)
		return inside
	case ended == failed: // by itself, or before or after all of its tests
		t.is[i] = isFinding
		if inside > unknown {
			t.is[i] = isSuiteFinding
		}
		t.addFailed(i)
		return failed
	}
	return t.setTest(i, ended, whole)
}

// setSuite notes what a node is that has tests inside.
func (t *resultReader) setSuite(i int32, inside verdict) {
	switch inside {
	case failed:
		t.is[i] = isFailedSuite
	case passed, skipped:
		t.is[i] = isSuite
	case unknown:
	}
}

// setTest notes and counts a test that did not fail.
func (t *resultReader) setTest(i int32, ended verdict, whole bool) verdict {
	switch {
	case ended == skipped:
		t.is[i] = isSkipped
	case ended == passed:
		t.is[i] = isTest
	case whole && (t.hasStatus(i) || t.tree[i].cut):
		t.is[i] = isUnclear
	case whole:
		t.is[i], ended = isTest, passed // JUnit says nothing of a test that passed
	}
	if ended > unknown {
		t.counts[ended]++
	}
	t.found = t.found || t.is[i] != isRest
	return ended
}

// hasStatus reports whether a node says how it ended.
func (t *resultReader) hasStatus(i int32) bool {
	for c := range t.children(i) {
		if r := t.role(c); r == roleStatus || r == rolePassed {
			return plainWord(t.tree[c].value) != "run" && plainWord(t.tree[c].value) != "completed" // GoogleTest
		}
	}
	return false
}

// verdict returns how a node says that it ended.
func (t *resultReader) verdict(i int32) verdict {
	v := unknown
	for c := range t.children(i) {
		v = max(v, t.verdictBy(c))
	}
	return v
}

// verdictBy returns how a node ended by one of its children.
func (t *resultReader) verdictBy(c int32) verdict {
	n := &t.tree[c]
	switch t.role(c) {
	case roleStatus:
		if n.kind != container {
			return verdictOf[plainWord(n.value)]
		}
		for d := range t.children(c) {
			if t.role(d) == roleStatus && t.tree[d].kind != container {
				return verdictOf[plainWord(t.tree[d].value)]
			}
		}
	case rolePassed:
		switch {
		case equalWord(n, "false"):
			return failed
		case equalWord(n, "true"):
			return passed
		}
	case roleFailed:
		if equalWord(n, "true") {
			return failed
		}
	case roleProblem:
		if n.kind == container && n.end > c+1 || n.kind == container && t.xml || n.kind == escapedJSON && len(n.value) > 0 {
			return failed
		}
	case roleSkipped:
		if n.kind == container && t.xml || equalWord(n, "true") {
			return skipped
		}
	default:
	}
	return unknown
}

// equalWord reports whether the value of a leaf is a word, in any case.
func equalWord(n *node, word string) bool {
	return n.kind != container && bytes.EqualFold(n.value, []byte(word))
}

// name returns the first text that a node has in one of some roles.
func (t *resultReader) name(i int32, in ...role) string {
	for _, r := range in {
		for c := range t.children(i) {
			if t.role(c) != r {
				continue
			}
			if text, ok := t.leaf(c); ok && text != "" {
				return strings.TrimSpace(text)
			}
		}
	}
	return ""
}

// addFailed adds a test that failed.
func (t *resultReader) addFailed(i int32) {
	f := finding{score: scoreFailed, suite: t.is[i] == isSuiteFinding}
	f.head, f.groups = t.path(i)
	f.head = headFailed + f.head
	if where := t.where(i); where != "" && !strings.Contains(f.head, where) {
		f.head += " (" + where + ")"
	}
	if !t.xml {
		f.list = t.tree[i].parent
	}
	t.gather(&f, i)
	t.find(f)
}

// path returns the name of a test behind that of its class or those of its groups,
// as far as they are not part of it, and the groups that are not in it.
func (t *resultReader) path(i int32) (name, groups string) {
	name = t.name(i, roleFull, roleName)
	above := t.groupsOf(t.tree[i].parent)
	if class := t.name(i, roleClass); class != "" && class != "test" { // node --test writes that one for all
		switch {
		case name == "":
			name = class
		case !hasPart(name, class):
			name = class + nameSeparator + name
		}
		return name, above.joined
	}
	if name == "" {
		name = "(no name)"
	}
	if above.joined == "" {
		return name, ""
	}
	outside := above.joined
	if slices.ContainsFunc(above.names, func(group string) bool { return hasPart(name, group) }) {
		outside = strings.Join(slices.DeleteFunc(slices.Clone(above.names), func(group string) bool { return hasPart(name, group) }), nameSeparator)
	}
	if outside == "" {
		return name, ""
	}
	return outside + nameSeparator + name, ""
}

// groups are the names of what a test is in, the outermost first, and all of them
// in one line. Of many there are the innermost.
type groups struct {
	names  []string
	joined string
}

// groupsOf returns the groups of what is in a node.
func (t *resultReader) groupsOf(i int32) *groups {
	if i < 0 {
		return &groups{}
	}
	if g := t.groups[i]; g != nil {
		return g
	}
	g := t.groupsOf(t.tree[i].parent)
	if name := t.groupName(i); name != "" {
		made := groups{names: make([]string, 0, len(g.names)+1)}
		for _, above := range g.names {
			if !hasPart(name, above) {
				made.names = append(made.names, above)
			}
		}
		made.names = append(made.names, name)
		if made.joined = strings.Join(made.names, nameSeparator); len(made.joined) > groupsMost {
			made.names[0] = cutMark
			for len(made.joined) > groupsMost && len(made.names) > 2 {
				made.names = slices.Delete(made.names, 1, 2)
				made.joined = strings.Join(made.names, nameSeparator)
			}
		}
		g = &made
	}
	t.groups[i] = g
	return g
}

// groupName returns the name of what findings are in, looked up once: it may have
// many children.
func (t *resultReader) groupName(i int32) string {
	name, known := t.called[i]
	if !known {
		name = t.name(i, roleFull, roleName, roleFile)
		t.called[i] = name
	}
	return name
}

// hasPart reports whether a name has another one in it that ends where a word
// ends.
func hasPart(name, part string) bool {
	for at := 0; ; {
		n := strings.Index(name[at:], part)
		if n < 0 {
			return false
		}
		from, to := at+n, at+n+len(part)
		if (from == 0 || !textscan.BeginsWord(name[from-1])) && (to == len(name) || !textscan.BeginsWord(name[to])) {
			return true
		}
		at = to
	}
}

// where returns the file and the line that a node names itself.
func (t *resultReader) where(i int32) string {
	file := t.name(i, roleFile)
	if line := t.name(i, roleLine); file != "" && line != "" {
		return file + ":" + line
	}
	return file
}

// gather sorts the texts inside of a node.
func (t *resultReader) gather(f *finding, i int32) {
	var short []string
	for c := i + 1; c < t.tree[i].end; c++ {
		n := &t.tree[c]
		if n.kind == container && t.is[c] >= isTest {
			c = n.end - 1
		}
		if n.kind == container || len(n.value) == 0 {
			continue
		}
		r, own := t.roleInside(c), n.parent == i
		text := strings.Trim(t.text(c), "\n")
		if own && (r >= roleFull && r <= roleLine) && inHead(f.head, text) {
			continue
		}
		switch {
		case r == roleSays:
			f.says = append(f.says, text)
		case r == roleStack:
			f.stack = append(f.stack, text)
		case r == roleProblem:
			if own || n.name != nil { // "error": "..."
				f.says = append(f.says, text)
			} else {
				f.stack = append(f.stack, text)
			}
		case r == roleShows:
			f.shows = append(f.shows, text)
		case n.kind == escapedJSON && len(text) > inlineMost || strings.Contains(text, "\n") || n.name == nil && (t.xml || n.kind == foreignText):
			f.other = append(f.other, text)
		default:
			short = append(short, t.label(c)+quoted(text))
		}
	}
	if len(short) > 0 {
		f.values = strings.Join(short, " ")
	}
}

// inHead reports whether the head of a finding has a text. A long head is not
// searched.
func inHead(head, text string) bool {
	return len(head) <= headMost && strings.Contains(head, strings.Join(strings.Fields(text), " "))
}

// roleInside returns the role of a text: its own, or that of its container.
func (t *resultReader) roleInside(c int32) role {
	for n := &t.tree[c]; n.name == nil && n.parent >= 0; n = &t.tree[c] {
		c = n.parent
	}
	r := t.role(c)
	if r == roleStatus && t.tree[c].kind == container { // Robot Framework: the message is the text of the status
		r = roleSays
	}
	return r
}

// label returns the name of a value and an equals sign: its own, or that of the
// list that it is in.
func (t *resultReader) label(i int32) string {
	for t.tree[i].name == nil && t.tree[i].parent >= 0 {
		i = t.tree[i].parent
	}
	if t.tree[i].name == nil {
		return ""
	}
	return plainName(t.tree[i].name) + "="
}

// plainName returns a name without control characters.
func plainName(name []byte) string {
	if slices.IndexFunc(name, func(c byte) bool { return c < ' ' }) < 0 {
		return string(name)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, string(name))
}

// quoted puts a text in quotes if it has blanks.
func quoted(text string) string {
	if strings.IndexByte(text, ' ') >= 0 {
		return `"` + text + `"`
	}
	return text
}
