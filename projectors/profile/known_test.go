package profile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/projectors/profile"
)

// byName are the profiles that a text has no certain sign of, with the reason: only the name of the command says so.
var byName = map[string]string{
	"find":          "its lines are paths, which many programs print",
	"git-branch":    "its lines are names and subjects in columns",
	"git-diff-stat": "its lines are paths and numbers, by which the shape of the text is seen",
	"kubectl-get":   "its lines are a table, by which the shape of the text is seen",
	"ls":            "its lines are names, which many programs print",
	"make":          "its own lines are around those of the programs that it runs",
	"npm-run":       "its own lines are around those of the script that it runs",
}

// Every fixture is known by its lines as a text of its profile, without its command.
func TestTextsAreKnownByTheirLines(t *testing.T) {
	set := profile.BuiltIn()
	for _, p := range set.Profiles() {
		if p.Rules() == nil {
			continue // it says nothing of lines
		}
		files, err := filepath.Glob(filepath.Join("testdata", p.Name(), "*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := profile.ParseFixture(file, string(source))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Lines) == 0 {
				continue
			}
			var text strings.Builder
			for _, l := range f.Lines {
				text.WriteString("2026-11-29T10:00:00.123Z " + l.Text + "\n")
			}
			known := set.Known([]byte(text.String()))
			if is := slices.Contains(known, p); is == (byName[p.Name()] != "") {
				var names []string
				for _, k := range known {
					names = append(names, k.Name())
				}
				t.Errorf("%s: known as %v", file, names)
			}
		}
	}
}

// One sign that other programs print too is not enough, and two of one pattern are not.
func TestUncertainTextsAreNotKnown(t *testing.T) {
	for _, text := range []string{
		"", "error: it broke\n", "warning: a\nwarning: b\nerror: c\n", "ERROR:  relation x\nERROR:  relation y\n",
		"the plan must be replaced\n", "Plan: to add 3\n", "he said: Apply complete! Resources: 3\n",
	} {
		if known := profile.BuiltIn().Known([]byte(text)); len(known) > 0 {
			t.Errorf("%q is known as %s", text, known[0].Name())
		}
	}
}
