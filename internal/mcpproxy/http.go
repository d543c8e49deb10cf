package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// HTTP is a server of MCP behind streamable HTTP. Each message of the client is a POST; the server answers with one message or with
// a stream of them, and has a stream of its own for what belongs to no request. A stream that breaks is taken up behind its last
// event.
type HTTP struct {
	url    string
	header http.Header // of every request
	client *http.Client
	log    *slog.Logger

	ctx    context.Context // of all requests
	cancel context.CancelFunc
	frames chan Frame

	mu         sync.Mutex
	session    string
	version    string // of the protocol
	parameters map[string][]parameter
	failure    error
	ending     sync.Once
}

// Waits of HTTP.
const (
	firstRetry    = time.Second
	maxRetry      = 30 * time.Second
	maxAttempts   = 5 // without an event between them
	noticeTimeout = 30 * time.Second
	deleteTimeout = 2 * time.Second
)

// maxProblem is how much is read of the body of an error, in bytes.
const maxProblem = 64 << 10

// Dial returns the server at an address. It is not called before the client sends something.
func Dial(url string, header http.Header, log *slog.Logger) *HTTP {
	ctx, cancel := context.WithCancel(context.Background())
	return &HTTP{
		url: url, header: header, client: &http.Client{CheckRedirect: stayOnHost}, log: log, ctx: ctx, cancel: cancel, frames: make(chan Frame),
		parameters: map[string][]parameter{},
	}
}

// maxRedirects bounds the redirects of a request, as net/http does.
const maxRedirects = 10

// stayOnHost follows redirects of the same host alone: headers that the user gave, such as keys, are not for another.
func stayOnHost(req *http.Request, via []*http.Request) error {
	if from := via[0].URL; req.URL.Hostname() != from.Hostname() || from.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("the server redirects to %s, which is not followed", req.URL.Redacted())
	}
	if len(via) >= maxRedirects {
		return errors.New("the server redirects for ever")
	}
	return nil
}

// Send implements Upstream. Requests are on their way when it returns; the first one, and what is no request, has been received.
func (h *HTTP) Send(f Frame, m message) error {
	if h.ctx.Err() != nil || f.Rest != nil {
		f.Release()
		if f.Rest != nil {
			_, err := io.Copy(io.Discard, f.Rest)
			return errors.Join(errTooLong, err)
		}
		return h.ctx.Err()
	}
	p := newPost(m)
	if len(p.waiting) == 0 || m.method == "initialize" {
		h.post(f, p)
		return nil
	}
	go h.post(f, p)
	return nil
}

// post is a message of the client, and what of it has no answer yet.
type post struct {
	message
	waiting [][]byte // ids of requests
}

func newPost(m message) *post {
	p := &post{message: m}
	for _, r := range append([]message{m}, m.batch...) {
		if r.method != "" && r.id != nil {
			p.waiting = append(p.waiting, r.id)
		}
	}
	return p
}

// answers notes a message that may answer requests, and reports whether all have their answers.
func (p *post) answers(m message) bool {
	for _, a := range append([]message{m}, m.batch...) {
		if at := slices.IndexFunc(p.waiting, func(id []byte) bool { return a.isAnswer && idKey(id) == idKey(a.id) }); at >= 0 {
			p.waiting = slices.Delete(p.waiting, at, at+1)
		}
	}
	return len(p.waiting) == 0
}

// post sends a message and passes on what the server answers.
func (h *HTTP) post(f Frame, p *post) {
	defer f.Release()
	ctx := h.ctx
	isNotice := len(p.waiting) == 0
	if isNotice {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, noticeTimeout)
		defer cancel()
	}
	resp, err := h.do(ctx, http.MethodPost, f.Bytes, h.headersOf(p.message))
	if err != nil {
		h.problem(p, err.Error())
		return
	}
	defer resp.Body.Close() // read as far as it is needed
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		h.rejected(p, resp)
		return
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		h.mu.Lock()
		h.session = id
		h.mu.Unlock()
	}
	if p.method == "notifications/initialized" {
		go h.listen()
	}
	if isNotice || resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent {
		return
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "text/event-stream":
		h.follow(p, resp.Body)
	default:
		answer, err := readBody(resp.Body)
		if err == nil && len(answer.Bytes) > 0 && h.received(p, answer) {
			return
		}
		h.problem(p, fmt.Sprintf("HTTP status %s without an answer: %v", resp.Status, err))
	}
}

// do makes a request.
func (h *HTTP) do(ctx context.Context, method string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, list := range []http.Header{header, h.header} {
		for name, values := range list {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	h.name(req.Header)
	return h.client.Do(req)
}

// name adds the headers that name the session, and the version that was agreed on in it.
func (h *HTTP) name(header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		header.Set("Mcp-Session-Id", h.session)
	}
	if h.version != "" && header.Get("Mcp-Protocol-Version") == "" {
		header.Set("Mcp-Protocol-Version", h.version)
	}
}

// received passes a message on that a POST was answered with, and reports whether it was the last answer.
func (h *HTTP) received(p *post, f Frame) (isLast bool) {
	answer, _ := parse(f.Bytes)
	isLast = p.answers(answer)
	if answer.isAnswer && isLast {
		switch p.method {
		case "initialize":
			h.mu.Lock()
			h.version = answer.in("result").string("protocolVersion")
			h.mu.Unlock()
		case "tools/list":
			h.noteParameters(answer.in("result"))
		}
	}
	select {
	case h.frames <- f:
	case <-h.ctx.Done():
		f.Release()
	}
	return isLast
}

// rejected answers requests that the server rejected, with its own error if it says one.
func (h *HTTP) rejected(p *post, resp *http.Response) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // as much as there is
	h.mu.Lock()
	gone := resp.StatusCode == http.StatusNotFound && h.session != ""
	h.mu.Unlock()
	if gone { // the specification wants a new session, which the client has to begin
		h.problem(p, "the session has ended")
		h.end(errors.New("the session has ended"), false)
		return
	}
	if answer, ok := parse(body); ok && !answer.isDeep && p.id != nil && !answer.get("error").none() {
		onOneLine(body)
		h.received(p, Frame{Bytes: answerWith(p.id, "error", answer.get("error").of(body))})
		return
	}
	const most = 200
	h.problem(p, strings.TrimSpace(fmt.Sprintf("HTTP status %s %s", resp.Status, strings.ToValidUTF8(string(body[:min(len(body), most)]), ""))))
}

// problem answers the requests of a POST that have no answer.
func (h *HTTP) problem(p *post, text string) {
	if h.ctx.Err() != nil {
		return
	}
	h.log.Debug("the MCP server", "method", p.method, "problem", text)
	for _, id := range slices.Clone(p.waiting) {
		h.received(p, Frame{Bytes: errorAnswer(id, codeFailed, "the MCP server: "+text)})
	}
}

// Receive implements Upstream.
func (h *HTTP) Receive() (Frame, error) {
	select {
	case f := <-h.frames:
		return f, nil
	case <-h.ctx.Done():
		return Frame{}, io.EOF
	}
}

// CloseSend implements Upstream: it ends the session.
func (h *HTTP) CloseSend() { h.end(nil, true) }

// Stop implements Upstream.
func (h *HTTP) Stop() { go h.end(nil, true) }

// end ends all requests and, unless the server has done so, the session.
func (h *HTTP) end(why error, del bool) {
	h.ending.Do(func() {
		h.mu.Lock()
		h.failure = why
		session := h.session
		h.mu.Unlock()
		if del && session != "" {
			ctx, cancel := context.WithTimeout(h.ctx, deleteTimeout)
			defer cancel()
			if resp, err := h.do(ctx, http.MethodDelete, nil, nil); err == nil {
				_ = resp.Body.Close() // a server may not allow it
			}
		}
		h.cancel()
	})
}

// Wait implements Upstream. The code is 1 if the server ended the session.
func (h *HTTP) Wait() (code int, how string) {
	<-h.ctx.Done()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure != nil {
		return 1, h.failure.Error()
	}
	return 0, "it was closed"
}
