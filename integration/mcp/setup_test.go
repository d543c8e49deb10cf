package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// program is the binary; its sidecar serves on the socket in the environment.
var program string

// TestMain is also a server of the SDK, on standard input and output.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_MCP_PROGRAM") {
	case "large":
		answerLarge(os.Stdin, os.Stdout)
		return
	case "copy":
		os.Exit(copyProxy(os.Args[1:]))
	}
	if os.Getenv("TEST_MCP_SERVER") != "" {
		if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
		return
	}
	dir, err := os.MkdirTemp("", "toolresult-mcp-")
	if err != nil {
		panic(err)
	}
	code := 1
	if stop, err := serve(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
		stop()
	}
	_ = os.RemoveAll(dir) // nothing of it is needed
	os.Exit(code)
}

// serve builds the binary, unless TOOLRESULT_BINARY names one, and starts a sidecar.
func serve(dir string) (stop func(), err error) {
	if program = os.Getenv("TOOLRESULT_BINARY"); program == "" {
		program = filepath.Join(dir, "toolresult")
		if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/toolresult").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	for _, variable := range os.Environ() { // of whoever runs the tests
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TOOLRESULT_") && name != "TOOLRESULT_LEGS" {
			if err := os.Unsetenv(name); err != nil {
				return nil, err
			}
		}
	}
	for name, value := range map[string]string{"STORE": dir + "/store", "SOCKET": dir + "/s", "VOLATILE": "true"} {
		if err := os.Setenv("TOOLRESULT_"+name, value); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(program, "serve")
	cmd.Env = environment()
	logged := &bytes.Buffer{}
	cmd.Stderr = logged
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("%w: %s", err, logged)
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = cmd.Wait()
	}, nil
}

// environment is what programs are started with.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TOOLRESULT_LEGS=") })
}

// notRun skips a test that something is missing for; with TOOLRESULT_LEGS=all it fails.
func notRun(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("TOOLRESULT_LEGS") == "all" {
		t.Fatalf("TOOLRESULT_LEGS=all, and this test cannot run: %s", why)
	}
	t.Skip(why)
}

// events are what a client is sent beside answers.
type events struct{ progress, changes, logs chan string }

// connect starts the proxy with arguments, and returns a session of a real client.
func connect(t *testing.T, args ...string) (*mcp.ClientSession, events) {
	t.Helper()
	e := events{make(chan string, 100), make(chan string, 100), make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "elicited"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { e.changes <- "tools" },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			e.progress <- fmt.Sprint(r.Params.Progress)
		},
	})
	cmd := exec.Command(program, append([]string{"mcp", "--session", session(t), "--verbose", "--patience", "10s"}, args...)...)
	cmd.Env = append(environment(), "TEST_MCP_SERVER=yes")
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version(t)})
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	t.Cleanup(func() {
		err := s.Close()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Errorf("close: %v", err)
		}
		if t.Failed() {
			t.Logf("standard error: %s", stderr)
		}
	})
	return s, e
}

// session names the session of a test.
func session(t *testing.T) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' || r == '#' || r == '@' {
			return '_'
		}
		return r
	}, t.Name())
}

// version is that of the protocol: what the name of the test has behind a @.
func version(t *testing.T) string {
	_, v, _ := strings.Cut(t.Name(), "@")
	v, _, _ = strings.Cut(v, "/")
	return v
}

// wait returns the next text of a channel.
func wait(t *testing.T, from chan string) string {
	t.Helper()
	select {
	case text := <-from:
		return text
	case <-time.After(20 * time.Second):
		t.Fatal("nothing was sent")
		return ""
	}
}

// call calls a tool, and returns its result.
func call(t *testing.T, s *mcp.ClientSession, name string, arguments any) *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	params.SetProgressToken(name)
	result, err := s.CallTool(ctx, params)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

// text returns the texts of a result.
func text(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if block, ok := c.(*mcp.TextContent); ok {
			all = append(all, block.Text)
		}
	}
	return strings.Join(all, "\n")
}
