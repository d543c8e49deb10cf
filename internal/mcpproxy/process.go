package mcpproxy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a server that this process started. Messages are lines of its standard input and output.
type Process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *lines
	// grace is the time for which the end of the server is waited for, after its input was closed, and again after SIGTERM.
	grace time.Duration

	sending sync.Mutex
	closed  bool // the input of the server
	once    sync.Once
	ended   chan struct{} // closed when the server has ended
}

// grace is that of a server, as the specification of MCP wants it.
const grace = 5 * time.Second

// Start starts a server. Its standard error is that of ours.
func Start(args []string, stderr io.Writer) (*Process, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = stderr
	cmd.SysProcAttr = endsWithUs()
	cmd.WaitDelay = afterEnd // for what has its standard error still
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe() // not StdoutPipe, whose reader Wait closes before all is read
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	if err := errors.Join(cmd.Start(), w.Close()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s := &Process{cmd: cmd, stdin: stdin, lines: newLines(r), grace: grace, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the state of the process has the exit code
		close(s.ended)
		// A process that the server left behind may have its output still. It is not waited for.
		time.AfterFunc(afterEnd, func() { _ = r.SetReadDeadline(time.Now()) })
	}()
	return s, nil
}

// afterEnd is the time after the end of a server for which its output is read.
const afterEnd = 500 * time.Millisecond

// Send implements Upstream.
func (s *Process) Send(f Frame, _ message) error {
	defer f.Release()
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.closed {
		return os.ErrClosed
	}
	if f.Rest == nil && f.release == nil {
		_, err := s.stdin.Write(append(f.Bytes, '\n')) // in one write, as most clients do
		return err
	}
	if _, err := s.stdin.Write(f.Bytes); err != nil {
		return err
	}
	if f.Rest != nil {
		if _, err := io.Copy(s.stdin, f.Rest); err != nil {
			return err
		}
	}
	_, err := s.stdin.Write([]byte("\n"))
	return err
}

// Receive implements Upstream.
func (s *Process) Receive() (Frame, error) {
	f, err := s.lines.next()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return f, err
}

// CloseSend implements Upstream. A server that does not end is stopped.
func (s *Process) CloseSend() {
	s.closeInput()
	go func() {
		select {
		case <-s.ended:
		case <-time.After(s.grace):
			s.Stop()
		}
	}()
}

// closeInput closes the input of the server.
func (s *Process) closeInput() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.closed = true
	_ = s.stdin.Close() // it may have ended
}

// Stop implements Upstream: SIGTERM and, if that does not end the server, SIGKILL.
func (s *Process) Stop() {
	s.once.Do(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		go func() {
			select {
			case <-s.ended:
			case <-time.After(s.grace):
				_ = s.cmd.Process.Kill()
			}
		}()
	})
}

// Wait implements Upstream. The code of a server that a signal ended is 128 and the number of the signal.
func (s *Process) Wait() (code int, how string) {
	<-s.ended
	state := s.cmd.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), fmt.Sprintf("signal %d (%v)", status.Signal(), status.Signal())
	}
	return state.ExitCode(), fmt.Sprintf("exit code %d", state.ExitCode())
}
