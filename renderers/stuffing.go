package renderers

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// reserved holds the reserved beginnings of lines, folded, by their first byte. Nearly
// every line of tool text is compared with none or few of them.
type reserved struct {
	byFirst [utf8.RuneSelf][]string
	longest int // the longest of them, in bytes
}

// newReserved returns the beginnings of forms. Their compatibility decomposition is ASCII.
func newReserved(forms []Form) *reserved {
	var r reserved
	for _, f := range forms {
		begin := strings.ToLower(norm.NFKD.String(f.Begin))
		r.byFirst[begin[0]] = append(r.byFirst[begin[0]], begin)
		r.longest = max(r.longest, len(begin))
	}
	return &r
}

// contractReserved holds the forms of the contract.
var contractReserved = sync.OnceValue(func() *reserved { return newReserved(Forms()) })

// matches reports whether a line of tool text begins like a form. The parser accepts a
// form only as it is written. This comparison is wider, because models are less exact:
// case, compatibility forms such as full-width letters, leading space, quote signs and
// combining marks do not matter.
func (r *reserved) matches(line string) bool {
	i := 0
	for i < len(line) && line[i] < utf8.RuneSelf && skippedBytes[line[i]] {
		i++
	}
	line = line[i:]
	if line == "" {
		return false
	}
	if line[0] >= utf8.RuneSelf {
		return r.matchesFolded(line)
	}
	for _, begin := range r.byFirst[lowerByte(line[0])] { // of nearly every line: none
		match, certain := comparePrefix(line, begin)
		if !certain {
			return r.matchesFolded(line)
		}
		if match {
			return true
		}
	}
	return false
}

// matchesFolded is the slow comparison, for lines with other characters than ASCII.
func (r *reserved) matchesFolded(line string) bool {
	folded := fold(line, r.longest)
	if folded == "" || folded[0] >= utf8.RuneSelf {
		return false
	}
	for _, begin := range r.byFirst[folded[0]] {
		if beginsFolded(folded, begin) {
			return true
		}
	}
	return false
}

// beginsFolded reports whether a folded line begins with a form. What looks like nothing
// may be in place of a space, or inside of a word.
func beginsFolded(folded, begin string) bool {
	at := 0
	for i := range len(begin) {
		seen := true
		for at < len(folded) && folded[at] == nothing {
			seen = false
			at++
		}
		switch {
		case at < len(folded) && folded[at] == begin[i]:
			at++
		case begin[i] != ' ' || seen:
			return false
		}
	}
	return true
}

// comparePrefix compares the beginning of a line with a folded form, with runs of
// space as one. It is not certain if the line has a character outside of ASCII before
// the first difference.
func comparePrefix(line, begin string) (match, certain bool) {
	at := 0
	for i := range len(begin) {
		if at == len(line) {
			return false, true
		}
		c := lowerByte(line[at])
		if c >= utf8.RuneSelf {
			return false, false
		}
		if isSpace(c) {
			c = ' '
			for at+1 < len(line) && isSpace(line[at+1]) {
				at++
			}
		}
		if c != begin[i] {
			return false, true
		}
		at++
	}
	return true, true
}

// isSpace reports whether a byte is a space or a tab.
func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// skippedBytes caches isSkipped for ASCII, which nearly all lines begin with.
var skippedBytes = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = isSkipped(rune(c))
	}
	return t
}()

// lowerByte returns an ASCII letter in lower case.
func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// nothing is a run of characters in a folded line that look like nothing.
const nothing = 0

// fold returns the beginning of a line in compatibility decomposition (NFKD) and lower
// case, without the characters that are skipped at its start, without combining marks,
// with runs of space as one, and with nothing for what looks like it. It has at least
// the given number of other bytes, if the line is long enough; skipped characters do not
// count, however many there are.
func fold(line string, bytes int) string {
	var b strings.Builder
	var decomposed norm.Iter
	space, unseen, n := false, false, 0
	separate := func() {
		switch {
		case space:
			b.WriteByte(' ')
		case unseen:
			b.WriteByte(nothing)
		}
		space, unseen = false, false
	}
	for decomposed.InitString(norm.NFKD, line); n < bytes && !decomposed.Done(); {
		for _, r := range string(decomposed.Next()) {
			switch {
			case n == 0 && isSkipped(r), unicode.In(r, unicode.Mn, unicode.Me):
			case isUnseen(r):
				unseen = true
			case unicode.IsSpace(r):
				space = true
			default:
				if space {
					n++
				}
				separate()
				size, _ := b.WriteRune(unicode.ToLower(r))
				n += size
			}
		}
	}
	separate()
	return b.String()
}

// isSkipped reports whether a character at the start of a line does not hide the form
// behind it: space, combining marks, quote signs, and what looks like nothing.
func isSkipped(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Pi, unicode.Pf) || strings.ContainsRune("\"'`>|„‚「『〝〞〟❝❞❛❜", r) || isUnseen(r)
}

// isUnseen reports whether a character that is no space looks like nothing or like
// space: format characters, what is ignored by default, and blank letters and symbols.
func isUnseen(r rune) bool {
	return r >= 0xad && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, blanks)
}

// blanks holds the letters and symbols without ink that have no property which says so:
// the empty Braille pattern, the blank and the format controls of hieroglyphs, and the
// empty head of a note. Fillers of Hangul are ignored by default.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x1345f, Stride: 1}, {Lo: 0x1d159, Hi: 0x1d159, Stride: 1}},
}
