package textscan

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Programs draw several rows over and over: the layers of an image, bars of a download,
// a table that is watched. Screen shows what a terminal shows of them in the end. Rows
// that leave the part of the screen that is drawn on are final.

// Bounds of a screen.
const (
	screenRows    = 200 // that can be drawn on
	screenColumns = 500 // to which the cursor can be moved
)

// MovesRows reports whether a text moves the cursor to other rows, clears the screen, or
// changes to the alternate one.
func MovesRows(text []byte) bool {
	for {
		i := bytes.IndexByte(text, escape)
		if i < 0 || i+1 >= len(text) {
			return false
		}
		text = text[i+1:]
		if text[0] == 'c' || text[0] == 'M' {
			return true
		}
		if text[0] != '[' {
			continue
		}
		if s, n := readSequence(text[1:]); n > 0 && s.movesRows() {
			return true
		}
	}
}

// sequence is a control sequence behind its introducer: ECMA-48 5.4.
type sequence struct {
	private bool
	numbers [2]int // -1: not given
	final   byte
}

// readSequence reads a control sequence, and returns its length; 0 for one that does not end.
func readSequence(b []byte) (s sequence, n int) {
	s.numbers = [2]int{-1, -1}
	at := 0
	for ; n < len(b) && b[n] >= 0x30 && b[n] <= 0x3f; n++ {
		switch c := b[n]; {
		case c == ';':
			at++
		case c > '9':
			s.private = true
		case at < len(s.numbers):
			s.numbers[at] = min(10*max(0, s.numbers[at])+int(c-'0'), 1<<16)
		}
	}
	for ; n < len(b) && b[n] >= 0x20 && b[n] <= 0x2f; n++ {
	}
	if n == len(b) || b[n] < 0x40 || b[n] > 0x7e {
		return s, 0
	}
	s.final = b[n]
	return s, n + 1
}

// movesRows reports whether a sequence is of a display of several rows.
func (s sequence) movesRows() bool {
	switch s.final {
	case 'A', 'B', 'E', 'F', 'H', 'L', 'M', 'd', 'f':
		return !s.private
	case 'J':
		return !s.private && s.numbers[0] > 0
	case 'h', 'l':
		return s.alternate()
	}
	return false
}

// alternate reports whether a sequence changes the screen.
func (s sequence) alternate() bool {
	return s.private && (s.numbers[0] == 1049 || s.numbers[0] == 1047 || s.numbers[0] == 47)
}

// count returns the first number of a sequence, at least 1.
func (s sequence) count() int { return max(1, s.numbers[0]) }

// Screen returns what a terminal shows of a text in the end, without colours. It reports false if that is longer than the
// text. The time is linear in the size of the text.
func Screen(text []byte) ([]byte, bool) {
	s := screen{most: len(text), rows: [][]rune{nil}}
	for len(text) > 0 && len(s.out) <= s.most {
		text = text[s.draw(text):]
	}
	s.commit()
	if n := len(s.out); n > 0 && !s.ended {
		s.out = s.out[:n-1] // the last row has no line end
	}
	return s.out, len(s.out) <= s.most
}

// screen is the rows that can be drawn on, by their characters. A byte that is no UTF-8 is a negative number.
type screen struct {
	out            []byte // final rows
	most           int    // bytes of them
	rows           [][]rune
	y, x           int // position of the cursor
	savedY, savedX int
	drawn          bool // the rows are a picture that begins at the top of the screen, so clearing it drops them
	ended          bool // the text so far ends with a line end
	left           bool // the last sequence left the alternate screen, whose last row has ended
}

// draw draws the next character or sequence, and returns its length.
func (s *screen) draw(text []byte) int {
	left := s.left
	s.ended, s.left = false, false
	switch c := text[0]; {
	case c == '\n':
		if s.ended = true; !left {
			s.feed()
		}
		s.x = 0
	case c == '\r':
		s.x = 0
	case c == '\b':
		s.x = max(0, s.x-1)
	case c == escape:
		return s.escape(text)
	default:
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			r = -rune(c)
		}
		s.put(r)
		return n
	}
	return 1
}

// escape draws a sequence, and returns its length. One that does not end is shown.
func (s *screen) escape(text []byte) int {
	if len(text) > 1 {
		switch c := text[1]; {
		case c == '[':
			if q, n := readSequence(text[2:]); n > 0 {
				s.control(q)
				return 2 + n
			}
		case beginsString(c):
			if n := controlString(text); n > 0 {
				return n
			}
		case c >= 0x20 && c <= 0x2f:
			if n := intermediate(text); n > 0 {
				return n
			}
		case s.single(c):
			return 2
		}
	}
	s.put(escape)
	return 1
}

// single does what a character after an escape means, and reports whether it means something.
func (s *screen) single(c byte) bool {
	switch c {
	case 'c':
		s.clear()
		s.y, s.x = 0, 0
	case 'M':
		s.y = max(0, s.y-1)
	case '7':
		s.save()
	case '8':
		s.restore()
	case '=', '>':
	default:
		return false
	}
	return true
}

// save and restore keep the position of the cursor.
func (s *screen) save()    { s.savedY, s.savedX = s.y, s.x }
func (s *screen) restore() { s.y, s.x = min(s.savedY, len(s.rows)-1), s.savedX }

// control does what a control sequence means. One that moves and erases nothing is removed.
func (s *screen) control(q sequence) {
	if q.private {
		if q.alternate() {
			s.left = q.final == 'l' && s.y+s.x > 0
			s.commit()
			s.drawn = q.final == 'h'
		}
		return
	}
	n := q.count()
	switch q.final {
	case 'A', 'F':
		s.y = max(0, s.y-n)
	case 'B', 'E':
		s.below(s.y + n)
	case 'C':
		s.x = min(s.x+n, max(s.x, screenColumns))
	case 'D':
		s.x = max(0, s.x-n)
	case 'G':
		s.x = min(n-1, screenColumns)
	case 'd':
		s.below(n - 1)
	case 'H', 'f':
		if !s.drawn {
			s.commit()
			s.drawn = true
		}
		s.below(n - 1)
		s.x = min(max(1, q.numbers[1])-1, screenColumns)
	case 'J':
		s.erase(q.numbers[0])
	case 'K':
		s.eraseRow(q.numbers[0])
	case 'L':
		s.insert(n)
	case 'M':
		s.rows = slices.Delete(s.rows, s.y, min(len(s.rows), s.y+n))
		s.rows = append(s.rows, nil)
		s.y = min(s.y, len(s.rows)-1)
	case 's':
		s.save()
	case 'u':
		s.restore()
	}
	if q.final == 'E' || q.final == 'F' {
		s.x = 0
	}
}

// below moves the cursor to a row. Only a picture has rows that no line end made.
func (s *screen) below(y int) {
	for s.drawn && len(s.rows) <= y && len(s.rows) < screenRows {
		s.rows = append(s.rows, nil)
	}
	s.y = min(y, len(s.rows)-1)
}

// insert inserts empty rows at the cursor.
func (s *screen) insert(n int) {
	for range min(n, screenRows-len(s.rows)) {
		s.rows = slices.Insert(s.rows, s.y, nil)
	}
}

// feed ends a row. One that leaves the screen at its top is final.
func (s *screen) feed() {
	if s.y++; s.y < len(s.rows) {
		return
	}
	if s.rows = append(s.rows, nil); len(s.rows) > screenRows {
		s.emit(s.rows[0])
		s.rows = slices.Delete(s.rows, 0, 1)
		s.y--
	}
}

// clear clears the screen. What was there before the program began to draw stays.
func (s *screen) clear() {
	y, x := s.y, s.x
	if !s.drawn {
		s.commit()
		y, x = 0, 0
	}
	s.rows, s.drawn = [][]rune{nil}, true
	s.below(y)
	s.x = x
}

// erase erases a part of the screen.
func (s *screen) erase(part int) {
	switch part {
	case 2, 3:
		s.clear()
	case 1:
		clear(s.rows[:s.y])
		s.eraseRow(1)
	default:
		s.eraseRow(0)
		s.rows = s.rows[:s.y+1]
	}
}

// eraseRow erases a part of the row of the cursor.
func (s *screen) eraseRow(part int) {
	row := s.rows[s.y]
	switch {
	case part == 2, part == 1 && (s.x >= len(row)-1 || s.x > screenColumns):
		s.rows[s.y] = nil
	case part == 1:
		for i := range s.x + 1 {
			row[i] = ' '
		}
	default:
		s.rows[s.y] = row[:min(len(row), s.x)]
	}
}

// put writes a character at the cursor.
func (s *screen) put(r rune) {
	row := s.rows[s.y]
	s.x = min(s.x, max(len(row), screenColumns))
	for len(row) <= s.x {
		row = append(row, ' ')
	}
	row[s.x] = r
	s.rows[s.y] = row
	s.x++
}

// commit makes all rows final.
func (s *screen) commit() {
	last := len(s.rows)
	for last > 0 && len(s.rows[last-1]) == 0 {
		last-- // below what was drawn
	}
	for _, row := range s.rows[:last] {
		s.emit(row)
	}
	s.rows, s.y, s.x, s.drawn = [][]rune{nil}, 0, 0, false
}

// emit writes a final row.
func (s *screen) emit(row []rune) {
	for len(row) > 0 && row[len(row)-1] == ' ' {
		row = row[:len(row)-1]
	}
	for _, r := range row {
		if r < 0 {
			s.out = append(s.out, byte(-r))
			continue
		}
		s.out = utf8.AppendRune(s.out, r)
	}
	s.out = append(s.out, '\n')
}
