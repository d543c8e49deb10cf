package projectors

import (
	"context"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/projectors/profile"
)

// maxExitMeaning bounds what an exit status means, in bytes: the shell's meanings name the program, which may be any text.
const maxExitMeaning = 256

// Bounds of the command family.
const (
	maxCommandPreview = 512
	maxInstructions   = 1024
	maxSignal         = 64
)

// Command projects the command family. RFC "Family-Specific Large Output Rules". The
// profiles state what exit codes mean and which lines of programs are noise; nil for
// no profiles.
func Command(profiles *profile.Set) Projector { return newCommand(profiles) }

// commandProjector projects one command, alone or as an item of a batch. It is
// immutable, so one projector serves all calls.
type commandProjector struct {
	fields   fields
	profiles *profile.Set
}

func newCommand(profiles *profile.Set) commandProjector {
	return commandProjector{newFields(&pb.CommandResult{}), profiles}
}

// Project returns the canonical result of one command.
func (c commandProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.GetCommand()
	check := envelope.NewChecker("output.command")
	checkCommand(check, out, &in)
	if err := check.Err(); err != nil {
		return Projection{}, err
	}
	return tighten(func(l limits) (Projection, error) { return c.project(ctx, in, l, sink) })
}

// project projects a command with limits for its facts.
func (c commandProjector) project(ctx context.Context, in Input, l limits, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.GetCommand()
	result := c.facts(out, out.GetCommandLine(), l)
	result.Unchanged = in.Unchanged
	r := canonical(in.Output, commandSummary(out))
	r.Result = &pb.CanonicalToolResult_Command{Command: result}
	parts := c.parts(nil, out, out.GetCommandLine(), result, &in)
	finish := func() error {
		setTruncated(result)
		return keepOrder(ctx, in, result, sink)
	}
	if in.Unchanged != nil { // the earlier result shows it
		for _, p := range parts {
			if err := p.show(ctx, envelope.Cost{}, in.Policy, sink); err != nil {
				return Projection{}, err
			}
		}
		parts = nil
	}
	return fit(ctx, in, r, parts, finish, sink)
}

// parts appends the streams of a command to a list, in the order of the contract.
func (c commandProjector) parts(list []part, out *pb.CommandOutput, commandLine string, into *pb.CommandResult, in *Input) []part {
	m := into.ProtoReflect()
	choice := c.profiles.Explain(commandLine)
	known := choice.Profile // nil for most command lines; a nil Profile has no opinion
	hints := preview.Hints{
		Succeeded: endedWithZero(out) && !into.GetStatusUncertain() && !known.Relays(),
		Rules:     c.profiles.Rules(known), Range: choice.Range != profile.Ranked, FromEnd: choice.Range == profile.FromEnd, MaybeLog: choice.MaybeLog,
		Shape: shape.Named(known.Shape()),
	}
	list = c.fields.add(list, "stdout", m, out.GetStdout(), in, hints)
	list = c.fields.add(list, "stderr", m, out.GetStderr(), in, hints)
	list = c.fields.add(list, "combined_output", m, out.GetCombinedOutput(), in, hints)
	return c.fields.add(list, "initial_output", m, out.GetInitialOutput(), in, hints)
}

// setTruncated states whether any stream is truncated, in the field that the RFC has
// for the disposition.
func setTruncated(r *pb.CommandResult) {
	switch r.GetDisposition() {
	case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK:
		r.InitialOutputTruncated = new(r.GetInitialOutputTruncated())
	case pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
	default:
		r.Truncated = new(r.GetStdoutTruncated() || r.GetStderrTruncated() || r.GetCombinedOutputTruncated() ||
			r.GetInitialOutputTruncated())
	}
}

// leastOrdered is the budget, in tokens, from which on a receipt names the streams in
// their order beside each of them: three places and no line say nothing.
const leastOrdered = 256

// keepOrder stores standard output and standard error as one artifact in their order
// of arrival, if that is known and the receipt does not show all of both. If it does,
// or if the budget is small, the order is not worth a line of the receipt.
func keepOrder(ctx context.Context, in Input, r *pb.CommandResult, sink artifactstore.Sink) error {
	out := in.Output.GetCommand()
	if in.Unchanged != nil && !in.Unchanged.GetWasCut() {
		return nil // the earlier receipt shows all of both
	}
	wanted := in.Policy.KeepAll || in.Policy.Budget.Tokens >= leastOrdered && (r.GetStdoutTruncated() || r.GetStderrTruncated())
	if r.InOrderArtifact != nil || !wanted || !in.InOrder.covers(out.GetStdout(), out.GetStderr()) {
		return nil
	}
	ref, err := sink.Put(ctx, in.InOrder.Blob)
	if err != nil {
		return err
	}
	r.InOrderArtifact = new(uint32(len(r.GetArtifacts())))
	r.Artifacts = append(r.Artifacts, &pb.ArtifactReference{Path: ref.Path})
	return nil
}

// facts returns the parts of the result that need no budget.
func (c commandProjector) facts(out *pb.CommandOutput, commandLine string, l limits) *pb.CommandResult {
	r := &pb.CommandResult{
		Disposition: disposition(out), ExitStatus: out.ExitStatus, Signal: out.Signal, TimeoutMs: out.TimeoutMs,
		TaskHandle: boundedTask(out.GetTaskHandle(), l), StatusUncertain: endedWithZero(out) && !c.profiles.Explain(commandLine).Covers,
	}
	// A command that was stopped has a code of the one who stopped it, which the
	// profile of the program does not explain.
	if out.ExitStatus != nil && disposition(out) == pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED {
		if meaning := c.profiles.Exit(commandLine, out.GetExitStatus()); meaning != nil {
			r.ExitMeaning = proto.CloneOf(meaning)
			r.ExitMeaning.Program = cutText(meaning.GetProgram(), maxExitMeaning)
			r.ExitMeaning.Text = cutText(meaning.GetText(), maxExitMeaning)
		}
	}
	if r.CommandPreview = oneLine(commandLine, minLimit(l.text, maxCommandPreview)); r.CommandPreview != commandLine {
		r.CommandDigest = fmt.Sprintf("blake3:%x", blake3.Sum256([]byte(commandLine)))
	}
	if disposition(out) == pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING {
		r.Instructions = oneLine(out.GetInstructions(), minLimit(l.text, maxInstructions))
	}
	return r
}

// endedWithZero reports whether a command has exit status 0.
func endedWithZero(out *pb.CommandOutput) bool {
	return out.ExitStatus != nil && out.GetExitStatus() == 0
}

// disposition returns how the call of a command ended: the stated disposition or, if
// there is none, the one that follows from the fields that are set. A task handle is
// stronger than a signal, and a signal than a time limit: a runtime that stops a
// command at its limit sends it a signal.
func disposition(out *pb.CommandOutput) pb.CommandDisposition {
	switch {
	case out.GetDisposition() != pb.CommandDisposition_COMMAND_DISPOSITION_UNSPECIFIED:
		return out.GetDisposition()
	case out.GetTaskHandle() != nil:
		return pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK
	case out.Signal != nil:
		return pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL
	case out.TimeoutMs != nil:
		return pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT
	}
	return pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED
}

// commandSummary is the summary for a command without one. It claims no success: a
// command that completed without an exit status just exited.
func commandSummary(out *pb.CommandOutput) string {
	switch disposition(out) {
	case pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED:
		if out.ExitStatus == nil {
			return "command exited"
		}
		return fmt.Sprintf("command exited with status %d", out.GetExitStatus())
	case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK:
		return "command promoted to managed task"
	case pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
		return "command is already running"
	case pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT:
		return "command timed out"
	case pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED:
		return "command cancelled"
	case pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL:
		return fmt.Sprintf("command killed by signal %d", out.GetSignal())
	}
	return fmt.Sprintf("command ended with disposition %d", disposition(out))
}

// checkCommand checks one complete command. RFC "Command Family".
func checkCommand(c envelope.Checker, out *pb.CommandOutput, in *Input) {
	const missing, bounds, both = pb.ErrorReason_ERROR_REASON_FIELD_MISSING,
		pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY
	switch disposition(out) {
	case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK, pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
		if out.GetTaskHandle() == nil {
			c.Fail("task_handle", missing, "is required for this disposition")
		}
	case pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL:
		if out.Signal == nil {
			c.Fail("signal", missing, "is required for this disposition")
		}
	}
	if h := out.GetTaskHandle(); h != nil && h.GetTaskId() == "" {
		c.Fail("task_handle.task_id", missing, "is required")
	}
	if out.GetCombinedOutput() != nil && (out.GetStdout() != nil || out.GetStderr() != nil) {
		c.Fail("combined_output", both, "excludes stdout and stderr")
	}
	if s := out.GetSignal(); out.Signal != nil && (s < 1 || s > maxSignal) {
		c.Fail("signal", bounds, "is %d, and signals are 1 to %d", s, maxSignal)
	}
	checkPayload(c, "stdout", out.GetStdout(), in)
	checkPayload(c, "stderr", out.GetStderr(), in)
	checkPayload(c, "combined_output", out.GetCombinedOutput(), in)
	checkPayload(c, "initial_output", out.GetInitialOutput(), in)
}

// minUnchanged is the least size of an output, in bytes, for which a reference to an
// earlier receipt is shorter than the output.
const minUnchanged = 256

// Fingerprint identifies a command line, its output and its exit status: equal
// fingerprints mean equal bytes. It is empty for other families, for commands without
// a command line, for commands that did not complete, and for short outputs.
func Fingerprint(ctx context.Context, out *pb.CompleteToolOutput, streams map[string]Stream) (string, error) {
	c := out.GetCommand()
	if c.GetCommandLine() == "" || disposition(c) != pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED {
		return "", nil
	}
	var b strings.Builder
	b.WriteString(contentDigest([]byte(c.GetCommandLine())) + " ")
	if c.ExitStatus != nil {
		fmt.Fprintf(&b, "%d", c.GetExitStatus())
	}
	total := int64(0) // bytes of all streams
	for _, p := range []*pb.Payload{c.GetStdout(), c.GetStderr(), c.GetCombinedOutput()} {
		b.WriteByte(' ')
		if p == nil {
			continue
		}
		blob := artifactstore.BytesBlob(p.GetInline())
		if s, ok := streams[Key(p)]; ok {
			blob = s.Blob
		}
		total += blob.Size()
		digest, err := artifactstore.Digest(ctx, blob)
		if err != nil {
			return "", err
		}
		b.WriteString(digest)
	}
	if total < minUnchanged {
		return "", nil
	}
	return b.String(), nil
}
