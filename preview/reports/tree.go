package reports

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Documents of XML and of JSON as trees, for reports. Both readers take what is
// cut or damaged: what is open at the end is closed there, and text that is
// neither markup nor a value is kept line by line, as it is written.

// tree is the nodes of a document in their order: what is inside of a node is
// the nodes between it and its end. Texts are parts of the document.
type tree []node

// node is an element or an attribute, a member or a value.
type node struct {
	name   []byte // nil for text, and for an element of an array
	value  []byte // of a leaf, as it is written
	end    int32  // the node after all that is inside
	parent int32  // -1 for an outermost one
	kind   nodeKind
	cut    bool // the document ends inside of it
}

// nodeKind is how the value of a node is written.
type nodeKind uint8

const (
	container   nodeKind = iota // it has other nodes inside
	escapedXML                  // text with entities
	plainText                   // as it is: a CDATA section, a number
	escapedJSON                 // a string without its quotes
	foreignText                 // a line that is no part of the document
	comment                     // with its marks
)

// Bounds of a tree.
const (
	mostNodes   = 1 << 18 // each of which takes 64 bytes
	deepestTree = 512     // nodes around a node; those inside of more are read as beside it
)

// treeReader is a tree while it is read.
type treeReader struct {
	src  []byte
	at   int
	tree tree
	open []int32
}

// newTreeReader returns a reader with space for about as many nodes as the text
// has of some signs.
func newTreeReader(src []byte, signs ...string) treeReader {
	n := 1
	for _, sign := range signs {
		n += bytes.Count(src, []byte(sign))
	}
	return treeReader{src: src, tree: make(tree, 0, min(n, mostNodes))}
}

// add appends a node to the innermost open one.
func (r *treeReader) add(n node) {
	n.parent, n.end = -1, int32(len(r.tree)+1)
	if len(r.open) > 0 {
		n.parent = r.open[len(r.open)-1]
	}
	r.tree = append(r.tree, n)
}

// begin opens a container.
func (r *treeReader) begin(name []byte) {
	r.add(node{name: name})
	if len(r.open) < deepestTree {
		r.open = append(r.open, int32(len(r.tree)-1))
	}
}

// close closes the innermost containers, so that n stay open.
func (r *treeReader) close(n int) {
	for _, i := range r.open[n:] {
		r.tree[i].end = int32(len(r.tree))
	}
	r.open = r.open[:n]
}

// finish closes what is open, and reports whether nothing was, and whether the
// document was not too large.
func (r *treeReader) finish() (t tree, whole, ok bool) {
	whole = len(r.open) == 0
	for _, i := range r.open {
		r.tree[i].cut = true
	}
	r.close(0)
	return r.tree, whole, len(r.tree) <= mostNodes
}

// full reports whether the tree is too large.
func (r *treeReader) full() bool { return len(r.tree) > mostNodes }

// readXML reads elements, attributes and texts. Names lose their prefix. A
// closing tag without an opening one is passed over.
func readXML(src []byte) (t tree, whole, ok bool) {
	r := newTreeReader(src, "<", "=")
	for r.at < len(src) && !r.full() {
		if len(r.open) == 0 && r.foreignLine(endOfText) {
			continue
		}
		tag := bytes.IndexByte(src[r.at:], '<')
		if tag < 0 {
			tag = len(src) - r.at
		}
		r.xmlText(src[r.at:r.at+tag], escapedXML)
		r.at += tag
		r.markup()
	}
	return r.finish()
}

// xmlText adds a text that is not blank.
func (r *treeReader) xmlText(text []byte, kind nodeKind) {
	if len(bytes.TrimSpace(text)) > 0 {
		r.add(node{value: text, kind: kind})
	}
}

// foreignLine adds the next line if it has text that is no part of the document,
// up to a place where the document goes on, and reports whether it does. The
// line is at the first level.
func (r *treeReader) foreignLine(ends func(line []byte) int) bool {
	var line []byte
	for {
		line = r.src[r.at:]
		end := bytes.IndexByte(line, '\n')
		if end < 0 {
			break
		}
		if line = line[:end]; len(bytes.TrimSpace(line)) > 0 {
			break
		}
		r.at += end + 1
	}
	n := ends(line)
	if n == 0 || len(bytes.TrimSpace(line[:n])) == 0 {
		return false
	}
	r.add(node{value: bytes.TrimSuffix(line[:n], []byte("\r")), kind: foreignText})
	r.at += n
	return true
}

// endOfText returns the length of the text at the start of a line outside of all
// elements. It may have brackets: what follows it is a document only if it
// begins as one.
func endOfText(line []byte) int {
	if text := bytes.TrimLeft(line, " \t\r"); len(text) == 0 || text[0] == '<' && (len(text) == 1 || isNameByte(text[1]) || text[1] == '?' || text[1] == '!' || text[1] == '/') {
		return 0
	}
	for _, begin := range [...]string{"<?xml", "<test"} {
		if n := bytes.Index(line, []byte(begin)); n >= 0 {
			line = line[:n]
		}
	}
	return len(line)
}

// markup reads what begins with an angle bracket.
func (r *treeReader) markup() {
	rest := r.src[r.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		r.at += len("<![CDATA[")
		r.xmlText(r.until("]]>"), plainText)
	case bytes.HasPrefix(rest, []byte("<!--")):
		from := r.at
		r.until("-->")
		r.add(node{value: r.src[from:r.at], kind: comment})
	case bytes.HasPrefix(rest, []byte("</")):
		r.closing(localName(bytes.TrimSpace(r.until(">")[2:])))
	case bytes.HasPrefix(rest, []byte("<?xml ")):
		r.until(">")
	case bytes.HasPrefix(rest, []byte("<?")), bytes.HasPrefix(rest, []byte("<!")):
		from := r.at
		r.until(">")
		r.xmlText(r.src[from:r.at], plainText)
	case len(rest) > 1 && textscan.BeginsWord(rest[1]):
		r.at++
		r.begin(localName(r.word()))
		if r.attributes() {
			r.close(max(0, len(r.open)-1))
		}
	case len(rest) > 0: // a bracket that nobody escaped
		r.xmlText(rest[:1], plainText)
		r.at++
	}
}

// until passes over the text up to a mark, and returns what is before it.
func (r *treeReader) until(mark string) []byte {
	from := r.at
	if n := bytes.Index(r.src[from:], []byte(mark)); n >= 0 {
		r.at += n + len(mark)
		return r.src[from : from+n]
	}
	r.at = len(r.src)
	return r.src[from:]
}

// closing closes the innermost element of a name.
func (r *treeReader) closing(name []byte) {
	for n := len(r.open) - 1; n >= 0; n-- {
		if bytes.Equal(r.tree[r.open[n]].name, name) {
			r.close(n)
			return
		}
	}
}

// attributes reads the attributes of an element up to the end of its tag, and
// reports whether the element ends there, too.
func (r *treeReader) attributes() (ends bool) {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '>':
			r.at++
			return false
		case c == '<': // a tag that was cut
			return false
		case c == '/' && r.at+1 < len(r.src) && r.src[r.at+1] == '>':
			r.at += 2
			return true
		case isNameByte(c):
			r.attribute()
		default:
			r.at++
		}
	}
	return false
}

// attribute reads one attribute. A value without quotes, which is no XML, ends
// before a blank.
func (r *treeReader) attribute() {
	n := node{name: localName(r.word()), kind: escapedXML}
	r.blanks()
	if r.at < len(r.src) && r.src[r.at] == '=' {
		r.at++
		r.blanks()
		if r.at < len(r.src) && (r.src[r.at] == '"' || r.src[r.at] == '\'') {
			quote := string(r.src[r.at : r.at+1])
			r.at++
			n.value = r.until(quote)
		} else {
			from := r.at
			for r.at < len(r.src) && !isBlank(r.src[r.at]) && r.src[r.at] != '>' && r.src[r.at] != '<' && !bytes.HasPrefix(r.src[r.at:], []byte("/>")) {
				r.at++
			}
			n.value = r.src[from:r.at]
		}
	}
	r.add(n)
}

// word passes over a name.
func (r *treeReader) word() []byte {
	from := r.at
	for r.at < len(r.src) && isNameByte(r.src[r.at]) {
		r.at++
	}
	return r.src[from:r.at]
}

// blanks passes over white space.
func (r *treeReader) blanks() {
	for r.at < len(r.src) && isBlank(r.src[r.at]) {
		r.at++
	}
}

// isBlank reports whether c is white space of XML and JSON.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isNameByte reports whether c may be in the name of an element.
func isNameByte(c byte) bool {
	return textscan.BeginsWord(c) || c >= '0' && c <= '9' || c == '-' || c == '.' || c == ':' || c == '_' || c >= utf8.RuneSelf
}

// localName returns a name without its prefix.
func localName(name []byte) []byte { return name[bytes.LastIndexByte(name, ':')+1:] }

// readJSON reads JSON values, one or several.
func readJSON(src []byte) (t tree, whole, ok bool) {
	r := newTreeReader(src, ",", "{", "[")
	for r.at < len(src) && !r.full() {
		if len(r.open) == 0 && (r.foreignLine(endOfWords) || r.at == len(src)) {
			continue
		}
		r.jsonToken()
	}
	return r.finish()
}

// endOfWords returns the length of the text at the start of a line outside of
// all values. Brackets that close something, and members, are those of a value
// whose start is cut.
func endOfWords(line []byte) int {
	text := bytes.TrimLeft(line, " \t\r,]}")
	if len(text) == 0 || beginsJSON(text) || isMember(text) {
		return 0
	}
	if text = bytes.TrimRight(text, " \t\r"); text[len(text)-1] != '}' && text[len(text)-1] != ']' {
		return len(line)
	}
	return beforeObject(line)
}

// beforeObject returns the length of a line, or of what is before an object in it.
func beforeObject(line []byte) int {
	for _, begin := range [...]string{`{"`, `{ "`} {
		if n := bytes.Index(line, []byte(begin)); n >= 0 {
			line = line[:n]
		}
	}
	return len(line)
}

// beginsJSON reports whether a value with other values inside begins with a line.
func beginsJSON(text []byte) bool {
	inside := bytes.TrimLeft(text[1:], " \t\r\n")
	switch text[0] {
	case '{':
		return len(inside) == 0 || inside[0] == '"' || inside[0] == '}'
	case '[':
		return len(inside) == 0 || bytes.IndexByte([]byte(`{["]`), inside[0]) >= 0
	}
	return false
}

// isMember reports whether a line begins with a string, and goes on as JSON does.
func isMember(text []byte) bool {
	if text[0] != '"' {
		return false
	}
	r := treeReader{src: text}
	r.quoted()
	r.blanks()
	return r.at == len(text) || bytes.IndexByte([]byte(":,]}"), text[r.at]) >= 0
}

// jsonToken reads a bracket or a value, with the key before it.
func (r *treeReader) jsonToken() {
	switch c := r.src[r.at]; {
	case c == '}' || c == ']':
		r.at++
		r.close(max(0, len(r.open)-1))
	case c == '"':
		text := r.quoted()
		if r.blanks(); r.at < len(r.src) && r.src[r.at] == ':' {
			r.at++
			r.blanks()
			r.jsonValue(text)
			return
		}
		r.add(node{value: text, kind: escapedJSON})
	default:
		r.jsonValue(nil)
	}
}

// jsonValue reads what a value begins with.
func (r *treeReader) jsonValue(name []byte) {
	if r.at == len(r.src) {
		return
	}
	switch c := r.src[r.at]; {
	case c == '{' || c == '[':
		r.at++
		r.begin(name)
	case c == '"':
		r.add(node{name: name, value: r.quoted(), kind: escapedJSON})
	case c == '}' || c == ']': // a key without a value
	case textscan.EndsScalar(c):
		r.at++
	default:
		from := r.at
		for r.at < len(r.src) && !textscan.EndsScalar(r.src[r.at]) {
			r.at++
		}
		if word := r.src[from:r.at]; name != nil || !r.isText(word) {
			r.add(node{name: name, value: word, kind: plainText})
			return
		}
		r.at = from
		r.foreignLine(beforeObject)
	}
}

// isText reports whether a word is the first one of a line of text, and no value.
func (r *treeReader) isText(word []byte) bool {
	if c := word[0]; c == '-' || c >= '0' && c <= '9' || r.at == len(r.src) || r.src[r.at] == ',' || r.src[r.at] == ']' || r.src[r.at] == '}' {
		return false
	}
	switch string(word) {
	case "true", "false", "null":
		return false
	}
	line := r.src[r.at:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return len(bytes.TrimSpace(line)) > 0
}

// quoted passes over a string, and returns what is between its quotes.
func (r *treeReader) quoted() []byte {
	r.at++
	from := r.at
	for r.at < len(r.src) {
		switch r.src[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return r.src[from : r.at-1]
		}
		r.at++
	}
	r.at = len(r.src)
	return r.src[from:]
}

// text returns the value of a leaf as a reader sees it: without escapes, in
// lines that end with a line feed.
func (t tree) text(i int32) string {
	n := &t[i]
	s := string(n.value)
	switch n.kind {
	case escapedXML:
		s = withoutEntities(s)
	case escapedJSON:
		s = withoutBackslashes(s)
	case container, plainText, foreignText, comment:
	}
	return visibleText(s)
}

// visibleText returns a text without terminal sequences and returns.
func visibleText(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = string(textscan.WithoutEscapes([]byte(s)))
	}
	if strings.IndexByte(s, '\r') >= 0 || strings.IndexByte(s, 0) >= 0 {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
	}
	return s
}

// withoutBackslashes reads a JSON string; one that is cut stays as it is.
func withoutBackslashes(s string) string {
	var text string
	if strings.IndexByte(s, '\\') < 0 || json.Unmarshal([]byte(`"`+s+`"`), &text) != nil {
		return s
	}
	return text
}

// entities are those that XML has by itself.
var entities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// longestEntity is that of a number of seven digits.
const longestEntity = len("#x10FFFF;")

// withoutEntities replaces entities by what they stand for. Unknown ones stay.
func withoutEntities(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		if b.WriteString(before); !found {
			return b.String()
		}
		end := strings.IndexByte(rest[:min(len(rest), longestEntity)], ';')
		if text, known := entity(rest[:max(0, end)]); known {
			b.WriteString(text)
			rest = rest[end+1:]
		} else {
			b.WriteByte('&')
		}
		s = rest
	}
}

// entity returns what an entity stands for.
func entity(name string) (text string, known bool) {
	if text, known = entities[name]; known {
		return text, true
	}
	digits, number := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	r, err := strconv.ParseUint(digits, base, 21)
	if !number || err != nil {
		return "", false
	}
	return string(rune(r)), true
}

// children iterates over the nodes that are directly inside of one.
func (t tree) children(i int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for c := i + 1; c < t[i].end; c = t[c].end {
			if !yield(c) {
				return
			}
		}
	}
}

// roots iterates over the outermost nodes.
func (t tree) roots() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for c := int32(0); int(c) < len(t); c = t[c].end {
			if !yield(c) {
				return
			}
		}
	}
}

// leaf returns the text of a node that is a leaf, or an element with nothing
// but text inside.
func (t tree) leaf(i int32) (text string, ok bool) {
	if t[i].kind != container {
		return t.text(i), true
	}
	if only := i + 1; t[i].end == i+2 && t[only].kind != container && t[only].name == nil {
		return t.text(only), true
	}
	return "", false
}
