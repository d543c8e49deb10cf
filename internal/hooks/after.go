package hooks

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// claudeAfter reads PostToolUse of Claude Code. Failed commands have an event of their own, whose result cannot be replaced.
func claudeAfter(p object, _ Options) *Result {
	if p.str("hook_event_name") != "PostToolUse" {
		return nil
	}
	tool, response := p.str("tool_name"), p.obj("tool_response")
	r := &Result{Tool: tool}
	updated := func(v any) any {
		return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PostToolUse", "updatedToolOutput": v}}
	}
	in := func(key string) {
		r.Text = []byte(response.str(key))
		r.replace = func(receipt string) any { return updated(response.with(map[string]any{key: receipt})) }
	}
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		r.kind = mcp
		r.server, _, _ = strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__")
		result, replace := blocks(p["tool_response"])
		if result == nil {
			return nil
		}
		r.Text, r.replace = result, func(receipt string) any { return updated(replace(receipt)) }
	case tool == "Bash":
		return claudeBash(p, response, updated)
	case tool == "Read":
		file, input := response.obj("file"), p.obj("tool_input")
		if response.str("type") != "text" || input.has("offset") || input.has("limit") {
			return nil
		}
		r.kind, r.Text = read, []byte(file.str("content"))
		r.replace = func(receipt string) any {
			return updated(response.with(map[string]any{"file": file.with(map[string]any{"content": receipt})}))
		}
	case tool == "Grep" && response.str("mode") == "content":
		in("content")
	case tool == "WebFetch":
		in("result")
	default:
		return nil
	}
	return r
}

// claudeBash reads the result of a command that ended with 0. The host keeps the first 30,000 bytes, and the rest in a file.
func claudeBash(p, response object, updated func(any) any) *Result {
	stdout, file := response.str("stdout"), response.str("persistedOutputPath")
	if response.has("stderr") || response.has("interrupted") || response.has("isImage") || response.has("backgroundTaskId") {
		return nil
	}
	r := &Result{Tool: "Bash", kind: command, line: p.obj("tool_input").str("command"), Text: []byte(stdout), File: file}
	if file != "" {
		size, _ := strconv.ParseUint(string(response["persistedOutputSize"]), 10, 64) // 0 is "not known"
		r.loss = &pb.SourceLoss{AtByte: uint64(len(stdout))}
		if size > r.loss.AtByte {
			r.loss.LostBytes = size - r.loss.AtByte
		}
		r.Keep = "Full output saved to: " + file
	}
	r.replace = func(receipt string) any {
		return updated(response.with(map[string]any{"stdout": receipt, "persistedOutputPath": nil, "persistedOutputSize": nil}))
	}
	return r
}

// geminiTrailer are the lines that Gemini CLI puts behind the output of a command.
var geminiTrailer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\n?$`)
})

// geminiAfter reads AfterTool of Gemini CLI. The text is complete. Lines behind the output of a command stay below the
// receipt, and no exit code is read from them: a command can write such lines itself.
func geminiAfter(p object, _ Options) *Result {
	response := p.obj("tool_response")
	text := response.str("llmContent")
	if p.str("hook_event_name") != "AfterTool" || response.has("error") || text == "" {
		return nil
	}
	r := &Result{Tool: p.str("tool_name"), Text: []byte(text)}
	r.replace = func(receipt string) any { return map[string]any{"decision": "deny", "reason": receipt} }
	switch context := p.obj("mcp_context"); {
	case context != nil:
		r.server = context.str("server_name")
	case r.Tool == "read_file", r.Tool == "read_many_files":
		if input := p.obj("tool_input"); input.has("start_line") || input.has("end_line") || input.has("offset") || input.has("limit") {
			return nil
		}
		r.kind = read
	case r.Tool == "run_shell_command":
		inner, framed := strings.CutPrefix(text, "<untrusted_context>\nOutput: ")
		inner, closed := strings.CutSuffix(inner, "\n</untrusted_context>")
		if !framed || !closed {
			return nil
		}
		trailer := geminiTrailer().FindString(inner)
		r.kind, r.line = command, p.obj("tool_input").str("command")
		r.Text, r.Keep = []byte(strings.TrimSuffix(inner, trailer)), strings.Trim(trailer, "\n")
	}
	return r
}

// codexCut begins a result that Codex has cut.
const codexCut = "Warning: truncated output (original token count: "

// codexAfter reads PostToolUse of Codex. A cut result has no way to the rest, and is left alone.
func codexAfter(p object, _ Options) *Result {
	text := p.str("tool_response")
	if p.str("hook_event_name") != "PostToolUse" || strings.HasPrefix(text, codexCut) {
		return nil
	}
	r := &Result{Tool: p.str("tool_name"), Text: []byte(text)}
	if r.Tool == "Bash" {
		r.kind, r.line = command, p.obj("tool_input").str("command")
	}
	r.replace = func(receipt string) any { return map[string]any{"decision": "block", "reason": receipt} }
	return r
}

var (
	// copilotSaved begins a result that Copilot CLI has cut.
	copilotSaved = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Output too large to read at once \([^)\n]*\)\. Saved to: (/[^\n]*/\d+-copilot-tool-output-[0-9a-f-]+\.txt)\n`)
	})
	// copilotEnd ends the output of a command.
	copilotEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\n?<shellId: \S+ completed with exit code (\d{1,3})>$`)
	})
)

// copilotAfter reads postToolUse of Copilot CLI. What the model would read is the first 500 characters, and the path of a
// file with everything. The last line of a command's result is always the host's own, so its exit code is not made up. The first
// is not, so only a file that the host can have written is used.
func copilotAfter(p object, o Options) *Result {
	result := p.obj("toolResult")
	text := result.str("textResultForLlm")
	if result.str("resultType") != "success" || text == "" {
		return nil
	}
	r := &Result{Tool: p.str("toolName"), Text: []byte(text)}
	r.replace = func(receipt string) any {
		return map[string]any{"modifiedResult": result.with(map[string]any{"textResultForLlm": receipt})}
	}
	switch args := p.obj("toolArgs"); r.Tool {
	case "bash":
		r.line = args.str("command")
		end := copilotEnd().FindStringSubmatch(text)
		if end == nil { // still running, or in the background
			return nil
		}
		r.kind, r.exit, r.Keep = command, exitCode(end[1]), strings.Trim(end[0], "\n")
		r.Text = []byte(strings.TrimSuffix(text, end[0]))
	case "view":
		if args.has("view_range") {
			return nil
		}
		r.kind = read
	}
	if saved := copilotSaved().FindStringSubmatch(text); saved != nil && o.written(saved[1]) {
		r.File, r.loss = saved[1], &pb.SourceLoss{AtByte: uint64(len(r.Text))}
		r.Keep = strings.TrimPrefix(r.Keep+"\nSaved to: "+r.File, "\n")
	}
	return r
}

// exitCode returns the exit code that up to three digits state.
func exitCode(digits string) *int32 {
	n, _ := strconv.Atoi(digits)
	return new(int32(n))
}

// opencodeAfter reads what the plugin of OpenCode passes on: input and output of tool.execute.after. The output of a command
// that was cut is left alone: version 1.18.33 sometimes loses the first 8 KiB of the file with everything, and nothing
// shows it.
func opencodeAfter(p object, _ Options) *Result {
	input, output := p.obj("input"), p.obj("output")
	args, metadata := input.obj("args"), output.obj("metadata")
	r := &Result{Tool: input.str("tool"), Text: []byte(output.str("output")), File: metadata.str("outputPath")}
	if _, listed := output["content"]; listed {
		result, replace := blocks(output["content"])
		if result == nil || output.has("isError") {
			return nil
		}
		r.kind, r.Text = mcp, result
		r.replace = func(receipt string) any { return map[string]any{"content": replace(receipt)} }
		return r
	}
	if len(r.Text) == 0 {
		return nil
	}
	r.replace = func(receipt string) any { return map[string]any{"output": receipt} }
	switch r.Tool {
	case "bash":
		if metadata.has("truncated") {
			return nil
		}
		r.kind, r.line = command, args.str("command")
		var exit *int32
		if json.Unmarshal(metadata["exit"], &exit) == nil {
			r.exit = exit
		}
	case "read":
		if args.has("offset") || args.has("limit") {
			return nil
		}
		r.kind = read
	}
	if metadata.has("truncated") {
		r.loss = &pb.SourceLoss{}
	}
	if r.File != "" {
		r.Keep = "Full output saved to: " + r.File
	}
	return r
}

// piExit begins the last line of the result of a command that failed.
const piExit = "\n\nCommand exited with code "

// piEnd ends a result that pi has cut, or the result of a command that failed.
var piEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\n\n\[Showing lines [^\n]*\. Full output: (/[^\n]*/pi-bash-[0-9a-f]+\.log)\])?(?:` + piExit + `(\d{1,3}))?$`)
})

// piAfter reads tool_result of pi, as its extension passes it on. The result of a failed command is an error, and its text
// alone has the path of the file with everything. Both lines are the host's own only in an error, or where details have
// the path too: a command that succeeded can write such lines itself. In an error one that was not cut can, so only a file that the
// host can have written is used.
func piAfter(p object, o Options) *Result {
	var content []object
	if json.Unmarshal(p["content"], &content) != nil || len(content) != 1 || content[0].str("type") != "text" {
		return nil
	}
	text, input := content[0].str("text"), p.obj("input")
	r := &Result{Tool: p.str("toolName"), Text: []byte(text)}
	r.replace = func(receipt string) any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": receipt}}}
	}
	failed := p.has("isError")
	switch {
	case r.Tool == "bash":
		r.kind, r.line = command, input.str("command")
		details := p.obj("details")
		end := piEnd().FindStringSubmatch(text)
		r.File = details.str("fullOutputPath")
		if failed {
			if end[2] == "" { // ended by the host
				return nil
			}
			r.exit = exitCode(end[2])
			if r.File = end[1]; !o.written(r.File) {
				r.File, end[0] = "", piExit+end[2]
			}
		}
		if failed || r.File != "" {
			r.Text, r.Keep = []byte(strings.TrimSuffix(text, end[0])), strings.Trim(strings.ReplaceAll(end[0], "\n\n", "\n"), "\n")
		}
		if r.File != "" {
			r.loss = &pb.SourceLoss{}
			if r.Keep == "" {
				r.Keep = fmt.Sprintf("[Full output: %s]", r.File)
			}
		}
	case failed:
		return nil
	case r.Tool == "read":
		if input.has("offset") || input.has("limit") {
			return nil
		}
		r.kind = read
	}
	return r
}
