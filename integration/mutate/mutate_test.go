package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package m

import "errors"

type thing[T any] struct{ n T }

func (t *thing[T]) check(n int) error {
	if err := other(n); err != nil {
		return err
	}
	var err error
	err = other(n)
	if n < 10 {
		log(n)
	}
	return err
}

func other(n int) error {
	if n >= 1 && n > 0 {
		return errors.New("one")
	}
	return nil
}

func log(int) {}
`

// write writes the files of a module, and changes into it.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every kind of change is found, with a name that has no line in it.
func TestPlacesHaveStableNames(t *testing.T) {
	write(t, map[string]string{"m.go": source})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	found, err := places(dir, "m.go")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range found {
		ids = append(ids, m.id()+" -> "+m.to)
		if !strings.HasPrefix(source[m.begin:], m.from) {
			t.Errorf("%s is not at %d", m.from, m.begin)
		}
	}
	slices.Sort(ids)
	want := []string{
		`m.go other: bound "n > 0" #0 -> n >= 0`, `m.go other: bound "n >= 1" #0 -> n > 1`,
		`m.go other: negate "n >= 1 && n > 0" #0 -> !(n >= 1 && n > 0)`,
		`m.go thing.check: bound "n < 10" #0 -> n <= 10`, `m.go thing.check: drop call "log(n)" #0 -> `,
		`m.go thing.check: drop call "other(n)" #0 -> error(nil)`, `m.go thing.check: drop call "other(n)" #1 -> error(nil)`,
		`m.go thing.check: negate "err != nil" #0 -> !(err != nil)`, `m.go thing.check: negate "n < 10" #0 -> !(n < 10)`,
		`m.go thing.check: nil error "err" #0 -> nil`, `m.go thing.check: nil error "err" #1 -> nil`,
	}
	if !slices.Equal(ids, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(ids, "\n"), strings.Join(want, "\n"))
	}
	if a, b := draw(found, 1), draw(found, 2); slices.Equal(a, b) || !slices.Equal(a, draw(slices.Collect(slices.Values(b)), 1)) {
		t.Error("the order does not follow from the seed alone")
	}
}

// A change that the tests notice is killed; one that they do not, or that no test runs, survives; one that is named
// counts for neither; one that does not compile is no mutant.
func TestFatesOfMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: it builds a test for each mutant; `make integration` runs it")
	}
	write(t, map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"m.go":      "package m\n\nimport \"os\"\n\nfunc big(n int) bool {\n\tif n > 10 {\n\t\treturn true\n\t}\n\treturn false\n}\n\nfunc never(err error) error {\n\tos.Getpid()\n\treturn err\n}\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestBig(t *testing.T) {\n\tif !big(20) || big(1) {\n\t\tt.Fatal(\"big\")\n\t}\n}\n",
		"known":     "# Comment.\nm.go big: bound \"n > 10\" #0 // 10 is asked of nobody\n",
	})
	var out bytes.Buffer
	if err := run([]string{"-equivalents", "known", "-least", "50", "."}, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, says := range []string{"SURVIVED, no test runs it: m.go:14", "- err\n\t+ nil", "1 killed, 1 survived, 1 equivalent, 1 did not compile, 50 %"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("it does not say %q:\n%s", says, &out)
		}
	}
	out.Reset()
	if err := run([]string{"-v", "."}, &out); err == nil || !strings.Contains(err.Error(), "and 90 % should be") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(out.String(), "killed: m.go:6") || !strings.Contains(out.String(), "SURVIVED: m.go:6") {
		t.Errorf("without a list:\n%s", &out)
	}
}

// Tests that fail by themselves kill every mutant, and are an error.
func TestFailingTestsAreAnError(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: it builds a test; `make integration` runs it")
	}
	write(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "m.go": "package m\n\nfunc F() {}\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Fatal(\"broken\") }\n",
	})
	if err := run([]string{"."}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "do not pass without a mutant") {
		t.Errorf("the error is %v", err)
	}
}

func TestEquivalentsNeedReasons(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known")
	for text, bad := range map[string]bool{"a // it does the same\n": false, "a\n": true, "a // no\n": true, "# a\n\n": false} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readEquivalents(path); (err != nil) != bad {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := readEquivalents("equivalents.txt"); err != nil {
		t.Error(err)
	}
}
