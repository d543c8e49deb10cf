package profile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors/profile"
)

// The reasons of a choice name the patterns that were compared, and why none was taken.
func TestExplainNamesReasons(t *testing.T) {
	t.Parallel()
	s := load(t, layer("mine", "git.yaml", "name: git\nmatch: [git]\n", "git-diff.yaml", "name: git-diff\nmatch: [git diff]\n",
		"stat.yaml", "name: stat\nmatch: [git diff --stat]\n", "ci.yaml", "name: ci\nmatch: ['*-ci run']\n"))
	for _, c := range []struct{ line, profile, pattern, command, step string }{
		{"git diff", "git-diff", "git diff", "git diff", `the pattern "git" of git is less exact`},
		{"git diff main --stat", "stat", "git diff --stat", "git diff main --stat", "1 words between its own passed over"},
		{"git -C dir diff", "git-diff", "git diff", "git -C dir diff", "2 words between its own passed over"},
		{"git --no-pager diff", "git-diff", "git diff", "git --no-pager diff", "1 words"},
		{"git --work-tree=a b diff", "git", "git", "git --work-tree=a b diff", ""},
		{"git log a diff", "git", "git", "git log a diff", ""},
		{"sudo -u me timeout -k 3 9 git diff", "git-diff", "git diff", "git diff", ""},
		{"env A=1 -- git diff", "git-diff", "git diff", "git diff", ""},
		{"my-ci run all", "ci", "*-ci run", "my-ci run all", ""},
		{"cd x && git diff; echo done", "git-diff", "git diff", "git diff", ""},
		{"git log | cat", "git", "git", "git log", ""},
		{"git log | tee out", "git", "git", "git log", ""},
		{"git log | cat out", "", "", "", "no pattern matches"},
		{"git log | sort", "", "", "", "no pattern matches"},
		{"git diff && my-ci run", "", "", "", "their profiles are not the same: git-diff and ci"},
		{"for i in 1 2; do git diff; done", "", "", "", "it cannot be said which commands print"},
		{"git diff &", "", "", "", "it cannot be said which commands print"},
		{"$x diff", "", "", "", "it cannot be said which commands print"},
		{"cd x", "", "", "", "no command prints anything of its own"},
		{strings.Repeat("git diff;", 17), "", "", "", "more than 16 commands print"},
		{"git 'unclosed", "", "", "", "it cannot be said"},
		{"git " + strings.Repeat("x", 70_000), "", "", "", "it cannot be said"},
		{"git a b c d e f g h i j", "git", "git", "git a b c d e f g ...", ""},
		{"git $x diff", "git", "git", "git ? diff", ""},
	} {
		got := s.Explain(c.line)
		name := ""
		if got.Profile != nil {
			name = got.Profile.Name()
		}
		if name != c.profile || got.Pattern != c.pattern || got.Command != c.command || !strings.Contains(strings.Join(got.Steps, "\n"), c.step) {
			t.Errorf("%.60q: %q by %q of %q\n%s", c.line, name, got.Pattern, got.Command, strings.Join(got.Steps, "\n"))
		}
		if s.Find(c.line) != got.Profile {
			t.Errorf("%.60q: another profile is found", c.line)
		}
	}
}

// What a reader prints is shown as it is, from its start or its end. A log is not, and neither is what filters pass on of
// another program.
func TestRangeOfReaders(t *testing.T) {
	t.Parallel()
	s := profile.BuiltIn()
	for want, lines := range map[string][]string{
		"make: ranked": {
			"make test 2>&1 | tail -300", "make | tail -n 300", "make 2>&1 | head -c 9", "cd x && make |& tail -n50",
			"cd x && make test 2>&1 | tail -300", "(make test) 2>&1 | tail -n +5", "make test > /tmp/out.log 2>&1; tail -100 /tmp/out.log",
			"make test > out.txt 2>&1 || tail -50 out.txt", "make > $LOG 2>&1; tail -40 $LOG", "make &> o; grep -v ok o", "make 2>&1 > o && cat o",
			"make | tee o | tail -3; cat o", "make > o; make test >> o; tail o", "{ make; make test; } > o 2>&1; tail -5 < o", "bash -c \"make | tail\"", "set -o pipefail; make | tail",
			"make test |& tail", "make | sed -n '1,50p'", "make | sed -e 's/x/y/' | cat", "make | nl | less +G", "make 2>&1 | grep -v '^ok' | tail -20",
			"make | sudo tee /var/log/x", "make > /dev/null", "command -v make >/dev/null 2>&1; make", "cat > Makefile <<E\nall:\nE\nmake",
		},
		"npm-run: ranked":        {"npm test -- --run 2>&1 | tail -100; echo \"exit ${PIPESTATUS[0]}\""},
		"cargo-test: ranked":     {"timeout 300 cargo test 2>&1 | tail -40"},
		"container-logs: ranked": {"docker logs x | tail", "kubectl logs p --tail=300"},
		"journalctl: ranked":     {"journalctl -u x --no-pager | tail -200"},
		"ls: ranked":             {"ls | tail", "ls -la 2>/dev/null | head -50"},
		"git-log: ranked":        {"git log | head -50"},
		"grep: ranked":           {"grep -n \"\" file | tail", "make > o; grep -c FAIL o", "grep -A5 ERROR build.log", "make | grep -n FAIL", "make | grep -r x"},
		"xargs: ranked":          {"ls *.log | xargs tail -n 50"},
		": ranked": {
			"./run.sh | tail -3", "awk '/FAIL/' log", "python x.py 2>&1 | head -c 20000",
			"Get-Content build.log -Tail 50", "make test | grep FAIL", "make 2>&1 | egrep -i 'err|fail' | tail", "make | sort", "make | sed -n '/FAIL/,$p'", "make; or tail x", "make &| tail",
			"make > o; go test ./... >> o; tail o", "bash x.sh -c make",
			"for f in *.log; do tail $f; done", "echo \"$(make | tail)\"", "out=$(make); echo \"$out\" | tail -5", "cat <<E\nmake\nE", "cat <<< hello",
		},
		"cat: ranked": {
			"cat build.log", "tail -100 /var/log/app/out.log.1", "zcat app.log.2.gz", "tail -f nohup.out", "cat test-output.txt", "tail /var/log/syslog",
			"less +G log", "sed -n '100,400p' build.log", "cat build.log | grep -A5 ERROR", "tail -300 < build.log", "cat main.go; cat build.log",
			"cat main.go; tail main.go",
		},
		"cat: start": {
			"cat main.go", "head -n 20 main.go", "sed -n 1,9p login.ts", "cat catalog.yaml dialog.html", "cat main.go | head -50", "sed -n '/error/p' a.py",
			"tail -n +100 main.go", "tail -n +100 main.go | head -50", "tail -n+5 a.c", "cat main.go | grep foo.log", "cat < main.go", "sed -n -e 1,9p a.rs",
			"sed -i 's/a/b/' a.c && cat a.c", "cat -n a.go | sed -n '5,9p'", "cat README.md", "tail -f x.rb | head -n 5",
		},
		"cat: end":             {"tail -n 20 main.go", "cat main.go | tail -50", "make | tail main.go", "less +G main.go", "head -n 90 a.py | tail -n 20"},
		"cat: start, or a log": {"cat out.txt", "cat catalog.json dialog.xml", "cat pods.csv", "cat fix.patch", "cat /tmp/x", "cat Makefile", "cat $F", "head -5 notes.txt", "sed -n 1,9p x", "cat ~/.bashrc"},
		"cat: end, or a log":   {"tail -20 CHANGELOG", "tail -300 <<< \"$out\"", "cat /tmp/x | tail -5", "tail"},
		"git-show-file: start": {"git show HEAD:main.go"},
	} {
		for _, line := range lines {
			if c := s.Explain(line); describe(c) != want {
				t.Errorf("%q: %s, want %s\n%s", line, describe(c), want, strings.Join(c.Steps, "\n"))
			}
		}
	}
}

// describe names the profile and the range of a choice.
func describe(c profile.Choice) string {
	name := ""
	if c.Profile != nil {
		name = c.Profile.Name()
	}
	name += map[profile.Range]string{profile.Ranked: ": ranked", profile.FromStart: ": start", profile.FromEnd: ": end"}[c.Range]
	if c.MaybeLog {
		name += ", or a log"
	}
	return name
}

// Options of a wrapper, and its own words, are not the command that it runs.
func TestWrappersAreTakenOff(t *testing.T) {
	t.Parallel()
	s := load(t, layer("mine", "x.yaml", "name: x\nmatch: [x]\n"))
	for line, want := range map[string]bool{
		"sudo x": true, "sudo -u x y": false, "sudo -u y x": true, "timeout 5 x": true, "timeout x": false, "timeout -s KILL 5 x": true, "timeout -- 5 x": true,
		"env A=b x": true, "env A=b": false, "npx -p y x": true, "uv run --with y x": true, "poetry run x": true, "python3 -m x": true, "python3.12 -m x": true, "python -c x": false,
		"rustup run nightly x": true, "sudo nice timeout 1 env stdbuf -o L x": true, "/usr/bin/sudo /opt/x": true, "nohup": false,
		strings.Repeat("sudo ", 8) + "x": true, strings.Repeat("sudo ", 9) + "x": false,
		"bash -c 'x'": true, "bash -lc x": true, "bash --norc -c x": true, "bash -c": false, "bash x": false, "bash -c \"bash -c x\"": false, "sh -c 'x || y'": false,
		"(x)": true, "{ x; }": true, "time x": true, "x > out": true, "if true; then x; fi": false, "f() { x; }": false,
	} {
		if got := s.Find(line) != nil; got != want {
			t.Errorf("%q: %v\n%s", line, got, strings.Join(s.Explain(line).Steps, "\n"))
		}
	}
}

// A fixture that is written of an output has its lines as they are shown.
func TestNewFixtureHasShownLines(t *testing.T) {
	t.Parallel()
	s := load(t, layer("mine", "x.yaml", "name: x\nmatch: [x]\nfold: ['^noise ']\n"))
	f, err := profile.NewFixture(s, "x run", strings.NewReader("noise 1\r\n10%\r100%\n\x1b[1mbold\x1b[0m\n\nlast"))
	if err != nil {
		t.Fatal(err)
	}
	want := []profile.FixtureLine{
		{Number: 1, Verdict: linerule.Fold, Text: "noise 1"}, {Number: 2, Text: "100%"}, {Number: 3, Text: "bold"}, {Number: 4}, {Number: 5, Text: "last"},
	}
	if diff := cmp.Diff(want, f.Lines); diff != "" {
		t.Error(diff)
	}
	again, err := profile.ParseFixture("f", f.String())
	if err != nil || again.Command != "x run" || len(again.Lines) != 5 {
		t.Errorf("%v, %v", again, err)
	}
	broken := errors.New("broken")
	if f, err := profile.NewFixture(s, "x", io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) || f != nil {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := profile.NewFixture(s, "y", strings.NewReader("noise 1\n")); err != nil || f.Lines[0].Verdict != linerule.None {
		t.Errorf("%v, %v", f, err)
	}
}

// A nil Set has no profiles, and a Set states what it was read from.
func TestSetsAreIdentified(t *testing.T) {
	t.Parallel()
	var none *profile.Set
	if none.Find("git diff") != nil || none.Digest() != "" || none.Profiles() != nil || none.Find("x").Read() || none.Find("x").Shape() != "" {
		t.Error("no set has profiles")
	}
	if m := none.Exit("nosuch", 127); m.GetClass() != pb.ExitClass_EXIT_CLASS_FAILURE {
		t.Errorf("without profiles the code of the shell means %v", m)
	}
	one := layer("one", "x.yaml", "name: x\nmatch: [x, y]\nexit:\n  3: {class: answer, text: three}\n  1: {class: failure, text: one}\n")
	a, b := load(t, one), load(t, layer("other", "x.yaml", "name: x\nmatch: [x]\n"))
	if a.Digest() != load(t, one).Digest() || a.Digest() == b.Digest() || !strings.HasPrefix(a.Digest(), "blake3:") {
		t.Errorf("%s and %s", a.Digest(), b.Digest())
	}
	p := a.Find("y")
	if p.Layer() != "one" || p.File() != "x.yaml" || !cmp.Equal(p.Matches(), []string{"x", "y"}) || !cmp.Equal(p.Codes(), []int32{1, 3}) {
		t.Errorf("%s, %s, %v, %v", p.Layer(), p.File(), p.Matches(), p.Codes())
	}
}

// A folder that cannot be read, and what is no file, are named.
func TestUnreadableLayersAreNamed(t *testing.T) {
	t.Parallel()
	if _, err := profile.Load(profile.Layer{Name: "gone", Files: os.DirFS("/nonexistent/profiles")}); err == nil || !strings.Contains(err.Error(), "profiles of gone") {
		t.Error("a broken folder is read")
	}
	_, err := profile.Load(profile.Layer{Name: "mine", Files: fstest.MapFS{"x.yaml/y": {Data: []byte("a")}}})
	wantError(t, err, "x.yaml", "", "is not a file")
}

func ExampleSet_Exit() {
	s := profile.BuiltIn()
	m := s.Exit("grep -rn TODO src", 1)
	fmt.Println(m.GetProgram(), m.GetClass(), m.GetText())
	fmt.Println(s.Exit("cat notes | grep TODO", 1)) // with pipefail it may be cat's
	// Output:
	// grep EXIT_CLASS_ANSWER no lines matched
	// <nil>
}
