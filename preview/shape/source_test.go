package shape

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/focus"
)

// filesOfRepository returns the texts of files of this repository with an ending, by path.
func filesOfRepository(t *testing.T, ending string, least int) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (strings.HasPrefix(name, ".") && name != ".." || name == "node_modules" || name == "target" || name == "gen" || name == "dist") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ending || strings.Contains(path, "_pb2") { // generated code
			return nil
		}
		text, err := os.ReadFile(path)
		if len(text) > least {
			texts[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// Source files are recognized by their text alone, and with the numbers of a viewer.
func TestSourceIsRecognized(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".go", ".py", ".java", ".rs", ".ts"} {
		texts := filesOfRepository(t, ending, 1000)
		if len(texts) == 0 {
			t.Errorf("no files that end with %s", ending)
		}
		known := 0
		for path, text := range texts {
			if DetectText(text, None) == Source {
				known++
			}
			for _, viewer := range []string{"%6d\t%s\n", "%5d→%s\n", "%d:%s\n", "%d|%s\n"} {
				view := &strings.Builder{}
				for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
					fmt.Fprintf(view, viewer, i+41, line)
				}
				if got := DetectText(view.String(), None); got != Source {
					t.Errorf("%s as %q is of shape %d", path, viewer, got)
				}
			}
		}
		if known*10 < len(texts)*8 {
			t.Errorf("%d of %d files that end with %s are recognized", known, len(texts), ending)
		}
	}
}

// Logs, reports, tables and prose are no source code.
func TestOthersAreNoSource(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "integration", "eval", "testdata", "kinds", "*", "*"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d outputs of other kinds: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if DetectText(string(text), None) == Source {
			t.Errorf("%s is source code", file)
		}
	}
	for path, text := range filesOfRepository(t, ".md", 3000) {
		if DetectText(text, Prose) == Source {
			t.Errorf("%s is source code", path)
		}
	}
}

// The log of a failing build is a log, too, when a viewer numbers its lines.
func TestNumberedLogIsNoSource(t *testing.T) {
	t.Parallel()
	text := &strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(text, "%6d\t2026-01-02T10:%02d:00Z step %c of the build\n", i+1, i, 'a'+i%26)
	}
	if DetectText(text.String(), None) == Source {
		t.Error("it is source code")
	}
}

// rankedSource ranks text as source code.
func rankedSource(text, looksFor string) []Ranked {
	_, list, _ := ranked(text, Options{Shape: Source, Focus: focus.Parse(looksFor)})
	return list
}

// The outline comes first, and the block that matches the focus before all others.
func TestOutlineThenBlocks(t *testing.T) {
	t.Parallel()
	text := &strings.Builder{}
	text.WriteString("package shop\n\nimport \"time\"\n\n")
	for i := range 20 {
		fmt.Fprintf(text, "func step%d(a int) int {\n\tfor a < %d {\n\t\ta += step%d(a)\n\t}\n\treturn a\n}\n\n", i, i, i)
	}
	looksFor := "the discount of gold_members is applied twice"
	source := strings.Replace(text.String(), "\treturn a\n}\n\nfunc step13", "\ta -= discount(gold_members)\n\treturn a\n}\n\nfunc step13", 1)
	list := rankedSource(source, looksFor)
	order := Order(list)
	line := func(i int) string { return string(list[i].Line.Text) }
	at := 0
	for ; at < headLines; at++ {
		if order[at] != at {
			t.Errorf("line %d is number %d", at, order[at])
		}
	}
	for ; at < headLines+20; at++ {
		if !strings.HasPrefix(line(order[at]), "func ") {
			t.Fatalf("%q comes before a definition", line(order[at]))
		}
	}
	found := slices.IndexFunc(order[at:], func(i int) bool { return strings.Contains(line(i), "gold_members") })
	if found < 0 || found > leastBlock {
		t.Errorf("what is looked for is %d lines behind the outline", found)
	}
}

// A block is in the order of the text, and its lines follow each other.
func TestBlocksAreWhole(t *testing.T) {
	t.Parallel()
	for path, text := range filesOfRepository(t, ".go", 8000) {
		list := rankedSource(text, "")
		last := map[int32]int{}
		for _, i := range Order(list) {
			block := list[i].Block
			if block == 0 {
				t.Fatalf("%s:%d is in no block", path, i+1)
			}
			if list[i].Score != scoreContent {
				continue
			}
			if before, ok := last[block]; ok && i < before {
				t.Fatalf("%s:%d comes behind line %d of its block", path, i+1, before+1)
			}
			last[block] = i
		}
	}
}
