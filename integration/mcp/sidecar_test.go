package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// home is a machine without a sidecar: the environment for it, and its runtime directory.
func home(t *testing.T) (env []string, dir string) {
	t.Helper()
	root, err := os.MkdirTemp("", "mcp-home-") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range environment() {
		if !strings.HasPrefix(v, "TOOLRESULT_") {
			env = append(env, v)
		}
	}
	env = append(env, "XDG_RUNTIME_DIR="+root, "TOOLRESULT_STORE="+root+"/store", "TOOLRESULT_VOLATILE=true", "TEST_MCP_PROGRAM=large")
	dir = filepath.Join(root, "toolresult")
	t.Cleanup(func() {
		if pid := sidecarPID(dir); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGCONT)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = os.RemoveAll(root) // nothing of it is needed
	})
	return env, dir
}

// sidecarPID returns the process of the sidecar in a runtime directory; 0: there is none.
func sidecarPID(dir string) int {
	var address struct{ PID int }
	text, err := os.ReadFile(filepath.Join(dir, "address"))
	if err != nil || json.Unmarshal(text, &address) != nil {
		return 0
	}
	return address.PID
}

// answer asks for an answer of n bytes, and returns it with the time that it took.
func (s *rawSession) answer(t *testing.T, n int) (string, time.Duration) {
	t.Helper()
	began := time.Now()
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`+"\n", n); err != nil {
		t.Fatal(err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line, time.Since(began)
}

// isReceipt reports whether a line has a receipt.
func isReceipt(line string) bool { return strings.Contains(line, `"toolresult/receipt":true`) }

// Nobody starts a sidecar by hand: the first question of a client for tools starts one, of many proxies one does, and one that has ended is started
// again. A frozen one costs a second at most, whatever the size, and a machine where none can be started costs nothing.
func TestSidecarIsStarted(t *testing.T) {
	t.Parallel()
	env, dir := home(t)
	var all []*rawSession
	for range 4 {
		all = append(all, rawIn(t, env, "--session", "x", "--patience", "20s")) // a busy machine starts nothing within 750 ms
	}
	time.Sleep(300 * time.Millisecond)
	if _, err := os.Stat(dir); err == nil {
		t.Error("a proxy that nobody calls has started a sidecar")
	}
	receipts := make(chan string, len(all))
	for _, s := range all {
		go func() {
			line, took := s.answer(t, 100_000)
			if !isReceipt(line) {
				line = fmt.Sprintf("no receipt after %v: %.200s", took, line)
			}
			receipts <- line
		}()
	}
	for range all {
		if line := <-receipts; !isReceipt(line) {
			t.Error(line)
		}
	}
	first := sidecarPID(dir)
	if out, err := exec.Command("pgrep", "-c", "-f", "address-file="+dir).Output(); err == nil && strings.TrimSpace(string(out)) != "1" {
		t.Errorf("%s sidecars", out)
	}
	s := all[0]
	for range 2 {
		_ = syscall.Kill(first, syscall.SIGKILL)
		if line, took := s.answer(t, 100_000); !isReceipt(line) {
			t.Errorf("after the end of the sidecar no receipt, within %v", took)
		}
		first = sidecarPID(dir)
	}
	s = rawIn(t, env, "--session", "x")
	list := `{"jsonrpc":"2.0","id":10000,"method":"tools/list"}`
	if _, err := io.WriteString(s.in, list+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	untouched := rawIn(t, env, "--session", "x", "--threshold", "1000000000")
	_ = syscall.Kill(first, syscall.SIGSTOP)
	for _, n := range []int{100_000, 3 << 20, 40 << 20} {
		_, floor := untouched.answer(t, n)
		line, took := s.answer(t, n)
		if isReceipt(line) || len(line) < n || took > 2*floor+1100*time.Millisecond { // which has read it, too
			t.Errorf("a frozen sidecar, %d bytes: %d after %v, and %v without", n, len(line), took, floor)
		}
		t.Logf("a frozen sidecar, %d bytes: %v, and %v without", n, took, floor)
	}
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toolresult_read","arguments":{"result":"x"}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if line, err := s.out.ReadString('\n'); err != nil || !strings.Contains(line, `"isError":true`) || time.Since(began) > 1300*time.Millisecond {
		t.Errorf("a read of a frozen sidecar: %s, %v after %v", line, err, time.Since(began))
	}
	late := rawIn(t, env, "--session", "x")
	if line, took := late.answer(t, 100_000); isReceipt(line) || took > 1500*time.Millisecond {
		t.Errorf("a new proxy with a frozen sidecar: %d bytes after %v", len(line), took)
	}
	_ = syscall.Kill(first, syscall.SIGCONT)
	time.Sleep(1100 * time.Millisecond) // between two connections
	for _, s := range []*rawSession{s, late} {
		if line, _ := s.answer(t, 100_000); !isReceipt(line) {
			t.Error("no receipt after the sidecar goes on")
		}
	}
}

// Where no sidecar can be started, results pass at once.
func TestSidecarCannotStart(t *testing.T) {
	t.Parallel()
	env, dir := home(t)
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no directory
		t.Fatal(err)
	}
	s := rawIn(t, env, "--session", "x")
	for range 3 {
		if line, took := s.answer(t, 100_000); isReceipt(line) || took > time.Second {
			t.Errorf("%d bytes after %v", len(line), took)
		}
	}
}

// A process that has the socket and is no sidecar costs the patience at most, and what it says does not matter.
func TestSidecarIsSomethingElse(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"nothing": "", "text": "SSH-2.0-x\r\n", "HTTP": "HTTP/1.1 400 Bad Request\r\n\r\n",
		"settings": "\x00\x00\x00\x04\x00\x00\x00\x00\x00", "and junk": "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + strings.Repeat("junk", 1000),
	} {
		env, dir := home(t)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", filepath.Join(dir, "toolresult.sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close() // at the end of the test
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, says) // and it stays open
				if says == "SSH-2.0-x\r\n" {
					_ = conn.Close()
				}
			}
		}()
		s := rawIn(t, env, "--session", "x")
		for _, n := range []int{100, 100_000, 3 << 20} {
			if line, took := s.answer(t, n); isReceipt(line) || len(line) < n || took > 1400*time.Millisecond {
				t.Errorf("%s, %d bytes: %d after %v", name, n, len(line), took)
			}
		}
	}
}

// rawIn starts a proxy in an environment before a server that answers as much as it is asked for.
func rawIn(t *testing.T, env []string, flags ...string) *rawSession {
	t.Helper()
	args := append(append([]string{"mcp", "--verbose"}, flags...), "--", os.Args[0])
	cmd := exec.Command(program, args...)
	cmd.Env = env
	cmd.Stderr = io.Discard
	if testing.Verbose() {
		cmd.Stderr = os.Stderr
	}
	return startRaw(t, cmd)
}
