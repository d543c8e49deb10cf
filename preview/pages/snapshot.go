package pages

import (
	"bytes"
	"slices"
)

// The readable form of an accessibility tree has the main part first, without wrappers,
// addresses and deep indentation: text, headings, fields with their values, and what can
// be clicked with the reference that a click needs. What belongs to one row of a list or
// a table is on one line.

// besideTree is the line between the main part of a tree and the rest.
const besideTree = "Beside the main part:"

// Bounds of the lines that are read as a tree.
const (
	leastElements = 8   // lines of elements
	shareElements = 70  // of the lines, in percent, from the first element on
	mostBefore    = 200 // lines after which there must be elements
	leastRefs     = 4   // elements with a reference
	longText      = 120 // bytes of text that is written a sentence a line
	joinedRow     = 240 // bytes of the elements that are joined on a line
)

// isTree reports whether a text has the accessibility tree of a page.
func isTree(text []byte) bool {
	seen, lines, elements, refs := 0, 0, 0, 0
	for line := range bytes.Lines(text) {
		if seen++; seen > mostBefore && elements*100 < seen*shareElements/2 {
			return false
		}
		if len(bytes.TrimSpace(line)) == 0 || isFence(bytes.TrimSpace(line)) {
			continue
		}
		e, ok := parseElement(line)
		if ok {
			elements++
			if e.ref != nil {
				refs++
			}
		}
		if lines++; elements == 0 {
			lines = 0
		}
	}
	return elements >= leastElements && refs >= leastRefs && elements*100 >= lines*shareElements
}

// ReadSnapshot returns the readable form of a text with the accessibility tree of a page;
// nil for any other text.
func ReadSnapshot(text []byte) *Form {
	if state := stateOf(text); state != nil {
		text = state
	}
	t := tree{form: &Form{tree: true}}
	switch {
	case isTree(text):
	case isTagged(text):
		t.tagged, text = true, joinTagged(text)
	default:
		return nil
	}
	t.survey(text)
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		trimmed := bytes.TrimLeft(line, " \t")
		if e, ok := t.parse(line); ok {
			t.element(&e)
			continue
		}
		if len(trimmed) > 0 && !isFence(trimmed) {
			t.other(trimmed)
		}
	}
	t.endRow()
	t.endCommon(t.top().beside)
	t.flushLinks()
	odd := t.odd()
	t.writeLines(t.main, odd)
	if len(t.rest) > 0 {
		t.form.add(Line{Kind: Divider, Beside: true}, []byte(besideTree))
		t.writeLines(t.rest, odd)
	}
	return t.form
}

// writeLines writes lines to the form. What every row has is behind those rows that are
// unlike others, and behind all rows for the others, with what they begin with.
func (t *tree) writeLines(lines []treeLine, odd []int) {
	var later []treeLine
	sizes := map[int32]int{} // rows of groups
	for _, g := range t.groups {
		sizes[g]++
	}
	flush := func() {
		for _, l := range later {
			t.form.add(l.line, l.text)
		}
		later = later[:0]
	}
	for _, l := range lines {
		if l.line.Row != 0 && sizes[t.groups[l.line.Row]] < leastRows {
			l.line.Row = 0
		}
		if l.line.Row != 0 {
			l.line.Odd = uint8(min(odd[l.line.Row], maxOdd))
		}
		if len(later) > 0 && (l.line.Row == 0 || t.groups[l.line.Row] != t.groups[later[0].line.Row]) {
			flush()
		}
		switch {
		case l.common && l.line.Row != 0 && l.line.Odd < oddMore:
			l.line.Odd = 0
			if label := t.cells[l.line.Row].label; len(label) > 0 {
				l.text = slices.Concat(label, []byte(": "), l.text)
			}
			later = append(later, l)
		case l.line.Odd >= oddMore && !l.common:
			t.form.add(l.line, t.withRef(l))
		default:
			t.form.add(l.line, l.text)
		}
	}
	flush()
}

// withRef returns a line of a row with the reference of its first cell.
func (t *tree) withRef(l treeLine) []byte {
	c := t.cells[l.line.Row]
	if rest, ok := bytes.CutPrefix(l.text, c.text); ok && len(c.ref) > 0 && c.ref[0] == '[' {
		return slices.Concat(c.text, []byte(" "), c.ref, rest)
	}
	return l.text
}

// maxOdd bounds how much a row is unlike others.
const maxOdd = 200

// maxKeys bounds the controls that are counted.
const maxKeys = 1 << 14

// manyTimes is how often a control of one name is in a tree that is of every row.
const manyTimes = 4

// key returns the role and the name of a control; empty for others.
func (e *element) key() string {
	if len(e.name) == 0 || !fieldRoles[e.role] && !controlRoles[e.role] && e.role != "link" {
		return ""
	}
	return e.role + " " + string(e.name)
}

// openElement is an element whose children may follow.
type openElement struct {
	indent int
	main   bool // it is in the main part
	beside bool // it is in a part that is beside the main one
	dialog bool
	alert  bool
	row    bool   // its children are on one line
	begins bool   // it is such a row
	wraps  bool   // it is in a row whose lists are no rows
	name   []byte // text that its children may repeat
}

// treeLine is a line that is not written yet.
type treeLine struct {
	line   Line
	text   []byte
	common bool // it has what is in every row
}

// cell is the first cell of a row.
type cell struct {
	text, ref []byte
	label     []byte // the first that the row says and others do not
}

// longLabel is the most bytes of a label.
const longLabel = 40

// noGroup is the group of what is in no row.
const noGroup = -2

// tree reads the lines of a tree.
type tree struct {
	form    *Form
	main    []treeLine
	rest    []treeLine // beside the main part
	open    []openElement
	section int32
	tagged  bool // it has tags
	begun   bool // a tag was seen
	started bool // an element was seen
	hasMain bool
	times   map[string]int // of controls, by their roles and names, and by their families
	marks   []rowMark      // by element
	parents []int32        // by element
	next    int            // element
	hasRows bool           // the main part has rows before this place
	inFlat  bool           // in rows without wrappers
	rowID   int32          // of the row that is read; 0: none
	groups  []int32        // of rows, by what they are in
	inRow   map[string]int // elements of the row by their roles
	cells   []cell         // the first ones of rows
	pieces  []piece        // of all rows

	row     []byte // elements of a row that are not written yet
	rowLine Line
	isText  bool   // it is text
	field   []byte // the text that was written last, which a field may repeat
	common  []byte // controls of the row that are in every row
	label   []byte // the name of the field before, which a text may repeat
	links   []byte // links beside the main part that are not written yet
}

// top returns the innermost open element.
func (t *tree) top() openElement {
	if len(t.open) == 0 {
		return openElement{indent: -1}
	}
	return t.open[len(t.open)-1]
}

// other adds a line that is no element: what a tool says of the page.
func (t *tree) other(text []byte) {
	t.endRow()
	kind := Fact
	if t.started {
		kind = kindOf(text)
	}
	t.main = append(t.main, treeLine{line: Line{Kind: kind, Section: t.section}, text: bytes.Clone(text)})
}

// maxOpen bounds the elements inside of each other that are remembered.
const maxOpen = 512

// element adds an element.
func (t *tree) element(e *element) {
	t.started, t.begun = true, true
	for len(t.open) > 0 && t.top().indent >= e.indent {
		if top := t.top(); top.begins || t.inFlat && !top.row {
			t.endRow()
			t.endCommon(top.beside)
			t.rowID, t.inFlat = 0, false
		}
		t.open = t.open[:len(t.open)-1]
	}
	parent := t.top()
	mark := t.marks[t.next]
	begins := rowRoles[e.role] && (!parent.row || e.role != "article" && !parent.wraps) || !parent.row && (mark == wrapsRow || e.wrapsClick())
	if begins || mark >= beginsRow && !parent.row {
		t.endRow()
		t.endCommon(parent.beside)
		t.rowID, t.inFlat = 0, false
		if mark != endsRows || begins {
			t.beginRow(t.parents[t.next])
			t.inFlat = mark == beginsRow
			t.hasRows = t.hasRows || parent.main && !parent.beside
		}
	}
	t.next++
	own := openElement{
		indent: e.indent, main: parent.main || mainRoles[e.role], dialog: parent.dialog || mainRoles[e.role] && e.role != "main",
		beside: parent.beside || besideRoles[e.role], alert: parent.alert || alertRoles[e.role], row: parent.row || begins || t.inFlat, begins: begins, wraps: parent.wraps || mark == wrapsRow || e.role == "article", name: parent.name,
	}
	if own.main {
		own.beside = parent.main && (parent.beside || besideRoles[e.role] && !(e.role == "navigation" && t.hasRows))
	} else if t.hasMain && len(t.open) > 0 {
		own.beside = true
	}
	t.write(e, own, parent)
	if len(e.name) > 0 && (begins || e.key() != "" || rowRoles[e.role] || cellRoles[e.role]) {
		own.name = e.name
	}
	if len(t.open) < maxOpen {
		t.open = append(t.open, own)
	}
}

// wrapsClick reports whether an element can be clicked and what is inside of it says why.
func (e *element) wrapsClick() bool {
	return e.click && e.raw == nil && len(e.name) == 0 && len(e.value) == 0
}

// beginRow begins a row in an element.
func (t *tree) beginRow(parent int32) {
	if len(t.groups) == 0 {
		t.groups, t.cells = append(t.groups, noGroup), append(t.cells, cell{}) // of no row
	}
	t.rowID = int32(len(t.groups))
	t.groups, t.cells = append(t.groups, parent), append(t.cells, cell{})
	t.inRow = map[string]int{}
}

// write writes what an element shows, if it shows anything.
func (t *tree) write(e *element, own, parent openElement) {
	line := Line{Beside: own.beside, Dialog: own.dialog, Section: t.section}
	shown := e.words()
	if own.row {
		line.Row = t.rowID
		t.addPiece(e, shown)
	}
	switch {
	case e.url:
		return
	case e.role == "heading" && (len(e.name) == 0 && len(e.value) == 0 || repeats(parent.name, e.name)):
		return // what is inside of it says what it is
	case e.role == "heading" && own.row:
		line.Kind = kindOf(e.name)
		t.put(line, e.name, own)
		return
	case e.role == "heading":
		t.endRow()
		t.section++
		line.Kind, line.Level, line.Section = Heading, level(e.states), t.section
		t.put(line, e.text(false), own)
		return
	case fieldRoles[e.role]:
		line.Kind, line.Choice = Field, e.role == "checkbox" || e.role == "radio"
	case controlRoles[e.role], e.click && e.role != "link":
		line.Kind = Control
	case e.role == "link":
		line.Kind = Links
	case textRoles[e.role]:
		if len(shown) == 0 || repeats(parent.name, shown) || bytes.Equal(shown, t.label) {
			return
		}
		line.Kind = kindOf(shown)
		t.text(line, shown, own)
		return
	case len(e.name) == 0 && len(e.value) == 0:
		return // a wrapper
	case e.role == "img" || e.role == "image" || e.role == "separator":
		if repeats(parent.name, e.name) {
			return
		}
		line.Kind = Item
		if own.row && t.times[e.family()] >= manyTimes {
			t.common = append(append(t.common, e.text(false)...), ' ')
			return
		}
		t.put(line, e.text(false), own)
		return
	case len(e.name) == 0, e.role == "generic":
		if repeats(parent.name, shown) {
			return
		}
		line.Kind = kindOf(shown)
		t.text(line, shown, own)
		return
	default:
		if repeats(parent.name, e.name) && len(e.value) == 0 {
			return
		}
		if cellRoles[e.role] && t.rowID != 0 && t.cells[t.rowID].text == nil {
			t.cells[t.rowID] = cell{e.text(false), e.ref, t.cells[t.rowID].label}
		}
		line.Kind = Item
		if len(e.value) > 0 || rowRoles[e.role] || cellRoles[e.role] {
			line.Kind = Fact
		}
		t.put(line, e.text(false), own)
		return
	}
	if text := e.text(true); e.role == "option" && len(t.row) > 0 && len(t.row)+len(text) <= joinedRow { // of the field before it
		t.join(line, text)
		return
	}
	if own.row && t.times[e.key()] >= manyTimes { // it is in every row
		t.common = append(append(t.common, e.text(true)...), ' ')
		return
	}
	t.put(line, e.text(true), own)
	t.label = append(t.label[:0], e.name...)
}

// words returns the name and the value of an element as text.
func (e *element) words() []byte {
	if len(e.name) == 0 {
		return e.value
	}
	return bytes.TrimSpace(append(append(unescape(e.name), ' '), e.value...))
}

// repeats reports whether a text is part of a name above it.
func repeats(name, text []byte) bool { return len(text) > 0 && bytes.Contains(name, text) }

// text adds a text. One that a field repeats as its name is left out later.
func (t *tree) text(line Line, text []byte, own openElement) {
	for !own.row && len(text) > longText {
		end := sentenceEnd(text)
		if end == len(text) {
			break
		}
		line.Kind = kindOf(text[:end])
		t.put(line, text[:end], own)
		text = bytes.TrimLeft(text[end:], " ")
		line.Kind = kindOf(text)
	}
	t.put(line, text, own)
	t.field = append(t.field[:0], text...)
}

// put adds a text to the row, or as a line.
func (t *tree) put(line Line, text []byte, own openElement) {
	if line.Kind == Field && len(t.field) > 0 && bytes.HasSuffix(t.row, t.field) && bytes.Contains(text, t.field) {
		t.row = t.row[:len(t.row)-len(t.field)]
	}
	t.field, t.label = t.field[:0], t.label[:0]
	if own.alert && line.Kind != Field && line.Kind != Control && line.Kind != Links {
		line.Kind = Alert
	}
	if !own.row || len(t.row)+len(text) > joinedRow || t.rowLine.Beside != line.Beside || line.Kind == Alert {
		t.endRow()
	}
	if len(t.row) == 0 {
		t.rowLine = line
	}
	t.join(line, text)
	if line.Kind == Heading || line.Kind == Alert {
		t.endRow()
	}
}

// join adds to the row that is not written yet.
func (t *tree) join(line Line, text []byte) {
	isText := line.Kind != Links && line.Kind != Control && line.Kind != Field
	if len(t.row) > 0 {
		switch {
		case isText && t.isText:
			t.row = append(t.row, " · "...)
		default:
			t.row = append(t.row, ' ')
		}
		t.rowLine.Kind = stronger(t.rowLine.Kind, line.Kind)
	}
	t.row = append(t.row, text...)
	t.isText = isText
}

// stronger returns the kind of a line that has two of them.
func stronger(a, b Kind) Kind {
	for _, kind := range [...]Kind{Alert, Sentence, Fact, Field, Control, Links} {
		if a == kind || b == kind {
			return kind
		}
	}
	return a
}

// endRow writes the row that was collected. Links beside the main part are joined.
func (t *tree) endRow() {
	row := bytes.TrimRight(t.row, " ")
	t.row = t.row[:0]
	switch {
	case len(row) == 0:
	case !t.rowLine.Beside:
		t.main = append(t.main, treeLine{line: t.rowLine, text: bytes.Clone(row)})
	case t.rowLine.Kind == Links:
		if len(t.links)+len(row) > joinedRow {
			t.flushLinks()
		}
		if len(t.links) > 0 {
			t.links = append(t.links, " · "...)
		}
		t.links = append(t.links, row...)
	default:
		t.flushLinks()
		t.rest = append(t.rest, treeLine{line: t.rowLine, text: bytes.Clone(row)})
	}
}

// endCommon writes the controls of a row that are in every row, behind it.
func (t *tree) endCommon(beside bool) {
	common := bytes.TrimRight(t.common, " ")
	if t.common = t.common[:0]; len(common) == 0 {
		return
	}
	line := treeLine{line: Line{Kind: Item, Beside: beside, Section: t.section, Row: t.rowID}, text: bytes.Clone(common), common: true}
	if !beside {
		t.main = append(t.main, line)
		return
	}
	t.flushLinks()
	t.rest = append(t.rest, line)
}

// flushLinks writes the links beside the main part that were collected.
func (t *tree) flushLinks() {
	if len(t.links) > 0 {
		t.rest = append(t.rest, treeLine{line: Line{Kind: Links, Beside: true}, text: bytes.Clone(t.links)})
		t.links = t.links[:0]
	}
}

// level returns the level of a heading.
func level(states [][]byte) uint8 {
	for _, s := range states {
		if _, n, ok := bytes.Cut(s, []byte("level=")); ok {
			if n = bytes.Trim(n, `"[]`); len(n) == 1 && n[0] >= '1' && n[0] <= '6' {
				return n[0] - '0'
			}
		}
	}
	return 2
}

// text returns an element as a line shows it.
func (e *element) text(withRef bool) []byte {
	if e.raw != nil {
		return e.raw
	}
	var out []byte
	before := len(e.ref) > 0 && e.ref[0] != '['
	if withRef && before {
		out = append(append(out, e.ref...), ' ')
	}
	out = append(out, e.role...)
	if len(e.name) > 0 {
		out = append(append(append(out, ` "`...), e.name...), '"')
	}
	out = append(out, statesOf(e)...)
	if withRef && !before && len(e.ref) > 0 {
		out = append(append(out, ' '), e.ref...)
	}
	if len(e.value) > 0 {
		out = append(append(out, ": "...), e.value...)
	}
	return out
}

// statesOf returns the states of an element, each behind a blank.
func statesOf(e *element) (out []byte) {
	for _, s := range e.states {
		out = append(append(out, ' '), s...)
	}
	return out
}
