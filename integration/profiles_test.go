package integration_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/projectors/profile"
)

const exampleProfiles = "../docs/examples/profiles"

// The table of built-in profiles in the documentation is what is built in, and
// the example there is the one that is checked.
func TestDocumentedProfiles(t *testing.T) {
	t.Parallel()
	var kinds grouped
	for _, p := range profile.BuiltIn().Profiles() {
		kind := p.Shape()
		if p.Read() {
			kind = "read"
		}
		name := "`" + p.Name() + "`"
		if len(p.Codes()) > 0 {
			name += "*"
		}
		kinds.add(kind, name)
	}
	var rows []string
	for _, kind := range slices.Sorted(slices.Values(kinds.keys)) {
		rows = append(rows, fmt.Sprintf("| %s | %s |", cmp.Or(kind, "any"), strings.Join(kinds.items[kind], " ")))
	}
	checkTable(t, "../docs/reference/profiles.md", "| kind of output | profiles |", rows)
	text := readText(t, "../docs/reference/profiles.md")
	for _, file := range []string{"deploy.yaml", "testdata/deploy/rolled-back.txt"} {
		if !strings.Contains(text, "\n"+readText(t, filepath.Join(exampleProfiles, file))+"```\n") {
			t.Errorf("docs/reference/profiles.md does not have %s as it is", file)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An author of a profile sees what is known, and has it checked.
func TestProfileCommands(t *testing.T) {
	t.Parallel()
	env := environment(t)
	text := mustCLI(t, env, nil, "profile", "explain", "--profiles", exampleProfiles, "--exit=4", "--", "deploy", "--to", "production")
	wantIn(t, text, "profile: deploy, ../docs/examples/profiles, deploy.yaml\n", `the pattern "deploy" of deploy matches`,
		"exit code 4: deploy: the new version was rolled back (failure)\n")
	text = mustCLI(t, env, nil, "profile", "explain", "--exit=1", "--", "cd x && sudo git -C y diff main --stat | tee log")
	wantIn(t, text, "profile: git-diff-stat, built in, git-diff-stat.yaml\n", "3 words between its own passed over", `"git diff" of git-diff is less exact`,
		"kind of output: listing\n", "exit code 1: nothing is known of it")
	text = mustCLI(t, env, nil, "profile", "explain", "--", "for i in a b; do go test; done")
	wantIn(t, text, "profile: none\n", "a loop")

	const output = "   Compiling serde v1.0.217\n\x1b[33mwarning\x1b[0m: unused\n 10%\r\x1b[K    Finished `dev` profile\r\nother\n"
	text = mustCLI(t, env, strings.NewReader(output), "profile", "explain", "--text=-", "--", "cargo", "build")
	wantIn(t, text, "\nfold        Compiling serde v1.0.217   (by ^ +(Compiling|", "\nkeep     warning: unused   (by ^(error|warning)",
		"\nsummary      Finished `dev` profile   (by ^ +Finished )\n", "\nnone     other\n")
	fixture := mustCLI(t, env, strings.NewReader(output), "profile", "explain", "--text=-", "--fixture", "--", "cargo", "build")
	if fixture != "$ cargo build\n\n-    Compiling serde v1.0.217\n+ warning: unused\n=     Finished `dev` profile\n  other\n" {
		t.Errorf("the fixture is\n%s", fixture)
	}
	if r := cli(t, env, nil, "profile", "explain", "--fixture", "--", "cargo"); r.code != 125 || !strings.Contains(r.stderr, "needs --text") {
		t.Errorf("a fixture of nothing: exit code %d, %s", r.code, r.stderr)
	}

	listed := mustCLI(t, append(env, "TOOLRESULT_PROFILES="+absolute(t, exampleProfiles)), nil, "profile", "list")
	if lines := strings.Split(listed, "\n"); !slices.IsSorted(lines[:len(lines)-1]) || len(lines) < 60 {
		t.Errorf("%d lines are listed, or they are not sorted:\n%s", len(lines), listed)
	}
	wantIn(t, listed, "built in", "pytest, py.test, python -m pytest\n", absolute(t, exampleProfiles)+"  deploy, make deploy\n")
}

func TestProfileCheck(t *testing.T) {
	t.Parallel()
	env := environment(t)
	if text := mustCLI(t, env, nil, "profile", "check", exampleProfiles); text != exampleProfiles+": 1 profiles, 1 fixtures, 0 problems\n" {
		t.Errorf("the example: %s", text)
	}
	r := cli(t, env, nil, "profile", "check", "--project", exampleProfiles)
	if r.code != 125 || !strings.Contains(r.stderr, "deploy.yaml: exit: is not for the profiles of a project to say") {
		t.Errorf("the example as a project's: exit code %d, %s", r.code, r.stderr)
	}
	dir := t.TempDir()
	writeProfile(t, dir, "x.yaml", "name: x\nmatch: [x]\nfold: ['^noise']\n")
	if text := mustCLI(t, env, nil, "profile", "check", "--project", dir); text != "note: x has no fixture\n"+dir+": 1 profiles, 0 fixtures, 0 problems\n" {
		t.Errorf("without a fixture: %s", text)
	}
	writeProfile(t, dir, "testdata/x/a.txt", "$ x\n\n- noise: an error: lost\n  rest\n")
	r = cli(t, env, nil, "profile", "check", dir)
	if r.code != 1 || !strings.Contains(r.stdout, `x/a.txt, line 3: "noise: an error: lost" looks like an error, and is folded by "^noise"`) {
		t.Errorf("an error folded: exit code %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

func writeProfile(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Profiles of an operator explain exit codes, those of a project cannot, and a
// broken one stops the server.
func TestProfilesOfAnOperator(t *testing.T) {
	t.Parallel()
	own, project := t.TempDir(), t.TempDir()
	writeProfile(t, own, "sh.yaml", "name: sh\nmatch: [sh]\nexit:\n  3: {class: answer, text: it is three}\n")
	writeProfile(t, project, "sh.yaml", "name: sh\nmatch: [sh]\nfold: ['^noise']\n")
	s := startSidecar(t, launch{Args: []string{"--profiles=" + own, "--project-profiles=" + project}})
	r := cli(t, environment(t), nil, "exec", "--server", "unix://"+s.Socket, "--", "sh", "-c", "exit 3")
	wantReceipt(t, r.stdout, "Process exited with code 3", "Exit meaning: sh: it is three (an answer, not a failure)", "Output: none", "")

	for says, c := range map[string]struct{ flag, content string }{
		"sh.yaml, line 3: field colour not found":                        {"--profiles", "name: sh\nmatch: [sh]\ncolour: red\n"},
		"sh.yaml: exit: is not for the profiles of a project to say":     {"--project-profiles", "name: sh\nmatch: [sh]\nexit:\n  3: {class: answer, text: all is well}\n"},
		`sh.yaml, line 3: keep: pattern "^\\d+$": has no literal: every`: {"--profiles", "name: sh\nmatch: [sh]\nkeep: ['^\\d+$']\n"},
	} {
		dir := t.TempDir()
		writeProfile(t, dir, "sh.yaml", c.content)
		r := cli(t, environment(t), nil, "serve", c.flag, dir, "--store=memory", "--socket", filepath.Join(shortDir(t), "s"))
		if r.code != 125 || !strings.Contains(r.stderr, "profiles of "+dir+": "+says) {
			t.Errorf("%q: exit code %d, %s", says, r.code, r.stderr)
		}
	}
	missing := filepath.Join(own, "missing")
	r = cli(t, environment(t), nil, "serve", "--profiles", missing, "--store=memory", "--socket", filepath.Join(shortDir(t), "s"))
	if r.code != 125 || !strings.Contains(r.stderr, "profiles of "+missing) {
		t.Errorf("a directory that is not there: exit code %d, %s", r.code, r.stderr)
	}
}
