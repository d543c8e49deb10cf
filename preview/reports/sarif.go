package reports

import (
	"cmp"
	"strings"
)

// defaultLevel is that of a result of SARIF whose rule has none.
const defaultLevel = "warning"

// sarifLevel returns the level of a result or a notification: its own, or that of the
// rule that it names (SARIF 2.1.0, section 3.27.10).
func (t *resultReader) sarifLevel(i int32) string {
	if level := t.memberText(i, "level"); level != "" {
		return strings.ToLower(level)
	}
	if kind := t.memberText(i, "kind"); kind != "" && kind != "fail" {
		return strings.ToLower(kind)
	}
	if t.levels == nil {
		t.readLevels()
	}
	id := t.memberText(i, "ruleId")
	if id == "" {
		id = t.memberText(t.member(i, "rule"), "id")
	}
	for id != "" { // a rule may be more general than the id of a result
		if level, known := t.levels[id]; known {
			return level
		}
		id = id[:max(0, strings.LastIndexByte(id, '/'))]
	}
	return defaultLevel
}

// readLevels reads the levels of all rules, by their ids.
func (t *resultReader) readLevels() {
	t.levels = map[string]string{}
	for i := range t.tree {
		if t.listName(int32(i)) != "rules" {
			continue
		}
		if id := t.memberText(int32(i), "id"); id != "" {
			level := t.memberText(t.member(int32(i), "defaultConfiguration"), "level")
			t.levels[id] = strings.ToLower(cmp.Or(level, defaultLevel))
		}
	}
}
