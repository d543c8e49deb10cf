package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var renderingRows = []requirement{
	{"Model-Visible Rendering", "It is derived from the canonical result, and from nothing else: Render repeats it from that alone.", renderRepeats},
	{"Model-Visible Rendering", "It is family-defined rather than globally hard-coded to JSON.", ownConventions},
	{"Model-Visible Rendering", "It optimizes for readability: the outcome is one line of words, before everything else.", func(c *client) error {
		return c.each(func(family string, a answer) error { // of a text without anything else to say, the text is the outcome
			parsed := call(c, c.results().ParseReceipt, &pb.ParseReceiptRequest{Text: a.text()})
			return all(holds(begins(a.text(), parsed.GetOutcome()) == nil || family == "text", "%q does not begin with its outcome", a.text()), holds(len(strings.Fields(parsed.GetOutcome())) > 1, "outcome %q", parsed.GetOutcome()), lacks(parsed.GetOutcome(), "{", "\""))
		})
	}},
	{"Model-Visible Rendering", "It is stable: another process with the same store gives the same bytes.", sameInAnotherProcess},
	{"Model-Visible Rendering", "It avoids nested escaped JSON when a better form exists.", jsonStaysReadable},
	{"Model-Visible Rendering", "Command tools render as concise textual receipts.", func(c *client) error {
		return equal("receipt", c.small("command").text(), "Process exited with code 0\nstdout:\nok")
	}},
	{"Model-Visible Rendering", "Task output reads render as compact receipts with status, handles, preview text and artifact references.", func(c *client) error {
		a := c.project(`output { tool_name: "TaskOutput" task_output { retrieval_status: TASK_RETRIEVAL_TIMEOUT waited_ms: 500 task { task_id: "task_9" status: TASK_STATUS_RUNNING } output { inline: %q } } }`, lines(3000))
		return all(begins(a.text(), "Task output wait timed out after 500 ms; task running\nTask: task_9\n"), has(a.text(), "all: "+a.path(0), lastLine(lines(3000))))
	}},
	{"Model-Visible Rendering", "Small receipt-style tools render as short textual confirmations.", func(c *client) error {
		var errs []error
		for _, family := range []string{"task_stop", "task_input", "notify", "enqueue", "sleep", "work_item_change", "work_item_pick", "workspace_detach", "agent_spawn"} {
			a := c.small(family)
			errs = append(errs, atMost(family+": tokens", int(a.GetReceipt().GetTokens()), 30), noJSON(a.text()))
		}
		return all(errs...)
	}},
	{"Model-Visible Rendering", "A tool whose most readable form is structure renders JSON as such, inside of its receipt.", func(c *client) error {
		return equal("receipt", c.small("external_json").text(), "External tool answered (ci)\nTool data:\n{\"build\":7,\"state\":\"green\"}")
	}},
}

var projectionRows = []requirement{
	{"Complete Output And Projection", "The complete tool output is kept, large payloads and durable artifact records included.", func(c *client) error {
		text := lines(5000)
		return c.grown(text, 2000, func(field string, a answer) error {
			stored := c.read(a.artifactOf(field))
			if c.err != nil {
				return nil
			}
			verified, err := c.artifacts().VerifyArtifacts(c.ctx, &pb.VerifyArtifactsRequest{Paths: []string{a.artifactOf(field)}})
			if err != nil {
				return err
			}
			counts, err := verified.Recv()
			return all(err, equal("intact", counts.GetCounts().GetIntact(), uint64(1)), equal("complete output", stored, text))
		})
	}},
	{"Complete Output And Projection", "Tools do not hand-roll the receipt: a complete output has no place for one.", func(c *client) error {
		return lacks(strings.ToLower(c.describe("CompleteToolOutput")+c.describe("CommandOutput")+c.describe("TextOutput")), "receipt", "rendered")
	}},
	{"Complete Output And Projection", "There are deterministic projection methods for both surfaces, each with a policy of its own.", func(c *client) error {
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: "a\nb\nc\n" } } } policy { artifact_policy: ARTIFACT_POLICY_ALWAYS head_percent: 50 }`)
		req := &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: a.GetCanonical()}, Policy: &pb.RenderPolicy{TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE}}
		rendered := call(c, c.results().Render, req).GetReceipt()
		return all(equal("read back", c.read(a.path(0)), "a\nb\nc\n"), equal("text", rendered.GetText(), a.text()), equal("counter", rendered.GetTokenCounter(), "estimate-1"))
	}},
	{"Complete Output And Projection", "1. The complete output is validated: a caller's mistake is rejected with its reason.", func(c *client) error {
		return all(equal("no result", c.refused(`output { tool_name: "x" }`), "ENVELOPE_EXCLUSIVITY"),
			equal("a bad name", c.refused(`output { tool_name: "no such name" text {} }`), "NAME_INVALID"),
			equal("two streams and both in one", c.refused(`output { tool_name: "x" command { stdout {} combined_output {} } }`), "ENVELOPE_EXCLUSIVITY"))
	}},
	{"Complete Output And Projection", "2. The family's full result is projected into a bounded canonical `result`.", func(c *client) error {
		return c.grown(lines(20000), 500, func(_ string, a answer) error { return atMost("bytes of the canonical JSON", len(a.json.raw), 8000) })
	}},
	{"Complete Output And Projection", "3. Large full payloads are written to artifacts.", func(c *client) error {
		text := lines(3000)
		return c.grown(text, 1000, func(field string, a answer) error { return equal("artifact", c.read(a.artifactOf(field)), text) })
	}},
	{"Complete Output And Projection", "4. Family-specific truncation fields and artifact indices are set.", func(c *client) error {
		return c.grown(lines(3000), 1000, func(field string, a answer) error {
			_, index := a.json.at("result." + field + "_artifact").(float64)
			return holds(a.json.at("result."+field+"_truncated") == true && index, "%s", clip(a.json.raw))
		})
	}},
	{"Complete Output And Projection", "5. The canonical result is rendered with the tool-family convention, within the budget.", func(c *client) error {
		return c.grown(lines(3000), 300, func(_ string, a answer) error {
			return all(atMost("tokens", int(a.GetReceipt().GetTokens()), 300), equal("rendered again", c.render(a.GetCanonical()), a.text()))
		})
	}},
	{"Complete Output Shape", "It has `tool_name`, `status`, `summary_text`, and `result` or `error`.", func(c *client) error {
		a := c.project(`output { tool_name: "x" status: TOOL_STATUS_SUCCESS summary_text: "s" text { content { inline: "r" } } }`).json
		b := c.project(`output { tool_name: "x" status: TOOL_STATUS_ERROR summary_text: "s" error { kind: "k" message { inline: "m" } } }`).json
		return all(equal("success", a.raw, `{"tool_name":"x","status":"success","summary_text":"s","result":{"content_preview":"r"},"error":null}`),
			equal("error", []string{b.text("tool_name"), b.text("status"), b.text("summary_text"), b.text("error.message")}, []string{"x", "error", "s", "m"}))
	}},
	{"Complete Output Shape", "The complete result is typed by family: a command keeps stdout and stderr as structured fields.", func(c *client) error {
		j := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: "to stdout" } stderr { inline: "to stderr" } } }`).json
		return equal("streams", []string{j.text("result.stdout_preview"), j.text("result.stderr_preview")}, []string{"to stdout", "to stderr"})
	}},
	{"Complete Output Shape", "The complete output can be backed by an existing file.", func(c *client) error {
		text, path := lines(2000), filepath.Join(c.on.dir, "task.log")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { file { path: %q } } } }`, path)
		b := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, text)
		return all(equal("receipt", a.text(), b.text()), equal("artifact", c.read(a.path(0)), text))
	}},
	{"Canonical Projection Is Typed, Not Blind JSON Truncation", "No projection cuts serialized JSON: under any budget it is valid, and ids, counts and codes are whole.", func(c *client) error {
		var errs []error
		for _, tokens := range []int{60, 100, 200, 1000} {
			a := c.project(`output { tool_name: "Bash" command { exit_status: -77 task_handle { task_id: "task_123456789" } disposition: COMMAND_DISPOSITION_PROMOTED_TO_TASK initial_output { inline: %q } } }
				policy { render { budget { max_tokens: %d } } }`, lines(900), tokens)
			errs = append(errs, equal("task", a.json.text("result.task_handle.task_id"), "task_123456789"), has(a.text(), "task_123456789"))
		}
		return all(errs...)
	}},
	{"Canonical Projection Is Typed, Not Blind JSON Truncation", "JSON that a tool answered is cut by line, and each line says the path to whole values.", func(c *client) error {
		a := c.project(`output { tool_name: "list" external_json { result { inline: %q } } } policy { render { budget { max_tokens: 200 } } }`, jsonTree(900))
		shown := a.json.text("result.structured_preview")
		whole := regexp.MustCompile(`^(n\d+: \d+, [a-z ]+(, |\n))+$`)
		return all(holds(whole.MatchString(shown), "%s", shown), equal("truncated", a.json.at("result.structured_truncated"), true))
	}},
	{"Canonical Projection Is Typed, Not Blind JSON Truncation", "Each family owns its projector: the case of the canonical result is that of the output.", typedPayloads},
	{"Canonical Projection Is Typed, Not Blind JSON Truncation", "The shared runtime owns the outer envelope and the errors: they are the same for tools of any family.", func(c *client) error {
		var errs []error
		first := ""
		for _, tool := range []string{"ExecCommand", "TaskOutput", "ApplyPatch"} {
			a := c.project("%s", strings.Replace(failure, "Deploy", tool, 1))
			if first == "" {
				first = a.text()
			}
			errs = append(errs, equal(tool, a.text(), first))
		}
		return all(errs...)
	}},
	{"Canonical Projection Is Typed, Not Blind JSON Truncation", "Truncation is automatic for tool authors: an output that says nothing of it is truncated where it must be.", func(c *client) error {
		a := c.project(`output { tool_name: "any" text { content { inline: %q } } }`, lines(9000))
		return all(equal("truncated", a.json.at("result.content_truncated"), true), atMost("tokens", int(a.GetReceipt().GetTokens()), 2000))
	}},
	{"Model Rendering Is Family-Defined", "Family renderers define what the model sees; it is no serialization of the canonical result.", ownConventions},
	{"Model Rendering Is Family-Defined", "`render_for_model` takes the canonical result and a policy, which bounds the text.", func(c *client) error {
		a := c.project(`output { tool_name: "x" text { content { inline: %q } } }`, lines(9000))
		req := &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: a.GetCanonical()}, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 100}}}
		if c.err != nil {
			return nil
		}
		_, err := c.results().Render(c.ctx, req)
		req.Policy.Budget.MaxTokens = a.GetReceipt().GetTokens()
		return all(equal("too small", reasonOf(err), "BUDGET_TOO_SMALL"), equal("fits", call(c, c.results().Render, req).GetReceipt().GetText(), a.text()))
	}},
	{"Model Rendering Is Family-Defined", "Provider transports consume the rendered receipt, not raw serialized canonical JSON.", sameForEveryProvider},
}

var algorithmRows = []requirement{
	{"Projection Algorithm", "`status = success` requires `result`.", func(c *client) error {
		return all(equal("without", c.refused(`output { tool_name: "x" status: TOOL_STATUS_SUCCESS }`), "ENVELOPE_EXCLUSIVITY"),
			equal("with an error", c.refused(`output { tool_name: "x" status: TOOL_STATUS_SUCCESS text {} error { kind: "k" } }`), "ENVELOPE_EXCLUSIVITY"))
	}},
	{"Projection Algorithm", "`status = error` requires `error`.", func(c *client) error {
		return all(equal("without", c.refused(`output { tool_name: "x" status: TOOL_STATUS_ERROR }`), "ENVELOPE_EXCLUSIVITY"),
			equal("with a result", c.refused(`output { tool_name: "x" status: TOOL_STATUS_ERROR text {} }`), "ENVELOPE_EXCLUSIVITY"))
	}},
	{"Projection Algorithm", "An error is projected into the canonical payload with its stable fields preserved.", func(c *client) error {
		e := c.failure().GetCanonical().GetError()
		return equal("error", e, &pb.ToolError{Kind: "deploy_locked", Message: "somebody else deploys", DetailsJson: proto.String(`{"holder":"ci"}`),
			RecoveryHint: proto.String("wait for the lock"), Retryable: proto.Bool(true)})
	}},
	{"Projection Algorithm", "A large field is written or referenced through the artifact sink.", func(c *client) error {
		text := lines(2000)
		return c.grown(text, 500, func(field string, a answer) error { return equal("stored", c.read(a.artifactOf(field)), text) })
	}},
	{"Projection Algorithm", "A path-only artifact reference is recorded in the family result.", pathOnly},
	{"Projection Algorithm", "A large field is replaced with a bounded preview.", func(c *client) error {
		return c.grown(lines(2000), 500, func(field string, a answer) error {
			preview := a.json.text("result." + field + "_preview")
			return all(holds(preview != "", "no preview"), atMost("bytes", len(preview), 500*8))
		})
	}},
	{"Projection Algorithm", "A family-specific artifact index is added in `result`.", func(c *client) error {
		return c.grown(lines(2000), 500, func(field string, a answer) error {
			return equal("index", a.json.at("result."+field+"_artifact"), 0.0)
		})
	}},
	{"Projection Algorithm", "The family-specific truncation flag is set, and only where something was left out.", func(c *client) error {
		for i, want := range []any{nil, true} {
			if err := c.grown(lines(1+2000*i), 500, func(field string, a answer) error {
				if v := a.json.at("result." + field + "_truncated"); v != want && (v != false || want != nil) {
					return fmt.Errorf("%s_truncated is %v, want %v", field, v, want)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}},
	{"Projection Algorithm", "Both the canonical result and the rendered receipt are returned.", func(c *client) error {
		got := c.grpcurl("ToolResultService/Project", `{"output":{"toolName":"x","text":{"content":{"inline":"aGk="}}},"canonicalForm":"CANONICAL_FORM_BOTH"}`)
		return all(equal("receipt", got.text("receipt.text"), "Tool output:\nhi"), equal("message", got.text("canonical.text.contentPreview"), "hi"), has(got.text("canonicalJson"), `"content_preview":"hi"`))
	}},
	{"Projection Algorithm", "Both stages are deterministic for the same output, policy and state of the sink.", sameInAnotherProcess},
}

// sameInAnotherProcess projects in two processes, one after the other on one store, and compares the bytes.
func sameInAnotherProcess(c *client) error {
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var answers [2]answer
	for i := range answers {
		if err := c.another(dir, func(d *client) {
			answers[i] = d.project(`output { tool_name: "Bash" command { exit_status: 1 stdout { inline: %q } stderr { inline: "no\n" } } }`, lines(4000))
		}); err != nil {
			return err
		}
	}
	var bytes [2][]byte
	for i, a := range answers {
		if bytes[i], err = (proto.MarshalOptions{Deterministic: true}).Marshal(a.ProjectResponse); err != nil {
			return err
		}
	}
	return all(equal("receipt", answers[1].text(), answers[0].text()), holds(string(bytes[0]) == string(bytes[1]), "the answers differ"))
}

// another starts a sidecar of its own in a directory, for calls that count as the row's.
func (c *client) another(dir string, do func(*client)) (err error) {
	s, err := start(dir)
	if err != nil {
		return err
	}
	defer func() { err = all(err, s.Stop()) }()
	d, err := newClient(c.ctx, s)
	if err != nil {
		return err
	}
	defer func() { _ = d.conn.Close() }()
	do(d)
	for _, name := range d.called {
		c.record("", name)
	}
	return d.err
}
