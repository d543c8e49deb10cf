package salience

import (
	"strings"
	"testing"
)

// oneByte counts bytes for which a property differs from what is wanted.
func oneByte(t *testing.T, name string, got, want func(c byte) bool) {
	t.Helper()
	for c := range 256 {
		if g, w := got(byte(c)), want(byte(c)); g != w {
			t.Errorf("%s: %q: %v, want %v", name, byte(c), g, w)
		}
	}
}

// among is the property of being one of some bytes.
func among(list string) func(byte) bool {
	return func(c byte) bool { return strings.IndexByte(list, c) >= 0 }
}

const (
	digits        = "0123456789"
	lowerLetters  = "abcdefghijklmnopqrstuvwxyz"
	alphanumerics = digits + lowerLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// Each class of bytes has exactly its members, wherever it decides.
func TestClassesHaveTheirBytes(t *testing.T) {
	oneByte(t, "digit", isDigit, among(digits))
	oneByte(t, "letter or digit", isAlphanumeric, among(alphanumerics))
	oneByte(t, "joins", joins, among(alphanumerics+"_-/.\\"))
	oneByte(t, "goes on", func(c byte) bool { return line{text: []byte{'x', c}}.goesOn(1) }, among(alphanumerics+"_-/="))
	oneByte(t, "goes on behind a dot", func(c byte) bool { return line{text: []byte{'x', '.', c}}.goesOn(1) }, among(alphanumerics))
	oneByte(t, "margin", func(c byte) bool { return bodyBehind([]byte{c, 'x'}, 0) == 1 }, among(" \t|>"))
	oneByte(t, "word before a time", func(c byte) bool { return TimeLength([]byte("[a"+string([]byte{c})+"12:00:01] x")) > 0 }, among(lowerLetters+" 0123456789.-+,/TZ:"))
	oneByte(t, "first of a word before a time", func(c byte) bool { return TimeLength([]byte("["+string([]byte{c})+"12:00:01] x")) > 0 }, among(lowerLetters+"0123456789.-+,/TZ:"))
	oneByte(t, "in a time", func(c byte) bool { return bareTime([]byte("12:00:01"+string([]byte{c}))) == 9 }, among(digits+":-.TZ+,/"))
	oneByte(t, "in an extension", func(c byte) bool { return hasExtension([]byte("a.b" + string([]byte{c}))) }, among(alphanumerics+"."))
	oneByte(t, "letter of a line", func(c byte) bool { return !Hollow([]byte{'x', 'y', c}) }, func(c byte) bool { return c >= 0x80 || among(alphanumerics)(c) })
}

// Conditions at their bounds. The offset is that of the bar in a line, which is not a part of it.
func TestConditionsAtTheirBounds(t *testing.T) {
	for name, c := range map[string]struct {
		holds   func(l line, at int) bool
		yes, no []string
	}{
		"none before":       {line.noneBefore, []string{"0 |e", "no |e", "NO |e", "not|e", "Without |e", "a no   |e"}, []string{"|e", "1 |e", "00 |e", "on |e", "nor |e", "within1 |e", "xno |e", "10 |e"}},
		"zero after":        {line.zeroAfter, []string{"e|: 0", "e|s=0", "e|   0", "e| x  0 \r", "e|:0,", "e|z9: 0"}, []string{"e|", "e|: 00", "e|: 1", "e|: 0x", "e| x 0", "e|:"}},
		"code after":        {line.codeAfter, []string{"e| 1", "e|" + strings.Repeat(" ", mostBeforeCode-1) + "9"}, []string{"e| 0", "e|", "e| x", "e|" + strings.Repeat(" ", mostBeforeCode) + "9", "e| 01"}},
		"blanks before":     {line.onlyBlanks, []string{"|e", "  |e", "12:00:01 |e", "12:00:01   |e"}, []string{"x |e", "\t|e", "12:00:01 x |e"}},
		"behind a position": {line.behindPosition, []string{"1:2 |e", "a.c 12:3:  |e", " 1:2 |e", "1:|e"}, []string{"|e", ":1 |e", "12 |e", "a:1 |e", "1:2 x |e", "1:2x |e"}},
		"failed status":     {line.failedStatus, []string{"H|1.1\" 404", "H|1 500 x", "H|599", "H|2 400,"}, []string{"H|1.1 399", "H|1.1 600", "H|1.1 40", "H|1.1 4040", "H|1.1 404x", "H|1.1 4x4", "H|1.1 44x", "H|"}},
		"goes on":           {line.goesOn, []string{"e|s", "e|_", "e|.x"}, []string{"e|", "e| ", "e|.", "e|. "}},
	} {
		for want, list := range map[bool][]string{true: c.yes, false: c.no} {
			for _, text := range list {
				before, after, _ := strings.Cut(text, "|")
				l := line{text: []byte(before + after)}
				if got := c.holds(l, len(before)); got != want {
					t.Errorf("%s: %q: %v", name, text, got)
				}
			}
		}
	}
}

// A path with a position and what is wrong there is the whole beginning of a line.
func TestPositionedLines(t *testing.T) {
	for text, want := range map[string]bool{
		"main.go:12:2: x is unused": true, "main.ts(12,2): x": true, "main.go:1: x": true, "main.go:12-14: x": true, "vet: main.go:1: x": true, "a b: main.go:1: x": true,
		"main.go:12 x": false, "main.go: x": false, "main.go:12:": false, "main.go:12: ": false, "main.go:12:x": false, "main.ts(12,2) x": false, "main.ts(12,2):": false, "main.ts(12,2):x": false,
		"see main.go:1: x": false, "W-123: main.go:1: x": true, "in the main.go:1: x": false, " main.go:1: x": true, "main.go::1: x": false, "main.go:-1: x": false,
	} {
		l := line{text: []byte(text), body: bodyBehind([]byte(text), TimeLength([]byte(text)))}
		at := strings.Index(text, ".go:")
		if at < 0 {
			at = strings.Index(text, ".ts(")
		}
		if got := l.positioned(at, at+4); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPlacesInLines(t *testing.T) {
	for text, want := range map[string]bool{
		"main.go:12": true, "x Main.java:[12,3]": true, "main.cs(12)": true, "a.b:1": true, "a.abcdefg:1": true, "a.abcdefgh:1": false, "a:1": false, "main.go:": false, "main.go:[": false, "main.go:[x": false,
		"main.go:x": false, "1.2:3": false, "a.b2:3": false, ".b:1": false, "a.go :1": false, "a b:1": false, "a-b.c:1": true, "12:30": false, "": false, "a.b;1": false, "a.b(1": true,
	} {
		if got := (line{text: []byte(text)}).hasPlace(); got != want {
			t.Errorf("%q has a place: %v", text, got)
		}
	}
}

func TestLevelsBelowError(t *testing.T) {
	far := strings.Repeat(" ", levelWithin-1)
	for text, want := range map[string]bool{
		"INFO x": true, "xINFO x": false, "[INFO]": true, "level=debug": true, "x warning: y": true, "ERROR x": false, far + "INFO": true, far + " INFO": false, "note: x": true, "0WARN": false,
	} {
		if got := (line{text: []byte(text)}).belowError(); got != want {
			t.Errorf("%q is below an error: %v", text, got)
		}
	}
}

func TestBeginningsOfLines(t *testing.T) {
	for text, want := range map[string]int{
		"x": 0, "  x": 2, "[exec] x": 7, "[x]y": 3, "[]x": 0, "[err]x": 0, "[a/b]x": 0, "[Failed]x": 0, "12:00:01 [INFO] x": 16, "|> x": 3, "": 0, "[x": 0,
		"[" + strings.Repeat("x", longestTag-2) + "]y": longestTag, "[" + strings.Repeat("x", longestTag-1) + "]y": 0,
	} {
		if got := bodyBehind([]byte(text), TimeLength([]byte(text))); got != want {
			t.Errorf("%q begins at %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{
		"12:00:01 x": 9, "12:00:01\tx": 8, "12:00:01x": 0, "1:2:3 x": 0, "12:0001 x": 0, "2026-01-02 03:04:05 x": 20, "2026-01-02 x": 0, "2026-1-02  03:04:05 x": 0, "12:00:01 13:00:01 x": 18, "12:00:01  x": 9, "[12:00:01] x": 11, "[12:00:01]": 10, "[12:00:01 x": 0,
		"[abcdefgh 12:00:01] x": 20 + 0, "[abcdefghi 12:00:01] x": 0, "12:00:01" + strings.Repeat("0", longestTime-8) + " x": longestTime + 1, "12:00:01" + strings.Repeat("0", longestTime-7) + " x": 0,
	} {
		if got := TimeLength([]byte(text)); got != want {
			t.Errorf("%q: %d bytes of time, want %d", text, got, want)
		}
	}
}

func TestCountsInColumns(t *testing.T) {
	for text, want := range map[string]bool{
		"hits  62": true, "hits 62": false, "a  62 s": true, "a  62 abc": true, "a  62 abcd": false, "a  62.5%": true, "  62": true, " 62": false, "62": false, "a  x": false, "": false, "a  1 2": false, " x": false, "a  62 \r": true,
	} {
		if got := isCount([]byte(text)); got != want {
			t.Errorf("%q is a count: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"": false, "Get:1": true, "x PASSED": true, "x ... ok": true, "x ok": false, "a, b PASSED": false, "x PASSED \r\t": true, " ": false, "x [ OK ]": true, "x OK": true, "xOK": false, "5 PASS": false,
	} {
		if got := isNoise([]byte(text)); got != want {
			t.Errorf("%q is noise: %v", text, got)
		}
	}
}

// A literal that begins another one has its rules where the longer one is, too.
func TestLongerLiteralHasRulesOfShorter(t *testing.T) {
	c := New()
	for i := range c.rules {
		for _, r := range c.rules[i] {
			for j := range c.rules {
				if i != j && strings.HasPrefix(strings.ToLower(c.rules[j][0].Literal), strings.ToLower(c.rules[i][0].Literal)) {
					found := false
					for _, other := range c.rules[j] {
						found = found || other == r
					}
					if !found {
						t.Errorf("%q lacks the rules of %q", c.rules[j][0].Literal, r.Literal)
					}
				}
			}
		}
	}
	if first := Rules()[0]; c.rules[0][0].Literal != first.Literal {
		t.Errorf("the first rule is of %q, not of %q", c.rules[0][0].Literal, first.Literal)
	}
}
