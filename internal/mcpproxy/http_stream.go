package mcpproxy

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Streams of events: one answers a POST, and one is for what belongs to no request. Both are taken up behind their last event.

// follow passes on the messages of a stream until all requests of a POST have their answers.
func (h *HTTP) follow(p *post, body io.Reader) {
	s := newEvents(body)
	for attempts := 0; ; attempts++ {
		before := s.id
		if h.passEvents(p, s) || h.ctx.Err() != nil {
			return
		}
		if s.id != before {
			attempts = 0
		}
		if s.id == "" || attempts == maxAttempts {
			h.problem(p, "the stream ended before the answer")
			return
		}
		resp, err := h.resume(s, attempts)
		if errors.Is(err, errNoStream) {
			h.problem(p, "the stream ended before the answer, and the server does not go on with it")
			return
		}
		if err != nil {
			h.log.Debug("resume a stream", "error", err)
			continue
		}
		defer resp.Body.Close()
		s = s.behind(resp.Body)
	}
}

// passEvents passes on the messages of a stream until it ends. It reports whether the last answer was among them.
func (h *HTTP) passEvents(p *post, s *events) bool {
	for {
		f, err := s.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && h.ctx.Err() == nil {
				h.log.Debug("read a stream", "error", err)
			}
			return false
		}
		if h.received(p, f) {
			return true
		}
	}
}

// resume asks for what follows the last event of a stream. It waits first, as long as the server said.
func (h *HTTP) resume(s *events, attempts int) (*http.Response, error) {
	wait := min(maxRetry, firstRetry<<attempts)
	if s.retry > 0 {
		wait = s.retry
	}
	select {
	case <-time.After(wait):
	case <-h.ctx.Done():
		return nil, h.ctx.Err()
	}
	return h.get(s.id)
}

// errNoStream says that a server has no stream for what belongs to no request.
var errNoStream = errors.New("the server has no stream")

// get opens a stream behind an event; "" is a new one.
func (h *HTTP) get(after string) (*http.Response, error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if after != "" {
		header.Set("Last-Event-Id", after)
	}
	resp, err := h.do(h.ctx, http.MethodGet, nil, header)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return resp, nil
	}
	_ = resp.Body.Close() // nothing of it is read
	if resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		return nil, errNoStream
	}
	return nil, fmt.Errorf("HTTP status %s", resp.Status)
}

// noPost is what the messages of a stream answer that belongs to no request.
var noPost = post{waiting: [][]byte{nil}}

// listen passes on the messages of the stream for what belongs to no request, for as long as the server has one.
func (h *HTTP) listen() {
	s := newEvents(strings.NewReader(""))
	for attempts := 0; h.ctx.Err() == nil; attempts++ {
		var resp *http.Response
		var err error
		if attempts == 0 {
			resp, err = h.get(s.id)
		} else {
			resp, err = h.resume(s, min(attempts-1, maxAttempts))
		}
		if errors.Is(err, errNoStream) {
			return
		}
		if err != nil {
			continue
		}
		s = s.behind(resp.Body)
		before := s.id
		h.passEvents(&noPost, s)
		_ = resp.Body.Close() // it has ended
		if s.id != before {
			attempts = 1
		}
	}
}
