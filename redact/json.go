package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
)

// JSON is redacted as text, in the form that the tool wrote. Decoding and encoding it would change numbers, the order of
// keys and white space, so the text is cut into scalars and the parts between them, and only scalars with a secret change.

// Whole redacts a text that is all there is of a payload. One that is JSON stays JSON, and has no secret that only shows when its
// strings are read. Counts of secrets in strings have no bytes. It ends with ctx, the error of which is its only one.
func Whole(ctx context.Context, o Options, text []byte) ([]byte, []Count, error) {
	if !looksLikeJSON(text) || !json.Valid(text) {
		return TextWithin(ctx, o, text)
	}
	text, inside, err := redactStrings(ctx, o, text)
	if err != nil {
		return nil, nil, err
	}
	redacted, found, err := TextWithin(ctx, o, text)
	if err == nil && len(found) > 0 && !json.Valid(redacted) {
		redacted, found, err = redactScalars(ctx, o, text)
	}
	if err != nil || len(inside) == 0 {
		return redacted, found, err
	}
	return redacted, sum(found, inside), nil
}

// MaskJSON masks the secrets of a valid JSON text in place, byte for byte, so that one of any size takes no memory. It stays JSON: quotes,
// escapes and punctuation are kept, and a digit of a number becomes 1. A secret that only shows when strings are read is not
// found. It ends with ctx, the error of which is its only one.
func MaskJSON(ctx context.Context, o Options, text []byte) error {
	o.SameLength = true
	r, m := New(o), masking{text: text}
	for at := 0; at < len(text); at += pieceBytes {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.take(r.Write([][]byte{text[at:min(at+pieceBytes, len(text))]}))
	}
	m.take(r.Flush())
	return nil
}

// masking is a JSON text that is masked in place.
type masking struct {
	text     []byte
	at       int  // bytes before it are done
	inString bool // at is inside of a string
	escaped  int  // bytes from at on that belong to an escape
}

// take masks the next bytes of the text as they are in parts.
func (m *masking) take(parts [][]byte) {
	for _, part := range parts {
		for _, c := range part {
			m.put(c)
		}
	}
}

// put masks the next byte, if it is not c.
func (m *masking) put(c byte) {
	was := &m.text[m.at]
	m.at++
	switch {
	case m.escaped > 0:
		if m.escaped--; *was == 'u' && m.text[m.at-2] == '\\' {
			m.escaped = 4
		}
	case !m.inString:
		if m.inString = *was == '"'; c != *was && *was-'0' < 10 {
			*was = '1'
		}
	case *was == '"':
		m.inString = false
	case *was == '\\':
		m.escaped = 1
	case c != *was:
		*was = c
	}
}

// sum adds up counts by kind. Those of bytes are of texts that are decoded here, and left out.
func sum(lists ...[]Count) []Count {
	matches := map[string]int64{}
	for _, list := range lists {
		for _, c := range list {
			matches[c.Kind] += c.Matches
		}
	}
	var all []Count
	for _, kind := range slices.Sorted(maps.Keys(matches)) {
		all = append(all, Count{Kind: kind, Matches: matches[kind]})
	}
	return all
}

// redactStrings redacts the strings of a valid JSON text as they read: an escape in them, such as one of the colours of a
// terminal, may be inside of a secret.
func redactStrings(ctx context.Context, o Options, text []byte) ([]byte, []Count, error) {
	if bytes.IndexByte(text, '\\') < 0 { // nothing reads otherwise than it is written
		return text, nil, nil
	}
	var found []Count
	out := make([]byte, 0, len(text)) // it only becomes longer by a placeholder
	for len(text) > 0 {
		n := scalar(text)
		part := text[:n]
		if part[0] == '"' && bytes.IndexByte(part, '\\') >= 0 {
			clean, here, err := redactString(ctx, o, part)
			if err != nil {
				return nil, nil, err
			}
			part, found = clean, append(found, here...)
		}
		out, text = append(out, part...), text[n:]
	}
	return out, sum(found), nil
}

// redactString redacts one string of JSON. A string without a secret keeps its escapes.
func redactString(ctx context.Context, o Options, quoted []byte) ([]byte, []Count, error) {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted, nil, nil
	}
	plain, found, err := Whole(ctx, o, []byte(s)) // which may be JSON too
	if err != nil || len(found) == 0 {
		return quoted, nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the tool wrote < and not \u003c
	if e.Encode(string(plain)) != nil {
		return quoted, nil, nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), found, nil
}

// looksLikeJSON reports whether a text begins like an object, an array or a string. It spares other texts the validation.
func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[' || t[0] == '"')
}

// redactScalars redacts every scalar of a JSON text by itself, so that the text stays JSON: a number that is a secret becomes a
// string. A secret that reaches over several scalars is not found then; no secret of a JSON text does.
func redactScalars(ctx context.Context, o Options, text []byte) ([]byte, []Count, error) {
	var found []Count
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		n := scalar(text)
		part, here, err := TextWithin(ctx, o, text[:n])
		if err != nil {
			return nil, nil, err
		}
		if len(here) > 0 && !json.Valid(part) && text[0] != '"' {
			part = append(append([]byte{'"'}, part...), '"')
		}
		if len(here) > 0 && !json.Valid(part) { // no rule is known to do that; if one does, nothing of the scalar is shown
			part = []byte(`"[redacted]"`)
		}
		found, out, text = append(found, here...), append(out, part...), text[n:]
	}
	return out, sum(found), nil
}

// scalar returns the size in bytes of the next part of a valid JSON text that is not empty: a string, a number or a word, or
// the white space and punctuation up to the next of these.
func scalar(text []byte) int {
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	between := bytes.IndexByte([]byte(" \t\r\n{}[],:"), text[0]) >= 0
	for i, c := range text {
		if c == '"' || (bytes.IndexByte([]byte(" \t\r\n{}[],:"), c) >= 0) != between {
			return i
		}
	}
	return len(text)
}
