package hosts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
)

// TestPagesHaveWhatWasMeasured compares the tables of the pages with measured.json, and what is promised with both: with us every host
// shows the deciding line in at most 1,000 tokens, without us none shows it.
func TestPagesHaveWhatWasMeasured(t *testing.T) {
	t.Parallel()
	list, err := hosts.Measurements()
	if err != nil {
		t.Fatal(err)
	}
	table := hosts.TableHead
	for i, m := range list {
		table += "\n" + m.Row()
		if m.Host != hooks.All[i] || !m.With.Line || m.With.Tokens > 1000 || m.Without.Line {
			t.Errorf("%+v", m)
		}
	}
	if len(list) != len(hooks.All) {
		t.Errorf("%d hosts are measured", len(list))
	}
	for _, page := range []string{"../../README.md", "../../docs/hosts.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n"+table+"\n\n") {
			t.Errorf("%s has not this table; `make hosts WRITE=yes` writes it:\n%s", page, table)
		}
	}
}

// TestReadmeBeginsWithTheCommand: the first screen ends with the one command that adds it to a host, and what that changes.
func TestReadmeBeginsWithTheCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), "\ntoolresult install claude-code")
	if n := strings.Count(before, "\n"); !found || n > 36 {
		t.Errorf("the command is in line %d", n)
	}
}
