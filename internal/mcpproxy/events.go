package mcpproxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// events reads server-sent events. Their data goes to a file as it comes, when it is long: the libraries for events keep an event in
// memory, and look at it from its beginning whenever more of it comes. Lines end with a line feed, or with a carriage return before
// it.
type events struct {
	r     *bufio.Reader
	b     builder
	id    string        // of the last event that has one
	retry time.Duration // after which the server wants to be asked again; 0: it does not say
}

// newEvents returns a reader of events.
func newEvents(r io.Reader) *events {
	return &events{r: bufio.NewReaderSize(r, readBytes), b: builder{memories: maxMemory, limit: maxMessage}}
}

// behind returns a reader of the events that follow those that were read, on another connection.
func (e *events) behind(r io.Reader) *events {
	next := newEvents(r)
	next.id, next.retry = e.id, e.retry
	return next
}

// next returns the data of the next event that is a message. Lines of its data are joined by spaces, because a message is a line.
// An event that the end of the stream cuts off is none.
func (e *events) next() (Frame, error) {
	name := ""
	for {
		start, err := e.r.ReadSlice('\n')
		whole := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return Frame{}, errors.Join(err, e.b.discard())
		}
		if whole && len(bytes.TrimRight(start, "\r\n")) == 0 {
			if isMessage := name == "" || name == "message"; e.b.size > 0 && isMessage {
				return e.b.frame()
			}
			if err := e.b.discard(); err != nil {
				return Frame{}, err
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(start, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		if string(field) == "data" {
			if err := e.data(value, whole); err != nil {
				return Frame{}, err
			}
			continue
		}
		e.field(string(bytes.TrimRight(field, "\r\n")), string(bytes.TrimRight(value, "\r\n")), &name)
		for !whole && err != nil { // a long line of another field
			if _, err = e.r.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return Frame{}, errors.Join(err, e.b.discard())
			}
		}
	}
}

// field notes a field that is no data.
func (e *events) field(field, value string, name *string) {
	switch field {
	case "event":
		*name = value
	case "id":
		e.id = value
	case "retry":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			e.retry = time.Duration(n) * time.Millisecond
		}
	}
}

// data adds a line of data, the first part of which was read.
func (e *events) data(part []byte, whole bool) error {
	if e.b.size > 0 {
		part = append([]byte(" "), part...)
	}
	for {
		if whole {
			part = bytes.TrimRight(part, "\r\n")
		}
		if _, err := e.b.Write(part); err != nil || whole {
			return err
		}
		var err error
		part, err = e.r.ReadSlice('\n')
		if whole = err == nil; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return errors.Join(err, e.b.discard())
		}
	}
}

// readBody reads a message that is the whole body of an answer. Line feeds become spaces, because a message is a line; JSON has them
// between values alone.
func readBody(r io.Reader) (Frame, error) {
	b := builder{memories: maxMemory, limit: maxMessage}
	buf := make([]byte, readBytes)
	for {
		n, err := r.Read(buf)
		onOneLine(buf[:n])
		if _, failed := b.Write(buf[:n]); failed != nil {
			return Frame{}, errors.Join(failed, b.discard())
		}
		if errors.Is(err, io.EOF) {
			f, err := b.frame()
			f.Bytes = bytes.TrimRight(f.Bytes, " ")
			return f, err
		}
		if err != nil {
			return Frame{}, errors.Join(err, b.discard())
		}
	}
}

// onOneLine makes spaces of line feeds.
func onOneLine(text []byte) {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
}
