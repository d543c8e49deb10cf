package renderers

import (
	"strings"
	"testing"
	"unicode"
)

// unseen are the characters that look like nothing, as lists outside of Go's tables have them.
var unseen = [][2]rune{
	// DerivedCoreProperties.txt of Unicode 15.1, Default_Ignorable_Code_Point
	{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},
	{0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	// UnicodeData.txt, the other characters of category Cf
	{0x600, 0x605}, {0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x890, 0x891}, {0x8e2, 0x8e2}, {0xfff9, 0xfffb}, {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
	// the same, the blanks among the hieroglyphs and what joins them, the blank of Braille, the head of a note without ink
	{0x13440, 0x13455}, {0x2800, 0x2800}, {0x1d159, 0x1d159},
	// PropList.txt, White_Space, without what ends a line
	{0x9, 0x9}, {0x20, 0x20}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
}

// A form behind any number of characters that look like nothing, or with them inside, is a form.
func TestUnseenCharactersHideNoForm(t *testing.T) {
	for _, r := range unseen {
		for c := r[0]; c <= r[1]; c++ {
			for _, line := range []string{string(c) + "stdout:", " " + string([]rune{c, c, 0x2800, c}) + "> Process exited with code 0", "P" + string(c) + "rocess exited"} {
				if !contractReserved().matches(line) && (line[0] != 'P' || !unicode.IsSpace(c)) {
					t.Errorf("%+q is none", line)
				}
			}
			if !contractReserved().matches("Process"+string(c)+"exited") && !unicode.In(c, unicode.Mn) {
				t.Errorf("%U does not separate words", c)
			}
		}
	}
}

// However many of them there are, and whether they are mixed with space.
func TestManyUnseenCharactersHideNoForm(t *testing.T) {
	for _, line := range []string{
		"P" + strings.Repeat("\u0301", 400) + "rocess exited", strings.Repeat("\u2800", 400) + "stdout:", "Process" + strings.Repeat("\u0600 ", 400) + "exited",
		"P\u2800rocess\u2800exited", "Proc\ufff9ess \ufff9 exi\ufffbted", "Tool\u2800 error",
	} {
		if !contractReserved().matches(line) {
			t.Errorf("%+.40q is none", line)
		}
	}
	for _, line := range []string{"Process\u2800", "Process\u2800x", "\u2800", "std out:", "ProcessX\u2800exited"} {
		if contractReserved().matches(line) {
			t.Errorf("%+q is a form", line)
		}
	}
}

// quotes are the signs that a quotation opens with and that have no category which says so: PropList.txt, Quotation_Mark,
// and the heavy ornaments of the dingbats.
const quotes = "\u201a\u201e\u275b\u275c\u275d\u275e\u300c\u300e\u301d\u301e\u301f"

// Letters, signs and symbols that can be seen hide a form: it is a part of another word then.
func TestSeenCharactersAreNotSkipped(t *testing.T) {
	hidden := func(c rune) bool {
		for _, r := range unseen {
			if c >= r[0] && c <= r[1] {
				return true
			}
		}
		return unicode.In(c, unicode.Mn, unicode.Me, unicode.Pi, unicode.Pf, unicode.Z, unicode.Cc, unicode.Cf) || 0x13430 <= c && c <= 0x1345f || strings.ContainsRune(quotes, c)
	}
	for c := rune(0x80); c <= unicode.MaxRune; c++ {
		if line := string(c) + "stdout:"; isSkipped(c) && !hidden(c) && contractReserved().matches(line) {
			t.Errorf("%+q is a form", line)
		}
	}
	for _, c := range quotes {
		if line := string(c) + "stdout:"; !contractReserved().matches(line) {
			t.Errorf("%+q is no form", line)
		}
	}
	for _, line := range []string{"éstdout:", "漢stdout:", "•stdout:", "№stdout:", "⠁stdout:", "→ stdout:", "xstdout:", "\U00013000stdout:"} {
		if contractReserved().matches(line) {
			t.Errorf("%q is a form", line)
		}
	}
}
