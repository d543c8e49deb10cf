package main

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mcpServer is the command of a server that answers what a client sends, whatever that is, when it has all lines of it.
func mcpServer(t *testing.T, code int, requests []string, answers ...string) []string {
	t.Helper()
	path := writeFile(t, "answers", strings.Join(answers, "\n")+"\n")
	script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do read -r line; i=$((i+1)); done; cat '%s'; cat >/dev/null; exit %d`, len(requests), path, code)
	return []string{"--", "sh", "-c", script}
}

const (
	mcpCall  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}`
	mcpPages = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// mcpAnswer is an answer to mcpCall with a failed build of about n bytes.
func mcpAnswer(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n/2; i++ {
		fmt.Fprintf(&b, "compiling module number %d\n", i)
	}
	b.WriteString("main.go:7:2: undefined: x\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "linking module number %d\n", i)
	}
	text, _ := json.Marshal(b.String())
	return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(text) + `},{"type":"image","data":"QUJD","mimeType":"image/png"}],"isError":false}}`
}

// mcpRun runs the proxy with what a client sends.
func mcpRun(t *testing.T, requests, flags, server []string) *outcome {
	t.Helper()
	return toolresult(t, strings.Join(requests, "\n")+"\n", append(append([]string{"mcp"}, flags...), server...)...)
}

var mcpHandle = regexp.MustCompile(`toolresult_read\(result=\\"([0-9a-z]+)\\"\)`)

// A real sidecar: the result is a receipt, what it omits can be read by the call that it names, and by its link. Sizes that are sent
// in one message, and in a stream.
func TestMCPReceipts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100_000, 3 << 20} {
		session := newSession()
		flags := []string{"--session", session, "--max-tokens", "400", "--patience", "30s"} // under the race detector it takes long
		initialize := `{"jsonrpc":"2.0","id":0,"method":"initialize"}`
		initialized := `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"builds"}}}`
		requests := []string{initialize, mcpCall, mcpPages}
		o := mcpRun(t, requests, flags, mcpServer(t, 5, requests, initialized, mcpAnswer(size), `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`))
		o.want(5, initialized, "External tool answered (builds)", "main.go:7:2: undefined: x", `{"type":"image","data":"QUJD","mimeType":"image/png"}`, `"isError":false`,
			`"name":"toolresult_read"`, `"type":"resource_link","uri":"toolresult://`)
		if len(o.out) > 6000 || strings.Contains(o.out, "read_result(") && !strings.Contains(o.out, "toolresult_read(") {
			t.Errorf("%d bytes:\n%.3000s", len(o.out), o.out)
		}
		m := mcpHandle.FindStringSubmatch(o.out)
		uri := regexp.MustCompile(`"uri":"([^"]+)"`).FindStringSubmatch(o.out)
		if m == nil || uri == nil {
			t.Fatalf("no call and no link in\n%s", o.out)
		}
		reads := []string{
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result":"` + m[1] + `","match":"undefined"}}}`,
			`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"` + uri[1] + `"}}`,
			`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result":"none"}}}`,
		}
		again := mcpRun(t, reads, flags, mcpServer(t, 0, nil)).want(0, `"id":7,"result"`, `undefined: x`, `"id":8,"result":{"contents":[{"uri":"`+uri[1], `"id":9`, `"isError":true`)
		if size < 1<<20 && strings.Count(again.out, "linking module number") < 1000 {
			t.Errorf("the resource is not whole: %d bytes", len(again.out))
		}
	}
}

// Whatever is the matter with the sidecar, the answer of the server passes as it is.
func TestMCPWithoutSidecar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	frozen := filepath.Join(dir, "frozen")
	listener, err := net.Listen("unix", frozen)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() // at the end of the test
	for _, flags := range map[string][]string{
		"absent": {"--server", "unix://" + filepath.Join(dir, "none")}, "frozen": {"--server", "unix://" + frozen},
		"rejecting": {"--max-tokens", "1"}, "no address": {"--server", "192.0.2.1:1", "--ca", "/nonexistent"},
	} {
		for _, size := range []int{100_000, 3 << 20} {
			want := mcpAnswer(size)
			server := mcpServer(t, 0, []string{mcpCall}, want)
			for _, with := range [][]string{{"--threshold", "100000000"}, append(flags, "--patience", defaultPatience.String())} {
				mcpRun(t, []string{mcpCall}, with, server).wantOut(want + "\n")
			}
		}
	}
}

// The tool that is offered has the arguments of read_result, for the sidecar executes its calls.
func TestMCPToolIsReadResult(t *testing.T) {
	t.Parallel()
	requests := []string{mcpPages}
	o := mcpRun(t, requests, nil, mcpServer(t, 0, requests, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)).want(0)
	var got struct {
		Result struct {
			Tools []struct{ Description, InputSchema any }
		}
	}
	var want struct {
		Description  any
		Input_schema any
	}
	definition := toolresult(t, "", "tool", "definitions", "--provider", "anthropic").want(0)
	text := strings.ReplaceAll(definition.out, "read_result(", "toolresult_read(")
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || len(got.Result.Tools) != 1 {
		t.Fatal(err, o.out)
	}
	if diff := cmp.Diff([]any{want.Description, want.Input_schema}, []any{got.Result.Tools[0].Description, got.Result.Tools[0].InputSchema}); diff != "" {
		t.Error(diff)
	}
}

func TestMCPMistakes(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "mcp").want(codeFailed, "! give a server")
	toolresult(t, "", "mcp", "--url", "http://127.0.0.1:1", "--", "x").want(codeFailed, "! give a server")
	toolresult(t, "", "mcp", "--", "/nonexistent/server").want(codeNotFound, "! /nonexistent/server")
	toolresult(t, "", "mcp", "--", t.TempDir()).want(codeNotStarted, "! permission denied")
	toolresult(t, "", "mcp", "--url", "http://127.0.0.1:1", "--header", "x").want(codeNotStarted, "! NAME: VALUE")
	toolresult(t, "", "mcp", "--session", "a b", "--", "true").want(codeFailed, "! --session")
	toolresult(t, "", "mcp", "--read-tool", "", "--", "true").want(codeFailed, "! --read-tool")
}

// A model that has several servers may ask the tool of one for a result of another: both are in the session of the directory.
func TestMCPServersShareTheirResults(t *testing.T) {
	t.Parallel()
	first := mcpServer(t, 0, []string{mcpCall}, mcpAnswer(100_000))
	o := mcpRun(t, []string{mcpCall}, nil, first).want(0)
	m := mcpHandle.FindStringSubmatch(o.out)
	if m == nil {
		t.Fatalf("no call in\n%s", o.out)
	}
	read := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result":"` + m[1] + `","match":"undefined"}}}`
	mcpRun(t, []string{read}, []string{"--name", "other"}, mcpServer(t, 0, nil, "other")).want(0, `"id":7,"result"`, "undefined: x")
}
