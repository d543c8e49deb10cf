package projectors_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server/families"
)

// projectText projects an output in text form by the projector of its family.
func projectText(t *testing.T, text string) error {
	t.Helper()
	out := &pb.CompleteToolOutput{}
	if err := prototext.Unmarshal([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	out.ToolName = "Tool"
	if out.GetError() == nil {
		out.Status = pb.ToolStatus_TOOL_STATUS_SUCCESS
	}
	registry, err := families.NewRegistry(families.BuiltIn()...)
	if err != nil {
		t.Fatal(err)
	}
	family, err := registry.ForOutput(out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = family.Project(t.Context(), projectors.Input{Output: out, Policy: ample()}, nil, memory.New())
	return err
}

// redactions are n statements of redacted values of one kind.
func redactions(n int) string { return strings.Repeat(` redactions { kind: "k" count: 1 }`, n) }

// What breaks the contract is rejected with the field that breaks it, its path from the family's message on, and the reason.
func TestInvalidOutputsNameTheirFields(t *testing.T) {
	t.Parallel()
	const missing, bounds, exclusive = pb.ErrorReason_ERROR_REASON_FIELD_MISSING,
		pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY
	for _, c := range []struct {
		output, field string
		reason        pb.ErrorReason
	}{
		{`command { disposition: COMMAND_DISPOSITION_PROMOTED_TO_TASK }`, "task_handle", missing},
		{`command { disposition: COMMAND_DISPOSITION_ALREADY_RUNNING }`, "task_handle", missing},
		{`command { task_handle { kind: "k" } }`, "task_handle.task_id", missing},
		{`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL }`, "signal", missing},
		{`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL signal: 0 }`, "signal", bounds},
		{`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL signal: -1 }`, "signal", bounds},
		{`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL signal: 128 }`, "signal", bounds},
		{`command { combined_output {} stdout {} }`, "combined_output", exclusive},
		{`command { combined_output {} stderr {} }`, "combined_output", exclusive},
		{`command { stdout { stream: "none" } }`, "stdout.stream", bounds},
		{`command { stderr { stream: "none" } }`, "stderr.stream", bounds},
		{`command { combined_output { stream: "none" } }`, "combined_output.stream", bounds},
		{`command { initial_output { stream: "none" } }`, "initial_output.stream", bounds},
		{`command { stdout { inline: "abc" source_loss { lost_bytes: 1 at_byte: 4 } } }`, "stdout.source_loss.at_byte", bounds},
		{`command { stdout { inline: "abc"` + redactions(65) + ` } }`, "stdout.redactions", bounds},
		{`command { stdout { inline: "abc" redactions { kind: "a b" count: 1 } } }`, "stdout.redactions[0].kind", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		{`command { stdout { inline: "abc"` + redactions(1) + ` redactions { kind: "k" } } }`, "stdout.redactions[1].count", bounds},
		{`command { stdout { inline: "abc" redactions { kind: "k" count: 9223372036854775808 } } }`, "stdout.redactions[0].count", bounds},
		{`command_batch {}`, "items", missing},
		{`command_batch { items { status: COMMAND_BATCH_ITEM_STATUS_RAN } }`, "items[0].result", exclusive},
		{`command_batch { items { status: COMMAND_BATCH_ITEM_STATUS_REJECTED } }`, "items[0].error", exclusive},
		{`command_batch { items { status: COMMAND_BATCH_ITEM_STATUS_SKIPPED result {} } }`, "items[0].result", exclusive},
		{`command_batch { items { status: COMMAND_BATCH_ITEM_STATUS_SKIPPED error { kind: "k" } } }`, "items[0].error", exclusive},
		{`command_batch { items { result {} } items { result { signal: 999 } } }`, "items[1].result.signal", bounds},
		{`command_batch { items { error { kind: "k" details { stream: "none" } } } }`, "items[0].error.details.stream", bounds},
		{`error { kind: "k" message { stream: "none" } }`, "message.stream", bounds},
		{`error { kind: "k" details { stream: "none" } }`, "details.stream", bounds},
	} {
		err := projectText(t, c.output)
		invalid, ok := errors.AsType[*envelope.InvalidError](err)
		if !ok || len(invalid.Violations) != 1 {
			t.Errorf("%s: %v, want one violation", c.output, err)
			continue
		}
		if v := invalid.Violations[0]; !strings.HasSuffix("."+v.Field, "."+c.field) || v.Reason != c.reason {
			t.Errorf("%s: %s, %v; want %s, %v", c.output, v.Field, v.Reason, c.field, c.reason)
		}
	}
}

// What is at a bound is allowed, and so is what no projector knows.
func TestOutputsAtTheirBoundsAreProjected(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL signal: 1 }`,
		`command { disposition: COMMAND_DISPOSITION_KILLED_BY_SIGNAL signal: 64 }`,
		`command { disposition: 99 }`,
		`command { stdout { inline: "abc" source_loss { lost_bytes: 1 at_byte: 3 } } }`,
		`command { stdout { inline: "abc" redactions { kind: "k" count: 9223372036854775807 } } }`,
		`command { stdout { inline: "abc"` + redactions(64) + ` } }`,
		`command { stdout {} stderr {} }`,
		`command { combined_output {} }`,
		`command_batch { items { status: 99 } }`,
		`command_batch { items {} }`,
		`command_batch { items { result {} } items { error { kind: "k" } } items { status: COMMAND_BATCH_ITEM_STATUS_SKIPPED } }`,
		`error { kind: "k" }`,
	} {
		if err := projectText(t, output); err != nil {
			t.Errorf("%s: %v", output, err)
		}
	}
}

// A fingerprint is of all that makes two results of a command the same, and of nothing else.
func TestFingerprintOfCommand(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	of := func(text string) string {
		t.Helper()
		out := &pb.CompleteToolOutput{}
		if err := prototext.Unmarshal([]byte(text), out); err != nil {
			t.Fatal(err)
		}
		print, err := projectors.Fingerprint(context.Background(), out, nil)
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	first := of(`tool_name: "a" command { command_line: "ls" exit_status: 0 stdout { inline: "` + long + `" } }`)
	if first == "" || first != of(`tool_name: "b" command { command_line: "ls" exit_status: 0 stdout { inline: "`+long+`" } instructions: "x" }`) {
		t.Errorf("%q", first)
	}
	for name, text := range map[string]string{
		"command line":     `command { command_line: "ls ." exit_status: 0 stdout { inline: "` + long + `" } }`,
		"status":           `command { command_line: "ls" exit_status: 1 stdout { inline: "` + long + `" } }`,
		"no status":        `command { command_line: "ls" stdout { inline: "` + long + `" } }`,
		"stream":           `command { command_line: "ls" exit_status: 0 stderr { inline: "` + long + `" } }`,
		"stream too":       `command { command_line: "ls" exit_status: 0 stdout { inline: "` + long + `" } stderr { inline: "" } }`,
		"other bytes":      `command { command_line: "ls" exit_status: 0 stdout { inline: "y` + long[1:] + `" } }`,
		"combined":         `command { command_line: "ls" exit_status: 0 combined_output { inline: "` + long + `" } }`,
		"256 bytes at all": `command { command_line: "ls" exit_status: 0 stdout { inline: "` + long[:255] + `" } stderr { inline: "x" } }`,
	} {
		if got := of(text); got == "" || got == first {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, text := range map[string]string{
		"no command line": `command { exit_status: 0 stdout { inline: "` + long + `" } }`,
		"short":           `command { command_line: "ls" exit_status: 0 stdout { inline: "` + long[:255] + `" } }`,
		"timed out":       `command { command_line: "ls" disposition: COMMAND_DISPOSITION_TIMED_OUT stdout { inline: "` + long + `" } }`,
		"another family":  `text { content { inline: "` + long + `" } }`,
	} {
		if got := of(text); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
