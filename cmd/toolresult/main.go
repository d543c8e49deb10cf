// Command toolresult is the tool-result sidecar and its command-line client.
//
//	toolresult serve               start the sidecar
//	toolresult exec -- CMD ARGS    run a command and print its receipt
//	toolresult --help              list all commands
//
// Exit codes are those that env(1) and timeout(1) have for a command that runs another one:
//
//	0            done
//	1            a finding: a transcript that a provider would reject, a record or an artifact that differs
//	124, 126 on  see exec: timed out, not started, not found, ended by a signal
//	125          toolresult itself failed; the reason is on standard error
//
// With exec any other code is that of the command. Every setting of serve is a flag, a variable TOOLRESULT_NAME and a key of
// a file, in this order of precedence (`toolresult config print` shows which one counts). Clients read the same variables,
// so that they find the sidecar that serve would start. Every command that prints data takes --output json.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/server/rpc"
)

// Commands are functions that return a *cobra.Command with everything they need in variables of their own, so that two
// runs in one process, as in tests, share nothing. Each file has one command, or a subject that several share.

// further are commands that a build with a tag of its own adds, by name.
var further = map[string]func() *cobra.Command{}

// version is set by release builds with -ldflags "-X main.version=...". Empty: that of the module, if it is known.
var version = ""

func main() {
	tuneRuntime()
	ctx, stop := notIgnored(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	args := os.Args[1:]
	if calledAs() != "toolresult" {
		args = append([]string{"shell"}, args...)
	}
	quiet(args)
	code := run(ctx, args, os.Stdin, patient{os.Stdout}, patient{os.Stderr})
	stop()
	os.Exit(code)
}

// quiet keeps the traces of Go, of which a model would read hundreds of lines, from standard error, unless GOTRACEBACK asks for them: a
// failure of the runtime has its reason alone, and SIGABRT one line. exec and shell pass SIGABRT on to their command; a sidecar keeps
// its traces, for whoever looks for a fault in it.
func quiet(args []string) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	if name == "serve" {
		return
	}
	debug.SetTraceback("none")
	if name == "exec" || name == "shell" || signal.Ignored(syscall.SIGABRT) {
		return
	}
	aborted := make(chan os.Signal, 1)
	signal.Notify(aborted, syscall.SIGABRT)
	go func() {
		<-aborted
		fmt.Fprintln(os.Stderr, "toolresult: ended by SIGABRT")
		os.Exit(codeSignaled + int(syscall.SIGABRT))
	}()
}

// codeSignaled plus the number of a signal is the exit code of a process that the signal ended.
const codeSignaled = 128

// notIgnored is [signal.NotifyContext] for those signals that were not ignored at the start, as they are under nohup and in the
// background of a shell: they stay ignored, also by a command that exec runs.
func notIgnored(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	signals = slices.DeleteFunc(signals, signal.Ignored)
	if len(signals) == 0 { // which would mean all
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, signals...)
}

// patient is a file whose writes wait while it takes nothing. A command may have left a terminal in the mode in which writes fail
// instead (O_NONBLOCK).
type patient struct{ file *os.File }

// Write writes all of b.
func (p patient) Write(b []byte) (n int, err error) {
	for {
		written, err := p.file.Write(b[n:])
		n += written
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
		ready := []unix.PollFd{{Fd: int32(p.file.Fd()), Events: unix.POLLOUT}}
		_, err = unix.Poll(ready, -1)
		if ready[0].Revents&unix.POLLNVAL != 0 { // macOS cannot wait for some devices (poll(2))
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

// tuneRuntime trades memory for fewer garbage collections, under a soft limit of 1 GiB, and of what its configuration makes it
// for a server. GOGC and GOMEMLIMIT override it, as for any Go program. The live heap of a sidecar is small beside what streams allocate, so that a GOGC of 100 would collect
// for nearly every request (docs/adr/0008).
func tuneRuntime() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
	rpc.UseBufferPool()
}

// exitError ends the program with a code, such as that of the command that exec ran. Its message, if any, is printed already.
type exitError struct{ code int }

// Error implements error.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// codeFailed is the exit code when toolresult itself fails, as that of env(1) and timeout(1).
const codeFailed = 125

// run runs the command line and returns its exit code. It uses no global state but the environment, so that tests call it
// with streams of their own. Errors of commands are printed here, and nowhere else: one line that begins with the name of
// the program, as those of other programs in a pipe do.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use: "toolresult", Short: "Complete tool output in, canonical results and receipts out",
		Long: "Complete tool output in, canonical results and receipts out.\n\nCommands that print data take --output json (docs/reference/cli-output.md). " +
			"Exit codes: 1 for a finding, 125 when toolresult itself failed; exec has those of its command.",
		SilenceUsage: true, SilenceErrors: true, PersistentPreRun: withProgress,
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(commands(args)...)
	err := root.ExecuteContext(ctx)
	if exit, ok := errors.AsType[exitError](err); ok {
		return exit.code
	}
	if err != nil {
		fmt.Fprintln(stderr, "toolresult:", explain(err))
		return codeFailed
	}
	return 0
}

// commands returns the command that the arguments begin with or, for help and mistakes, all commands: making those takes longer than
// some commands of exec run.
func commands(args []string) []*cobra.Command {
	makers := map[string]func() *cobra.Command{
		"serve": serveCommand, "ensure": ensureCommand, "exec": execCommand, "shell": shellCommand, "project": projectCommand,
		"project-turn": projectTurnCommand, "render": renderCommand, "compact": compactCommand, "hook": hookCommand, "install": installCommand,
		"doctor": doctorCommand, "uninstall": uninstallCommand, "info": infoCommand, "config": configCommand, "families": familiesCommand,
		"profile": profileCommand, "artifacts": artifactsCommand, "audit": auditCommand, "transport": transportCommand, "tool": toolCommand,
		"mcp": mcpCommand, "session-token": sessionTokenCommand, "inspect": inspectCommand, "version": versionCommand,
	}
	maps.Copy(makers, further)
	if len(args) > 0 && makers[args[0]] != nil {
		return []*cobra.Command{makers[args[0]]()}
	}
	all := make([]*cobra.Command, 0, len(makers))
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		all = append(all, makers[name]())
	}
	return all
}
