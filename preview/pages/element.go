package pages

import (
	"bytes"
	"strings"
)

// Lines of accessibility trees, as the tools of browsers print them:
//
//	- button "Save" [ref=e12] [cursor=pointer]
//	- text: Total $30.40
//	uid=1_12 textbox "Email" value="ann@example.org"
//	[5] link "Help" [url: /help]

// element is a line of a tree.
type element struct {
	indent int
	role   string // empty for text
	name   []byte // between its quotes
	ref    []byte // as it is written, with its brackets; nil for none
	states [][]byte
	value  []byte // behind the colon
	raw    []byte // the whole line, if it is shown as it is
	url    bool   // the address of the element above
	click  bool   // a pointer says that it can be clicked
}

// roleSet returns a set of roles.
func roleSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, role := range strings.Fields(list) {
		set[role] = true
	}
	return set
}

// Roles of elements.
var (
	besideRoles  = roleSet("banner navigation contentinfo complementary search menubar toolbar")
	mainRoles    = roleSet("main dialog alertdialog")
	alertRoles   = roleSet("alert alertdialog status log")
	fieldRoles   = roleSet("textbox searchbox checkbox radio combobox listbox switch slider spinbutton")
	controlRoles = roleSet("button tab menuitem menuitemcheckbox menuitemradio treeitem option")
	textRoles    = roleSet("text StaticText InlineTextBox LineBreak paragraph strong emphasis code time mark deletion insertion superscript subscript " +
		"caption term definition blockquote ListMarker LabelText legend")
	rowRoles   = roleSet("listitem row article")
	cellRoles  = roleSet("cell gridcell columnheader rowheader")
	otherRoles = roleSet("generic heading link img image figure list table rowgroup rowheader columnheader cell gridcell grid tree treegrid group form region " +
		"section separator iframe document application RootWebArea WebArea none presentation progressbar meter math note marquee timer tooltip " +
		"tablist tabpanel menu radiogroup directory feed scrollbar Iframe DescriptionList DescriptionListTerm DescriptionListDetail Section video audio " +
		"Video Audio Canvas canvas Details DisclosureTriangle Pre Abbr Figcaption Ruby ignored")
)

// isRole reports whether a word is a role.
func isRole(word string) bool {
	return textRoles[word] || otherRoles[word] || controlRoles[word] || fieldRoles[word] || rowRoles[word] || besideRoles[word] || mainRoles[word] || alertRoles[word]
}

// maxIndent bounds the depth of a line, in blanks.
const maxIndent = 4096

// parseElement reads a line of a tree. It reports false for other lines.
func parseElement(line []byte) (e element, ok bool) {
	text := bytes.TrimLeft(line, " \t")
	e.indent = min(len(line)-len(text), maxIndent)
	text = bytes.TrimRight(text, " \t\r\n")
	dash := false
	if text, dash = bytes.CutPrefix(text, []byte("- ")); dash {
		e.indent++ // a tree without dashes is not mixed with one that has them
		text = unquoteKey(text)
	}
	hasRef := e.prefixRef(&text)
	word := text
	if end := bytes.IndexAny(text, " :"); end >= 0 {
		word = text[:end]
	}
	switch {
	case dash && bytes.HasPrefix(text, []byte("/")) && bytes.IndexByte(word, '"') < 0:
		e.url = bytes.HasPrefix(text, []byte("/url:"))
		e.role = "text"
		e.value = bytes.TrimPrefix(text, []byte("/"))
		return e, true
	case hasRef && bytes.HasPrefix(text, []byte(`"`)): // text without a role
		e.role = "text"
	case len(word) <= 32 && isRole(string(word)):
		e.role = string(word)
		text = text[len(word):]
	default:
		return e, false
	}
	e.rest(text)
	return e, dash || e.ref != nil || e.name != nil
}

// unquoteKey takes the quotes from a line of YAML whose key has them.
func unquoteKey(text []byte) []byte {
	if len(text) < 2 || text[0] != '\'' {
		return text
	}
	end := bytes.LastIndexByte(text, '\'')
	if end <= 0 || end+1 < len(text) && text[end+1] != ':' {
		return text
	}
	return append(bytes.ReplaceAll(text[1:end], []byte("''"), []byte("'")), text[end+1:]...)
}

// prefixRef reads a reference before the role.
func (e *element) prefixRef(text *[]byte) bool {
	t := *text
	end := bytes.IndexByte(t, ' ')
	if end <= 0 || end > 40 {
		return false
	}
	switch word := t[:end]; {
	case bytes.HasPrefix(word, []byte("uid=")), bytes.HasPrefix(word, []byte("[uid=")), bytes.HasPrefix(word, []byte("[ref=")),
		len(word) > 2 && word[0] == '[' && word[len(word)-1] == ']' && len(bytes.Trim(word[1:len(word)-1], "0123456789")) == 0:
		e.ref = word
		*text = t[end+1:]
		return true
	}
	return false
}

// Words behind a name that say nothing of what a reader sees or does.
var hollowStates = roleSet("active focusable disableable atomic busy live relevant haspopup hasPopup expandable cursor box url selectable editable " +
	"multiselectable orientation settable root keyshortcuts details roledescription multiline readonly")

// rest reads the name, the states and the value behind a role.
func (e *element) rest(text []byte) {
	text = bytes.TrimLeft(text, " ")
	if len(text) > 0 && text[0] == '"' {
		end := quoteEnd(text)
		e.name = text[1:max(1, end-1)]
		text = text[end:]
	}
	for {
		text = bytes.TrimLeft(text, " ")
		switch {
		case len(text) == 0:
			return
		case text[0] == ':' || text[0] == '=':
			e.value = unquoteValue(bytes.TrimSpace(text[1:]))
			return
		case text[0] == '[':
			end := bytes.IndexByte(text, ']')
			if end < 0 {
				e.value = text
				return
			}
			e.state(text[:end+1], text[1:end])
			text = text[end+1:]
		default:
			end := 0
			for end < len(text) && text[end] != ' ' && text[end] != ':' {
				if text[end] == '"' {
					end += quoteEnd(text[end:]) - 1
				}
				end++
			}
			end = min(max(end, 1), len(text))
			e.state(text[:end], text[:end])
			text = text[end:]
		}
	}
}

// state adds what is said of an element.
func (e *element) state(whole, inner []byte) {
	name, _, _ := bytes.Cut(inner, []byte("="))
	name, _, _ = bytes.Cut(name, []byte(":"))
	switch {
	case string(name) == "url" && e.role == "RootWebArea":
		e.states = append(e.states, whole)
	case string(name) == "ref":
		e.ref = whole
	case string(inner) == "cursor=pointer":
		e.click = true
	case hollowStates[string(name)]:
	default:
		e.states = append(e.states, whole)
	}
}

// quoteEnd returns the offset behind the quote that ends a text in quotes.
func quoteEnd(text []byte) int {
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

// unescape returns the text of a quoted name.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return append([]byte{}, text...)
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\') {
			i++
		}
		out = append(out, text[i])
	}
	return out
}

// unquoteValue returns the text of a value, which YAML may write in quotes.
func unquoteValue(text []byte) []byte {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		return unescape(text[1 : len(text)-1])
	}
	return text
}
