package mcpproxy

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
	i := o.index(name)
	if i < 0 {
		return edit{}, false
	}
	gone := span{o.list[i].name.from, o.list[i].value.to}
	if i+1 < len(o.list) {
		gone.to = o.list[i+1].name.from
	} else if i > 0 {
		gone.from = o.list[i-1].value.to
	}
	return edit{span: gone}, true
}
