package shape

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// join makes a text of lines, of which each may be many.
func join(parts ...string) string { return strings.Join(parts, "") }

// Detectors count lines. Each pair of texts has the least that a shape needs, and one line less or one other line more.
func TestDetectNeedsEnoughLines(t *testing.T) {
	sentence := "A sentence of some words for the reader.\n"
	frames := repeated(3, "    at a.B.c(B.java:%d)\n")
	rows := func(n int) string { return repeated(n, "web-%d   1/1     Running\n") }
	names := repeated(6, "src/a%d.go\n")
	for name, c := range map[string]struct {
		want         Shape
		enough, less string
	}{
		"prose: two headings":   {Prose, join("# One\n\n", strings.Repeat(sentence, 4), "\n# Two\n"), join("# One\n\n", strings.Repeat(sentence, 4))},
		"prose: four sentences": {Prose, join("# One\n\n", strings.Repeat(sentence, 4), "\n# Two\n"), join("# One\n\n", strings.Repeat(sentence, 3), "\n# Two\n")},
		"prose: more sentences than headings": {
			Prose, join(strings.Repeat("# One\n\n", 4), strings.Repeat(sentence, 5)), join(strings.Repeat("# One\n\n", 4), strings.Repeat(sentence, 4)),
		},
		"prose: seven lines in ten": {
			Prose, join("# One\n\n# Two\n\n", strings.Repeat(sentence, 5), "x=1\ny=2\nz=3\n"), join("# One\n\n# Two\n\n", strings.Repeat(sentence, 5), "x=1\ny=2\nz=3\nx=4\n"),
		},
		"prose: code and tables do not count": {
			Prose, join("# One\n\n# Two\n\n", strings.Repeat(sentence, 4), strings.Repeat("    x=1\n", 9), strings.Repeat("|x|\n", 9), "```\n", strings.Repeat("x=1\n", 9), "```\n"),
			join("# One\n\n# Two\n\n", strings.Repeat(sentence, 4), "```\n", "```\n", strings.Repeat("x=1\n", 9)),
		},
		"trace: four lines of it": {StackTrace, join("x.Error: no\n", frames), join("x.Error: no\n", frames[:len(frames)/3*2])},
		"trace: its head among two lines": {
			StackTrace, join("said before\nx.Error: no\n", frames), join("said before\nand more\nx.Error: no\n", frames, frames),
		},
		"trace: seven lines in ten":  {StackTrace, join("x.Error: no\n", frames, frames, "a\nb\nc\n"), join("x.Error: no\n", frames, frames, "a\nb\nc\nd\n")},
		"trace: a frame":             {StackTrace, join("x.Error: no\n", frames), strings.Repeat("x.Error: no\n", 9)},
		"table: two rows":            {Table, join("NAME    READY   STATUS\n", rows(2)), join("NAME    READY   STATUS\n", rows(1))},
		"table: three names":         {Table, join("NAME    READY   STATUS\n", rows(2)), join("NAME    READY\n", rows(2))},
		"table: four rows in five":   {Table, join("NAME    READY   STATUS\n", rows(4), "x\n"), join("NAME    READY   STATUS\n", rows(7), "x\nx\n")},
		"table: twelve rows count":   {Table, join("NAME    READY   STATUS\n", rows(9), rows(3), repeated(9, "x%d\n")), join("NAME    READY   STATUS\n", rows(4), repeated(9, "x%d\n"))},
		"table: up to an empty line": {Table, join("NAME    READY   STATUS\n", rows(2), "\n", repeated(9, "x%d\n")), join("NAME    READY   STATUS\n", rows(1), "\n", rows(9))},
		"table: header in line 3":    {Table, join("a b\nc d\nNAME    READY   STATUS\n", rows(2)), join("a b\nc d\ne f\nNAME    READY   STATUS\n", rows(2))},
		"table: two names on a rule": {Table, "id  name\n--- ----\n1   anna\n", "id\n--- ----\n1   anna\n"},
		"table: a row on a rule":     {Table, "id  name\n--- ----\n1   anna\n", "id  name\n--- ----\n"},
		"listing: six names":         {Listing, names, names[:5*len("src/a1.go\n")]},
		"listing: nearly all":        {Listing, join(repeated(19, "src/a%d.go\n"), "a b\n"), join(repeated(18, "src/a%d.go\n"), "a b\n")},
		"listing: most with an ending": {
			Listing, join(repeated(7, "a%d.go\n"), repeated(3, "word%d\n")), join(repeated(7, "a%d.go\n"), repeated(4, "word%d\n")),
		},
		"listing: an ending is more than a dot": {Listing, join(repeated(7, "a%d.go\n"), repeated(3, "word%d.\n")), join(repeated(6, "a%d.go\n"), repeated(4, "word%d.\n"))},
		"listing: or a heading":                 {Listing, join("src:\n", repeated(6, "word%d\n")), join("src\n", repeated(6, "word%d\n"))},
		"listing: modes": {
			Listing, join(repeated(6, "-rw-r--r-- 1 a b 7 f%d\n"), repeated(2, "word%d\n"), "a b\nc d\n"), join(repeated(6, "-rw-r--r-- 1 a b 7 f%d\n"), repeated(2, "word%d\n"), "a b\nc d\ne f\n"),
		},
		"listing: most are modes":    {Listing, join(repeated(6, "-rw-r--r-- 1 a b 7 f%d\n"), repeated(3, "word%d\n"), "a b\n"), join(repeated(5, "-rw-r--r-- 1 a b 7 f%d\n"), repeated(4, "word%d\n"), "a b\n")},
		"listing: most are branches": {Listing, join(repeated(6, "├── f%d\n"), repeated(3, "word%d\n"), "a b\n"), join(repeated(5, "├── f%d\n"), repeated(4, "word%d\n"), "a b\n")},
		"search: three matches":      {Search, repeated(3, "a/x.go:%d:t\n"), repeated(2, "a/x.go:%d:t\n")},
		"search: nine lines in ten":  {Search, join(repeated(9, "a/x.go:%d:t\n"), "a b\n"), join(repeated(8, "a/x.go:%d:t\n"), "a b\n")},
		"search: few begin behind a blank": {
			Search, join(repeated(4, "a/x.go:%d:t\n"), repeated(2, "a/y.go:%d: t\n")), join(repeated(3, "a/x.go:%d:t\n"), repeated(2, "a/y.go:%d: t\n")),
		},
		"search: few are faults": {
			Search, join(repeated(4, "a/x.go:%d:t\n"), "a/y.go:1:warning: t\n"), join(repeated(3, "a/x.go:%d:t\n"), "a/y.go:1:error: t\n"),
		},
		"search: notes are faults":           {Search, join(repeated(4, "a/x.go:%d:t\n"), "a/y.go:1:note: t\n"), join(repeated(3, "a/x.go:%d:t\n"), "a/y.go:1:note: t\n")},
		"search by file: a path, then lines": {Search, "a/x.go\n1:x\n2:y\n", "a/x.go\nx\n2:y\n"},
		"search by file: three lines":        {Search, "a/x.go\n1:x\n2:y\n", "a/x.go\n1:x\n"},
		"search by file: no colon above":     {Search, "a/x.go\n1:x\n2:y\n", "a/x.go:\n1:x\n2:y\n"},
		"build log: three lines":             {BuildLog, join(repeated(3, "make: %d\n"), repeated(6, "word %d of it\n")), join(repeated(2, "make: %d\n"), repeated(2, "word %d of it\n"))},
		"build log: a third":                 {BuildLog, join(repeated(33, "make: %d\n"), repeated(31, "word %d of it\n")), join(repeated(4, "make: %d\n"), repeated(9, "word %d of it\n"))},
		"test report: a third":               {TestReport, join(repeated(4, "ok  \t%d\n"), repeated(8, "word %d of it\n")), join(repeated(4, "ok  \t%d\n"), repeated(9, "word %d of it\n"))},
		"ndjson: two objects":                {NDJSON, "{\"a\":1}\n\n{\"a\":2}\n", "[1]\n[2]\n"},
		"diff: a hunk":                       {Diff, "--- a\n+++ b\n@@ -1 +1 @@\n", "--- a\n+++ b\n-x\n"},
		"diff: a line behind":                {Diff, "diff --git a/x b/x\nindex 1..2\n", "diff --git a/x b/x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DetectText(c.enough, None); got != c.want {
				t.Errorf("shape %d, want %d, of %q", got, c.want, c.enough)
			}
			if got := DetectText(c.less, None); got == c.want {
				t.Errorf("shape %d of %q", got, c.less)
			}
		})
	}
}

// A sample has the first 64 lines and 8 KiB: what is behind them changes nothing.
func TestSampleHasBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("word of a line\n", rapid.IntRange(0, 70).Draw(t, "lines")) + strings.Repeat("x", rapid.IntRange(0, 9000).Draw(t, "bytes")) + "\nend\n"
		s := newSample(textLines(text))
		size, left := 0, text
		for i, line := range s.lines {
			size += len(line) + 1
			want, rest, _ := strings.Cut(left, "\n")
			if left = rest; string(line) != want && !(s.cut && i == len(s.lines)-1 && strings.HasPrefix(want, string(line))) {
				t.Fatalf("line %d of the sample is %.40q", i, line)
			}
		}
		if len(s.lines) > sampleLines || size > sampleBytes+1 || len(s.lines) < sampleLines && size < sampleBytes && left != "" {
			t.Fatalf("%d lines, %d bytes of %d", len(s.lines), size, len(text))
		}
		if plain := newSample(firstLines(text)); len(plain.lines) != len(s.lines) || plain.cut != s.cut {
			t.Fatalf("%d lines of plain text, cut %v; %d lines, cut %v", len(plain.lines), plain.cut, len(s.lines), s.cut)
		}
	})
	for n, cut := range map[int]bool{sampleBytes: false, sampleBytes + 1: true} {
		if s := newSample(textLines(strings.Repeat("x", n))); s.cut != cut || len(s.lines) != 1 || len(s.lines[0]) != sampleBytes {
			t.Errorf("a line of %d bytes: cut %v", n, s.cut)
		}
	}
	skipped := textscan.Line{Text: []byte("abcdef"), Split: 3, Skipped: 9}
	if s := newSample([]textscan.Line{skipped, skipped}); !s.cut || len(s.lines) != 1 || string(s.lines[0]) != "abc" {
		t.Errorf("a line with a gap: %q, cut %v", s.lines, s.cut)
	}
}

// A log of JSON whose last object is cut is one.
func TestLastObjectMayBeCut(t *testing.T) {
	cut := strings.Repeat("x", sampleBytes)
	for text, want := range map[string]Shape{
		"{\"a\":1}\n{\"b\":\"" + cut: NDJSON, "\n{\"b\":\"" + cut: NDJSON, "{\"a\":1}\n{\"b\":1 x" + cut: None, "{\"a\":1\n{\"b\":2}\n": None, "{\"a\":1}\n": JSON, "{\"a\":1}\n[1]\n": None, "{\"b\":\"" + cut: JSON,
	} {
		if got := DetectText(text, None); got != want {
			t.Errorf("shape %d, want %d, of %.30q", got, want, text)
		}
	}
}

// What a caller says is believed as long as one line may be of that shape.
func TestHintsNeedOneLine(t *testing.T) {
	for _, c := range []struct {
		text string
		hint Shape
		want bool
	}{
		{"x\n12:found\n", Search, true}, {"x\na/b.go:1:y\n", Search, true}, {"x\ny\n", Search, false}, {"a\nb\nc\n", Table, true}, {"a\nb\n", Table, false},
		{"x\n#1 main\n", StackTrace, true}, {"x\n", StackTrace, false}, {"x\n", Binary, false}, {"x\n", Prose, true}, {fileDiff("a", 1), Prose, false}, {"x\n", BuildLog, true}, {"x\n", TestReport, true}, {"x\n", NDJSON, false}, {"{}\n", JSON, true},
	} {
		if got := DetectText(c.text, c.hint) == c.hint; got != c.want {
			t.Errorf("%q may be of shape %d: %v", c.text, c.hint, got)
		}
	}
}
