package shape

import (
	"encoding/json"
	"errors"
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
	indentedLess = 1 << 16 // and longer than this, in bytes
)

// ParseDocument reads one JSON value. Its readable form is a copy. It returns
// ErrNotJSON for anything else.
func ParseDocument(text []byte) (*Document, error) {
	if !json.Valid(text) {
		return nil, ErrNotJSON
	}
	f := formatter{src: text, indent: indent, most: max(indentedLess, indentedMost*len(text))}
	if f.format(); f.indent == 0 { // a hostile nesting: indenting is for readers
		f = formatter{src: text}
		f.format()
	}
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
// are, so that no number loses a digit and no string an escape.
type formatter struct {
	src    []byte
	at     int
	out    []byte
	lines  []jsonLine
	indent int
	most   int // bytes of text at which indenting ends
	begin  int // of the current line, behind its indentation
}

// format writes the whole value.
func (f *formatter) format() {
	f.line(0)
	f.value(0)
	f.out = append(f.out, '\n')
}

// line begins a line. Once the form is too long, it is no longer indented.
func (f *formatter) line(depth int) {
	if len(f.lines) > 0 {
		f.out = append(f.out, '\n')
	}
	if len(f.out) > f.most {
		f.indent = 0
	}
	f.lines = append(f.lines, jsonLine{start: int64(len(f.out))})
	for range depth * f.indent {
		f.out = append(f.out, ' ')
	}
	f.begin = len(f.out)
}

// value writes the next value.
func (f *formatter) value(depth int) {
	if c := f.next(); c != '{' && c != '[' {
		f.scalar()
	} else if !f.inline() {
		f.container(depth)
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
	f.out = append(f.out, f.src[f.at])
	f.at++
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
		for f.at < len(f.src) && !isDelimiter(f.src[f.at]) {
			f.at++
		}
	}
	f.out = append(f.out, f.src[from:f.at]...)
}

// isDelimiter reports whether c ends a number or a word.
func isDelimiter(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

// key copies the name of a member.
func (f *formatter) key() {
	f.scalar()
	f.next()
	f.at++
	f.out = append(f.out, ": "...)
}

// container writes a container with each of its values on lines of its own.
func (f *formatter) container(depth int) {
	opener, object, values := len(f.lines)-1, f.src[f.at] == '{', int32(0)
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
	f.lines[opener].closer, f.lines[opener].values = int32(len(f.lines)), values
	f.line(depth)
	f.take()
}

// inline writes a container of scalars on the current line if it is short, and
// one that is empty. Otherwise it writes nothing and reports false.
func (f *formatter) inline() bool {
	at, length, object := f.at, len(f.out), f.src[f.at] == '{'
	f.take()
	for empty := true; ; empty = false {
		c := f.next()
		if c == ',' {
			f.at++
			f.out = append(f.out, ", "...)
			c = f.next()
		}
		if c == '}' || c == ']' {
			f.take()
			if empty || len(f.out)-f.begin <= inlineBytes {
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
		if len(f.out)-f.begin > inlineBytes {
			break
		}
	}
	f.at, f.out = at, f.out[:length]
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
