package textscan

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is a terminal of one row. It draws text without control strings as
// terminal-to-html does, which tests compare it with: that library draws to
// HTML as well, by templates, and a binary with those keeps every exported
// method of every type, a sixth of its size.
type row struct {
	cells   []rune
	columns int
	// x and y are the position of the cursor. A y above 0 is below the row,
	// where the next character begins another row in its place.
	x, y           int
	savedX, savedY int
}

// draw draws the text. Bytes of an escape sequence that is none are text, those
// of one that does not end are nothing.
func (r *row) draw(text []byte) {
	for at := 0; at < len(text); {
		char, size := utf8.DecodeRune(text[at:])
		if char != 0x1b {
			r.put(char)
			at += size
			continue
		}
		next, size := utf8.DecodeRune(text[at+1:])
		switch {
		case size == 0:
			return
		case next == '[':
			at = r.control(text, at)
		case next == '(' || next == ')': // a character set, whose name follows
			_, name := utf8.DecodeRune(text[at+2:])
			at += 2 + name
		case r.escape(next):
			at += 2
		default:
			at += size
		}
	}
}

// put writes a character, or moves the cursor.
func (r *row) put(char rune) {
	switch char {
	case '\n':
		r.x, r.y = 0, r.y+1
		return
	case '\r':
		r.x = 0
		return
	case '\b':
		r.x = max(0, r.x-1)
		return
	}
	if r.x >= r.columns {
		r.x, r.y = 0, r.y+1
	}
	if r.y > 0 {
		r.cells, r.y = r.cells[:0], 0
	}
	for len(r.cells) <= r.x {
		r.cells = append(r.cells, ' ')
	}
	r.cells[r.x] = char
	r.x++
}

// escape does what a character after an escape means, and reports whether it
// means something.
func (r *row) escape(char rune) bool {
	switch char {
	case 'M':
		r.y = max(0, r.y-1)
	case '7':
		r.savedX, r.savedY = r.x, r.y
	case '8':
		r.x, r.y = r.savedX, r.savedY
	case '=', '>':
	default:
		return false
	}
	return true
}

// control does what the control sequence at an offset means, and returns the
// offset after it.
func (r *row) control(text []byte, start int) int {
	var parameters []string
	from := start + 2
	for at := from; at < len(text); {
		char, size := utf8.DecodeRune(text[at:])
		switch char = unicode.ToUpper(char); {
		case char == '?' || char >= '0' && char <= '9':
		case char == 'I' || char == 'L' || char == 'N':
			return at + size
		case char == ';' || char >= 'A' && char <= 'H' || char == 'J' || char == 'K' || char == 'M' || char == 'Q':
			if from < at {
				parameters = append(parameters, string(text[from:at]))
			}
			if char != ';' {
				r.apply(char, parameters)
				return at + size
			}
			from = at + 1
		default:
			return start + size
		}
		at += size
	}
	return len(text)
}

// apply does what the last character of a control sequence means.
func (r *row) apply(command rune, parameters []string) {
	parameters = append(parameters, "", "")
	if strings.HasPrefix(parameters[0], "?") {
		return
	}
	n := count(parameters[0])
	switch command {
	case 'A':
		r.y = max(0, r.y-n)
	case 'B':
		r.down(n)
	case 'C':
		r.x = min(r.x+n, r.columns-1)
	case 'D':
		r.x = max(0, r.x-n)
	case 'E':
		r.x = 0
		r.down(n)
	case 'F':
		r.x, r.y = 0, max(0, r.y-n)
	case 'G':
		r.x = min(max(0, n-1), r.columns-1)
	case 'H': // on a row of its own, because no row is known by its number
		if r.y == 0 && len(r.cells) > 0 {
			r.y++
		}
		r.x = min(max(0, count(parameters[1])-1), r.columns-1)
	case 'J':
		r.erase(parameters[0], true)
	case 'K':
		r.erase(parameters[0], false)
	}
}

// down moves the cursor down, at most to the last row, which is the only one.
func (r *row) down(n int) {
	if r.y += n; r.y > 0 {
		r.y = 0
	}
}

// erase erases a part of the row, or of the display, which also has what is
// above the cursor.
func (r *row) erase(part string, display bool) {
	here := r.y == 0
	switch {
	case part == "2" && (here || display), part == "3" && display, part == "1" && !here && display:
		r.cells = r.cells[:0]
	case (part == "" || part == "0") && here:
		r.cells = r.cells[:min(r.x, len(r.cells))]
	case part == "1" && here && r.x >= len(r.cells)-1:
		r.cells = r.cells[:0]
	case part == "1" && here:
		for i := range r.x + 1 {
			r.cells[i] = ' '
		}
	}
}

// count returns the number in a parameter, or one that is beyond every screen;
// 1: it has none.
func count(parameter string) int {
	n, err := strconv.ParseInt(parameter, 10, 64)
	if err != nil {
		return 1
	}
	return int(min(n, math.MaxInt32))
}
