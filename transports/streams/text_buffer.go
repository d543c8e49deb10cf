package streams

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// textBuffer joins text that is received in parts, each a JSON string. A part may end between the two halves of a
// surrogate pair, or inside of a character: decoding each part by itself would make U+FFFD of both sides of such a cut.
// So the parts are joined as bytes, in which single surrogates are written as in WTF-8
// (https://simonsapin.github.io/wtf-8/).
type textBuffer struct{ bytes []byte }

// appendJSON appends the text of a JSON string. It appends any other value as it is written.
func (j *textBuffer) appendJSON(value json.RawMessage) {
	if len(value) < 2 || value[0] != '"' {
		j.bytes = append(j.bytes, value...)
		return
	}
	text := value[1 : len(value)-1]
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			j.bytes = append(j.bytes, text[i])
			continue
		}
		i++
		// The JSON is valid, so four hexadecimal digits follow.
		if text[i] == 'u' && i+4 < len(text) {
			unit, _ := strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
			j.appendUnit(rune(unit))
			i += 4
			continue
		}
		j.bytes = append(j.bytes, unescape(text[i]))
	}
}

// unescape returns the character that a backslash and c mean.
func unescape(c byte) byte {
	if i := strings.IndexByte("bfnrt", c); i >= 0 {
		return "\b\f\n\r\t"[i]
	}
	return c
}

// appendUnit appends a UTF-16 code unit, and joins two surrogates to one character.
func (j *textBuffer) appendUnit(unit rune) {
	// The three bytes before may be the first half of a pair, from this part or the one before.
	if n := len(j.bytes) - 3; n >= 0 {
		if pair := utf16.DecodeRune(decodeSurrogate(j.bytes[n:]), unit); pair != utf8.RuneError {
			j.bytes = utf8.AppendRune(j.bytes[:n], pair)
			return
		}
	}
	if utf16.IsSurrogate(unit) {
		j.bytes = append(j.bytes, 0xed, 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
		return
	}
	j.bytes = utf8.AppendRune(j.bytes, unit)
}

// decodeSurrogate decodes three bytes of WTF-8 as a surrogate, or returns U+FFFD.
func decodeSurrogate(b []byte) rune {
	if b[0] != 0xed || b[1] < 0xa0 {
		return utf8.RuneError
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}

// empty reports whether nothing was appended.
func (j *textBuffer) empty() bool { return len(j.bytes) == 0 }

// valid reports whether the text has whole characters alone.
func (j *textBuffer) valid() bool { return utf8.Valid(j.bytes) }

// String returns the text, with U+FFFD for what is no character.
func (j *textBuffer) String() string { return string([]rune(string(j.bytes))) }
