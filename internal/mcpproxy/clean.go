package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/toolresult/toolresult/redact"
)

// Secrets are replaced in what a model may read of a message of the server, whatever its size: results and errors with all of their
// members, log messages, and requests to a model. The parts by which clients find things stay: ids, names, lists, and answers to
// initialize.

// maxWhole is the size of a value up to which its strings are read. A larger one is masked in place, because it may be as large as the
// memory.
const maxWhole = 1 << 20

// pass passes a message of the server on, in pieces, without its secrets.
func (p *Proxy) pass(ctx context.Context, pieces [][]byte) {
	if p.o.Patterns != nil {
		pieces = p.clean(ctx, pieces)
	}
	p.writePieces(pieces)
}

// clean returns a message without its secrets: the pieces themselves if it has none, or is no message. It changes large ones in place.
func (p *Proxy) clean(ctx context.Context, pieces [][]byte) [][]byte {
	text := pieces[0]
	if len(pieces) > 1 {
		text = bytes.Join(pieces, nil)
	}
	m, ok := parse(text)
	if !ok {
		read := redact.Whole
		if len(text) > maxWhole {
			read = redact.TextWithin
		}
		plain, found, err := read(ctx, redact.Options{Patterns: p.o.Patterns}, text)
		if err != nil || len(found) == 0 {
			return pieces
		}
		return [][]byte{plain}
	}
	list := m.batch
	if list == nil {
		list = []message{m}
	}
	var edits []edit
	for _, inner := range list {
		for _, s := range inner.forModel() {
			if s.to-s.from > maxWhole {
				_ = redact.MaskJSON(ctx, redact.Options{Patterns: p.o.Patterns}, s.of(text)) // which ends with the proxy
				continue
			}
			plain, found, err := redact.Whole(ctx, redact.Options{Patterns: p.o.Patterns}, s.of(text))
			if err == nil && len(found) > 0 {
				edits = append(edits, edit{s, [][]byte{plain}})
			}
		}
	}
	if edits == nil {
		return pieces
	}
	return apply(text, edits)
}

// forModel returns the parts of a message that a model may read, in their order.
func (m message) forModel() (parts []span) {
	if m.isAnswer {
		for _, member := range m.list {
			switch m.nameOf(member) {
			case "error":
				parts = append(parts, member.value)
			case "result":
				if !isListing(objectAt(m.text, member.value.from)) {
					parts = append(parts, member.value)
				}
			}
		}
		return parts
	}
	read := map[string][]string{
		"notifications/message": {"data"}, "sampling/createMessage": {"messages", "systemPrompt"}, "elicitation/create": {"message"},
	}[m.method]
	if read == nil {
		return nil
	}
	params := m.in("params")
	for _, member := range params.list {
		for _, name := range read {
			if params.nameOf(member) == name {
				parts = append(parts, member.value)
			}
		}
	}
	return parts
}

// isListing reports whether a result says what a server has: clients find things by it.
func isListing(result object) bool {
	for _, name := range []string{"protocolVersion", "capabilities", "tools", "prompts", "resources", "resourceTemplates", "tasks"} {
		if !result.get(name).none() && result.get("content").none() {
			return true
		}
	}
	return false
}

// writeLong writes a message that is too long to be parsed, without the secrets in its bytes.
func (p *Proxy) writeLong(f Frame) {
	if p.o.Patterns == nil {
		p.write(f.Bytes, f.Rest)
		return
	}
	reader, writer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w := redact.NewWriter(redact.Options{Patterns: p.o.Patterns}, writer)
		_, err := w.Write(f.Bytes)
		if err == nil {
			_, err = io.Copy(w, f.Rest)
		}
		_ = writer.CloseWithError(errors.Join(err, w.Close())) // which gives the error to the reader
	}()
	p.write(nil, reader)
	_ = reader.Close() // so that the copy ends if nothing reads it
	<-done
}
