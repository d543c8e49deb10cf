// Package rawjson reads and writes JSON objects that keep the order of their members and the text of their values. What is
// not understood, and what is not changed, is written as the bytes that were read: a provider caches prompts by their
// bytes. encoding/json keeps neither order nor text.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// Object is a JSON object. Its methods do not change it; nil is an object without members.
type Object []Member

// Member is a member of an object.
type Member struct {
	Key   string          // decoded
	Value json.RawMessage // as it was read
}

// ErrNotObject means that text is no JSON object. Its message continues a sentence whose subject is the text.
var ErrNotObject = errors.New("is no JSON object")

// Parse reads a JSON object. Its values are slices of text. The error is ErrNotObject.
func Parse(text []byte) (Object, error) {
	if !json.Valid(text) {
		return nil, ErrNotObject
	}
	return Split(text)
}

// Split cuts text into the members of an object. The text must be valid JSON, or empty. The error is ErrNotObject.
func Split(text []byte) (Object, error) {
	if jsonspan.Kind(text) != '{' {
		return nil, ErrNotObject
	}
	o := Object{}
	for name, value := range jsonspan.Members(text) {
		o = append(o, Member{String(name), value})
	}
	return o, nil
}

// CountElements returns how many elements the arrays of valid JSON text have that are inside of fewer
// than depth others, objects among them. Its time grows with depth.
func CountElements(text []byte, depth int) (n int) {
	if depth == 0 {
		return 0
	}
	for e := range jsonspan.Elements(text) {
		n += 1 + CountElements(e, depth-1)
	}
	for _, value := range jsonspan.Members(text) {
		n += CountElements(value, depth-1)
	}
	return n
}

// Get returns the value of a member. It returns nil if there is none, and if it is null: providers' SDKs write null for
// members that are absent.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range o {
		if m.Key == key && string(m.Value) != "null" {
			return m.Value
		}
	}
	return nil
}

// Text returns the value of a member that is a string, or "".
func (o Object) Text(key string) string { return String(o.Get(key)) }

// Child returns a member that is an object, or nil.
func (o Object) Child(key string) Object {
	c, _ := Split(o.Get(key))
	return c
}

// Children returns the elements of a member that is an array. An element that is no object is nil.
func (o Object) Children(key string) []Object {
	var list []Object
	for e := range jsonspan.Elements(o.Get(key)) {
		c, _ := Split(e)
		list = append(list, c)
	}
	return list
}

// With returns a copy of the object with a member set. A new member becomes the last one.
func (o Object) With(key string, value json.RawMessage) Object {
	o = slices.Clone(o)
	for i := range o {
		if o[i].Key == key {
			o[i].Value = value
			return o
		}
	}
	return append(o, Member{key, value})
}

// Without returns a copy of the object without a member.
func (o Object) Without(key string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return m.Key == key })
}

// WithText returns a copy of the object with a member set to a string.
func (o Object) WithText(key, value string) Object { return o.With(key, Quote(value)) }

// WithObject returns a copy of the object with a member set to an object.
func (o Object) WithObject(key string, value Object) Object { return o.With(key, value.Raw()) }

// WithList returns a copy of the object with a member set to an array of objects.
func (o Object) WithList(key string, values []Object) Object { return o.With(key, Array(values)) }

// Raw writes the object. Between members there is no white space; inside their values it stays.
func (o Object) Raw() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, Quote(m.Key)...), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// Array writes an array of objects.
func Array(objects []Object) json.RawMessage {
	b := []byte{'['}
	for i, o := range objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o.Raw()...)
	}
	return append(b, ']')
}

// Quote writes a string. It does not escape for HTML, because providers show JSON to their models as it is written, and
// every escape costs tokens of the prompt.
func Quote(text string) json.RawMessage { return jsonspan.Quote(text) }

// String reads a JSON string. It returns "" for any other value.
func String(text json.RawMessage) string {
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

// IsObject reports whether text is a JSON object.
func IsObject(text string) bool {
	trimmed := bytes.TrimLeft([]byte(text), " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// Number writes a number.
func Number(n int) json.RawMessage { return json.RawMessage(strconv.Itoa(n)) }

// Compact returns JSON text without white space between its values, and text that is not JSON as it is.
func Compact(text string) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return json.RawMessage(text)
	}
	return b.Bytes()
}
