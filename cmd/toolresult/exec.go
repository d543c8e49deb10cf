package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/early"
	"github.com/toolresult/toolresult/cmd/toolresult/internal/process"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/spool"
)

// exec is what a host of an agent puts in the place of its own way to run a command. Its promise is that the host is never
// worse off: the command runs exactly once, as a shell would run it, its exit code and its whole output come through, whatever
// fails on our side, and no later than a moment after its end. So mistakes are found before the command runs, output is kept in a
// spool that needs no sidecar (exec_delivery.go), and without a receipt the output is printed as it is. --strict is for people who
// want to know why.

// Exit codes of a command that did not exit by itself, as shells and timeout(1) have them (POSIX.1-2017, "Exit Status for
// Commands"). That of a signal is 128 and its number.
const (
	codeTimedOut   = 124
	codeNotStarted = 126
	codeNotFound   = 127
)

// Times of exec.
const (
	// strictPatience is how long a sidecar is waited for with --strict, with one second more for each MiB of the output. Without, it
	// is defaultPatience, which an agent does not notice.
	strictPatience = time.Minute
	// workPatience is how long a sidecar is waited for in all that serves and goes on to answer, unless there is much output.
	workPatience = 5 * time.Second
	// storePatience is how long an embedded sidecar is waited for that needs the store which others have: each of several at once.
	storePatience = 2 * startPatience
	// settle is the time for which the output of processes is read that outlive the command; with --strict it is strictSettle.
	settle, strictSettle = 200 * time.Millisecond, 5 * time.Second
)

// patienceVariable sets the patience where no flag does.
const patienceVariable = "TOOLRESULT_PATIENCE"

// toolName is the tool that all commands are calls of.
const toolName = "ExecCommand"

// execution is one use of `exec`.
type execution struct {
	combined bool          // both streams are one, as on a terminal
	timeout  time.Duration // 0: the command may run forever
	policy   policyFlags
	target   target
	call     callFlags
	output   string        // form of what is printed; see print.go
	patience time.Duration // with a silent sidecar; 0: that of the environment, or the default
	total    time.Duration // for which a sidecar is waited for that takes the output; at least a third longer than the patience
	line     string        // that names the command in the receipt; empty: made of the arguments
	env      []string      // of the command; nil: that of this process
	// An output of up to untouched bytes is passed as it was. As much of a longer one is shown when the command has run for showAfter;
	// 0 is never.
	untouched int64
	showAfter time.Duration
	typed     bool // flags were given, so a rejection by the sidecar is reported
	strict    bool // wait for the receipt, say why there is none, and end the command with all its processes
}

// execCommand returns `exec`.
func execCommand() *cobra.Command {
	var e execution
	cmd := &cobra.Command{
		Use: "exec [flags] -- COMMAND [ARGS...]", Short: "Run a command, print its receipt, exit with its code",
		Long: "Runs a command as a shell would, hands its complete output to the sidecar while it runs (to an embedded one when none " +
			"runs), and prints the receipt that a model would read.\n\nThe exit code is that of the command; 124 after --timeout, 128+N " +
			"after signal N, and 126 or 127 when the command could not be started. 125 says that the command did not run because of a " +
			"mistake in the flags, or because --server does not answer. 1 says that the output of a command that succeeded could not be written. When there is no receipt in time, what the command wrote is printed as it is, so that nothing is " +
			"lost; with --strict standard error says why.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().NFlag() > 0 {
				if err := e.checkTyped(cmd); err != nil {
					return err
				}
				e.typed = true
			}
			return e.run(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.SetInterspersed(false) // flags behind the command are the command's
	fs.BoolVar(&e.combined, "combined", false, "take stdout and stderr as one stream, in the order in which they were written")
	fs.DurationVar(&e.timeout, "timeout", 0, "end the command after so long (default: never)")
	outputFlag(fs, &e.output, "(json has the canonical result in the RFC's JSON, and the receipt)", receiptForms...)
	fs.DurationVar(&e.patience, "patience", 0, "how long to wait for a sidecar that serves and says nothing, once the command has ended (default: "+patienceVariable+", or 750ms)")
	fs.BoolVar(&e.strict, "strict", false, "wait a minute and longer for the receipt, say on standard error why there is none, "+
		"and give the command a process group that ends with it")
	e.policy.flags(fs)
	e.target.flags(fs)
	e.call.flags(fs)
	return cmd
}

// run runs the command, projects its output and prints the receipt. The command runs once, whatever fails on our side: a
// mistake in the flags is found before, and without a receipt the output is printed as it is.
func (e *execution) run(cmd *cobra.Command, args []string) error {
	req, err := e.request()
	if err != nil {
		return err // before the command runs
	}
	if !early.IsBegun() {
		if why := early.Unfit(); why != "" {
			return e.become(why, args, cmd.ErrOrStderr())
		}
	}
	defer keepBrokenPipes()()
	// Beside those that end every command. One that comes after the end of the command must not end the call that makes its receipt.
	ctx, stop := notIgnored(cmd.Context(), syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer stop()
	line := cmp.Or(e.line, commandLine(args))
	d := deliver(context.WithoutCancel(ctx), &e.target, req, line, e.limits())
	defer d.close()
	d.untouched = e.untouched
	p := showGrowth(ctx, func(took time.Duration) string { return d.progress(took) })
	defer p.stop()
	d.shown = p
	stdout := &outlet{to: p.before(cmd.OutOrStdout()), file: cmd.OutOrStdout()}
	d.printTo(stdout, p.before(cmd.ErrOrStderr()))
	e.combined = e.combined || cmd.OutOrStdout() == patient{os.Stdout} && cmd.ErrOrStderr() == patient{os.Stderr} && early.IsOneOutput()
	unwatch := d.watchReaders(cmd.OutOrStdout(), cmd.ErrOrStderr())
	if e.strict {
		d.why = func(reason string) { fmt.Fprintf(d.stderr, noReceipt, reason) }
	}
	d.start()
	if !e.strict { // signals are passed on instead
		ctx = context.WithoutCancel(ctx)
	}
	output, code := e.executeShown(ctx, args, line, cmd.InOrStdin(), d)
	unwatch()
	if e.untouched > 0 && d.spool.Total() <= e.untouched {
		d.giveUp("")
	}
	e.print(d, output, stdout)
	d.flush()
	if code = stdout.code(code, d); code != 0 {
		return exitError{code}
	}
	return nil
}

// become replaces this process by the command, because this process is unfit to run it.
func (e *execution) become(why string, args []string, stderr io.Writer) error {
	env := e.env
	if env == nil {
		env = os.Environ()
	}
	path, err := exec.LookPath(args[0])
	if err == nil || errors.Is(err, exec.ErrDot) {
		err = early.Become(why, path, args, env)
	}
	output, code := notStarted(args, err)
	fmt.Fprintf(stderr, "toolresult: %s\n", output.GetError().GetMessage().GetInline())
	return exitError{code}
}

// patienceOr returns the patience that a flag or the variable gives, or else the default. It ignores a
// variable that is no time: nobody would see the mistake, and the command has to run.
func patienceOr(flag, otherwise time.Duration) time.Duration {
	variable, _ := time.ParseDuration(os.Getenv(patienceVariable))
	return cmp.Or(max(flag, 0), max(variable, 0), otherwise)
}

// limits returns how long the sidecar is waited for.
func (e *execution) limits() limits {
	if e.strict {
		patience := patienceOr(e.patience, strictPatience)
		return limits{starting: max(patience, startPatience), patience: patience, perMiB: time.Second}
	}
	patience := patienceOr(e.patience, defaultPatience)
	starting := startPatience
	if e.target.ensured == nil {
		starting = storePatience
	}
	return limits{
		starting: max(patience, starting), patience: patience, perMiB: time.Millisecond, total: max(e.total, patience*4/3), work: max(patience*4/3, workPatience),
	}
}

// keepBrokenPipes makes writes to a closed standard output fail instead of ending this process, whose exit code is that of the
// command. The command itself is not affected. The function that it returns ends that.
func keepBrokenPipes() (end func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}

// print prints the receipt or, without one, what the command wrote. The receipt is complete before a byte of it is printed: half
// a receipt and then the output would be neither. It begins with a line of its own, whatever is shown already.
func (e *execution) print(d *delivery, output *pb.CompleteToolOutput, shown *outlet) {
	resp, err := d.wait(output)
	if errors.Is(err, errPassedOn) {
		return
	}
	if resp != nil || err == nil {
		var receipt bytes.Buffer
		failed := printProjection(&receipt, e.output, resp)
		if failed == nil && (e.untouched == 0 || int64(receipt.Len()) < d.spool.Total()) {
			e.printReceipt(d, receipt.Bytes(), shown, err)
			return
		}
		err = cmp.Or(failed, errLonger)
	}
	if e.typed && !e.strict && isRejected(err) {
		fmt.Fprintf(d.stderr, noReceipt, explain(err))
	}
	d.giveUp(explain(err) + e.target.wayOut())
	if failed := output.GetError(); failed != nil { // which no shell has printed
		fmt.Fprintf(d.stderr, "toolresult: %s\n", failed.GetMessage().GetInline())
	}
}

// printReceipt prints a receipt. With --strict it says what else went wrong; closed is the error of the connection.
func (e *execution) printReceipt(d *delivery, receipt []byte, shown *outlet, closed error) {
	d.flush()
	if shown.inside {
		receipt = append([]byte{'\n'}, receipt...)
	}
	_, _ = d.stdout.Write(receipt) // which keeps its error
	if !e.strict {
		return
	}
	say := func(format string, a ...any) { fmt.Fprintf(d.stderr, "toolresult: "+format+"\n", a...) }
	if d.temporary != "" {
		say("the output is kept in %s, which is temporary; --store names another place", d.temporary)
	}
	if closed != nil {
		say("%s", explain(closed))
	}
}

// errLonger means that the receipt is no shorter than the output.
var errLonger = errors.New("the receipt is longer than the output")

// noReceipt precedes an output that has no receipt.
const noReceipt = "toolresult: no receipt, the output follows as it is: %s\n"

// request returns the request without its output, or the mistake in the flags. What only the sidecar can find, such as a
// budget that is too small, is found after the command ran, and then its output is printed as it is.
func (e *execution) request() (*pb.ProjectRequest, error) {
	if err := e.target.check(); err != nil {
		return nil, err
	}
	policy, err := e.policy.projection()
	if err != nil {
		return nil, err
	}
	call, err := e.call.message()
	if call == nil {
		policy.FocusSession = hostSession()
	}
	return &pb.ProjectRequest{Policy: policy, Call: call}, err
}

// executeShown is execute, with the beginning of the output shown while the command runs, if that is wanted.
func (e *execution) executeShown(ctx context.Context, args []string, line string, stdin io.Reader, d *delivery) (*pb.CompleteToolOutput, int) {
	if e.showAfter > 0 {
		showing, stop := context.WithCancel(ctx)
		var shown sync.WaitGroup
		shown.Go(func() { d.show(showing, e.showAfter, e.untouched) })
		defer shown.Wait()
		defer stop()
	}
	return e.execute(ctx, args, line, stdin, d)
}

// execute runs the command, and returns its output with its end and the exit code to pass on. With --strict or a timeout the
// processes that the command started belong to a group of its own, which is ended as a whole, so that a shell does not leave its
// children behind; but not on a terminal, from which it could not read then.
func (e *execution) execute(ctx context.Context, args []string, line string, stdin io.Reader, d *delivery) (*pb.CompleteToolOutput, int) {
	c := process.Command{
		Args: args, Env: e.env, Stdin: stdin, Stdout: d.writer(spool.Stdout), Limit: e.timeout, Settle: settle, ReadOn: process.StartReadOn,
		Apart: (e.strict || e.timeout > 0) && !isTerminal(os.Stdin), PassOn: !e.strict,
	}
	if e.strict {
		c.Settle, c.ReadOn = strictSettle, nil
	}
	c.Begun = early.Take(args)
	result := &pb.CommandOutput{CommandLine: line}
	if c.Begun != nil && c.Begun.Stderr == nil || e.combined {
		result.CombinedOutput = streamPayload(spool.Stdout)
	} else {
		c.Stderr = d.writer(spool.Stderr)
		result.Stdout, result.Stderr = streamPayload(spool.Stdout), streamPayload(spool.Stderr)
	}
	end, err := process.Run(ctx, c)
	if err != nil {
		return notStarted(args, err)
	}
	code := e.describeEnd(result, end)
	return &pb.CompleteToolOutput{
		ToolName: toolName, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: result},
	}, code
}

// streamPayload returns a payload that is a stream.
func streamPayload(s spool.Stream) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Stream{Stream: s.String()}}
}

// describeEnd sets the end of the process in result, and returns the exit code to pass on. The end is that which the kernel
// reports: an exit status, or a signal, and never one made of the other.
func (e *execution) describeEnd(result *pb.CommandOutput, end process.End) int {
	if end.Wait.Signaled() {
		result.Signal = new(int32(end.Wait.Signal()))
	} else {
		result.ExitStatus = new(int32(end.Wait.ExitStatus()))
	}
	switch {
	case end.Cancelled:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED
	case end.TimedOut:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT
		result.TimeoutMs = new(uint64(e.timeout.Milliseconds()))
		return codeTimedOut
	case end.Wait.Signaled():
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL
	default:
		result.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED
	}
	return end.Code()
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
		ToolName: toolName, Error: &pb.CompleteToolError{Kind: "command_spawn_failed", Message: message, RecoveryHint: &hint, Retryable: new(false)},
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
