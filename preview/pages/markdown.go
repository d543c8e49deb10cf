package pages

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The readable form of a page has a sentence on a line, so that a budget can choose among
// them. Lines that are wrapped are joined before. Headings, items of lists, rows of tables
// and lines of examples keep their signs; addresses, emphasis and rulers are left out.

// besideMain is the line that divides the text of a page in package projectors/web.
const besideMain = "Beside the main text:"

// Bounds of the text that is read as a page.
const (
	maxHeading  = 6
	mostLooks   = 8   // bytes that are looked at for the ends of links, times the size of the text
	joinedLinks = 200 // bytes of short links that are joined on a line
	shortLink   = 48  // bytes
)

// ReadMarkdown returns the readable form of Markdown. The title, if the page has one
// elsewhere, comes first. Of a text that was written by hand the signs in its lines are kept,
// and tags of HTML are left out.
func ReadMarkdown(text []byte, title string, byHand bool) *Form {
	r := reader{form: &Form{}, inline: inliner{byHand: byHand, looks: mostLooks*len(text) + mostLooks*maxAddress}}
	if title = strings.TrimSpace(title); title != "" {
		r.title = []byte(title)
		r.section++
		r.form.add(Line{Kind: Heading, Level: 1, Section: r.section}, append([]byte("# "), title...))
	}
	for line := range bytes.Lines(text) {
		r.line(bytes.TrimRight(line, " \t\r\n"))
	}
	r.flush()
	r.flushLinks()
	return r.form
}

// reader reads Markdown line by line.
type reader struct {
	form    *Form
	inline  inliner
	title   []byte // that was written; nil for none, or once a heading was seen
	section int32
	beside  bool

	fence     byte   // the sign of the open fence; 0: none
	paragraph []byte // lines of a paragraph or an item that are not written yet
	prefix    []byte // of its first line
	indented  bool   // the last line was blank: an indented line is code
	inList    bool   // an indented line is of an item
	links     []byte // short links that are not written yet
}

// line reads one line.
func (r *reader) line(line []byte) {
	text := bytes.TrimLeft(line, " \t")
	if r.fence != 0 || isFence(text) {
		r.fenced(line, text)
		return
	}
	indent := len(line) - len(text)
	code := r.indented && indent >= 4 && !r.inList
	r.inList = r.inList && indent >= 2 || isItem(text) && !code || r.inList && len(text) == 0
	switch {
	case len(text) == 0:
		r.flush()
		r.indented = true
		return
	case code && !isItem(text):
		r.flush()
		r.add(Line{Kind: Code}, line)
		return
	case string(text) == besideMain:
		r.flush()
		r.beside = true
		r.section++
		r.form.add(Line{Kind: Divider, Beside: true, Section: r.section}, text)
	case heading(text) > 0:
		r.flush()
		r.heading(heading(text), bytes.Trim(text, "# \t"))
	case isUnderline(text) && len(r.paragraph) > 0 && len(r.prefix) == 0 && len(r.paragraph) <= 200:
		r.underlined(text)
	case isRule(text):
		r.flush()
	case text[0] == '|':
		r.flush()
		r.row(text)
	case isItem(text):
		r.flush()
		marker := itemMarker(text)
		r.prefix = append(append(r.prefix[:0], bytes.Repeat([]byte(" "), min(indent, 8)/2*2)...), text[:marker]...)
		r.paragraph = append(r.paragraph[:0], bytes.TrimLeft(text[marker:], " \t")...)
		if len(r.paragraph) == 0 {
			r.paragraph = append(r.paragraph, ' ')
		}
	case isDefinition(text):
		r.flush()
	default:
		r.words(text, line)
	}
	r.indented = false
}

// words reads a line of running text. A line that ends with two blanks, or before one
// that begins anew, ends there.
func (r *reader) words(text, line []byte) {
	if !opensTag(r.paragraph) {
		text = bytes.TrimLeft(text, "> ")
	}
	if len(r.paragraph) > 0 && !joins(r.paragraph, text) {
		r.flush()
	}
	if len(r.paragraph) > 0 {
		r.paragraph = append(r.paragraph, ' ')
	}
	r.paragraph = append(r.paragraph, text...)
	if len(text) == 0 {
		r.flush()
	}
}

// maxTag bounds a tag of HTML, in bytes.
const maxTag = 1024

// leastWrapped is how long a line is at least that goes on in the next one, in bytes.
const leastWrapped = 56

// joins reports whether a line goes on in the next one: it is long, or ends within a
// sentence before a small letter.
func joins(before, next []byte) bool {
	first, _ := utf8.DecodeRune(next)
	return len(before) >= leastWrapped || unicode.IsLower(first) || bytes.HasSuffix(before, []byte(",")) || opensTag(before)
}

// opensTag reports whether a text ends within a tag of HTML.
func opensTag(text []byte) bool {
	text = text[max(0, len(text)-maxTag):]
	at := bytes.LastIndexByte(text, '<')
	return at >= 0 && at+1 < len(text) && (isWordByte(text[at+1]) || text[at+1] == '/') && bytes.IndexByte(text[at:], '>') < 0
}

// fenced reads a line of an example, or of its borders.
func (r *reader) fenced(line, text []byte) {
	switch {
	case r.fence == 0:
		r.flush()
		r.fence = text[0]
		r.form.add(r.at(Line{Kind: Code}), text)
	case isFence(text) && text[0] == r.fence:
		r.fence = 0
		r.form.add(r.at(Line{Kind: Code}), text)
	case len(text) > 0:
		r.add(Line{Kind: Code}, line)
	}
	r.indented = false
}

// heading writes a heading. One that repeats the title is left out.
func (r *reader) heading(level int, text []byte) {
	plain := r.inline.plain(text)
	if len(plain) == 0 {
		return
	}
	first := r.title != nil && !r.beside
	if first && bytes.Contains(r.title, plain) && len(plain)*3 >= len(r.title) {
		r.title = nil
		return
	}
	if first {
		r.title = nil
	}
	r.section++
	r.form.add(r.at(Line{Kind: Heading, Level: uint8(level)}), append(append(bytes.Repeat([]byte("#"), level), ' '), plain...))
}

// underlined writes a heading that is underlined.
func (r *reader) underlined(under []byte) {
	text, level := r.paragraph, 1
	if under[0] == '-' {
		level = 2
	}
	r.paragraph = nil
	r.heading(level, text)
}

// row writes a row of a table. The ruler below its head is left out.
func (r *reader) row(text []byte) {
	if len(bytes.Trim(text, "|-: \t")) == 0 {
		return
	}
	plain := r.inline.plain(text)
	links := r.inline.links > 0 && r.inline.linked*10 >= len(plain)*6
	var row []byte
	for cell := range bytes.SplitSeq(bytes.Trim(plain, "| \t"), []byte("|")) {
		if len(row) > 0 {
			row = append(row, " | "...)
		}
		row = append(row, bytes.Join(bytes.Fields(cell), []byte(" "))...)
	}
	if row = bytes.TrimRight(row, "| "); len(row) == 0 {
		return
	}
	kind := kindOf(row)
	if kind == Item && links {
		kind = Links
	}
	r.add(Line{Kind: kind}, row)
}

// flush writes the paragraph or the item that was read.
func (r *reader) flush() {
	r.indented = false
	if len(r.paragraph) == 0 {
		r.flushLinks()
		return
	}
	plain := bytes.TrimSpace(r.inline.plain(r.paragraph))
	onlyLinks := r.inline.links > 0 && r.inline.linked*10 >= len(plain)*9
	prefix := r.prefix
	r.paragraph, r.prefix = r.paragraph[:0], r.prefix[:0]
	switch {
	case len(plain) == 0:
	case onlyLinks && len(plain) <= shortLink:
		r.link(plain)
		return
	case onlyLinks || r.beside && len(plain) <= shortLink && !endsSentence(plain):
		r.flushLinks()
		r.add(Line{Kind: Links}, append(prefix, plain...))
		return
	default:
		r.flushLinks()
		r.sentences(prefix, plain)
	}
}

// link adds a short link to those before it.
func (r *reader) link(text []byte) {
	if len(r.links)+len(text) > joinedLinks {
		r.flushLinks()
	}
	if len(r.links) > 0 {
		r.links = append(r.links, " · "...)
	}
	r.links = append(r.links, text...)
}

// flushLinks writes the short links that were read.
func (r *reader) flushLinks() {
	if len(r.links) > 0 {
		r.form.add(r.at(Line{Kind: Links}), r.links)
		r.links = r.links[:0]
	}
}

// sentences writes a text, one sentence a line.
func (r *reader) sentences(prefix, text []byte) {
	for len(text) > 0 {
		end := sentenceEnd(text)
		one := append(prefix, text[:end]...)
		r.form.add(r.at(Line{Kind: kindOf(text[:end])}), one)
		text = bytes.TrimLeft(text[end:], " ")
		prefix = bytes.Repeat([]byte(" "), len(prefix))
	}
}

// add writes a line that is no running text.
func (r *reader) add(l Line, text []byte) {
	r.flushLinks()
	r.form.add(r.at(l), text)
}

// at completes a line with its place.
func (r *reader) at(l Line) Line {
	l.Beside, l.Section = r.beside, r.section
	return l
}

// leastSentence is the length of a sentence that is shown by itself, in bytes: a shorter
// one goes on with the next.
const leastSentence = 24

// sentenceEnd returns the offset behind the first sentence of a text.
func sentenceEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '.' || c == '!' || c == '?':
			end := i + 1
			for end < len(text) && (text[end] == '"' || text[end] == ')' || text[end] == '\'') {
				end++
			}
			if end+1 < len(text) && text[end] == ' ' && end >= leastSentence && begins(text[end+1:]) && !abbreviates(text[:i]) {
				return end
			}
		case c == 0xE3 && bytes.HasPrefix(text[i:], []byte("。")): // the full stop of Chinese and Japanese
			return i + len("。")
		}
	}
	return len(text)
}

// begins reports whether a text may begin a sentence.
func begins(text []byte) bool {
	first, _ := utf8.DecodeRune(text)
	return !unicode.IsLower(first)
}

// abbreviates reports whether a word before a stop is one letter or has a stop itself, as
// in "e.g." or "J. Doe".
func abbreviates(text []byte) bool {
	word := text[bytes.LastIndexByte(text, ' ')+1:]
	return len(word) <= 1 || len(word) <= 4 && bytes.IndexByte(word, '.') >= 0
}

// endsSentence reports whether a text ends as a sentence does.
func endsSentence(text []byte) bool {
	last, _ := utf8.DecodeLastRune(text)
	return strings.ContainsRune(".!?:。！？…", last)
}

// Blanks that a sentence has at least, without a sign at its end and with one.
const (
	leastWords = 7
	leastShort = 3
)

// kindOf returns the kind of a line of running text, an item, or a row.
func kindOf(text []byte) Kind {
	words, digits, value := 0, false, false
	for i, c := range text {
		switch {
		case c == ' ':
			words++
		case c >= '0' && c <= '9', c == '$', c == '%':
			digits = true
		case c == ':' && i+1 < len(text) && text[i+1] == ' ', c == '|', c == '=':
			value = true
		}
	}
	switch {
	case words >= leastWords || words >= leastShort && endsSentence(text):
		return Sentence
	case bytes.ContainsAny(text, "\u3002") && utf8.RuneCount(text) < len(text)/2: // a language without blanks
		return Sentence
	case digits || value:
		return Fact
	}
	return Item
}

// heading returns the level of a heading; 0 for other lines.
func heading(text []byte) int {
	marks := len(text) - len(bytes.TrimLeft(text, "#"))
	if marks == 0 || marks > maxHeading || marks == len(text) || !isBlank(text[marks]) {
		return 0
	}
	return marks
}

// isFence reports whether a line begins or ends an example.
func isFence(text []byte) bool {
	return bytes.HasPrefix(text, []byte("```")) && bytes.IndexByte(text[3:], '`') < 0 || bytes.HasPrefix(text, []byte("~~~"))
}

// isUnderline reports whether a line underlines a heading.
func isUnderline(text []byte) bool {
	return len(text) >= 3 && (len(bytes.Trim(text, "=")) == 0 || len(bytes.Trim(text, "-")) == 0)
}

// isRule reports whether a line is a ruler.
func isRule(text []byte) bool {
	return len(text) >= 3 && bytes.IndexByte([]byte("-*_="), text[0]) >= 0 && len(bytes.Trim(text, string(text[0])+" ")) == 0
}

// isItem reports whether a line begins an item of a list.
func isItem(text []byte) bool { return itemMarker(text) > 0 }

// itemMarker returns the length of the sign of an item, with the blank behind it; 0 for
// other lines.
func itemMarker(text []byte) int {
	n := 0
	for n < len(text) && n < 4 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	switch {
	case n > 0 && n < len(text) && (text[n] == '.' || text[n] == ')'):
		n++
	case n == 0 && len(text) > 0 && (text[0] == '-' || text[0] == '*' || text[0] == '+'):
		n = 1
	default:
		return 0
	}
	if n == len(text) {
		return n
	}
	if !isBlank(text[n]) {
		return 0
	}
	return n + 1
}

// isDefinition reports whether a line defines the address of a link.
func isDefinition(text []byte) bool {
	if text[0] != '[' {
		return false
	}
	end := bytes.Index(text[:min(len(text), maxAddress)], []byte("]: "))
	return end > 0 && bytes.IndexByte(text[:end], ' ') < 0 && bytes.Contains(text[end:], []byte("/"))
}
