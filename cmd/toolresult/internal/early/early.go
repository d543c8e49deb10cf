// Package early begins what needs nothing else of this program, while its other packages get ready: that takes several times as long
// as the start of a short command. The real shell takes the place of this process, a detached reader reads, and the command of exec
// or of shell runs already when main begins.
//
// It is initialized early because it imports next to nothing, and packages that are ready are initialized in the order of their paths
// (Go 1.21). Whatever it cannot do is left to main, which does the same, reports mistakes, and knows all flags.
package early

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell"
)

// Command is a command that runs already, in the process group of this process, with its standard input.
type Command struct {
	PID            int
	Stdout, Stderr *os.File       // where its output is read; Stderr is nil if both streams are one (IsOneOutput)
	Signals        chan os.Signal // those that this process got since, of Passed
	args           []string
}

// begun is what init began.
var begun *Command

func init() { begun = begin(os.Args, os.Environ()) }

// begin begins what the arguments ask for. It returns nil when nothing is begun.
func begin(args, environ []string) *Command {
	if help(args) {
		os.Exit(0)
	}
	if len(args) == 0 {
		return nil
	}
	name, rest := shell.CalledAs(args[0]), args[1:]
	switch {
	case name != "toolresult":
	case len(rest) > 1 && rest[0] == "shell" && rest[1] != "--help":
		rest = rest[1:]
	case len(rest) > 2 && rest[0] == "exec" && rest[1] == "--": // without a flag there can be no mistake in one
		if why := Unfit(); why != "" {
			_ = Become(why, find(rest[2], environ), rest[2:], environ) // main says why not
			return nil
		}
		return start(rest[2:], environ)
	default:
		return nil
	}
	call, err := shell.Read(name, rest, environ, isTerminal(1))
	if err != nil {
		return nil
	}
	why := ""
	if call.Line != "" {
		if why = Unfit(); why != "" {
			warn(why)
		}
	}
	if call.Line == "" || why != "" {
		_ = call.Become(environ) // main says why not
		return nil
	}
	return start(append([]string{call.Path}, call.Args...), shell.Environ(environ))
}

// Become says why this process is unfit to run a command, and replaces itself by the command. It returns only if that fails.
func Become(why, path string, args, environ []string) error {
	if path == "" {
		return syscall.ENOENT
	}
	warn(why)
	return syscall.Exec(path, args, environ)
}

// IsBegun reports whether a command was started and not taken yet.
func IsBegun() bool { return begun != nil }

// start starts a command. On Linux the kernel ends it when the thread ends that started it: init runs in the first one, which ends last.
func start(args, environ []string) *Command {
	path := find(args[0], environ)
	if path == "" {
		return nil
	}
	out, toOut, err := os.Pipe()
	if err != nil {
		return nil
	}
	ends, toErr := []*os.File{out, toOut}, toOut
	var stderr *os.File
	if !IsOneOutput() {
		if stderr, toErr, err = os.Pipe(); err != nil {
			closeAll(ends...)
			return nil
		}
		ends = append(ends, stderr, toErr)
	}
	signals := Notify()
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: environ, Files: []uintptr{0, toOut.Fd(), toErr.Fd()}, Sys: EndsWithUs(),
	})
	if err != nil {
		closeAll(ends...)
		signal.Stop(signals)
		return nil
	}
	for i := 1; i < len(ends); i += 2 {
		_ = ends[i].Close() // nothing was written to it
	}
	return &Command{PID: pid, Stdout: out, Stderr: stderr, Signals: signals, args: args}
}

// closeAll closes unused ends of pipes.
func closeAll(ends ...*os.File) {
	for _, end := range ends {
		_ = end.Close()
	}
}

// find returns the path of a program; empty if main has to find it.
func find(name string, environ []string) string {
	if shell.IndexAny(name, "/") >= 0 {
		return name
	}
	for _, dir := range shell.Directories(shell.Lookup(environ, "PATH")) {
		if at := dir + "/" + name; dir != "" && shell.Runs(at) {
			return at
		}
	}
	return ""
}

// Take returns the command with these arguments, if it runs. It belongs to the caller then, who waits for it.
func Take(args []string) *Command {
	c := begun
	if c == nil || !slices.Equal(c.args, args) {
		return nil
	}
	begun = nil
	return c
}

// Passed are the signals that are passed on to a command. The last three would end this process with a trace of all it does.
var Passed = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM,
	syscall.SIGABRT, syscall.SIGTRAP, syscall.SIGSYS,
}

// Notify returns a channel that gets the signals of Passed, but those that were ignored at the start, as they are under nohup and in
// the background of a shell: they stay ignored, also by the command.
func Notify() chan os.Signal {
	c := make(chan os.Signal, 16)
	for _, s := range Passed {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}
