package shape

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/frames"
)

// textBytes are the bytes that count as letters of words and names: those of ASCII, and every byte of other characters.
func textByte(c byte) bool {
	return strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", c) >= 0 || c >= 0x80
}

func digit(c byte) bool { return strings.IndexByte("0123456789", c) >= 0 }

// Each class of bytes has exactly its members, from the first to the last.
func TestClassesHaveTheirBytes(t *testing.T) {
	among := func(list string) func(byte) bool {
		return func(c byte) bool { return strings.IndexByte(list, c) >= 0 }
	}
	for name, class := range map[string]struct {
		got, want func(c byte) bool
	}{
		"data":          {func(c byte) bool { return isData([]byte{'7', c}) }, func(c byte) bool { return !textByte(c) }},
		"digit of data": {func(c byte) bool { return isData([]byte{'+', c}) }, digit},
		"word of a hash": {func(c byte) bool {
			return Fingerprint([]byte{c}, false) == Fingerprint(nil, false)
		}, func(c byte) bool { return digit(c) || among("\r \t")(c) }},
		"label": {func(c byte) bool {
			return Fingerprint([]byte("plainwords a"+string([]byte{c})+"b"), true) == Fingerprint([]byte("plainwords x=y"), true)
		}, among("0123456789/.\\'\"`_@=")},
		"branch": {func(c byte) bool { return isTrunk([]byte{c}) }, among(" |")},
		"path": {func(c byte) bool { return isPath([]byte{'a', '/', c}) }, func(c byte) bool {
			return c > ' ' && strings.IndexByte("\"'()[]{}<>|=,;*?!", c) < 0
		}},
		"letter of a path": {func(c byte) bool { return isPath([]byte{'/', '/', c}) }, textByte},
		"name":             {func(c byte) bool { return isName([]byte{'a', c}) }, func(c byte) bool { return c > ' ' && strings.IndexByte(":\"()<>|=;{}", c) < 0 }},
		"first of a name":  {func(c byte) bool { return isName([]byte{c}) }, func(c byte) bool { return textByte(c) || digit(c) || strings.IndexByte("/.$_@+~", c) >= 0 }},
		"kind of a file":   {func(c byte) bool { return isMode([]byte(string(c) + "rwxr-xr-x ")) }, among("-dlcbps")},
		"end of a mode":    {func(c byte) bool { return isMode(append([]byte("-rwsrwSrwt"), c)) }, among(" .+@")},
		"mode":             {func(c byte) bool { return isMode([]byte("-rwxrwxrT" + string([]byte{c}) + " ")) }, among("rwxsStT-")},
		"rule":             {func(c byte) bool { return isRule([]byte{'-', '-', '-', '-', '+', c}) }, among("-=+| :")},
		"capital of a heading": {func(c byte) bool {
			return isHeadingLine(nil, []byte{c, 'E', 'E', 'E'}, []byte(" x"), false)
		}, among("ABCDEFGHIJKLMNOPQRSTUVWXYZ")},
		"first of a column":   {func(c byte) bool { return columnStarts([]byte{c, 'A', ' ', 'B', ' ', 'C'}) != nil }, among(" ABCDEFGHIJKLMNOPQRSTUVWXYZ%#")},
		"object name":         {func(c byte) bool { return isCommitLine([]byte("commit abcdef" + string([]byte{c}))) }, among("0123456789abcdef")},
		"frame of a debugger": {func(c byte) bool { return frames.Is([]byte{'#', c}) }, digit},
		"exception": {func(c byte) bool { return isException([]byte{'A', c, 'E', 'r', 'r', 'o', 'r'}) }, func(c byte) bool {
			return textByte(c) || digit(c) || strings.IndexByte("._$", c) >= 0
		}},
	} {
		for c := range 256 {
			if got, want := class.got(byte(c)), class.want(byte(c)); got != want {
				t.Errorf("%s: %q: %v, want %v", name, byte(c), got, want)
			}
		}
	}
}

// Words are counted to the byte: each text is at a limit, and one byte from it is beyond.
func TestWordyLineIsMostlyWords(t *testing.T) {
	atLimits := "azAZ mmmm mmmmmm#.,;" // 20 bytes: 14 letters, 2 blanks, 1 mark, and 3 signs of sentences
	for _, text := range []string{
		atLimits, "\t* 12. " + atLimits, "\u00c0z mmmm mmmmmmm#.,;", // 0x80 is a letter
		strings.Replace(atLimits, "#", "-", 1), "abcdefgh ijklm nopqr", "> " + atLimits,
	} {
		if !isWordy([]byte(text)) {
			t.Errorf("%q is not wordy", text)
		}
	}
	for _, text := range []string{
		"", atLimits[:19], strings.Replace(atLimits, ";", "#", 1), strings.Replace(atLimits, "mm#", "m.#", 1),
		strings.Replace(atLimits, "Z m", "Zmm", 1), "  0123456789 0123456789 0123456789", strings.Replace(atLimits, "Z", "0", 1),
	} {
		if isWordy([]byte(text)) {
			t.Errorf("%q is wordy", text)
		}
	}
	for i := range 16 { // every letter counts
		if c := atLimits[i]; c != ' ' && c != '#' && isWordy([]byte(atLimits[:i]+"."+atLimits[i+1:])) && i > 0 {
			t.Errorf("without letter %d it is wordy", i)
		}
	}
}

func TestHeadingsHaveTheirForms(t *testing.T) {
	for _, c := range []struct {
		before, text, after string
		first, want         bool
	}{
		{"", "# a", "", false, true}, {"", "###### a", "", false, true}, {"", "####### a", "", false, false},
		{"", "#", "", false, false}, {"", "#a", "", false, false}, {"", "# a", "# b", false, false}, {"", "# a", "b", false, true},
		{"x", "# a", "", false, false}, {"x", "# a", "", true, true}, // above the first line nothing counts
		{"", "", "===", false, false},
		{"", "# " + strings.Repeat("a", 118), "", false, true}, {"", "# " + strings.Repeat("a", 119), "", false, false},
		{"", "abcdef", "===", false, true}, {"", "abcdefgh", "===", false, false}, {"", "abc", "==", false, false}, {"", "abcdef", "==-", false, false},
		{"", "abcdefgh", "----", false, true}, {"", "abcdefghij", "----", false, false}, {"", "abc", "---", false, false}, {"", "abcd", "~~~~", false, true},
		{"", "NAME", "  text", false, true}, {"", "NAM", "  text", false, false}, {"", "NAME", "text", false, false}, {"", "NAME", "", false, false},
		{"", "NAMe", "  text", false, false}, {"", "NAME 1", "  text", false, false}, {"", "ABCDE", "\tx", false, true}, {"", "ZETA", " x", false, true},
	} {
		if got := isHeadingLine([]byte(c.before), []byte(c.text), []byte(c.after), c.first); got != c.want {
			t.Errorf("%q between %q and %q (first %v): %v", c.text, c.before, c.after, c.first, got)
		}
	}
}

func TestPartsOfTables(t *testing.T) {
	for text, want := range map[string]bool{"----+": true, "---+": false, "----": false, "---- ----": true, "|--|:-:|-": true, "====x": false, "==|==": true} {
		if got := isRule([]byte(text)); got != want {
			t.Errorf("rule %q: %v", text, got)
		}
	}
	for _, c := range []struct {
		header, rule string
		want         int
	}{
		{"a b", "- -", 2}, {"a", "- -", 1}, {"   b", "-- -", 1}, {" id | name", "----+-----", 2}, {"ab", "--", 1}, {"a=b", "-=-", 2}, {"  ", "--", 0}, {"", "-", 0}, {"abc", "===", 1},
	} {
		if got := fieldsBy([]byte(c.header), []byte(c.rule)); got != c.want {
			t.Errorf("%d names of %q are over %q, want %d", got, c.header, c.rule, c.want)
		}
	}
	for text, want := range map[string][]int{
		"NAME READY": {0, 5}, "  NAME  AGE  ": {2, 8}, "Package  Version": nil, "Image  Created  Names": {0, 7, 16}, "Image  Created By  Names": {0, 7, 15, 19},
		"NAME 1": nil, "name": nil, "name  Image  Two": nil, "Image  created  Two": nil, "Image By  Created": nil, "A-B %CPU #N (X)": {0, 4, 9, 12}, "A [B]": nil,
	} {
		if got := columnStarts([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("names in %q begin at %v, want %v", text, got, want)
		}
	}
	header := "NAME  READY  AGE"
	for row, want := range map[string]bool{
		"web   1/1    5d": true, "x     1/1      ": true, "web  1/1 9": false, "web": false, "a b": false, "     x    7  y": true, "   w      1  5d": true,
		" web      1   5": true, "  web     1   5": false, "web 1/1    x": false, "   a      b   5d": true, "aaaaaaaaaaaaa 5d": true, "aaaaaaaaaaaaa 5dx": false, "webs 12345 7d": false,
	} {
		if got := fits([]byte(row), []byte(header), []int{0, 6, 13}); got != want {
			t.Errorf("%q fits: %v", row, got)
		}
	}
}

// What is a line of a trace depends on the line before only for code.
func TestLinesOfTraces(t *testing.T) {
	for _, c := range []struct {
		text   string
		before traceLine
		want   traceLine
	}{
		{"panic: x", traceOther, traceHead}, {"  | Traceback (most recent call last):", traceOther, traceHead}, {"Caused by: x", traceFrame, traceCause}, {"created by main.main", traceFrame, traceCause},
		{"    at a.b(C.java:1)", traceOther, traceFrame}, {"at a.b", traceOther, traceOther}, {"\t... 12 more", traceOther, traceFrame}, {"... 12 more", traceOther, traceOther}, {"  ... 12", traceOther, traceOther},
		{`  File "x", line 1`, traceOther, traceFrame}, {`File "x", line 1`, traceOther, traceOther}, {`  File "x"`, traceOther, traceOther},
		{"\tfrom a.rb:1:in `b'", traceOther, traceFrame}, {"from a.rb:1:in `b'", traceOther, traceOther}, {"\tfrom a.rb", traceOther, traceOther},
		{"#0 main", traceOther, traceFrame}, {"#9 main", traceOther, traceFrame}, {"#", traceOther, traceOther}, {"#x", traceOther, traceOther},
		{"main.run(0x12)", traceOther, traceFrame}, {"(a.b)", traceOther, traceOther}, {"run()", traceOther, traceOther}, {".run()", traceOther, traceOther}, {"main.run(0, 1)", traceOther, traceOther}, {"main.run()x", traceOther, traceOther},
		{"  12: core::panic", traceOther, traceFrame}, {"  999: a", traceOther, traceFrame}, {"  1000: a", traceOther, traceOther}, {"12: a", traceOther, traceOther}, {"  : a", traceOther, traceOther}, {"  12:a", traceOther, traceOther},
		{"    code", traceFrame, traceCode}, {"\tcode", traceFrame, traceCode}, {"    code", traceOther, traceOther}, {"code", traceFrame, traceOther}, {"    code", traceCode, traceOther}, {"    ^^~~", traceCode, traceCode}, {"  ^^", traceCode, traceOther},
		{"ValueError: no", traceOther, traceHead}, {"a.b.KeyError", traceOther, traceHead}, {" ValueError: no", traceOther, traceOther}, {"\tValueError", traceOther, traceOther}, {"ValueError no", traceOther, traceOther}, {"Value: no", traceOther, traceOther}, {"", traceFrame, traceOther},
	} {
		if got := classifyTrace([]byte(c.text), c.before); got != c.want {
			t.Errorf("%q behind kind %d is of kind %d, want %d", c.text, c.before, got, c.want)
		}
	}
}

func TestMatchesOfSearches(t *testing.T) {
	for _, c := range []struct {
		text, path, rest string
		context          bool
	}{
		{"a/x.go:12:text", "a/x.go", "text", false}, {"a/x.go:12:3:text", "a/x.go", "text", false}, {"a/x.go-12-text", "a/x.go", "text", true},
		{"a/x.go:text", "a/x.go", "text", false}, {"a/x.go:12", "a/x.go", "12", false}, {"a/x.go:12x:3", "a/x.go", "12x:3", false},
		{"a/x.go:12:", "a/x.go", "", false}, {"a/x.go:12:3", "a/x.go", "3", false}, {"a/x.go:12:3x:", "a/x.go", "3x:", false},
		{"a/x-1-b.go:2:t", "a/x", "b.go:2:t", true}, {"a/x-y.go-2-t", "a/x-y.go", "t", true}, {"a/x.go-0-t", "", "", false}, {"a/x.go-12", "", "", false},
		{"a/x.go-12:3", "a/x.go-12", "3", false}, {"12:text", "", "", false}, {"a b:1:x", "", "", false}, {`"a/b":1`, "", "", false}, {":a/b", "", "", false},
		{"a.:1:x", "", "", false}, {"a.b:1:x", "a.b", "x", false}, {"http://a.b:1", "", "", false}, {"a/x", "", "", false}, {"a/x(1):2", "", "", false}, {"a/x=1:2", "", "", false},
	} {
		m := parseMatch([]byte(c.text))
		if string(m.path) != c.path || c.path != "" && string(m.text) != c.rest || m.context != c.context {
			t.Errorf("%q is path %q, text %q, context %v", c.text, m.path, m.text, m.context)
		}
	}
	long := strings.Repeat("a", longestPath-2)
	for text, want := range map[string]bool{"a/b": true, "/a": false, "a/": false, long + "/b": true, long + "/bc": false, "a//b": true, "a://b": false, "a.b": true, "ab.": false, "1/2": false} {
		if got := isPath([]byte(text)); got != want {
			t.Errorf("%.20q is a path: %v", text, got)
		}
	}
	if m := parseMatch([]byte(strings.Repeat("a", longestPath-3) + ".go:1:x")); m.path != nil {
		t.Errorf("the path of a match has %d bytes", len(m.path))
	}
	for text, want := range map[string]int{"12:x": 3, "1-": 2, "12": 0, ":": 0, "x": 0, "12x": 0, "": 0} {
		if got := numbered([]byte(text)); got != want {
			t.Errorf("%q begins with a number of %d bytes, want %d", text, got, want)
		}
	}
}

func TestEntriesOfListings(t *testing.T) {
	for text, want := range map[string]entry{
		"total 12": {total: true}, "src/main:": {heading: true, path: "src/main"}, "a.go  \r": {path: "a.go"}, "├── a": {path: "a", depth: 1}, "│   └── b": {path: "b", depth: 2},
		"    |-- b": {path: "b", depth: 2}, "|   |   `-- c": {path: "c", depth: 3}, "-rw-r--r-- 1 a b 7 x": {path: "x"}, "drwxr-xr-x. 2 root x y": {path: "y"}, "-rw-r--r-- 1 a b": {path: "b"},
	} {
		if got, ok := parseEntry([]byte(text)); !ok || got != want {
			t.Errorf("%q is %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "  ", "total x", "-rw-r--r-- 1 a", "a b", "x ├── a", "a(b)", ":", strings.Repeat("a", longestPath+1)} {
		if got, ok := parseEntry([]byte(text)); ok {
			t.Errorf("%.20q is %+v", text, got)
		}
	}
	if e, ok := parseEntry(bytes.Repeat([]byte("a"), longestPath)); !ok || e.path == "" {
		t.Error("the longest name is none")
	}
	if isMode([]byte("-rwxrwxrwx")) || !isMode([]byte("-rwxrwxrwx ")) {
		t.Error("a mode has eleven bytes")
	}
}

func TestLinesOfDiffs(t *testing.T) {
	object := strings.Repeat("0", 64)
	for text, want := range map[string]bool{
		"commit " + object: true, "commit " + object + "0": false, "commit " + object[:7]: true, "commit " + object[:6]: false, "From " + object[:7] + " Mon": true, "commit " + object[:7] + "\t": false, object: false, "commit": false,
	} {
		if got := isCommitLine([]byte(text)); got != want {
			t.Errorf("%q begins a commit: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"@@ -1 +1 @@": true, "@@@ -1 -1 +1 @@@": true, "@ -1 +1 @": false, "@@ -1 +1": false, "@@ -1 @@": false, "@@ +1 @@": false, "@@@ -1 +1 @@": false, "@@": false,
	} {
		if got := isHunkHeader([]byte(text)); got != want {
			t.Errorf("%q begins a hunk: %v", text, got)
		}
	}
	for text, want := range map[string]diffLine{
		"index 1..2": diffPath, "--- a/x": diffPath, "+++ b/x": diffPath, "mode 1,2..3": diffPath, "====": diffPath, "rename from x": diffNote, "new file mode 1": diffNote, "Binary files x": diffNote, "x": diffOther,
	} {
		if got := headerLine([]byte(text)); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{"-12,3": 3, "-12": 1, "+1,0": 0, "+1,": 0} {
		if got := hunkCount([]byte(text)); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}
