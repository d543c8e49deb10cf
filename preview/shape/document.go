package shape

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/toolresult/toolresult/preview/textscan"
)

// ErrNotJSON is returned for text that is not one JSON value.
var ErrNotJSON = errors.New("no JSON text")

// Document is a JSON value in its readable form: one scalar or bracket on a
// line, indented, a short container of scalars on one line. Keys stay in their
// order, and numbers and strings as they are written. Lines count from 0. A
// Document is not safe for concurrent use: ranks are made when they are first
// needed.
type Document struct {
	text  []byte
	lines []jsonLine
	ranks []jsonRank // of the lines, once they are needed
	order []int32    // the lines, but for the outermost, in the order of their ranks
}

// jsonLine is one line of the readable form.
type jsonLine struct {
	start  int64
	closer int32 // of a line that opens a container, the index of the one that closes it; otherwise 0
	values int32 // of a line that opens a container, how many values it has
}

// Bounds of the readable form.
const (
	indent       = 2
	inlineBytes  = 80      // of a container on one line, with its key
	indentedMost = 4       // the form is not indented when that makes it this many times as long as the value
	indentedMore = 8 << 20 // or longer by this, in bytes
	indentedLess = 1 << 16 // and longer than this, in bytes
	maxLines     = 1 << 18 // each of which takes 40 bytes of memory
)

// ParseDocument reads one JSON value. Its readable form is a copy. It returns
// ErrNotJSON for anything else. A value whose readable form has too many lines has
// the containers on one line, as they are written, from some depth on.
func ParseDocument(text []byte) (*Document, error) {
	if !json.Valid(text) {
		return nil, ErrNotJSON
	}
	f := formatter{src: text, indent: indent, deepest: unlimited, most: max(indentedLess, min(indentedMost*len(text), len(text)+indentedMore))}
	if f.measure(); f.count > maxLines {
		f.deepest = f.fitting()
		f.measure()
	}
	if f.tooLong { // a hostile nesting: indenting is for readers
		f.indent = 0
		f.measure()
	}
	f.write()
	return &Document{text: f.out, lines: f.lines}, nil
}

// Text returns the readable form. It ends with a line end.
func (d *Document) Text() []byte { return d.text }

// Len returns the number of lines.
func (d *Document) Len() int { return len(d.lines) }

// Span returns the range of line i in the text, with its line end.
func (d *Document) Span(i int) (start, end int64) { return d.lines[i].start, d.end(i) }

// Values returns the number of values of the container that line i opens; 0 for
// other lines.
func (d *Document) Values(i int) int { return int(d.lines[i].values) }

// formatter writes the readable form of valid JSON. It copies scalars as they
// are, so that no number loses a digit and no string an escape. The form is
// measured before it is written, so that nothing is written twice.
type formatter struct {
	src     []byte
	indent  int
	deepest int // containers around a value of a line; those inside of more are written on one line
	most    int // bytes of text at which indenting ends

	at      int
	size    int // of the text so far, in bytes
	count   int // of lines so far
	begin   int // of the current line, behind its indentation
	depths  []int
	tooLong bool // the text was longer than most at the begin of a line

	writes bool
	out    []byte     // as far as it is written
	lines  []jsonLine // the same
}

// unlimited is a depth that no text has.
const unlimited = math.MaxInt

// measure finds the size of the whole value.
func (f *formatter) measure() {
	f.at, f.size, f.count, f.depths, f.tooLong, f.writes = 0, 0, 0, f.depths[:0], false, false
	f.format()
}

// write writes the whole value, which was measured.
func (f *formatter) write() {
	f.out, f.lines, f.writes = make([]byte, 0, f.size), make([]jsonLine, 0, f.count), true
	f.at, f.size, f.count = 0, 0, 0
	f.format()
}

// fitting returns the greatest depth with which a measured value has few lines
// enough.
func (f *formatter) fitting() int {
	sum := 0
	for depth, n := range f.depths {
		if sum += n; sum > maxLines {
			return max(0, depth-1)
		}
	}
	return len(f.depths)
}

// format passes over the whole value.
func (f *formatter) format() {
	f.line(0)
	f.value(0)
	f.text("\n")
}

// text adds text to the form.
func (f *formatter) text(s string) {
	f.size += len(s)
	if f.writes {
		f.out = append(f.out, s...)
	}
}

// copy adds the source from an offset to the current one.
func (f *formatter) copy(from int) {
	f.size += f.at - from
	if f.writes {
		f.out = append(f.out, f.src[from:f.at]...)
	}
}

// line begins a line. A form that is too long is not indented.
func (f *formatter) line(depth int) {
	if f.count > 0 {
		f.text("\n")
	}
	f.tooLong = f.tooLong || f.indent > 0 && f.size > f.most
	if f.count++; f.writes {
		f.lines = append(f.lines, jsonLine{start: int64(f.size)})
	} else {
		for len(f.depths) <= depth {
			f.depths = append(f.depths, 0)
		}
		f.depths[depth]++
	}
	f.size += depth * f.indent
	for f.writes && len(f.out) < f.size {
		f.out = append(f.out, ' ')
	}
	f.begin = f.size
}

// value writes the next value.
func (f *formatter) value(depth int) {
	if c := f.next(); c != '{' && c != '[' {
		f.scalar()
	} else if !f.inline() {
		if depth < f.deepest {
			f.container(depth)
		} else {
			f.flat()
		}
	}
}

// flat copies a container without its white space.
func (f *formatter) flat() {
	for depth := 0; ; {
		switch c := f.next(); c {
		case '{', '[':
			depth++
			f.take()
		case '}', ']':
			if f.take(); depth == 1 {
				return
			}
			depth--
		case ',', ':':
			f.take()
		default:
			f.scalar()
		}
	}
}

// next passes over space and returns the byte behind it.
func (f *formatter) next() byte {
	for {
		switch c := f.src[f.at]; c {
		case ' ', '\t', '\r', '\n':
			f.at++
		default:
			return c
		}
	}
}

// take copies the next byte.
func (f *formatter) take() {
	f.at++
	f.copy(f.at - 1)
}

// scalar copies a string, a number or a word as it is written.
func (f *formatter) scalar() {
	from := f.at
	if f.src[f.at] == '"' {
		for f.at++; f.src[f.at] != '"'; f.at++ {
			if f.src[f.at] == '\\' {
				f.at++
			}
		}
		f.at++
	} else {
		for f.at < len(f.src) && !textscan.EndsScalar(f.src[f.at]) {
			f.at++
		}
	}
	f.copy(from)
}

// key copies the name of a member.
func (f *formatter) key() {
	f.scalar()
	f.next()
	f.at++
	f.text(": ")
}

// container writes a container with each of its values on lines of its own.
func (f *formatter) container(depth int) {
	opener, object, values := f.count-1, f.src[f.at] == '{', int32(0)
	f.take()
	for {
		c := f.next()
		if c == '}' || c == ']' {
			break
		}
		if c == ',' {
			f.take()
			continue
		}
		values++
		f.line(depth + 1)
		if object {
			f.key()
		}
		f.value(depth + 1)
	}
	if f.writes {
		f.lines[opener].closer, f.lines[opener].values = int32(f.count), values
	}
	f.line(depth)
	f.take()
}

// inline writes a container of scalars on the current line if it is short, and
// one that is empty. Otherwise it writes nothing and reports false.
func (f *formatter) inline() bool {
	at, size, writes := f.at, f.size, f.writes
	f.writes = false
	short := f.short()
	if f.writes = writes; short && !writes {
		return true
	}
	if f.at, f.size = at, size; short {
		f.short()
	}
	return short
}

// short passes over a container that is written on the current line, and reports
// whether it is one.
func (f *formatter) short() bool {
	object := f.src[f.at] == '{'
	f.take()
	for empty := true; ; empty = false {
		c := f.next()
		if c == ',' {
			f.at++
			f.text(", ")
			c = f.next()
		}
		if c == '}' || c == ']' {
			f.take()
			if empty || f.size-f.begin <= inlineBytes {
				return true
			}
			break
		}
		if object {
			f.key()
			c = f.next()
		}
		if c == '{' || c == '[' {
			f.take()
			if c = f.next(); c != '}' && c != ']' {
				break
			}
			f.take()
		} else {
			f.scalar()
		}
		if f.size-f.begin > inlineBytes {
			break
		}
	}
	return false
}

// Last returns the index of the last line of the value that begins at line i.
func (d *Document) Last(i int) int { return max(i, int(d.lines[i].closer)) }

// IsArray reports whether line i, which opens a container, opens an array.
func (d *Document) IsArray(i int) bool { return d.text[d.end(i)-2] == '[' }

// end is where line i ends in the text.
func (d *Document) end(i int) int64 {
	if i+1 < len(d.lines) {
		return d.lines[i+1].start
	}
	return int64(len(d.text))
}
