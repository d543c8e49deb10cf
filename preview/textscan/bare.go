package textscan

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// Words are searched in the text that a reader sees: an escape sequence or an
// invisible character inside of a word, or before it, does not hide it.

// hiddenLeads marks the first bytes of the encodings of invisible characters.
var hiddenLeads = func() (t [256]bool) {
	for _, c := range []byte{0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3} {
		t[c] = true
	}
	return t
}()

// hiddenWindow is how many bytes are searched for an escape before they are
// searched for an invisible character, so that no byte is searched often.
const hiddenWindow = 4 << 10

// NextHidden returns where the first escape or invisible character begins in b
// at or after an offset, or -1.
func NextHidden(b []byte, from int) int {
	for from < len(b) {
		end, found := min(len(b), from+hiddenWindow), false
		if at := bytes.IndexByte(b[from:end], escape); at >= 0 {
			end, found = from+at, true
		}
		if at := nextInvisible(b, from, end); at >= 0 {
			return at
		}
		if found {
			return end
		}
		from = end
	}
	return -1
}

// nextInvisible returns where the first invisible character begins in b from
// one offset to another, or -1. It passes over 32 bytes at a time where these
// are ASCII.
func nextInvisible(b []byte, from, end int) int {
	const high = 0x8080808080808080
	for at := from; at < end; at++ {
		for at+32 <= end {
			p := b[at : at+32 : at+32]
			if (binary.LittleEndian.Uint64(p)|binary.LittleEndian.Uint64(p[8:])|binary.LittleEndian.Uint64(p[16:])|binary.LittleEndian.Uint64(p[24:]))&high != 0 {
				break
			}
			at += 32
		}
		for at < end && b[at] < utf8.RuneSelf {
			at++
		}
		for ; at < end && b[at] >= utf8.RuneSelf; at++ {
			if hiddenLeads[b[at]] && isHidden(b[at:]) {
				return at
			}
		}
	}
	return -1
}

// isHidden reports whether b begins with an invisible character.
func isHidden(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return invisibleClass(r) != classNone
}

// Bare returns a line without escape sequences of any kind and without
// invisible characters: text itself if it has none, else a copy.
func Bare(text []byte) []byte {
	if NextHidden(text, 0) < 0 {
		return text
	}
	return AppendBare(make([]byte, 0, len(text)), text)
}

// AppendBare appends the bare form of a line to dst. It differs from the
// visible form: moves of the cursor go too, and other bytes stay as they are.
func AppendBare(dst, text []byte) []byte {
	for {
		at := NextHidden(text, 0)
		if at < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:at]...), text[at:]
		text = text[hiddenLength(text):]
	}
}

// BareAt returns the bare form of a text that has something hidden, and the offset in the text of each of its bytes; nil, nil if
// nothing is hidden.
func BareAt(text []byte) (bare []byte, at []int) {
	next := NextHidden(text, 0)
	if next < 0 {
		return nil, nil
	}
	bare, at = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for from := 0; from < len(text); next = NextHidden(text, from) {
		if next < 0 {
			next = len(text)
		}
		for i := from; i < next; i++ {
			at = append(at, i)
		}
		bare = append(bare, text[from:next]...)
		if from = next; from < len(text) {
			from += hiddenLength(text[from:])
		}
	}
	return bare, at
}

// hiddenLength returns the length of the escape sequence or the invisible
// character that b begins with. Of a sequence that does not end, a control
// sequence is all of b, and of others two bytes are.
func hiddenLength(b []byte) int {
	if b[0] != escape {
		_, n := utf8.DecodeRune(b)
		return n
	}
	if len(b) < 2 {
		return 1
	}
	switch c := b[1]; {
	case c == escape:
		return 1
	case c == '[':
		end := 2
		for end < len(b) && (b[end] < '@' || b[end] > '~') {
			end++
		}
		return min(end+1, len(b))
	case beginsString(c):
		return max(2, controlString(b))
	case c >= 0x20 && c <= 0x2f:
		return max(2, intermediate(b))
	case c >= utf8.RuneSelf: // a character, which is no part of a sequence
		return 1
	}
	return 2
}
