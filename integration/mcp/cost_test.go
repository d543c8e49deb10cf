package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// answerLarge is a server whose answers have about as many bytes of text as the id of the request says.
func answerLarge(in io.Reader, out io.Writer) {
	r, w := bufio.NewReader(in), bufio.NewWriterSize(out, 1<<20)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		_, after, _ := strings.Cut(line, `"id":`)
		id, _, _ := strings.Cut(after, ",")
		n, _ := strconv.Atoi(id)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"`, n)
		for i := 0; n > 0; i++ {
			part := fmt.Sprintf(`compiling module number %d of a large program\n`, i)
			_, _ = w.WriteString(part)
			n -= len(part)
		}
		_, _ = w.WriteString("\"}]}}\n")
		if w.Flush() != nil {
			return
		}
	}
}

// copyProxy starts a server and copies bytes in both directions: the floor of what a proxy costs.
func copyProxy(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TEST_MCP_PROGRAM=large")
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(in, struct{ io.Reader }{os.Stdin})
		_ = in.Close()
	}()
	_, _ = io.Copy(struct{ io.Writer }{os.Stdout}, struct{ io.Reader }{out}) // no splice: a proxy has to read
	_ = cmd.Wait()
	return 0
}

// rawSession is a proxy whose lines the test reads itself.
type rawSession struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader

	mu        sync.Mutex
	anonymous int // the most memory that no file has, in KiB
}

// raw starts a proxy before a server that answers as much as it is asked for.
func raw(t testing.TB, copies bool, flags ...string) *rawSession {
	t.Helper()
	args := append(append([]string{program, "mcp", "--verbose", "--session", "cost", "--patience", "20s"}, flags...), "--", os.Args[0])
	env := append(environment(), "TEST_MCP_PROGRAM=large")
	if copies {
		args, env = []string{os.Args[0], os.Args[0]}, append(environment(), "TEST_MCP_PROGRAM=copy")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	return startRaw(t, cmd)
}

// startRaw starts a proxy.
func startRaw(t testing.TB, cmd *exec.Cmd) *rawSession {
	t.Helper()
	s := &rawSession{cmd: cmd}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	ended := make(chan struct{})
	go s.watch(ended)
	t.Cleanup(func() {
		close(ended)
		_ = s.in.Close()
		_ = s.cmd.Wait()
	})
	return s
}

// watch notes how much memory the proxy takes.
func (s *rawSession) watch(ended chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		_, after, _ := strings.Cut(string(status), "RssAnon:")
		fields := strings.Fields(after)
		if len(fields) == 0 {
			return
		}
		n, _ := strconv.Atoi(fields[0])
		s.mu.Lock()
		s.anonymous = max(s.anonymous, n)
		s.mu.Unlock()
	}
}

// memory returns the most memory that the proxy took, in MiB.
func (s *rawSession) memory() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.anonymous >> 10
}

// ask asks for an answer of n bytes, and returns how many were received.
func (s *rawSession) ask(t testing.TB, n int) int {
	t.Helper()
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`+"\n", n); err != nil {
		t.Fatal(err)
	}
	size := 0
	for {
		part, err := s.out.ReadSlice('\n')
		size += len(part)
		if err == nil {
			return size
		}
		if err != bufio.ErrBufferFull {
			t.Fatal(err)
		}
	}
}

// Messages of 100 MiB take no memory of their size: with a receipt, and when they pass as they are. Memory that a file backs, which the
// system takes back when it needs some, is not counted.
func TestHugeMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	const size, most = 100 << 20, 64
	for name, flags := range map[string][]string{"receipt": nil, "as it is": {"--threshold", "1000000000"}, "no sidecar": {"--server", "unix:///none"}} {
		s := raw(t, false, flags...)
		began := time.Now()
		got := s.ask(t, size)
		took := time.Since(began)
		t.Logf("%s: %d bytes, %v, %d MiB", name, got, took.Round(time.Millisecond), s.memory())
		if (got < 20_000) != (name == "receipt") {
			t.Errorf("%s: %d bytes", name, got)
		}
		if s.memory() > most {
			t.Errorf("%s: %d MiB of memory, and at most %d are promised", name, s.memory(), most)
		}
	}
}

// BenchmarkProxy compares the proxy with one that only copies: the time from a request to all of its answer.
func BenchmarkProxy(b *testing.B) {
	for _, size := range []int{100, 100_000, 500_000, 10 << 20} {
		for _, kind := range []string{"copy", "as it is", "receipt"} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				var flags []string
				if kind == "as it is" {
					flags = []string{"--threshold", "1000000000"}
				}
				s := raw(b, kind == "copy", flags...)
				s.ask(b, size)
				b.ResetTimer()
				for b.Loop() {
					s.ask(b, size)
				}
				b.ReportMetric(float64(s.memory()), "MiB")
			})
		}
	}
}
