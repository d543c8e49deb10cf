package providers_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// documented is the document that has the table when none is written.
const documented = "README.md"

// A table says which SDK proved what.
type table struct {
	counts map[row]*counts
	left   map[string][]string // streams that no SDK is given, by reason
	typed  map[string]*count   // turns of the types of an SDK, by provider
	faults map[*fault][]string // the cases that showed them
}

// counts are those of a row.
type counts struct {
	name                  string // of the package, and its version
	native, text, streams count
}

type count struct{ ok, all int }

func (c count) String() string { return fmt.Sprintf("%d/%d", c.ok, c.all) }

func newTable(left map[string][]string) *table {
	return &table{counts: map[row]*counts{}, left: left, typed: map[string]*count{}, faults: map[*fault][]string{}}
}

// add counts what came of a job.
func (t *table) add(r row, j *job, d *done, ok bool, known *fault) {
	c := t.counts[r]
	if c == nil {
		c = &counts{}
		t.counts[r] = c
	}
	if d != nil {
		c.name = fmt.Sprintf("`%s` %s", d.Package, strings.TrimPrefix(d.Version, "v"))
	}
	n := &c.native
	switch {
	case j.Kind == streams:
		n = &c.streams
	case strings.HasSuffix(j.name, "/text"):
		n = &c.text
	}
	n.all++
	if ok {
		n.ok++
	}
	if known != nil {
		t.faults[known] = append(t.faults[known], string(j.Kind)+"/"+j.name)
	}
}

// markdown is the table, and under it what it leaves out.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| provider | language and SDK | turns, in text, streams |\n| --- | --- | --- |\n")
	languages := map[string]string{"python": "Python", "node": "JavaScript", "go": "Go"}
	last := ""
	for _, r := range rows {
		c := t.counts[r]
		if c == nil {
			continue
		}
		language, _, _ := strings.Cut(r.sdk, "-")
		read := c.streams.String()
		if !r.streams {
			read = "none"
		}
		provider := " `" + r.provider + "`"
		if r.provider == last {
			provider = "" // it is in the first row
		}
		last = r.provider
		fmt.Fprintf(&b, "|%s | %s %s | %s, %s, %s |\n", provider, languages[language], c.name, c.native, c.text, read)
	}
	b.WriteString("\nTurns of the types of the SDK for JavaScript (`tsc --strict`):")
	for i, provider := range slices.Sorted(maps.Keys(t.typed)) {
		fmt.Fprintf(&b, "%s `%s` %s", []string{"", ","}[min(i, 1)], provider, t.typed[provider])
	}
	b.WriteString("\n")
	if len(t.left) > 0 {
		b.WriteString("\nStreams that no SDK is given:\n\n")
		for _, reason := range slices.Sorted(maps.Keys(t.left)) {
			fmt.Fprintf(&b, "- %s: %d\n", reason, len(t.left[reason]))
		}
	}
	if len(t.faults) > 0 {
		b.WriteString("\nFaults of SDKs, which are counted as not proved:\n\n")
		for i := range faults {
			if cases := t.faults[&faults[i]]; len(cases) > 0 {
				fmt.Fprintf(&b, "- `%s`, `%s`: %s (`%s`)\n", faults[i].sdk, faults[i].provider, faults[i].why, strings.Join(cases, "`, `"))
			}
		}
	}
	return b.String()
}

// compare fails unless the document has the table, or writes it there.
func (t *table) compare(test *testing.T) {
	test.Helper()
	if len(t.counts) < len(rows) {
		test.Log("only some SDKs ran: the table is not compared")
		return
	}
	path := *tableIn
	if path == "" {
		path = documented
	}
	content, err := os.ReadFile(path)
	if err != nil {
		test.Fatal(err)
	}
	const begin, end = "<!-- sdks -->\n", "<!-- /sdks -->"
	before, rest, found := strings.Cut(string(content), begin)
	stands, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		test.Fatalf("%s has no place for the table: %q and %q", path, begin, end)
	}
	made := "\n" + t.markdown() + "\n"
	switch {
	case stands == made:
	case *tableIn != "" && !test.Failed():
		if err := os.WriteFile(path, []byte(before+begin+made+end+after), 0o644); err != nil {
			test.Fatal(err)
		}
	default:
		test.Errorf("%s has another table: `make providers` writes it when all tests pass\ngot:\n%s\nit has:\n%s", path, made, stands)
	}
}
