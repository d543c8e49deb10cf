package redaction

import (
	"bytes"
	"encoding/json"

	"github.com/toolresult/toolresult/redact"
)

// This file redacts JSON as text, in the form that the tool wrote. Decoding and encoding it would change numbers, the order of
// keys and white space, so the text is cut into scalars and what is between them, and only scalars with a secret change.

// text redacts a text. One that is JSON stays JSON, and has no secret that only shows when its strings are read.
func (r *Pass) text(o redact.Options, text []byte) ([]byte, []redact.Count) {
	redacted, found := redact.Text(o, text)
	if !looksLikeJSON(text) || !json.Valid(text) {
		return redacted, found
	}
	if len(found) > 0 && !json.Valid(redacted) {
		redacted, found = redactScalars(o, text)
	}
	again, inside := r.redactStrings(o, redacted)
	if len(inside) == 0 {
		return redacted, found
	}
	all := counts{}
	all.add(found)
	all.add(inside)
	return again, countsOf(all)
}

// redactStrings redacts the strings of a valid JSON text as they read: an escape in them, such as one of the colours of a
// terminal, may be inside of a secret.
func (r *Pass) redactStrings(o redact.Options, text []byte) ([]byte, []redact.Count) {
	if bytes.IndexByte(text, '\\') < 0 { // nothing reads otherwise than it is written
		return text, nil
	}
	found, out := counts{}, make([]byte, 0, len(text)) // it only becomes longer by a placeholder
	for len(text) > 0 {
		n := scalar(text)
		part := text[:n]
		if part[0] == '"' && bytes.IndexByte(part, '\\') >= 0 {
			part = r.redactString(o, part, found)
		}
		out, text = append(out, part...), text[n:]
	}
	if len(found) == 0 {
		return out, nil
	}
	return out, countsOf(found)
}

// redactString redacts one string of JSON, and adds its counts to found. A string without a secret keeps its escapes.
func (r *Pass) redactString(o redact.Options, quoted []byte, found counts) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	plain, here := r.text(o, []byte(s)) // which may be JSON too
	if len(here) == 0 {
		return quoted
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the tool wrote < and not \u003c
	if e.Encode(string(plain)) != nil {
		return quoted
	}
	found.add(here)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// countsOf returns counts as package redact has them, sorted by kind. The bytes are not known.
func countsOf(c counts) []redact.Count {
	list := make([]redact.Count, 0, len(c))
	for _, f := range c.list() {
		list = append(list, redact.Count{Kind: f.GetKind(), Matches: int64(f.GetCount())})
	}
	return list
}

// looksLikeJSON reports whether a text begins like an object or an array. It spares other texts the validation.
func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// redactScalars redacts every scalar of a JSON text by itself, so that the text stays JSON: a number that is a secret becomes a
// string. A secret that reaches over several scalars is not found then; no secret of a JSON text does.
func redactScalars(o redact.Options, text []byte) ([]byte, []redact.Count) {
	found, out := counts{}, make([]byte, 0, len(text))
	for len(text) > 0 {
		n := scalar(text)
		part, here := redact.Text(o, text[:n])
		if len(here) > 0 && !json.Valid(part) && text[0] != '"' {
			part = append(append([]byte{'"'}, part...), '"')
		}
		if found.add(here); len(here) > 0 && !json.Valid(part) { // no rule is known to do that; if one does, nothing of the scalar is shown
			part = []byte(`"[redacted]"`)
		}
		out, text = append(out, part...), text[n:]
	}
	return out, countsOf(found)
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
