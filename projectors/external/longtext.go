package external

import (
	"bytes"
	"fmt"
	"strings"
)

// Tools answer JSON with one long text in it, such as {"log":"...","code":2}. As JSON that text is one line with escapes, of which
// a preview shows the beginning and the end.

// Bounds of a text that is lifted out of the JSON around it.
const (
	minLongText  = 2048 // bytes
	minTextLines = 10
	// longTextShare is the part of the JSON that is not the text at most: one byte in this many.
	longTextShare = 8
)

// LiftText finds the one long text of several lines that nearly all of valid JSON text is. It returns that text, and the JSON with
// a placeholder for it. It reports false for JSON without such a text.
func LiftText(text []byte) (lifted string, around []byte, ok bool) {
	if len(text) < minLongText {
		return "", nil, false
	}
	from, to := longestString(text)
	if to-from < len(text)-len(text)/longTextShare || bytes.Count(text[from:to], []byte(`\n`)) < minTextLines {
		return "", nil, false
	}
	lifted, err := unquote(text[from:to])
	lines := strings.Count(lifted, "\n")
	if err != nil || len(lifted) < minLongText || lines < minTextLines {
		return "", nil, false
	}
	if !strings.HasSuffix(lifted, "\n") {
		lines++
	}
	placeholder := quote(fmt.Sprintf("[shown as text: %d lines, %d bytes]", lines, len(lifted)))
	return lifted, bytes.Join([][]byte{text[:from], placeholder, text[to:]}, nil), true
}

// longestString returns the range of the longest string, with its quotes, of valid JSON text that is no name of a member.
func longestString(text []byte) (from, to int) {
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		end := stringEnd(text, at)
		if end-at > to-from && !isKey(text[end:]) {
			from, to = at, end
		}
		at = end - 1
	}
	return from, to
}

// stringEnd returns the offset behind a string of valid JSON text.
func stringEnd(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}
