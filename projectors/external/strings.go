package external

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// A JSON string may have half of a surrogate pair, as an escape: "\ud800". It is no character, and encoding/json makes U+FFFD
// of it, so that what the tool wrote is gone. Here it is read as the three bytes that stand for it in WTF-8
// (simonsapin.github.io/wtf-8), which are no UTF-8: a preview counts them as such, an artifact has them, and they are written
// as the escape again.

// Content returns a member that is a string, with halves of surrogate pairs in WTF-8. It reports false like Text.
func (b Block) Content(name string) (string, bool) {
	value := b.Member(name)
	text, ok := jsonspan.String(value)
	if ok {
		text = withHalves(value, text)
	}
	return text, ok
}

// unquote reads a JSON string, with halves of surrogate pairs in WTF-8.
func unquote(quoted []byte) (string, error) {
	var text string
	err := json.Unmarshal(quoted, &text)
	return withHalves(quoted, text), err
}

// withHalves returns the text of a valid JSON string with halves of surrogate pairs in WTF-8. text is what encoding/json reads.
func withHalves(quoted []byte, text string) string {
	quoted = bytes.TrimSpace(quoted)
	if !bytes.Contains(quoted, []byte(`\u`)) || !bytes.ContainsRune([]byte(text), utf8.RuneError) {
		return text
	}
	var out []byte
	from := 1 // of what is not read yet, up to the closing quote
	read := func(to int) {
		var part string
		_ = json.Unmarshal([]byte(`"`+string(quoted[from:to])+`"`), &part) // a part of a valid string between two escapes
		out = append(out, part...)
	}
	for at := 1; at < len(quoted)-1; {
		unit, n := escaped(quoted[at:])
		if !utf16.IsSurrogate(unit) {
			at += n
			continue
		}
		if next, more := escaped(quoted[at+n:]); utf16.DecodeRune(unit, next) != utf8.RuneError {
			at += n + more
			continue
		}
		read(at)
		out = append(out, byte(0xe0|unit>>12), byte(0x80|unit>>6&0x3f), byte(0x80|unit&0x3f))
		at += n
		from = at
	}
	read(len(quoted) - 1)
	return string(out)
}

// escaped returns the code unit of the escape \uXXXX that a text begins with, and the size of what it begins with: an escape or
// a byte. The unit of anything else is 0.
func escaped(text []byte) (unit rune, n int) {
	if text[0] != '\\' || len(text) < 2 {
		return 0, 1
	}
	if text[1] != 'u' || len(text) < 6 {
		return 0, 2
	}
	value, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0, 2
	}
	return rune(value), 6
}

// quote writes a JSON string without the escapes that only HTML needs, and halves of surrogate pairs as their escapes.
func quote(s string) []byte {
	out := []byte{'"'}
	from := 0
	write := func(to int) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(s[from:to]) // a string cannot fail
		part := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		out = append(out, part[1:len(part)-1]...)
	}
	for at := 0; at+3 <= len(s); at++ {
		if s[at] == 0xed && s[at+1] >= 0xa0 && s[at+1] <= 0xbf && s[at+2] >= 0x80 && s[at+2] <= 0xbf {
			write(at)
			out = append(out, '\\', 'u')
			out = strconv.AppendUint(out, uint64(0xd000|uint(s[at+1]&0x3f)<<6|uint(s[at+2]&0x3f)), 16)
			at += 2
			from = at + 1
		}
	}
	write(len(s))
	return append(out, '"')
}
