package markup

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Forms are compared in a folded spelling, so that other spellings of one, which a model or a lenient parser takes for it,
// are forms too: white space, underscores and invisible characters are dropped, look-alikes and compatibility characters
// (full width, mathematical letters) are replaced, and case is ignored unless the table says otherwise.

// anyName is the form of a control token with any name.
const anyName = "<|NAME|>"

// longestFolded is more than the bytes of any folded form.
const longestFolded = 64

// lookAlikes replaces what no compatibility decomposition does.
var lookAlikes = map[rune]rune{
	'‹': '<', '❮': '<', '˂': '<', '〈': '<', '⟨': '<', '\u2329': '<', 'ᐸ': '<', '›': '>', '❯': '>', '˃': '>', '〉': '>', '⟩': '>', '\u232a': '>', 'ᐳ': '>',
	'❲': '[', '⟦': '[', '【': '[', '❳': ']', '⟧': ']', '】': ']', '∣': '|', 'ǀ': '|', '│': '|', '┃': '|', '❘': '|', '⏐': '|', '￨': '|',
	'꞉': ':', '∶': ':', 'ː': ':', '⁄': '/', '∕': '/', '⧸': '/', '▁': '_', 'ˍ': '_',
}

// brackets are the characters that forms begin with, in any spelling.
const brackets = "<[＜﹤［‹❮˂〈⟨\u2329ᐸ❲⟦【"

// form is a folded form.
type form struct {
	text   string // behind its bracket; of a label without its colon
	exact  bool
	inside bool // it ends with a word, which must not go on
	blank  bool // of a label: an empty line is before it
}

// forms are those of the table.
var forms = sync.OnceValue(func() *formSet { return newFormSet(Table()) })

// formSet is the folded forms of a table.
type formSet struct {
	byBracket map[byte][]form
	labels    []form
	follows   [utf8.RuneSelf]bool // what may be behind a bracket or its backslashes
	begins    [256]bool           // first bytes of labels
}

// newFormSet folds the forms of rows.
func newFormSet(rows []Row) *formSet {
	s := &formSet{}
	s.byBracket = map[byte][]form{}
	for _, c := range []byte("| \t\n\v\f\r_\x1c\x1d\x1e\x1f") {
		s.follows[c] = true
	}
	for _, row := range rows {
		for _, text := range row.Forms {
			s.add(text, row.Exact)
		}
	}
	return s
}

// add adds a form. One with any name is compared by rule.
func (s *formSet) add(text string, exact bool) {
	if text == anyName {
		return
	}
	folded := foldText(text, exact)
	if folded[0] != '<' && folded[0] != '[' {
		s.begins[strings.ToLower(folded)[0]] = true
		s.labels = append(s.labels, form{text: strings.TrimSuffix(folded, ":"), exact: exact, blank: strings.HasPrefix(text, "\n\n")})
		return
	}
	f := form{text: folded[1:], exact: exact, inside: isWord(folded[len(folded)-1])}
	s.byBracket[folded[0]] = append(s.byBracket[folded[0]], f)
	if c := f.text[0]; c < utf8.RuneSelf {
		s.follows[c], s.follows[strings.ToUpper(f.text[:1])[0]] = true, true
	}
}

// isWord reports whether a byte of a folded text is of a letter or a digit.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// place is where a byte of a folded text comes from.
type place struct {
	end int  // of its character in the text
	gap bool // white space is before it
}

// folding is the folded beginning of a text.
type folding struct {
	bytes  [longestFolded]byte
	places [longestFolded]place // of the bytes
	n      int
}

// fold folds the beginning of a text.
func (f *folding) fold(text string, exact bool) {
	gap := false
	for at := 0; at < len(text) && f.n < longestFolded; {
		c := text[at]
		if c < utf8.RuneSelf { // of nearly every text all are
			at++
			switch {
			case c == ' ' || c >= '\t' && c <= '\r':
				gap = true
				continue
			case c == '_':
				continue
			case !exact && c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			}
			f.add(c, place{at, gap})
			gap = false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		for _, c := range []byte(foldRune(r, exact)) {
			f.add(c, place{at, gap})
			gap = false
		}
	}
}

// add adds a byte, if there is a place for it.
func (f *folding) add(c byte, p place) {
	if f.n < longestFolded {
		f.bytes[f.n], f.places[f.n] = c, p
		f.n++
	}
}

// begins reports whether the folded text begins with another one.
func (f *folding) begins(text string) bool {
	return f.n >= len(text) && string(f.bytes[:len(text)]) == text
}

// foldText returns the folded form of a text that is not longer than a folding.
func foldText(text string, exact bool) string {
	var f folding
	f.fold(text, exact)
	return string(f.bytes[:f.n])
}

// foldRune returns the folded spelling of a character; empty for one that is dropped.
func foldRune(r rune, exact bool) string {
	if as, ok := lookAlikes[r]; ok {
		r = as
	}
	switch {
	case r == '_' || isInvisible(r):
		return ""
	case r < utf8.RuneSelf && !exact:
		return lowerASCII[r : r+1]
	case r < utf8.RuneSelf:
		return ascii[r : r+1]
	}
	text := string(r)
	if r >= 0xa0 {
		text = strings.ReplaceAll(norm.NFKC.String(text), "_", "")
	}
	if !exact {
		text = strings.ToLower(text)
	}
	return text
}

// ascii has the characters of ASCII by their codes.
var ascii = func() string {
	var b [utf8.RuneSelf]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// lowerASCII is the same in lower case.
var lowerASCII = strings.ToLower(ascii)

// isInvisible reports whether a character has no place of its own.
func isInvisible(r rune) bool {
	return r >= 0xad && (r == 0x2800 || r == 0x1d159 || r >= 0x13430 && r <= 0x1345f || // blanks, as in renderers
		unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}

// mark is a form in a text: its head, the backslashes that it has already, and the rest.
type mark struct{ head, backslashes, rest string }

// size returns the bytes of a mark.
func (m *mark) size() int { return len(m.head) + len(m.backslashes) + len(m.rest) }

// folds is a text in both foldings. The one that keeps case is made when it is needed.
type folds struct {
	text         string
	lower, exact folding
	hasExact     bool
}

// of returns the folding that a form is compared with.
func (f *folds) of(exact bool) *folding {
	if !exact {
		return &f.lower
	}
	if !f.hasExact {
		f.exact.fold(f.text, true)
		f.hasExact = true
	}
	return &f.exact
}

// match returns the length in the text of a form that it begins with; 0 if it does not.
func (f *folds) match(form *form) int {
	folded, n := f.of(form.exact), len(form.text)
	if !folded.begins(form.text) {
		return 0
	}
	end := folded.places[n-1].end
	if form.inside && (n < folded.n && isWord(folded.bytes[n]) && !folded.places[n].gap || strings.HasPrefix(f.text[end:], "_")) {
		return 0
	}
	return end
}

// bracketed returns the mark that a text begins with, whose first character is a bracket; nil for none.
func bracketed(text string) *mark {
	first, size := utf8.DecodeRuneInString(text)
	bracket := foldRune(first, true)[0]
	rest := strings.TrimLeft(text[size:], `\`)
	if rest == "" || rest[0] < utf8.RuneSelf && !forms().follows[rest[0]] {
		return nil
	}
	f := folds{text: rest}
	f.lower.fold(rest, false)
	if f.lower.n == 0 {
		return nil
	}
	length := 0
	if bracket == '<' {
		length = namedLength(&f.lower)
	}
	list := forms().byBracket[bracket]
	for i := range list {
		if list[i].exact || list[i].text[0] == f.lower.bytes[0] {
			length = max(length, f.match(&list[i]))
		}
	}
	if length == 0 {
		return nil
	}
	return &mark{text[:size], text[size : len(text)-len(rest)], rest[:length]}
}

// longestName is how many bytes the name of any control token has.
const longestName = 48

// namedLength returns the length of a control token with any name, without its bracket; 0 for none. Operators of programs
// look like it with space around the name.
func namedLength(f *folding) int {
	if f.bytes[0] != '|' || f.places[0].gap {
		return 0
	}
	n := 1
	for n < f.n && n <= longestName && isWord(f.bytes[n]) {
		n++
	}
	if n == 1 || n+1 >= f.n || string(f.bytes[n:n+2]) != "|>" || f.places[1].gap || f.places[n].gap || f.places[n+1].gap {
		return 0
	}
	return f.places[n+1].end
}

// labelled returns the mark of a label that a line begins with; nil for none. blank reports whether an empty line, or
// nothing, is before it.
func labelled(line string, blank func() bool) *mark {
	begin := line[:min(len(line), longestFolded)]
	if !mayBegin(line) || isASCII(begin) && strings.IndexByte(begin, ':') < 0 && len(begin) == len(line) {
		return nil
	}
	f := folds{text: line}
	f.lower.fold(line, false)
	for i := range forms().labels {
		form := &forms().labels[i]
		length := f.match(form)
		if length == 0 || form.blank && !blank() {
			continue
		}
		head, rest := line[:length], strings.TrimLeft(line[length:], `\`)
		if colon := colonAfter(rest); colon > 0 {
			return &mark{head, line[length : len(line)-len(rest)], rest[:colon]}
		}
	}
	return nil
}

// mayBegin reports whether the first character of a line that can be seen is one that a label begins with.
func mayBegin(line string) bool {
	for _, r := range line {
		if unicode.IsSpace(r) {
			continue
		}
		if s := foldRune(r, false); s != "" {
			return forms().begins[s[0]]
		}
	}
	return false
}

// colonAfter returns the offset behind a colon that a text begins with, after space; 0 if there is none.
func colonAfter(text string) int {
	for at, r := range text {
		switch s := foldRune(r, true); {
		case s == ":":
			return at + utf8.RuneLen(r)
		case s != "" && !unicode.IsSpace(r):
			return 0
		}
	}
	return 0
}

// isASCII reports whether a text has no other character.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isBlank reports whether nothing of a line can be seen.
func isBlank(line string) bool {
	return strings.IndexFunc(line, func(r rune) bool { return !unicode.IsSpace(r) && !isInvisible(r) }) < 0
}
