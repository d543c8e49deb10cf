package preview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens"
)

// linesOf reads a text as a ranker gets it.
func linesOf(text string) []ranked {
	w := NewWriter(1 << 20)
	_, _ = w.Write([]byte(text))
	var list []ranked
	for n, l := range w.Finish().each() {
		list = append(list, ranked{line: l, number: n})
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
			after = list[i+1].line.Text
		}
		n[d.next(list[i].line.Text, after)]++
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

// Every file is named before anything is said of one, and where all names fit, all are shown.
func TestEveryFileOfADiffIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := diffs().Draw(t, "diff")
		list := linesOf(text)
		rankDiff(list)
		var d diffReader
		names, cost := []string{}, 0
		for i := range list {
			var after []byte
			if i+1 < len(list) {
				after = list[i+1].line.Text
			}
			if d.next(list[i].line.Text, after) == diffFile {
				names = append(names, string(list[i].line.Text))
				cost += tokens.Estimate().Count(names[len(names)-1]+"\n") + markerTokens
			} else if list[i].score >= scoreHeading {
				t.Fatalf("%q has the score of a file", list[i].line.Text)
			}
		}
		budget := Budget{Tokens: cost + 2*markerTokens + rapid.IntRange(0, 60).Draw(t, "more"), Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}
		p := FromBytes([]byte(text), 4000).Select(budget, tokens.Estimate(), Focus{HeadPercent: 25, Shape: ShapeDiff})
		for _, name := range names {
			if !strings.Contains(p.Text, name+"\n") {
				t.Fatalf("%q is hidden at %d tokens in\n%s", name, budget.Tokens, p.Text)
			}
		}
	})
}

// shown are the lines that are shown for more than to fill a gap.
func shown(p *Preview) map[int64]bool {
	lines := map[int64]bool{}
	for _, s := range p.Segments {
		for n := s.FirstLine; s.Score > 1 && n <= s.LastLine; n++ {
			lines[n] = true
		}
	}
	return lines
}

// Where all lines cost the same, a larger budget shows the same lines and more.
func TestLargerBudgetShowsMore(t *testing.T) {
	kinds := map[Shape]func(n int) string{
		ShapeSearch:  func(n int) string { return fmt.Sprintf("src/file%02d.go:%04d:\tfound it", n%13, n) },
		ShapeListing: func(n int) string { return fmt.Sprintf("./src/dir%02d/file%04d.go", n/35, n) },
		ShapeTable:   func(n int) string { return fmt.Sprintf("NAME%04d   1/1   RUNNING%02d", n, n%7) },
		ShapeDiff: func(n int) string {
			if n%20 == 0 {
				return fmt.Sprintf("diff --git a/f%04d b/f%04d", n, n)
			}
			return fmt.Sprintf("@@ -%04d,0 +%04d,0 @@ f%04d", n, n, n)
		},
		ShapeProse: func(n int) string { return fmt.Sprintf("Word number %04d is said.", n) },
		ShapeStackTrace: func(n int) string {
			return fmt.Sprintf("\tat com.acme.Class.m%04d(F)", n)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]Shape{ShapeSearch, ShapeListing, ShapeTable, ShapeDiff, ShapeProse, ShapeStackTrace}).Draw(t, "shape")
		var b strings.Builder
		for i := range rapid.IntRange(150, 600).Draw(t, "lines") {
			b.WriteString(kinds[shape](i) + "\n")
		}
		e := FromBytes([]byte(b.String()), 4000)
		var before map[int64]bool
		for _, n := range []int{100, 200, 400, 800, 1200} {
			p := e.Select(Budget{Tokens: n, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}, even{}, Focus{HeadPercent: 25, Shape: shape})
			now := shown(p)
			if p.Truncated() {
				for line := range before {
					if !now[line] {
						t.Fatalf("shape %d: line %d is hidden at %d tokens", shape, line, n)
					}
				}
			}
			before = now
		}
	})
}

// Paths in the order of their directories are shown in turns between them, and
// others from the first one on.
func TestListingsInOrderAndMixed(t *testing.T) {
	for name, c := range map[string]struct {
		directory func(n int) int
		marks     int
	}{"in order": {func(n int) int { return n / 30 }, 6}, "mixed": {func(n int) int { return n % 6 }, 1}} {
		var b strings.Builder
		for i := range 180 {
			fmt.Fprintf(&b, "src/dir%d/file%03d.go\n", c.directory(i), i)
		}
		p := FromBytes([]byte(b.String()), 4000).Select(Budget{Tokens: 250, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}, even{}, Focus{HeadPercent: 25})
		if p.Shape != ShapeListing || len(p.Cuts) != c.marks {
			t.Errorf("%s: shape %d with %d cuts, want a listing with %d:\n%s", name, p.Shape, len(p.Cuts), c.marks, p.Text)
		}
	}
}

// even counts every line as the same.
type even struct{}

// Count returns the tokens of text.
func (even) Count(text string) int { return 8 * strings.Count(text, "\n") }

// Name names it.
func (even) Name() string { return "even" }

// Whatever bytes come, each ranker gives every line a score and ends.
func FuzzRankers(f *testing.F) {
	for _, seed := range []string{
		"diff --git a/x b/x\n@@ -1,9 +1 @@\n-a\n", "@@@ -1 -1 +1 @@@\n++x\n", "commit 1234567\n\n    s\n", "a/b.go:1:x\na/b.go-2-y\n--\n", "a.go\n1:x\n\nb.go\n", "total 1\n./a:\n-rw-r--r-- 1 a b 1 x\n",
		"├── a\n│   └── b\n", "NAME  READY  AGE\na  b  c\n", "Traceback (most recent call last):\n  File \"x\", line 1, in y\n    z\nE: 1\n", "# a\n\nb\n", "a\n===\n", "|--\n:-", "(", "-", "\n\n", "panic: x\n    \n", "#1 x\n    \n    \n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for shape := ShapeNone; shape <= ShapeProse; shape++ {
			list := linesOf(text)
			if !rankShape(shape, list) {
				continue
			}
			for i := range list {
				if r := &list[i]; r.score < 1 || r.score > 100 || r.reason == 0 || r.turn < 0 {
					t.Fatalf("shape %d: %q has score %d, turn %d, reason %d", shape, r.line.Text, r.score, r.turn, r.reason)
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
		if _, err := ParseJSON([]byte(text)); err == nil && (text[0] == '{' || text[0] == '[') && !p.takes([]byte(prefix)) {
			t.Fatalf("%q is no beginning of %q", prefix, text)
		}
	})
}
