package hooks

import (
	"encoding/json"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Before returns what a before-hook prints so that the host runs its command through a program: PROGRAM shell -c COMMAND.
// It returns nil for what is no command, and for a command that names the program already.
//
// allow lets the command run without a question, whatever the user's rules say; otherwise the host
// decides about the command that runs us. Codex takes a rewritten command only with it; what its
// sandbox and its approvals still hold back is written in docs/agent-hosts.md.
func Before(host Host, payload []byte, program string, allow bool) ([]byte, error) {
	var p object
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	key, tools := "tool_input", "Bash"
	switch host {
	case ClaudeCode, Codex:
	case GeminiCLI:
		tools = "run_shell_command"
	case CopilotCLI:
		key, tools = "toolArgs", "bash"
	default:
		return nil, ErrHost
	}
	if name := p.str("tool_name") + p.str("toolName"); name != tools {
		return nil, nil
	}
	input := p.obj(key)
	line := input.str("command")
	prefix, err := syntax.Quote(program, syntax.LangBash)
	if err != nil {
		return nil, err
	}
	prefix += " shell -c "
	if line == "" || strings.HasPrefix(line, prefix) {
		return nil, nil
	}
	quoted, err := syntax.Quote(line, syntax.LangBash)
	if err != nil {
		return nil, err // a NUL, which no command line has
	}
	return encode(rewritten(host, input.with(map[string]any{"command": prefix + quoted}), allow))
}

// rewritten returns the host's own form of changed arguments.
func rewritten(host Host, input object, allow bool) any {
	out := map[string]any{}
	if allow {
		out["permissionDecision"] = "allow"
	}
	switch host {
	case GeminiCLI:
		return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "BeforeTool", "tool_input": input}}
	case CopilotCLI:
		out["modifiedArgs"] = input
		return out
	default:
		out["hookEventName"], out["updatedInput"] = "PreToolUse", input
		return map[string]any{"hookSpecificOutput": out}
	}
}

// IsBefore reports whether a payload is that of a before-hook.
func IsBefore(payload []byte) bool {
	var p object
	if json.Unmarshal(payload, &p) != nil {
		return false
	}
	switch p.str("hook_event_name") {
	case "PreToolUse", "BeforeTool":
		return true
	case "":
		_, args := p["toolArgs"]
		_, result := p["toolResult"]
		return args && !result
	}
	return false
}
