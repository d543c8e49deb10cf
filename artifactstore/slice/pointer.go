package slice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
)

// ErrPointer means that a text is no JSON pointer.
var ErrPointer = errors.New("no JSON pointer")

// Pointer selects the value of a JSON text at a JSON pointer (RFC 6901), exactly as it is written there, and
// the whole text when it has no tokens.
//
// The text is read once, from its beginning to the end of the value, in memory that does not grow with it: a
// byte for each level of nesting, and some windows of the text. What comes after the value is not looked at,
// so it may be damaged, or missing. Hence of members with the same name the first one is meant: RFC 6901
// leaves it open, and any other rule would have to read every object on the way to its end.
type Pointer struct{ tokens []string }

// ParsePointer reads the text of a pointer. It fails with ErrPointer.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return Pointer{}, fmt.Errorf("it does not begin with /: %w", ErrPointer)
	}
	tokens := strings.Split(text[1:], "/")
	for i, t := range tokens {
		if strings.Count(t, "~") != strings.Count(t, "~0")+strings.Count(t, "~1") {
			return Pointer{}, fmt.Errorf("a ~ is followed by neither 0 nor 1: %w", ErrPointer)
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return Pointer{tokens}, nil
}

// Span returns the bytes of the value. It fails with ErrJSON if the text is not JSON as far as it was read,
// and with ErrNothing if it has no such value.
func (p Pointer) Span(ctx context.Context, pages *artifactstore.Pages) (from, to int64, err error) {
	s := &scanner{ctx: ctx, pages: pages}
	if len(p.tokens) == 0 {
		if err := s.value(); err != nil {
			return 0, 0, err
		}
		return 0, pages.Size(), s.end()
	}
	for _, token := range p.tokens {
		if err := s.enter(token); err != nil {
			return 0, 0, err
		}
	}
	if _, err := s.space(); err != nil {
		return 0, 0, err
	}
	from = s.offset()
	err = s.value()
	return from, s.offset(), err
}

// enter goes to the value that a token names in the value that comes next. It fails with ErrNothing only when
// it has read all of that, so that a text which merely begins like JSON is not taken for it.
func (s *scanner) enter(token string) error {
	c, err := s.space()
	if err != nil {
		return err
	}
	found := false
	index, isIndex := indexOf(token)
	switch {
	case c == '{':
		found, err = s.member(token)
	case c == '[' && isIndex:
		found, err = s.element(index)
	default:
		err = s.value()
	}
	if err != nil || found {
		return err
	}
	if s.depth == 0 {
		if err := s.end(); err != nil {
			return err
		}
	}
	return ErrNothing
}

// indexOf reads a token as the index of an array: digits without a leading zero. "-", which names the element
// after the last, never has a value.
func indexOf(token string) (index int64, ok bool) {
	if token == "" || strings.Trim(token, "0123456789") != "" || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	index, err := strconv.ParseInt(token, 10, 64)
	return index, err == nil
}

// member goes to the value of the first member with a name, in the object that comes next, or past its end.
func (s *scanner) member(name string) (found bool, err error) {
	s.depth++
	end, err := s.into('{')
	for !end && err == nil {
		if err = s.key(keyBytes(name)); err != nil {
			return false, err
		}
		if s.isKey(name) {
			return true, nil
		}
		if err = s.value(); err != nil {
			return false, err
		}
		end, err = s.separator('{')
	}
	s.depth--
	return false, err
}

// element goes to the element with an index, from 0, in the array that comes next, or past its end.
func (s *scanner) element(index int64) (found bool, err error) {
	s.depth++
	end, err := s.into('[')
	for ; !end && err == nil; index-- {
		if index == 0 {
			return true, nil
		}
		if err = s.value(); err != nil {
			return false, err
		}
		end, err = s.separator('[')
	}
	s.depth--
	return false, err
}

// keyBytes is how long a key that means name can be, as it is written: six bytes for each of its own, as in
// \u0061.
func keyBytes(name string) int { return len(`\u0061`) * len(name) }

// isKey reports whether the key that was read last means name. Escapes are decoded, and what is no UTF-8, or
// half of a pair of surrogates, is U+FFFD, as it is in the previews of receipts.
func (s *scanner) isKey(name string) bool {
	raw := s.kept
	switch {
	case string(raw) == name:
		return !strings.Contains(name, `\`)
	case len(raw) > keyBytes(name), bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw):
		return false
	}
	var decoded string
	quoted := append(append([]byte{'"'}, raw...), '"')
	return json.Unmarshal(quoted, &decoded) == nil && decoded == name
}
