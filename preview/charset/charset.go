// Package charset decodes text that is not UTF-8: what Windows programs write (UTF-16 and
// code pages), and the legacy encodings of languages.
//
//	Decode  decodes a payload whose encoding is certain
//	Wide    finds out whether a payload is UTF-16
//
// Nothing is guessed. An encoding is certain if it is declared by a byte order mark, or
// if all of the payload is valid in it and nearly all characters are common ones of a
// language that is written in it. Other text stays as it is, with its bytes that are no
// UTF-8 counted.
package charset

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// sampled is how much of a payload is looked at to find its encoding, in bytes.
const sampled = 64 << 10

// Decode returns a payload as UTF-8, and the name of its encoding as the WHATWG names
// it. It returns "" for UTF-8, for a payload that is no text, and where the encoding is
// not certain.
func Decode(payload []byte) (text []byte, name string) {
	e, name := find(payload)
	if e == nil {
		if text = narrowed(payload); text != nil {
			return text, "utf-16le"
		}
		return nil, ""
	}
	text, err := e.NewDecoder().Bytes(payload)
	if err != nil {
		return nil, ""
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), name
}

// find returns the encoding of a payload; nil if it is UTF-8 or not certain.
func find(payload []byte) (encoding.Encoding, string) {
	if e, name := Wide(payload); e != nil {
		return e, name
	}
	head := payload[:min(len(payload), sampled)]
	if utf8.Valid(head) {
		if head = payload; utf8.Valid(head) {
			return nil, ""
		}
		head = around(payload)
	}
	if !isText(head) || hasUTF8(head) {
		return nil, ""
	}
	if c := multibyte(head); c != nil {
		return c.encoding, c.name
	}
	return singleByte(head)
}

// around returns the part of a payload around its first byte that is no UTF-8.
func around(payload []byte) []byte {
	at := 0
	for at < len(payload) {
		r, n := utf8.DecodeRune(payload[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	from := bytes.LastIndexByte(payload[:at], '\n') + 1
	return payload[from:min(len(payload), from+sampled)]
}

// isText reports whether bytes have no control characters that text has not.
func isText(b []byte) bool {
	for _, c := range b {
		if c < 0x07 || c > 0x0d && c < 0x20 && c != 0x1b || c == 0x7f {
			return false
		}
	}
	return true
}

// hasUTF8 reports whether bytes have more characters of UTF-8 than bytes that are none:
// then it is UTF-8 that is damaged.
func hasUTF8(b []byte) bool {
	valid, invalid := 0, 0
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		switch {
		case r == utf8.RuneError && n == 1:
			invalid++
		case n > 1:
			valid++
		}
		at += n
	}
	return valid > invalid
}

// Wide returns the encoding of a payload that is UTF-16, and its name; nil for others.
// Encoding gives back the payload, with its byte order mark.
func Wide(payload []byte) (encoding.Encoding, string) {
	head := payload[:min(len(payload), sampled)&^1]
	switch {
	case len(payload)%2 != 0 && len(payload) <= sampled && !hasMark(payload): // the last byte may be a line end of the shell
		return nil, ""
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) && isWide(head[2:], 1, 0):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}) && isWide(head[2:], 0, 0):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	case len(head) < leastWide || bytes.IndexByte(head, 0) < 0:
		return nil, ""
	case isWide(head, 1, leastASCII):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case isWide(head, 0, leastASCII):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	return nil, ""
}

// leastRun is how many characters of UTF-16 follow each other among other text, at least.
const leastRun = 4

// narrowed returns a text of UTF-8 in which some programs wrote UTF-16, little endian, as
// a script has it that calls wsl.exe; nil for others. All of it must be text afterwards.
func narrowed(payload []byte) []byte {
	if bytes.IndexByte(payload[:min(len(payload), sampled)], 0) < 0 {
		return nil
	}
	out := make([]byte, 0, len(payload))
	for i := 0; i < len(payload); {
		end := i
		for end+1 < len(payload) && payload[end+1] == 0 && payload[end] != 0 {
			end += 2
		}
		if end-i < 2*leastRun {
			if payload[i] == 0 {
				return nil
			}
			out = append(out, payload[i])
			i++
			continue
		}
		for ; i < end; i += 2 {
			out = utf8.AppendRune(out, rune(payload[i]))
		}
	}
	if !isText(out) || !utf8.Valid(out) {
		return nil
	}
	return out
}

// hasMark reports whether a payload begins with a byte order mark of UTF-16.
func hasMark(payload []byte) bool {
	return bytes.HasPrefix(payload, []byte{0xff, 0xfe}) || bytes.HasPrefix(payload, []byte{0xfe, 0xff})
}

// Bounds of UTF-16 without a byte order mark.
const (
	leastWide  = 8  // bytes
	leastASCII = 25 // percent of characters that are ASCII
)

// isWide reports whether bytes are UTF-16 with the high byte of each unit at an offset: no
// surrogate is alone, no control character is one that text has not, and at least a
// percentage is ASCII.
func isWide(b []byte, high, percent int) bool {
	ascii, all := 0, 0
	for i := 0; i+1 < len(b); i += 2 {
		u := uint16(b[i+high])<<8 | uint16(b[i+1-high])
		all++
		switch {
		case u >= 0xd800 && u < 0xdc00:
			if i+3 >= len(b) {
				break // it is cut
			}
			if next := b[i+2+high]; next < 0xdc || next > 0xdf {
				return false
			}
			i += 2
		case u >= 0xdc00 && u < 0xe000, u >= 0xfffe, u >= 0xe000 && u < 0xf900, u < 0x07, u > 0x0d && u < 0x20 && u != 0x1b, u >= 0x7f && u < 0xa0:
			return false
		case u < 0x7f:
			ascii++
		}
	}
	return all > 0 && ascii*100 >= all*percent
}

// candidate is an encoding of characters of two bytes, and its test.
type candidate struct {
	name     string
	encoding encoding.Encoding
	lead     func(c byte) bool
	trail    func(c byte) bool
	single   func(c byte) bool // high bytes that are characters alone
	common   func(a, b byte) int
}

// between returns whether a byte is in one of some ranges.
func between(ranges ...byte) func(byte) bool {
	return func(c byte) bool {
		for i := 0; i < len(ranges); i += 2 {
			if c >= ranges[i] && c <= ranges[i+1] {
				return true
			}
		}
		return false
	}
}

var (
	never  = between()
	high94 = between(0xa1, 0xfe)
)

// Kinds of characters.
const (
	rareChar = iota
	commonChar
	kanaChar // also common; only Japanese has many
)

// candidates are in the order in which they are asked: what is more special first. The
// common characters are those of the first levels of JIS X 0208, GB 2312, KS X 1001 and
// Big5, their punctuation, kana and letters.
var candidates = []candidate{
	{"euc-jp", japanese.EUCJP, between(0xa1, 0xfe, 0x8e, 0x8e), high94, never, func(a, _ byte) int {
		switch {
		case a == 0xa4 || a == 0xa5:
			return kanaChar
		case a >= 0xa1 && a <= 0xa3 || a >= 0xb0 && a <= 0xcf:
			return commonChar
		}
		return rareChar
	}},
	{"shift_jis", japanese.ShiftJIS, between(0x81, 0x9f, 0xe0, 0xfc), between(0x40, 0x7e, 0x80, 0xfc), between(0xa1, 0xdf), func(a, b byte) int {
		switch {
		case a == 0x82 && b >= 0x9f && b <= 0xf1, a == 0x83 && b <= 0x96:
			return kanaChar
		case a == 0x81 || a == 0x82 || a >= 0x88 && a <= 0x98:
			return commonChar
		}
		return rareChar
	}},
	{"euc-kr", korean.EUCKR, between(0xa1, 0xfe), high94, never, func(a, _ byte) int {
		if a >= 0xb0 && a <= 0xc8 || a == 0xa1 || a == 0xa3 {
			return commonChar
		}
		return rareChar
	}},
	{"gb18030", simplifiedchinese.GB18030, between(0x81, 0xfe), between(0x40, 0x7e, 0x80, 0xfe), never, func(a, b byte) int {
		if b >= 0xa1 && (a >= 0xb0 && a <= 0xd7 || a >= 0xa1 && a <= 0xa3) {
			return commonChar
		}
		return rareChar
	}},
	{"big5", traditionalchinese.Big5, between(0x81, 0xfe), between(0x40, 0x7e, 0xa1, 0xfe), never, func(a, b byte) int {
		if a >= 0xa4 && a <= 0xc6 || a == 0xa1 {
			return commonChar
		}
		return rareChar
	}},
}

// Bounds of text in characters of two bytes.
const (
	leastPairs  = 4
	leastCommon = 90 // percent
	leastKana   = 20 // percent, of Japanese
	leastMargin = 10 // percent more common characters than in any other encoding
	leastSpaces = 8  // percent of the characters of Korean are followed by a blank
)

// multibyte returns the encoding of text in characters of two bytes; nil where it is not certain.
func multibyte(b []byte) *candidate {
	var best *candidate
	first, second := 0, 0
	for i := range candidates {
		c := &candidates[i]
		share := c.share(b)
		switch {
		case share > first:
			best, first, second = c, share, first
		case share > second:
			second = share
		}
	}
	if first < leastCommon || first-second < leastMargin && !best.isSpecial() {
		return nil
	}
	return best
}

// isSpecial reports whether text of an encoding has a sign that others lack: kana, or words with blanks between them.
func (c *candidate) isSpecial() bool { return c.name != "gb18030" && c.name != "big5" }

// share returns the percentage of characters that are common; 0 if bytes are not valid.
func (c *candidate) share(b []byte) int {
	pairs, common, kana, spaces, short := 0, 0, 0, 0, 0
	for i := 0; i < len(b); i++ {
		if b[i] < 0x80 {
			continue
		}
		if c.single(b[i]) {
			pairs, common = pairs+1, common+1
			continue
		}
		if !c.lead(b[i]) {
			return 0
		}
		if i+1 == len(b) {
			break // it is cut
		}
		if !c.trail(b[i+1]) {
			return 0
		}
		pairs++
		switch c.common(b[i], b[i+1]) {
		case kanaChar:
			kana++
			common++
		case commonChar:
			common++
		}
		if b[i+1] < 0x80 {
			short++
		}
		if i++; i+1 < len(b) && b[i+1] == ' ' {
			spaces++
		}
	}
	switch {
	case pairs < leastPairs:
		return 0
	case c.encoding == japanese.EUCJP, c.encoding == japanese.ShiftJIS:
		if kana*100 < pairs*leastKana {
			return 0
		}
	case c.encoding == korean.EUCKR:
		if spaces*100 < pairs*leastSpaces {
			return 0
		}
	case c.encoding == traditionalchinese.Big5:
		if short*100 < pairs*leastKana {
			return 0
		}
	}
	return common * 100 / pairs
}

// letters are the letters of a language in an encoding of one byte.
type letters struct {
	name     string
	encoding encoding.Encoding
	common   string // the letters that most of a text consists of, or that it has beside ASCII
	words    bool   // words consist of such letters alone
}

// alphabets are the encodings of one byte. Latin letters stand beside ASCII letters. The
// words of Russian consist of other letters, of which the given ones are two in three.
var alphabets = []letters{
	{"windows-1252", charmap.Windows1252, "àâäåáãæçéèêëíîïñóôöõøœúùûüßÀÂÄÅÁÃÆÇÉÈÊËÍÎÏÑÓÔÖÕØŒÚÙÛÜ€’‘“”–—…«»°§©®·¡¿ºª£", false},
	{"ibm850", charmap.CodePage850, "äöüÄÖÜßéèêàâçôûîïëùåÅæÆøØñÑáíóú", false},
	{"windows-1251", charmap.Windows1251, "оеаинтсрвлкмдпу", true},
	{"koi8-r", charmap.KOI8R, "оеаинтсрвлкмдпу", true},
	{"ibm866", charmap.CodePage866, "оеаинтсрвлкмдпу", true},
}

// Bounds of text in one byte a character, in percent.
const (
	leastLatin   = 95 // of its letters that are not ASCII are of the alphabet
	mostLatin    = 30 // of its letters are not ASCII
	leastRussian = 60 // of its letters are the usual ones
)

// singleByte returns the encoding of text in one byte a character; nil where it is not certain.
func singleByte(b []byte) (encoding.Encoding, string) {
	var best *letters
	first, second := 0, 0
	for i := range alphabets {
		a := &alphabets[i]
		share := a.share(b)
		switch {
		case share > first:
			best, first, second = a, share, first
		case share > second:
			second = share
		}
	}
	if best == nil || first == second || best.words && first-second < leastMargin {
		return nil, ""
	}
	return best.encoding, best.name
}

// share returns how much of what is not ASCII is usual, in percent; 0 if it is too little.
func (a *letters) share(b []byte) int {
	table := a.table()
	high, usual, beside, ascii := 0, 0, 0, 0
	for i, c := range b {
		if c < 0x80 {
			if c|0x20 >= 'a' && c|0x20 <= 'z' {
				ascii++
			}
			continue
		}
		high++
		if table[c] {
			usual++
		}
		if i > 0 && isASCIILetter(b[i-1]) || i+1 < len(b) && isASCIILetter(b[i+1]) {
			beside++
		}
	}
	if high == 0 {
		return 0
	}
	share := usual * 100 / high
	switch {
	case a.words:
		if share < leastRussian || high < 8 || beside*10 > high {
			return 0
		}
	case share < leastLatin || high*100 > (ascii+high)*mostLatin || beside*2 < high:
		return 0
	}
	return share
}

// table returns the bytes of the usual letters.
func (a *letters) table() (set [256]bool) {
	usual := map[rune]bool{}
	for _, r := range a.common {
		usual[r] = true
	}
	for c := 0x80; c < 0x100; c++ {
		if r, _ := utf8.DecodeRune(decodeByte(a.encoding, byte(c))); usual[r] {
			set[c] = true
		}
	}
	return set
}

// decodeByte returns a byte as UTF-8.
func decodeByte(e encoding.Encoding, c byte) []byte {
	text, err := e.NewDecoder().Bytes([]byte{c})
	if err != nil {
		return nil
	}
	return text
}

// isASCIILetter reports whether c is a letter of ASCII.
func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
