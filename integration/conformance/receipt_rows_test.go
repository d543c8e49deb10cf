package conformance_test

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var receiptRows = []requirement{
	{"Prefer Textual Receipts For Command-Family Rendering", "The first example, byte for byte from grpcurl.", func(c *client) error {
		return c.receiptExample(fmt.Sprintf(`{"output":{"toolName":"ExecCommand","command":{"exitStatus":0,"stdout":{"inline":%q}}}}`, base64Of("src/runtime/turn.rs\nsrc/runtime/lifecycle.rs\n")),
			"Process exited with code 0\nstdout:\nsrc/runtime/turn.rs\nsrc/runtime/lifecycle.rs")
	}},
	{"Prefer Textual Receipts For Command-Family Rendering", "The second example, of a promoted command, byte for byte from grpcurl.", func(c *client) error {
		return c.receiptExample(fmt.Sprintf(`{"output":{"toolName":"ExecCommand","command":{"taskHandle":{"taskId":"task_123"},"initialOutput":{"inline":%q}}}}`, base64Of("Starting server on :3000\n")),
			"Command promoted to background task\nTask: task_123\nInitial output:\nStarting server on :3000")
	}},
	{"Prefer Textual Receipts For Command-Family Rendering", "A user sees the same receipt at the command line, and the command's exit code.", func(c *client) error {
		return equal("receipt", c.cli("exec", "--", "sh", "-c", "echo hello"), "Process exited with code 0\nstdout:\nhello\n")
	}},
	{"Prefer Textual Receipts For Command-Family Rendering", "`TaskOutput` has a concise textual receipt too.", func(c *client) error {
		return equal("receipt", c.small("task_output").text(), "Task output retrieved; task completed\nTask: task_9\nExit code: 0\nTask output:\nbuilt")
	}},
	{"Prefer Textual Receipts For Command-Family Rendering", "The receipt has the same semantic signals as the canonical result.", func(c *client) error {
		a := c.twoStreams()
		r := a.GetCanonical().GetCommand()
		p := call(c, c.results().ParseReceipt, &pb.ParseReceiptRequest{Text: a.text()})
		errs := []error{equal("outcome", p.GetOutcome(), fmt.Sprintf("Process exited with code %d", r.GetExitStatus())), equal("sections", len(p.GetSections()), 2)}
		for _, s := range p.GetSections() {
			facts, index := r.GetStdoutSource(), r.GetStdoutArtifact()
			if s.GetLabel() == "stderr" {
				facts, index = r.GetStderrSource(), r.GetStderrArtifact()
			}
			errs = append(errs, equal(s.GetLabel(), []any{s.GetExtent().GetLines(), s.GetExtent().GetShown(), s.GetExtent().GetHandle()},
				[]any{facts.GetLines(), facts.GetShownLines(), a.path(int(index))}))
		}
		return all(errs...)
	}},
	{"Prefer Textual Receipts For Command-Family Rendering", "Output that is itself JSON is readable text in the receipt: its values by path where it is cut, records as a table, and never escaped.", func(c *client) error {
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } } policy { render { budget { max_tokens: 300 } } }`, jsonList(900))
		tree := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } } policy { render { budget { max_tokens: 300 } } }`, jsonTree(900))
		return all(has(a.text(), "\nitems: 900 rows\nid\tname\n0\t"), has(tree.text(), "\nn0: 0, "),
			lacks(a.text(), `\"`), lacks(tree.text(), `\"`), jsonStaysReadable(c))
	}},
	{"Prefer Concise Receipts For Small Confirmation Tools", "File mutation receipts.", func(c *client) error {
		return equal("receipt", c.small("file_mutation").text(), "Files changed: 1\nChanged files:\nM src/a.go, 1 hunk, +2 -1")
	}},
	{"Prefer Concise Receipts For Small Confirmation Tools", "Work-item mutation receipts.", func(c *client) error {
		return equal("receipt", c.small("work_item_change").text(), "Work item was created: wi_12, runnable")
	}},
	{"Prefer Concise Receipts For Small Confirmation Tools", "Workspace entry and exit receipts.", func(c *client) error {
		in, out := c.small("workspace_attach"), c.small("workspace_detach")
		return all(equal("entry", in.text(), "Workspace is attached: ws_7\nWorkspace anchor: /src/lease"), equal("exit", out.text(), "Workspace is detached: ws_7"))
	}},
	{"Prefer Concise Receipts For Small Confirmation Tools", "Notification receipts.", func(c *client) error {
		return equal("receipt", c.small("notify").text(), "Operator notification delivered: ntf_3, to operator by email")
	}},
	{"Prefer Concise Receipts For Small Confirmation Tools", "They surface the confirmation and the identifiers that the next step needs, without structured noise.", func(c *client) error {
		var errs []error
		for family, id := range map[string]string{"task_stop": "task_9", "task_input": "task_9", "enqueue": "msg_8", "wait": "wait_3", "agent_spawn": "agent_12", "work_item_pick": "wi_12", "worktree_create": "root_4"} {
			text := c.small(family).text()
			errs = append(errs, has(text, id), lacks(text, "{", "\"", "_SPECIFIED"))
		}
		return all(errs...)
	}},
	{"Prefer Structured Canonical Previews Over Raw Blobs", "A command has `stdout_preview`, `stderr_preview`, `truncated` and `stdout_artifact` rather than one `output` blob.", func(c *client) error {
		a := c.twoStreams()
		r, _ := a.json.at("result").(map[string]any)
		for _, name := range []string{"stdout_preview", "stderr_preview", "truncated", "stdout_artifact"} {
			if r[name] == nil {
				return fmt.Errorf("%s is missing", name)
			}
		}
		return holds(r["output"] == nil, "there is an output blob")
	}},
	{"Do Not Duplicate Large Payloads", "A payload that an artifact has is not duplicated into `result` and `artifacts`.", func(c *client) error {
		text := lines(3000)
		return c.grown(text, 2000, func(_ string, a answer) error {
			return all(atMost("times the last line is there", strings.Count(a.json.raw, lastLine(text)), 1), atMost("bytes of the canonical JSON", len(a.json.raw), len(text)/4))
		})
	}},
	{"Do Not Duplicate Large Payloads", "`summary_text` is concise, and `result` has preview, handles and references.", func(c *client) error {
		return c.grown(lines(3000), 500, func(field string, a answer) error {
			return all(atMost("bytes of the summary", len(a.json.text("summary_text")), 100), holds(a.json.text("result."+field+"_preview") != "" && a.artifactOf(field) != "", "%s", clip(a.json.raw)))
		})
	}},
	{"Do Not Duplicate Large Payloads", "`TaskOutput` does not repeat the same text as output and as result summary.", func(c *client) error {
		text := lines(40)
		a := c.project(`output { tool_name: "TaskOutput" task_output { retrieval_status: TASK_RETRIEVAL_SUCCESS task { task_id: "task_9" status: TASK_STATUS_COMPLETED }
			output { inline: %q } task_result { inline: %q } } }`, "starting\n"+text, text)
		return all(equal("times in the JSON", strings.Count(a.json.raw, lastLine(text)), 1), equal("times in the receipt", strings.Count(a.text(), lastLine(text)), 1), has(a.text(), "starting"))
	}},
}

var stableRows = []requirement{
	{"Truncation Should Be Stable Across Re-serialization", "A truncated result is not re-expanded when it is rendered again, whatever the budget.", func(c *client) error {
		a := c.twoStreams()
		req := &pb.RenderRequest{Result: &pb.RenderRequest_CanonicalJson{CanonicalJson: a.json.raw}, Family: a.GetFamily(), Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200000}}}
		return equal("receipt", call(c, c.results().Render, req).GetReceipt().GetText(), a.text())
	}},
	{"Truncation Should Be Stable Across Re-serialization", "Compaction never re-expands what an earlier one took out.", func(c *client) error {
		r := c.reduced("HANDLES", c.twoStreams().GetCanonical())
		again, _ := c.compact("total_tokens: 100000", r.GetCanonical())
		return equal("result", again[0].GetCanonical(), r.GetCanonical())
	}},
	{"Truncation Should Be Stable Across Re-serialization", "An agent gets more only when it asks for a narrower slice, through the tool for that.", func(c *client) error {
		text := lines(3000)
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } } call { session_id: "slices" call_id: "call_1" } policy { render { handles: HANDLE_FORM_CALL } }`, text)
		req := &pb.ReadArtifactRequest{Path: a.artifactOf("stdout"), SessionId: "slices", Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 1500, Last: 1501}}}
		slice := string(call(c, c.artifacts().ReadArtifact, req).GetData())
		want := strings.Join(strings.SplitAfter(text, "\n")[1499:1501], "")
		_, name, _ := strings.Cut(a.text(), `read_result(result="`)
		name, _, _ = strings.Cut(name, `"`)
		got := call(c, pb.NewToolServiceClient(c.conn).CallTool, &pb.CallToolRequest{Name: "read_result", Call: &pb.CallReference{SessionId: "slices"},
			ArgumentsJson: fmt.Sprintf(`{"result":%q,"lines":"1500-1501"}`, name)})
		return all(equal("slice", slice, want), lacks(a.text(), strings.TrimSpace(want)), has(got.GetReceipt().GetText(), strings.TrimSpace(want)))
	}},
}

var budgetRows = []requirement{
	{"Budget Ownership", "Each family owns its default budget: the same text costs at most what its family allows, and families differ.", func(c *client) error {
		costs := map[int]bool{}
		err := c.grown(lines(20000), 0, func(_ string, a answer) error {
			costs[int(a.GetReceipt().GetTokens()/1000)] = true
			return atMost("tokens", int(a.GetReceipt().GetTokens()), 8000)
		})
		return all(err, holds(len(costs) > 2, "all families have one budget: %v", costs))
	}},
	{"Budget Ownership", "The envelope owns the invariant that results remain bounded and self-describing.", func(c *client) error {
		return c.grown(lines(40000), 0, func(_ string, a answer) error {
			return all(atMost("bytes of the canonical JSON", len(a.json.raw), 64<<10), equal("members", a.json.members, five))
		})
	}},
	{"Budget Ownership", "Command tools own the budgets of stdout and stderr: 2,000 tokens together, and each has its share.", func(c *client) error {
		a := c.twoStreams()
		return all(atMost("tokens", int(a.GetReceipt().GetTokens()), 2000), has(a.text(), lastLine(lines(3000)), strings.ToUpper(lastLine(lines(2000)))))
	}},
	{"Budget Ownership", "Task output owns the budget of its preview.", func(c *client) error {
		a := c.project(`output { tool_name: "TaskOutput" `+sampleOf("task_output", "output")+` }`, lines(5000))
		return all(atMost("tokens", int(a.GetReceipt().GetTokens()), 2000), holds(a.GetReceipt().GetTokens() > 1000, "only %d tokens are used", a.GetReceipt().GetTokens()))
	}},
	{"Budget Ownership", "Child-agent supervision owns the budget of the child's report.", func(c *client) error {
		text := lines(5000)
		a := c.project(`output { tool_name: "AgentReport" `+sampleOf("agent_report", "report")+` }`, text)
		return all(equal("truncated", a.json.at("result.report_truncated"), true), equal("report", c.read(a.artifactOf("report")), text), holds(a.GetReceipt().GetTokens() > 1000, "only %d tokens are used", a.GetReceipt().GetTokens()))
	}},
	{"Budget Ownership", "File mutation tools own the budgets of changed paths and receipts.", func(c *client) error {
		var changes strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&changes, `changes { action: FILE_CHANGE_ACTION_ADD path: "src/%d/a.go" } `, i)
		}
		a := c.project(`output { tool_name: "ApplyPatch" file_mutation { %s } }`, changes.String())
		return all(atMost("tokens", int(a.GetReceipt().GetTokens()), 2000), begins(a.text(), "Files changed: 3000"), equal("total", a.json.at("result.changes_total"), 3000.0),
			equal("paths in the artifact", strings.Count(c.read(a.artifactOf("changes")), "\n"), 3000))
	}},
	{"Budget Ownership", "The shared envelope owns the rules of errors: `details` are bounded the same for every tool, and the rest is preserved.", func(c *client) error {
		a := c.project(`output { tool_name: "x" error { kind: "k" message { inline: "m" } details { inline: %q } retryable: true } }`, jsonList(3000))
		return all(atMost("bytes of the JSON", len(a.json.raw), 4096), equal("kind", a.json.text("error.kind"), "k"), equal("message", a.json.text("error.message"), "m"), equal("retryable", a.json.at("error.retryable"), true))
	}},
}

var referenceRows = []requirement{
	{"Artifact References In Family Results", "Command output file paths are references of the family result.", func(c *client) error {
		a := c.twoStreams()
		return has(a.text(), "all: "+a.path(0), "all: "+a.path(1))
	}},
	{"Artifact References In Family Results", "Failures have artifact paths: of details and of messages that are not inlined.", func(c *client) error {
		details := jsonList(2000)
		e := c.project(`output { tool_name: "x" error { kind: "k" message { inline: %q } details { inline: %q } } }`, lines(3000), details).GetCanonical().GetError()
		if c.err != nil || len(e.GetArtifacts()) == 0 {
			return fmt.Errorf("no artifacts: %v", e)
		}
		return all(equal("details", c.read(e.GetDetailsOmitted().GetArtifact().GetPath()), details), equal("message", c.read(e.GetArtifacts()[e.GetMessageArtifact()].GetPath()), lines(3000)))
	}},
	{"Artifact References In Family Results", "Generated patches and reports have artifact paths.", func(c *client) error {
		text := lines(4000)
		patch := c.project(`output { tool_name: "ApplyPatch" `+sampleOf("file_mutation", "diff")+` }`, text)
		report := c.project(`output { tool_name: "AgentReport" `+sampleOf("agent_report", "report")+` }`, text)
		return all(equal("patch", c.read(patch.artifactOf("diff")), text), equal("report", c.read(report.artifactOf("report")), text))
	}},
	{"Artifact References In Family Results", "Durable task logs have a path from the first byte on.", durableLog},
	{"Artifact References In Family Results", "The first-pass shape is `{\"path\": ...}`.", pathOnly},
	{"Artifact References In Family Results", "References are not a second place for large payloads, and repeat no type, provenance or description.", func(c *client) error {
		return all(pathOnly(c), equal("fields of a reference", strings.Count(c.describe("ArtifactReference"), ";"), 1))
	}},
	{"Artifact References In Family Results", "An artifact that is shown on its own has a description that is derived from the runtime record.", func(c *client) error {
		session := "described"
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } } call { session_id: %q call_id: "call_7" }`, "described\n"+lines(3000), session)
		listed := call(c, c.artifacts().ListArtifacts, &pb.ListArtifactsRequest{SessionId: session}).GetArtifacts()
		found := call(c, c.audit().ListRecords, &pb.ListRecordsRequest{Artifact: a.path(0)}).GetRecords()
		if c.err != nil || len(listed) != 1 || len(found) != 1 {
			return fmt.Errorf("artifacts %v, records %v", listed, found)
		}
		return all(equal("path", listed[0].GetPath(), a.path(0)), equal("call", listed[0].GetCallId(), "call_7"), equal("tool", found[0].GetToolName(), "Bash"),
			equal("what it is", found[0].GetPayloads()[0].GetField(), "output.command.stdout"))
	}},
}

// jsonStaysReadable projects a small JSON text as output of a command.
func jsonStaysReadable(c *client) error {
	text := `{"name":"x","list":[1,2,3],"nested":{"quoted":"yes"}}`
	a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, text)
	return all(has(a.text(), text), lacks(a.text(), `\"`))
}

// durableLog writes a log, and reads it by its path while it is still written.
func durableLog(c *client) error {
	stream, err := c.artifacts().AppendLog(c.ctx)
	if err != nil {
		return err
	}
	header := &pb.LogHeader{Call: &pb.CallReference{SessionId: "logs", CallId: "call_1"}}
	for _, m := range []*pb.AppendLogRequest{
		{Message: &pb.AppendLogRequest_Header{Header: header}}, {Message: &pb.AppendLogRequest_Data{Data: []byte("one line\n")}}, {Message: &pb.AppendLogRequest_Sync{Sync: &pb.LogSync{}}},
	} {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	var path string
	for received := uint64(0); received < 9; {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		path, received = m.GetPath(), m.GetReceivedBytes()
	}
	live := c.read(path)
	if err := all(stream.Send(&pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}}), stream.CloseSend()); err != nil {
		return err
	}
	for err == nil {
		_, err = stream.Recv()
	}
	return all(equal("while it is written", live, "one line\n"), equal("afterwards", c.read(path), "one line\n"))
}
