package records

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/textscan"
)

// An answer of an API has objects in its records, and lists in these. A reader wants their leaves:
// "status.containerStatuses.state.waiting.reason" is a column, whose cell has the reasons of all
// containers. Leaves lose the shape of a record, so they are for tables that leave columns out.

// Bounds of leaves.
const (
	mostLeaves  = 512 // columns; further paths are dropped
	deepestLeaf = 12  // objects and lists around a leaf
	joinedBytes = 160 // of a cell that joins the values of a list
)

// noise has keys whose values say nothing to a reader: the records of managers in Kubernetes (field
// management), links of REST APIs (HAL, JSON:API, GitHub), and pictures. In lower case without
// signs.
const noise = "managedfields links selflink resourceversion ownerreferences lastappliedconfiguration etag nodeid gravatarid " +
	"avatarurl avatar avatarurls icon iconurl cursor nextcursor startcursor endcursor pagetoken requestid traceid"

// noiseWords are the words of noise.
var noiseWords = wordSet(noise)

// wordSet returns the words of a list with blanks between.
func wordSet(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.SplitSeq(list, " ") {
		words[word] = true
	}
	return words
}

// isNoise reports whether a key says nothing to a reader.
func isNoise(key []byte) bool {
	var plain [24]byte
	return noiseWords[string(textscan.PlainName(plain[:0], bytes.TrimLeft(key, "_@")))] ||
		bytes.HasSuffix(key, []byte("_url")) || bytes.HasSuffix(key, []byte("Url")) || bytes.HasSuffix(key, []byte("last-applied-configuration"))
}

// leafReader collects the leaves of records by path.
type leafReader struct {
	*reader
	paths  map[string]int
	keys   []string
	cells  []map[int]Cell // of each record
	path   []byte
	record map[int]Cell
}

// leaves returns the records of objects with a column for each path to a leaf, in the order in
// which the paths come. Values of one path in one record are joined. It returns nil if there
// are too many cells.
func (p *reader) leaves(objects []Cell) *Rows {
	l := leafReader{reader: p, paths: map[string]int{}}
	for _, o := range objects {
		l.record = map[int]Cell{}
		l.object(o, 0)
		l.cells = append(l.cells, l.record)
	}
	if len(l.keys) == 0 || len(l.keys)*len(objects) > mostCells {
		return nil
	}
	r := &Rows{Keys: l.keys, Cells: make([]Cell, len(l.keys)*len(objects))}
	for i, record := range l.cells {
		for k, c := range record {
			r.Cells[i*len(l.keys)+k] = c
		}
	}
	r.Source = p.src
	return r
}

// object reads the members of an object.
func (l *leafReader) object(o Cell, depth int) {
	l.each(o, func(m member) bool {
		key := l.text(Cell{Start: m.key.Start + 1, End: m.key.End - 1})
		if isNoise(key) {
			return true
		}
		at := len(l.path)
		if at > 0 {
			l.path = append(l.path, '.')
		}
		l.path = append(l.path, key...)
		l.value(m.value, depth+1)
		l.path = l.path[:at]
		return true
	})
}

// value reads a value at the current path.
func (l *leafReader) value(v Cell, depth int) {
	switch {
	case depth > deepestLeaf || v.Kind == Null:
	case v.Kind != Nested:
		l.leaf(v)
	case l.src[v.Start] == '{':
		l.object(v, depth)
	default:
		for at := v.Start + 1; l.src[at] != ']'; {
			end := l.end(at)
			if one := (Cell{at, end, kindOf(l.src[at:])}); !l.pair(one, depth) {
				l.value(one, depth+1)
			}
			if at = end; l.src[at] == ',' {
				at++
			}
		}
	}
}

// mostPair is how many members an object has that is a name with its value.
const mostPair = 8

// pair reads an element of a list that is a name with its value: a condition of Kubernetes
// ("type" and "status"), a tag of AWS ("Key" and "Value"), a header. Its name is part of the path. It
// reports false for other values.
func (l *leafReader) pair(v Cell, depth int) bool {
	if v.Kind != Nested || l.src[v.Start] != '{' {
		return false
	}
	var name, value, why, reason Cell
	n := 0
	l.each(v, func(m member) bool {
		n++
		switch string(bytes.ToLower(l.text(Cell{Start: m.key.Start + 1, End: m.key.End - 1}))) {
		case "type", "name", "key":
			name = m.value
		case "status", "value":
			value = m.value
		case "message":
			why = m.value
		case "reason":
			reason = m.value
		}
		return n <= mostPair
	})
	if n > mostPair || name.Kind != String || name.size() > CellBytes || value.Kind <= Null || value.Kind == Nested {
		return false
	}
	at := len(l.path)
	l.path = append(append(l.path, '.'), l.text(Cell{Start: name.Start + 1, End: name.End - 1})...)
	l.value(value, depth+1)
	for _, c := range [...]Cell{reason, why} {
		if c.Kind == String {
			from := len(l.path)
			l.path = append(l.path, ".message"...)
			l.value(c, depth+1)
			l.path = l.path[:from]
		}
	}
	l.path = l.path[:at]
	return true
}

// leaf adds a scalar to its record.
func (l *leafReader) leaf(v Cell) {
	if v = l.unquoted(v); v.size() == 0 {
		return
	}
	k, ok := l.paths[string(l.path)]
	if !ok {
		if len(l.keys) == mostLeaves {
			return
		}
		k = len(l.keys)
		l.paths[string(l.path)] = k
		l.keys = append(l.keys, string(l.path))
	}
	had, ok := l.record[k]
	if !ok {
		l.record[k] = v
		return
	}
	l.record[k] = l.join(had, v)
}

// join returns a cell with another value behind it, unless it has that already, or is long.
func (l *leafReader) join(had, v Cell) Cell {
	if had.size() > joinedBytes || bytes.Contains(l.text(had), l.text(v)) {
		return had
	}
	start := int32(len(l.src))
	if had.End == start { // the last that was joined goes on
		start = had.Start
	} else {
		l.src = append(l.src, l.text(had)...)
	}
	l.src = append(append(l.src, ", "...), l.text(v)...)
	return Cell{start, int32(len(l.src)), String}
}

// unquoted returns the content of a string without escapes and in one line, and other scalars
// as they are.
func (l *leafReader) unquoted(v Cell) Cell {
	if v.Kind != String {
		return v
	}
	inner := Cell{v.Start + 1, v.End - 1, String}
	text := l.text(inner)
	if isDate(text) && text[len(text)-1] == 'Z' && len(text) > len("2006-01-02T15:04:05.") && text[19] == '.' {
		inner.End = inner.Start + 19 // parts of a second tell nobody anything
		return inner
	}
	if bytes.IndexByte(text, '\\') < 0 {
		return inner
	}
	var plain string
	if json.Unmarshal(l.text(v), &plain) != nil {
		return inner
	}
	return l.add(plain)
}

// add appends a text to the source, as a cell in one line.
func (p *reader) add(text string) Cell {
	start := int32(len(p.src))
	p.src = appendOneLine(p.src, text)
	return Cell{start, int32(len(p.src)), String}
}

// appendOneLine appends a text with single blanks for white space and control characters.
func appendOneLine(dst []byte, text string) []byte {
	blank := true
	for _, c := range text {
		if c <= ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' || c == '\u0085' {
			if !blank {
				dst = append(dst, ' ')
			}
			blank = true
			continue
		}
		dst, blank = utf8.AppendRune(dst, c), false
	}
	return dst
}
