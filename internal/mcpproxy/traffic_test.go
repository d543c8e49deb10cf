package mcpproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fakeSidecar makes a receipt that says how much it is made of.
type fakeSidecar struct {
	project func(Result) (Receipt, error)
}

func (fakeSidecar) Expect() {}

func (s fakeSidecar) Project(_ context.Context, r Result) (Receipt, error) {
	if s.project != nil {
		return s.project(r)
	}
	text := bytes.Join(r.JSON, nil)
	if len(text) != r.Size || !json.Valid(text) {
		return Receipt{}, fmt.Errorf("%d bytes, and %d were promised: %s", len(text), r.Size, text)
	}
	return Receipt{Text: fmt.Sprintf("receipt of %s: %d bytes", r.Tool, r.Size), Artifacts: []string{"/s/ab/cd"}}, nil
}

func (fakeSidecar) Read(_ context.Context, arguments string) (string, bool, error) {
	return "slice for " + arguments, strings.Contains(arguments, "wrong"), nil
}

func (fakeSidecar) Artifact(_ context.Context, path string, _ int) ([]byte, error) {
	if path == "/s/ab/cd" {
		return []byte("all of it\n"), nil
	}
	return nil, errors.New("no such artifact")
}

// pipeServer is a server in this process, on pipes.
type pipeServer struct {
	in     *io.PipeWriter // of the server
	out    *io.PipeReader
	lines  *lines
	code   int
	reads  *lines         // of what the server receives
	writes *io.PipeWriter // of what the server sends
}

func newPipeServer() *pipeServer {
	s := &pipeServer{}
	received, in := io.Pipe()
	out, writes := io.Pipe()
	s.in, s.out, s.lines, s.reads, s.writes = in, out, newLines(out), newLines(received), writes
	return s
}

func (s *pipeServer) Send(f Frame, _ message) error {
	defer f.Release()
	_, err := s.in.Write(append(slices.Clone(f.Bytes), '\n'))
	return err
}
func (s *pipeServer) Receive() (Frame, error) { return s.lines.next() }
func (s *pipeServer) CloseSend()              { _ = s.in.Close() }
func (s *pipeServer) Stop()                   { _ = s.writes.CloseWithError(io.EOF) }
func (s *pipeServer) Wait() (code int, how string) {
	return s.code, fmt.Sprintf("exit code %d", s.code)
}

// options are those of tests.
func options() Options {
	return Options{Threshold: 200, ReadTool: DefaultReadTool, Log: slog.New(slog.DiscardHandler), Drain: 1e9}
}

// run passes the lines of a client to a server that answers with lines once it has them, and returns what both received.
func run(t *rapid.T, o Options, client, server []string) (atServer, atClient []string) {
	s := newPipeServer()
	go func() {
		for {
			f, err := s.reads.next()
			if err != nil {
				break
			}
			atServer = append(atServer, string(f.Bytes))
		}
		for _, line := range server {
			_, _ = io.WriteString(s.writes, line+"\n")
		}
		_ = s.writes.Close()
	}()
	o.Drain = 0 // the server answers when it has everything
	var out bytes.Buffer
	New(o, fakeSidecar{}).Run(t.Context(), strings.NewReader(strings.Join(append(client, ""), "\n")), &out, s)
	if out.Len() > 0 {
		atClient = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	return atServer, atClient
}

// space is white space as it may be between the tokens of JSON in a line.
var space = rapid.SampledFrom([]string{"", "", "", " ", "\t", "  ", "\r"})

// values generates texts of JSON, with numbers, escapes and white space as nobody's encoder writes them all.
func values(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 {
			kind %= 5
		}
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
		case 1:
			return rapid.SampledFrom([]string{"0", "-0", "1.0", "1.50", "1e3", "1E+2", "9007199254740993", "123456789012345678901234567890", "0.1e-7"}).Draw(t, "number")
		case 2:
			return rapid.SampledFrom([]string{`""`, `"a"`, `"\u003c\/"`, `"<&>"`, `"é"`, `"\ud83d\ude00"`, `"\ud800"`, "\"\u2028\"", `"\"}],"`}).Draw(t, "string")
		case 3, 4:
			return `"` + strings.Repeat("long ", rapid.IntRange(0, 120).Draw(t, "length")) + `"`
		case 5:
			return array(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "elements")).Draw(t, "array")
		}
		var all []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "_meta", "text", "type", "x y", "content"}), 0, 3, rapid.ID).Draw(t, "names") {
			all = append(all, fmt.Sprintf("%q", name), values(depth-1).Draw(t, name))
		}
		return objectOf(all...).Draw(t, "object")
	})
}

func array(elements []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := "[" + space.Draw(t, "space")
		for i, e := range elements {
			if i > 0 {
				text += "," + space.Draw(t, "space")
			}
			text += e + space.Draw(t, "space")
		}
		return text + "]"
	})
}

// objectOf generates an object of names, as they are quoted, and values, in any order.
func objectOf(namesAndValues ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var list []string
		for i := 0; i < len(namesAndValues); i += 2 {
			list = append(list, namesAndValues[i]+space.Draw(t, "space")+":"+space.Draw(t, "space")+namesAndValues[i+1])
		}
		list = rapid.Permutation(list).Draw(t, "order")
		text := array(list).Draw(t, "members")
		return "{" + text[1:len(text)-1] + "}"
	})
}

// blocks generates a block of content.
func blocks() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 5).Draw(t, "block") {
		case 0:
			return objectOf(`"type"`, `"image"`, `"data"`, `"`+strings.Repeat("QUJD", rapid.IntRange(0, 200).Draw(t, "n"))+`"`, `"mimeType"`, `"image/png"`).Draw(t, "image")
		case 1:
			resource := values(1).Draw(t, "resource")
			if rapid.Bool().Draw(t, "has a text") {
				resource = objectOf(`"uri"`, `"file:///a"`, `"text"`, `"`+strings.Repeat(`line\n`, rapid.IntRange(0, 150).Draw(t, "lines"))+`"`).Draw(t, "resource")
			}
			return objectOf(`"type"`, `"resource"`, `"resource"`, resource).Draw(t, "embedded")
		case 2:
			return values(2).Draw(t, "any")
		case 3:
			return objectOf(`"type"`, `"text"`, `"text"`, values(0).Draw(t, "text"), `"annotations"`, `{"audience":["user"]}`).Draw(t, "for the user")
		}
		return objectOf(`"type"`, `"text"`, `"text"`, `"`+strings.Repeat(`line\n`, rapid.IntRange(0, 150).Draw(t, "lines"))+`"`).Draw(t, "text")
	})
}

// results generates a result of tools/call.
func results() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var all []string
		if rapid.IntRange(0, 9).Draw(t, "content") > 0 {
			all = append(all, `"content"`, array(rapid.SliceOfN(blocks(), 0, 4).Draw(t, "blocks")).Draw(t, "content"))
		}
		for _, name := range []string{`"structuredContent"`, `"isError"`, `"_meta"`, `"task"`} {
			if rapid.Bool().Draw(t, name) {
				all = append(all, name, values(2).Draw(t, name))
			}
		}
		return objectOf(all...).Draw(t, "result")
	})
}

// toolLists generates a page of tools/list.
func toolLists() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var list []string
		for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
			all := []string{`"name"`, fmt.Sprintf(`"tool%d"`, i), `"inputSchema"`, values(1).Draw(t, "schema")}
			if rapid.Bool().Draw(t, "has a schema") {
				all = append(all, `"outputSchema"`, values(2).Draw(t, "output schema"))
			}
			list = append(list, objectOf(all...).Draw(t, "tool"))
		}
		all := []string{`"tools"`, array(list).Draw(t, "list")}
		if rapid.Bool().Draw(t, "more pages") {
			all = append(all, `"nextCursor"`, rapid.SampledFrom([]string{`"x"`, `""`, `null`}).Draw(t, "cursor"))
		}
		return objectOf(all...).Draw(t, "page")
	})
}

// ids generates ids that are distinct, however they are written.
func ids(i int) *rapid.Generator[string] {
	return rapid.SampledFrom([]string{fmt.Sprint(i), fmt.Sprintf("%d.0", i), fmt.Sprintf(`"%d"`, i), fmt.Sprintf(`"a\u003c%d"`, i), fmt.Sprint(9007199254740993 + i)})
}

// exchange is a request and its answer.
type exchange struct{ id, method, request, answer string }

func exchanges(i int) *rapid.Generator[exchange] {
	return rapid.Custom(func(t *rapid.T) exchange {
		e := exchange{id: ids(i).Draw(t, "id")}
		e.method = rapid.SampledFrom([]string{"tools/call", "tools/call", "tools/list", "resources/list", "resources/read", "sampling/x", "tasks/result"}).Draw(t, "method")
		params := values(2).Draw(t, "params")
		result := values(2).Draw(t, "result")
		switch e.method {
		case "tools/call":
			params = objectOf(`"name"`, `"tool"`, `"arguments"`, values(1).Draw(t, "arguments")).Draw(t, "params")
			result = results().Draw(t, "result")
		case "tasks/result":
			result = results().Draw(t, "result")
		case "tools/list":
			result = toolLists().Draw(t, "result")
		}
		e.request = objectOf(`"jsonrpc"`, `"2.0"`, `"id"`, e.id, `"method"`, fmt.Sprintf("%q", e.method), `"params"`, params).Draw(t, "request")
		outcome := `"result"`
		if rapid.IntRange(0, 9).Draw(t, "failed") == 0 {
			outcome = `"error"`
		}
		e.answer = objectOf(`"jsonrpc"`, `"2.0"`, `"id"`, e.id, outcome, result).Draw(t, "answer")
		return e
	})
}

// requestsOfServers generates what a server asks of its client.
func requestsOfServers() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return objectOf(`"jsonrpc"`, `"2.0"`, `"method"`, `"sampling/createMessage"`, `"id"`, `1`, `"params"`, values(2).Draw(t, "params")).Draw(t, "request of the server")
	})
}

// others generates what is no request: notifications, batches, and lines that are no messages.
func others() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return objectOf(`"jsonrpc"`, `"2.0"`, `"method"`, `"notifications/x"`, `"params"`, values(2).Draw(t, "params")).Draw(t, "notification")
		}),
		rapid.Custom(func(t *rapid.T) string {
			return array([]string{values(1).Draw(t, "a"), `{"jsonrpc":"2.0","id":"batch","result":{"tools":[]}}`}).Draw(t, "batch")
		}),
		rapid.SampledFrom([]string{"", "no JSON", `{"jsonrpc":"2.0"`, `{"id":1,"id":2,"method":"tools/list"}`, "\xff", "\r", "[]", "{}", "null", "7"}),
		values(3),
	)
}

// Of random traffic, nothing but what is promised changes: requests arrive byte for byte, and so does what is neither a large answer
// to tools/call nor an answer to tools/list. Of these, all that is no text and no structured content is as it was.
func TestNothingElseChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := options()
		o.KeepStructured = rapid.Bool().Draw(t, "keep structured")
		var client, server []string
		byID := map[string]exchange{}
		for i := range rapid.IntRange(0, 4).Draw(t, "exchanges") {
			e := exchanges(i).Draw(t, "exchange")
			byID[e.answer] = e
			client, server = append(client, e.request), append(server, e.answer)
		}
		client = rapid.Permutation(append(client, rapid.SliceOfN(others(), 0, 3).Draw(t, "of the client")...)).Draw(t, "client")
		server = rapid.Permutation(append(server, rapid.SliceOfN(rapid.OneOf(others(), requestsOfServers()), 0, 3).Draw(t, "of the server")...)).Draw(t, "server")
		atServer, atClient := run(t, o, client, server)
		if diff := cmp.Diff(client, atServer); diff != "" && len(client)+len(atServer) > 0 {
			t.Fatalf("the server received other messages: %s", diff)
		}
		for _, line := range server {
			if at := slices.Index(atClient, line); at >= 0 {
				atClient = slices.Delete(atClient, at, at+1)
				if e := byID[line]; mustChange(e, o) {
					t.Fatalf("the answer to %s stays as it is: %s", e.method, line)
				}
				continue
			}
			e, ok := byID[line]
			if !ok || e.method != "tools/call" && e.method != "tools/list" {
				t.Fatalf("%s did not arrive, but\n%s", line, strings.Join(atClient, "\n"))
			}
			at := slices.IndexFunc(atClient, func(got string) bool { return sameBut(e, line, got, o) })
			if at < 0 {
				t.Fatalf("no answer to %s is right:\n%s\nof\n%s", e.method, strings.Join(atClient, "\n"), line)
			}
			atClient = slices.Delete(atClient, at, at+1)
		}
		if len(atClient) > 0 {
			t.Fatalf("nobody sent %q", atClient)
		}
	})
}

// decoded is an object as another decoder has it, with numbers as they are written; nil for another value.
func decoded(text string) (v map[string]any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// mustChange reports whether an answer has so much text for the model that it cannot stay.
func mustChange(e exchange, o Options) bool {
	v := map[string]any{}
	if e.answer == "" || json.Unmarshal([]byte(e.answer), &v) != nil {
		return false
	}
	result, _ := v["result"].(map[string]any)
	content, _ := result["content"].([]any)
	size := 0
	for _, b := range content {
		if block, ok := b.(map[string]any); ok && block["type"] == "text" && block["annotations"] == nil {
			text, _ := block["text"].(string)
			size += len(text)
		}
	}
	if e.method == "tools/list" {
		tools, ok := result["tools"].([]any)
		next, _ := result["nextCursor"].(string)
		return ok && tools != nil && next == ""
	}
	return e.method == "tools/call" && size > o.Threshold+100
}

// sameBut reports whether an answer is another one with nothing changed but what is promised.
func sameBut(e exchange, was, is string, o Options) bool {
	before, after := decoded(was), decoded(is)
	if !json.Valid([]byte(is)) || after["result"] == nil || !cmp.Equal(before["id"], after["id"]) || len(before) != len(after) {
		return false
	}
	from, _ := before["result"].(map[string]any)
	to, _ := after["result"].(map[string]any)
	if from == nil || to == nil {
		return false
	}
	if e.method == "tools/list" {
		tools := to["tools"].([]any)
		if next, _ := from["nextCursor"].(string); next == "" {
			last := tools[len(tools)-1].(map[string]any)
			tools = tools[:len(tools)-1]
			if last["name"] != DefaultReadTool {
				return false
			}
		}
		for _, tool := range from["tools"].([]any) {
			if !o.KeepStructured {
				delete(tool.(map[string]any), "outputSchema")
			}
		}
		if len(from["tools"].([]any)) != len(tools) || len(tools) > 0 && !cmp.Equal(from["tools"], any(tools)) {
			return false
		}
		delete(from, "tools")
		delete(to, "tools")
		return cmp.Equal(from, to)
	}
	return sameContent(from, to, o)
}

// sameContent compares the results of a tool.
func sameContent(from, to map[string]any, o Options) bool {
	if _, ok := to["structuredContent"]; ok || o.KeepStructured {
		if !cmp.Equal(from["structuredContent"], to["structuredContent"]) {
			return false
		}
	}
	isText := func(b any) bool {
		block, _ := b.(map[string]any)
		if resource, _ := block["resource"].(map[string]any); block["type"] == "resource" {
			text, isString := resource["text"].(string)
			return isString && len(strings.ReplaceAll(text, "\n", `\n`))+2 > o.Threshold
		}
		_, isString := block["text"].(string)
		return block["type"] == "text" && isString && block["annotations"] == nil
	}
	var kept []any
	content, _ := from["content"].([]any)
	for _, b := range content {
		if !isText(b) {
			kept = append(kept, b)
		}
	}
	receipts := 0
	var others []any
	for _, b := range to["content"].([]any) {
		block, _ := b.(map[string]any)
		if text, _ := block["text"].(string); strings.HasPrefix(text, "receipt of tool: ") {
			receipts++
		} else {
			others = append(others, b)
		}
	}
	for _, name := range []string{"content", "structuredContent"} {
		delete(from, name)
		delete(to, name)
	}
	return receipts == 1 && cmp.Equal(kept, others) && cmp.Equal(from, to)
}
