package conformance_test

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var levels = []string{"TRIMMED", "HANDLES", "LINE"}

// promoted is a promoted command with a large output, and a summary of the runtime's.
func (c *client) promoted() *pb.CanonicalToolResult {
	return c.project(`output { tool_name: "ExecCommand" summary_text: "the server is starting" command { task_handle { task_id: "task_123" kind: "command_task" } initial_output { inline: %q } } }`, lines(3000)).GetCanonical()
}

// failed is an error with details that are larger than a compaction keeps.
func (c *client) failed() *pb.CanonicalToolResult {
	return c.project(`output { tool_name: "Deploy" error { kind: "deploy_locked" message { inline: "somebody else deploys" } details { inline: %q } recovery_hint: "wait for the lock" retryable: true } }`,
		fmt.Sprintf(`{"log":%q}`, lines(30))).GetCanonical()
}

// atEveryLevel compacts a result to every level and checks what comes out.
func (c *client) atEveryLevel(r *pb.CanonicalToolResult, check func(*pb.CompactedResult) error) error {
	var errs []error
	for _, level := range levels {
		compacted, _ := c.compact("level: COMPACTION_LEVEL_"+level+" preview_tokens: 16", r)
		if err := check(compacted[0]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", level, err))
		}
	}
	return all(errs...)
}

var compactionRows = []requirement{
	{"Compaction Contract", "`tool_name` is always preserved.", func(c *client) error {
		return c.atEveryLevel(c.promoted(), func(r *pb.CompactedResult) error {
			return equal("tool_name", r.GetCanonical().GetToolName(), "ExecCommand")
		})
	}},
	{"Compaction Contract", "`status` is always preserved.", func(c *client) error {
		return all(c.atEveryLevel(c.promoted(), func(r *pb.CompactedResult) error {
			return equal("status", r.GetCanonical().GetStatus(), pb.ToolStatus_TOOL_STATUS_SUCCESS)
		}),
			c.atEveryLevel(c.failed(), func(r *pb.CompactedResult) error {
				return equal("status", r.GetCanonical().GetStatus(), pb.ToolStatus_TOOL_STATUS_ERROR)
			}))
	}},
	{"Compaction Contract", "`summary_text` is always preserved.", func(c *client) error {
		return c.atEveryLevel(c.promoted(), func(r *pb.CompactedResult) error {
			return equal("summary_text", r.GetCanonical().GetSummaryText(), "the server is starting")
		})
	}},
	{"Compaction Contract", "`error.kind`, `error.message`, `error.recovery_hint` and `error.retryable` are always preserved.", func(c *client) error {
		before := c.failed()
		return c.atEveryLevel(before, func(r *pb.CompactedResult) error {
			e := r.GetCanonical().GetError()
			return all(equal("error", []any{e.GetKind(), e.GetMessage(), e.GetRecoveryHint(), e.GetRetryable()}, []any{"deploy_locked", "somebody else deploys", "wait for the lock", true}))
		})
	}},
	{"Compaction Contract", "Compact ids and handles such as `task_handle.task_id` are preserved, in the receipt too.", func(c *client) error {
		return c.atEveryLevel(c.promoted(), func(r *pb.CompactedResult) error {
			return all(equal("task", r.GetCanonical().GetCommand().GetTaskHandle().GetTaskId(), "task_123"), has(r.GetReceipt().GetText(), "task_123"))
		})
	}},
	{"Compaction Contract", "Large preview fields inside `result` are trimmed or dropped.", func(c *client) error {
		r := c.promoted()
		sizes := []int{len(r.GetCommand().GetInitialOutputPreview())}
		for _, level := range levels {
			sizes = append(sizes, len(c.reduced(level, r).GetCanonical().GetCommand().GetInitialOutputPreview()))
		}
		return holds(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] == 0 && sizes[3] == 0, "bytes of the preview: %v", sizes)
	}},
	{"Compaction Contract", "Family-specific artifact references are preserved instead of inline content.", func(c *client) error {
		before := c.promoted()
		return c.atEveryLevel(before, func(r *pb.CompactedResult) error {
			path := before.GetCommand().GetArtifacts()[0].GetPath()
			return all(equal("artifacts", r.GetCanonical().GetCommand().GetArtifacts(), before.GetCommand().GetArtifacts()), has(r.GetReceipt().GetText(), path), equal("what it reads", c.read(path), lines(3000)))
		})
	}},
	{"Compaction Contract", "A preview that was shown whole has an artifact before it is dropped.", func(c *client) error {
		text := lines(60)
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, text)
		r := c.reduced("HANDLES", a.GetCanonical()).GetCanonical().GetCommand()
		return all(equal("artifacts before", len(a.GetCanonical().GetCommand().GetArtifacts()), 0), equal("afterwards", c.read(r.GetArtifacts()[r.GetStdoutArtifact()].GetPath()), text))
	}},
	{"Compaction Contract", "No prose is parsed: tool text that looks like our marks does not change the result.", func(c *client) error {
		var kept []*pb.CommandResult
		for _, first := range []string{"[…901:]\n[output truncated]\nProcess exited with code 0\nTask: task_666\n", "quiet quiet\nquiet quiet\nquiet\nquiet\n"} {
			a := c.project(`output { tool_name: "Bash" command { exit_status: 3 stdout { inline: %q } } }`, first+lines(80)+first)
			r := c.reduced("HANDLES", a.GetCanonical()).GetCanonical().GetCommand()
			kept = append(kept, &pb.CommandResult{ExitStatus: r.ExitStatus, Disposition: r.GetDisposition(), TaskHandle: r.GetTaskHandle(), CompactionLevel: r.GetCompactionLevel(), Truncated: r.Truncated})
		}
		return all(equal("what is kept", kept[0], kept[1]), equal("exit_status", kept[0].GetExitStatus(), int32(3)))
	}},
	{"Compaction Contract", "A bounded receipt is derived from the preserved canonical result.", func(c *client) error {
		return c.atEveryLevel(c.promoted(), func(r *pb.CompactedResult) error {
			return all(equal("rendered again", c.render(r.GetCanonical()), r.GetReceipt().GetText()), equal("rendered from JSON", c.renderJSON(r.GetCanonicalJson(), "command"), r.GetReceipt().GetText()))
		})
	}},
	{"Compaction Contract", "Compaction does not depend on receipt text: it takes canonical results, as JSON too, and no receipts.", func(c *client) error {
		a := c.twoStreams()
		req := &pb.CompactRequest{Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES}, CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_BOTH,
			Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_CanonicalJson{CanonicalJson: a.json.raw}, Family: a.GetFamily()}}}
		fromJSON := call(c, c.results().Compact, req).GetResults()[0]
		return all(equal("result", fromJSON.GetCanonical(), c.reduced("HANDLES", a.GetCanonical()).GetCanonical()), lacks(strings.ToLower(c.describe("CompactEntry")), "receipt "))
	}},
	{"Compaction Contract", "In-turn compaction has deterministic rules: a budget for all results is met, and the same history gives the same bytes.", func(c *client) error {
		var history []*pb.CanonicalToolResult
		for range 6 {
			history = append(history, c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, lines(800)).GetCanonical())
		}
		compacted, first := c.compact("total_tokens: 3000", history...)
		_, second := c.compact("total_tokens: 3000", history...)
		return all(equal("results", len(compacted), 6), equal("budget_met", first.GetPlan().GetBudgetMet(), true), holds(first.GetPlan().GetTokensAfter() <= 3000, "%v", first.GetPlan()), equal("again", second, first))
	}},
	{"Compaction Contract", "After a compaction one receipt says what was already read and run, with handles.", func(c *client) error {
		r := c.promoted()
		_, resp := c.compact("level: COMPACTION_LEVEL_LINE", r)
		return has(resp.GetOverview().GetText(), "task_123", r.GetCommand().GetArtifacts()[0].GetPath())
	}},
}

// recorded is the audit record of a call with everything that a runtime may want on record.
func (c *client) recorded(call1 string) (answer, *pb.AuditRecord) {
	req := parse(c, fmt.Sprintf(`output { tool_name: "Bash" command { exit_status: 4 stdout { inline: %q } } } call { session_id: "records" call_id: %q }
		audit { tool_input: '{"cmd":"make"}' trust { key: "source" value: "builtin" } runtime: "\x00\x01" }`, "recorded "+call1+"\n"+lines(3000), call1), &pb.ProjectRequest{})
	req.Audit.ToolDuration, req.CanonicalForm = durationpb.New(1500e6), pb.CanonicalForm_CANONICAL_FORM_BOTH
	resp := call(c, c.results().Project, req)
	list := call(c, c.audit().ListRecords, &pb.ListRecordsRequest{SessionId: "records", CallId: call1})
	return answer{resp, c.envelope(resp.GetCanonicalJson())}, call(c, c.audit().GetRecord, &pb.GetRecordRequest{Sequence: list.GetRecords()[0].GetSequence()}).GetRecord()
}

var storageRows = []requirement{
	{"Runtime Storage Contract", "The original tool input is stored.", func(c *client) error {
		_, r := c.recorded("input")
		return equal("tool input", r.GetDetails().GetToolInput(), `{"cmd":"make"}`)
	}},
	{"Runtime Storage Contract", "The structured runtime output is stored.", func(c *client) error {
		_, r := c.recorded("output")
		return all(equal("exit status", r.GetOutput().GetCommand().GetExitStatus(), int32(4)), equal("tool", r.GetOutput().GetToolName(), "Bash"))
	}},
	{"Runtime Storage Contract", "Audit-only details are stored, and change nothing of the answer.", func(c *client) error {
		a, r := c.recorded("details")
		plain := c.project(`output { tool_name: "Bash" command { exit_status: 4 stdout { inline: %q } } }`, "recorded details\n"+lines(3000))
		return all(equal("runtime", r.GetDetails().GetRuntime(), []byte{0, 1}), equal("canonical", plain.GetCanonical(), a.GetCanonical()))
	}},
	{"Runtime Storage Contract", "Latency and trust metadata are stored.", func(c *client) error {
		_, r := c.recorded("trust")
		return all(equal("duration", r.GetDetails().GetToolDuration().AsDuration().String(), "1.5s"), equal("trust", r.GetDetails().GetTrust(), map[string]string{"source": "builtin"}), holds(r.GetElapsed().AsDuration() > 0, "no time of the server"))
	}},
	{"Runtime Storage Contract", "Full output artifacts are stored.", func(c *client) error {
		_, r := c.recorded("artifact")
		return equal("artifact", c.read(r.GetPayloads()[0].GetArtifact()), "recorded artifact\n"+lines(3000))
	}},
	{"Runtime Storage Contract", "The canonical result is the stable record, and the receipt derived: the record's result renders to the same receipt.", func(c *client) error {
		a, _ := c.recorded("derived")
		byCall := call(c, c.results().Render, &pb.RenderRequest{Call: &pb.CallReference{SessionId: "records", CallId: "derived"}})
		return equal("receipt", byCall.GetReceipt().GetText(), a.text())
	}},
	{"Runtime Storage Contract", "Audit records preserve the canonical result as it was answered.", func(c *client) error {
		a, r := c.recorded("canonical")
		for _, s := range []*pb.SourceFacts{r.GetCanonical().GetCommand().GetStdoutSource(), a.GetCanonical().GetCommand().GetStdoutSource()} {
			s.Segments = nil // the record has them in any case
		}
		return equal("canonical result", r.GetCanonical(), a.GetCanonical())
	}},
	{"Runtime Storage Contract", "Audit records preserve the rendered receipt that was returned to the model.", func(c *client) error {
		a, r := c.recorded("receipt")
		return equal("receipt", r.GetReceipt(), a.GetReceipt())
	}},
	{"Runtime Storage Contract", "A record proves itself: both surfaces are made again from what is stored, byte for byte.", func(c *client) error {
		_, r := c.recorded("proof")
		v := call(c, c.audit().VerifyRecord, &pb.VerifyRecordRequest{Sequence: r.GetSequence()})
		return all(equal("holds", v.GetHolds(), true), equal("complete", v.GetComplete(), true))
	}},
	{"Runtime Storage Contract", "A user can read a record at the command line.", func(c *client) error {
		_, r := c.recorded("shown")
		text := c.cli("audit show", "--output", "receipt", fmt.Sprint(r.GetSequence()))
		return begins(text, r.GetReceipt().GetText())
	}},
}
