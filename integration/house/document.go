package main

import (
	"errors"
	"strings"
)

// Markers in the document. The table is between begin and middle, the list of worse rows between middle and end.
const (
	begin  = "<!-- house: table -->\n"
	middle = "<!-- house: where we are worse, and why -->\n"
	end    = "<!-- house: end -->\n"
)

// noReason stands for a reason that nobody has written yet.
const noReason = "TODO: say why, or mend it."

// rewrite returns the document with a new table and a line for each worse row. The reasons are written by hand: a row that
// was worse keeps its line, a new one gets noReason, and one that is not worse any more has none.
func rewrite(document, table string, rows []row) (string, error) {
	head, rest, found := strings.Cut(document, begin)
	_, rest, foundMiddle := strings.Cut(rest, middle)
	list, tail, foundEnd := strings.Cut(rest, end)
	if !found || !foundMiddle || !foundEnd {
		return "", errors.New("the document lacks a marker: " + strings.TrimSpace(begin+middle+end))
	}
	reasons := map[string]string{}
	for line := range strings.Lines(list) {
		name, reason, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		if ok && strings.HasPrefix(line, "- ") {
			reasons[name] = strings.TrimSpace(reason)
		}
	}
	var b strings.Builder
	b.WriteString(head + begin + "\n" + table + "\n" + middle + "\n")
	for _, r := range rows {
		if !r.worse() {
			continue
		}
		reason := reasons[r.name]
		if reason == "" {
			reason = noReason
		}
		b.WriteString("- " + r.name + ": " + reason + "\n")
	}
	b.WriteString("\n" + end + tail)
	return b.String(), nil
}
