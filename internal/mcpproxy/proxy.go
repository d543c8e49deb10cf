// Package mcpproxy passes messages between a client of MCP and a server, and makes receipts of large results on the way. It works on
// the bytes of messages: what it does not change passes as it is, with the numbers, the order of members and the white space that it
// was written with. It changes answers to tools/call that are large, answers to tools/list, where it adds a tool that reads what
// receipts omit, and it answers the calls of that tool and the reads of resources that are artifacts. Whatever fails on our side,
// the answer of the server passes.
//
// Read proxy.go first: it has both directions, and calls.go what is on its way. frame.go and events.go cut what arrives into
// messages, message.go finds their members, answer.go and tools.go say what is replaced by what, edit.go replaces it, clean.go
// replaces secrets, readtool.go
// and links.go are what the proxy answers itself. Servers are in process.go and http.go, with http_stream.go and headers.go. The sidecar is behind an interface.
package mcpproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/redact"
)

// Options are how a Proxy works.
type Options struct {
	Threshold      int              // bytes of text, or of structured content, up to which a result stays as it is
	KeepStructured bool             // leave structured content and its schemas in
	ReadTool       string           // the name of the tool that is added
	Server         string           // the name of the server in receipts; empty: as it calls itself
	Drain          time.Duration    // for which answers are waited for when the client sends no more
	Nested         bool             // the server is a proxy of this program, whose receipts are receipts
	Patterns       *redact.Patterns // by which secrets are replaced in what passes; nil: none are
	Log            *slog.Logger
}

// Upstream is a server of MCP.
type Upstream interface {
	// Send sends a message of the client, and releases it. Calls follow each other.
	Send(f Frame, m message) error
	// Receive returns the next message of the server; io.EOF when there are no more.
	Receive() (Frame, error)
	// CloseSend says that the client sends no more, upon which the server should end.
	CloseSend()
	// Stop ends the server, whatever it does.
	Stop()
	// Wait returns the exit code of the server when it has ended, and how it did.
	Wait() (code int, how string)
}

// Proxy is one connection of a client to a server.
type Proxy struct {
	o       Options
	sidecar Sidecar
	calls   *calls
	tools   tools
	up      Upstream

	writing sync.Mutex // of out
	out     *bufio.Writer
	closed  bool        // nothing is written any more
	failed  atomic.Bool // nobody reads what is written

	making sync.Mutex     // of over
	over   bool           // no answer is begun any more
	made   sync.WaitGroup // of answers that are made

	foreign atomic.Bool            // the server has a tool of the name of ours
	links   atomic.Bool            // client and server know links to resources
	name    atomic.Pointer[string] // as the server calls itself
}

// New returns a Proxy.
func New(o Options, s Sidecar) *Proxy {
	return &Proxy{
		o: o, sidecar: s, calls: newCalls(),
		tools: tools{name: o.ReadTool, definition: definitionOf(o.ReadTool), keepStructured: o.KeepStructured},
	}
}

// Run passes messages until the server has ended, and returns its exit code. When in ends, the requests that are on their way are
// answered first; when ctx ends, the server is stopped.
func (p *Proxy) Run(ctx context.Context, in io.Reader, out io.Writer, up Upstream) int {
	p.up, p.out = up, bufio.NewWriterSize(out, readBytes)
	running, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, up.Stop)()
	go p.fromClient(running, in)
	p.fromServer(running)
	p.making.Lock()
	p.over = true
	p.making.Unlock()
	p.made.Wait()
	up.CloseSend() // a server that has closed its output and lives is of no use
	code, how := up.Wait()
	for _, id := range p.calls.takeAll() {
		p.write(errorAnswer(id, codeFailed, "the MCP server ended before it answered: "+how))
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.closed = true
	return code
}

// make calls f in a goroutine that Run waits for. At the end nothing is begun.
func (p *Proxy) make(f func()) {
	p.making.Lock()
	defer p.making.Unlock()
	if !p.over {
		p.made.Go(f)
	}
}

// fromClient passes the messages of the client on.
func (p *Proxy) fromClient(ctx context.Context, in io.Reader) {
	l := newLines(in)
	for {
		f, err := l.next()
		if err != nil {
			break
		}
		m, ok := message{}, false
		if f.Rest == nil {
			m, ok = parse(f.Bytes)
		}
		if ok && p.isOurs(ctx, m) {
			f.Release()
			continue
		}
		p.send(f, m)
	}
	waiting, stop := context.WithTimeout(ctx, p.o.Drain)
	defer stop()
	p.calls.drain(waiting)
	p.up.CloseSend()
}

// send sends a message to the server. A request that it does not take has failed.
func (p *Proxy) send(f Frame, m message) {
	var requests [][]byte
	for _, r := range append([]message{m}, m.batch...) {
		if r.method != "" && r.id != nil {
			requests = append(requests, bytes.Clone(r.id))
		}
	}
	err := p.up.Send(f, m)
	if err == nil {
		return
	}
	p.o.Log.Debug("send to the MCP server", "error", err)
	for _, id := range requests {
		p.calls.take(id)
		p.write(errorAnswer(id, codeFailed, "the MCP server takes no messages: "+err.Error()))
	}
}

// isOurs notes what a message of the client asks for, and answers what the server is not to be asked.
func (p *Proxy) isOurs(ctx context.Context, m message) bool {
	for _, r := range m.batch { // the answers to a batch pass as they are
		if r.method != "" && r.id != nil {
			p.calls.add(call{id: r.id})
		}
	}
	switch {
	case m.method == "notifications/cancelled":
		id := m.in("params").get("requestId")
		return !id.none() && p.calls.cancel(id.of(m.text))
	case m.method == "" || m.id == nil:
		return false
	}
	k := call{id: m.id}
	switch m.method {
	case "tools/call":
		k.kind, k.tool = toolCall, m.in("params").string("name")
		if k.tool == p.o.ReadTool && !p.foreign.Load() {
			p.answer(ctx, m, p.readSlice)
			return true
		}
		p.sidecar.Expect()
	case "tools/list":
		k.kind = toolList
		p.sidecar.Expect()
	case "initialize", "server/discover":
		k.kind = initialize
	case "resources/read":
		if path, ok := artifactPath(m.in("params").string("uri")); ok && !p.foreign.Load() {
			p.answer(ctx, m, func(ctx context.Context, m message) []byte { return p.readArtifact(ctx, m, path) })
			return true
		}
	}
	p.calls.add(k)
	return false
}

// answer answers a request in the place of the server.
func (p *Proxy) answer(ctx context.Context, m message, with func(context.Context, message) []byte) {
	ctx, cancel := context.WithCancel(ctx)
	m, _ = parse(append([]byte(nil), m.text...)) // the frame is released before the answer is made
	p.calls.add(call{kind: ours, id: m.id, cancel: cancel})
	p.make(func() {
		defer cancel()
		text := with(ctx, m)
		if ctx.Err() == nil {
			p.write(text)
		}
		p.calls.take(m.id)
	})
}

// fromServer passes the messages of the server on.
func (p *Proxy) fromServer(ctx context.Context) {
	for {
		f, err := p.up.Receive()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.o.Log.Error("read from the MCP server", "error", err)
			}
			return
		}
		p.fromServerOne(ctx, f)
		if p.failed.Load() { // nobody reads what is written
			p.up.Stop()
		}
	}
}

// fromServerOne passes a message of the server on, or changes it.
func (p *Proxy) fromServerOne(ctx context.Context, f Frame) {
	if f.Rest != nil {
		p.writeLong(f)
		f.Release()
		return
	}
	m, ok := parse(f.Bytes)
	if m.isDeep {
		p.rejectDeep(m)
		f.Release()
		return
	}
	if m.text != nil && !p.o.Nested {
		unmark(m)
	}
	for _, r := range m.batch {
		if r.isAnswer {
			defer p.calls.take(r.id)
		}
	}
	k := call{}
	if m.isAnswer {
		k = p.calls.take(m.id)
	}
	if !ok || !m.isAnswer {
		p.pass(ctx, [][]byte{f.Bytes})
		f.Release()
		return
	}
	if !m.get("result").none() {
		switch k.kind {
		case toolCall:
			if a, large := readAnswer(m, p.o.Threshold, p.o.KeepStructured); large && !p.foreign.Load() {
				p.make(func() {
					p.change(ctx, k, a)
					f.Release()
				})
				return
			}
		case toolList:
			pieces, foreign := p.tools.rewrite(m, p.foreign.Load())
			p.noteForeign(foreign)
			if pieces != nil {
				p.writePieces(pieces)
				f.Release()
				return
			}
		case initialize:
			p.noteServer(m.in("result"))
		}
	}
	p.pass(ctx, [][]byte{f.Bytes})
	f.Release()
}

// rejectDeep replaces a deep message of the server by an error, because the client may be unable to read it. A message that answers no
// request is dropped.
func (p *Proxy) rejectDeep(m message) {
	p.o.Log.Warn("a message of the MCP server does not pass: it has too many arrays and objects within each other", "most", maxDepth)
	for _, r := range append([]message{m}, m.batch...) {
		if r.isAnswer {
			p.calls.take(r.id)
			p.write(errorAnswer(r.id, codeFailed, fmt.Sprintf("the answer of the MCP server has more than %d arrays and objects within each other", maxDepth)))
		}
	}
}

// noteForeign notes whether the server has a tool of the name of ours.
func (p *Proxy) noteForeign(foreign bool) {
	if foreign && !p.foreign.Swap(true) {
		p.o.Log.Warn("the MCP server has a tool of this name: results stay as they are; --read-tool names ours", "tool", p.o.ReadTool)
	}
}

// firstWithLinks is the version of MCP that has links to resources in results.
const firstWithLinks = "2025-06-18"

// noteServer notes what a server says of itself.
func (p *Proxy) noteServer(result object) {
	version := result.string("protocolVersion") // a later version has none here
	resources := result.in("capabilities").get("resources")
	p.links.Store(!resources.none() && (version == "" || version >= firstWithLinks))
	if name := result.in("serverInfo").string("name"); name != "" {
		p.name.Store(&name)
	}
}

// serverName returns the name of the server in receipts.
func (p *Proxy) serverName() string {
	if name := p.name.Load(); p.o.Server == "" && name != nil {
		return *name
	}
	return p.o.Server
}

// change passes an answer on with a receipt in it or, if there is none, as it is.
func (p *Proxy) change(ctx context.Context, k call, a answer) {
	pieces, size := a.toProject()
	r, err := p.sidecar.Project(ctx, Result{Server: p.serverName(), Tool: k.tool, JSON: pieces, Size: size, Texts: a.textsAlone()})
	if err != nil {
		p.o.Log.Debug("a result passes as it is", "tool", k.tool, "error", err)
		p.pass(ctx, [][]byte{a.m.text})
		return
	}
	if changed := a.rewrite(r, p.links.Load()); changed != nil {
		p.pass(ctx, changed)
		return
	}
	p.pass(ctx, [][]byte{a.m.text})
}

// write writes a message, and what follows its bytes.
func (p *Proxy) write(text []byte, rest ...io.Reader) { p.writePieces([][]byte{text}, rest...) }

// writePieces writes a message that is in pieces. When nobody reads it there is nothing left to do.
func (p *Proxy) writePieces(pieces [][]byte, rest ...io.Reader) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.closed {
		return
	}
	var err error
	for _, b := range pieces {
		_, e := p.out.Write(b)
		err = errors.Join(err, e)
	}
	for _, r := range rest {
		_, e := io.Copy(p.out, r)
		err = errors.Join(err, e)
	}
	_, e := p.out.WriteString("\n")
	if err := errors.Join(err, e, p.out.Flush()); err != nil && !p.failed.Swap(true) {
		p.o.Log.Error("write to the MCP client", "error", err)
		p.up.Stop()
	}
}
