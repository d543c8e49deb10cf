package mcp_test

import (
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// installs is where the servers of npm are installed, and stay.
const installs = "../../.run/mcp"

// npm returns the path of a server of npm, in the version of the lock.
func npm(t *testing.T, name string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			notRun(t, "there is no "+program)
		}
	}
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Join(installs, fmt.Sprintf("%x", sha256.Sum256(lock))[:12]))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "node_modules", ".bin", name)
	if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
		return path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"package.json", "package-lock.json", ".npmrc"} {
		content, err := os.ReadFile(filepath.Join("node", file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		notRun(t, fmt.Sprintf("npm installs nothing: %v: %.500s", err, out))
	}
	if err := os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNpmServers runs the servers that most people know: a large file becomes a receipt, a small one and a picture stay, and what
// server-everything does beside tools passes.
func TestNpmServers(t *testing.T) {
	filesystem, everything := npm(t, "mcp-server-filesystem"), npm(t, "mcp-server-everything")
	t.Run("filesystem@2025-11-25", func(t *testing.T) { checkFilesystem(t, filesystem) })
	t.Run("everything@2025-11-25", func(t *testing.T) {
		s, e := connect(t, "--", "node", everything)
		checkEverything(t, s, e)
	})
	t.Run("everything over HTTP@2025-11-25", func(t *testing.T) {
		url := serveHTTP(t, everything)
		s, e := connect(t, "--url", url)
		checkEverything(t, s, e)
	})
}

// checkFilesystem reads files.
func checkFilesystem(t *testing.T, program string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"large.txt": buildLog(), "small.txt": "some words\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := connect(t, "--", "node", program, dir)
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil || tool.OutputSchema != nil {
			t.Errorf("%s: %v, %v", tool.Name, tool.OutputSchema, err)
		}
	}
	small := call(t, s, "read_text_file", map[string]any{"path": filepath.Join(dir, "small.txt")})
	if text(small) != "some words\n" || fmt.Sprint(small.StructuredContent) != "map[content:some words\n]" {
		t.Errorf("a small file is %q, %v", text(small), small.StructuredContent)
	}
	large := call(t, s, "read_text_file", map[string]any{"path": filepath.Join(dir, "large.txt")})
	m := handle.FindStringSubmatch(text(large))
	if m == nil || large.StructuredContent != nil || !strings.Contains(text(large), "main.go:7:2: undefined: x") || len(text(large)) > len(buildLog())/10 {
		t.Fatalf("a large file is %d bytes: %.500s", len(text(large)), text(large))
	}
	if got := text(call(t, s, "toolresult_read", map[string]any{"result": m[1], "lines": "9000-9001"})); !strings.Contains(got, "compiling 8999\nmain.go:7:2: undefined: x") {
		t.Errorf("lines of it are %s", got)
	}
	wrong := call(t, s, "read_text_file", map[string]any{"path": "/etc/none"})
	if !wrong.IsError || !strings.Contains(text(wrong), "Access denied") {
		t.Errorf("an error is %v, %s", wrong.IsError, text(wrong))
	}
}

// checkEverything calls what a server has.
func checkEverything(t *testing.T, s *mcp.ClientSession, e events) {
	t.Helper()
	if got := text(call(t, s, "echo", map[string]any{"message": "alive"})); got != "Echo: alive" {
		t.Errorf("a small result is %q", got)
	}
	kinds := ""
	for _, c := range call(t, s, "get-tiny-image", nil).Content {
		kinds += fmt.Sprintf("%T ", c)
	}
	if !strings.Contains(kinds, "*mcp.ImageContent") {
		t.Errorf("a picture is %s", kinds)
	}
	if got := text(call(t, s, "echo", map[string]any{"message": buildLog()})); handle.FindString(got) == "" || !strings.Contains(got, "undefined: x") {
		t.Errorf("a large result is %.500s", got)
	}
	if got := call(t, s, "get-structured-content", map[string]any{"location": "Chicago"}); got.StructuredContent == nil {
		t.Error("a small result has no structured content")
	}
	if got := text(call(t, s, "trigger-long-running-operation", map[string]any{"duration": 1, "steps": 3})); !strings.Contains(got, "completed") {
		t.Error(got)
	}
	for i := range 3 {
		if got := wait(t, e.progress); got != fmt.Sprint(i+1) {
			t.Errorf("progress %d is %s", i+1, got)
		}
	}
	resources := 0
	for r, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if resources++; resources == 1 {
			if read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err != nil || len(read.Contents) == 0 {
				t.Errorf("%s: %v", r.URI, err)
			}
		}
	}
	if resources == 0 {
		t.Error("there are no resources")
	}
	if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "simple-prompt"}); err != nil {
		t.Error(err)
	}
	names := ""
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names += tool.Name + " "
	}
	if strings.Contains(names, "trigger-sampling-request ") { // it lists that to clients that can
		if got := text(call(t, s, "trigger-sampling-request", map[string]any{"prompt": "?", "maxTokens": 10})); !strings.Contains(got, "sampled") {
			t.Errorf("the server was answered %s", got)
		}
	} else {
		t.Errorf("the tools are %s", names)
	}
	if !strings.HasSuffix(names, "toolresult_read ") {
		t.Errorf("our tool is not the last of %s", names)
	}
}

// serveHTTP starts server-everything behind HTTP, and returns its address.
func serveHTTP(t *testing.T, program string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	if err := l.Close(); err != nil { // the server listens there, unless another program is faster
		t.Fatal(err)
	}
	cmd := exec.Command("node", program, "streamableHttp")
	cmd.Env = append(environment(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	for range 200 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "http://" + address + "/mcp"
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("server-everything does not listen")
	return ""
}
