package profile_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/toolresult/toolresult/projectors/profile"
)

var update = flag.Bool("update", false, "write the marks of the fixtures again; review the diff")

// Every built-in profile holds what its fixtures say, and has one.
func TestBuiltIn(t *testing.T) {
	if *update {
		mark(t)
	}
	r := profile.BuiltIn().Check("built in", os.DirFS("testdata"))
	for _, p := range r.Problems {
		t.Error(p)
	}
	for _, name := range r.WithoutFixture {
		t.Errorf("%s has no fixture", name)
	}
	if r.Profiles < 60 || r.Fixtures < r.Profiles {
		t.Errorf("only %d profiles and %d fixtures", r.Profiles, r.Fixtures)
	}
	dirs, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(dirs) != r.Fixtures {
		t.Errorf("%d of %d fixtures belong to a profile, error %v", r.Fixtures, len(dirs), err)
	}
}

// mark gives the lines of all fixtures the marks that they have now.
func mark(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*/*.txt")
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := profile.ParseFixture(path, string(source))
		if err != nil {
			t.Fatal(err)
		}
		f.SetVerdicts(profile.BuiltIn())
		if err := os.WriteFile(path, []byte(f.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The checker finds each kind of slip.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	const source = "name: x\nmatch: [x]\nexit:\n  3: {class: answer, text: three}\nfold: ['^noise ', '^never ']\nkeep: ['^bad: ']\nsummary: ['^total ']\n"
	const good = "$ x run\n? 3 answer three\n\n- noise 1\n- never 1\n+ bad: thing\n= total 3\n\n  other\n"
	for name, c := range map[string]struct{ fixture, want string }{
		"nothing":           {good, ""},
		"another command":   {strings.Replace(good, "$ x run", "$ y run", 1), `the profile of "y run" is none, and not x`},
		"another meaning":   {strings.Replace(good, "three", "four", 1), `code 3 means "three", and not "four"`},
		"another class":     {strings.Replace(good, "answer", "failure", 1), `code 3 means`},
		"another verdict":   {strings.Replace(good, "+ bad", "  bad", 1), `line 6: "bad: thing" is keep by "^bad: ", and the mark says none`},
		"an error folded":   {strings.Replace(good, "noise 1", "noise error: x", 1), `looks like an error`},
		"a warning folded":  {strings.Replace(good, "noise 1", "noise [WARNING] x", 1), `looks like an error`},
		"no error":          {strings.Replace(good, "noise 1", "noise thiserror-1.0 Failures: 0, 0 errors", 1), ""},
		"all folded":        {"$ x\n\n- noise 1\n", "every line is folded"},
		"an idle pattern":   {strings.Replace(good, "- never 1\n", "", 1), `x.yaml: the fold pattern "^never " decides about no line`},
		"no command":        {"noise\n", "line 1: is neither"},
		"a line unmarked":   {strings.Replace(good, "- noise", "noise", 1), "line 4: does not begin with a mark"},
		"a code that isn't": {strings.Replace(good, "? 3", "? x", 1), `"x" is not an exit code`},
	} {
		s := load(t, layer("mine", "x.yaml", source))
		r := s.Check("mine", fstest.MapFS{"x/a.txt": {Data: []byte(c.fixture)}})
		found := slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, c.want) })
		if c.want == "" && len(r.Problems) > 0 || c.want != "" && !found {
			t.Errorf("%s: problems %q, want %q", name, r.Problems, c.want)
		}
	}
	if r := load(t, layer("mine", "x.yaml", source)).Check("mine", fstest.MapFS{}); len(r.WithoutFixture) != 1 {
		t.Errorf("no fixture: %+v", r)
	}
}

// FuzzFixture: what is written is read again as it was.
func FuzzFixture(f *testing.F) {
	f.Add("$ x run\n? 3 answer three\n\n- noise 1\n\n  other\n=  total\n")
	f.Add("$ x\n")
	f.Fuzz(func(t *testing.T, source string) {
		first, err := profile.ParseFixture("f", source)
		if err != nil {
			return
		}
		again, err := profile.ParseFixture("f", first.String())
		if err != nil || again.String() != first.String() || len(again.Lines) != len(first.Lines) {
			t.Errorf("%q became %q, error %v", source, first.String(), err)
		}
	})
}
