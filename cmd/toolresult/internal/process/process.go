// Package process runs a command as a shell would, with its output in pipes of ours: in this process group, so that the terminal
// and whoever ends the group reach it, with the same standard input, and with the signals passed on that this process alone gets.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/early"
)

// Command is a command to run.
type Command struct {
	Args   []string       // the program, which is looked up in PATH, and its arguments
	Begun  *early.Command // it runs already; nil: it is to be started
	Env    []string       // nil: that of this process
	Stdin  io.Reader
	Stdout io.Writer // gets the output; when it fails, the command finds its pipe closed
	Stderr io.Writer // nil: both streams are one pipe, in the order in which they were written
	Apart  bool      // in a process group of its own, which is ended as a whole
	PassOn bool      // the command gets the signals that this process gets
	// Limit is the time after which the command gets SIGTERM, and SIGKILL five seconds later; 0 is none.
	Limit time.Duration
	// Settle is how long output is read after the end of the command, which other processes may still write.
	Settle time.Duration
	// ReadOn gets the pipes that other processes hold open after that time, and does not keep them. Nil: they are closed, so that
	// SIGPIPE ends who writes to them.
	ReadOn func(pipes []*os.File)
}

// End is the end of a command.
type End struct {
	Wait      syscall.WaitStatus // an exit status, or a signal
	Cancelled bool               // the context ended, or a signal to end was received, before the command ended
	TimedOut  bool               // the limit was over
}

// Code returns the exit code that a shell has for the end: that of the command, or 128 and the number of its signal.
func (e End) Code() int {
	if e.Wait.Signaled() {
		return 128 + int(e.Wait.Signal())
	}
	return e.Wait.ExitStatus()
}

// patience is the time that processes have to end after SIGTERM.
const patience = 5 * time.Second

// Run runs the command and returns its end, when its output is read. The error says why it was not started. When ctx ends, the
// command gets SIGTERM, and SIGKILL five seconds later.
//
// On Linux the command gets SIGKILL when this process ends in any way, so that none is left behind: the kernel sends it when the thread
// ends that started the command (PR_SET_PDEATHSIG), which is why it keeps its thread. On macOS a command whose reader was killed
// lives until it writes again, and gets SIGPIPE then.
func Run(ctx context.Context, c Command) (End, error) {
	var outputs pipes
	r := &running{command: c, ended: make(chan error, 1), started: make(chan error, 1)}
	if err := r.connect(&outputs); err != nil {
		outputs.started()
		outputs.drain(0)
		return End{}, err
	}
	var signals chan os.Signal
	switch {
	case c.Begun != nil:
		signals = c.Begun.Signals
	case c.PassOn:
		signals = early.Notify()
	}
	defer signal.Stop(signals)
	go r.start()
	err := <-r.started
	outputs.started()
	if err != nil {
		outputs.drain(0)
		return End{}, err
	}
	end := r.wait(ctx, signals)
	settle, terminated := c.Settle, end.TimedOut || ctx.Err() != nil
	if terminated {
		settle = patience // which the other processes of the group have, too
	}
	left := outputs.drain(settle)
	if terminated {
		_ = r.send(syscall.SIGKILL) // to processes of the group that ignored SIGTERM; none may be left
	}
	if len(left) > 0 && c.ReadOn != nil {
		c.ReadOn(left)
	}
	for _, pipe := range left {
		_ = pipe.Close() // it was read from
	}
	return end, nil
}

// running is a command that runs.
type running struct {
	command   Command
	exec      *exec.Cmd        // that is to be started
	process   *os.Process      // that has started
	state     *os.ProcessState // its end
	companion *companion       // of signals to the group
	started   chan error       // nil when it has started
	ended     chan error       // when it has ended
}

// connect makes the command and its pipes, if it does not run already.
func (r *running) connect(outputs *pipes) error {
	if begun := r.command.Begun; begun != nil {
		outputs.from(begun.Stdout, r.command.Stdout)
		if begun.Stderr != nil {
			outputs.from(begun.Stderr, r.command.Stderr)
		}
		return nil
	}
	c := exec.Command(r.command.Args[0], r.command.Args[1:]...)
	if errors.Is(c.Err, exec.ErrDot) { // PATH has the present directory, and shells run what is there
		c.Err = nil
	}
	c.Env, c.Stdin = r.command.Env, r.command.Stdin
	c.SysProcAttr = early.EndsWithUs()
	c.SysProcAttr.Setpgid = r.command.Apart
	c.WaitDelay = patience // for a standard input that is no file
	r.exec = c
	stdout, err := outputs.to(r.command.Stdout)
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = stdout, stdout
	if r.command.Stderr == nil {
		return nil
	}
	stderr, err := outputs.to(r.command.Stderr)
	c.Stderr = stderr
	return err
}

// start starts the command and waits for its end, in a thread that it keeps.
func (r *running) start() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if begun := r.command.Begun; begun != nil {
		var err error
		r.process, err = os.FindProcess(begun.PID) // nobody but us waits for it
		r.started <- err
		if err == nil {
			r.state, err = r.process.Wait()
			r.ended <- err
		}
		return
	}
	err := r.exec.Start()
	if errors.Is(err, syscall.ENOEXEC) { // a script without #!, which shells and env run with sh
		c, args := r.exec, r.exec.Args[1:]
		r.exec = exec.Command("/bin/sh", append([]string{c.Path}, args...)...)
		r.exec.Env, r.exec.Stdin, r.exec.Stdout, r.exec.Stderr, r.exec.SysProcAttr, r.exec.WaitDelay = c.Env, c.Stdin, c.Stdout, c.Stderr, c.SysProcAttr, c.WaitDelay
		err = r.exec.Start()
	}
	r.process = r.exec.Process
	r.started <- err
	if err == nil {
		err = r.exec.Wait()
		r.state = r.exec.ProcessState
		r.ended <- err
	}
}

// send sends a signal to the command, or to its whole group.
func (r *running) send(s syscall.Signal) error {
	if r.command.Apart {
		return syscall.Kill(-r.process.Pid, s)
	}
	return r.process.Signal(s)
}

// wait waits for the end of the command, and sends it signals until then.
func (r *running) wait(ctx context.Context, signals <-chan os.Signal) (end End) {
	var limit <-chan time.Time
	if r.command.Limit > 0 {
		limit = time.After(r.command.Limit)
	}
	var kill <-chan time.Time
	companions, stop := awaitCompanion(signals != nil && !r.command.Apart)
	defer func() {
		stop()
		r.companion.end()
	}()
	over := ctx.Done()
	terminate := func() {
		_ = r.send(syscall.SIGTERM) // it fails when the command has ended
		kill, limit, over = time.After(patience), nil, nil
	}
	for {
		select {
		case <-r.ended: // its error is in the state
			end.Wait, _ = r.state.Sys().(syscall.WaitStatus)
			return end
		case r.companion = <-companions:
		case s := <-signals:
			end.Cancelled = end.Cancelled || slices.Contains(ending, s)
			r.passOn(s)
			if r.companion.hasEnded() {
				stop()
				r.companion.end()
				r.companion = nil
				companions, stop = awaitCompanion(true)
			}
		case <-over:
			end.Cancelled = true
			terminate()
		case <-limit:
			end.TimedOut = true
			terminate()
		case <-kill:
			_ = r.send(syscall.SIGKILL)
		}
	}
}

// ending are the signals that usually end a process.
var ending = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGABRT}

// sent is how long a signal to the whole group needs at most to end the command, too.
const sent = 50 * time.Millisecond

// passOn passes a signal on, unless it was for the whole process group, and the command has it already. A terminal signals the
// group; otherwise a companion knows; who ends in the next moment got it, too.
func (r *running) passOn(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || !r.command.Apart && ((number == syscall.SIGINT || number == syscall.SIGQUIT) && inForeground() || r.companion.saw(number)) {
		return
	}
	select {
	case err := <-r.ended:
		r.ended <- err
	case <-time.After(sent):
		_ = r.send(number) // it fails when the command has ended
	}
}

// inForeground reports whether this process is in the foreground group of its terminal.
func inForeground() bool {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
