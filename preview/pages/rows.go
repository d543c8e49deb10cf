package pages

import (
	"bytes"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
)

// Rows of a tree are elements of one form beside each other: items of lists and rows of
// tables, wrappers of one form, and, in trees without wrappers, what is between controls
// that return.

// Bounds of rows that no role states.
const (
	leastRows   = 4  // rows beside each other
	leastOfRow  = 2  // elements in a wrapper that is a row
	mostOfRow   = 40 // and at most
	leastInFlat = 12 // children of an element that may be rows without wrappers
	shareAnchor = 80 // percent of the most frequent control that another has which ends rows
)

// rowMark says how a row begins or ends at an element.
type rowMark uint8

// The marks.
const (
	wrapsRow  rowMark = iota + 1 // the element has all of the row
	beginsRow                    // it and those behind it are the row
	endsRows                     // it is in no row
)

// node is an element as the search for rows sees it.
type node struct {
	parent int32
	size   int32  // elements inside
	role   string // of itself
	first  string // role of the first element inside that shows something
	key    uint64 // of a control; 0 for others
	family uint64 // of a control with others that are named alike; 0 for others
	acts   bool   // has a control inside
	rows   bool   // has rows inside
}

// survey looks at a whole tree before it is read: whether it has a main part, which
// controls it has many times, and where its rows begin.
func (t *tree) survey(text []byte) {
	t.times = map[string]int{}
	var nodes []node
	var open []struct {
		indent int
		node   int32
	}
	for line := range bytes.Lines(text) {
		e, ok := t.parse(line)
		if !ok {
			continue
		}
		t.begun = true
		t.hasMain = t.hasMain || e.role == "main"
		key, family := e.key(), e.family()
		t.count(key)
		if family != key {
			t.count(family)
		}
		for len(open) > 0 && open[len(open)-1].indent >= e.indent {
			open = open[:len(open)-1]
		}
		n := node{parent: -1, role: e.role}
		if len(open) > 0 {
			n.parent = open[len(open)-1].node
		}
		if key != "" && family != "" {
			n.key, n.family = hashOf(key), hashOf(family)
		}
		if len(open) < maxOpen {
			open = append(open, struct {
				indent int
				node   int32
			}{e.indent, int32(len(nodes))})
		}
		if e.url {
			n.role = "" // it shows nothing
		}
		nodes = append(nodes, n)
	}
	t.begun = false
	t.marks, t.parents = make([]rowMark, len(nodes)), make([]int32, len(nodes))
	for i := range nodes {
		t.parents[i] = nodes[i].parent
	}
	sumUp(nodes)
	t.wrappers(nodes)
	t.flatRows(nodes)
}

// count counts a control, or a family of them.
func (t *tree) count(key string) {
	if key != "" && (t.times[key] > 0 || len(t.times) < maxKeys) {
		t.times[key]++
	}
}

// sumUp gives elements the counts of what is inside of them.
func sumUp(nodes []node) {
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		if n.parent < 0 || n.role == "" {
			continue
		}
		p := &nodes[n.parent]
		p.size += n.size + 1
		p.acts = p.acts || n.acts || n.family != 0
		p.rows = p.rows || n.rows || rowRoles[n.role] || mainRoles[n.role] || besideRoles[n.role]
		switch {
		case textRoles[n.role]:
			p.first = "text"
		case n.role != "generic":
			p.first = n.role
		case n.first != "":
			p.first = n.first
		default:
			p.first = "text"
		}
	}
}

// form is how a wrapper looks to its parent.
type form struct {
	parent int32
	role   string
	first  string
	acts   bool
}

// wrapperRoles are roles of elements that may be rows.
var wrapperRoles = roleSet("generic group region section figure")

// wrappers finds rows that are wrappers of one form.
func (t *tree) wrappers(nodes []node) {
	times := map[form]int{}
	formOf := func(n *node) (form, bool) {
		return form{n.parent, n.role, n.first, n.acts}, wrapperRoles[n.role] && n.size >= leastOfRow && n.size <= mostOfRow && !n.rows
	}
	for i := range nodes {
		if f, ok := formOf(&nodes[i]); ok {
			times[f]++
		}
	}
	for i := range nodes {
		if f, ok := formOf(&nodes[i]); ok && times[f] >= leastRows {
			t.marks[i] = wrapsRow
		}
	}
}

// flatRows finds rows without wrappers by the controls that end them.
func (t *tree) flatRows(nodes []node) {
	kids := map[int32][]int32{}
	for i := range nodes {
		kids[nodes[i].parent] = append(kids[nodes[i].parent], int32(i))
	}
	for parent := int32(-1); int(parent) < len(nodes); parent++ {
		of := kids[parent]
		if len(of) < leastInFlat {
			continue
		}
		ends := rowEnds(of, func(i int32) uint64 { return nodes[i].key })
		if len(ends) < leastRows { // their names differ
			ends = rowEnds(of, func(i int32) uint64 { return nodes[i].family })
		}
		if len(ends) >= leastRows {
			t.flat(of, ends)
		}
	}
}

// rowEnds returns the places of the children that end rows: of the controls that return, the one
// that is farthest from the next.
func rowEnds(kids []int32, control func(int32) uint64) (ends []int) {
	times := map[uint64]int{}
	most := 0
	for _, k := range kids {
		if f := control(k); f != 0 {
			times[f]++
			most = max(most, times[f])
		}
	}
	if most < leastRows || most*2 > len(kids) {
		return nil
	}
	gaps := map[uint64]int{} // elements from a control to the next of those that return
	last, at := uint64(0), 0
	best := uint64(0)
	for i, k := range kids {
		f := control(k)
		if f == 0 || times[f]*100 < most*shareAnchor {
			continue
		}
		if last != 0 {
			gaps[last] += i - at
			if best == 0 || gaps[last] > gaps[best] {
				best = last
			}
		}
		last, at = f, i
	}
	for i, k := range kids {
		if best != 0 && control(k) == best {
			ends = append(ends, i)
		}
	}
	return ends
}

// flat marks the rows that end at some of the children of an element.
func (t *tree) flat(kids []int32, ends []int) {
	sizes := make([]int, 0, len(ends))
	for i := 1; i < len(ends); i++ {
		sizes = append(sizes, ends[i]-ends[i-1])
	}
	slices.Sort(sizes)
	usual := sizes[len(sizes)/2]
	if usual < leastOfRow || usual > mostOfRow {
		return
	}
	start := max(0, ends[0]+1-usual)
	for _, end := range ends {
		for start < end && t.marks[kids[start]] != 0 {
			start++
		}
		t.marks[kids[start]] = beginsRow
		start = end + 1
	}
	if start < len(kids) {
		t.marks[kids[start]] = endsRows
	}
}

// family returns the role and the first word of the name of a control, which it shares
// with those of other rows, such as "Select KL1776"; empty for others.
func (e *element) family() string {
	key := e.key()
	if (e.role == "img" || e.role == "image") && len(e.name) > 0 {
		key = e.role + " " + string(e.name)
	}
	if key == "" || e.role == "option" {
		return ""
	}
	word, _, more := bytes.Cut(e.name, []byte(" "))
	if !more {
		return key
	}
	return e.role + " " + string(word) + " "
}

// hashOf returns a number for a text that others hardly have.
func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) //nolint:errcheck // it cannot fail
	return max(h.Sum64(), 1)
}

// piece is an element of a row.
type piece struct {
	row    int32
	place  uint64 // its group, role and place among those of its role
	value  uint64 // the place, and what it says without its numbers
	number float64
}

// addPiece remembers what an element of a row says.
func (t *tree) addPiece(e *element, shown []byte) {
	if t.rowID == 0 || e.url || len(shown) == 0 && len(e.states) == 0 {
		return
	}
	role := e.role
	if textRoles[role] || role == "generic" {
		role = "text"
	}
	if rowRoles[role] {
		return
	}
	if c := &t.cells[t.rowID]; c.label == nil && len(shown) > 0 && t.times[e.key()] < manyTimes && t.times[e.family()] < manyTimes || c.label == nil && role == "link" {
		c.label = bytes.ToValidUTF8(bytes.Clone(shown[:min(len(shown), longLabel)]), nil)
	}
	t.inRow[role]++
	place := strconv.Itoa(int(t.groups[t.rowID])) + " " + role + " " + strconv.Itoa(t.inRow[role])
	said := shown
	if key := e.family(); key != "" && !fieldRoles[role] {
		said = []byte(key)
	}
	value := place + " " + string(masked(said))
	t.pieces = append(t.pieces, piece{row: t.rowID, place: hashOf(place), value: hashOf(value), number: numberIn(shown)})
	if e.key() != "" {
		states := string(masked(statesOf(e)))
		t.pieces = append(t.pieces, piece{row: t.rowID, place: hashOf(place + " is"), value: hashOf(place + " is" + states), number: math.NaN()})
	}
}

// masked returns a text in which each number is the same.
func masked(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		if isDigit := c >= '0' && c <= '9' || (c == '.' || c == ',') && len(out) > 0 && out[len(out)-1] == '#'; isDigit {
			if len(out) > 0 && out[len(out)-1] == '#' {
				continue
			}
			c = '#'
		}
		out = append(out, c)
	}
	return out
}

// numberIn returns the first number of a text; NaN for none.
func numberIn(text []byte) float64 {
	start := bytes.IndexAny(text, "0123456789")
	if start < 0 {
		return math.NaN()
	}
	var digits []byte
	for _, c := range text[start:] {
		if c == ',' {
			continue
		}
		if c != '.' && (c < '0' || c > '9') {
			break
		}
		digits = append(digits, c)
	}
	n, err := strconv.ParseFloat(string(digits), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// Weights of what makes a row unlike others.
const (
	oddMore    = 3 // it has something that few of them have
	oddValue   = 3 // it says something else where others say the same
	oddExtreme = 1 // it has the least or the greatest number
)

// Bounds of what is rare in rows.
const (
	leastCompared = 6  // rows that are compared
	rareShare     = 8  // one in this many of the rows is rare
	usualShare    = 25 // percent of the rows have the most frequent value where others are rare
)

// place is what the rows of a group have at one place.
type place struct {
	times, most int
	values      int
	low, high   piece
	numbers     int
}

// odd returns for each row how much it is unlike the others of its group.
func (t *tree) odd() []int {
	odd, sizes := make([]int, len(t.groups)), map[int32]int{}
	for _, g := range t.groups {
		sizes[g]++
	}
	places, values := map[uint64]*place{}, map[uint64]int{}
	for _, p := range t.pieces {
		at := places[p.place]
		if at == nil {
			at = &place{}
			places[p.place] = at
		}
		if values[p.value]++; values[p.value] == 1 {
			at.values++
		}
		at.times++
		at.most = max(at.most, values[p.value])
		if !math.IsNaN(p.number) {
			if at.numbers == 0 || p.number < at.low.number {
				at.low = p
			}
			if at.numbers == 0 || p.number > at.high.number {
				at.high = p
			}
			at.numbers++
		}
	}
	for _, p := range t.pieces {
		size, at := sizes[t.groups[p.row]], places[p.place]
		if size < leastCompared {
			continue
		}
		rare := max(1, size/rareShare)
		switch {
		case at.times <= rare:
			odd[p.row] += oddMore
		case values[p.value] <= rare && (at.most*100 >= size*usualShare || at.values*3 <= at.times):
			odd[p.row] += oddValue
		case at.numbers == at.times && at.most*2 >= at.times && (at.low == p || at.high == p):
			odd[p.row] += oddExtreme
		}
	}
	return odd
}
