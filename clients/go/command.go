package toolresult

import (
	"cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Command is a command that has ended: what it printed, and how it ended.
type Command struct {
	// Tool is the name of the tool. Empty: "exec_command".
	Tool string
	// Line is the command line as it was given to the shell. Empty: not known.
	Line string
	// Stdout and Stderr are what was captured of each; nil: not captured.
	Stdout, Stderr []byte
	// Output is both in the order in which they were written, in place of Stdout and Stderr; nil: not captured so.
	Output []byte
	// ExitStatus is the exit code; nil: there is none. See [Exited].
	ExitStatus *int32
	// Signal is the number of the signal that ended it; 0: none.
	Signal int32
	// TimeoutMillis is the time that it was given, if it was ended because that was over; 0: it was not.
	TimeoutMillis uint64
	// Cancelled is whether it was ended because the call was cancelled.
	Cancelled bool
}

// Exited returns an exit code for [Command].
func Exited(code int) *int32 { return new(int32(code)) }

// output returns the command as a message, with the payloads that payload makes of its bytes.
func (c Command) output(payload func([]byte) *pb.Payload) *pb.CompleteToolOutput {
	command := &pb.CommandOutput{
		CommandLine: c.Line, ExitStatus: c.ExitStatus,
		Stdout: payload(c.Stdout), Stderr: payload(c.Stderr), CombinedOutput: payload(c.Output),
	}
	if c.Signal != 0 {
		command.Signal = &c.Signal
	}
	switch {
	case c.TimeoutMillis > 0:
		command.Disposition, command.TimeoutMs = pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT, &c.TimeoutMillis
	case c.Cancelled:
		command.Disposition = pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED
	}
	return &pb.CompleteToolOutput{
		ToolName: cmp.Or(c.Tool, "exec_command"), Result: &pb.CompleteToolOutput_Command{Command: command},
	}
}

// Failure is why a tool could not do its work.
type Failure struct {
	// Kind is machine-readable, such as "file_not_found" (docs/reference/errors.md). Empty: "tool_execution_failed".
	Kind string
	// Message says what went wrong, for the model.
	Message string
	// Details are best JSON text. Empty: none.
	Details string
	// RecoveryHint is advice for the model. Nil: that of the kind; "": none.
	RecoveryHint *string
	// Retryable is whether the same call may succeed when it is made again. Nil: not known.
	Retryable *bool
}

// error returns the failure as a message.
func (f Failure) error() *pb.CompleteToolError {
	e := &pb.CompleteToolError{Kind: f.Kind, Message: inline([]byte(f.Message)), RecoveryHint: f.RecoveryHint, Retryable: f.Retryable}
	if f.Details != "" {
		e.Details = inline([]byte(f.Details))
	}
	return e
}
