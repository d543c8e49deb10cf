package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/hooks"
)

// TestPrompts reads what hosts give to the hook of a prompt, as they document it, and what they
// give to other hooks.
func TestPrompts(t *testing.T) {
	t.Parallel()
	const long = `"session_id":"s","cwd":"/w","prompt":"why does \u00fc_test fail?\n"`
	for name, c := range map[string]struct {
		payload, want string
		ok            bool
	}{
		"Claude Code":     {`{"hook_event_name":"UserPromptSubmit","transcript_path":"/t",` + long + `}`, "why does ü_test fail?", true},
		"Codex":           {`{"hook_event_name":"UserPromptSubmit","turn_id":"t",` + long + `}`, "why does ü_test fail?", true},
		"Gemini CLI":      {`{"hook_event_name":"BeforeAgent","timestamp":"t",` + long + `}`, "why does ü_test fail?", true},
		"Copilot CLI":     {`{"timestamp":1704614600000,` + long + `}`, "why does ü_test fail?", true},
		"a plugin":        {`{"prompt":"fix login.go"}`, "fix login.go", true},
		"names nothing":   {`{"prompt":" Yes, please! "}`, "", true},
		"one word":        {`{"hook_event_name":"UserPromptSubmit","prompt":"continue"}`, "", true},
		"an identifier":   {`{"prompt":"parse_args?"}`, "parse_args?", true},
		"empty":           {`{"prompt":""}`, "", true},
		"no text":         {`{"hook_event_name":"UserPromptSubmit","prompt":["a"]}`, "", true},
		"no prompt":       {`{"hook_event_name":"UserPromptSubmit"}`, "", true},
		"a tool's prompt": {`{"hook_event_name":"PostToolUse","tool_name":"Task",` + long + `}`, "", false},
		"another tool's":  {`{"toolName":"task","toolArgs":{},` + long + `}`, "", false},
		"a result":        {`{"toolResult":{},` + long + `}`, "", false},
		"another event":   {`{"hook_event_name":"Stop",` + long + `}`, "", false},
		"no JSON":         {`{"prompt":"a b c"`, "", false},
		"nothing":         {``, "", false},
	} {
		if got, ok := hooks.Prompt([]byte(c.payload)); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
}

// TestLongPromptKeepsItsEnds draws prompts of any length: the focus has at most 8 KiB, is UTF-8,
// and begins and ends as the prompt.
func TestLongPromptKeepsItsEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a b c", "ü", "漢 ", "\U0001f600"}).Draw(t, "piece")
		prompt := "what is x_y? " + strings.Repeat(piece, rapid.IntRange(0, 20_000/len(piece)).Draw(t, "n")) + " or z.go?"
		payload, err := json.Marshal(map[string]string{"prompt": prompt})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := hooks.Prompt(payload)
		if !ok || len(got) > 8192 || !utf8.ValidString(got) || !strings.HasPrefix(got, "what is x_y? ") || !strings.HasSuffix(got, " or z.go?") {
			t.Fatalf("%d bytes of %d, %t", len(got), len(prompt), ok)
		}
		if len(prompt) <= 8192 && got != prompt || len(prompt) > 8192 && len(got) < 8180 {
			t.Fatalf("%d bytes of %d", len(got), len(prompt))
		}
	})
}
