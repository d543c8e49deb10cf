package conformance_test

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The examples of the RFC, as it has them but for white space between JSON tokens.
var (
	successExample = compactJSON(`{
"tool_name": "ExecCommand",
"status": "success",
"summary_text": "command exited with status 0",
"result": {},
"error": null
}`)
	errorExample = compactJSON(`{
"tool_name": "ExecCommand",
"status": "error",
"summary_text": "input for ExecCommand does not match the tool schema",
"result": null,
"error": {
"kind": "invalid_tool_input",
"message": "input for ExecCommand does not match the tool schema",
"details": {
"tool_name": "ExecCommand",
"parse_error": "missing field ` + "`cmd`" + `"
},
"recovery_hint": "provide input for ExecCommand that matches the published tool schema",
"retryable": false
}
}`)
	completedExample = compactJSON(`{
"tool_name": "ExecCommand",
"status": "success",
"summary_text": "command exited with status 0",
"result": {
"disposition": "completed",
"exit_status": 0,
"stdout_preview": "short output preview",
"stderr_preview": null,
"truncated": false
},
"error": null
}`)
	promotedExample = compactJSON(`{
"tool_name": "ExecCommand",
"status": "success",
"summary_text": "command promoted to managed task",
"result": {
"disposition": "promoted_to_task",
"task_handle": {
"task_id": "task_123",
"kind": "command_task"
},
"initial_output_preview": "short output preview",
"initial_output_truncated": false
},
"error": null
}`)
	violationExample = compactJSON(`{
"tool_name": "ExecCommand",
"status": "error",
"summary_text": "requested working directory is outside the current execution root",
"result": null,
"error": {
"kind": "execution_root_violation",
"message": "requested working directory is outside the current execution root",
"details": {
"workdir": "../other-repo"
},
"recovery_hint": "omit workdir or use a relative path inside the active workspace",
"retryable": false
}
}`)
)

// The requests of the command's examples, in JSON.
var (
	completedRequest = fmt.Sprintf(`{"output":{"toolName":"ExecCommand","command":{"exitStatus":0,"stdout":{"inline":%q}}},"canonicalForm":"CANONICAL_FORM_JSON"}`, base64Of("short output preview"))
	promotedRequest  = fmt.Sprintf(`{"output":{"toolName":"ExecCommand","command":{"taskHandle":{"taskId":"task_123","kind":"command_task"},"initialOutput":{"inline":%q}}},"canonicalForm":"CANONICAL_FORM_JSON"}`, base64Of("short output preview"))
)

var exampleRows = []requirement{
	{"Command Tool Canonical Example", "The immediate success, byte for byte from grpcurl.", func(c *client) error { return c.example(completedRequest, completedExample) }},
	{"Command Tool Canonical Example", "The promoted command, byte for byte from grpcurl.", func(c *client) error { return c.example(promotedRequest, promotedExample) }},
	{"Command Tool Canonical Example", "Both examples can be given back: the receipt of their JSON is that of the call.", func(c *client) error {
		return all(equal("completed", c.renderJSON(completedExample, ""), "Process exited with code 0\nstdout:\nshort output preview"),
			equal("promoted", c.renderJSON(promotedExample, ""), "Command promoted to background task\nTask: task_123\nInitial output:\nshort output preview"))
	}},
	{"Command Tool Canonical Example", "`TaskOutput` uses the shared envelope, with `retrieval_status` and a snapshot of the task's output.", func(c *client) error {
		j := c.small("task_output").json
		return all(equal("members", j.members, five), equal("retrieval_status", j.text("result.retrieval_status"), "success"), equal("task", j.text("result.task.task_id"), "task_9"), equal("output", j.text("result.output_preview"), "built\n"))
	}},
	{"Command Tool Canonical Example", "Large output of a task is bounded and refers to an artifact.", func(c *client) error {
		text := lines(6000)
		a := c.project(`output { tool_name: "TaskOutput" `+sampleOf("task_output", "output")+` }`, text)
		return all(atMost("bytes of the canonical JSON", len(a.json.raw), 16000), equal("artifact", c.read(a.artifactOf("output")), text))
	}},
	{"Error Example", "The execution-root violation, byte for byte from grpcurl.", func(c *client) error {
		return c.example(fmt.Sprintf(`{"output":{"toolName":"ExecCommand","error":{"kind":"execution_root_violation","message":{"inline":%q},"details":{"inline":%q},
			"recoveryHint":"omit workdir or use a relative path inside the active workspace","retryable":false}},"canonicalForm":"CANONICAL_FORM_JSON"}`,
			base64Of("requested working directory is outside the current execution root"), base64Of(`{"workdir": "../other-repo"}`)), violationExample)
	}},
	{"Command Tool Rendered Example", "The receipt of the immediate success, byte for byte from grpcurl.", func(c *client) error {
		return c.receiptExample(completedRequest, "Process exited with code 0\nstdout:\nshort output preview")
	}},
	{"Command Tool Rendered Example", "The receipt of the promoted command, byte for byte from grpcurl.", func(c *client) error {
		return c.receiptExample(promotedRequest, "Command promoted to background task\nTask: task_123\nInitial output:\nshort output preview")
	}},
	{"Command Tool Rendered Example", "The key outcome is exposed first, for every way in which a command can end.", func(c *client) error {
		var errs []error
		for fields, outcome := range map[string]string{
			`exit_status: 3`: "Process exited with code 3", `signal: 9`: "Process killed by signal 9", `timeout_ms: 5000`: "Process timed out",
			`disposition: COMMAND_DISPOSITION_CANCELLED`: "Process cancelled", `task_handle { task_id: "t1" } initial_output { inline: "x" }`: "Command promoted to background task",
			`disposition: COMMAND_DISPOSITION_ALREADY_RUNNING task_handle { task_id: "t1" }`: "Command is already running",
		} {
			errs = append(errs, begins(c.project(`output { tool_name: "Bash" command { %s } }`, fields).text(), outcome))
		}
		return all(errs...)
	}},
	{"Command Tool Rendered Example", "Task handles and artifact references stay readable: each on a line before the first byte of output.", func(c *client) error {
		a := c.project(`output { tool_name: "Bash" command { task_handle { task_id: "task_123" } initial_output { inline: %q } } }`, lines(3000))
		before, _, _ := strings.Cut(a.text(), strings.SplitN(lines(1), "\n", 2)[0])
		return has(before, "\nTask: task_123\n", "all: "+a.path(0)+"\n")
	}},
	{"Command Tool Rendered Example", "Readable preview text is preferred over nested escaped JSON.", jsonStaysReadable},
}

var simpleRows = []requirement{
	{"Two fields", "The simplest call has a tool name and a text, from grpcurl.", func(c *client) error {
		return c.receiptExample(fmt.Sprintf(`{"output":{"toolName":"weather","text":{"content":{"inline":%q}}}}`, base64Of("42 degrees\n")), "Tool output:\n42 degrees")
	}},
	{"Two fields", "Status and disposition follow from what is set, and are in the canonical result.", func(c *client) error {
		text, command := c.project(`output { tool_name: "x" text { content { inline: "y" } } }`), c.project(`output { tool_name: "x" command { exit_status: 0 stdout { inline: "y" } } }`)
		failed := c.project(`output { tool_name: "x" error { message { inline: "no" } } }`)
		return all(equal("text", text.GetCanonical().GetStatus(), pb.ToolStatus_TOOL_STATUS_SUCCESS), equal("command", command.GetCanonical().GetCommand().GetDisposition(), pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED),
			equal("error", failed.GetCanonical().GetStatus(), pb.ToolStatus_TOOL_STATUS_ERROR))
	}},
	{"Two fields", "Any bytes are taken: text that is not UTF-8, and nothing at all.", func(c *client) error {
		odd := c.project(`output { tool_name: "x" text { content { inline: "a\xff\xfeb\n" } } }`)
		none := c.project(`output { tool_name: "x" text { content {} } }`)
		return all(has(odd.text(), "a\uFFFD\uFFFDb"), begins(none.text(), "Tool answered with nothing"))
	}},
	{"Three fields", "The simplest command has a tool name, stdout and an exit status, from grpcurl.", func(c *client) error {
		return c.receiptExample(fmt.Sprintf(`{"output":{"toolName":"Bash","command":{"stdout":{"inline":%q},"exitStatus":0}}}`, base64Of("ok\n")), "Process exited with code 0\nstdout:\nok")
	}},
}
