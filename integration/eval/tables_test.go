package eval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// table is a table of a document.
type table struct{ strings.Builder }

func newTable(heading ...string) *table {
	t := &table{}
	t.row(heading...)
	t.WriteString("|" + strings.Repeat(" --- |", len(heading)) + "\n")
	return t
}

func (t *table) row(cells ...string) { fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | ")) }

// perBudget returns a first cell and one for each budget.
func (e *evaluation) perBudget(first string, of func(budget int) string) []string {
	cells := []string{first}
	for _, budget := range e.budgets {
		cells = append(cells, of(budget))
	}
	return cells
}

// policyTable has a row for each policy: recall and cost over a group.
func (e *evaluation) policyTable(g group) string {
	t := newTable(e.perBudget(fmt.Sprintf("%d %s", e.count(g), g.name), func(b int) string { return fmt.Sprintf("%d tokens", b) })...)
	for _, policy := range policies {
		name := policy
		if policy == receipts {
			name = "**" + receipts + "**"
		}
		t.row(e.perBudget(name, func(b int) string {
			return fmt.Sprintf("%.1f %% in %.0f", e.recall(cell{policy, b}, g), e.tokens(cell{policy, b}, g))
		})...)
	}
	full := 0
	for _, d := range e.documents {
		if g.has(d) {
			full += e.counter.Count(strings.ToValidUTF8(string(d.Payload), "\uFFFD"))
		}
	}
	t.row(e.perBudget("full output", func(int) string { return fmt.Sprintf("100 %% in %d", full/e.count(g)) })...)
	return t.String()
}

// count is the number of documents of a group.
func (e *evaluation) count(g group) (n int) {
	for _, d := range e.documents {
		if g.has(d) {
			n++
		}
	}
	return n
}

// groupTable has a row for each group: recall of all policies. Where a plain cut is better by more than is allowed, it says so.
func (e *evaluation) groupTable(title string, groups []group) string {
	t := newTable(e.perBudget(title, func(b int) string { return fmt.Sprintf("%d: %s", b, strings.Join(policies, ", ")) })...)
	for _, g := range groups {
		t.row(e.perBudget(fmt.Sprintf("%s (%d)", g.name, e.count(g)), func(b int) string {
			own := e.recall(cell{receipts, b}, g)
			cells := []string{fmt.Sprintf("%.1f", own)}
			for _, policy := range policies[1:] {
				text, plain := "%.1f", e.recall(cell{policy, b}, g)
				if plain-own > behind {
					text = "**%.1f**"
				}
				cells = append(cells, fmt.Sprintf(text, plain))
			}
			return strings.Join(cells, ", ")
		})...)
	}
	return t.String()
}

// costTable has a row for each policy: useless bytes, and tokens of failed commands.
func (e *evaluation) costTable(t *testing.T, title string) string {
	t.Helper()
	table := newTable(e.perBudget(title, func(b int) string { return fmt.Sprintf("%d tokens", b) })...)
	for _, policy := range policies {
		table.row(e.perBudget(policy+": useless, frame", func(b int) string {
			s := e.spending(t, policy, b)
			all := max(1, s.useful+s.useless+s.frame)
			return fmt.Sprintf("%.0f %%, %.0f %%", 100*float64(s.useless)/float64(max(1, s.useful+s.useless)), 100*float64(s.frame)/float64(all))
		})...)
	}
	table.row(e.perBudget("mean tokens of receipts of failed commands", func(b int) string {
		return fmt.Sprintf("%.0f", e.tokens(cell{receipts, b}, failedCommands))
	})...)
	return table.String()
}

// failedCommands is the group of what commands printed that failed.
var failedCommands = group{"failed commands", func(d *output) bool { return d.Failed() }}

// publish logs tables, and writes them into the document where one is named, between two lines of this name.
func publish(t *testing.T, name string, tables ...string) {
	t.Helper()
	text := strings.Join(tables, "\n")
	t.Logf("%s\n%s", name, text)
	if *document != "" {
		paths := []string{*document}
		switch {
		case slices.Contains(detailed, name):
			paths = []string{details}
		case name == first:
			paths = append(paths, readme)
		}
		for _, path := range paths {
			if err := replaceBetween(path, "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n", text); err != nil {
				t.Error(err)
			}
		}
	}
}

// details is the document beside the page, which has the tables that few ask for.
const details = "README.md"

var detailed = []string{"others", "idioms", "own", "compaction", "ablation", "everyday that were read", "steps of this repository"}

// first is the table that the README of the repository begins with.
const (
	first  = "steps"
	readme = "../../README.md"
)

// replaceBetween writes what is between two lines of a document anew.
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

// heading begins the line before our rows in the table with results of others.
const heading = "| policy | real |"

// writePeers writes our rows of the table with results of others anew.
func (e *evaluation) writePeers(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "| **toolresult@") })
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, heading) })
	if at < 0 {
		return fmt.Errorf("%s has no table of results", path)
	}
	var rows []string
	for _, budget := range e.budgets {
		rows = append(rows, e.peerRow(budget, columns(lines[at])))
	}
	return os.WriteFile(path, []byte(strings.Join(slices.Insert(lines, at+2, rows...), "\n")), 0o644)
}

// columns are the sources that a heading names.
func columns(heading string) []string {
	list := strings.Split(strings.Trim(heading, "| "), " | ")
	return list[2 : len(list)-2]
}

func (e *evaluation) peerRow(budget int, sources []string) string {
	c, all := cell{receipts, budget}, everything("")
	cells := []string{fmt.Sprintf("**toolresult@%d**", budget), fmt.Sprintf("%.0f", e.tokens(c, all))}
	for _, source := range sources {
		g := group{source, func(d *output) bool { return d.Source == source }}
		cells = append(cells, fmt.Sprintf("%.1f", e.recall(c, g)))
	}
	cells = append(cells, fmt.Sprintf("%.1f", e.recallOfSources(c, all)), fmt.Sprintf("%.1f", e.recall(c, all)))
	return "| " + strings.Join(cells, " | ") + " |"
}
