package textscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// longestRedrawn is the longest line that is resolved on a terminal screen, in
// bytes.
const longestRedrawn = 64 << 10

// Redraws reports whether a line moves the cursor back over itself: a spinner,
// a counter, a progress bar. A line that moves it to other lines cannot be
// resolved alone, and its moves stay visible.
func Redraws(text []byte) bool {
	moves, blank := bytes.IndexByte(text, '\b') >= 0, true
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte("\x1b["))
		if i < 0 {
			return moves
		}
		blank = blank && i == 0
		for at += i + 2; at < len(text) && text[at] >= 0x20 && text[at] < 0x40; at++ {
		}
		if at == len(text) {
			return moves
		}
		switch text[at] {
		case 'C', 'D', 'G':
			moves = true
		case 'A', 'F':
			if !blank {
				return false
			}
			moves = true // and then the line begins, where an earlier one did
		case 'B', 'E', 'H', 'J', 'L', 'M', 'S', 'T':
			return false
		}
	}
}

// LinesUp returns how many lines above itself a line begins, because the tool
// redraws those: 0 for nearly all.
func LinesUp(text []byte) (n int) {
	for len(text) > 2 && text[0] == 0x1b && text[1] == '[' {
		end, count := 2, 0
		for ; end < len(text) && text[end] >= 0x20 && text[end] < 0x40; end++ {
			if c := text[end]; c >= '0' && c <= '9' && count < 1000 {
				count = 10*count + int(c-'0')
			}
		}
		if end < len(text) && (text[end] == 'A' || text[end] == 'F') {
			n += max(1, count)
		}
		text = text[min(len(text), end+1):]
	}
	return n
}

// LastState returns what a terminal shows of a line in the end. It reports
// false where the line alone does not decide that, or where the result would be
// longer than the line.
func LastState(text []byte) ([]byte, bool) {
	if len(text) > longestRedrawn || !utf8.Valid(text) || hasString(text) {
		return nil, false
	}
	r := row{columns: len(text) + 1}
	r.draw(text)
	shown := []byte(strings.TrimRight(string(r.cells), " \t"))
	if len(shown) == 0 || len(shown) > len(text) {
		return nil, false
	}
	return shown, true
}

// hasString reports whether a line has a control string (OSC, DCS, SOS, PM or
// APC), which is no text.
func hasString(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == 0x1b && bytes.IndexByte([]byte("]P_^X"), text[i+1]) >= 0 {
			return true
		}
	}
	return false
}
