package eval_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// The names that the scorer gives to all sources together.
const (
	allDocuments = "ALL (documents)"
	allSources   = "ALL (mean of sources)"
)

// heading begins the line before our rows in the table of results.
const heading = "| policy | real |"

// write writes our rows of the table of results anew.
func (e *evaluation) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, heading) })
	if at < 0 {
		return fmt.Errorf("%s has no table of results", path)
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "| **toolresult@") })
	var rows []string
	for _, budget := range e.budgets {
		rows = append(rows, e.row(budget, columns(lines[at])))
	}
	return os.WriteFile(path, []byte(strings.Join(slices.Insert(lines, at+2, rows...), "\n")), 0o644)
}

// replaceBetween writes what stands between two lines of a document anew.
func replaceBetween(path, begin, end, with string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no lines %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+with+"\n"+end+after), 0o644)
}

// sources returns the names of all sources in order, and last the mean of them.
func (e *evaluation) sources() []string {
	names := slices.Sorted(maps.Keys(e.scores[e.budgets[0]]))
	names = slices.DeleteFunc(names, func(n string) bool { return n == allDocuments || n == allSources })
	return append(names, allSources)
}

// columns are the sources that a heading names.
func columns(heading string) []string {
	list := strings.Split(strings.Trim(heading, "| "), " | ")
	return list[2 : len(list)-2]
}

func (e *evaluation) row(budget int, sources []string) string {
	s := e.scores[budget]
	var b bytes.Buffer
	fmt.Fprintf(&b, "| **toolresult@%d** | %.0f |", budget, s[allDocuments].Tokens)
	for _, source := range append(sources, allSources, allDocuments) {
		fmt.Fprintf(&b, " %.1f |", 100*s[source].Recall)
	}
	return b.String()
}
