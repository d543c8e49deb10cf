// Package sidecartest starts the built sidecar for tests that call it as clients do: a process of its own, with a
// socket, a store and a home that nobody else has.
//
// A package builds the binary in its TestMain, with Main, and starts processes with Start. Code without a testing.TB
// builds with Build and starts with Serve.
package sidecartest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// Patience is the time limit of everything that should happen at once: a start, an answer, an exit.
const Patience = time.Minute

// MaxReceived is the largest message, in bytes, that clients of Dial receive.
const MaxReceived = 64 << 20

// Options describes a sidecar. The zero value, with a Binary, has a socket and a store of its own and logs everything.
type Options struct {
	Binary string   // path of the built sidecar
	Args   []string // further flags; they win over those that Start sets
	Env    []string // further variables, beside those of Environment
	Shell  string   // commands of sh before the sidecar, such as "umask 077"
	Home   string   // home directory; empty: a temporary one
	Store  string   // directory of the store; empty: a temporary one
	Socket string   // path of the socket; empty: in a temporary directory

	// Log receives the log instead of Sidecar.Log, which then stays empty.
	Log *os.File
	// Silent means that the addresses cannot be read, because Shell closes standard output. The sidecar is then
	// ready when its health service says so, and TCP and Metrics stay empty.
	Silent bool
	// AnyExit skips the check of the exit code at the end of the test.
	AnyExit bool
}

// Sidecar is a process of the binary. Its methods are safe for concurrent use.
type Sidecar struct {
	Socket  string
	Store   string
	TCP     string    // host and port, when it serves TCP
	Metrics string    // URL, when it serves metrics
	Log     *Output   // standard error
	Cmd     *exec.Cmd // started; Wait of the Sidecar waits for it

	stdout  *Output
	done    chan struct{} // closed when the process has ended
	anyExit bool
	up      bool // it has served

	mu   sync.Mutex
	sent []os.Signal // by Signal
	hung bool        // it had to be killed
}

// Start starts a sidecar and waits until it serves. At the end of the test the sidecar is sent SIGTERM and must exit
// with code 0, unless the test has killed it.
func Start(t testing.TB, o Options) *Sidecar {
	t.Helper()
	s := Launch(t, o)
	if err := s.ready(o); err != nil {
		t.Fatal(err)
	}
	return s
}

// Launch starts a sidecar and does not wait, so that it may fail to come up.
func Launch(t testing.TB, o Options) *Sidecar {
	t.Helper()
	if o.Home == "" {
		o.Home = ShortDir(t)
	}
	if o.Socket == "" {
		o.Socket = filepath.Join(ShortDir(t), "run", "s")
	}
	if o.Store == "" {
		o.Store = filepath.Join(ShortDir(t), "store")
	}
	s, err := launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.finish(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Serve is Start for code without a test: Home, Store and Socket are required, and Stop ends the sidecar.
func Serve(o Options) (*Sidecar, error) {
	s, err := launch(o)
	if err != nil {
		return nil, err
	}
	if err := s.ready(o); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// launch starts the process.
func launch(o Options) (*Sidecar, error) {
	s := &Sidecar{Socket: o.Socket, Store: o.Store, Log: &Output{}, stdout: &Output{}, done: make(chan struct{}), anyExit: o.AnyExit}
	args := append([]string{o.Binary, "serve", "--socket", s.Socket, "--store", s.Store, "--log-level=debug"}, o.Args...)
	if o.Shell != "" {
		args = append([]string{"sh", "-c", o.Shell + `; exec "$@"`, "sh"}, args...)
	}
	env, err := environment(o.Home)
	if err != nil {
		return nil, err
	}
	s.Cmd = exec.Command(args[0], args[1:]...)
	s.Cmd.Env, s.Cmd.Dir = append(env, o.Env...), o.Home
	s.Cmd.Stdout, s.Cmd.Stderr = s.stdout, s.Log
	if o.Log != nil {
		s.Cmd.Stderr = o.Log
	}
	if err := s.Cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.Cmd.Wait() // its state says how it ended
		close(s.done)
	}()
	return s, nil
}

// ready waits until the sidecar has printed its addresses or, when it is silent, until it is healthy.
func (s *Sidecar) ready(o Options) error {
	lines := 1
	for _, a := range o.Args {
		if strings.HasPrefix(a, "--tcp") || strings.HasPrefix(a, "--metrics") {
			lines++
		}
	}
	for deadline := time.Now().Add(Patience); ; time.Sleep(2 * time.Millisecond) {
		_, err := os.Lstat(s.Socket)
		switch {
		case s.Ended():
			return fmt.Errorf("the sidecar ended at once: %v\n%s", s.Cmd.ProcessState, s.Log)
		case time.Now().After(deadline):
			return fmt.Errorf("the sidecar did not start within %v\n%s", Patience, s.Log)
		case o.Silent && err == nil:
			s.up = true
			return s.healthy()
		case !o.Silent && strings.Count(s.stdout.String(), "\n") >= lines:
			s.up = true
			return s.readAddresses()
		}
	}
}

// readAddresses reads what the sidecar printed: a line for each address, its socket first.
func (s *Sidecar) readAddresses() error {
	addresses := strings.Fields(s.stdout.String())
	if addresses[0] != s.Target() {
		return fmt.Errorf("the first address is %q, want %q", addresses[0], s.Target())
	}
	for _, address := range addresses[1:] {
		if strings.HasPrefix(address, "http://") {
			s.Metrics = address
		} else {
			s.TCP = address
		}
	}
	return nil
}

// healthy waits for an answer of the health service.
func (s *Sidecar) healthy() error {
	conn, err := grpc.NewClient(s.Target(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_, err = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.WaitForReady(true))
	return errors.Join(err, conn.Close())
}

// Target is the address of the socket, as gRPC and the command line take it.
func (s *Sidecar) Target() string { return "unix://" + s.Socket }

// Printed returns the standard output so far: the addresses, once the sidecar serves.
func (s *Sidecar) Printed() string { return s.stdout.String() }

// PID returns the number of the process.
func (s *Sidecar) PID() int { return s.Cmd.Process.Pid }

// Descriptors returns how many descriptors the process has, but for those of segments: a journal makes the next one while it is used.
func (s *Sidecar) Descriptors(t testing.TB) (n int) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", s.PID())
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		path, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err == nil && filepath.Base(filepath.Dir(path)) != "segments" {
			n++
		}
	}
	return n
}

// Done returns a channel that is closed when the process has ended.
func (s *Sidecar) Done() <-chan struct{} { return s.done }

// Ended reports whether the process has ended.
func (s *Sidecar) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Signal sends a signal. It does nothing when the process has ended.
func (s *Sidecar) Signal(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Ended() {
		s.sent = append(s.sent, sig)
		_ = s.Cmd.Process.Signal(sig) // it may have ended meanwhile
	}
}

// Kill ends the process as a crash does, and waits for its end.
func (s *Sidecar) Kill() {
	s.Signal(os.Kill)
	<-s.done
}

// Wait waits for the end of the process and returns its exit code, or -1 when a signal ended it. A process that does
// not end within Patience is killed, and fails the test.
func (s *Sidecar) Wait() int {
	select {
	case <-s.done:
	case <-time.After(Patience):
		s.mu.Lock()
		s.hung = true
		s.mu.Unlock()
		_ = s.Cmd.Process.Kill() // it may have ended meanwhile
		<-s.done
	}
	return s.Cmd.ProcessState.ExitCode()
}

// Terminate sends SIGTERM, waits and returns the exit code, as Wait does.
func (s *Sidecar) Terminate() int {
	s.Signal(syscall.SIGTERM)
	return s.Wait()
}

// Stop ends a sidecar that still runs and returns an error when it did not end well. Start and Launch arrange for it.
func (s *Sidecar) Stop() error {
	if !s.Ended() {
		s.Terminate()
	}
	return s.finish()
}

// finish ends the process if it still runs, and checks how it ended.
func (s *Sidecar) finish() error {
	if !s.Ended() {
		s.Terminate()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := map[os.Signal]bool{}
	for _, sig := range s.sent {
		asked[sig] = true
	}
	switch code := s.Cmd.ProcessState.ExitCode(); {
	case s.hung:
		return fmt.Errorf("the sidecar did not end within %v and was killed\n%s", Patience, s.Log)
	case asked[syscall.SIGQUIT]: // which writes every goroutine
		return nil
	case s.Log.Contains("WARNING: DATA RACE"), s.Log.Contains("goroutine 1 ["):
		return fmt.Errorf("the sidecar wrote:\n%s", s.Log)
	case code != 0 && !asked[os.Kill] && s.up && !s.anyExit:
		return fmt.Errorf("the sidecar exited with code %d\n%s", code, s.Log)
	}
	return nil
}
