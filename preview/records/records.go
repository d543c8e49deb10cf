package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
)

// ErrNotJSON is returned for text that is no JSON.
var ErrNotJSON = errors.New("no JSON text")

// Bounds of records that are a table.
const (
	leastRows   = 3
	mostColumns = 128
	mostCells   = 1 << 20 // each of which takes 24 bytes of memory while it is read
	deepestKey  = 4       // objects in one another whose members are columns
	deepestList = 6       // objects around a list
	leastFilled = 2       // one cell in this many has a value
	listShare   = 3       // the list in a value is looked into where it has two of three of its bytes
	listShareOf = 2
	mostBeside  = 4 // lines of an object beside a list
)

// Parse reads JSON of which most is records of one kind, and writes them as a
// table: one array or object, with what is around it, or objects in sequence. They
// are a table where they have the same members, nearly. A few lines of other text may
// be around it, and it may be cut. It returns ErrNotJSON for other text,
// and nil without an error for JSON that is no table.
func Parse(text []byte) (*Table, error) { return parse(text, (*reader).table) }

// Overview is Parse with the columns that a reader wants, so that all rows fit into a budget of
// tokens if they can. Records may differ, and what is in their objects and lists has columns.
func Overview(text []byte, tokens int) (*Table, error) {
	return parse(text, func(p *reader, objects []Cell, list List) *Table { return p.overview(objects, list, tokens) })
}

// parse reads the values of a text, of which a function makes a table.
func parse(text []byte, table func(*reader, []Cell, List) *Table) (*Table, error) {
	if len(text) > math.MaxInt32/2 {
		return nil, nil
	}
	p, objects, err := compactValues(text)
	if err == nil {
		return table(p, objects, List{}), nil
	}
	in, err := Enclosed(text)
	if err != nil {
		return nil, err
	}
	if p, objects, err = compactValues(in.Value); err != nil {
		return nil, err
	}
	if t := table(p, objects, List{Before: in.Before, After: in.After}); t != nil {
		return t, nil
	}
	return nil, ErrNotJSON
}

// overview returns the table of chosen columns of a value, or of objects in sequence; nil for
// other values.
func (p *reader) overview(objects []Cell, list List, tokens int) *Table {
	isLog := len(objects) > 1
	var names []Cell
	if !isLog {
		if objects, names = p.find(objects[0], &list); objects == nil {
			return nil
		}
	}
	if len(objects) < leastRows {
		return nil
	}
	rows := p.leaves(objects)
	if rows == nil || rows.isSparse() {
		return nil
	}
	if names != nil {
		for i := range names {
			names[i] = p.plain(names[i])
		}
		rows = rows.withColumn(keyOfNames, names)
	}
	rows.Log = isLog
	list.Beside = p.besideLeaves(list.Beside)
	return newOverview(rows, list, tokens)
}

// Records of which few have the same keys are no table.
const (
	sparseKeys   = 64 // keys that records may have, however few have each
	sparseFilled = 20 // one cell in this many has a value
)

// isSparse reports whether records are of many kinds.
func (r *Rows) isSparse() bool {
	if len(r.Keys) <= sparseKeys {
		return false
	}
	filled := 0
	for i := range r.Cells {
		if r.Cells[i].Kind != Absent {
			filled++
		}
	}
	return filled*sparseFilled < len(r.Cells)
}

// besideLeaves returns the values beside records that say something, with the leaves of objects.
func (p *reader) besideLeaves(beside []Beside) (list []Beside) {
	for _, b := range beside {
		key := b.Key[strings.LastIndexByte(b.Key, '.')+1:]
		if isNoise([]byte(key)) || b.Value == "null" || b.Value == `""` || b.Value == "[]" || b.Value == "{}" {
			continue
		}
		if b.Value[0] != '{' && b.Value[0] != '[' {
			list = append(list, b)
			continue
		}
		w := outliner{reader: &reader{src: []byte(b.Value)}, noise: map[string]int{}, path: []byte(b.Key)}
		w.value(Cell{0, int32(len(b.Value)), Nested}, 0, outlineBase)
		for i := range min(len(w.starts), mostBeside) {
			if key, value, ok := strings.Cut(w.at(i), ": "); ok {
				list = append(list, Beside{key, value})
			}
		}
	}
	return list
}

// newOverview returns the table of the columns that a reader wants.
func newOverview(rows *Rows, list List, tokens int) *Table {
	var hidden []string
	rows, hidden = rows.choose(rowWidth(rows.Len(), tokens))
	if len(rows.Keys) == 0 {
		return nil
	}
	list.Hidden = append(hidden, list.Hidden...)
	return NewTable(rows, list)
}

// withColumn returns records with one more column, the first.
func (r *Rows) withColumn(key string, cells []Cell) *Rows {
	with := &Rows{Source: r.Source, Log: r.Log, Keys: append([]string{key}, r.Keys...)}
	for i := range r.Len() {
		with.Cells = append(append(with.Cells, cells[i]), r.Cells[i*len(r.Keys):(i+1)*len(r.Keys)]...)
	}
	return with
}

// table returns the table of a value, or of objects in sequence; nil for what is none.
func (p *reader) table(objects []Cell, list List) *Table {
	var keyed []Cell
	isLog := len(objects) > 1
	if !isLog {
		if objects, keyed = p.find(objects[0], &list); objects == nil {
			return nil
		}
	}
	if len(objects) < leastRows {
		return nil
	}
	columns := p.columns(objects)
	if columns == nil {
		return nil
	}
	columns = p.expand(columns, 1)
	if keyed != nil {
		columns = append([]keyColumn{{keyOfNames, keyed}}, columns...)
	}
	rows := p.rows(columns, len(objects))
	rows.Log = isLog
	return NewTable(rows, list)
}

// keyOfNames is the key of the names of records that are the members of an object.
// A key of theirs that begins like it has quotes.
const keyOfNames = "(name)"

// keyOfRows is the key of the numbers of records that stand for many more.
const keyOfRows = "(row)"

// reader reads records out of compact JSON.
type reader struct{ src []byte }

// keyColumn is the cells of all records under one key.
type keyColumn struct {
	key   string
	cells []Cell
}

// compactValues returns JSON values without white space: one, or several
// objects in sequence.
func compactValues(text []byte) (*reader, []Cell, error) {
	var out bytes.Buffer
	out.Grow(len(text))
	if json.Compact(&out, text) == nil {
		src := out.Bytes()
		return &reader{src}, []Cell{{0, int32(len(src)), kindOf(src)}}, nil
	}
	out.Reset()
	var list []Cell
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var one json.RawMessage
		switch err := dec.Decode(&one); {
		case errors.Is(err, io.EOF) && len(list) > 0:
			return &reader{out.Bytes()}, list, nil
		case err != nil || one[0] != '{':
			return nil, nil, ErrNotJSON
		}
		from := out.Len()
		if json.Compact(&out, one) != nil {
			return nil, nil, ErrNotJSON
		}
		list = append(list, Cell{int32(from), int32(out.Len()), Nested})
	}
}

// find returns the records of a value and, where they are the members of an object,
// their names. It adds what is beside them to the list. Lists of fewer bytes than most
// of the value are not looked at.
func (p *reader) find(value Cell, list *List) (objects, names []Cell) {
	for range deepestList {
		if value.Kind != Nested {
			return nil, nil
		}
		if p.src[value.Start] == '[' {
			return p.elements(value), nil
		}
		members := p.members(value)
		main := p.largest(members)
		if main < 0 {
			return nil, nil
		}
		if size := members[main].value.size(); size*listShare < value.size()*listShareOf {
			return p.keyed(members)
		}
		for i := range members {
			if key := list.under(p.keyText(members[i].key)); i != main {
				list.Beside = append(list.Beside, Beside{key, string(p.text(p.plain(members[i].value)))})
			}
		}
		list.Name, value = list.under(p.keyText(members[main].key)), members[main].value
	}
	return nil, nil
}

// under returns the name of a member of the value that a list is in.
func (l *List) under(key string) string {
	if l.Name == "" {
		return key
	}
	return l.Name + "." + key
}

func (c Cell) size() int { return int(c.End - c.Start) }

func (p *reader) text(c Cell) []byte { return p.src[c.Start:c.End] }

// member is a member of an object; its key is a range with the quotes.
type member struct{ key, value Cell }

// largest returns the index of the member with the longest value; -1 for none.
func (p *reader) largest(members []member) int {
	best := -1
	for i := range members {
		if best < 0 || members[i].value.size() > members[best].value.size() {
			best = i
		}
	}
	return best
}

// keyed returns the values of members as records, if all of them are objects, and
// their names.
func (p *reader) keyed(members []member) (objects, names []Cell) {
	for i := range members {
		if v := members[i].value; v.Kind != Nested || p.src[v.Start] != '{' {
			return nil, nil
		}
		objects, names = append(objects, members[i].value), append(names, members[i].key)
	}
	return objects, names
}

// elements returns the elements of an array, if all of them are objects.
func (p *reader) elements(array Cell) (objects []Cell) {
	for at := array.Start + 1; p.src[at] == '{'; {
		end := p.end(at)
		objects = append(objects, Cell{at, end, Nested})
		if at = end; p.src[at] == ']' {
			return objects
		}
		at++ // the comma
	}
	return nil
}

// eachScalar iterates over the scalars in an object, also those of objects and lists in it, with their
// keys, until yield reports false.
func (p *reader) eachScalar(yield func(key []byte, value Cell) bool) {
	for at := 0; at < len(p.src); {
		if p.src[at] != '"' {
			at++
			continue
		}
		end := stringEnd(p.src, at)
		next := end
		for next < len(p.src) && (p.src[next] == ' ' || p.src[next] == '\n' || p.src[next] == '\r' || p.src[next] == '\t') {
			next++
		}
		if next >= len(p.src) || p.src[next] != ':' {
			at = end
			continue
		}
		key := p.src[at+1 : end-1]
		for next++; next < len(p.src) && (p.src[next] == ' ' || p.src[next] == '\n' || p.src[next] == '\r' || p.src[next] == '\t'); {
			next++
		}
		if at = next; next < len(p.src) && p.src[next] != '{' && p.src[next] != '[' {
			at = scalarEnd(p.src, next)
			if !yield(key, Cell{int32(next), int32(at), kindOf(p.src[next:])}) {
				return
			}
		}
	}
}

// members returns the members of an object.
func (p *reader) members(object Cell) (list []member) {
	p.each(object, func(m member) bool {
		list = append(list, m)
		return true
	})
	return list
}

// each iterates over the members of an object, until yield reports false.
func (p *reader) each(object Cell, yield func(member) bool) {
	for at := object.Start + 1; p.src[at] == '"'; {
		m := member{key: Cell{at, int32(stringEnd(p.src, int(at))), String}}
		m.value.Start = m.key.End + 1
		m.value.Kind, m.value.End = kindOf(p.src[m.value.Start:]), p.end(m.value.Start)
		if at = m.value.End + 1; !yield(m) {
			return
		}
		if p.src[m.value.End] == '}' {
			return
		}
	}
}

// end returns the offset behind the value that begins at one.
func (p *reader) end(at int32) int32 {
	if c := p.src[at]; c != '{' && c != '[' {
		return int32(scalarEnd(p.src, int(at)))
	}
	for depth := 0; ; {
		switch p.src[at] {
		case '"':
			at = int32(stringEnd(p.src, int(at)))
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
}

// columns returns the cells of objects by their keys, in the order in which the
// keys come; nil for objects that are not of one kind, and for one that has a key
// twice. An object of no bytes is absent.
func (p *reader) columns(objects []Cell) []keyColumn {
	keys, members, present := map[string]int{}, 0, 0
	var columns []keyColumn
	for _, o := range objects {
		if o.size() == 0 {
			continue
		}
		present++
		p.each(o, func(m member) bool {
			members++
			if _, ok := keys[string(p.text(m.key))]; !ok {
				keys[string(p.text(m.key))] = len(columns)
				columns = append(columns, keyColumn{key: p.keyText(m.key)})
			}
			return len(columns) <= mostColumns
		})
		if len(columns) > mostColumns {
			return nil
		}
	}
	if len(columns) == 0 || len(columns)*present > leastFilled*members || 2*present < len(objects) || len(columns)*len(objects) > mostCells {
		return nil
	}
	for k := range columns {
		columns[k].cells = make([]Cell, len(objects))
	}
	twice := false
	for i, o := range objects {
		if o.size() == 0 {
			continue
		}
		p.each(o, func(m member) bool {
			cell := &columns[keys[string(p.text(m.key))]].cells[i]
			twice = cell.Kind != Absent
			*cell = m.value
			return !twice
		})
		if twice {
			return nil
		}
	}
	return columns
}

// expand replaces columns of objects by columns of their members, where that
// costs fewer bytes.
func (p *reader) expand(columns []keyColumn, depth int) []keyColumn {
	if depth == deepestKey {
		return columns
	}
	var list []keyColumn
	for i := range columns {
		inner := p.inner(&columns[i])
		if inner == nil || len(list)+len(inner)+len(columns)-i > mostColumns {
			list = append(list, columns[i])
			continue
		}
		for k := range inner {
			inner[k].key = columns[i].key + "." + inner[k].key
		}
		if inner = p.expand(inner, depth+1); p.bytes(inner) < p.bytes(columns[i:i+1]) && len(list)+len(inner)+len(columns)-i <= mostColumns {
			list = append(list, inner...)
		} else {
			list = append(list, columns[i])
		}
	}
	return list
}

// bytes returns the size of columns as they are written.
func (p *reader) bytes(columns []keyColumn) int {
	size := 0
	for i := range columns {
		size += len(columns[i].key) + 1
		for _, c := range columns[i].cells {
			size += c.size() + 1
		}
	}
	return size
}

// inner returns the columns of the objects in a column; nil if one of them is
// something else, or is empty, so that a cell could not say that it is there.
func (p *reader) inner(c *keyColumn) []keyColumn {
	for _, cell := range c.cells {
		if cell.Kind != Absent && (p.src[cell.Start] != '{' || cell.size() == len("{}")) {
			return nil
		}
	}
	return p.columns(c.cells)
}

// rows returns the records of columns.
func (p *reader) rows(columns []keyColumn, n int) *Rows {
	r := &Rows{Source: p.src, Keys: make([]string, len(columns)), Cells: make([]Cell, n*len(columns))}
	for k := range columns {
		r.Keys[k] = columns[k].key
		for i, c := range columns[k].cells {
			r.Cells[i*len(columns)+k] = p.plain(c)
		}
	}
	return r
}

// keyText returns a key as a table writes it: with its quotes only where it
// could be read in another way.
func (p *reader) keyText(key Cell) string {
	text := string(p.text(Cell{Start: key.Start + 1, End: key.End - 1}))
	if text == "" || strings.ContainsAny(text, `\.:`) || text[0] == ' ' || text[len(text)-1] == ' ' || text[0] == '(' {
		return string(p.text(key))
	}
	return text
}

// plain returns a cell without the quotes of a string, unless it needs them.
func (p *reader) plain(c Cell) Cell {
	if c.Kind != String {
		return c
	}
	inner := Cell{c.Start + 1, c.End - 1, String}
	if needsQuotes(p.text(inner)) {
		return c
	}
	return inner
}

// needsQuotes reports whether a string without its quotes would be no value, or
// another one.
func needsQuotes(text []byte) bool {
	if len(text) == 0 || text[0] == ' ' || text[len(text)-1] == ' ' || bytes.IndexByte(text, '\\') >= 0 {
		return true
	}
	switch c := text[0]; {
	case c == '{' || c == '[' || c == '"':
		return true
	case c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' || c == 'n':
		return json.Valid(text)
	}
	return false
}
