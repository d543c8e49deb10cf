package profile_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors/profile"
)

func layer(name string, files ...string) profile.Layer {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return profile.Layer{Name: name, Files: m}
}

func load(t *testing.T, layers ...profile.Layer) *profile.Set {
	t.Helper()
	s, err := profile.Load(layers...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A later layer replaces by name, adds, and switches off.
func TestLaterLayersReplaceProfiles(t *testing.T) {
	t.Parallel()
	user := layer("/home/me/profiles",
		"pytest.yaml", "name: pytest\nmatch: [pytest]\nexit:\n  9: {class: answer, text: nine}\nfold: ['^mine ']\n",
		"cargo.yaml", "name: cargo\ndisabled: true\n",
		"deploy.yaml", "name: deploy\nmatch: [deploy]\nkeep: ['rolled back']\n",
		"notes.txt", "not a profile", "sub/x.yaml", "not looked at")
	s := load(t, profile.BuiltInLayer(), user)
	for line, want := range map[string]string{
		"pytest -q": "/home/me/profiles pytest.yaml", "cargo build": "", "cargo test": "built in cargo-test.yaml",
		"deploy now": "/home/me/profiles deploy.yaml", "git push": "built in git-push.yaml",
	} {
		got := ""
		if p := s.Find(line); p != nil {
			got = p.Layer() + " " + p.File()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if p := s.Find("pytest"); p.Rules().Classify([]byte("mine x")) != linerule.Fold || p.Rules().Classify([]byte("FAILED a.py")) != linerule.None {
		t.Error("the built-in rules are not replaced")
	}
	if m := s.Exit("pytest", 9); m.GetText() != "nine" || s.Exit("pytest", 1) != nil {
		t.Errorf("the built-in exits are not replaced: %v, %v", m, s.Exit("pytest", 1))
	}
	if s.Exit("cargo build", 101) != nil || s.Exit("cargo test", 101) == nil {
		t.Error("a profile that is switched off explains a code, or another does not")
	}
}

// What comes with a repository sorts lines and does nothing else.
func TestProjectLayer(t *testing.T) {
	t.Parallel()
	project := func(files ...string) profile.Layer {
		l := layer("project", files...)
		l.Project = true
		return l
	}
	s := load(t, profile.BuiltInLayer(), project(
		"pytest.yaml", "name: pytest\nmatch: [pytest, tox]\nfold: ['^mine ']\n", "grep.yaml", "name: grep\ndisabled: true\n"))
	if s.Find("tox").Layer() != "project" || s.Find("grep x") != nil {
		t.Error("the project's profiles are not used")
	}
	if m := s.Exit("pytest", 1); m.GetText() != "some tests failed" {
		t.Errorf("the exit meaning became %v", m)
	}
	if m := s.Exit("grep x f", 1); m.GetClass() != pb.ExitClass_EXIT_CLASS_ANSWER || s.Exit("tox", 1) != nil {
		t.Errorf("the exit meanings became %v and %v", m, s.Exit("tox", 1))
	}
	again := load(t, profile.BuiltInLayer(), project("pytest.yaml", "name: pytest\ndisabled: true\n"), project("pytest.yaml", "name: pytest\nmatch: [x]\n"))
	if m := again.Exit("pytest", 1); m.GetText() != "some tests failed" {
		t.Errorf("after two projects the exit meaning is %v", m)
	}
	for field, source := range map[string]string{
		"exit": "exit:\n  1: {class: answer, text: all is well}\n", "read": "read: true\n", "shape": "shape: table\n",
	} {
		_, err := profile.Load(project("x.yaml", "name: x\nmatch: [x]\n"+source))
		wantError(t, err, "x.yaml", field, "not for the profiles of a project")
	}
}

func wantError(t *testing.T, err error, file, field, reason string) {
	t.Helper()
	var e *profile.Error
	if !errors.As(err, &e) || e.File != file || e.Field != field || !strings.Contains(err.Error(), reason) {
		t.Errorf("error %v, want one of %s, %s: %s", err, file, field, reason)
	}
}

func TestBrokenFilesAreRejected(t *testing.T) {
	t.Parallel()
	const begin = "name: x\nmatch: [x]\n"
	for source, want := range map[string][2]string{
		"":                                      {"", "is empty"},
		"name: [":                               {"", "line 1"},
		"name: y\nmatch: [y]\n":                 {"name", `line 1: name: is "y", and the file is that of "x"`},
		"match: [x]\n":                          {"name", "is not 1 to 64"},
		"name: x\n":                             {"match", "is required"},
		begin + "colour: red\n":                 {"", "line 3: field colour not found"},
		begin + "exit:\n  1: {klass: answer}\n": {"", "line 4: field klass not found"},
		begin + "exit:\n  1: {class: good, text: t}\n":            {"exit", "line 4: exit: the class of 1 is \"good\""},
		begin + "exit:\n  0: {class: answer, text: t}\n":          {"exit", "0 is not a code"},
		begin + "exit:\n  256: {class: answer, text: t}\n":        {"exit", "256 is not a code"},
		begin + "exit:\n  1: {class: answer}\n":                   {"exit", "is not one line"},
		begin + "exit:\n  1: {class: answer, text: \"a\\nb\"}\n":  {"exit", "is not one line"},
		begin + "exit:\n  1: {class: answer, text: \"\\e[1m\"}\n": {"exit", "is not one line"},
		begin + "exit:\n  one: {class: answer, text: t}\n":        {"", "line 4"},
		begin + "fold: ['^ok', '(']\n":                            {"fold", `line 3: fold: pattern "(": error parsing regexp`},
		begin + "fold:\n  - '^ok'\n  - ''\n":                      {"fold", "line 5: fold: pattern \"\": matches the empty line"},
		begin + "keep: ['^[0-9]+$']\n":                            {"keep", "has no literal"},
		begin + "summary: ['x+']\n":                               {"summary", "has no literal"},
		begin + "fold: [1]\n":                                     {"", `line 3: "1" is not a text: quote it`},
		begin + "fold: yes\n":                                     {"", "line 3"},
		begin + "shape: poem\n":                                   {"shape", "is \"poem\", and not one of build-log"},
		begin + "read: true\nfold: ['^x']\n":                      {"read", "shown as it is"},
		begin + "disabled: true\n":                                {"disabled", "says nothing else"},
		begin + "---\nname: z\n":                                  {"", "more than one document"},
		begin + begin:                                             {"", "already defined"},
		"name: x\nmatch: ['a  b']\n":                              {"match", "single spaces"},
		"name: x\nmatch: [/usr/bin/x]\n":                          {"match", "without a folder"},
		"name: x\nmatch: ['*']\n":                                 {"match", "name of a program"},
		"name: x\nmatch: [x, x]\n":                                {"match", "is there twice"},
		begin + "# " + strings.Repeat("x", 65537):                 {"", "at most 65536"},
	} {
		_, err := profile.Load(layer("mine", "x.yaml", source))
		wantError(t, err, "x.yaml", want[0], want[1])
		if err != nil && !strings.HasPrefix(err.Error(), "profiles of mine: x.yaml") {
			t.Errorf("%.60q: the error does not begin with its place: %v", source, err)
		}
	}
	_, err := profile.Load(layer("mine", "a.yaml", "name: a\nmatch: [x]\n", "b.yaml", "name: b\nmatch: [x]\n", "c.yaml", "name: [\n"))
	wantError(t, err, "c.yaml", "", "c.yaml")
	if !strings.Contains(err.Error(), `b.yaml: match: "x" is a pattern of a.yaml too`) {
		t.Errorf("not all problems are named: %v", err)
	}
}

// A nil set knows only what a shell says itself.
func TestNoProfiles(t *testing.T) {
	t.Parallel()
	var s *profile.Set
	if p := s.Find("grep x"); p != nil || p.Rules() != nil || p.Read() || p.Shape() != "" || s.Profiles() != nil || s.Exit("grep x", 1) != nil || s.Exit("nosuch", 127) == nil {
		t.Error("there is something in no set")
	}
}

// FuzzLoad: no file brings the loader down, and what it takes can be asked.
func FuzzLoad(f *testing.F) {
	f.Add("name: x\nmatch: [x]\nfold: ['^ok']\nkeep: ['error: ']\nexit:\n  1: {class: answer, text: t}\n", "x y", "ok")
	f.Add("name: x\nmatch: ['x *a*b']\nread: true\n", "env A=b timeout 3 x 1a2b", "")
	f.Add("&a name: *a\n", "bash -c 'x'", "")
	f.Fuzz(func(t *testing.T, source, commandLine, line string) {
		s, err := profile.Load(layer("mine", "x.yaml", source))
		if err != nil {
			return
		}
		if p := s.Find(commandLine); p != nil {
			p.Rules().Classify([]byte(line))
		}
		if m := s.Exit(commandLine, 1); m != nil && (m.GetText() == "" || m.GetClass() == 0) {
			t.Errorf("%q means %v", commandLine, m)
		}
	})
}
