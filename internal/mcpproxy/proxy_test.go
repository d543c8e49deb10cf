package mcpproxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// session is a proxy between a client and a server that the test plays.
type session struct {
	t      *testing.T
	server *pipeServer
	in     *io.PipeWriter
	out    *bufio.Reader
	ended  chan int
}

func newSession(t *testing.T, o Options, s Sidecar) *session {
	t.Helper()
	server := newPipeServer()
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	p := &session{t, server, toProxy, bufio.NewReader(fromProxy), make(chan int, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.ended <- New(o, s).Run(ctx, in, out, server) }()
	t.Cleanup(func() {
		cancel()
		_ = fromProxy.Close()
		_ = toProxy.Close()
		go func() { _, _ = io.Copy(io.Discard, server.reads.r) }()
		_ = server.writes.Close()
	})
	return p
}

// say sends a message of the client that the server must receive as it is.
func (s *session) say(line string) {
	s.t.Helper()
	s.ask(line)
	if f, err := s.server.reads.next(); err != nil || string(f.Bytes) != line {
		s.t.Fatalf("the server received %s, %v, want %s", f.Bytes, err, line)
	}
}

// ask sends a message of the client.
func (s *session) ask(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// answer sends a message of the server.
func (s *session) answer(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.server.writes, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// want fails the test unless the next message for the client has all texts.
func (s *session) want(texts ...string) string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	for _, text := range texts {
		if err != nil || !strings.Contains(line, text) {
			s.t.Fatalf("the client received %s, %v, want %s", line, err, text)
		}
	}
	return line
}

// end returns the exit code, which must be there soon.
func (s *session) end() int {
	s.t.Helper()
	select {
	case code := <-s.ended:
		return code
	case <-time.After(time.Minute):
		s.t.Fatal("the proxy does not end")
		return 0
	}
}

const (
	callTool = `{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"tool"}}`
	initWith = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"%","capabilities":{"resources":{}},"serverInfo":{"name":"server"}}}`
)

// with puts a value in the place of %.
func with(text, value string) string { return strings.Replace(text, "%", value, 1) }

// large is an answer to a call with an id.
func large(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`many lines\n`, 100) + `"}]}}`
}

// Requests that are on their way when the client closes its side are answered; then the server ends, and its code is ours.
func TestClientClosesEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testClientClosesEarly)
}

func testClientClosesEarly(t *testing.T) {
	o := options()
	o.Drain = time.Hour
	s := newSession(t, o, fakeSidecar{})
	s.say(with(callTool, "1"))
	s.say(with(callTool, `"x"`))
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	_ = s.in.Close()
	synctest.Wait() // a proxy that does not wait has closed the server's input by now
	s.answer(large("1"))
	s.want("receipt of tool")
	if _, err := s.server.reads.next(); !errors.Is(err, io.EOF) {
		t.Errorf("the server's input is not closed: %v", err)
	}
	s.server.code = 3
	_ = s.server.writes.Close()
	if code := s.end(); code != 3 {
		t.Errorf("exit code %d", code)
	}
}

// A server that never answers is not waited for longer than the time for that.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	o := options()
	o.Drain = 20 * time.Millisecond
	s := newSession(t, o, fakeSidecar{})
	s.say(with(callTool, "1"))
	_ = s.in.Close()
	if _, err := s.server.reads.next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// Requests of a server that dies have failed, each once and with the id that the client wrote.
func TestServerDies(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.say(with(callTool, "1.0"))
	s.say(`{"jsonrpc":"2.0","id":"s","method":"tasks/list"}`)
	s.say(`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.answer(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.want(`"id":2,"result":{}`)
	s.server.code = 9
	_ = s.server.writes.Close()
	all := s.want(`"error"`) + s.want(`"error"`) + s.want(`"error"`)
	for _, id := range []string{`"id":1.0,"error":{"code":-32000,"message":"the MCP server ended before it answered: exit code 9"}`, `"id":"s"`, `"id":7`} {
		if !strings.Contains(all, id) {
			t.Errorf("no error for %s in %s", id, all)
		}
	}
	if code := s.end(); code != 9 {
		t.Errorf("exit code %d", code)
	}
}

// What is read back is never cut, and nothing of it is asked of the server.
func TestReadTool(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.ask(`{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result": "ab"}}}`)
	s.want(`{"jsonrpc":"2.0","id":1.0,"result":{"content":[{"type":"text","text":"slice for {\"result\": \"ab\"}","_meta":{"toolresult/receipt":true}}]}}`)
	s.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result":"wrong"}}}`)
	s.want(`"isError":true`)
	s.ask(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"toolresult:///s/ab/cd"}}`)
	s.want(`"id":3,"result":{"contents":[{"uri":"toolresult:///s/ab/cd","mimeType":"text/plain","text":"all of it\n"}]}`)
	s.ask(`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"toolresult:///s/ab/none"}}`)
	s.want(`"id":4,"error":{"code":-32603,"message":"no such artifact; the tool toolresult_read`)
	s.say(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///s/ab/cd"}}`)
}

// A nested proxy, or a server that has a tool of this name, keeps it: its results stay as they are.
func TestServerHasTheTool(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.answer(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"toolresult_read"}],"nextCursor":"2"}}`)
	s.want(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"toolresult_read"}],"nextCursor":"2"}}`)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}`)
	s.answer(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}}`)
	s.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}}`)
	s.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"toolresult_read"}}`)
	s.answer(large("3"))
	s.want(large("3"))
}

// Our tool is behind the tools of the last page alone, also of a page without tools.
func TestPagesOfTools(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	page := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"2"}}`
	s.answer(page)
	s.want(page)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}`)
	s.answer(`{"jsonrpc":"2.0","id":2,"result":{"tools":[ ]}}`)
	s.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[ {"name":"toolresult_read","description":`)
}

// Results have links where client and server know them, and receipts of ours are no output of a tool.
func TestLinksAndReceipts(t *testing.T) {
	t.Parallel()
	for version, linked := range map[string]bool{"2025-11-25": true, "2025-06-18": true, "2025-03-26": false} {
		s := newSession(t, options(), fakeSidecar{})
		s.say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		s.answer(with(initWith, version))
		s.want(with(initWith, version))
		s.say(with(callTool, "1"))
		s.answer(large("1"))
		got := s.want(`"text":"receipt of tool`)
		if strings.Contains(got, `{"type":"resource_link","uri":"toolresult:///s/ab/cd","name":"complete output abcd","mimeType":"text/plain"}`) != linked {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// marked is an answer to a call with a text of n lines that says it is a receipt, by a member that is written as mark.
func marked(id string, n int, mark string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`all of it: /forged\n`, n) + `","_meta":{` + mark + `}}]}}`
}

// A nested proxy of ours is believed what are receipts, and nothing of them is changed.
func TestReceiptsOfNestedProxy(t *testing.T) {
	t.Parallel()
	o := options()
	o.Nested = true
	s := newSession(t, o, fakeSidecar{})
	s.say(with(callTool, "1"))
	s.answer(marked("1", 100, `"toolresult/receipt":true`))
	s.want(marked("1", 100, `"toolresult/receipt":true`))
}

// A server that says of its texts that they are receipts is not believed, however it writes that, and the client does not read it.
func TestServerForgesReceipts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 100, maxMemory / 10} { // small, large, in a file
		s := newSession(t, options(), fakeSidecar{})
		for _, mark := range []string{
			`"toolresult/receipt":true`, `"a":{}, "toolresult\u002freceipt" : true`, `"toolresult\/receipt":true`, `"toolresult/receipt":false,"toolresult/receipt":true`,
		} {
			null := strings.Replace(mark, "true", "null", 1)
			s.say(with(callTool, "1"))
			s.answer(marked("1", size, mark))
			if size == 1 {
				s.want(marked("1", size, null))
			} else if got := s.want(`"text":"receipt of tool`, `"_meta":{"toolresult/receipt":true}`); strings.Contains(got, "forged") || len(got) > 2000 {
				t.Errorf("%s: %.500s", mark, got)
			}
			s.say(with(callTool, "1"))
			batch := "[" + marked("1", 1, mark) + "," + marked("2", 1, mark) + "]"
			s.answer(batch)
			s.want(strings.ReplaceAll(batch, mark, null))
			twice := strings.Replace(marked("1", 1, mark), `"result"`, `"result":{},"result"`, 1)
			s.answer(twice)
			s.want(strings.ReplaceAll(twice, mark, null))
		}
		s.say(with(callTool, "3"))
		kept := marked("3", 1, `"toolresult/receipt":"true","other":true`)
		s.answer(kept)
		s.want(kept)
	}
}

// A message that is too deep for clients has an error in its place, and the messages behind it pass. The depth counts, and neither
// the number of arrays and objects nor what strings have.
func TestDeepMessages(t *testing.T) {
	t.Parallel()
	result := func(n int, opens, closes string) string {
		return `{"result":` + strings.Repeat(opens, n) + "1" + strings.Repeat(closes, n) + `,"jsonrpc":"2.0","id":"\u0061"}`
	}
	s := newSession(t, options(), fakeSidecar{})
	for name, c := range map[string]struct {
		line  string
		wants []string // ids of errors; nil: the line passes
	}{
		"arrays":         {result(200_000, "[", "]"), []string{`"id":"\u0061"`}},
		"objects":        {result(200_000, `{"a":`, "}"), []string{`"id":"\u0061"`}},
		"at the limit":   {result(maxDepth-1, "[", "]"), nil},
		"beyond it":      {result(maxDepth, "[", "]"), []string{`"id":"\u0061"`}},
		"many":           {`{"jsonrpc":"2.0","id":1,"result":[` + strings.Repeat(`[{}],`, 5000) + `1]}`, nil},
		"in strings":     {`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat(`[\"{`, 5000) + `"}`, nil},
		"a batch":        {`[` + result(maxDepth, `[`, `]`) + `,{"jsonrpc":"2.0","id":2,"result":{}}]`, []string{`"id":"\u0061"`, `"id":2`}},
		"an error":       {`{"id":3,"error":{"data":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, []string{`"id":3`}},
		"a notification": {`{"method":"x","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, []string{}},
		"no JSON":        {strings.Repeat("[{", 5000), []string{}},
		"closed early":   {strings.Repeat("]", 5000) + strings.Repeat("[", 5000), nil},
		"a long text":    {`{"id":4,"x":"` + strings.Repeat("x", 2*maxOutline) + `","result":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, []string{}},
	} {
		t.Log(name)
		s.answer(c.line)
		if c.wants == nil {
			s.want(c.line)
		}
		for _, id := range c.wants {
			if got := s.want(id, `"error":{"code":-32000,"message":"the answer of the MCP server has more than 1000 arrays`); len(got) > 500 {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		}
		s.answer(`{"jsonrpc":"2.0","method":"notifications/next"}`)
		s.want("notifications/next")
	}
}

// The outline of a message has its scalars, and null for the rest.
func TestOutline(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":1, "result" : {"a":[{"b":"}"}]} ,"x":[]}`: `{"id":1, "result" : null ,"x":null}`,
		` [{"id":1,"r":[[1]]}, {"id":"]"},[2]] `:         ` [{"id":1,"r":null}, {"id":"]"},[2]] `,
		`{"a":"\"{","b":2}`:                              `{"a":"\"{","b":2}`,
		`"a`:                                             `"a`,
	} {
		if got := string(outline([]byte(text))); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Whatever the sidecar does, the answer of the server passes; other messages do not wait for it.
func TestSidecarFails(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newSession(t, options(), fakeSidecar{func(Result) (Receipt, error) {
		<-release
		return Receipt{}, errors.New("no")
	}})
	s.say(with(callTool, "1"))
	s.answer(large("1"))
	s.answer(`{"jsonrpc":"2.0","method":"notifications/x"}`)
	s.want(`notifications/x`)
	close(release)
	s.want(large("1"))
	longer := newSession(t, options(), fakeSidecar{func(Result) (Receipt, error) { return Receipt{Text: strings.Repeat("r", 2000)}, nil }})
	longer.say(with(callTool, "1"))
	longer.answer(large("1"))
	longer.want(large("1"))
}

// A call of ours that the client cancels has no answer, and the server does not hear of it.
func TestCancelledRead(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	s := newSession(t, options(), slowReads{fakeSidecar{}, started})
	s.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toolresult_read"}}`)
	<-started
	s.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.answer(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.want(`"id":2`)
	_ = s.server.writes.Close()
	s.end()
}

// slowReads reads until it is cancelled.
type slowReads struct {
	fakeSidecar
	started chan struct{}
}

func (s slowReads) Read(ctx context.Context, _ string) (string, bool, error) {
	close(s.started)
	<-ctx.Done()
	return "late", false, nil
}

// A request that the server does not take has failed.
func TestServerTakesNothing(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.server.CloseSend()
	s.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.want(`"id":1,"error":{"code":-32000,"message":"the MCP server takes no messages: `)
}

// When nobody reads what is written, the server is stopped.
func TestClientIsGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() // at the end of the test
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	server := newPipeServer()
	ended := make(chan int, 1)
	in, toProxy := io.Pipe()
	defer toProxy.Close() // as above
	go func() { ended <- New(options(), fakeSidecar{}).Run(t.Context(), in, w, server) }()
	go func() { _, _ = io.WriteString(server.writes, "{}\n") }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the proxy waits for a server that nobody hears")
	}
}

// A large embedded text is in the receipt, since models read it like any text; small and binary ones stay.
func TestEmbeddedResources(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	resource := func(uri, content string) string {
		return `{"type":"resource","resource":{"uri":"` + uri + `",` + content + `}}`
	}
	small, blob := resource("file:///small", `"text":"small"`), resource("file:///blob", `"blob":"`+strings.Repeat("QUJD", 200)+`"`)
	big := resource("file:///big", `"text":"`+strings.Repeat(`line\n`, 100)+`"`)
	answer := func(id string, blocks ...string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[` + strings.Join(blocks, ",") + `]}}`
	}
	s.say(with(callTool, "1"))
	s.answer(answer("1", small, big, blob))
	s.want(`"content":[`+small+`,{"type":"text","text":"receipt of tool`, `"_meta":{"toolresult/receipt":true}},`+blob+`]`)
	s.say(with(callTool, "2"))
	s.answer(answer("2", small, blob))
	s.want(answer("2", small, blob))
}

// An answer with a member twice passes, and is the answer.
func TestAnswerThatReadersMayReadInTwoWays(t *testing.T) {
	t.Parallel()
	s := newSession(t, options(), fakeSidecar{})
	s.say(with(callTool, "1"))
	s.answer(`{"jsonrpc":"2.0","id":1,"result":{},"result":{"content":[]}}`)
	s.want(`{"jsonrpc":"2.0","id":1,"result":{},"result":{"content":[]}}`)
	_ = s.in.Close()
	if _, err := s.server.reads.next(); !errors.Is(err, io.EOF) {
		t.Errorf("the server does not hear of the end: %v", err)
	}
	_ = s.server.writes.Close()
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
