package web

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
)

// A page is known by its text, whatever printed it. What tools print before it is little:
// the lines of a response, or a sentence.

// Bounds of the beginning in which a page is looked for, in bytes.
const (
	maxBefore = 4 << 10
	maxTag    = 512 // of the tag that begins a page, with its attributes
)

// beginnings are the tags that only a page begins with.
var beginnings = [][]byte{[]byte("<!doctype html"), []byte("<html")}

// FindPage returns the page that a text is, and what is printed before it. It reports
// false for a text that is no page as a whole.
func FindPage(text []byte) (before, page []byte, ok bool) {
	head := bytes.ToLower(text[:min(len(text), maxBefore)])
	at := -1
	for _, tag := range beginnings {
		if i := bytes.Index(head, tag); i >= 0 && (at < 0 || i < at) && endsTag(head[i+len(tag):]) {
			at = i
		}
	}
	if at < 0 || !startsLine(head[:at]) {
		return nil, nil, false
	}
	return slices.Clip(text[:at]), text[at:], true
}

// endsTag reports whether the name of a tag ends here, and the tag soon.
func endsTag(rest []byte) bool {
	return len(rest) > 0 && (rest[0] == '>' || isSpace(rest[0])) && bytes.IndexByte(rest[:min(len(rest), maxTag)], '>') >= 0
}

// mostOther is how many lines before a page may be other ones than those of a response.
const mostOther = 3

// startsLine reports whether a page may begin behind a text: at the start of a line,
// behind the lines of a response or a few others, without tags but comments. A page in
// the example of a text, or in code, is none.
func startsLine(before []byte) bool {
	if line := bytes.TrimLeft(before[bytes.LastIndexByte(before, '\n')+1:], " \t\ufeff"); len(line) > 0 && !bytes.HasSuffix(line, []byte(">")) {
		return false
	}
	others := 0
	for line := range bytes.Lines(before) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !isHeader(line) {
			others++
		}
	}
	if others > mostOther || bytes.Contains(before, []byte("```")) {
		return false
	}
	z := html.NewTokenizer(bytes.NewReader(before))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind == html.StartTagToken || kind == html.EndTagToken {
			return false
		}
	}
	return true
}

// isHeader reports whether a line is one of a response, such as "Content-Type: text/html".
func isHeader(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(": "))
	return ok && bytes.IndexByte(name, ' ') < 0 || bytes.HasPrefix(line, []byte("http/")) || bytes.HasPrefix(line, []byte("<!--"))
}
