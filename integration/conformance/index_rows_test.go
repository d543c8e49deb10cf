package conformance_test

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Decisions that leave a part of a requirement out.
const (
	previewsWithoutMarks = "0002-previews-without-marks.md"
	fiveFields           = "0003-five-fields.md"
	nothingInvented      = "0036-nothing-is-said-that-nobody-said.md"
	errorsOfAnyLength    = "0037-errors-of-any-length.md"
	nativeAsAWhole       = "0038-a-turn-is-native-as-a-whole.md"
)

// twoStreams is a command with two streams over its budget.
func (c *client) twoStreams() answer {
	return c.project(`output { tool_name: "ExecCommand" command { exit_status: 1 stdout { inline: %q } stderr { inline: %q } } }`, lines(3000), strings.ToUpper(lines(2000)))
}

var indexRows = []requirement{
	{"Artifact Index Mapping", "Artifact references stay path-only.", pathOnly},
	{"Artifact Index Mapping", "What an artifact is, is said in `result` by referencing its index.", func(c *client) error {
		a := c.twoStreams()
		return all(equal("stdout", c.read(a.artifactOf("stdout")), lines(3000)), equal("stderr", c.read(a.artifactOf("stderr")), strings.ToUpper(lines(2000))))
	}},
	{"Artifact Index Mapping", "The example of two streams: `*_preview`, `*_truncated` and `*_artifact` of each, and `artifacts` beside `result`.", func(c *client) error {
		a := c.twoStreams()
		r := a.json.at("result").(map[string]any)
		err := all(equal("stdout_truncated", r["stdout_truncated"], true), equal("stderr_truncated", r["stderr_truncated"], true), differ("indices", r["stdout_artifact"], r["stderr_artifact"]),
			holds(a.json.text("result.stdout_preview") != "" && a.json.text("result.stderr_preview") != "", "no previews"), equal("artifacts", len(r["artifacts"].([]any)), 2))
		if err != nil || a.json.at("artifacts") != nil {
			return err
		}
		return inPart{"`artifacts` is inside `result`, as in the rest of the RFC, so that the envelope keeps five fields", fiveFields}
	}},
	{"Artifact Index Mapping", "The example of one combined artifact: `combined_output_preview`, `combined_output_truncated`, `combined_output_artifact`.", func(c *client) error {
		j := c.project(`output { tool_name: "ExecCommand" command { exit_status: 0 combined_output { inline: %q } } }`, lines(3000)).json
		return all(holds(j.text("result.combined_output_preview") != "", "no preview"), equal("truncated", j.at("result.combined_output_truncated"), true), equal("index", j.at("result.combined_output_artifact"), 0.0))
	}},
	{"Artifact Index Mapping", "The meaning of an artifact never depends on its position: with places and indices exchanged the receipt is the same.", func(c *client) error {
		a := c.twoStreams()
		other := proto.CloneOf(a.GetCanonical())
		r := other.GetCommand()
		if c.err != nil || len(r.GetArtifacts()) != 2 {
			return fmt.Errorf("artifacts: %v", r.GetArtifacts())
		}
		r.Artifacts[0], r.Artifacts[1] = r.Artifacts[1], r.Artifacts[0]
		r.StdoutArtifact, r.StderrArtifact = r.StderrArtifact, r.StdoutArtifact
		return equal("receipt", c.render(other), a.text())
	}},
	{"Artifact Index Mapping", "Two roles never share an artifact by their place: a result in which they do is rejected.", func(c *client) error {
		r := c.twoStreams().GetCanonical()
		if c.err != nil {
			return nil
		}
		r.GetCommand().StderrArtifact = r.GetCommand().StdoutArtifact
		_, err := c.results().Render(c.ctx, &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: r}})
		return equal("reason", reasonOf(err), "ARTIFACT_INDEX_INVALID")
	}},
}

var largeRows = []requirement{
	{"Family-Specific Large Output Rules", "`ExecCommand` has explicit bounded preview and truncation fields in its typed `result`.", func(c *client) error {
		j := c.twoStreams().json
		return all(equal("truncated", j.at("result.truncated"), true), equal("stdout_truncated", j.at("result.stdout_truncated"), true), atMost("bytes of the preview", len(j.text("result.stdout_preview")), 16000))
	}},
	{"Family-Specific Large Output Rules", "`TaskOutput` has them too.", func(c *client) error {
		j := c.project(`output { tool_name: "TaskOutput" `+sampleOf("task_output", "output")+` }`, lines(5000)).json
		return all(equal("truncated", j.at("result.output_truncated"), true), holds(j.text("result.output_preview") != "", "no preview"), atMost("bytes of the preview", len(j.text("result.output_preview")), 16000))
	}},
	{"Family-Specific Large Output Rules", "The example: previews, `truncated`, `artifacts` with paths and one index for each stream, all in the family result.", func(c *client) error {
		a := c.twoStreams()
		return all(equal("truncated", a.json.at("result.truncated"), true), equal("artifacts", a.json.at("result.artifacts"), []any{map[string]any{"path": a.path(0)}, map[string]any{"path": a.path(1)}}),
			equal("stdout", c.read(a.artifactOf("stdout")), lines(3000)), equal("stderr", c.read(a.artifactOf("stderr")), strings.ToUpper(lines(2000))))
	}},
	{"Family-Specific Large Output Rules", "Families add truncation metadata only where a payload is over its bound: small results have none.", func(c *client) error {
		return c.each(func(family string, a answer) error {
			if strings.HasPrefix(family, "command") || strings.HasPrefix(family, "image") { // `truncated` is in the RFC's example; an image is an artifact
				return nil
			}
			return lacks(a.json.raw, "_truncated", "_artifact", "artifacts", "_cuts", "_source\"")
		})
	}},
	{"Family-Specific Large Output Rules", "Small receipt-style tools carry no no-op truncation or artifact fields.", func(c *client) error {
		var errs []error
		for _, family := range []string{"task_stop", "task_input", "notify", "enqueue", "sleep", "work_item_pick", "workspace_attach", "worktree_create"} {
			errs = append(errs, lacks(c.small(family).json.raw, "truncated", "artifact", "compaction"))
		}
		return all(errs...)
	}},
	{"Preserve The Stable Canonical Envelope", "Large-output handling never removes or renames a field of the envelope.", func(c *client) error {
		return c.grown(lines(3000), 120, func(_ string, a answer) error { return equal("members", a.json.members, five) })
	}},
	{"Preserve The Stable Canonical Envelope", "A truncated result keeps `tool_name`, `status`, `summary_text` and `error` as they are.", func(c *client) error {
		var kept []string
		for _, tokens := range []int{100, 200000} {
			j := c.project(`output { tool_name: "Bash" command { exit_status: 1 stdout { inline: %q } } } policy { render { budget { max_tokens: %d } } }`, lines(2000), tokens).json
			kept = append(kept, fmt.Sprint(j.at("tool_name"), j.at("status"), j.at("summary_text"), j.at("error")))
		}
		return equal("under a small budget", kept[0], kept[1])
	}},
	{"Preserve The Stable Canonical Envelope", "Errors keep `kind`, `message`, `recovery_hint` and `retryable`, whatever `details` there are.", func(c *client) error {
		var kept []*pb.ToolError
		for _, n := range []int{1, 2000} {
			e := c.project(`output { tool_name: "x" error { kind: "bad_thing" message { inline: "it broke" } details { inline: %q } recovery_hint: "mend it" retryable: false } }`, jsonList(n)).GetCanonical().GetError()
			kept = append(kept, &pb.ToolError{Kind: e.GetKind(), Message: e.GetMessage(), RecoveryHint: e.RecoveryHint, Retryable: e.Retryable})
		}
		return all(equal("with huge details", kept[1], kept[0]), equal("hint", kept[0].GetRecoveryHint(), "mend it"), holds(kept[0].Retryable != nil, "no retryable"))
	}},
	{"Preserve The Stable Canonical Envelope", "Of an error only `details` may be truncated.", func(c *client) error {
		small := c.project(`output { tool_name: "x" error { kind: "k" message { inline: "one line" } details { inline: %q } } }`, jsonList(2000)).GetCanonical().GetError()
		text := "Traceback (most recent call last):\n" + lines(3000) + "ValueError: no such column\n"
		long := c.project(`output { tool_name: "x" error { kind: "k" message { inline: %q } } }`, text)
		e := long.GetCanonical().GetError()
		if err := all(equal("message", small.GetMessage(), "one line"), holds(small.GetDetailsOmitted() != nil, "details are whole"), has(long.text(), "ValueError: no such column")); err != nil {
			return err
		}
		if e.GetMessage() == text {
			return nil
		}
		return all(equal("all of the message", c.read(e.GetArtifacts()[e.GetMessageArtifact()].GetPath()), text),
			inPart{"a message of several lines or over 2,048 bytes, such as a traceback, becomes the line that says most, a preview and an artifact", errorsOfAnyLength})
	}},
	{"Preserve The Stable Canonical Envelope", "Truncated `details` need no new top-level field.", func(c *client) error {
		a := c.project(`output { tool_name: "x" error { kind: "k" message { inline: "m" } details { inline: %q } } }`, jsonList(2000))
		return all(equal("members", a.json.members, five), holds(a.json.at("error.details_omitted") != nil, "%s", clip(a.json.raw)))
	}},
	{"Prefer Head And Tail For Logs", "Log-like payloads have a preview of head and tail: stdout, stderr, combined output and task logs.", func(c *client) error {
		text := lines(3000)
		first, _, _ := strings.Cut(text, "\n")
		return c.grown(text, 1500, func(field string, a answer) error {
			if !strings.HasPrefix(field, "std") && !strings.HasSuffix(field, "output") {
				return nil
			}
			preview := a.json.text("result." + field + "_preview")
			return all(begins(preview, first), holds(strings.HasSuffix(strings.TrimSpace(preview), lastLine(text)), "no tail: %q", clip(preview)))
		})
	}},
	{"Prefer Head And Tail For Logs", "The preview makes the cut explicit.", func(c *client) error {
		a := c.project(`output { tool_name: "Bash" command { exit_status: 0 stdout { inline: %q } } }`, lines(3000))
		shown, mark := uint64(3000), ""
		for _, cut := range a.GetCanonical().GetCommand().GetStdoutCuts() {
			shown -= cut.GetLastLine() - cut.GetFirstLine() + 1
			mark = fmt.Sprintf("[…%d:]", cut.GetLastLine()+1)
			if err := has(a.text(), "\n"+mark+"\n"); err != nil {
				return err
			}
		}
		if err := has(a.text(), fmt.Sprintf("stdout: %d of 3000 lines; all: ", shown)); err != nil || strings.Contains(a.json.text("result.stdout_preview"), mark) {
			return err
		}
		return inPart{"the receipt has a mark, and the number of the line after it; the canonical preview has tool text only, and `*_cuts` says what is missing and where", previewsWithoutMarks}
	}},
	{"Prefer Head And Tail For Logs", "The agent sees both the command's setup and its final failure.", func(c *client) error {
		text := "+ configure --prefix=/usr\n" + lines(5000) + "make: *** [all] Error 2\n"
		a := c.project(`output { tool_name: "Bash" command { exit_status: 2 stderr { inline: %q } } }`, text)
		return has(a.text(), "+ configure --prefix=/usr", "make: *** [all] Error 2", "Process exited with code 2")
	}},
}

// pathOnly holds every artifact reference of the families that grow to one member.
func pathOnly(c *client) error {
	return c.grown(lines(2000), 500, func(_ string, a answer) error {
		list, _ := a.json.at("result.artifacts").([]any)
		var errs []error
		for _, v := range list {
			reference := v.(map[string]any)
			errs = append(errs, holds(len(reference) == 1 && reference["path"] != nil, "reference %v", reference))
		}
		return all(append(errs, holds(len(list) > 0, "no artifacts"))...)
	})
}
