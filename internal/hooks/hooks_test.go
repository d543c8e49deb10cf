package hooks_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/hooks"
)

// hostOf returns the host of a recorded payload, which its file name begins with.
func hostOf(path string) hooks.Host {
	host, _, _ := strings.Cut(filepath.Base(path), ".")
	return hooks.Host(host)
}

// recorded returns a recorded payload.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// there says that every file is there.
func there(string) bool { return true }

// want is what is read from a recorded payload.
type want struct {
	tool, family, begins string
	file, keep           string // the end of the file's path, and a part of what stays below the receipt
	exit                 int    // -1: none stated
	reply                string // the reply, with the receipt R; it ends in "..." where only its beginning is compared
}

// wants are the payloads that become receipts. All others are left alone.
var wants = map[string]want{
	"claude-code.bash-saved": {
		"Bash", "command", "1\n2\n", ".txt", "Full output saved to: /home/user/", -1,
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"interrupted":false,"isImage":false,"noOutputExpected":false,"stderr":"","stdout":"R\n...`,
	},
	"claude-code.mcp": {
		"mcp__big__rows", "external_mcp", `{"content":[{"text":"[{\"id\": 0`, "", "", -1,
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":[{"text":"R","type":"text"}]}}`,
	},
	"gemini-cli.shell-exit-0": {"run_shell_command", "command", "1\n2\n", "", "Process Group PGID: ", -1, `{"decision":"deny","reason":"R\nProcess Group PGID: ...`},
	"gemini-cli.shell-exit-3": {"run_shell_command", "command", "1\n2\n", "", "Exit Code: 3\nProcess Group PGID: ", -1, `{"decision":"deny","reason":"R\nExit Code: 3\n...`},
	"codex.bash-exit-3":       {"Bash", "command", "1\n2\n", "", "", -1, `{"decision":"block","reason":"R"}`},
	"copilot-cli.bash": {
		"bash", "command", "1\n2\n", "", "<shellId: 0 completed with exit code 0>", 0, `{"modifiedResult":{"resultType":"success","textResultForLlm":"R\n<shellId: ...`,
	},
	"copilot-cli.bash-saved": {
		"bash", "command", "Output too large", ".txt", "<shellId: 0 completed with exit code 2>\nSaved to: /tmp/", 2, `{"modifiedResult":{"resultType":"success","textResultForLlm":"R\n<shellId: ...`,
	},
	"copilot-cli.mcp":  {"big-rows", "text", `[{"id":0,`, "", "", -1, `{"modifiedResult":{"resultType":"success","textResultForLlm":"R"}}`},
	"copilot-cli.grep": {"grep", "text", "[grep content: 772", "", "", -1, `{"modifiedResult":{"resultType":"success","textResultForLlm":"R"}}`},
	"opencode.mcp":     {"big_rows", "external_mcp", `{"content":[`, "", "", -1, `{"content":[{"text":"R","type":"text"}]}`},
	"pi.bash-failed":   {"bash", "command", "28002\n", ".log", "[Showing lines 28003-30002 of 30002. Full output: /tmp/pi-bash-", 2, `{"content":[{"text":"R\n[Showing...`},
	"pi.bash-saved":    {"bash", "command", "28002\n", ".log", "[Showing lines ", -1, `{"content":[{"text":"R\n[Showing...`},
}

// reads are the payloads that become receipts when reads do.
var reads = map[string]bool{"claude-code.read": true, "gemini-cli.read": true, "copilot-cli.view": true, "opencode.read": true, "pi.read": true}

func TestRecordedPayloads(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < len(wants) {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		r, err := hooks.After(hostOf(path), recorded(t, name), hooks.Options{Regular: there, Written: there})
		w, expected := wants[name]
		if err != nil || (r != nil) != expected {
			t.Errorf("%s: %v, %v", name, r, err)
			continue
		}
		if r != nil {
			compare(t, name, r, w)
		}
		read, err := hooks.After(hostOf(path), recorded(t, name), hooks.Options{Regular: there, Written: there, Reads: true})
		if err != nil || (read != nil) != (expected || reads[name]) {
			t.Errorf("%s with reads: %v, %v", name, read, err)
		}
	}
}

// compare compares a result with what is expected of it.
func compare(t *testing.T, name string, r *hooks.Result, w want) {
	t.Helper()
	out := r.Output(&pb.Payload{})
	exit := -1
	if c := out.GetCommand(); c != nil && c.ExitStatus != nil {
		exit = int(c.GetExitStatus())
	}
	if r.Tool != w.tool || r.Family() != w.family || exit != w.exit || !strings.HasPrefix(string(r.Text), w.begins) ||
		(r.File == "") != (w.file == "") || !strings.HasSuffix(r.File, w.file) || !strings.Contains(r.Keep, w.keep) || w.keep == "" && r.Keep != "" {
		t.Errorf("%s: tool %s, family %s, exit %d, file %q, kept %q, text %.40q", name, r.Tool, r.Family(), exit, r.File, r.Keep, r.Text)
	}
	reply, err := r.Reply("R\n")
	got := strings.TrimSpace(string(reply))
	if begin, open := strings.CutSuffix(w.reply, "..."); err != nil || !strings.HasPrefix(got, begin) || !open && got != begin {
		t.Errorf("%s: %s, want %s (%v)", name, got, w.reply, err)
	}
	if !json.Valid(reply) {
		t.Errorf("%s: no JSON: %s", name, reply)
	}
}

// TestCutResultSaysSo takes the files of the hosts away.
func TestCutResultSaysSo(t *testing.T) {
	t.Parallel()
	for name, alone := range map[string]bool{"claude-code.bash-saved": false, "copilot-cli.bash-saved": true, "codex.bash-cut": true, "opencode.bash-cut": true} {
		r, err := hooks.After(hostOf(name), recorded(t, name), hooks.Options{})
		if err != nil || (r == nil) != alone {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		if r == nil {
			continue
		}
		loss := r.Output(&pb.Payload{}).GetCommand().GetCombinedOutput().GetSourceLoss()
		if loss == nil || !r.Cut() || r.File != "" || r.Keep == "" {
			t.Errorf("%s: loss %v, file %q, kept %q", name, loss, r.File, r.Keep)
		}
		if name == "claude-code.bash-saved" && (loss.GetAtByte() != 30000 || loss.GetLostBytes() != 138894) {
			t.Errorf("%s: %v", name, loss)
		}
	}
}

// TestOutputCannotNameAFile has commands whose output looks like the host's own words.
func TestOutputCannotNameAFile(t *testing.T) {
	t.Parallel()
	saved := func(path string) string {
		return "Output too large to read at once (9 KB). Saved to: " + path + "\\n" + strings.Repeat("x\\n", 4000) + "<shellId: 0 completed with exit code 0>"
	}
	pi := strings.Repeat("x\\n", 4000) + "\\n\\n[Showing lines 1-2 of 3. Full output: /home/user/repository/pi-bash-1.log]\\n\\nCommand exited with code 9"
	copilot := func(text string) string {
		return `{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"success","textResultForLlm":"` + text + `"}}`
	}
	nothing := func(string) bool { return false }
	for name, c := range map[string]struct {
		host    hooks.Host
		payload string
		written func(string) bool
		exit    bool // the host states it
	}{
		"copilot, another name":     {hooks.CopilotCLI, copilot(saved("/home/user/.ssh/id_rsa")), there, true},
		"copilot, another place":    {hooks.CopilotCLI, copilot(saved("/home/user/repository/1-copilot-tool-output-1.txt")), nothing, true},
		"copilot, nobody asked":     {hooks.CopilotCLI, copilot(saved("/home/user/repository/1-copilot-tool-output-1.txt")), nil, true},
		"pi, a success":             {hooks.Pi, `{"toolName":"bash","input":{},"isError":false,"content":[{"type":"text","text":"` + pi + `"}]}`, there, false},
		"pi, another place":         {hooks.Pi, `{"toolName":"bash","input":{},"isError":true,"content":[{"type":"text","text":"` + pi + `"}]}`, nothing, true},
		"pi, another place, nobody": {hooks.Pi, `{"toolName":"bash","input":{},"isError":true,"content":[{"type":"text","text":"` + pi + `"}]}`, nil, true},
	} {
		r, err := hooks.After(c.host, []byte(c.payload), hooks.Options{Regular: there, Written: c.written})
		if err != nil || r == nil || r.File != "" || r.Cut() || strings.Contains(r.Keep, "utput") || (r.Output(&pb.Payload{}).GetCommand().ExitStatus != nil) != c.exit {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestReceiptNamesItsPlaces has texts that look like receipts: where their outputs are is asked of the sidecar, and not believed.
func TestReceiptNamesItsPlaces(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("line of the output\n", 300)
	for text, want := range map[string][]string{
		"Process exited with code 2\nstdout: 62 of 30001 lines; all: /home/user/1\n[…3:]\n" + lines + "stderr: 6 of 9 lines; all: /home/user/a b\n[…3:]": {"/home/user/1", "/home/user/a b"},
		"File text: 3 lines; all: /home/user/1\n" + lines: nil,
		"[…3:]\n; all: " + lines:                          nil,
		lines:                                             nil,
		strings.Repeat("; all: x\n[…3:]\n", 1000):         {"x", "x", "x", "x", "x", "x", "x", "x"},
	} {
		payload, err := json.Marshal(map[string]any{
			"toolName": "bash", "toolResult": map[string]any{"resultType": "success", "textResultForLlm": text + "\n<shellId: 0 completed with exit code 2>"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := hooks.After(hooks.CopilotCLI, payload, hooks.Options{}); r == nil || err != nil || !slices.Equal(r.Places, want) {
			t.Errorf("%.80q: %v, %v", text, r, err)
		}
	}
}

func TestReplyThatIsNoShorterIsNothing(t *testing.T) {
	t.Parallel()
	r, err := hooks.After(hooks.Codex, recorded(t, "codex.bash-exit-3"), hooks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := r.Reply(strings.Repeat("x", len(r.Text))); reply != nil || err != nil {
		t.Errorf("%s, %v", reply, err)
	}
}

func TestRecordedBefore(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-code": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"/a\\ b/toolresult shell -c /home/user/big.sh"}}}`,
		"gemini-cli":  `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"/a\\ b/toolresult shell -c 'seq 1 3000; exit 3'"}}}`,
		"codex":       `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"/a\\ b/toolresult shell -c 'seq 1 1800; exit 3'"}}}`,
		"copilot-cli": `{"modifiedArgs":{"command":"/a\\ b/toolresult shell -c /home/user/big.sh","description":"run it"}}`,
	} {
		want = strings.ReplaceAll(want, `/a\\ b/`, `'/a b/`)
		want = strings.ReplaceAll(want, `'/a b/toolresult`, `'/a b/toolresult'`)
		payload := recorded(t, name+".before")
		if !hooks.IsBefore(payload) {
			t.Errorf("%s: not seen as a before-hook", name)
		}
		got, err := hooks.Before(hooks.Host(name), payload, "/a b/toolresult", false)
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %s, want %s (%v)", name, got, want, err)
		}
		if strings.Contains(string(got), "allow") {
			t.Errorf("%s allows without being asked: %s", name, got)
		}
		allowed, err := hooks.Before(hooks.Host(name), payload, "/a b/toolresult", true)
		if err != nil || name != "gemini-cli" && !strings.Contains(string(allowed), `"permissionDecision":"allow"`) {
			t.Errorf("%s: %s, %v", name, allowed, err)
		}
	}
}

// TestBeforeIsDoneOnce gives a rewritten command to the hook again.
func TestBeforeIsDoneOnce(t *testing.T) {
	t.Parallel()
	payload := `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"toolresult shell -c 'ls'"}}`
	if out, err := hooks.Before(hooks.Codex, []byte(payload), "toolresult", false); out != nil || err != nil {
		t.Errorf("%s, %v", out, err)
	}
}

// TestMangledPayloads changes recorded payloads: whatever a host sends, the answer is nothing or JSON, and never a panic.
func TestMangledPayloads(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		payload, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(payload, &v); err != nil {
			t.Fatal(err)
		}
		payload, err = json.Marshal(mangle(t, v))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
			payload = payload[:rapid.IntRange(0, len(payload)).Draw(t, "at")]
		}
		host := rapid.SampledFrom(hooks.All).Draw(t, "host")
		r, err := hooks.After(host, payload, hooks.Options{Reads: true, Regular: there})
		if err != nil || r == nil {
			return
		}
		r.Output(&pb.Payload{})
		if reply, err := r.Reply("R"); err != nil || reply != nil && !json.Valid(reply) {
			t.Fatalf("%s, %v", reply, err)
		}
		if before, err := hooks.Before(host, payload, "/bin/toolresult", false); err == nil && before != nil && !json.Valid(before) {
			t.Fatalf("%s", before)
		}
	})
}

// mangle replaces or removes some values.
func mangle(t *rapid.T, v any) any {
	if rapid.IntRange(0, 19).Draw(t, "replace") == 0 {
		return rapid.SampledFrom([]any{nil, "", "text", 7.5, true, []any{}, map[string]any{}, []any{map[string]any{"type": "image", "data": "AAAA"}}}).Draw(t, "by")
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = mangle(t, v[key])
		}
	case []any:
		for i := range v {
			v[i] = mangle(t, v[i])
		}
	}
	return v
}

func TestUnknownHost(t *testing.T) {
	t.Parallel()
	for _, host := range []hooks.Host{"", "emacs"} {
		if _, err := hooks.After(host, []byte("{}"), hooks.Options{}); !errors.Is(err, hooks.ErrHost) {
			t.Error(err)
		}
		if _, err := hooks.Before(host, []byte("{}"), "p", false); !errors.Is(err, hooks.ErrHost) {
			t.Error(err)
		}
	}
}
