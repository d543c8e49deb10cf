package pages

import "bytes"

// Trees of browser-use have the tags of elements, with the number that a click needs, and
// text between them:
//
//	[12]<input type=text placeholder=Search />
//	*[13]<button aria-label=Close>Close</button>
//	[14]<a />
//		Help
//	312 results

// leastTagged is the percentage of the lines of such a tree that have tags.
const leastTagged = 20

// isTagged reports whether a text is a tree of tags.
func isTagged(text []byte) bool {
	tags, lines := 0, 0
	for line := range bytes.Lines(text) {
		if lines++; lines > mostBefore && tags*100 < lines*leastTagged/2 {
			return false
		}
		if _, ok := parseTagged(line); ok {
			tags++
		}
	}
	return tags >= leastElements && tags*100 >= lines*leastTagged
}

// joinTagged returns a tree of tags with the text of an element behind its tag.
func joinTagged(text []byte) []byte {
	out := make([]byte, 0, len(text))
	tag := -1 // indentation of the tag before; -1 for none that is empty
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		_, ok := parseTagged(line)
		switch {
		case len(trimmed) == 0:
			continue
		case !ok && tag >= 0 && indent > tag:
			out = append(out, ' ')
		case len(out) > 0:
			out = append(out, '\n')
		}
		out = append(out, trimmed...)
		if tag = -1; ok && bytes.HasSuffix(trimmed, []byte("/>")) {
			tag = indent
		}
	}
	return append(out, '\n')
}

// tagRoles has the roles of tags; other tags are buttons.
var tagRoles = map[string]string{
	"a": "link", "button": "button", "input": "textbox", "textarea": "textbox", "select": "combobox", "option": "option",
	"h1": "button", "img": "img",
}

// parseTagged reads a line with a tag and its number. It reports false for other lines.
func parseTagged(line []byte) (e element, ok bool) {
	text := bytes.TrimSpace(line)
	rest := bytes.TrimPrefix(text, []byte("*"))
	open, end := bytes.IndexByte(rest, '['), bytes.IndexByte(rest, ']')
	if open != 0 || end < 2 || end > 12 || len(bytes.Trim(rest[1:end], "0123456789")) > 0 {
		return e, false
	}
	ref := rest[:end+1]
	rest = bytes.TrimPrefix(rest[end+1:], []byte("*"))
	if len(rest) < 3 || rest[0] != '<' || rest[1] < 'a' || rest[1] > 'z' {
		return e, false
	}
	word := bytes.IndexAny(rest, " />")
	if word < 0 {
		return e, false
	}
	e = element{role: tagRoles[string(rest[1:word])], ref: ref, raw: text, click: true}
	if e.role == "" {
		e.role = "button"
	}
	tag, said, _ := bytes.Cut(rest[word:], []byte(">"))
	if last := bytes.LastIndex(said, []byte("</")); last >= 0 {
		said = said[:last]
	}
	e.name = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(said), []byte("/>")))
	for _, key := range [...]string{"aria-label=", "placeholder=", "type="} {
		if at := bytes.Index(tag, []byte(key)); at >= 0 && len(e.name) == 0 {
			value := bytes.TrimRight(tag[at+len(key):], " /")
			if next := bytes.IndexByte(value, '='); next > 0 {
				value = value[:max(0, bytes.LastIndexByte(value[:next], ' '))]
			}
			e.name = bytes.Trim(value, `"'`)
		}
	}
	if bytes.Contains(tag, []byte("type=checkbox")) || bytes.Contains(tag, []byte("type=radio")) {
		e.role = "checkbox"
	}
	if bytes.Contains(tag, []byte("type=submit")) && e.role == "textbox" {
		e.role = "button"
	}
	return e, true
}

// parse reads a line of a tree.
func (t *tree) parse(line []byte) (e element, ok bool) {
	if !t.tagged {
		return parseElement(line)
	}
	if e, ok = parseTagged(line); ok {
		return e, true
	}
	text := bytes.TrimSpace(line)
	return element{role: "text", value: text}, t.begun && len(text) > 0
}
