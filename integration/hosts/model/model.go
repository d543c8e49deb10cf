// Package model is a scripted model: an HTTP server that speaks the dialects of four providers, asks for tool calls, and
// then says a word. Agent hosts run against it offline, and a test reads in its requests what a real model would have read.
//
// The dialects are Anthropic messages, OpenAI chat completions, OpenAI responses and Gemini. A request to another path is
// recorded as unknown, which a test reports: a host that asks for something new has changed.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Call is a tool call that the model asks for.
type Call struct {
	// Tool is the name of the tool. Empty: the first tool of the request that runs a shell command.
	Tool string
	// Command is the shell command, for a call without Arguments.
	Command string
	// Arguments are the arguments of another tool.
	Arguments map[string]any
}

// Script is what the model does: its calls, each after the result of the one before it, then a word.
type Script struct {
	Calls []Call
	Say   string // empty: "done"
}

// Request is a request of a host.
type Request struct {
	Path    string
	Body    []byte
	Tools   []string // names of the tools that the host offers
	Results []string // what the model reads of its calls, in their order
	At      time.Time
}

// Server is a scripted model. It is safe for concurrent use.
type Server struct {
	script Script

	mu       sync.Mutex
	requests []Request
	unknown  []string
}

// New returns a model that follows a script.
func New(script Script) *Server {
	if script.Say == "" {
		script.Say = "done"
	}
	return &Server{script: script}
}

// Requests returns the requests so far, without those to unknown paths.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unknown returns method and path of the requests that no dialect knows.
func (s *Server) Unknown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unknown)
}

// Results returns what the model read of its calls in the request that has the most of them.
func (s *Server) Results() (results []string) {
	for _, r := range s.Requests() {
		if len(r.Results) > len(results) {
			results = r.Results
		}
	}
	return results
}

// Took returns how long the host took for each call: until the request that has its result.
func (s *Server) Took() (took []time.Duration) {
	var before time.Time
	for _, r := range s.Requests() {
		if n := len(r.Results); n > len(took) && !before.IsZero() {
			took = append(took, r.At.Sub(before))
		}
		if len(r.Results) == len(took) {
			before = r.At
		}
	}
	return took
}

// ServeHTTP answers a request of a host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d, known := dialectOf(r)
	if !known {
		s.fixed(w, r)
		return
	}
	seen, err := d.read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{Path: r.URL.Path, Body: body, Tools: seen.names(), Results: seen.results, At: time.Now()})
	s.mu.Unlock()
	a := s.answer(seen)
	a.stream = seen.stream || strings.Contains(r.URL.Path, "streamGenerateContent")
	d.write(w, a)
}

// fixed answers requests that are no call of the model: lists of models, and probes whether the server is there.
func (s *Server) fixed(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case r.Method == http.MethodHead, strings.HasSuffix(path, ":countTokens"), strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, map[string]any{"input_tokens": 100, "totalTokens": 100})
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		writeJSON(w, map[string]any{"object": "list", "models": []any{}, "data": []any{
			map[string]any{"id": "scripted", "object": "model", "owned_by": "test"},
		}})
	default:
		s.mu.Lock()
		s.unknown = append(s.unknown, r.Method+" "+path)
		s.mu.Unlock()
		http.NotFound(w, r)
	}
}

// answer is what the model says: a call, or text.
type answer struct {
	text      string
	id, tool  string
	arguments map[string]any
	stream    bool
}

// json returns the arguments of the call as JSON.
func (a answer) json() string {
	b, _ := json.Marshal(a.arguments) // values of JSON
	return string(b)
}

// answer returns the next step of the script. A request without tools is no step: it asks for a title or a summary.
func (s *Server) answer(q query) answer {
	n := len(q.results)
	if n >= len(s.script.Calls) || len(q.tools) == 0 {
		return answer{text: s.script.Say}
	}
	call := s.script.Calls[n]
	t, found := q.tool(call.Tool)
	if !found {
		return answer{text: fmt.Sprintf("no tool %q among %q", call.Tool, q.names())}
	}
	a := answer{id: fmt.Sprintf("call_%d", n+1), tool: t.name, arguments: call.Arguments}
	if a.arguments == nil {
		a.arguments = t.shellArguments(call.Command)
	}
	return a
}

// tool is a tool that a host offers.
type tool struct {
	name       string
	properties map[string]struct {
		Type any `json:"type"`
	}
	required []string
}

// shells are the names of tools that run a shell command.
var shells = []string{"Bash", "run_shell_command", "exec_command", "shell_command", "bash", "shell"}

// shellArguments returns arguments that run a command, in the form of the tool's schema. Other required ones are words.
func (t tool) shellArguments(command string) map[string]any {
	a := map[string]any{}
	for _, name := range t.required {
		if kind, _ := t.properties[name].Type.(string); strings.EqualFold(kind, "string") {
			a[name] = "run it"
		}
	}
	for _, name := range []string{"cmd", "command"} {
		p, found := t.properties[name]
		if !found {
			continue
		}
		a[name] = command
		if kind, _ := p.Type.(string); strings.EqualFold(kind, "array") {
			a[name] = []string{"bash", "-c", command}
		}
	}
	if _, found := t.properties["yield_time_ms"]; found {
		a["yield_time_ms"] = 30_000 // Codex goes on without the result after 10 s unless told
	}
	return a
}

// query is a request in the terms of all dialects.
type query struct {
	tools   []tool
	results []string
	stream  bool
}

// names returns the names of the tools.
func (q query) names() (names []string) {
	for _, t := range q.tools {
		names = append(names, t.name)
	}
	return names
}

// tool returns a tool by its name; for "" one that runs shell commands.
func (q query) tool(name string) (tool, bool) {
	names := shells
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		for _, t := range q.tools {
			if t.name == n {
				return t, true
			}
		}
	}
	return tool{}, false
}

// dialect is the form of a provider's requests and answers.
type dialect struct {
	read  func(body []byte) (query, error)
	write func(w http.ResponseWriter, a answer)
}

// dialectOf returns the dialect of a request by its path.
func dialectOf(r *http.Request) (dialect, bool) {
	if r.Method != http.MethodPost {
		return dialect{}, false
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		return dialect{readAnthropic, writeAnthropic}, true
	case strings.HasSuffix(path, "/chat/completions"):
		return dialect{readChat, writeChat}, true
	case strings.HasSuffix(path, "/responses"):
		return dialect{readResponses, writeResponses}, true
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return dialect{readGemini, writeGemini}, true
	}
	return dialect{}, false
}

// writeJSON writes a value as the body.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// events writes server-sent events. An event without a name has data alone.
type events struct{ w http.ResponseWriter }

// newEvents begins a body of events.
func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	return events{w}
}

// send writes one event.
func (e events) send(name string, data any) {
	b, _ := json.Marshal(data) // values of JSON
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", b)
}

// text returns the text of a content that is a string, or a list of blocks with a text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return string(raw)
	}
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, "\n")
}
