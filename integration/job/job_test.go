package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tryJob runs the command in a module whose only package has some tests.
func tryJob(t *testing.T, tests string, args ...string) (code int, out, ledger string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": "package m\n", "m_test.go": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var b bytes.Buffer
	code, err := run(args, &b)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(".run/jobs.txt")
	if err != nil {
		t.Fatal(err)
	}
	return code, b.String(), string(text)
}

const header = "package m\n\nimport \"testing\"\n\n"

// A job succeeds when its tests ran and passed, and fails in every other case.
func TestJobFailsUnlessTestsRan(t *testing.T) {
	passes := "func TestA(t *testing.T) {}\n"
	skips := "func TestB(t *testing.T) { t.Skip(\"it needs root\") }\n"
	for name, c := range map[string]struct {
		tests string
		args  []string
		code  int
		says  []string
	}{ // each builds a test, so the short form has one of a kind
		"passes":       {passes, []string{"x", "go", "test", "."}, 0, []string{"job x, ok,", "1 ran, 0 skipped"}},
		"in a folder":  {passes, []string{"x", "go", "-C", ".", "test", "."}, 0, []string{"1 ran"}},
		"skips":        {passes + skips, []string{"x", "go", "test", "."}, 0, []string{"1 ran, 1 skipped", "1 skipped: it needs root (m)"}},
		"must run":     {passes + skips, []string{"-all", "x", "go", "test", "."}, 1, []string{"FAILED", "it must skip nothing, and skipped: it needs root"}},
		"may skip":     {passes + skips, []string{"-all", "-but", "root", "x", "go", "test", "."}, 0, []string{"ok"}},
		"nothing ran":  {skips, []string{"x", "go", "test", "."}, 1, []string{"no test ran", "nothing ran in: m"}},
		"no such test": {passes, []string{"x", "go", "test", "-run", "TestZ", "."}, 1, []string{"no test ran"}},
		"fails":        {"func TestA(t *testing.T) { t.Error(\"because\") }\n", []string{"x", "go", "test", "."}, 1, []string{"x: failed: TestA (m)\n    m_test.go:5: because\nx: tests failed: TestA (m)\n"}},
		"in a subtest": {"func TestA(t *testing.T) { t.Run(\"b\", func(t *testing.T) { t.Error(\"because\") }) }\n", []string{"x", "go", "test", "."}, 1, []string{"x: failed: TestA/b (m)\n    m_test.go:5: because\nx: tests failed: TestA/b (m)\n"}},
		"no build":     {"func TestA(t *testing.T) { undefined() }\n", []string{"x", "go", "test", "."}, 1, []string{"undefined: undefined", "FAILED"}},
		"no test":      {passes, []string{"x", "go", "version"}, 0, []string{"job x, ok, 0 s, 0 s of CPU\n"}},
		"exit code":    {passes, []string{"x", "go", "nonsense"}, 1, []string{"exit status 2"}},
		"cannot run":   {passes, []string{"-needs", "corpus", "x", "go", "version"}, 1, []string{"NOT RUN", "corpus is missing"}},
		"optional":     {passes, []string{"-optional", "-needs", "corpus", "x", "go", "version"}, 0, []string{"NOT RUN", "corpus is missing"}},
		"no target":    {passes, []string{"-fuzz", "10x", "x", "./..."}, 1, []string{"no fuzz target ran"}},
		"fuzz": {
			"func FuzzA(f *testing.F) { f.Add([]byte(\"a\")); f.Fuzz(func(*testing.T, []byte) {}) }\n",
			[]string{"-fuzz", "10x", "x", "./..."}, 0, []string{"m.FuzzA: ", "1 ran"},
		},
		"fuzz that does not build": {"func FuzzA(f *testing.F) { undefined() }\n", []string{"-fuzz", "10x", "x", "./..."}, 1, []string{"undefined: undefined"}},
	} {
		if testing.Short() && !slices.Contains([]string{"must run", "nothing ran", "no build", "optional"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			code, out, ledger := tryJob(t, header+c.tests, c.args...)
			if code != c.code || !strings.HasPrefix(ledger, "x\t") {
				t.Errorf("exit code %d, want %d; the ledger has %q", code, c.code, ledger)
			}
			for _, says := range c.says {
				if !strings.Contains(out, says) {
					t.Errorf("it does not say %q:\n%s", says, out)
				}
			}
		})
	}
}

// A record replaces the line of its job, and no other.
func TestRecordReplacesItsLine(t *testing.T) {
	document := "# Title\n\n" + recordHead + "| `a` | 1 |\n| `c` | 2 |\n\nThe end.\n"
	for line, want := range map[string]string{
		"| `a` | 9 |": "| `a` | 9 |\n| `c` | 2 |\n", "| `b` | 9 |": "| `a` | 1 |\n| `b` | 9 |\n| `c` | 2 |\n",
	} {
		got, err := withLine(document, line)
		if err != nil || got != "# Title\n\n"+recordHead+want+"\nThe end.\n" {
			t.Errorf("%s: error %v\n%s", line, err, got)
		}
	}
	if _, err := withLine("# Title\n", "| `a` | 9 |"); err == nil {
		t.Error("a document without a table is written")
	}
}
