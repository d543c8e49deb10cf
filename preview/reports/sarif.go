package reports

import (
	"strconv"
	"strings"
)

// How bad a result of SARIF is: it may say so itself, or leave it to its rule
// (SARIF 2.1.0, section 3.27.10).

// rules are the levels of the rules of one run.
type rules struct {
	byID       map[string]string
	driver     []string   // in their order
	extensions [][]string // of each extension
}

// defaultLevel is that of a result whose rule has none.
const defaultLevel = "warning"

// sarifLevel returns the level of a result or a notification.
func (t *resultReader) sarifLevel(i int32) string {
	if level := t.memberText(i, "level"); level != "" {
		return strings.ToLower(level)
	}
	if kind := t.memberText(i, "kind"); kind != "" && kind != "fail" {
		return strings.ToLower(kind)
	}
	run := t.tree[i].parent
	if run >= 0 {
		run = t.tree[run].parent
	}
	if run < 0 {
		return defaultLevel
	}
	return t.rulesOf(run).level(t, i)
}

// level returns the level of the rule of a result.
func (r *rules) level(t *resultReader, i int32) string {
	rule := t.member(i, "rule")
	index, ok := t.number(i, "ruleIndex")
	if !ok {
		index, ok = t.number(rule, "index")
	}
	list := r.driver
	if extension, is := t.number(t.member(rule, "toolComponent"), "index"); is && extension < len(r.extensions) {
		list = r.extensions[extension]
	}
	if ok && index < len(list) {
		return list[index]
	}
	id := t.memberText(i, "ruleId")
	if id == "" {
		id = t.memberText(rule, "id")
	}
	for id != "" { // a rule may be more general than the id of a result
		if level, known := r.byID[id]; known {
			return level
		}
		id = id[:max(0, strings.LastIndexByte(id, '/'))]
	}
	return defaultLevel
}

// number returns a member that is an index.
func (t *resultReader) number(i int32, name string) (n int, ok bool) {
	n, err := strconv.Atoi(t.memberText(i, name))
	return n, err == nil && n >= 0
}

// rulesOf returns the levels of the rules of a run, read once.
func (t *resultReader) rulesOf(run int32) *rules {
	if r := t.rules[run]; r != nil {
		return r
	}
	r := &rules{byID: map[string]string{}}
	t.rules[run] = r
	tool := t.member(run, "tool")
	r.driver = r.read(t, t.member(tool, "driver"))
	if extensions := t.member(tool, "extensions"); extensions >= 0 {
		for c := range t.children(extensions) {
			r.extensions = append(r.extensions, r.read(t, c))
		}
	}
	return r
}

// read returns the levels of the rules of a component.
func (r *rules) read(t *resultReader, component int32) (levels []string) {
	list := t.member(component, "rules")
	if list < 0 {
		return nil
	}
	for c := range t.children(list) {
		level := strings.ToLower(t.memberText(t.member(c, "defaultConfiguration"), "level"))
		if level == "" {
			level = defaultLevel
		}
		levels = append(levels, level)
		if id := t.memberText(c, "id"); id != "" {
			r.byID[id] = level
		}
	}
	return levels
}
