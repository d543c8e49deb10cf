package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// cleaner replaces secrets as `toolresult hook` does.
func cleaner(t *testing.T) func([]byte) ([]byte, bool) {
	return func(text []byte) ([]byte, bool) {
		plain, found, err := redact.Whole(t.Context(), redact.Options{Patterns: redact.BuiltIn()}, text)
		if err != nil {
			t.Fatal(err)
		}
		return plain, len(found) > 0
	}
}

// TestCleanRecorded puts a secret behind each text of the results that real hosts gave: the reply has all of the result but the
// secret, and of a result without one there is none.
func TestCleanRecorded(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < 20 {
		t.Fatal(paths, err)
	}
	const secret = "x7Kq92mZp4LwT3vB"
	for _, path := range paths {
		payload, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		host := Host(strings.SplitN(filepath.Base(path), ".", 2)[0])
		if IsBefore(payload) || strings.Contains(path, ".failed.") { // of which the host takes no result
			continue
		}
		before, err := Clean(host, payload, cleaner(t))
		if err != nil || before != nil {
			t.Errorf("%s: %s, %v", path, before, err)
		}
		planted := planted(t, payload, "\nDB_PASSWORD="+secret+"\n")
		reply, err := Clean(host, planted, cleaner(t))
		if err != nil || !json.Valid(reply) || strings.Contains(string(reply), secret) || !strings.Contains(string(reply), "[redacted:") {
			t.Errorf("%s: %.300s, %v", path, reply, err)
		}
	}
}

// planted returns a payload whose longest text has more behind it.
func planted(t *testing.T, payload []byte, more string) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		t.Fatal(err)
	}
	var longest string
	var find func(v any, result bool)
	find = func(v any, result bool) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if key != "metadata" && key != "returnDisplay" { // for people
					find(value, result || slices.Contains([]string{"tool_response", "toolResult", "output", "content"}, key))
				}
			}
		case []any:
			for _, value := range v {
				find(value, result)
			}
		case string:
			if result && len(v) > len(longest) {
				longest = v
			}
		}
	}
	find(v, false)
	old, _ := json.Marshal(longest)
	text, _ := json.Marshal(longest + more)
	compact, err := json.Marshal(v)
	if err != nil || longest == "" || !strings.Contains(string(compact), string(old)) {
		t.Fatalf("%.300s: no text: %v", payload, err)
	}
	return []byte(strings.ReplaceAll(string(compact), string(old), string(text)))
}

// TestCleanShapes gives results in all shapes to each host.
func TestCleanShapes(t *testing.T) {
	t.Parallel()
	forms := map[Host]string{
		ClaudeCode: `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":%,"stderr":""}}`,
		GeminiCLI:  `{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_response":{"llmContent":%}}`,
		Codex:      `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":%}`,
		CopilotCLI: `{"toolName":"bash","toolResult":{"resultType":"failure","textResultForLlm":%}}`,
		OpenCode:   `{"input":{"tool":"bash"},"output":{"output":%,"metadata":{}}}`,
		Pi:         `{"toolName":"bash","isError":true,"content":[{"type":"text","text":%}]}`,
	}
	for _, s := range redacttest.Shapes() {
		d := s.Draw(1)
		text, err := json.Marshal("before\n" + d.Text + "\nbehind")
		if err != nil {
			t.Fatal(err)
		}
		for host, form := range forms {
			reply, err := Clean(host, []byte(strings.Replace(form, "%", string(text), 1)), cleaner(t))
			if err != nil || !json.Valid(reply) || d.Shown(string(reply)) != "" || !strings.Contains(string(reply), "behind") {
				t.Errorf("%s, %s: %.300s, %v", host, s.Line, reply, err)
			}
		}
	}
}
