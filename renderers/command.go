package renderers

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Command renders the command family. RFC "Prefer Textual Receipts For Command-Family
// Rendering".
func Command() Renderer {
	c := newCommand()
	return Describe(func(payload protoreflect.Message) Document {
		r, _ := payload.Interface().(*pb.CommandResult)
		d := Document{Outcome: commandOutcome(r)}
		c.describe(&d, r, "")
		if u := r.GetUnchanged(); u != nil {
			if !u.GetWasCut() { // the earlier receipt shows all there is
				d.Sections = nil
			}
			return d.brief(func(label string) bool { return label != labelOutput })
		}
		return d
	})
}

// command describes a command, alone or as an item of a batch.
type command struct {
	streams []stream // in the order of their sections
}

func newCommand() command {
	return command{streams((*pb.CommandResult)(nil).ProtoReflect().Descriptor(),
		[2]string{"stdout", labelStdout}, [2]string{"stderr", labelStderr},
		[2]string{"combined_output", labelCombined}, [2]string{"initial_output", labelInitial})}
}

// commandOutcome returns the first line of a command's receipt. A disposition of a
// newer contract is stated by its number.
func commandOutcome(r *pb.CommandResult) string {
	switch r.GetDisposition() {
	case pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED:
		if r.ExitStatus == nil {
			return outcomeExited
		}
		return fmt.Sprintf("%s with code %d", outcomeExited, r.GetExitStatus())
	case pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL:
		return outcomeKilled + " " + signalText(r.GetSignal())
	case pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT:
		if r.TimeoutMs == nil {
			return outcomeTimedOut
		}
		return outcomeTimedOut + " after " + seconds(r.GetTimeoutMs())
	case pb.CommandDisposition_COMMAND_DISPOSITION_CANCELLED:
		return outcomeCancelled
	case pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK:
		return outcomePromoted
	case pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING:
		return outcomeRunning
	}
	return fmt.Sprintf("%s (disposition %d)", outcomeEnded, r.GetDisposition())
}

// describe adds the facts and sections of a command, with a prefix for an item of a
// batch.
func (c command) describe(d *Document, r *pb.CommandResult, prefix string) {
	if r.ExitStatus != nil && r.GetDisposition() != pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED {
		d.fact(prefix+labelCode, strconv.Itoa(int(r.GetExitStatus())))
	}
	if m := r.GetExitMeaning(); m != nil {
		text := m.GetProgram() + ": " + m.GetText()
		if m.GetClass() == pb.ExitClass_EXIT_CLASS_ANSWER {
			text += " (an answer, not a failure)"
		}
		d.fact(prefix+labelMeaning, text)
	}
	if u := r.GetUnchanged(); u != nil {
		d.fact(prefix+labelUnchanged, fmt.Sprintf("the same as in call %s, %s ago", u.GetCallId(), count(int64(u.GetCallsAgo()), "call")))
	}
	d.fact(prefix+labelTask, r.GetTaskHandle().GetTaskId())
	d.fact(prefix+labelTaskStatus, r.GetTaskHandle().GetStatus())
	if r.GetDisposition() == pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING {
		d.fact(prefix+labelCommand, r.GetCommandPreview())
	}
	d.fact(prefix+labelContinue, r.GetInstructions())
	if at := r.InOrderArtifact; at != nil && int(*at) < len(r.GetArtifacts()) {
		d.fact(prefix+labelInOrder, r.GetArtifacts()[*at].GetPath())
	}

	before, captured := len(d.Sections), false
	for i := range c.streams {
		captured = captured || c.streams[i].field.Has(r.ProtoReflect())
		if s, ok := c.streams[i].section(r.ProtoReflect(), prefix); ok {
			d.Sections = append(d.Sections, s)
		}
	}
	if len(d.Sections) == before && r.GetDisposition() != pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING {
		d.fact(prefix+labelOutput, noOutput(captured))
	}
}

// noOutput distinguishes two cases that look alike: streams without a byte, and
// streams that were not captured.
func noOutput(captured bool) string {
	if captured {
		return "none"
	}
	return "not captured"
}

// seconds returns a duration in the largest unit that needs no fraction.
func seconds(ms uint64) string {
	if ms%1000 == 0 {
		return strconv.FormatUint(ms/1000, 10) + " s"
	}
	return strconv.FormatUint(ms, 10) + " ms"
}

// signalText returns the number of a Linux signal, with its name if it is known.
func signalText(n int32) string {
	names := map[int32]string{
		1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
		9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
		24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
	}
	if name, ok := names[n]; ok {
		return fmt.Sprintf("%d (%s)", n, name)
	}
	return strconv.Itoa(int(n))
}
