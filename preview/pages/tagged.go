package pages

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

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
	"img": "img",
}

// cutNumber cuts the number of an element from a line: [12], *[12], [12]*, 12[:], or behind a dash
// or the name of what scrolls.
func cutNumber(text []byte) (ref, rest []byte, ok bool) {
	text = bytes.TrimPrefix(text, []byte("- "))
	if len(text) > 0 && text[0] == '|' {
		if end := bytes.IndexByte(text[1:], '|'); end > 0 {
			text = text[end+2:]
		}
	}
	text = bytes.TrimPrefix(text, []byte("*"))
	end := bytes.IndexByte(text, ']')
	if end < 1 || end > 12 {
		return nil, nil, false
	}
	ref = text[:end+1]
	number, hasColon := bytes.CutSuffix(ref, []byte("[:]"))
	if !hasColon {
		if ref[0] != '[' {
			return nil, nil, false
		}
		number = ref[1:end]
	}
	if len(number) == 0 || len(bytes.Trim(number, "0123456789")) > 0 {
		return nil, nil, false
	}
	return ref, bytes.TrimLeft(text[end+1:], "*: "), true
}

// parseTagged reads a line with a tag and its number. It reports false for other lines.
func parseTagged(line []byte) (e element, ok bool) {
	text := bytes.TrimSpace(line)
	ref, rest, ok := cutNumber(text)
	if !ok || len(rest) < 3 || rest[0] != '<' || rest[1] < 'a' || rest[1] > 'z' {
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

// stateOf returns the tree of tags that JSON with the state of a browser has; nil for other text:
//
//	{"url": "https://...", "title": "Jobs", "interactive_elements": [{"index": 7, "tag": "a", "text": "Help"}]}
func stateOf(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' || !bytes.Contains(text, []byte(`"interactive_elements"`)) {
		return nil
	}
	var state struct {
		URL      string `json:"url"`
		Title    string `json:"title"`
		Elements []struct {
			Index       *int   `json:"index"`
			Tag         string `json:"tag"`
			Type        string `json:"type"`
			Text        string `json:"text"`
			Placeholder string `json:"placeholder"`
		} `json:"interactive_elements"`
	}
	if json.Unmarshal(text, &state) != nil {
		return nil
	}
	var out []byte
	line := func(parts ...string) {
		out = append(append(out, strings.Join(strings.Fields(strings.Join(parts, "")), " ")...), '\n')
	}
	line("Page URL: ", state.URL)
	line("Page Title: ", state.Title)
	for _, e := range state.Elements {
		if e.Index == nil || e.Tag == "" {
			return nil
		}
		tag := "[" + strconv.Itoa(*e.Index) + "]<" + strings.ToLower(e.Tag)
		if e.Type != "" {
			tag += " type=" + e.Type
		}
		if e.Placeholder != "" {
			tag += " placeholder=" + e.Placeholder
		}
		line(tag, " /> ", e.Text)
	}
	return out
}
