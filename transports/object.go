package transports

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object that keeps the order of its members and the text of their
// values, so that what is not understood, and what is not changed, stays as it came.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

var errNoObject = errors.New("is no JSON object")

// parseObject reads a JSON object. Its values are parts of the text.
func parseObject(text []byte) (object, error) {
	if !json.Valid(text) {
		return nil, errNoObject
	}
	return split(text)
}

// split cuts valid JSON text of an object into its members.
func split(text []byte) (object, error) {
	at := space(text, 0)
	if at == len(text) || text[at] != '{' {
		return nil, errNoObject
	}
	o := object{}
	for at = space(text, at+1); text[at] != '}'; at = space(text, at) {
		end := valueEnd(text, at)
		key := stringOf(text[at:end])
		at = space(text, space(text, end)+1) // behind the colon
		end = valueEnd(text, at)
		o = append(o, member{key, text[at:end:end]})
		if at = space(text, end); text[at] == ',' {
			at++
		}
	}
	return o, nil
}

// elements cuts valid JSON text of an array into its values. Anything else has none.
func elements(text json.RawMessage) []json.RawMessage {
	at := space(text, 0)
	if at == len(text) || text[at] != '[' {
		return nil
	}
	var values []json.RawMessage
	for at = space(text, at+1); text[at] != ']'; at = space(text, at) {
		end := valueEnd(text, at)
		values = append(values, text[at:end:end])
		if at = space(text, end); text[at] == ',' {
			at++
		}
	}
	return values
}

// space returns where the white space at a place ends.
func space(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns where the value at a place of valid JSON text ends.
func valueEnd(text []byte, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			if depth == 0 {
				return at
			}
			at--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at
			}
			if depth == 0 {
				return at + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// stringEnd returns where the string at a place ends.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return at
}

// get returns the value of a member, or nil. A null is as good as none.
func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key && string(m.value) != "null" {
			return m.value
		}
	}
	return nil
}

// text returns the value of a member that is a string, or "".
func (o object) text(key string) string { return stringOf(o.get(key)) }

// child returns a member that is an object, or nil.
func (o object) child(key string) object {
	c, _ := split(o.get(key))
	return c
}

// children returns a member that is an array of objects. What is no object is nil.
func (o object) children(key string) []object {
	var list []object
	for _, e := range elements(o.get(key)) {
		c, _ := split(e)
		list = append(list, c)
	}
	return list
}

// with returns the object with a member, at its place or at the end. The object itself
// stays as it is.
func (o object) with(key string, value json.RawMessage) object {
	o = slices.Clone(o)
	for i := range o {
		if o[i].key == key {
			o[i].value = value
			return o
		}
	}
	return append(o, member{key, value})
}

// without returns the object without a member.
func (o object) without(key string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.key == key })
}

func (o object) withText(key, value string) object { return o.with(key, quote(value)) }

func (o object) withObject(key string, value object) object { return o.with(key, value.raw()) }

func (o object) withList(key string, values []object) object { return o.with(key, list(values)) }

// raw writes the object on one line.
func (o object) raw() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.key)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// list writes an array of objects.
func list(objects []object) json.RawMessage {
	b := []byte{'['}
	for i, o := range objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o.raw()...)
	}
	return append(b, ']')
}

// quote writes a string. Nothing is escaped for the sake of HTML: every escape is tokens
// in the prompt where a provider shows the JSON to its model.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string and a buffer do not fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// stringOf reads a string, or returns "".
func stringOf(text json.RawMessage) string {
	if len(text) < 2 || text[0] != '"' {
		return ""
	}
	if inside := text[1 : len(text)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(text, &s)
	return s
}

// isObject reports whether text is a JSON object.
func isObject(text string) bool {
	trimmed := bytes.TrimLeft([]byte(text), " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// numeral writes a number.
func numeral(n int) json.RawMessage { return json.RawMessage(strconv.Itoa(n)) }

// compact is JSON text without white space between its values.
func compact(text string) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return json.RawMessage(text)
	}
	return b.Bytes()
}
