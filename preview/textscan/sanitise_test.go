package textscan_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// pieces are what lines of tools are made of, and what breaks readers of them.
var pieces = []string{
	"word ", "\t", "\x1b[31m", "\x1b[0m", "\x1b[2K", "\x1b[3A", "\x1b]8;;http://x\x1b\\", "\x1b]0;title\a", "\x1bP+q\x1b\\", "\x1b", "\x1b]", "\x1b[", "\x1b(B", "\x1b(",
	"\r", "\b", "\x00\x00\x00", "\f", "\x7f", "\xff", "\xc3", "\xe2\x82", "é", "漢字", "👩\u200d🚀", "❤\ufe0f", "1\ufe0f\u20e3", "\u200b", "\u202e", "\u2066",
	"\U000e0041", "\u0085", "\u2028", "\u009b31m", "\ufeff", "\ufffd", "z\u0301\u0327\u0489", strings.Repeat("\u0300\u036f", 7), "می\u200cخ", "क्\u200dष", "\u200d", "\u200c",
}

func lineText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60), func(l []string) string { return strings.Join(l, "") }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 200), func(b []byte) string { return strings.ReplaceAll(string(b), "\n", "") }),
	)
}

// checkForm holds a visible form and its counts to their promises.
func checkForm(t interface{ Fatalf(string, ...any) }, src string) {
	var c textscan.Changes
	form := string(textscan.Sanitise(nil, []byte(src), &c))
	if !utf8.ValidString(form) || !textscan.Sanitised(form) {
		t.Fatalf("%q has the visible form %q, which is none", src, form)
	}
	var again textscan.Changes
	if twice := string(textscan.Sanitise(nil, []byte(form), &again)); twice != form || again != (textscan.Changes{}) {
		t.Fatalf("%q becomes %q: %+v", form, twice, again)
	}
	if (c == textscan.Changes{}) != (form == src) {
		t.Fatalf("%q becomes %q with %+v", src, form, c)
	}
	// Every byte is removed, replaced by a symbol of three bytes, or kept.
	kept := len(src) - int(c.ControlBytes+c.InvisibleBytes+c.RepeatBytes+c.Replaced+c.Escaped)
	if symbols := len(form) - kept; kept < 0 || symbols < 0 || symbols%3 != 0 || symbols > 3*int(c.Replaced+c.Escaped) {
		t.Fatalf("%q becomes %q: %d bytes are kept and %d are of symbols, with %+v", src, form, kept, symbols, c)
	}
	if c.Invisible.Tags+c.Invisible.Bidi+c.Invisible.ZeroWidth+c.Invisible.Marks != c.Invisibles || c.Strings > c.Controls || c.Invalid > c.Replaced {
		t.Fatalf("%q: %+v", src, c)
	}
	for _, r := range form {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			t.Fatalf("%q becomes %q with %U", src, form, r)
		}
	}
}

func TestVisibleFormIsFixedPointAndCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkForm(t, lineText().Draw(t, "line")) })
}

// Words of languages whose letters carry many marks stay as they are, also decomposed.
func TestMarksOfLanguagesStay(t *testing.T) {
	for name, text := range map[string]string{
		"Tibetan, the longest stack": "\u0f67\u0f90\u0fb5\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82",
		"Hebrew with accents":        "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים", "Vietnamese": norm.NFD.String("Tiếng Việt, nghiễm nhiên"), "Arabic": "بِسْمِ ٱللَّهِ", "Hindi": "क्ष्म्य की", "Thai": "ที่นี้ น้ำ",
		"Khmer": "ស្ត្រី", "Myanmar": "ကျွန်ုပ်", "Greek": norm.NFD.String("ᾧ ᾇ"), "emoji": "1\ufe0f\u20e3 ❤\ufe0f", "Korean": norm.NFD.String("한국어"),
	} {
		if got := textscan.OneLine(text); got != text {
			t.Errorf("%s: %+q becomes %+q", name, text, got)
		}
	}
}

// No character has more marks than eight, whatever is between them that joins characters, and those that go are counted.
func TestMarksAreCapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := rapid.SliceOf(rapid.SampledFrom([]string{"\u0301", "\u0489", "\u20dd", "\u064b", "\U0001e94a", "\u200d", "\u200c", "\ufe0f"})).Draw(t, "marks")
		line := "before " + rapid.SampledFrom([]string{"", "a", "م", "漢", "❤"}).Draw(t, "base") + strings.Join(marks, "") + rapid.SampledFrom([]string{"", "b", "\xff", "\x00"}).Draw(t, "after")
		var c textscan.Changes
		form := string(textscan.Sanitise(nil, []byte(line), &c))
		checkForm(t, line)
		run, total := 0, 0
		for _, r := range form {
			switch {
			case unicode.In(r, unicode.Mn, unicode.Me):
				run++
				total++
			case r != '\u200d' && r != '\u200c':
				run = 0
			}
			if run > 8 {
				t.Fatalf("%+q becomes %+q", line, form)
			}
		}
		all := 0
		for _, r := range line {
			if unicode.In(r, unicode.Mn, unicode.Me) && r != '\ufe0f' {
				all++
			}
		}
		if shown := total - strings.Count(form, "\ufe0f"); int64(all-shown) > c.Invisible.Marks || all > 16 && c.Invisible.Marks == 0 {
			t.Fatalf("%+q becomes %+q: %d marks of %d, %+v", line, form, shown, all, c)
		}
	})
}

func FuzzSanitise(f *testing.F) {
	f.Add(strings.Join(pieces, ""))
	f.Fuzz(func(t *testing.T, src string) {
		checkForm(t, strings.ReplaceAll(src, "\n", ""))
		if one := textscan.OneLine(src); !textscan.Sanitised(one) || strings.ContainsRune(one, '\n') {
			t.Fatalf("%q as one line is %q", src, one)
		}
	})
}

// The counts of a line are of bytes of the payload, each in one count.
func TestChangesCountBytesAndPlaces(t *testing.T) {
	for src, want := range map[string]textscan.Changes{
		"plain\ttext":                      {},
		"\x1b[1mx\x1b[0m":                  {ControlBytes: 8, Controls: 2},
		"\x1b]0;title\ax":                  {ControlBytes: 10, Controls: 1, Strings: 1},
		"\x1bP1\x1b\\x":                    {ControlBytes: 5, Controls: 1, Strings: 1},
		"\x1b(Bx":                          {ControlBytes: 3, Controls: 1},
		"\x1b]0;no end":                    {Escaped: 1},
		"\x1b]0;other\x1b[1m":              {ControlBytes: 4, Controls: 1, Escaped: 1},
		"a\x00\x00\x00b":                   {Escaped: 1, RepeatBytes: 2, Repeats: 1},
		"\x1b\x1b":                         {Escaped: 2},
		"a\xffb\xe2\x82":                   {Replaced: 3, Invalid: 3},
		"\u009b":                           {Replaced: 2},
		"a\u0085b\u2028":                   {Escaped: 5},
		"\u202e\u200b\U000e0041":           {InvisibleBytes: 10, Invisibles: 3, Invisible: textscan.Invisible{Tags: 1, Bidi: 1, ZeroWidth: 1}},
		"👩\u200d🚀 ❤\ufe0f 1\ufe0f":         {},
		"a" + strings.Repeat("\u0301", 20): {InvisibleBytes: 24, Invisibles: 12, Invisible: textscan.Invisible{Marks: 12}},
		"a\u200db":                         {InvisibleBytes: 3, Invisibles: 1, Invisible: textscan.Invisible{ZeroWidth: 1}},
	} {
		var got textscan.Changes
		textscan.Sanitise(nil, []byte(src), &got)
		if got != want {
			t.Errorf("%q: %+v, want %+v", src, got, want)
		}
		sum := want
		sum.Add(&got)
		if sum.ControlBytes != 2*want.ControlBytes || sum.Invisible.Bidi != 2*want.Invisible.Bidi || sum.Escaped != 2*want.Escaped || sum.Repeats != 2*want.Repeats {
			t.Errorf("%q twice: %+v", src, sum)
		}
	}
}

// What must not reach a reader has a symbol in its place, and what cannot be seen has none.
func TestSymbolsStandForWhatTheyReplace(t *testing.T) {
	for src, want := range map[string]string{
		"a\u0085b": "a\u2424b", "a\u2028b\u2029c": "a\u2424b\u2424c", "a\u009bb": "a\ufffdb", "a\u0080b\u009fc": "a\ufffdb\ufffdc", "a\u00a0b": "a\u00a0b",
		"a\xffb": "a\ufffdb", "a\x00b": "a\u2400b", "a\x1fb": "a\u241fb", "a\x7fb": "a\u2421b", "a\x1bb": "a\u241bb", "a\rb\nc": "a\u240db\u240ac",
		"a\u200bb": "ab", "a\u202eb": "ab", "\u0600\u200d\u0628": "\u0600\u0628", "a\x1b[1mb": "ab", "a\x07\x07b": "a\u2407b", "\ufffd": "\ufffd", "a b\t": "a b\t",
	} {
		if got := textscan.OneLine(src); got != want {
			t.Errorf("%q is shown as %q, want %q", src, got, want)
		}
	}
}

// Without a byte that a terminal acts on, nothing is copied.
func TestWithoutEscapesReturnsPlainTextItself(t *testing.T) {
	plain := []byte("no sequence \xff here")
	if got := textscan.WithoutEscapes(plain); &got[0] != &plain[0] {
		t.Error("plain text was copied")
	}
	if got := textscan.WithoutEscapes([]byte("\x1b[31mred\x1b[0m")); string(got) != "red" {
		t.Errorf("%q", got)
	}
}

func TestSanitisedLooksAtEveryLine(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "a\nb\n": true, "é\n\n": true, "a\x1bb\n": false, "a\nb\x00": false, "a\r\n": false, "\x1b\nb": false, "a\n\u200b": false, "a" + strings.Repeat("\u0301", 20): true, "a" + strings.Repeat("\u0301", 20) + "\u200b": false,
	} {
		if got := textscan.Sanitised(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestBinaryByItsFirstBytes(t *testing.T) {
	text := bytes.Repeat([]byte("a line of text\n"), 1000)
	for name, c := range map[string]struct {
		start []byte
		want  bool
	}{
		"nothing":                          {nil, false},
		"text":                             {text, false},
		"few strange bytes":                {[]byte("\x00\x01\x02\xff"), false},
		"many":                             {bytes.Repeat([]byte{0, 1, 2, 0xff}, 20), true},
		"padding counts once":              {append([]byte("data"), make([]byte, 4000)...), false},
		"DEL":                              {bytes.Repeat([]byte("a\x7f"), 40), true},
		"colours":                          {bytes.Repeat([]byte("\x1b[1mx\n"), 100), false},
		"strange behind what is looked at": {append(bytes.Clone(text[:textscan.SniffBytes]), bytes.Repeat([]byte{0, 1}, 9000)...), false},
		"cut inside a character":           {append(bytes.Clone(text[:8000]), 0xe2, 0x82), false},
	} {
		if got := textscan.IsBinary(c.start); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRedrawnLineShowsLastState(t *testing.T) {
	for text, want := range map[string]string{
		"wait |\b/\b-\bdone":                  "wait done",
		"\x1b[2K\x1b[1G10%\x1b[2K\x1b[1G100%": "100%",
		"N\bNA\bA":                            "NA",
	} {
		if !textscan.Redraws([]byte(text)) {
			t.Errorf("%q does not redraw", text)
		}
		if got, ok := textscan.LastState([]byte(text)); !ok || string(got) != want {
			t.Errorf("%q shows %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"plain", "\x1b[31mred", "a\x1b[Bb\b", "a\x1b[2Ab", "a\x1b[", "\x1b[H\bx"} {
		if textscan.Redraws([]byte(text)) && text != "a\x1b[" {
			t.Errorf("%q redraws", text)
		}
	}
	for name, text := range map[string]string{
		"a control string": "a\b\x1b]0;t\a", "no UTF-8": "a\b\xff", "nothing left": "\x1b[1G", "too long": strings.Repeat("x", 64<<10) + "\by",
	} {
		if got, ok := textscan.LastState([]byte(text)); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestLinesUpCountsLeadingMoves(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "x": 0, "\x1b[A": 1, "\x1b[3Ax": 3, "\x1b[2A\x1b[2K\x1b[1Fx": 3, "\x1b[31mx\x1b[4A": 0, "\x1b[99999999999A": 9999, "\x1b[": 0, "\x1b[2": 0,
	} {
		if got := textscan.LinesUp([]byte(text)); got != want && text != "\x1b[99999999999A" || got > 10_000 {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
