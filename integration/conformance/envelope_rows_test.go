package conformance_test

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var five = []string{"tool_name", "status", "summary_text", "result", "error"}

var summaryRows = []requirement{
	{"Summary", "Every built-in tool result has one canonical structured result and one separate model-visible rendering.", func(c *client) error {
		return c.each(func(_ string, a answer) error {
			return all(holds(a.GetCanonical() != nil && a.text() != "", "a surface is missing"), noJSON(a.text()))
		})
	}},
	{"Summary", "One shared outer envelope is kept for successful and failed tool calls.", fiveMembers},
	{"Summary", "Tool families define their own typed `result` payloads inside that envelope.", typedPayloads},
	{"Summary", "Families define different render conventions: each receipt begins in a way of its own, and none is the JSON.", ownConventions},
	{"Problem", "Provider transports pass on a deliberate rendering and not a serialized envelope.", func(c *client) error {
		a := c.small("command")
		return equal("content of the tool message", c.toolMessages(pb.Provider_PROVIDER_CHAT, a)[0].text("content"), a.text())
	}},
	{"Problem", "A receipt is lighter than the serialized canonical result, for every family.", func(c *client) error {
		return c.each(func(_ string, a answer) error {
			return atMost("bytes of the receipt", len(a.text()), len(a.json.raw)-1)
		})
	}},
	{"Problem", "Command output that is itself JSON is not double-encoded in the receipt.", jsonStaysReadable},
	{"Goals", "Every result is self-describing: the canonical result has tool name, status and summary.", func(c *client) error {
		return c.each(func(family string, a answer) error {
			status := map[bool]string{true: "error", false: "success"}[family == "error"]
			return all(equal("status", a.json.text("status"), status), holds(a.json.text("tool_name") != "" && a.json.text("summary_text") != "", "%s", a.json.raw))
		})
	}},
	{"Goals", "The same canonical outer envelope is used for success and error.", fiveMembers},
	{"Goals", "Model-facing results are easy to chain: the handle in a receipt reads the complete output.", func(c *client) error {
		text := lines(3000)
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, text)
		_, rest, _ := strings.Cut(a.text(), "all: ")
		path, _, _ := strings.Cut(rest, "\n")
		return equal("what the handle reads", c.read(path), text)
	}},
	{"Goals", "Context compaction has deterministic fields to preserve, trim or drop: the same history gives the same bytes.", func(c *client) error {
		a := c.project(`output { tool_name: "Bash" command { exit_status: 1 stdout { inline: %q } } }`, lines(500))
		return equal("second compaction", c.reduced("TRIMMED", a.GetCanonical()), c.reduced("TRIMMED", a.GetCanonical()))
	}},
	{"Goals", "Provider transports are thin: the text of a result is the same for every provider.", sameForEveryProvider},
	{"Goals", "Each tool family retains its own typed `result` shape.", typedPayloads},
	{"Goals", "Each tool family has a stable rendering: a second call gives the same receipt, of a stated version.", func(c *client) error {
		again := c.families()
		return c.each(func(family string, a answer) error {
			if family == "error" {
				again[family] = c.failure()
			}
			return all(equal("receipt", again[family].GetReceipt(), a.GetReceipt()), holds(a.GetReceipt().GetRendererVersion() > 0, "no version"))
		})
	}},
}

var envelopeRows = []requirement{
	{"Dual-Surface Contract", "The rendering is derived from the canonical result: rendering that alone gives the same receipt.", renderRepeats},
	{"Dual-Surface Contract", "The canonical result is the source of truth: a change of it changes the receipt.", func(c *client) error {
		r := c.small("command").GetCanonical()
		other := proto.CloneOf(r)
		other.GetCommand().ExitStatus = proto.Int32(3)
		return all(begins(c.render(r), "Process exited with code 0"), begins(c.render(other), "Process exited with code 3"))
	}},
	{"Dual-Surface Contract", "The JSON of the canonical result is a storage mechanism: it loses nothing, and is not what the model sees.", func(c *client) error {
		return c.each(func(_ string, a answer) error {
			return all(equal("receipt of the JSON", c.renderJSON(a.json.raw, a.GetFamily()), a.text()), lacks(a.text(), `"summary_text"`))
		})
	}},
	{"Canonical Envelope Shape", "The example of a success, byte for byte from grpcurl: `result` is `{}` where a family has no fields, here a custom one.", func(c *client) error {
		return c.example(`{"output":{"toolName":"ExecCommand","summaryText":"command exited with status 0","custom":{"type":"`+doneFamily+`","messageJson":"{}"}},"canonicalForm":"CANONICAL_FORM_JSON"}`, successExample)
	}},
	{"Canonical Envelope Shape", "The example of a success can be given back unchanged: Render takes its JSON.", func(c *client) error {
		return begins(c.renderJSON(successExample, "command"), "Process ended")
	}},
	{"Canonical Envelope Shape", "The example of an error, byte for byte from grpcurl.", func(c *client) error {
		return c.example(fmt.Sprintf(`{"output":{"toolName":"ExecCommand","error":{"kind":"invalid_tool_input","message":{"inline":%q},"details":{"inline":%q},
			"recoveryHint":"provide input for ExecCommand that matches the published tool schema","retryable":false}},"canonicalForm":"CANONICAL_FORM_JSON"}`,
			base64Of("input for ExecCommand does not match the tool schema"),
			base64Of("{\"tool_name\":\"ExecCommand\",\"parse_error\":\"missing field `cmd`\"}")), errorExample)
	}},
	{"Canonical Envelope Shape", "Success and error have the same five fields in the same order, and the other one of `result` and `error` is null.", func(c *client) error {
		return c.each(func(family string, a answer) error {
			set, null := "result", "error"
			if family == "error" {
				set, null = null, set
			}
			return all(equal("members", a.json.members, five), holds(a.json.at(set) != nil && a.json.at(null) == nil, "%s", a.json.raw))
		})
	}},
	{"Canonical Envelope Shape", "The envelope is no requirement on the rendering, which is no JSON, of an error either.", func(c *client) error {
		return noJSON(c.failure().text())
	}},
}

var fieldRows = []requirement{
	{"`tool_name`", "It is the public tool name that produced the result, as the caller gave it.", func(c *client) error {
		a := c.project(`output { tool_name: "mcp:github/search-issues_v2.1" text { content { inline: "x" } } }`)
		return equal("tool_name", a.json.text("tool_name"), "mcp:github/search-issues_v2.1")
	}},
	{"`tool_name`", "It is required: an output without one is rejected.", func(c *client) error {
		return equal("reason", c.refused(`output { text { content { inline: "x" } } }`), "FIELD_MISSING")
	}},
	{"`status`", "The values are `success` and `error`, and no other.", func(c *client) error {
		a, b := c.small("command"), c.failure()
		return all(equal("status", []string{a.json.text("status"), b.json.text("status")}, []string{"success", "error"}),
			equal("a third value", c.refused(`output { tool_name: "x" status: 3 text {} }`), "ENUM_UNKNOWN"))
	}},
	{"`status`", "The model need not infer failure from native flags or prose: the first words of a receipt say it.", func(c *client) error {
		errs := []error{begins(c.failure().text(), "Tool error deploy_locked: somebody else deploys")}
		for _, family := range []string{"command", "text", "file_mutation"} {
			errs = append(errs, lacks(strings.ToLower(c.small(family).text()), "error"))
		}
		return all(errs...)
	}},
	{"`status`", "Provider transports may map it to native fields: Anthropic's `is_error` follows from the canonical result.", isErrorFollows},
	{"`summary_text`", "It is present for success and error, and short: one line of at most 1,024 bytes.", func(c *client) error {
		return c.each(func(_ string, a answer) error {
			s := a.json.text("summary_text")
			return all(holds(s != "", "is empty"), lacks(s, "\n"), atMost("bytes", len(s), 1024))
		})
	}},
	{"`summary_text`", "Large stdout, stderr, task logs and child-agent reports are not placed here.", func(c *client) error {
		text := lines(400)
		return c.grown(text, 2000, func(_ string, a answer) error {
			return lacks(a.json.text("summary_text"), strings.SplitN(text, "\n", 2)[0][:24])
		})
	}},
	{"`summary_text`", "What a runtime gives as a summary is kept, and cut where it is not concise.", func(c *client) error {
		short := c.project(`output { tool_name: "x" summary_text: "two tests fail" text {} }`).json.text("summary_text")
		long := c.project(`output { tool_name: "x" summary_text: %q text {} }`, lines(2000)).json.text("summary_text")
		return all(equal("summary", short, "two tests fail"), atMost("bytes", len(long), 1024), holds(strings.HasSuffix(long, "..."), "no mark at the end of %q", long))
	}},
	{"`result`", "Command tools return disposition, exit status, output preview, truncation flags and task handles.", func(c *client) error {
		done := c.project(`output { tool_name: "Bash" command { exit_status: 2 stdout { inline: "x" } } }`).json
		task := c.project(`output { tool_name: "Bash" command { task_handle { task_id: "task_123" } initial_output { inline: "x" } } }`).json
		return all(equal("disposition", done.text("result.disposition"), "completed"), equal("exit_status", done.at("result.exit_status"), 2.0),
			equal("stdout_preview", done.text("result.stdout_preview"), "x"), equal("truncated", done.at("result.truncated"), false),
			equal("task_id", task.text("result.task_handle.task_id"), "task_123"))
	}},
	{"`result`", "Task tools return task snapshots or output snapshots.", func(c *client) error {
		return all(equal("snapshot", c.small("task_status").json.text("result.task.status"), "running"),
			equal("output", c.small("task_output").json.text("result.output_preview"), "built\n"))
	}},
	{"`result`", "File tools return changed paths and receipt metadata.", func(c *client) error {
		j := c.small("file_mutation").json
		return all(equal("changes", j.at("result.changes"), []any{map[string]any{"action": "modify", "path": "src/a.go", "hunks": 1.0, "added_lines": 2.0, "removed_lines": 1.0}}),
			equal("changes_total", j.at("result.changes_total"), 1.0))
	}},
	{"`result`", "Workspace tools return the active workspace and projection metadata.", func(c *client) error {
		j := c.small("workspace_switch").json
		return all(equal("workspace", j.text("result.active.workspace_id"), "ws_7"), equal("projection", j.text("result.active.projection_kind"), "git_worktree"))
	}},
	{"`result`", "Work-item tools return updated work queue snapshots.", func(c *client) error {
		a, b := c.small("work_item_change").json, c.small("work_item_list").json
		return all(equal("work item", a.text("result.work_item.readiness"), "runnable"), equal("queue", b.at("result.total_matching"), 8.0))
	}},
	{"`result`", "It is null when the status is `error`.", func(c *client) error { return has(c.failure().json.raw, `"result":null`) }},
	{"`error`", "It is null when the status is `success`.", func(c *client) error { return has(c.small("text").json.raw, `"error":null`) }},
	{"`error`", "An error has `kind` and `message`.", func(c *client) error {
		j := c.failure().json
		return all(equal("kind", j.text("error.kind"), "deploy_locked"), equal("message", j.text("error.message"), "somebody else deploys"))
	}},
	{"`error`", "`details` are optional.", func(c *client) error {
		with, without := c.failure(), c.project(`output { tool_name: "x" error { kind: "a" message { inline: "b" } } }`)
		return all(equal("details", with.json.at("error.details"), map[string]any{"holder": "ci"}), lacks(without.json.raw, `"details"`), lacks(without.text(), "details"))
	}},
	{"`error`", "`recovery_hint` is optional.", func(c *client) error {
		with, without := c.failure(), c.project(`output { tool_name: "x" error { kind: "a" message { inline: "b" } } }`)
		return all(equal("hint", with.json.text("error.recovery_hint"), "wait for the lock"), holds(without.json.text("error.recovery_hint") == "", "%s", without.json.raw), lacks(without.text(), "To recover"))
	}},
	{"`error`", "An error has `retryable`.", func(c *client) error {
		yes, unknown := c.failure(), c.project(`output { tool_name: "x" error { kind: "a" message { inline: "b" } } }`)
		if err := all(equal("retryable", yes.json.at("error.retryable"), true), has(yes.text(), "Retryable: yes")); err != nil {
			return err
		}
		if _, said := unknown.json.at("error.retryable").(bool); said {
			return nil
		}
		return all(lacks(unknown.text(), "Retryable"), inPart{"where the tool does not say whether a retry may help, it has no value, and the receipt has no such line", nothingInvented})
	}},
	{"`error`", "The error payload replaces the model where the error envelope was the whole tool output.", func(c *client) error {
		a := c.failure()
		return all(noJSON(a.text()), lacks(a.text(), `"kind"`), equal("kind", a.GetCanonical().GetError().GetKind(), "deploy_locked"))
	}},
}

// fiveMembers holds every canonical result to the envelope.
func fiveMembers(c *client) error {
	return c.each(func(_ string, a answer) error { return equal("members", a.json.members, five) })
}

// typedPayloads says which families have no payload of their own.
func typedPayloads(c *client) error {
	return c.each(func(family string, a answer) error {
		m := a.GetCanonical().ProtoReflect()
		field := m.WhichOneof(m.Descriptor().Oneofs().ByName("result"))
		if family == "error" {
			return holds(field == nil, "an error has the payload %v", field)
		}
		return equal("payload", string(field.Name()), family)
	})
}

// ownConventions says which families begin their receipts alike.
func ownConventions(c *client) error {
	seen := map[string]string{}
	return c.each(func(family string, a answer) error {
		outcome := strings.FieldsFunc(a.text(), func(r rune) bool { return strings.ContainsRune("0123456789:\n", r) })[0]
		other := seen[outcome]
		seen[outcome] = family
		shared := family == "external_mcp" && other == "external_json"
		return all(noJSON(a.text()), holds(other == "" || shared, "begins %q like %s", outcome, other))
	})
}

// renderRepeats renders every canonical result again.
func renderRepeats(c *client) error {
	return c.each(func(_ string, a answer) error { return equal("receipt", c.render(a.GetCanonical()), a.text()) })
}
