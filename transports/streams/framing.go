package streams

import (
	"bytes"
	"encoding/json"
)

// framing cuts the body of a response into events: server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) or JSON objects one
// after the other, on lines of their own or in an array. Which of the two is told by the
// first character. Bytes may come cut anywhere.
type framing struct {
	emit  func(event []byte)
	kind  byte   // 0: nothing came but space; 's': server-sent events; 'j': JSON
	line  []byte // so far
	data  []byte // of the event so far
	wasCR bool
	json  jsonCutter
}

const (
	framingEvents = 's'
	framingJSON   = 'j'
)

// write takes the next bytes.
func (f *framing) write(chunk []byte) {
	for len(chunk) > 0 && f.kind == 0 {
		switch c := chunk[0]; c {
		case ' ', '\t', '\r', '\n', 0xef, 0xbb, 0xbf: // or a byte order mark
			chunk = chunk[1:]
		case '{', '[':
			f.kind = framingJSON
		default:
			f.kind = framingEvents
		}
	}
	if f.kind == framingJSON {
		f.json.write(chunk, f.emit)
		return
	}
	for _, c := range chunk {
		switch {
		case c == '\n' && f.wasCR:
		case c == '\n' || c == '\r':
			f.endLine()
		default:
			f.line = append(f.line, c)
		}
		f.wasCR = c == '\r'
	}
}

// endLine takes a line of server-sent events.
func (f *framing) endLine() {
	line := f.line
	f.line = f.line[:0]
	if len(line) == 0 {
		f.dispatch()
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" {
		return // a comment, or a field that says nothing that the data does not say
	}
	if len(f.data) > 0 {
		f.data = append(f.data, '\n')
	}
	f.data = append(f.data, bytes.TrimPrefix(value, []byte(" "))...)
}

func (f *framing) size() int { return len(f.line) + len(f.data) + len(f.json.object) }

func (f *framing) dispatch() {
	if len(f.data) > 0 {
		f.emit(bytes.Clone(f.data)) // which may be kept
	}
	f.data = f.data[:0]
}

// close takes the last event, if it is whole without the empty line behind it.
func (f *framing) close() {
	if f.kind != framingEvents {
		return
	}
	f.endLine()
	if string(f.data) == streamDone || json.Valid(f.data) {
		f.dispatch()
	}
}

// streamDone is the last event of streams of OpenAI's kind.
const streamDone = "[DONE]"

// jsonCutter cuts objects out of JSON text, whatever stands between them.
type jsonCutter struct {
	object   []byte
	depth    int
	inString bool
	escaped  bool
}

func (j *jsonCutter) write(chunk []byte, emit func([]byte)) {
	for _, c := range chunk {
		if j.depth == 0 && c != '{' {
			continue
		}
		j.object = append(j.object, c)
		switch {
		case j.escaped:
			j.escaped = false
		case j.inString && c == '\\':
			j.escaped = true
		case c == '"':
			j.inString = !j.inString
		case j.inString:
		case c == '{' || c == '[':
			j.depth++
		case c == '}' || c == ']':
			j.depth--
		}
		if j.depth == 0 {
			emit(bytes.Clone(j.object)) // which may be kept
			j.object = j.object[:0]
		}
	}
}
