package mcpproxy

import "github.com/toolresult/toolresult/internal/jsonspan"

// edit replaces a span of a message.
type edit struct {
	span
	by [][]byte // pieces, in their order
}

// apply returns the message with the edits in it, in pieces: what is not edited is not copied. Edits are in order.
func apply(text []byte, edits []edit) (pieces [][]byte) {
	at := 0
	for _, e := range edits {
		pieces = append(append(pieces, text[at:e.from]), e.by...)
		at = e.to
	}
	return append(pieces, text[at:])
}

// without returns the edit that removes a member, with the comma that parted it from the others.
func (o object) without(name string) (edit, bool) {
	for i, m := range o.list {
		if got, _ := jsonspan.String(m.name.of(o.text)); got != name {
			continue
		}
		switch {
		case i+1 < len(o.list):
			return edit{span: span{m.name.from, o.list[i+1].name.from}}, true
		case i > 0:
			return edit{span: span{o.list[i-1].value.to, m.value.to}}, true
		}
		return edit{span: span{m.name.from, m.value.to}}, true
	}
	return edit{}, false
}

// appendString appends a text as JSON, with the characters of HTML as they are.
func appendString(out []byte, text string) []byte { return append(out, jsonspan.Quote(text)...) }
