package shape

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// linesOf reads a text as a ranker gets it.
func linesOf(text string) []Ranked {
	var list []Ranked
	var b textscan.LineBuilder
	at := int64(0)
	for one := range strings.Lines(text) {
		b.Begin(at)
		at += int64(len(one))
		content := strings.TrimSuffix(one, "\n")
		b.Write([]byte(content), 1<<20)
		line := b.Finish(1<<20, at)
		line.Text = append([]byte(nil), b.Text()...)
		list = append(list, Ranked{Line: &line, Number: int64(len(list)) + 1})
	}
	return list
}

// parts counts the kinds of the lines of a diff.
func parts(text string) map[diffLine]int {
	list, n := linesOf(text), map[diffLine]int{}
	var d diffReader
	for i := range list {
		var after []byte
		if i+1 < len(list) {
			after = list[i+1].Line.Text
		}
		n[d.next(list[i].Line.Text, after)]++
	}
	return n
}

// hunks generates the changes of one file. What is in them looks like headers, too.
func hunks(t *rapid.T) string {
	texts := rapid.SampledFrom([]string{
		"x := 1", "", "-- a/old.go", "++ b/new.go", " @@ -1,2 +3,4 @@", "diff --git a/x b/x", "@@ -1 +1 @@", "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "\tif err != nil {",
	})
	var b strings.Builder
	line := 1
	for range rapid.IntRange(1, 4).Draw(t, "hunks") {
		var body strings.Builder
		removed, added := 0, 0
		for range rapid.IntRange(1, 9).Draw(t, "lines") {
			sign := rapid.SampledFrom([]string{" ", "+", "-"}).Draw(t, "sign")
			if sign != "+" {
				removed++
			}
			if sign != "-" {
				added++
			}
			body.WriteString(sign + texts.Draw(t, "text") + "\n")
		}
		body.WriteString("+changed\n")
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ func x()\n%s", line, removed, line, added+1, body.String())
		line += removed + added + 10
	}
	return b.String()
}

// diffs generates diffs as git writes them.
func diffs() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		plain := rapid.Bool().Draw(t, "plain")
		for i := range rapid.IntRange(1, 6).Draw(t, "files") {
			name := fmt.Sprintf("dir/file%d.go", i)
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case plain:
				fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n%s", name, name, hunks(t))
			case kind == 0:
				fmt.Fprintf(&b, "diff --git a/%s b/new%s\nsimilarity index 100%%\nrename from %s\nrename to new%s\n", name, name, name, name)
			case kind == 1:
				fmt.Fprintf(&b, "diff --git a/%s b/%s\nold mode 100644\nnew mode 100755\n", name, name)
			case kind == 2:
				fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex 1111111..2222222 100644\nBinary files a/%s and b/%s differ\n", name, name, name, name)
			default:
				fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n%s", name, name, name, name, hunks(t))
			}
		}
		return b.String()
	})
}

// The reader of diffs finds the files, hunks and lines that a parser of whole diffs does.
func TestDiffReaderAgreesWithAParser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := diffs().Draw(t, "diff")
		files, _, err := gitdiff.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatalf("the diff is wrong: %v\n%s", err, text)
		}
		wantHunks, wantChanged, wantContext := 0, 0, 0
		for _, f := range files {
			for _, h := range f.TextFragments {
				wantHunks++
				for _, l := range h.Lines {
					if l.Op == gitdiff.OpContext {
						wantContext++
					} else {
						wantChanged++
					}
				}
			}
		}
		got := parts(text)
		if got[diffFile] != len(files) || got[diffHunk] != wantHunks || got[diffChange] != wantChanged || got[diffContext] != wantContext {
			t.Fatalf("%v, want %d files, %d hunks, %d changes, %d of context\n%s", got, len(files), wantHunks, wantChanged, wantContext, text)
		}
	})
}

// Only the header of a file has the score of one, so that every file is named
// before anything is said of it.
func TestOnlyFilesOfADiffAreHeadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := linesOf(diffs().Draw(t, "diff"))
		rankDiff(list)
		var d diffReader
		for i := range list {
			var after []byte
			if i+1 < len(list) {
				after = list[i+1].Line.Text
			}
			if file := d.next(list[i].Line.Text, after) == diffFile; file != (list[i].Score >= scoreHeading) {
				t.Fatalf("%q: is the header of a file: %v, and has score %d", list[i].Line.Text, file, list[i].Score)
			}
		}
	})
}

// Whatever bytes come, each ranker gives every line a score and ends.
func FuzzRankers(f *testing.F) {
	for _, seed := range []string{
		"diff --git a/x b/x\n@@ -1,9 +1 @@\n-a\n", "@@@ -1 -1 +1 @@@\n++x\n", "commit 1234567\n\n    s\n", "a/b.go:1:x\na/b.go-2-y\n--\n", "a.go\n1:x\n\nb.go\n", "total 1\n./a:\n-rw-r--r-- 1 a b 1 x\n",
		"├── a\n│   └── b\n", "NAME  READY  AGE\na  b  c\n", "Traceback (most recent call last):\n  File \"x\", line 1, in y\n    z\nE: 1\n", "# a\n\nb\n", "a\n===\n", "|--\n:-", "(", "-", "\n\n", "panic: x\n    \n", "#1 x\n    \n    \n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for kind := None; kind <= Prose; kind++ {
			list := linesOf(text)
			if !rankShape(kind, list) {
				continue
			}
			for i := range list {
				if r := &list[i]; r.Score < 1 || r.Score > 100 || r.Reason == 0 || r.turn < 0 {
					t.Fatalf("shape %d: %q has score %d, turn %d, reason %d", kind, r.Line.Text, r.Score, r.turn, r.Reason)
				}
			}
		}
	})
}

// What JSON a prefix may become is known from the prefix.
func FuzzJSONPrefix(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,true,null,"\"\\"],"b":{}}`, `[[],[{}]]`, `{"a" : "b" , "c":1}`, `{]`, `[1 2]`, `{"a",}`} {
		f.Add(seed, uint8(9))
	}
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		var p jsonPrefix
		prefix := text[:min(len(text), int(at))]
		if json.Valid([]byte(text)) && (text[0] == '{' || text[0] == '[') && !p.accept([]byte(prefix)) {
			t.Fatalf("%q is no beginning of %q", prefix, text)
		}
	})
}
