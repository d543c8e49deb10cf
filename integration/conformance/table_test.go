package conformance_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

var update = flag.Bool("update", false, "write docs/reference/rfc-conformance.md and requirements.md")

const (
	page = "../../docs/reference/rfc-conformance.md"
	list = "requirements.md"
)

// requirement is one row: what a seed document asks for, and how the binary is asked
// whether it is so.
type requirement struct {
	section string // the heading in the document
	text    string // the requirement in one sentence
	check   func(*client) error
}

// document is a seed document, or what else is promised, with its requirements in its order.
type document struct {
	title string
	rows  []requirement
	// not has the headings that ask for nothing that can be run, and why.
	not []exclusion
}

// exclusion is a heading without a requirement.
type exclusion struct{ section, why string }

// inPart is the error of a requirement of which a part is decided otherwise.
type inPart struct {
	missing  string // what, in one sentence
	decision string // the file of the decision in docs/adr
}

func (p inPart) Error() string { return p.missing + " (" + p.decision + ")" }

func (p inPart) state() string {
	return fmt.Sprintf("in part: %s ([decision %s](../adr/%s))", p.missing, p.decision[:4], p.decision)
}

// outcome is what a row came to.
type outcome struct {
	state string
	run   bool
}

// Every requirement of the documents is checked against the binary, and the page says what
// the checks came to.
func TestConformance(t *testing.T) {
	dir := sidecartest.ShortDir(t)
	s, err := start(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	documents := documents()
	outcomes := map[string][]outcome{}
	for _, d := range documents {
		t.Run(name(d.title), func(t *testing.T) {
			for i, r := range d.rows {
				o := outcome{}
				t.Run(fmt.Sprintf("%s/%d", name(r.section), i+1), func(t *testing.T) { o = runRow(t, s, r) })
				outcomes[d.title] = append(outcomes[d.title], o)
			}
		})
	}
	comparePages(t, documents, outcomes)
}

// runRow runs a row. A row that does not hold fails its test.
func runRow(t *testing.T, s *sidecar, r requirement) (o outcome) {
	c, err := newClient(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.conn.Close() }()
	err = checked(c, r)
	if errors.Is(err, errNoGrpcurl) {
		leg(t, false, err.Error())
	}
	o = outcome{"holds", true}
	if part, ok := alone(err).(inPart); ok {
		if _, err := os.Stat("../../docs/adr/" + part.decision); err != nil {
			t.Error(err)
		}
		o.state = part.state()
		return o
	}
	if len(c.called) == 0 {
		err = errors.Join(err, errors.New("the check called nothing"))
	}
	if err != nil {
		o.state = "does not hold"
		t.Errorf("%s\n%v", r.text, err)
	}
	return o
}

// alone returns the only error of a join; of several it returns the join.
func alone(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) != 1 {
			return err
		}
		err = joined.Unwrap()[0]
	}
}

// checked runs a check. A call that failed is what is wrong, whatever the check says of the
// empty answer, also by looking for what is not there.
func checked(c *client, r requirement) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if c.err != nil {
			err = c.err
		}
	}()
	return r.check(c)
}

// comparePages compares the page and the list with what the rows came to, or writes them.
func comparePages(t *testing.T, documents []document, outcomes map[string][]outcome) {
	t.Helper()
	for _, d := range documents {
		if len(outcomes[d.title]) != len(d.rows) || slices.ContainsFunc(outcomes[d.title], func(o outcome) bool { return !o.run }) {
			t.Log("not all rows were run: the pages are not compared")
			return
		}
	}
	for path, want := range map[string]string{page: writePage(documents, outcomes), list: writeList(documents, outcomes)} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := equal(path+" (go test ./integration/conformance -update writes it)", string(got), want); err != nil {
			t.Error(err)
		}
	}
}

// leg guards a row that needs more than Go and Linux. Where it cannot run it is skipped or,
// with TOOLRESULT_LEGS=all, fails.
func leg(t *testing.T, ok bool, why string) {
	t.Helper()
	sidecartest.Need(t, ok, why)
}

// name makes a heading the name of a test.
func name(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(heading, "/", "-"), "`", "")
}

// Every heading of the documents has a requirement, or it is said why it has none.
func TestEveryHeadingIsThere(t *testing.T) {
	t.Parallel()
	for _, d := range documents() {
		there := map[string]bool{}
		for _, r := range d.rows {
			there[r.section] = true
		}
		for _, e := range d.not {
			if there[e.section] {
				t.Errorf("%s: %q has requirements and is said to have none", d.title, e.section)
			}
			there[e.section] = true
		}
		for heading := range strings.Lines(headings[d.title]) {
			if heading = strings.TrimSpace(heading); heading != "" && !there[heading] {
				t.Errorf("%s: %q has no row", d.title, heading)
			}
			delete(there, heading)
		}
		for heading := range there {
			if headings[d.title] != "" {
				t.Errorf("%s has no heading %q", d.title, heading)
			}
		}
	}
}
