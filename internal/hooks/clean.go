package hooks

import "encoding/json"

// Clean returns what the hook prints so that the model reads the result of a tool without its secrets; nil when it has none, or the
// host takes no result in its place. It is for results that become no receipt: those are made without secrets. clean returns a JSON
// text without secrets, and whether it had any.
func Clean(host Host, payload []byte, clean func(text []byte) ([]byte, bool)) ([]byte, error) {
	var p object
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	event := p.str("hook_event_name")
	switch {
	case host == ClaudeCode && event == "PostToolUse":
		if response, ok := cleanMember(p, "tool_response", clean); ok {
			return encode(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PostToolUse", "updatedToolOutput": response}})
		}
	case host == GeminiCLI && event == "AfterTool":
		if text, ok := cleanText(p.obj("tool_response"), "llmContent", clean); ok {
			return encode(map[string]any{"decision": "deny", "reason": text})
		}
	case host == Codex && event == "PostToolUse":
		if text, ok := cleanText(p, "tool_response", clean); ok {
			return encode(map[string]any{"decision": "block", "reason": text})
		}
	case host == CopilotCLI:
		result := p.obj("toolResult")
		if text, ok := cleanText(result, "textResultForLlm", clean); ok {
			return encode(map[string]any{"modifiedResult": result.with(map[string]any{"textResultForLlm": text})})
		}
	case host == OpenCode:
		output := p.obj("output")
		for _, key := range []string{"content", "output"} {
			if value, ok := cleanMember(output, key, clean); ok {
				return encode(map[string]any{key: value})
			}
		}
	case host == Pi:
		if content, ok := cleanMember(p, "content", clean); ok {
			return encode(map[string]any{"content": content})
		}
	}
	return nil, nil
}

// cleanMember returns a value without secrets, and whether it had any.
func cleanMember(o object, key string, clean func([]byte) ([]byte, bool)) (json.RawMessage, bool) {
	if len(o[key]) == 0 {
		return nil, false
	}
	text, found := clean(o[key])
	return text, found && json.Valid(text)
}

// cleanText is cleanMember for a value that is a string.
func cleanText(o object, key string, clean func([]byte) ([]byte, bool)) (string, bool) {
	var text string
	if json.Unmarshal(o[key], &text) != nil {
		return "", false
	}
	plain, found := clean([]byte(text))
	return string(plain), found
}
