package streams

import (
	"bytes"
	"encoding/json"
)

// framing cuts the body of a response into events: server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), or JSON objects on lines of their own or in an
// array. The first character decides. Chunks may be cut anywhere.
type framing struct {
	emit  func(event []byte)
	kind  byte   // 0: white space only; 's': server-sent events; 'j': JSON
	line  []byte // the current line
	data  []byte // the data of the current event
	wasCR bool
	json  jsonCutter
}

// Kinds of bodies.
const (
	framingEvents = 's'
	framingJSON   = 'j'
)

// write reads the next bytes.
func (f *framing) write(chunk []byte) {
	// Until the first character that is not white space nothing is decided.
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
		// CR LF is one end of a line, also when the chunk is cut between the two.
		case c == '\n' && f.wasCR:
		case c == '\n' || c == '\r':
			f.endLine()
		default:
			f.line = append(f.line, c)
		}
		f.wasCR = c == '\r'
	}
}

// endLine reads a line of server-sent events.
func (f *framing) endLine() {
	line := f.line
	f.line = f.line[:0]
	if len(line) == 0 {
		f.dispatch()
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" {
		return // a comment, or a field that repeats what the data says
	}
	if len(f.data) > 0 {
		f.data = append(f.data, '\n')
	}
	f.data = append(f.data, bytes.TrimPrefix(value, []byte(" "))...)
}

// size returns the number of bytes of the event that is being read.
func (f *framing) size() int { return len(f.line) + len(f.data) + len(f.json.object) }

// dispatch emits the event that was read, if it has data.
func (f *framing) dispatch() {
	if len(f.data) > 0 {
		f.emit(bytes.Clone(f.data)) // a copy, because readers keep slices of events
	}
	f.data = f.data[:0]
}

// close emits the last event if it is complete but for the empty line after it, which some servers omit.
func (f *framing) close() {
	if f.kind != framingEvents {
		return
	}
	f.endLine()
	// A line that is cut off is no event: it would be reported as malformed, and the stream is only truncated.
	if string(f.data) == streamDone || json.Valid(f.data) {
		f.dispatch()
	}
}

// streamDone is the last event of OpenAI's streams and those like them.
const streamDone = "[DONE]"

// jsonCutter cuts objects out of JSON text and ignores everything between them.
type jsonCutter struct {
	object   []byte
	depth    int
	inString bool
	escaped  bool
}

// write reads the next bytes and emits the objects that end in them. Brackets in strings do not count.
func (j *jsonCutter) write(chunk []byte, emit func([]byte)) {
	for _, c := range chunk {
		// Brackets and commas of an array, and white space between lines.
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
			emit(bytes.Clone(j.object)) // a copy, because readers keep slices of events
			j.object = j.object[:0]
		}
	}
}
