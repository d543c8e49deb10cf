package mcpproxy

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// markMeta is the member of _meta by which a text says that it is a receipt, or a page of one. Its value is true. It is believed of
// a server that is a proxy of this program alone: any server can write it.
const markMeta = "toolresult/receipt"

// isMarked reports whether a block says that it is a receipt.
func isMarked(block object) bool {
	v, ok := metaOf(block, markMeta)
	return ok && string(v.of(block.text)) == "true"
}

// unmark makes null of the marks in the results of a message, in place: neither this proxy, nor the client, nor a proxy before this
// one is to take the text of a server for a receipt.
func unmark(m message) {
	written := func(s string) bool { return bytes.Contains(m.text, []byte(s)) }
	if !written(markMeta) && !written(`\u`) && !written(`\/`) { // the ways to write it
		return
	}
	at, path := jsonspan.Space(m.text, 0), []string{"result", "content", "*", "_meta", markMeta}
	if m.text[at] == '[' {
		path = append([]string{"*"}, path...)
	}
	for _, v := range valuesAt(m.text, at, path...) {
		if mark := v.of(m.text); string(mark) == "true" {
			copy(mark, "null")
		}
	}
}

// answer is an answer to tools/call that is too large.
type answer struct {
	m          message
	result     object
	blocks     []span // of content
	texts      []int  // indices of the blocks that a receipt replaces
	structured bool   // a receipt replaces structuredContent too
	size       int    // of what a receipt replaces, in bytes
}

// readAnswer reads an answer to tools/call. It reports false for one that stays as it is: it is small, has nothing that a receipt can
// replace, or has receipts already.
func readAnswer(m message, threshold int, keepStructured bool) (answer, bool) {
	a := answer{m: m, result: m.in("result")}
	if len(m.text) <= threshold || a.result.repeats {
		return a, false
	}
	text := 0
	if content := a.result.get("content"); !content.none() {
		a.blocks = elements(m.text, content.from)
	}
	for i, s := range a.blocks {
		block := objectAt(m.text, s.from)
		if isMarked(block) {
			return a, false
		}
		if value, ok := textOf(block, threshold); ok {
			a.texts = append(a.texts, i)
			text += value.to - value.from - len(`""`)
		}
	}
	structured := a.result.get("structuredContent")
	structuredSize := structured.to - structured.from
	a.structured = !keepStructured && structuredSize > threshold
	if text <= threshold && !a.structured {
		return a, false
	}
	if a.size = text; a.structured {
		a.size = max(text, structuredSize)
	}
	return a, true
}

// textOf returns the text of a block that a receipt may replace: a text for the model, or an embedded resource with a text of more
// than threshold bytes. A smaller resource is worth more than what is said of it.
func textOf(block object, threshold int) (span, bool) {
	value := span{}
	switch block.string("type") {
	case "text":
		value = block.get("text")
	case "resource":
		resource := block.in("resource")
		if value = resource.get("text"); value.to-value.from <= threshold || resource.repeats {
			return span{}, false
		}
	}
	isString := !value.none() && block.text[value.from] == '"'
	return value, isString && !block.repeats && isForModel(block)
}

// metaOf returns a member of _meta.
func metaOf(o object, name string) (span, bool) {
	v := o.in("_meta").get(name)
	return v, !v.none()
}

// isForModel reports whether a block is for the model: annotations may say that it is for the user alone.
func isForModel(block object) bool {
	audience := block.in("annotations").get("audience")
	if audience.none() {
		return true
	}
	list := elements(block.text, audience.from)
	return len(list) == 0 || slices.ContainsFunc(list, func(s span) bool {
		who, _ := jsonspan.String(s.of(block.text))
		return who == "assistant"
	})
}

// toProject returns what the receipt is made of: the blocks that it replaces, the structured content if it replaces that, and
// whether the tool failed.
func (a answer) toProject() (pieces [][]byte, size int) {
	add := func(p []byte) {
		pieces = append(pieces, p)
		size += len(p)
	}
	add([]byte(`{"content":[`))
	for n, i := range a.texts {
		if n > 0 {
			add([]byte(","))
		}
		add(a.blocks[i].of(a.m.text))
	}
	add([]byte("]"))
	if a.structured {
		add([]byte(`,"structuredContent":`))
		add(a.result.get("structuredContent").of(a.m.text))
	}
	if v := a.result.get("isError"); !v.none() {
		add([]byte(`,"isError":`))
		add(v.of(a.m.text))
	}
	add([]byte("}"))
	return pieces, size
}

// textsAlone returns the texts that a receipt replaces, if it replaces nothing else.
func (a answer) textsAlone() (texts [][]byte) {
	if a.structured {
		return nil
	}
	for _, i := range a.texts {
		block := objectAt(a.m.text, a.blocks[i].from)
		if block.string("type") != "text" { // a resource has an address too
			return nil
		}
		texts = append(texts, block.get("text").of(a.m.text))
	}
	return texts
}

// rewrite returns the answer with a receipt in the place of the first text, and links behind all other blocks. It returns nil if
// the receipt is no gain.
func (a answer) rewrite(r Receipt, links bool) [][]byte {
	block := receiptBlock(r.Text, a.annotations())
	if len(block) >= a.size {
		return nil
	}
	list := [][]byte{}
	if len(a.texts) == 0 {
		list = append(list, block)
	}
	for i, s := range a.blocks {
		switch {
		case len(a.texts) > 0 && i == a.texts[0]:
			list = append(list, block)
		case !slices.Contains(a.texts, i):
			list = append(list, s.of(a.m.text))
		}
	}
	if links {
		for _, path := range r.Artifacts {
			list = append(list, linkBlock(path))
		}
	}
	content := [][]byte{[]byte("[")}
	for i, b := range list {
		if i > 0 {
			content = append(content, []byte(","))
		}
		content = append(content, b)
	}
	content = append(content, []byte("]"))
	return apply(a.m.text, a.edits(content))
}

// edits returns those that put content into the result, and take structured content out if a receipt replaces it.
func (a answer) edits(content [][]byte) (edits []edit) {
	v := a.result.get("content")
	if v.none() { // structured content alone, in the place of which it comes
		m := a.result.list[a.result.index("structuredContent")]
		return []edit{{span{m.name.from, m.value.to}, append([][]byte{[]byte(`"content":`)}, content...)}}
	}
	edits = append(edits, edit{v, content})
	if e, ok := a.result.without("structuredContent"); ok && a.structured {
		edits = append(edits, e)
	}
	slices.SortFunc(edits, func(x, y edit) int { return x.from - y.from })
	return edits
}

// annotations returns those of the replaced texts, if they all have the same.
func (a answer) annotations() []byte {
	var all []byte
	for n, i := range a.texts {
		v := objectAt(a.m.text, a.blocks[i].from).get("annotations").of(a.m.text)
		if n > 0 && !bytes.Equal(v, all) {
			return nil
		}
		all = v
	}
	return all
}

// receiptBlock returns a text block that says that it is one of ours.
func receiptBlock(text string, annotations []byte) []byte {
	if len(annotations) > 0 {
		annotations = fmt.Appendf(nil, `,"annotations":%s`, annotations)
	}
	return fmt.Appendf(nil, `{"type":"text","text":%s%s,"_meta":{%q:true}}`, jsonspan.Quote(text), annotations, markMeta)
}
