package integration_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// headings are those of the RFC.
var headings = strings.Split(strings.TrimSpace(`
Summary
Problem
Goals
Non-goals
Dual-Surface Contract
Canonical Envelope Shape
Canonical Field Semantics
`+"`tool_name`\n`status`\n`summary_text`\n`result`\n`error`"+`
Model-Visible Rendering
Complete Output And Projection
Complete Output Shape
Canonical Projection Is Typed, Not Blind JSON Truncation
Model Rendering Is Family-Defined
Projection Algorithm
Artifact Index Mapping
Family-Specific Large Output Rules
Preserve The Stable Canonical Envelope
Prefer Head And Tail For Logs
Prefer Textual Receipts For Command-Family Rendering
Prefer Concise Receipts For Small Confirmation Tools
Prefer Structured Canonical Previews Over Raw Blobs
Do Not Duplicate Large Payloads
Truncation Should Be Stable Across Re-serialization
Budget Ownership
Artifact References In Family Results
Command Tool Canonical Example
Error Example
Command Tool Rendered Example
Provider Transport Contract
Compaction Contract
Runtime Storage Contract
Relationship To Other RFCs
Open Questions
`), "\n")

// The table of docs/rfc-conformance.md has a row for every heading of the RFC,
// and whatever it names is in the tree: files, golden cases and tests.
func TestConformanceTableIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/rfc-conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, h := range headings {
		missing[h] = true
	}
	_, table, _ := strings.Cut(string(text), "| --- | --- | --- |\n")
	tests := testNames(t)
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		if len(cells) < 2 {
			t.Errorf("no row of the table: %s", row)
			continue
		}
		heading, _, _ := strings.Cut(cells[0], ": ")
		if _, known := missing[heading]; !known {
			t.Errorf("the RFC has no heading %q", heading)
		}
		missing[heading] = false
		checkNamed(t, row, cells[1:], tests)
	}
	for heading, is := range missing {
		if is {
			t.Errorf("the RFC's %q has no row", heading)
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// checkNamed checks that a row names something that is built, or says that
// nothing is, and that what it names is there.
func checkNamed(t *testing.T, row string, cells []string, tests map[string]bool) {
	t.Helper()
	names := quoted.FindAllStringSubmatch(strings.Join(cells, " "), -1)
	if len(names) == 0 && !strings.Contains(row, "planned") {
		t.Errorf("names nothing: %s", row)
	}
	for _, match := range names {
		switch name := match[1]; {
		case strings.HasPrefix(name, "Test"):
			if !tests[name] {
				t.Errorf("no test is named %s: %s", name, row)
			}
		case !exists(t, "../"+name) && !exists(t, filepath.Join(goldenDir, name, "canonical.json")) && !exists(t, filepath.Join(goldenDir, name, "error.txt")):
			t.Errorf("%s is no file, folder or golden case: %s", name, row)
		}
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// testNames are the names of all tests of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range testFunc.FindAllStringSubmatch(string(text), -1) {
			names[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
