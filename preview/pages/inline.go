package pages

import (
	"bytes"
	"strings"
)

// Marks inside of a line of Markdown. A reader of the text needs none of them, so they
// are left out: emphasis, the addresses of links, images, the signs around code.

// maxAddress bounds the words and the address of a link, in bytes.
const maxAddress = 4096

// inliner takes the marks out of lines.
type inliner struct {
	out    []byte
	linked int  // bytes of the text that were links
	links  int  // links
	byHand bool // Markdown that was written by hand: its signs are kept, tags of HTML are left out
	looks  int  // bytes that are still looked at for the ends of links
}

// plain returns a line without marks. The result is valid until the next call.
func (n *inliner) plain(text []byte) []byte {
	n.out, n.linked, n.links = n.out[:0], 0, 0
	n.write(text, 0)
	return bytes.TrimRight(n.out, " \t")
}

// maxNested bounds links inside of links: an image in a link is the usual case.
const maxNested = 3

// write writes a text without its marks.
func (n *inliner) write(text []byte, depth int) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '`':
			i += n.code(text[i:])
		case c == '[' || c == '!' && i+1 < len(text) && text[i+1] == '[':
			i += n.link(text, i, depth)
		case !n.byHand && (c == '*' || c == '_' || c == '~'):
			i += n.emphasis(text, i)
		case c == '<':
			i += n.tag(text[i:])
		case !n.byHand && c == '\\' && i+1 < len(text) && strings.IndexByte(escapable, text[i+1]) >= 0:
			n.out = append(n.out, text[i+1])
			i += 2
		default:
			n.out = append(n.out, c)
			i++
		}
	}
}

// escapable are the signs that a backslash makes plain.
const escapable = "\\`*_{}[]()#+-.!|<>~"

// code writes inline code, and returns the bytes that it takes.
func (n *inliner) code(text []byte) int {
	marks := len(text) - len(bytes.TrimLeft(text, "`"))
	end := -1
	if marks <= 3 {
		end = bytes.Index(text[marks:], text[:marks])
	}
	switch {
	case end < 0:
		n.out = append(n.out, text[:marks]...)
		return marks
	case n.byHand:
		n.out = append(n.out, text[:2*marks+end]...)
	default:
		n.out = append(n.out, text[marks:marks+end]...)
	}
	return 2*marks + end
}

// link writes the words of a link or an image, and returns the bytes that it takes.
func (n *inliner) link(text []byte, at, depth int) int {
	start := at + 1
	if text[at] == '!' {
		start++
	}
	closed := n.closing(text, start, '[', ']')
	if closed < 0 || depth >= maxNested {
		n.out = append(n.out, text[at:start]...)
		return start - at
	}
	end := closed + 1
	switch {
	case end < len(text) && text[end] == '(':
		if last := n.closing(text, end+1, '(', ')'); last >= 0 {
			end = last + 1
		} else {
			end = 0
		}
	case end < len(text) && text[end] == '[':
		if last := bytes.IndexByte(text[end:min(len(text), end+maxAddress)], ']'); last >= 0 {
			end += last + 1
		}
	default:
		end = 0
	}
	if end == 0 { // brackets around words are no link
		n.out = append(n.out, text[at:start]...)
		return start - at
	}
	before, linked, links := len(n.out), n.linked, n.links
	n.write(text[start:closed], depth+1)
	n.linked, n.links = linked, links
	if text[at] != '!' && len(bytes.TrimSpace(n.out[before:])) > 0 {
		n.linked += len(n.out) - before
		n.links++
	}
	return end - at
}

// closing returns the offset of the bracket that closes the one before start; -1 if there
// is none near.
func (n *inliner) closing(text []byte, start int, opens, closes byte) int {
	depth := 1
	for i := start; i < min(len(text), start+maxAddress) && n.looks > 0; i++ {
		n.looks--
		switch text[i] {
		case '\\':
			i++
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// emphasis leaves out a mark of emphasis, and returns the bytes that it takes. A sign
// inside of a word, or between blanks, is text.
func (n *inliner) emphasis(text []byte, at int) int {
	end := at
	for end < len(text) && text[end] == text[at] {
		end++
	}
	before, after := at > 0 && !isBlank(text[at-1]), end < len(text) && !isBlank(text[end])
	wordBefore, wordAfter := before && isWordByte(text[at-1]), after && isWordByte(text[end])
	size := end - at
	inWord := wordBefore && wordAfter && (text[at] == '_' || size == 1)
	if size > 3 || !before && !after || inWord || text[at] == '~' && size != 2 || !paired(text, at, end, before && !wordAfter) {
		n.out = append(n.out, text[at:end]...)
	}
	return size
}

// paired reports whether a mark of emphasis has another one near it: before it if it
// closes.
func paired(text []byte, at, end int, closes bool) bool {
	if closes {
		return bytes.Contains(text[max(0, at-maxEmphasis):at], text[at:end])
	}
	return bytes.Contains(text[end:min(len(text), end+maxEmphasis)], text[at:end])
}

// maxEmphasis bounds a text with emphasis, in bytes.
const maxEmphasis = 512

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isWordByte reports whether a byte may be in a word.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// tagNames are the elements of HTML that Markdown has among its text.
const tagNames = " a abbr align b blockquote br center code del details div dl dt dd em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p picture pre s samp " +
	"small source span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var video !-- "

// lineBreak is what a page as Markdown has for a line end in a cell.
const lineBreak = "<br />"

// tag leaves out a tag of HTML, and returns the bytes that it takes. An address in
// brackets loses them.
func (n *inliner) tag(text []byte) int {
	end := bytes.IndexByte(text[:min(len(text), maxAddress)], '>')
	if !n.byHand && bytes.HasPrefix(text, []byte(lineBreak)) {
		n.out = append(n.out, ' ')
		return len(lineBreak)
	}
	if end > 0 && n.byHand {
		name := bytes.TrimPrefix(text[1:end], []byte("/"))
		for i, c := range name {
			if isBlank(c) || c == '/' {
				name = name[:i]
				break
			}
		}
		if len(name) > 0 && len(name) <= 10 && strings.Contains(tagNames, " "+strings.ToLower(string(name))+" ") {
			return end + 1
		}
	}
	n.out = append(n.out, '<')
	return 1
}
