package hosts_test

import (
	"slices"
	"strings"
	"testing"
)

// prompt is what the user of a host asks for.
const prompt = "Where is parse_args defined?"

// TestPromptsReachCommands has every host run a command after a prompt: the receipt of the command
// is made for the question of the user.
func TestPromptsReachCommands(t *testing.T) {
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			h.args = slices.Clone(h.args)
			h.args[slices.Index(h.args, "go")] = prompt
			if h.name == "codex" { // its user trusts the hook
				h.args = append([]string{"exec", "--dangerously-bypass-hook-trust"}, h.args[1:]...)
			}
			tr := newTrial(t, h, log+"exit 0")
			tr.toolresult("install", h.name, "--yes")
			tr.toolresult("ensure", "--patience=20s", "--wait=30s")
			tr.more = []string{"TOOLRESULT_PATIENCE=30s"}
			if results := tr.run(); len(results) != 1 {
				t.Fatalf("%.2000q", results)
			}
			tr.more = nil
			records := tr.toolresult("audit", "export")
			_, focus, _ := strings.Cut(records, `"session_focus":"`)
			if !strings.HasPrefix(strings.TrimPrefix(focus, `\"`), prompt) { // OpenCode quotes it
				t.Errorf("no record has the prompt: %.2000s", records)
			}
		})
	}
}
