package redact

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// JSON is redacted as text, in the form that the tool wrote. Decoding and encoding it would change numbers, the order of
// keys and white space, so the text is cut into scalars and what is between them, and only scalars with a secret change.

// Whole redacts a text that is all there is of a payload. One that is JSON stays JSON, and has no secret that only shows when its
// strings are read. Counts of what was found in strings have no bytes.
func Whole(o Options, text []byte) ([]byte, []Count) {
	redacted, found := Text(o, text)
	if !looksLikeJSON(text) || !json.Valid(text) {
		return redacted, found
	}
	if len(found) > 0 && !json.Valid(redacted) {
		redacted, found = redactScalars(o, text)
	}
	again, inside := redactStrings(o, redacted)
	if len(inside) == 0 {
		return redacted, found
	}
	return again, sum(found, inside)
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
func redactStrings(o Options, text []byte) ([]byte, []Count) {
	if bytes.IndexByte(text, '\\') < 0 { // nothing reads otherwise than it is written
		return text, nil
	}
	var found []Count
	out := make([]byte, 0, len(text)) // it only becomes longer by a placeholder
	for len(text) > 0 {
		n := scalar(text)
		part := text[:n]
		if part[0] == '"' && bytes.IndexByte(part, '\\') >= 0 {
			var here []Count
			part, here = redactString(o, part)
			found = append(found, here...)
		}
		out, text = append(out, part...), text[n:]
	}
	return out, sum(found)
}

// redactString redacts one string of JSON. A string without a secret keeps its escapes.
func redactString(o Options, quoted []byte) ([]byte, []Count) {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted, nil
	}
	plain, found := Whole(o, []byte(s)) // which may be JSON too
	if len(found) == 0 {
		return quoted, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the tool wrote < and not \u003c
	if e.Encode(string(plain)) != nil {
		return quoted, nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), found
}

// looksLikeJSON reports whether a text begins like an object or an array. It spares other texts the validation.
func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// redactScalars redacts every scalar of a JSON text by itself, so that the text stays JSON: a number that is a secret becomes a
// string. A secret that reaches over several scalars is not found then; no secret of a JSON text does.
func redactScalars(o Options, text []byte) ([]byte, []Count) {
	var found []Count
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		n := scalar(text)
		part, here := Text(o, text[:n])
		if len(here) > 0 && !json.Valid(part) && text[0] != '"' {
			part = append(append([]byte{'"'}, part...), '"')
		}
		if len(here) > 0 && !json.Valid(part) { // no rule is known to do that; if one does, nothing of the scalar is shown
			part = []byte(`"[redacted]"`)
		}
		found, out, text = append(found, here...), append(out, part...), text[n:]
	}
	return out, sum(found)
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
