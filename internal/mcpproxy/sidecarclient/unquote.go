package sidecarclient

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// unquoted returns the texts of JSON strings, with a line feed between two, in pieces that are valid until the next.
func unquoted(quoted [][]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		buf := make([]byte, 0, chunkBytes+escapeBytes)
		add := func(p []byte) bool {
			buf = append(buf, p...)
			if len(buf) < chunkBytes {
				return true
			}
			defer func() { buf = buf[:0] }()
			return yield(buf)
		}
		for i, q := range quoted {
			if i > 0 && !add([]byte("\n")) || !unquote(q[1:len(q)-1], add) {
				return
			}
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}

// escapeBytes is the size of the longest escape: two of four digits, for one character.
const escapeBytes = len(`\ud83d\ude00`)

// unquote calls add with parts of the text of a JSON string, without its quotes, until add returns false.
func unquote(text []byte, add func([]byte) bool) bool {
	for len(text) > 0 {
		n := bytes.IndexByte(text[:min(len(text), chunkBytes)], '\\')
		if n < 0 {
			n = min(len(text), chunkBytes)
		}
		if n > 0 {
			if !add(text[:n]) {
				return false
			}
			text = text[n:]
			continue
		}
		n = 2
		if text[1] == 'u' {
			n = 6
			if len(text) >= escapeBytes && isHalf(text[:6], "89abAB") && isHalf(text[6:], "cdefCDEF") {
				n = escapeBytes
			}
		}
		if !add(unescape(text[:n])) {
			return false
		}
		text = text[n:]
	}
	return true
}

// isHalf reports whether a text begins with the escape of a half of a character, the second digit of which is one of digits.
func isHalf(text []byte, digits string) bool {
	return text[0] == '\\' && text[1] == 'u' && (text[2] == 'd' || text[2] == 'D') && strings.IndexByte(digits, text[3]) >= 0
}

// unescape returns the text of one or two escapes of valid JSON.
func unescape(escapes []byte) []byte {
	switch string(escapes) {
	case `\n`:
		return []byte("\n")
	case `\"`, `\\`, `\/`:
		return escapes[1:]
	}
	var s string
	_ = json.Unmarshal(append(append([]byte{'"'}, escapes...), '"'), &s) // it is valid
	return []byte(s)
}
