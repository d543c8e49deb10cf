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

// ErrPointer means that a text is not a JSON pointer.
var ErrPointer = errors.New("no JSON pointer")

// Pointer selects the value at a JSON pointer (RFC 6901) of a JSON text, exactly as it is written, or the whole text if
// the pointer has no tokens.
//
// The text is read once, from its beginning to the end of the value. Memory does not grow with the text: it is a byte for
// each level of nesting, and a few windows. The bytes after the value are not read, so they may be invalid or missing.
// Hence of several members with the same name the first one counts: RFC 6901 leaves it open, and any other rule would
// have to read every object on the way to its end.
type Pointer struct{ tokens []string }

// ParsePointer parses the text of a pointer. It fails with ErrPointer.
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

// Span returns the bytes of the value. It fails with ErrJSON if the text is not JSON as far as it is read, and with
// ErrNothing if there is no such value.
func (p Pointer) Span(ctx context.Context, pages *artifactstore.Pages) (from, to int64, err error) {
	s := &scanner{ctx: ctx, pages: pages}
	if len(p.tokens) == 0 {
		if err := s.value(); err != nil {
			return 0, 0, err
		}
		return 0, pages.Size(), s.end()
	}
	for _, token := range p.tokens {
		if err := s.descend(token); err != nil {
			return 0, 0, err
		}
	}
	if _, err := s.space(); err != nil { // the value begins after white space
		return 0, 0, err
	}
	from = s.offset()
	err = s.value()
	return from, s.offset(), err
}

// descend moves to the value of a token in the next value. It fails with ErrNothing only after it has read all of that
// value, so that a text which merely begins like JSON is rejected with ErrJSON.
func (s *scanner) descend(token string) error {
	c, err := s.space()
	if err != nil {
		return err
	}
	found := false
	index, isIndex := parseIndex(token)
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

// parseIndex parses a token as the index of an array: digits without a leading zero. "-", the element after the last,
// never has a value.
func parseIndex(token string) (index int64, ok bool) {
	if token == "" || strings.Trim(token, "0123456789") != "" || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	index, err := strconv.ParseInt(token, 10, 64)
	return index, err == nil
}

// member moves to the value of the first member with a name, in the next object, or past its end.
func (s *scanner) member(name string) (found bool, err error) {
	s.depth++
	end, err := s.enter('{')
	for !end && err == nil { // of members with one name the first counts
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

// element moves to the element with an index, from 0, in the next array, or past its end.
func (s *scanner) element(index int64) (found bool, err error) {
	s.depth++
	end, err := s.enter('[')
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

// keyBytes returns the largest size of name as a key in the text, in bytes: six for each of its own, as in \u0061.
func keyBytes(name string) int { return len(`\u0061`) * len(name) }

// isKey reports whether the last key is name. Escapes are decoded. Invalid UTF-8 and half a surrogate pair are U+FFFD, as
// in the previews of receipts.
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
