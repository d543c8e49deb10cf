package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// exec is what a host of an agent puts in the place of its own way to run a command. Its promise is that the host is never
// worse off: the command runs exactly once, its exit code and its whole output come through, whatever fails on our side.
// So mistakes are found before the command runs, output is kept in files that need no sidecar, and without a receipt the
// output is printed as it is: at the end, or as it comes once no file takes it.

// Exit codes of a command that did not exit by itself, as shells and timeout(1) have them (POSIX.1-2017, "Exit Status for
// Commands").
const (
	codeTimedOut    = 124
	codeNotStarted  = 126
	codeNotFound    = 127
	codeSignalStart = 128 // plus the number of the signal
)

// execution is one use of `exec`.
type execution struct {
	combined bool          // both streams are one, as on a terminal
	timeout  time.Duration // 0: the command may run forever
	policy   policyFlags
	target   target
	call     callFlags
	output   string        // form of what is printed; see print.go
	patience time.Duration // for a receipt, before one second more for each MiB of the output
}

// execCommand returns `exec`.
func execCommand() *cobra.Command {
	e := execution{patience: time.Minute}
	cmd := &cobra.Command{
		Use: "exec [flags] -- COMMAND [ARGS...]", Short: "Run a command, print its receipt, exit with its code",
		Long: "Runs a command, hands its complete output to the sidecar (an embedded one when none runs), and prints " +
			"the receipt that a model would read.\n\nThe exit code is that of the command; 124 after --timeout, 128+N after signal N, " +
			"and 126 or 127 when the command could not be started. 125 says that the command did not run because of a mistake in the " +
			"flags. When there is no receipt, standard error says why, and what the command wrote is printed as it is, so that " +
			"nothing is lost.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	cmd.Flags().SetInterspersed(false) // flags behind the command are the command's
	cmd.Flags().BoolVar(&e.combined, "combined", false, "take stdout and stderr as one stream, in the order in which they were written")
	cmd.Flags().DurationVar(&e.timeout, "timeout", 0, "end the command after so long (default: never)")
	cmd.Flags().StringVar(&e.output, "output", "receipt", "receipt, json (canonical result in the RFC's JSON, and the receipt) or textproto")
	e.policy.flags(cmd.Flags())
	e.target.flags(cmd.Flags())
	e.call.flags(cmd.Flags())
	return cmd
}

// run runs the command, projects its output and prints the receipt. The command runs once, whatever fails on our side: a
// mistake in the flags is found before, and without a receipt the output is printed as it is.
func (e *execution) run(cmd *cobra.Command, args []string) error {
	req, err := e.request()
	if err != nil {
		return err // before the command runs
	}
	defer keepBrokenPipes()()
	ctx, stop := notIgnored(cmd.Context(), syscall.SIGHUP, syscall.SIGQUIT) // beside those that end every command
	defer stop()
	streams := newCaptures()
	streams.stdout.passTo, streams.stderr.passTo = cmd.OutOrStdout(), cmd.ErrOrStderr()
	defer streams.close()
	var code int
	req.Output, code = e.execute(ctx, args, cmd.InOrStdin(), streams)
	if !streams.passing {
		e.printReceipt(cmd, req, streams)
	}
	if code != 0 {
		return exitError{code}
	}
	return nil
}

// keepBrokenPipes makes writes to a closed standard output fail instead of ending this process, whose exit code is that of the
// command. The command itself is not affected. The function that it returns ends that.
func keepBrokenPipes() (end func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}

// printReceipt prints the receipt or, without one, what the command wrote, and the reason. The receipt is complete before a
// byte of it is printed: half a receipt and then the output would be neither. Ctrl-C ended the command, and must not end the
// call that makes its receipt.
func (e *execution) printReceipt(cmd *cobra.Command, req *pb.ProjectRequest, streams *captures) {
	said := cmd.ErrOrStderr()
	receipt, temporary, err := e.receiptInTime(context.WithoutCancel(cmd.Context()), req, streams)
	if temporary != "" {
		fmt.Fprintf(said, "toolresult: the output is kept in %s, which is temporary: HOME is not set, and --store names another place\n", temporary)
	}
	if len(receipt) == 0 {
		fmt.Fprintf(said, noReceipt, explain(err)+e.target.wayOut())
		streams.pass()
		if failed := req.GetOutput().GetError(); failed != nil {
			fmt.Fprintf(said, "toolresult: %s\n", failed.GetMessage().GetInline())
		}
		return
	}
	if _, err := cmd.OutOrStdout().Write(receipt); err != nil && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintln(said, "toolresult: the receipt is not printed whole:", err)
	}
	if err != nil { // closing the connection failed; the receipt is whole
		fmt.Fprintln(said, "toolresult:", explain(err))
	}
	if streams.spilled() && streams.order.abandoned {
		fmt.Fprintf(said, "toolresult: stdout and stderr took turns more than %d times; their order is not kept\n", maxTurns)
	}
}

// receiptInTime returns the receipt, and the directory where a temporary store keeps the output. A sidecar that hangs, on a
// disk that does not answer for one, is waited for in proportion to the output, and then left alone.
func (e *execution) receiptInTime(ctx context.Context, req *pb.ProjectRequest, streams *captures) (receipt []byte, temporary string, err error) {
	type answer struct {
		receipt   bytes.Buffer
		temporary string
		err       error
	}
	limit := e.patience + time.Duration((streams.stdout.size+streams.stderr.size)>>20)*time.Second
	answered := make(chan *answer, 1)
	go func() {
		a := &answer{}
		a.err = e.target.withConnection(ctx, func(c *connection) error {
			a.temporary = c.temporary
			resp, err := streams.project(ctx, c, req)
			if err != nil {
				return err
			}
			return printProjection(&a.receipt, e.output, resp)
		})
		answered <- a
	}()
	select {
	case a := <-answered:
		return a.receipt.Bytes(), a.temporary, a.err
	case <-time.After(limit):
		return nil, "", fmt.Errorf("the sidecar has not answered for %v", limit)
	}
}

// noReceipt precedes an output that has no receipt.
const noReceipt = "toolresult: no receipt, the output follows as it is: %s\n"

// request returns the request without its output, or the mistake in the flags. What only the sidecar can find, such as a
// budget that is too small, is found after the command ran, and then its output is printed as it is.
func (e *execution) request() (*pb.ProjectRequest, error) {
	if !slices.Contains([]string{"receipt", "json", "textproto"}, e.output) {
		return nil, fmt.Errorf("--output %s: receipt, json or textproto", e.output)
	}
	if err := e.target.check(); err != nil {
		return nil, err
	}
	policy, err := e.policy.projection()
	if err != nil {
		return nil, err
	}
	call, err := e.call.message()
	return &pb.ProjectRequest{Policy: policy, Call: call}, err
}

// execute runs the command, and returns its output with its end and the exit code to pass on. When ctx or the timeout is
// over, it sends SIGTERM to the process group, and SIGKILL to the processes that are left after five seconds. Processes that
// the command started belong to its group, so that a shell does not leave its children behind.
func (e *execution) execute(ctx context.Context, args []string, stdin io.Reader, streams *captures) (*pb.CompleteToolOutput, int) {
	running := ctx
	if e.timeout > 0 {
		var cancel context.CancelFunc
		running, cancel = context.WithTimeout(ctx, e.timeout)
		defer cancel()
	}
	c := exec.CommandContext(running, args[0], args[1:]...)
	if errors.Is(c.Err, exec.ErrDot) { // PATH has the present directory, and shells run what is there
		c.Err = nil
	}
	c.Stdin = stdin
	var outputs pipes
	if err := e.connect(c, &outputs, streams); err != nil {
		outputs.started()
		return notStarted(args, err)
	}
	end := func(signal syscall.Signal) error { return c.Process.Signal(signal) }
	if !isTerminal(os.Stdin) { // in a process group of its own it could not read from the terminal
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		end = func(signal syscall.Signal) error { return syscall.Kill(-c.Process.Pid, signal) }
	}
	c.Cancel = func() error { return end(syscall.SIGTERM) }
	c.WaitDelay = outlive
	err := c.Start()
	if errors.Is(err, syscall.ENOEXEC) { // a script without #!, which shells and env run with sh
		script := exec.CommandContext(running, "/bin/sh", append([]string{c.Path}, args[1:]...)...)
		script.Stdin, script.Stdout, script.Stderr, script.SysProcAttr = c.Stdin, c.Stdout, c.Stderr, c.SysProcAttr
		script.Cancel, script.WaitDelay = c.Cancel, c.WaitDelay
		c, err = script, script.Start()
	}
	outputs.started()
	if err == nil {
		_ = c.Wait() // its error is in ProcessState
	}
	cancelled, late := ctx.Err() != nil, running.Err() != nil // what happens while its output is read is not its end
	outputs.drain(outlive)
	if c.ProcessState == nil {
		return notStarted(args, err)
	}
	if late {
		_ = end(syscall.SIGKILL) // to processes of the group that ignored SIGTERM; none may be left
	}
	result := &pb.CommandOutput{CommandLine: commandLine(args)}
	if e.combined {
		result.CombinedOutput = streams.stdout.payload(streams.spilled())
	} else {
		result.Stdout, result.Stderr = streams.stdout.payload(streams.spilled()), streams.stderr.payload(streams.spilled())
	}
	code := e.describeEnd(result, c.ProcessState, cancelled, late)
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: result},
	}, code
}

// outlive is the time for which the output of processes is read that outlive the command, and that they have to end after
// SIGTERM.
const outlive = 5 * time.Second

// connect gives the outputs of a command to streams.
func (e *execution) connect(c *exec.Cmd, outputs *pipes, streams *captures) error {
	stdout, err := outputs.to(&streams.stdout)
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = stdout, stdout
	if !e.combined {
		var stderr *os.File
		if stderr, err = outputs.to(&streams.stderr); err == nil {
			c.Stderr = stderr
		}
	}
	return err
}

// describeEnd sets the end of the process in result, and returns the exit code to pass on. late means that the timeout was
// over. The end is that which the kernel reports: an exit status, or a signal, and never one made of the other. Cancelled
// precedes late, because a cancelled context ends the timeout's, too.
func (e *execution) describeEnd(result *pb.CommandOutput, state *os.ProcessState, cancelled, late bool) int {
	wait, _ := state.Sys().(syscall.WaitStatus)
	code := state.ExitCode()
	if wait.Signaled() {
		result.Signal = new(int32(wait.Signal()))
		code = codeSignalStart + int(wait.Signal())
	} else {
		result.ExitStatus = new(int32(code))
	}
	switch {
	case cancelled:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED
	case late:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT
		result.TimeoutMs = new(uint64(e.timeout.Milliseconds()))
		code = codeTimedOut
	case wait.Signaled():
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL
	default:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED
	}
	return code
}

// notStarted returns the error of a tool whose command could not be started, and the exit code. It is an error of the tool,
// and no failure of toolresult: the model reads a receipt that says how to go on.
func notStarted(args []string, err error) (*pb.CompleteToolOutput, int) {
	code, hint := codeNotStarted, "check that the file may be executed"
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		code, hint = codeNotFound, "check the spelling of the command and PATH"
	}
	message := &pb.Payload{Source: &pb.Payload_Inline{Inline: fmt.Appendf(nil, "cannot start %s: %v", args[0], err)}}
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Error: &pb.CompleteToolError{Kind: "command_spawn_failed", Message: message, RecoveryHint: &hint, Retryable: new(false)},
	}, code
}

// commandLine returns arguments as a shell reads them; empty if that is not possible. It names the command in the receipt, and is
// never run.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		quoted, err := syntax.Quote(a, syntax.LangBash)
		if err != nil {
			return ""
		}
		words[i] = quoted
	}
	return strings.ToValidUTF8(strings.Join(words, " "), "\ufffd")
}
