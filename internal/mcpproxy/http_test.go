package mcpproxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// httpServer is a server behind streamable HTTP that notes what it receives.
type httpServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // requests, with what matters of their headers
}

// newHTTPServer returns a server that answers requests with f.
func newHTTPServer(t *testing.T, f func(w http.ResponseWriter, r *http.Request, body string)) *httpServer {
	s := &httpServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := r.Method
		for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Authorization"} {
			if v := r.Header.Get(name); v != "" {
				line += " " + name + "=" + v
			}
		}
		s.mu.Lock()
		s.seen = append(s.seen, line+" "+string(body))
		s.mu.Unlock()
		f(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// all returns what the server was sent.
func (s *httpServer) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "\n")
}

// httpSession is a proxy between a client that the test plays and a server behind HTTP.
func httpSession(t *testing.T, s *httpServer) *session {
	t.Helper()
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	p := &session{t: t, in: toProxy, ended: make(chan int, 1)}
	p.out = bufio.NewReader(fromProxy)
	up := Dial(s.URL, http.Header{"authorization": {"Bearer x"}}, slog.New(slog.DiscardHandler))
	go func() { p.ended <- New(options(), fakeSidecar{}).Run(t.Context(), in, out, up) }()
	t.Cleanup(func() { _ = toProxy.Close(); _ = fromProxy.Close() })
	return p
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// answered answers a request with JSON.
func answered(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

// A session from its beginning to its end: the id and the version are in each request, the stream of the server is read, large
// results become receipts, and the session is deleted.
func TestHTTPSession(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/of/the/server\"}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case r.Method == http.MethodDelete:
		case strings.Contains(body, `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "S")
			answered(w, "{\n \"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n")
		case strings.Contains(body, "tools/call"):
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: %s\n\n", large("1"))
		case strings.Contains(body, "fails"):
			w.WriteHeader(http.StatusBadRequest)
			answered(w, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\": -32602,\n\"message\":\"bad\"}}")
		case strings.Contains(body, "down"):
			http.Error(w, "no backend", http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	p := httpSession(t, s)
	p.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
	p.want("{  \"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n")
	p.ask(initialized)
	p.want("{\"jsonrpc\":\"2.0\", \"method\":\"notifications/of/the/server\"}\n")
	p.ask(with(callTool, "1"))
	p.want("notifications/progress")
	p.want("receipt of tool")
	p.ask(`{"jsonrpc":"2.0","id":2.0,"method":"fails"}`)
	p.want(`{"jsonrpc":"2.0","id":2.0,"error":{"code": -32602, "message":"bad"}}`)
	p.ask(`{"jsonrpc":"2.0","id":3,"method":"down"}`)
	p.want(`"id":3,"error":{"code":-32000,"message":"the MCP server: HTTP status 502 Bad Gateway no backend"}`)
	_ = p.in.Close()
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	const headers = "Mcp-Session-Id=S Mcp-Protocol-Version=2025-11-25 Authorization=Bearer x"
	for _, want := range []string{
		`POST Authorization=Bearer x {"jsonrpc":"2.0","id":0,`, "POST " + headers + " " + initialized, "GET " + headers, "DELETE " + headers,
		"POST " + headers + " " + with(callTool, "1"),
	} {
		if !strings.Contains(s.all(), want) {
			t.Errorf("no %s in\n%s", want, s.all())
		}
	}
}

// A stream that breaks is taken up behind its last event, with the wait that the server wants; one that cannot be is an error.
func TestHTTPResumes(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request, body string) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") == "e1":
			fmt.Fprint(w, "id: e2\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"second\"}\n\n")
		case r.Method == http.MethodGet:
			fmt.Fprint(w, "id: e3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case strings.Contains(body, "breaks"):
			fmt.Fprint(w, "id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n\ndata: {\"cut\":")
		case strings.Contains(body, "ends"):
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"only\"}\n\n")
		}
	})
	p := httpSession(t, s)
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"breaks"}`)
	p.want("first")
	p.want("second")
	p.want(`"id":1,"result":{}`)
	p.ask(`{"jsonrpc":"2.0","id":2,"method":"ends"}`)
	p.want("only")
	p.want(`"id":2,"error":{"code":-32000,"message":"the MCP server: the stream ended before the answer"}`)
}

// A session that the server ended is the end of the server.
func TestHTTPSessionIsGone(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		if strings.Contains(body, "initialize") {
			w.Header().Set("Mcp-Session-Id", "S")
			answered(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
			return
		}
		http.NotFound(w, nil)
	})
	p := httpSession(t, s)
	p.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
	p.want(`"id":0`)
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.want(`"id":1,"error":{"code":-32000,"message":"the MCP server: the session has ended"}`)
	if code := p.end(); code != 1 || strings.Contains(s.all(), "DELETE") {
		t.Errorf("exit code %d\n%s", code, s.all())
	}
}

// Nothing listens.
func TestHTTPServerIsNotThere(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, nil)
	s.Close()
	p := httpSession(t, s)
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	p.want(`"id":1,"error":{"code":-32000,"message":"the MCP server: Post`)
}

// Versions with headers for methods have them, and arguments that a schema marks.
func TestHTTPHeaders(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		answered(w, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"properties":{`+
			`"where":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}},"n":{"x-mcp-header":"a b"}}}}]}}`)
	})
	p := httpSession(t, s)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"where":{"region":"Zürich"}},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"where":{"region":12.0}},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x",` + meta + `}}`,
	} {
		p.ask(line)
		p.want(`"id":1`)
	}
	for _, want := range []string{
		"Mcp-Protocol-Version=2026-07-28 Mcp-Method=tools/list Auth", "Mcp-Method=tools/call Mcp-Name=t Mcp-Param-Region==?base64?WsO8cmljaA==?=",
		"Mcp-Name=t Mcp-Param-Region=12 ", "Mcp-Method=resources/read Mcp-Name=file:///x",
	} {
		if !strings.Contains(s.all(), want) {
			t.Errorf("no %s in\n%s", want, s.all())
		}
	}
}

// A large message goes through files in both directions.
func TestHTTPLargeMessages(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 2*maxMemory)
	s := newHTTPServer(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		answered(w, strings.Replace(body, `"method":"big"`, `"result":{}`, 1))
	})
	p := httpSession(t, s)
	for range 3 {
		p.ask(`{"jsonrpc":"2.0","id":1,"method":"big","params":"` + huge + `"}`)
	}
	for range 3 {
		if line := p.want(`"result":{}`); len(line) < len(huge) || bytes.Count([]byte(line), []byte("x")) != len(huge) {
			t.Errorf("%d bytes", len(line))
		}
	}
}

// The requests of a batch are answered one by one, in one array, or by an error each; other messages do not wait for them.
func TestHTTPBatches(t *testing.T) {
	t.Parallel()
	release := make(chan bool)
	s := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request, body string) {
		answer := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.Contains(body, "stream"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\ndata: [%s,%s]\n\n", answer("1"), answer(`"2"`), answer("3.0"))
		case strings.Contains(body, "slow"):
			<-release
			answered(w, "["+answer("4")+","+answer("5")+"]")
		case strings.Contains(body, "half"):
			answered(w, "["+answer("6")+"]")
		case strings.Contains(body, "notices"):
			w.WriteHeader(http.StatusAccepted)
		default:
			answered(w, answer("9"))
		}
	})
	p := httpSession(t, s)
	request := func(id, method string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}` }
	p.ask("[" + request("1", "stream") + "," + request(`"2"`, "x") + "," + request("3", "x") + "]")
	p.want(`"id":1,`)
	p.want(`[{"jsonrpc":"2.0","id":"2",`, `"id":3.0,`)
	p.ask("[" + request("4", "slow") + "," + request("5", "x") + "]")
	p.ask(`[{"jsonrpc":"2.0","method":"notices"}]`)
	p.ask(request("9", "x"))
	p.want(`"id":9,`)
	close(release)
	p.want(`[{"jsonrpc":"2.0","id":4,`)
	p.ask("[" + request("6", "half") + "," + request("7", "x") + "]")
	p.want(`[{"jsonrpc":"2.0","id":6,`)
	p.want(`"id":7,"error"`)
	p.ask(request("8", "ends"))
	p.want(`"id":9`)
	p.want(`"id":8,"error"`, "without an answer")
	_ = p.in.Close()
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A stream with which the server does not go on is an error at once, also when it has answered before.
func TestHTTPStreamIsGone(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 1\nid: a\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
	})
	p := httpSession(t, s)
	p.ask(with(callTool, "1"))
	p.want("notifications/progress")
	p.want(`"id":1,"error"`, "does not go on")
}

// A redirect on the same host is followed with the message; another host does not get the headers of the user.
func TestHTTPRedirects(t *testing.T) {
	t.Parallel()
	other := newHTTPServer(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		answered(w, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	})
	s := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case strings.Contains(body, "away"):
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect)
		case strings.Contains(body, "round"):
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		case !strings.HasSuffix(r.URL.Path, "/mcp/"):
			http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
		default:
			answered(w, `{"jsonrpc":"2.0","id":1,"result":{"body":`+body+`}}`)
		}
	})
	p := httpSession(t, s)
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"body":{"jsonrpc":"2.0","id":1,"method":"x"}}}`)
	p.ask(`{"jsonrpc":"2.0","id":2,"method":"away"}`)
	p.want(`"id":2,"error"`, "not followed")
	p.ask(`{"jsonrpc":"2.0","id":3,"method":"round"}`)
	p.want(`"id":3,"error"`, "redirects for ever")
	if got := other.all(); got != "" {
		t.Errorf("the other host received %s", got)
	}
}
