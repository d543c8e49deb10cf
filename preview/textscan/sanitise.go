package textscan

import (
	"bytes"
	"unicode/utf8"
)

// The visible form of one line: which bytes stay, which are shown by a symbol
// and which go. The order of the cases is the order of attacks it answers:
// escape sequences, C0 and C1 controls, line breaks that are no newline,
// invisible characters. Plain text takes a fast path that copies without a look
// at each rune.

// Changes counts what sanitising changed, in bytes of the payload and in
// places. The zero value is a text that is its own visible form.
type Changes struct {
	ControlBytes, Controls     int64 // bytes and places of removed escape sequences
	Strings                    int64 // places of those that are control strings
	InvisibleBytes, Invisibles int64 // bytes and places of removed invisible characters
	RepeatBytes, Repeats       int64 // bytes and places of control characters that repeat one
	Replaced                   int64 // bytes shown as U+FFFD
	Invalid                    int64 // those of them that are no valid UTF-8
	Escaped                    int64 // bytes shown as a visible symbol
	Invisible                  Invisible
}

// Add adds the counts of another text.
func (a *Changes) Add(o *Changes) {
	a.ControlBytes += o.ControlBytes
	a.Controls += o.Controls
	a.Strings += o.Strings
	a.InvisibleBytes += o.InvisibleBytes
	a.Invisibles += o.Invisibles
	a.RepeatBytes += o.RepeatBytes
	a.Repeats += o.Repeats
	a.Replaced += o.Replaced
	a.Invalid += o.Invalid
	a.Escaped += o.Escaped
	a.Invisible.Add(o.Invisible)
}

// Invisible counts removed characters that a reader cannot see, by class. Marks
// are combining marks over the limit of one character, which hide those below.
type Invisible struct {
	Tags, Bidi, ZeroWidth, Marks int64
}

// Add adds the counts of another text.
func (v *Invisible) Add(o Invisible) {
	v.Tags += o.Tags
	v.Bidi += o.Bidi
	v.ZeroWidth += o.ZeroWidth
	v.Marks += o.Marks
}

// Symbols that replace characters that must not reach a reader. C0 controls
// are shown as their Unicode control picture, U+2400 + code.
const (
	symbolC0      = '\u2400'
	symbolDelete  = '\u2421'
	symbolNewline = '\u2424' // for NEL, U+2028 and U+2029
)

// plain marks the bytes that stay as they are: printable ASCII and tab.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = true
	}
	t['\t'] = true
	return t
}()

// Sanitise appends the visible form of one line, or of a part of one, to dst
// and sets the counts of a. The bytes must hold no newline that ends a line.
// Time is linear in the size of src.
func Sanitise(dst, src []byte, a *Changes) []byte {
	n := 0
	for n < len(src) && plain[src[n]] {
		n++
	}
	if n == len(src) {
		return append(dst, src...)
	}
	s := sanitiser{dst: dst, src: src, Changes: a}
	for s.at < len(src) {
		from := s.at
		for s.at < len(src) && plain[src[s.at]] {
			s.at++
		}
		if s.at > from {
			s.dst = append(s.dst, src[from:s.at]...)
			s.previous, s.marks = rune(src[s.at-1]), 0
		}
		if s.at < len(src) {
			s.special(src[s.at])
		}
	}
	return s.dst
}

// WithoutEscapes returns a line without its escape sequences: text itself if it
// has none, else a copy.
func WithoutEscapes(text []byte) []byte {
	if bytes.IndexByte(text, 0x1b) < 0 {
		return text
	}
	return Sanitise(nil, text, &Changes{})
}

// Sanitised reports whether text is its own visible form, line by line, as the
// text of every preview is. Combining marks over the limit do not count: they
// cannot pass for something else, and results without the limit can be rendered.
func Sanitised(text string) bool {
	if Clean(text, '\n') {
		return true
	}
	var a Changes
	src := []byte(text)
	from := 0
	for i, c := range src {
		if c == '\n' {
			Sanitise(nil, src[from:i], &a)
			from = i + 1
		}
	}
	Sanitise(nil, src[from:], &a)
	marks := Invisible{Marks: a.Invisible.Marks}
	return a == Changes{InvisibleBytes: a.InvisibleBytes, Invisibles: marks.Marks, Invisible: marks}
}

// OneLine returns text as one line in its visible form: line ends are made
// visible too.
func OneLine(text string) string {
	if Clean(text, '\t') {
		return text
	}
	return string(Sanitise(make([]byte, 0, len(text)+16), []byte(text), &Changes{}))
}

// Clean reports whether text is made of plain bytes and one other.
func Clean[T string | []byte](text T, other byte) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; !plain[c] && c != other {
			return false
		}
	}
	return true
}

// sanitiser is the state within one line.
type sanitiser struct {
	dst, src []byte
	at       int
	previous rune // the last rune that was kept
	marks    int  // combining marks since the last character that is none
	*Changes
}

// special handles one byte that is not plain.
func (s *sanitiser) special(c byte) {
	switch {
	case c == escape:
		s.escapeSequence()
	case c < 0x20 || c == 0x7f:
		s.c0(c)
	default:
		s.wide()
	}
}

// c0 shows a control character as a symbol; a run of the same one is shown
// once.
func (s *sanitiser) c0(c byte) {
	symbol := symbolC0 + rune(c)
	if c == 0x7f {
		symbol = symbolDelete
	}
	run := 1
	for c != escape && s.at+run < len(s.src) && s.src[s.at+run] == c {
		run++
	}
	s.at += run
	s.keep(symbol)
	s.Escaped++
	if run > 1 {
		s.RepeatBytes += int64(run - 1)
		s.Repeats++
	}
}

// wide handles a byte of 0x80 and above. A raw C1 byte is invalid UTF-8 and so
// is replaced like any other.
func (s *sanitiser) wide() {
	r, n := utf8.DecodeRune(s.src[s.at:])
	switch {
	case r == utf8.RuneError && n == 1:
		s.Replaced++
		s.Invalid++
		s.keep(utf8.RuneError)
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		s.Escaped += int64(n)
		s.keep(symbolNewline)
	case r < 0xa0:
		s.Replaced += int64(n) // a C1 control
		s.keep(utf8.RuneError)
	case s.hidden(r, n), s.overMarked(r):
		s.InvisibleBytes += int64(n)
		s.Invisibles++
	default:
		s.dst = append(s.dst, s.src[s.at:s.at+n]...)
		s.previous = r
	}
	s.at += n
}

// keep appends a rune that replaces another.
func (s *sanitiser) keep(r rune) {
	s.dst = utf8.AppendRune(s.dst, r)
	s.previous, s.marks = r, 0
}

// overMarked reports whether a rune is a combining mark over the limit, and
// counts it. What joins characters does not end the marks of one.
func (s *sanitiser) overMarked(r rune) bool {
	if !isMark(r) {
		if invisibleClass(r) == classNone {
			s.marks = 0
		}
		return false
	}
	if s.marks == maxMarks {
		s.Invisible.Marks++
		return true
	}
	s.marks++
	return false
}

// hidden reports whether the rune of n bytes at the current place is invisible
// and joins nothing, and counts it by class.
func (s *sanitiser) hidden(r rune, n int) bool {
	switch invisibleClass(r) {
	case classTag:
		s.Invisible.Tags++
	case classBidi:
		s.Invisible.Bidi++
	case classZeroWidth:
		next, _ := utf8.DecodeRune(s.src[s.at+n:])
		if over := s.marks == maxMarks && isMark(next); !over && joins(r, s.previous, next) { // a mark over the limit is removed, too
			return false
		}
		s.Invisible.ZeroWidth++
	default:
		return false
	}
	return true
}

const escape = 0x1b

// escapeSequence handles ESC. Sequences that only dress text (colours, erase in
// line, titles, hyperlinks, character sets) are removed. Those that move text
// about are shown, with a symbol in place of ESC. So is an ESC that begins no
// complete sequence, because the bytes after it must not be lost.
func (s *sanitiser) escapeSequence() {
	if n := dressing(s.src[s.at:]); n > 0 {
		s.ControlBytes += int64(n)
		s.Controls++
		if beginsString(s.src[s.at+1]) {
			s.Strings++
		}
		s.at += n
		return
	}
	s.c0(escape)
}

// dressing returns the length of the escape sequence at the start of b if it
// only dresses text, and 0 otherwise. b begins with ESC. Sources: ECMA-48, and
// xterm's control sequences for OSC ended by BEL.
func dressing(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch c := b[1]; {
	case c == '[':
		return csi(b)
	case beginsString(c):
		return controlString(b)
	case c >= 0x20 && c <= 0x2f: // designates a character set
		return intermediate(b)
	}
	return 0
}

// beginsString reports whether ESC and c begin OSC, DCS, SOS, PM or APC.
func beginsString(c byte) bool { return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_' }

// csi returns the length of a control sequence that sets colours or erases in
// its line, 0 for others: ECMA-48 5.4, parameter bytes 0x30 to 0x3f,
// intermediate bytes 0x20 to 0x2f, a final byte.
func csi(b []byte) int {
	i := 2
	for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3f {
		i++
	}
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	if i < len(b) && (b[i] == 'm' || b[i] == 'K') {
		return i + 1
	}
	return 0
}

// controlString returns the length of OSC, DCS, SOS, PM or APC up to ST or BEL,
// 0 without an end. Another ESC ends the search, so that a line full of
// beginnings costs linear time.
func controlString(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == 0x07 && b[1] == ']':
			return i + 1
		case b[i] == escape:
			if i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
			return 0
		}
	}
	return 0
}

// intermediate returns the length of ESC, intermediate bytes and a final byte.
func intermediate(b []byte) int {
	i := 2
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	if i < len(b) && b[i] >= 0x30 && b[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// SniffBytes is how much of the start of a payload decides whether it is
// binary.
const SniffBytes = 8 << 10

// Bounds of what is binary.
const (
	fewStrange  = 16 // bytes: too little to call a short text binary
	fewControls = 50 // one byte in this many is a control character that text has not: text of an unknown encoding has fewer
	leastLines  = 4  // of text
	leastRead   = 3  // letters of a line that can be read
)

// IsBinary reports whether a payload is not text, by its first SniffBytes: more
// than one byte in ten is neither UTF-8 nor a control character that text has.
// Runs of one control character count once, so that padding does not decide.
// Bytes that are text of another encoding, or half of whose lines can be read,
// are no binary.
func IsBinary(start []byte) bool {
	start = start[:min(len(start), SniffBytes)]
	strange, controls, seen := 0, 0, 0
	for i := 0; i < len(start); {
		c := start[i]
		seen++
		if plain[c] {
			i++
			continue
		}
		if c < 0x80 {
			i++
			if odd(c) {
				strange++
				controls++
				for i < len(start) && start[i] == c {
					i++
				}
			}
			continue
		}
		r, n := utf8.DecodeRune(start[i:])
		if r == utf8.RuneError && n == 1 && utf8.FullRune(start[i:]) {
			strange++
		}
		i += n
	}
	return strange >= fewStrange && strange*10 > seen && controls*fewControls > seen && !hasLines(start)
}

// hasLines reports whether half of the lines can be read.
func hasLines(start []byte) bool {
	all, read := 0, 0
	for len(start) > 0 {
		line, rest, _ := bytes.Cut(start, []byte{'\n'})
		start = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if all++; len(line) >= leastRead && readable(line) {
			read++
		}
	}
	return all >= leastLines && read*2 >= all
}

// readable reports whether a line is UTF-8 without control characters that text has not.
func readable(line []byte) bool {
	for _, c := range line {
		if c < 0x80 && odd(c) {
			return false
		}
	}
	return utf8.Valid(line)
}

// odd reports whether text seldom has the control character c.
func odd(c byte) bool {
	if c >= 0x20 {
		return c == 0x7f
	}
	return c < 0x07 || c > 0x0d && c != escape
}
