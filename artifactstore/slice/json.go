package slice

// A JSON scanner that reads a text in windows and builds no values. encoding/json reads a whole value into memory, and its
// Decoder decodes every token that it passes: artifacts may be gigabytes, of which one value is wanted.
//
// The grammar is that of RFC 8259 as encoding/json accepts it, so that a text that has a value here is one there. Depth
// is limited as there, and the open objects and arrays are a byte each.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
)

// ErrJSON means that a text is not JSON (RFC 8259).
var ErrJSON = errors.New("not JSON")

// maxDepth is the deepest nesting of values that is accepted, as in encoding/json.
const maxDepth = 10_000

// scanner is the state of reading a text. Its methods move past values, and offset returns where they are.
type scanner struct {
	ctx    context.Context // of the call
	pages  *artifactstore.Pages
	window []byte // of the text
	next   int    // in the window
	after  int64  // offset of the byte after the window
	depth  int    // of the value that comes next, without open
	open   []byte // objects and arrays that value is in, by their first byte
	kept   []byte // the key that was read last
}

// offset returns the offset of the next byte.
func (s *scanner) offset() int64 { return s.after - int64(len(s.window)-s.next) }

// invalid returns the error of a text that is not JSON from the next byte on.
func (s *scanner) invalid() error { return fmt.Errorf("byte %d: %w", s.offset(), ErrJSON) }

// peek returns the next byte, or io.EOF.
func (s *scanner) peek() (byte, error) {
	if s.next < len(s.window) {
		return s.window[s.next], nil
	}
	if s.after == s.pages.Size() {
		return 0, io.EOF
	}
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	// The window is used again: nothing keeps a part of it, except for the key in kept.
	window, err := s.pages.Read(s.window[:0], s.after, s.after+scanBytes)
	if err != nil {
		return 0, err
	}
	s.window, s.next = window, 0
	s.after += int64(len(window))
	return window[0], nil
}

// mustPeek returns the next byte. It fails with ErrJSON at the end of the text.
func (s *scanner) mustPeek() (byte, error) {
	c, err := s.peek()
	if err == io.EOF { // of peek
		return 0, s.invalid()
	}
	return c, err
}

// skip moves past the byte that was peeked at.
func (s *scanner) skip() { s.next++ }

// space moves past white space, and returns the byte after it.
func (s *scanner) space() (byte, error) {
	for {
		for ; s.next < len(s.window); s.next++ {
			if c := s.window[s.next]; !isSpace(c) {
				return c, nil
			}
		}
		if _, err := s.mustPeek(); err != nil {
			return 0, err
		}
	}
}

// isSpace reports whether a byte is white space between values (RFC 8259, section 2). No other is.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// end moves past white space to the end of the text.
func (s *scanner) end() error {
	for {
		switch c, err := s.peek(); {
		case err == io.EOF: // of peek
			return nil
		case err != nil:
			return err
		case !isSpace(c):
			return s.invalid()
		}
		s.skip()
	}
}

// value moves past white space and a value.
func (s *scanner) value() error {
	for s.open = s.open[:0]; ; {
		c, err := s.space()
		if err != nil {
			return err
		}
		switch {
		case c == '{' || c == '[':
			empty, err := s.firstValue(c)
			if err != nil {
				return err
			}
			if !empty {
				continue
			}
		case c == '"':
			err = s.text(-1)
		case c == '-' || isDigit(c):
			err = s.number()
		default:
			err = s.literal(c)
		}
		if err != nil {
			return err
		}
		if done, err := s.afterValue(); done || err != nil {
			return err
		}
	}
}

// firstValue moves to the first value of an object or array, or past its end if it has none.
func (s *scanner) firstValue(c byte) (empty bool, err error) {
	s.open = append(s.open, c)
	// A text of brackets alone must not make the stack of open values large.
	if s.depth+len(s.open) > maxDepth {
		return false, s.invalid()
	}
	if empty, err = s.enter(c); err != nil {
		return false, err
	}
	if empty {
		s.open = s.open[:len(s.open)-1]
		return true, nil
	}
	if c == '{' {
		return false, s.key(-1)
	}
	return false, nil
}

// enter moves past the beginning of an object or array, which is c, and past its end if it is empty.
func (s *scanner) enter(c byte) (empty bool, err error) {
	s.skip()
	first, err := s.space()
	if err != nil || first != closing(c) {
		return false, err
	}
	s.skip()
	return true, nil
}

// afterValue moves from the end of a value to the next one in its object or array, or past the end of that. It reports
// true when no object or array is open any more.
func (s *scanner) afterValue() (bool, error) {
	for len(s.open) > 0 {
		c := s.open[len(s.open)-1]
		switch end, err := s.separator(c); {
		case err != nil:
			return false, err
		case end:
			s.open = s.open[:len(s.open)-1]
		case c == '{':
			return false, s.key(-1)
		default:
			return false, nil
		}
	}
	return true, nil
}

// separator moves past the comma after a value, or past the end of the object or array that begins with c.
func (s *scanner) separator(c byte) (end bool, err error) {
	at, err := s.space()
	if err != nil {
		return false, err
	}
	if at != ',' && at != closing(c) {
		return false, s.invalid()
	}
	s.skip()
	return at != ',', nil
}

// closing returns the byte that closes an object or array: "}" for "{", "]" for "[".
func closing(c byte) byte { return c + 2 }

// key moves past white space, a key and its colon. It keeps the first keep+1 bytes of the key, or none if
// keep is -1.
func (s *scanner) key(keep int) error {
	c, err := s.space()
	if err != nil {
		return err
	}
	if c != '"' {
		return s.invalid()
	}
	if err := s.text(keep); err != nil {
		return err
	}
	if c, err = s.space(); err != nil {
		return err
	}
	if c != ':' {
		return s.invalid()
	}
	s.skip()
	return nil
}

// text moves past a string, which begins here.
func (s *scanner) text(keep int) error {
	s.skip()
	s.kept = s.kept[:0]
	for {
		c, err := s.mustPeek()
		if err != nil {
			return err
		}
		n := plainPrefix(s.window[s.next:]) // most of a string, without looking at each byte twice
		if n > 0 {
			s.keep(s.window[s.next:s.next+n], keep)
			s.next += n
			continue
		}
		switch {
		case c == '"':
			s.skip()
			return nil
		case c == '\\':
			err = s.escape(keep)
		default:
			err = s.invalid()
		}
		if err != nil {
			return err
		}
	}
}

// keep adds to the kept bytes, up to most+1.
func (s *scanner) keep(b []byte, most int) {
	if space := most + 1 - len(s.kept); space > 0 {
		s.kept = append(s.kept, b[:min(len(b), space)]...)
	}
}

// plainPrefix returns the number of bytes before the first special one in a string: its end, an escape, or a control
// character, which a string must not have.
func plainPrefix(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
}

// escape moves past an escape in a string.
func (s *scanner) escape(keep int) error {
	digits := 0
	for i := 0; i < 2+digits; i++ {
		c, err := s.mustPeek()
		if err != nil {
			return err
		}
		switch {
		case i == 0: // the backslash
		case i == 1 && c == 'u':
			digits = 4
		case i == 1 && isEscape(c), i > 1 && isHex(c):
		default:
			return s.invalid()
		}
		s.keep([]byte{c}, keep)
		s.skip()
	}
	return nil
}

// isEscape reports whether a byte may follow a backslash in a string, beside u (RFC 8259, section 7).
func isEscape(c byte) bool { return strings.IndexByte(`"\/bfnrt`, c) >= 0 }

// isDigit and isHex report whether a byte is a decimal or hexadecimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// literal moves past true, false or null.
func (s *scanner) literal(first byte) error {
	var word string
	switch first {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return s.invalid()
	}
	for i := range len(word) {
		c, err := s.mustPeek()
		if err != nil {
			return err
		}
		if c != word[i] {
			return s.invalid()
		}
		s.skip()
	}
	return s.checkDelimiter()
}

// number moves past a number.
func (s *scanner) number() error {
	c, err := s.mustPeek()
	if err != nil {
		return err
	}
	if c == '-' {
		s.skip()
		if c, err = s.mustPeek(); err != nil {
			return err
		}
	}
	if c == '0' { // no other digit may follow: checkDelimiter rejects it
		s.skip()
	} else if err := s.digits(); err != nil {
		return err
	}
	if c, _ = s.peek(); c == '.' {
		s.skip()
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c, _ = s.peek(); c|0x20 == 'e' {
		s.skip()
		if c, _ = s.peek(); c == '+' || c == '-' {
			s.skip()
		}
		if err := s.digits(); err != nil {
			return err
		}
	}
	return s.checkDelimiter()
}

// digits moves past one or more digits.
func (s *scanner) digits() error {
	c, err := s.mustPeek()
	if err != nil {
		return err
	}
	if !isDigit(c) {
		return s.invalid()
	}
	for isDigit(c) {
		for s.next < len(s.window) && isDigit(s.window[s.next]) {
			s.next++
		}
		c, _ = s.peek() // a failure is met again by what comes next
	}
	return nil
}

// checkDelimiter fails unless a number or literal is complete: a delimiter follows, or the text ends outside of every
// object and array.
func (s *scanner) checkDelimiter() error {
	c, err := s.peek()
	switch {
	case err == io.EOF && s.depth+len(s.open) == 0: // of peek
		return nil
	case err == io.EOF: // of peek
		return s.invalid()
	case err != nil:
		return err
	case isSpace(c), c == ',', c == ']', c == '}':
		return nil
	}
	return s.invalid()
}
