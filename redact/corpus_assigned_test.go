package redact_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

var update = flag.Bool("update", false, "write the table of assigned values to the document")

// assignment is a line of testdata/assigned.txt: what is before a value, the value, and what is behind.
type assignment struct{ syntax, before, value, after string }

func assignments(t *testing.T) (list []assignment) {
	t.Helper()
	text, err := os.ReadFile("testdata/assigned.txt")
	if err != nil {
		t.Fatal(err)
	}
	syntax := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			syntax = name
			continue
		}
		before, rest, ok := strings.Cut(line, "⟦")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value, after, _ := strings.Cut(rest, "⟧")
		list = append(list, assignment{syntax, before, value, after})
	}
	return list
}

// outcomes count what became of the assignments of a syntax.
type outcomes struct{ all, whole, more, partly, missed int }

// add counts what became of one assignment.
func (o *outcomes) add(a assignment, redacted string) string {
	o.all++
	line := a.before + a.value + a.after
	if redacted == line {
		o.missed++
		return "missed"
	}
	marks := redact.Placeholder().FindAllStringIndex(redacted, -1)
	first, last := marks[0][0], len(redacted)-marks[len(marks)-1][1]
	switch covered := len(line) - last; {
	case len(marks) == 1 && first == len(a.before) && last == len(a.after):
		o.whole++
		return "whole"
	case len(marks) == 1 && first <= len(a.before) && covered >= len(a.before)+len(a.value):
		o.more++
		return "more"
	default:
		o.partly++
		return "partly"
	}
}

// TestAssignedCorpus measures what becomes of values in the syntaxes that have assignments: none is replaced in part. The table is
// in the document.
func TestAssignedCorpus(t *testing.T) {
	o := redact.Options{Patterns: redact.BuiltIn()}
	by, order, sum := map[string]*outcomes{}, []string{}, outcomes{}
	for _, a := range assignments(t) {
		if by[a.syntax] == nil {
			by[a.syntax], order = &outcomes{}, append(order, a.syntax)
		}
		out, _ := redact.Text(o, []byte("first line\n"+a.before+a.value+a.after+"\nlast line\n"))
		redacted := strings.TrimSuffix(strings.TrimPrefix(string(out), "first line\n"), "\nlast line\n")
		what := by[a.syntax].add(a, redacted)
		sum.add(a, redacted)
		switch what {
		case "partly":
			t.Errorf("%s: %s%s%s gives %s", a.syntax, a.before, a.value, a.after, redacted)
		case "missed", "more":
			t.Logf("%s, %s: %s%s%s gives %s", a.syntax, what, a.before, a.value, a.after, redacted)
		}
	}
	var rows, found []string
	perfect := outcomes{}
	for _, name := range order {
		if o := by[name]; o.whole == o.all {
			found = append(found, name)
			perfect.all, perfect.whole = perfect.all+o.all, perfect.whole+o.whole
			continue
		}
		rows = append(rows, by[name].row(name))
	}
	rows = append(rows, perfect.row(strings.Join(found, "; ")), sum.row("all"))
	checkAssignedTable(t, rows)
	if sum.all < 500 || len(order) < 12 || sum.missed*20 > sum.all || sum.more*20 > sum.all {
		t.Errorf("of %d values in %d syntaxes %d are missed, and at %d more is replaced", sum.all, len(order), sum.missed, sum.more)
	}
}

func (o *outcomes) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", name, o.all, o.whole, o.more, o.missed, o.partly)
}

// checkAssignedTable compares the rows with those of the document, or writes them.
func checkAssignedTable(t *testing.T, rows []string) {
	t.Helper()
	const path, header = "../docs/reference/redaction.md", "| syntax | values | replaced | with more than the value | missed | in part |\n|"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(text, []byte(header))
	if !ok {
		t.Fatalf("%s has no table %q", path, header)
	}
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	table := rest
	if at := bytes.Index(rest, []byte("\n\n")); at >= 0 {
		table = rest[:at+1]
	}
	want := strings.Join(rows, "\n") + "\n"
	if string(table) == want {
		return
	}
	if !*update {
		t.Errorf("the table of %s is\n%s\nwant\n%s", path, table, want)
		return
	}
	if err := os.WriteFile(path, bytes.Join([][]byte{before, []byte(header), line, []byte("\n" + want), rest[len(table):]}, nil), 0o600); err != nil {
		t.Fatal(err)
	}
}
