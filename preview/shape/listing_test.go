package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyTree draws the files of a tree, sorted as a walk meets them, without empty
// folders.
func anyTree(t *rapid.T) []string {
	name := rapid.StringMatching(`[a-e]{1,2}`)
	paths := map[string]bool{}
	for range rapid.IntRange(8, 60).Draw(t, "files") {
		parts := rapid.SliceOfN(name, 1, 4).Draw(t, "folders")
		paths[strings.Join(parts, "/")+fmt.Sprintf("/f%d.go", rapid.IntRange(0, 9).Draw(t, "file"))] = true
	}
	files := []string{}
	for p := range paths {
		files = append(files, p)
	}
	slices.SortFunc(files, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return files
}

// walked returns what find prints of files: each folder before what is in it.
func walked(files []string) (lines []string) {
	seen := map[string]bool{}
	for _, f := range files {
		for i, c := range f {
			if c == '/' && !seen[f[:i]] {
				seen[f[:i]] = true
				lines = append(lines, f[:i])
			}
		}
		lines = append(lines, f)
	}
	return lines
}

// printed returns what ls -R prints of files, and the path of each line; empty for
// lines that are no entries.
func printed(files []string) (lines, paths []string) {
	folders, entries := []string{""}, map[string][]string{}
	for _, p := range walked(files) {
		parent := parentDirectory(p)
		entries[parent] = append(entries[parent], p)
		if !strings.HasSuffix(p, ".go") {
			folders = append(folders, p)
		}
	}
	slices.Sort(folders)
	for _, f := range folders {
		lines, paths = append(lines, strings.TrimSuffix("./"+f, "/")+":"), append(paths, "")
		for _, p := range entries[f] {
			lines, paths = append(lines, p[strings.LastIndexByte(p, '/')+1:]), append(paths, p)
		}
		lines, paths = append(lines, ""), append(paths, "")
	}
	return lines, paths
}

// top returns the first part of a path.
func top(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

// A line of every folder at the top comes before a second one of any, in all forms
// of a listing.
func TestListingIsBreadthFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := anyTree(t)
		lines, paths := files, files
		switch rapid.SampledFrom([]string{"files", "find", "ls"}).Draw(t, "form") {
		case "find":
			lines = walked(files)
			paths = lines
		case "ls":
			lines, paths = printed(files)
		}
		_, list, _ := ranked(strings.Join(lines, "\n")+"\n", Options{Shape: Listing})
		tops := map[string]bool{}
		for _, f := range files {
			tops[top(f)] = true
		}
		had := map[string]int{}
		for _, i := range Order(list) {
			if paths[i] == "" {
				continue
			}
			if had[top(paths[i])]++; had[top(paths[i])] == 2 && len(had) < len(tops) {
				t.Fatalf("%s has two lines, and %v are all that are named of %v in\n%s", top(paths[i]), had, tops, strings.Join(lines, "\n"))
			}
		}
	})
}

// The heading of a folder comes right before its first entry.
func TestHeadingComesWithItsFirstEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, paths := printed(anyTree(t))
		_, list, _ := ranked(strings.Join(lines, "\n")+"\n", Options{Shape: Listing})
		order := Order(list)
		heading := map[string]bool{}
		for at, i := range order {
			if strings.HasSuffix(lines[i], ":") {
				heading[cleanPath(strings.TrimSuffix(lines[i], ":"))] = true
				if at+1 == len(order) || paths[order[at+1]] == "" {
					t.Fatalf("%q is before %q", lines[i], lines[order[min(at+1, len(order)-1)]])
				}
			} else if p := paths[i]; p != "" && !heading[parentDirectory(p)] {
				t.Fatalf("%q comes before its heading in %q", p, lines)
			}
		}
	})
}

// Whatever the order of a measured list, larger values come first.
func TestMeasuredListsHaveTheLargestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"%d\t./a/x%d", "%7d some words of line %d", "  %d dir/file%d.go", "%dM\tvar/log/y%d", "%d.5K ./z%d"}).Draw(t, "form")
		values := rapid.SliceOfN(rapid.IntRange(1, 5000), 8, 40).Draw(t, "values")
		switch rapid.SampledFrom([]string{"rising", "falling", "any"}).Draw(t, "order") {
		case "rising":
			slices.Sort(values)
		case "falling":
			slices.SortFunc(values, func(a, b int) int { return b - a })
		}
		var text strings.Builder
		for i, v := range values {
			fmt.Fprintf(&text, form+"\n", v, i)
		}
		_, list, _ := ranked(text.String(), Options{Shape: Listing})
		order := Order(list)
		for k := 1; k < len(order); k++ {
			if values[order[k-1]] < values[order[k]] {
				t.Fatalf("%d comes before %d", values[order[k-1]], values[order[k]])
			}
		}
	})
}

func TestListsAreDetected(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Shape
	}{
		"du":                {repeated(9, "8\t./a/x%d\n"), Listing},
		"uniq -c":           {repeated(9, "     %d connection from somebody\n"), None},
		"uniq -c, spread":   {"    412 GET /index\n    310 GET /a b\n     88 GET /x\n     12 POST /y\n      3 PUT /z\n      1 HEAD /\n", Listing},
		"wc -l":             {"  120 a.go\n   12 b.go\n    7 c.go\n   99 d.go\n    3 e.go\n  241 total\n", Listing},
		"cat -n":            {repeated(9, "     %d\tname\n"), Source},
		"times":             {repeated(9, "170000000%d started\n"), None},
		"git log --oneline": {repeated(5, "4b825d1%d docs: say it\n"), Listing},
		"its graph":         {"* 4b825d1 docs: say it\n|\\\n| * 4b825d2 x\n* | 4b825d3 y\n|/\n* 4b825d4 z\n", Listing},
		"git status -s":     {" M a/x.go\n?? b/y.go\nMM c/z.go\nA  d.go\nR  e.go\n D f/g.go\n", Listing},
		"git diff --stat":   {repeated(30, " a/x%d.go | 12 +++---\n") + " 30 files changed, 59 insertions(+)\n", Listing},
		"--name-status":     {"M\ta/x.go\nA\tb/y.go\nD\tc/z.go\nR087\td/x.go\td/y.go\nM\te.go\nM\tf.go\n", Listing},
		"branches":          {"* main\n  remotes/origin/a\n  remotes/origin/b\n  remotes/origin/c\n  remotes/origin/d\n  remotes/origin/e\n", Listing},
	} {
		if got := DetectText(c.text, None); got != c.want {
			t.Errorf("%s: shape %d, want %d", name, got, c.want)
		}
	}
}

// Revisions come from the newest on, whatever their subjects say.
func TestRevisionsComeInTheirOrder(t *testing.T) {
	best, _, _ := ranked(repeated(20, "4b825d%d docs: step of work\n")+"4b825dff fix error: it failed\n"+repeated(20, "5b825d%d docs: step of work\n"), Options{Shape: Listing})
	if err := inThisOrder(best, "4b825d1 ", "4b825d2 ", "4b825d20", "4b825dff", "5b825d1 "); err != nil {
		t.Error(err)
	}
}

// The total of a summary of a diff comes first, then the files with most changes.
func TestFilesWithMostChangesComeFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(1, 5000), 8, 40).Draw(t, "counts")
		form := rapid.SampledFrom([]string{" src/f%[2]d.go | %[1]d +++--\n", "%[1]d\t0\tsrc/f%[2]d.go\n"}).Draw(t, "form")
		var text strings.Builder
		for i, n := range counts {
			fmt.Fprintf(&text, form, n, i)
		}
		text.WriteString(" 40 files changed, 9 insertions(+)\n")
		_, list, _ := ranked(text.String(), Options{Shape: Listing})
		order := Order(list)
		if order[0] != len(counts) {
			t.Fatalf("line %d is first", order[0])
		}
		for k := 2; k < len(order); k++ {
			if counts[order[k-1]] < counts[order[k]] {
				t.Fatalf("%d comes before %d", counts[order[k-1]], counts[order[k]])
			}
		}
	})
}

func TestAttributesEndBeforeTheName(t *testing.T) {
	for text, want := range map[string]string{
		"-rw-r--r--  1 ada staff  7675 Nov 25 09:47 a.go":                       "a.go",
		"-rw-r--r--. 1 ada staff 7.5K Nov 25  2024 two words.txt":               "two words.txt",
		"lrwxrwxrwx  1 ada staff    4 Nov 25 09:47 latest -> v1.2":              "latest -> v1.2",
		"drwxr-xr-x  2 ada staff 4096 2025-11-25 09:47 src":                     "src",
		"-rw-r--r--  1 ada staff 2024 2025-11-25 09:47:12.000000000 +0100 a.go": "a.go",
		"crw-rw-rw-  1 root root 1, 3 Nov 25 09:47 null":                        "null",
		"-rw-r--r--  1 ada a.go":                                                "-rw-r--r--  1 ada a.go",
		"total 12":                                                              "total 12",
		"src:":                                                                  "src:",
	} {
		if got := text[attributesLength([]byte(text)):]; got != want {
			t.Errorf("%q is shown of %q, want %q", got, text, want)
		}
	}
}

// A folder may be named by a heading after its entries were listed by their paths.
func TestHeadingBehindItsEntries(t *testing.T) {
	mode := "-rw-r--r-- 1 ada ada 9 Nov  9 10:00 "
	text := strings.Repeat(mode+"src/a.go\n", 6) + "\nsrc:\n" + strings.Repeat(mode+"b.go\n", 6) + "\ndocs:\n" + strings.Repeat(mode+"c.md\n", 6)
	order, list, _ := ranked(text, Options{Shape: Listing})
	if len(order) != len(list) {
		t.Errorf("%d of %d lines have a place", len(order), len(list))
	}
}
