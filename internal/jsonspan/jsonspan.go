// Package jsonspan reads valid JSON text by the offsets of its values. It builds no tree: what is remembered of a text are the
// offsets of the names in objects that are open, so memory is bounded by the text, whatever its nesting. All functions take
// valid JSON in UTF-8, as json.Valid and utf8.Valid have it, of less than 4 GiB. Marshal and Quote
// write JSON.
package jsonspan

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
)

// Space returns the offset of the first byte from at on that is no white space.
func Space(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// End returns the offset behind the value that begins at an offset.
func End(text []byte, at int) int {
	depth := 0
	for {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\t', '\n', '\r':
			at++
			continue // no value ends here
		default:
			for at < len(text) && !isDelimiter(text[at]) {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// stringEnd returns the offset behind the string that begins at an offset.
func stringEnd(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// isDelimiter reports whether c ends a number or a word.
func isDelimiter(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// Kind returns the first byte of a value, without the white space before it: '{', '[', '"', or that of a number or a word.
// It is 0 for no text.
func Kind(text []byte) byte {
	if at := Space(text, 0); at < len(text) {
		return text[at]
	}
	return 0
}

// Elements returns the values of an array, as slices of its text. It has none for a value of another type.
func Elements(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if Kind(text) != '[' {
			return
		}
		for at := Space(text, Space(text, 0)+1); text[at] != ']'; at = Space(text, at) {
			end := End(text, at)
			if !yield(text[at:end:end]) {
				return
			}
			at = PastComma(text, end)
		}
	}
}

// Members returns the members of an object in their order: the name as it is written, with its quotes, and the value, as
// slices of its text. It has none for a value of another type.
func Members(text []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if Kind(text) != '{' {
			return
		}
		for at := Space(text, Space(text, 0)+1); text[at] != '}'; at = Space(text, at) {
			name := text[at:stringEnd(text, at)]
			at = valueOf(text, at+len(name))
			end := End(text, at)
			if !yield(name, text[at:end:end]) {
				return
			}
			at = PastComma(text, end)
		}
	}
}

// valueOf returns the offset of the value of a member whose name ends at an offset.
func valueOf(text []byte, at int) int { return Space(text, Space(text, at)+1) }

// PastComma returns the offset behind the comma that follows a value, or the offset of the bracket
// that does.
func PastComma(text []byte, at int) int {
	if at = Space(text, at); text[at] == ',' {
		at++
	}
	return at
}

// String returns the text of a JSON string. It reports false for a value of another type.
func String(value []byte) (string, bool) {
	if Kind(value) != '"' {
		return "", false
	}
	if value = bytes.TrimSpace(value); bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	var s string
	return s, json.Unmarshal(value, &s) == nil
}

// Marshal returns the JSON of a value on one line, with <, > and & as they are. encoding/json escapes
// them for HTML, and each escape costs a model tokens.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Quote returns a text as a JSON string, as Marshal writes it.
func Quote(text string) []byte {
	quoted, _ := Marshal(text) // a string is always JSON
	return quoted
}

// name is a name of an object that is open: the offset of its first quote. An object may have millions.
type name uint32

// object reads the names of objects. The zero value with a text is ready to use.
type object struct {
	text  []byte
	names []name // of all objects that are open
}

// add adds a name that begins at an offset, and returns the offset of its value.
func (o *object) add(at int) int {
	end := stringEnd(o.text, at)
	o.names = append(o.names, name(at))
	return valueOf(o.text, end)
}

// bytes returns a name as it reads.
func (o *object) bytes(n name) []byte {
	quoted := o.text[n:stringEnd(o.text, int(n))]
	if bytes.IndexByte(quoted, '\\') >= 0 {
		s, _ := String(quoted)
		return []byte(s)
	}
	return quoted[1 : len(quoted)-1]
}

// value returns the offset of the value of a name.
func (o *object) value(n name) int { return valueOf(o.text, stringEnd(o.text, int(n))) }

// sort sorts the names from an index on.
func (o *object) sort(from int) []name {
	list := o.names[from:]
	slices.SortFunc(list, func(a, b name) int { return bytes.Compare(o.bytes(a), o.bytes(b)) })
	return list
}

// RepeatsName reports whether an object in the text has a name twice. Names are compared as they read.
func RepeatsName(text []byte) bool {
	o := object{text: text}
	var opened []int // of each container that is open, the index of its first name
	for at := 0; at < len(text); {
		switch text[at] {
		case '{', '[':
			opened = append(opened, len(o.names))
			at++
		case '}', ']':
			first := opened[len(opened)-1]
			if o.repeats(first) {
				return true
			}
			o.names, opened = o.names[:first], opened[:len(opened)-1]
			at++
		case '"':
			end := stringEnd(text, at)
			if next := Space(text, end); next < len(text) && text[next] == ':' {
				end = o.add(at)
			}
			at = end
		default:
			at++
		}
	}
	return false
}

// repeats reports whether two of the names from an index on are equal.
func (o *object) repeats(from int) bool {
	if len(o.names)-from < 2 {
		return false
	}
	list := o.sort(from)
	for i := range list[1:] {
		if bytes.Equal(o.bytes(list[i]), o.bytes(list[i+1])) {
			return true
		}
	}
	return false
}

// Weight returns the size of a text without white space and with its strings as they read, in bytes. Equal values have equal
// weights.
func Weight(text []byte) (n int) {
	for at := Space(text, 0); at < len(text); at = Space(text, at) {
		if text[at] != '"' {
			n++
			at++
			continue
		}
		end := stringEnd(text, at)
		if part := text[at:end]; bytes.IndexByte(part, '\\') >= 0 {
			s, _ := String(part)
			n += len(s)
		} else {
			n += len(part) - len(`""`)
		}
		n += len(`""`)
		at = end
	}
	return n
}

// Equal reports whether two texts have the same value. Members of objects may be in any order. Numbers are compared as they
// are written, and strings as they read. No object has a name twice.
func Equal(a, b []byte) bool {
	e := equality{object{text: a}, object{text: b}}
	_, _, equal := e.values(Space(a, 0), Space(b, 0))
	return equal
}

// equality is one comparison of two texts.
type equality struct{ a, b object }

// values compares the values at two offsets, and returns the offsets behind them if they are equal.
func (e *equality) values(a, b int) (endA, endB int, equal bool) {
	switch kind := e.a.text[a]; {
	case kind != e.b.text[b]:
		return 0, 0, false
	case kind == '{':
		return e.objects(a, b)
	case kind == '[':
		return e.arrays(a, b)
	}
	endA, endB = End(e.a.text, a), End(e.b.text, b)
	return endA, endB, equalScalars(e.a.text[a:endA], e.b.text[b:endB])
}

// equalScalars compares two strings, numbers or words.
func equalScalars(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if a[0] != '"' || bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	x, _ := String(a)
	y, isString := String(b)
	return isString && x == y
}

// arrays compares two arrays.
func (e *equality) arrays(a, b int) (endA, endB int, equal bool) {
	a, b = Space(e.a.text, a+1), Space(e.b.text, b+1)
	for e.a.text[a] != ']' && e.b.text[b] != ']' {
		if a, b, equal = e.values(a, b); !equal {
			return 0, 0, false
		}
		a, b = Space(e.a.text, PastComma(e.a.text, a)), Space(e.b.text, PastComma(e.b.text, b))
	}
	return a + 1, b + 1, e.a.text[a] == e.b.text[b]
}

// objects compares two objects, member by member in the order of the names.
func (e *equality) objects(a, b int) (endA, endB int, equal bool) {
	firstA, firstB := len(e.a.names), len(e.b.names)
	endA, endB = e.a.open(a), e.b.open(b)
	n := len(e.a.sort(firstA))
	if n != len(e.b.sort(firstB)) {
		return 0, 0, false
	}
	for i := range n {
		x, y := e.a.names[firstA+i], e.b.names[firstB+i] // further names come behind these
		if !bytes.Equal(e.a.bytes(x), e.b.bytes(y)) {
			return 0, 0, false
		}
		if _, _, equal := e.values(e.a.value(x), e.b.value(y)); !equal {
			return 0, 0, false
		}
	}
	e.a.names, e.b.names = e.a.names[:firstA], e.b.names[:firstB]
	return endA, endB, true
}

// open adds the names of the object that begins at an offset, and returns the offset behind it.
func (o *object) open(at int) int {
	for at = Space(o.text, at+1); o.text[at] != '}'; at = Space(o.text, at) {
		at = PastComma(o.text, End(o.text, o.add(at)))
	}
	return at + 1
}
