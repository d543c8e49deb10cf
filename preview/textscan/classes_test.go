package textscan

import (
	"strings"
	"testing"
	"unicode"
)

// runs of code points, for the tables of this file.
func runs(pairs ...rune) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for i := 0; i < len(pairs); i += 2 {
		t.R32 = append(t.R32, unicode.Range32{Lo: uint32(pairs[i]), Hi: uint32(pairs[i+1]), Stride: 1})
	}
	return t
}

// Every code point of a class is in it, and no other: the tables are sorted as unicode.Is wants them.
func TestClassesOfCodePoints(t *testing.T) {
	arabicToMyanmar, khmerAndMongolian := runs(0x600, 0x109f), runs(0x1780, 0x18af)
	tables := map[string]struct {
		got  func(r rune) bool
		want *unicode.RangeTable
	}{
		"tags": {func(r rune) bool { return invisibleClass(r) == classTag }, runs(0xe0000, 0xe007f)},
		"marks of direction": {func(r rune) bool { return invisibleClass(r) == classBidi },
			runs(0x61c, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x206f)},
		"without width": {func(r rune) bool { return invisibleClass(r) == classZeroWidth },
			runs(0xad, 0xad, 0x34f, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x200b, 0x200d, 0x2060, 0x2065, 0x3164, 0x3164,
				0xfe00, 0xfe0f, 0xfeff, 0xfeff, 0xffa0, 0xffa0, 0xfff0, 0xfff8, 0x1bca0, 0x1bca3, 0x1d173, 0x1d17a, 0xe0080, 0xe0fff)},
		"emoji": {isEmoji, runs(0xa9, 0xa9, 0xae, 0xae, 0x203c, 0x203c, 0x2049, 0x2049, 0x2122, 0x2122, 0x2139, 0x2139, 0x2190, 0x2bff,
			0x3030, 0x3030, 0x303d, 0x303d, 0x3297, 0x3297, 0x3299, 0x3299, 0x1f000, 0x1faff)},
		"keycaps":               {keycap, runs('#', '#', '*', '*', '0', '9')},
		"variation":             {isVariation, runs(0xfe00, 0xfe0f)},
		"forms of joining ones": {func(r rune) bool { return r > 0x18af && joiningScript(r) }, runs(0xfb50, 0xfdff, 0xfe70, 0xfefe)},
		"c1 and line breaks": {func(r rune) bool {
			return !strings.ContainsRune(OneLine(string(r)), r) && r >= 0x7f && invisibleClass(r) == classNone && r < 0xd800
		},
			runs(0x7f, 0x9f, 0x2028, 0x2029)},
	}
	for name, c := range tables {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if got, want := c.got(r), unicode.Is(c.want, r); got != want {
				t.Errorf("%s: %U is %v, want %v", name, r, got, want)
			}
		}
	}
	for r := rune(0); r <= 0x18af; r++ {
		want := unicode.Is(arabicToMyanmar, r) && (unicode.IsLetter(r) || unicode.IsMark(r)) || unicode.Is(khmerAndMongolian, r) && unicode.IsLetter(r)
		if got := joiningScript(r); got != want {
			t.Errorf("%U spells with joiners: %v, want %v", r, got, want)
		}
	}
}

// A joiner stays between what it joins, and goes elsewhere.
func TestJoinersStayWhereTheyJoin(t *testing.T) {
	for text, want := range map[string]bool{
		"👩\u200d🚀": true, "❤\ufe0f\u200d🔥": true, "a\u200d🚀": false, "👩\u200da": false, "م\u200dم": true, "م\u200da": false, "a\u200dم": false,
		"م\u200cم": true, "م\u200c": false, "👩\u200c🚀": false, "❤\ufe0f": true, "1\ufe0f": true, "a\ufe0f": false, "❤\ufe0f\ufe0f": false, "\u200d": false,
	} {
		if got := OneLine(text) == text; got != want {
			t.Errorf("%q stays: %v, want %v", text, got, want)
		}
	}
}

// Every byte that may end, begin or be inside a sequence does what ECMA-48 says.
func TestBytesOfSequences(t *testing.T) {
	for c := range 256 {
		b := byte(c)
		for name, s := range map[string]struct {
			text []byte
			want bool
		}{
			"parameter":          {[]byte{escape, '[', b, 'm'}, b >= 0x20 && b <= 0x3f || b == 'm' || b == 'K'},
			"behind a parameter": {[]byte{escape, '[', ' ', b, 'm'}, b >= 0x20 && b <= 0x2f || b == 'm' || b == 'K'},
			"final":              {[]byte{escape, '[', '1', b}, b == 'm' || b == 'K'},
			"character set":      {[]byte{escape, b, 'B'}, b >= 0x20 && b <= 0x2f},
			"of a set":           {[]byte{escape, '(', b}, b >= 0x30 && b <= 0x7e},
			"inside of a set":    {[]byte{escape, '(', b, 'B'}, b >= 0x20 && b <= 0x7e},
			"string":             {[]byte{escape, b, 'x', escape, '\\'}, strings.IndexByte("]PX^_", b) >= 0 || b >= 0x20 && b <= 0x2f},
			"end of a title":     {[]byte{escape, ']', 'x', b}, b == 0x07},
			"end of a string":    {[]byte{escape, 'P', 'x', escape, b}, b == '\\'},
		} {
			if got := dressing(s.text) > 0; got != s.want {
				t.Errorf("%s %#x: %v, want %v", name, b, got, s.want)
			}
		}
		if got, want := odd(b), b < 0x07 || b > 0x0d && b < 0x20 && b != escape || b == 0x7f; b < 0x80 && got != want {
			t.Errorf("%#x is odd: %v", b, got)
		}
		if got, want := LinesUp([]byte{escape, '[', b, '2', 'A'}) == 2, b >= 0x20 && b < 0x40 && (b <= '0' || b > '9'); got != want {
			t.Errorf("%#x before a count: two lines up is %v", b, got)
		}
		if got, want := Redraws([]byte{escape, '[', b, 'G'}), b >= 0x20 && b < 0x40 || b == 'C' || b == 'D' || b == 'G' || b == 'A' || b == 'F' || b == '\b'; got != want {
			t.Errorf("%#x in a move: it redraws is %v", b, got)
		}
	}
	for _, short := range []string{"\x1b", "\x1b[", "\x1b(", "\x1b]", "\x1b[1", "\x1b[ ", "\x1b( ", "\x1bPx\x1b"} {
		if n := dressing([]byte(short)); n != 0 {
			t.Errorf("%q has a sequence of %d bytes", short, n)
		}
	}
}

func TestMovesOfTheCursor(t *testing.T) {
	for text, want := range map[string]int{
		"\x1b[999A": 999, "\x1b[1000A": 1000, "\x1b[9999A": 9999, "\x1b[12345A": 1234, "\x1b[10001A": 1000, "\x1b[0A": 1, "\x1b[9F": 9, "\x1b[1;2A": 12, "\x1b[3B\x1b[2A": 2, "\x1b[A": 1, "\x1b[2A\x1b[": 2,
	} {
		if got := LinesUp([]byte(text)); got != want {
			t.Errorf("%q begins %d lines up, want %d", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"\b": true, "\bx": true, "x": false, "\x1b[m": false, "\x1b[Ax": true, "x\x1b[A": false, "\x1b[m\x1b[A": true, "\x1b[mx\x1b[A": false, "\x1b[D\x1b[H": false, "\x1b[D\x1b[1": true, "": false, "\x1b[": false,
	} {
		if got := Redraws([]byte(text)); got != want {
			t.Errorf("%q redraws: %v", text, got)
		}
	}
	longest := strings.Repeat("x", longestRedrawn-2) + "\bx"
	for text, want := range map[string]bool{longest: true, "x" + longest: false, "x": true, "\bxx\b": true, "x\x1b^": false, "\x1bX\bx": false} {
		if _, ok := LastState([]byte(text)); ok != want {
			t.Errorf("%.10q of %d bytes has a last state: %v", text, len(text), ok)
		}
	}
	if got, ok := LastState([]byte("x\x1b")); ok && len(got) > 2 || hasString([]byte("x\x1b")) || !hasString([]byte("\x1b_")) {
		t.Errorf("an escape at the end: %q, %v", got, ok)
	}
}

// IsBinary needs more than one strange byte in ten, and 16 of them. A run of one control character is one.
func TestBinaryNeedsEnoughStrangeBytes(t *testing.T) {
	for _, c := range []struct {
		strange, plain int
		want           bool
	}{{16, 143, true}, {16, 144, false}, {15, 15, false}, {16, 16, true}} {
		for _, one := range []string{"\x00", "\x7f", "\x00\x00\x00"} {
			text := strings.Repeat(one+"a", c.strange) + strings.Repeat("a", c.plain-c.strange)
			if got := IsBinary([]byte(text)); got != c.want {
				t.Errorf("%d of %q and %d others: %v", c.strange, one, c.plain, got)
			}
		}
	}
}

// Text of an unknown encoding is no binary, and neither is a payload half of whose lines can be read.
func TestTextIsNoBinary(t *testing.T) {
	random := make([]byte, SniffBytes)
	for i, x := 0, uint32(7); i < len(random); i++ {
		x = x*1664525 + 1013904223
		random[i] = byte(x >> 24)
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"legacy letters":       {strings.Repeat("b\xb3\xb9d \x9ccie\xbfki: nie mo\xbfna odnale\x9f\xe6\n", 50), false},
		"bytes of all kinds":   {string(random), true},
		"lines and a blob":     {"one line\nanother line\na third\n" + string(random[:300]) + "\nand a fourth\na fifth\n", false},
		"a blob and few lines": {"one line\nanother line\n" + string(random), true},
		"a program":            {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x03\x00>\x00\x01\x00\x00\x00\xd0", 90), true},
	} {
		if got := IsBinary([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
