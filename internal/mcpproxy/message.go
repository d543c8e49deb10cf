package mcpproxy

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// span is a range of bytes of a message.
type span struct{ from, to int }

// of returns the bytes of a span.
func (s span) of(text []byte) []byte { return text[s.from:s.to:s.to] }

// none reports whether there is no such value.
func (s span) none() bool { return s.to == 0 }

// member is a member of an object.
type member struct{ name, value span }

// members returns the members of the object that begins at an offset. A value of another type has none.
func members(text []byte, at int) (list []member) {
	if text[at] != '{' {
		return nil
	}
	for at = jsonspan.Space(text, at+1); text[at] != '}'; at = jsonspan.Space(text, at) {
		end := jsonspan.End(text, at)
		value := jsonspan.Space(text, jsonspan.Space(text, end)+1)
		list = append(list, member{span{at, end}, span{value, jsonspan.End(text, value)}})
		at = jsonspan.PastComma(text, jsonspan.End(text, value))
	}
	return list
}

// elements returns the values of the array that begins at an offset. A value of another type has none.
func elements(text []byte, at int) (list []span) {
	if text[at] != '[' {
		return nil
	}
	for at = jsonspan.Space(text, at+1); text[at] != ']'; at = jsonspan.Space(text, at) {
		list = append(list, span{at, jsonspan.End(text, at)})
		at = jsonspan.PastComma(text, jsonspan.End(text, at))
	}
	return list
}

// object has the members of an object by name.
type object struct {
	text    []byte
	list    []member
	repeats bool // a name is there twice, so that readers may differ
}

// valuesAt returns the values at a path of names, in which "*" is every element of an array. A member that is there twice has two.
func valuesAt(text []byte, at int, path ...string) (list []span) {
	if len(path) == 0 {
		return []span{{at, jsonspan.End(text, at)}}
	}
	if path[0] == "*" {
		for _, s := range elements(text, at) {
			list = append(list, valuesAt(text, s.from, path[1:]...)...)
		}
	}
	for _, m := range members(text, at) {
		if name, _ := jsonspan.String(m.name.of(text)); name == path[0] {
			list = append(list, valuesAt(text, m.value.from, path[1:]...)...)
		}
	}
	return list
}

// objectAt returns the object that begins at an offset.
func objectAt(text []byte, at int) object {
	o := object{text: text, list: members(text, at)}
	seen := make(map[string]bool, len(o.list))
	for _, m := range o.list {
		name, _ := jsonspan.String(m.name.of(text))
		o.repeats = o.repeats || seen[name]
		seen[name] = true
	}
	return o
}

// get returns the value of a member; the zero span for none.
func (o object) get(name string) span {
	if i := o.index(name); i >= 0 {
		return o.list[i].value
	}
	return span{}
}

// index returns the index of a member; -1 for none.
func (o object) index(name string) int {
	return slices.IndexFunc(o.list, func(m member) bool { return o.nameOf(m) == name })
}

// nameOf returns the name of a member.
func (o object) nameOf(m member) string {
	name, _ := jsonspan.String(m.name.of(o.text))
	return name
}

// in returns the object that is the value of a member. It has no members for another value.
func (o object) in(name string) object {
	if v := o.get(name); !v.none() {
		return objectAt(o.text, v.from)
	}
	return object{text: o.text}
}

// string returns the text of a member; "" for none.
func (o object) string(name string) string {
	v := o.get(name)
	if v.none() {
		return ""
	}
	s, _ := jsonspan.String(v.of(o.text))
	return s
}

// message is a message of JSON-RPC, as far as the proxy reads it.
type message struct {
	object
	id       []byte // as it is written; nil: none
	method   string // empty: an answer
	isAnswer bool
	isDeep   bool      // only its outline was read
	batch    []message // of a message that is an array of them
}

// parse reads a message. It reports false for text that is no message or has a member twice. Of a deep message it reads the outline.
func parse(text []byte) (message, bool) {
	if isDeep(text) {
		m, ok := parseShallow(outline(text))
		m.isDeep = true
		return m, ok
	}
	return parseShallow(text)
}

// parseShallow reads a message of any depth that json.Valid takes.
func parseShallow(text []byte) (message, bool) {
	if !json.Valid(text) {
		return message{}, false
	}
	at := jsonspan.Space(text, 0)
	if text[at] != '[' {
		return parseAt(text, at)
	}
	m := message{object: object{text: text}}
	for _, e := range elements(text, at) {
		if inner, ok := parseAt(text, e.from); ok {
			m.batch = append(m.batch, inner)
		}
	}
	return m, len(m.batch) > 0
}

// parseAt reads the message that begins at an offset of valid JSON.
func parseAt(text []byte, at int) (message, bool) {
	m := message{object: objectAt(text, at)}
	if v := m.get("id"); !v.none() {
		m.id = v.of(text)
	}
	m.method = m.string("method")
	m.isAnswer = m.get("method").none() && m.id != nil && (!m.get("result").none() || !m.get("error").none())
	return m, !m.repeats && (m.method != "" || m.isAnswer)
}

// idKey returns an id in the one form that all ways to write it share: a server may answer 1.0 with 1.
func idKey(id []byte) string {
	if s, ok := jsonspan.String(id); ok {
		return `"` + s
	}
	const exact = 1 << 53 // of whole numbers in a double
	n, err := strconv.ParseFloat(string(id), 64)
	if err == nil && n == math.Trunc(n) && math.Abs(n) < exact {
		return strconv.FormatInt(int64(n), 10)
	}
	return string(id)
}

// errorAnswer returns the answer that a request failed.
func errorAnswer(id []byte, code int, text string) []byte {
	return answerWith(id, "error", fmt.Appendf(nil, `{"code":%d,"message":%s}`, code, jsonspan.Quote(text)))
}

// answerWith returns the answer to a request with a result or an error, which is JSON.
func answerWith(id []byte, member string, value []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, id, member, value)
}
