package mcpproxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is also a server: with a script in TOOLRESULT_MCP_SERVER, the words of which it does one after the other.
func TestMain(m *testing.M) {
	if script := os.Getenv("TOOLRESULT_MCP_SERVER"); script != "" {
		os.Exit(server(strings.Fields(script)))
	}
	os.Exit(m.Run())
}

// server is a server that does what a script says.
func server(script []string) (code int) {
	in := bufio.NewReader(os.Stdin)
	for _, word := range script {
		verb, value, _ := strings.Cut(word, "=")
		switch verb {
		case "echo": // lines, until there are no more
			_, _ = io.Copy(os.Stdout, in)
		case "read":
			_, _ = in.ReadString('\n')
		case "say":
			fmt.Println(value)
		case "close":
			_ = os.Stdout.Close()
		case "ignore":
			signal.Ignore(syscall.SIGTERM)
		case "kill":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case "sleep":
			time.Sleep(time.Minute)
		case "exit":
			_, _ = fmt.Sscan(value, &code)
		case "huge":
			n := 0
			_, _ = fmt.Sscan(value, &n)
			w := bufio.NewWriterSize(os.Stdout, 1<<20)
			_, _ = w.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)
			line := bytes.Repeat([]byte("some words of a line that is long enough to be one"), 1)
			for n > 0 {
				_, _ = w.Write(append(line, `\n`...))
				n -= len(line) + 2
			}
			_, _ = w.WriteString("\"}]}}\n")
			_ = w.Flush()
		}
	}
	return code
}

// start starts a server with a script.
func start(t testing.TB, script string) *Process {
	t.Helper()
	t.Setenv("TOOLRESULT_MCP_SERVER", script)
	s, err := Start([]string{os.Args[0]}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if s.grace = 5 * time.Second; strings.Contains(script, "sleep") {
		s.grace = 300 * time.Millisecond // there is nothing to wait for
	}
	return s
}

// A real process: its messages come back byte for byte, also what is large, and its exit code is ours.
func TestProcess(t *testing.T) {
	var in bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&in, `{"jsonrpc": "2.0", "method":"notifications/n", "params": {"n":%d.0}}`+"\n", i)
	}
	in.WriteString(`{"jsonrpc": "2.0", "method":"notifications/n", "params": {"n":"` + strings.Repeat("x", 3*maxMemory) + "\"}}\n")
	want := in.String()
	for _, tt := range []struct {
		script string
		code   int
	}{{"echo exit=0", 0}, {"echo exit=7", 7}, {"echo kill", 128 + 9}, {"echo sleep", 128 + 15}, {"ignore echo sleep", 128 + 9}} {
		var out bytes.Buffer
		code := New(options(), fakeSidecar{}).Run(t.Context(), strings.NewReader(want), &out, start(t, tt.script))
		if code != tt.code || out.String() != want {
			t.Errorf("%s: exit code %d, want %d; %d bytes, want %d", tt.script, code, tt.code, out.Len(), len(want))
		}
	}
}

// A server that dies answers nothing more: the proxy does, and ends although its client says nothing.
func TestProcessDies(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close() // at the end of the test
	go func() { _, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n") }()
	var out bytes.Buffer
	code := New(options(), fakeSidecar{}).Run(t.Context(), r, &out, start(t, "read say={} kill"))
	if want := "{}\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the MCP server ended before it answered: signal 9 (killed)"}}` + "\n"; code != 137 || out.String() != want {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}

// A server that says nothing more, and lives, is ended: its client would wait for ever.
func TestProcessClosesItsOutput(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close() // at the end of the test
	go func() { _, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n") }()
	var out bytes.Buffer
	code := New(options(), fakeSidecar{}).Run(t.Context(), r, &out, start(t, "read say={} close sleep"))
	if code != 128+15 || !strings.HasPrefix(out.String(), "{}\n") || !strings.Contains(out.String(), `"id":1,"error"`) {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}

func TestProcessIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := Start([]string{"/nonexistent/server"}, io.Discard); err == nil {
		t.Error("it was started")
	}
}
