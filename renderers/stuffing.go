package renderers

import (
	"strings"
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

// newReserved returns the beginnings of forms, which are ASCII.
func newReserved(forms []Form) *reserved {
	var r reserved
	for _, f := range forms {
		begin := strings.ToLower(f.Begin)
		r.byFirst[begin[0]] = append(r.byFirst[begin[0]], begin)
		r.longest = max(r.longest, len(begin))
	}
	return &r
}

// contractReserved holds the forms of the contract.
var contractReserved = newReserved(Forms())

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
		if strings.HasPrefix(folded, begin) {
			return true
		}
	}
	return false
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

// fold returns the beginning of a line in compatibility decomposition (NFKD) and lower
// case, without the characters that are skipped at its start, without combining marks,
// and with runs of space as one. It has at least the given number of bytes, if the
// line is long enough; skipped characters do not count, however many there are.
func fold(line string, bytes int) string {
	var b strings.Builder
	var decomposed norm.Iter
	space := false
	for decomposed.InitString(norm.NFKD, line); b.Len() < bytes && !decomposed.Done(); {
		for _, r := range string(decomposed.Next()) {
			switch {
			case b.Len() == 0 && isSkipped(r), unicode.In(r, unicode.Mn, unicode.Me):
			case unicode.IsSpace(r):
				space = true
			default:
				if space {
					b.WriteByte(' ')
					space = false
				}
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// isSkipped reports whether a character at the start of a line does not hide the form
// behind it: space, combining marks, quote signs.
func isSkipped(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Pi, unicode.Pf) || strings.ContainsRune("\"'`>|", r)
}
