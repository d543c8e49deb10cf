package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// payload returns a payload that was recorded from a host.
func payload(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "hooks", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestHookAnswersWithAReceipt(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"claude-code.mcp":         {`"updatedToolOutput":[{"text":"External tool answered (big)\n`, " of 302 lines of a table; all: "},
		"gemini-cli.shell-exit-3": {`{"decision":"deny","reason":"Process exited\noutput: `, `Exit Code: 3\n`},
		"codex.bash-exit-3":       {`{"decision":"block","reason":"Process exited\n`},
		"copilot-cli.bash":        {`"textResultForLlm":"Process exited with code 0\n`, `<shellId: 0 completed with exit code 0>"`},
		"opencode.mcp":            {`{"content":[{"text":"External tool answered\n`},
	} {
		host, _, _ := strings.Cut(name, ".")
		o := toolresult(t, payload(t, name), "hook", host, "--patience=1m").want(0, texts...)
		if !json.Valid([]byte(o.out)) || o.err != "" {
			t.Errorf("%s: %s%s", name, o.out, o.err)
		}
		if len(o.out) > 4600 {
			t.Errorf("%s: the answer has %d bytes", name, len(o.out))
		}
	}
}

// TestHookReadsTheFileOfTheHost gives the hook a result that the host cut, with a file of everything.
func TestHookReadsTheFileOfTheHost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "1795645419757-copilot-tool-output-1-18d9198c.txt")
	whole := strings.Repeat("line of a log\n", 200_000) + "main.c:41:7: error: no such variable\n" + strings.Repeat("more of it\n", 200_000)
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	saved, err := json.Marshal(map[string]any{"toolName": "bash", "toolArgs": map[string]any{"command": "make"}, "toolResult": map[string]any{
		"resultType":       "success",
		"textResultForLlm": "Output too large to read at once (4.9 MB). Saved to: " + path + "\nPreview\n<shellId: 0 completed with exit code 2>",
	}})
	if err != nil {
		t.Fatal(err)
	}
	toolresult(t, string(saved), "hook", "copilot-cli", "--patience=1m").want(0, "Process exited with code 2", " of 400001 lines; all: ",
		"error: no such variable", `<shellId: 0 completed with exit code 2>\nSaved to: `+path)
	link := filepath.Join(filepath.Dir(path), "1795645419757-copilot-tool-output-2-18d9198c.txt")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	toolresult(t, strings.ReplaceAll(string(saved), path, link), "hook", "copilot-cli").wantOut("")
}

func TestHookNeverFails(t *testing.T) {
	t.Parallel()
	large := `{"toolName":"x","toolResult":{"resultType":"success","textResultForLlm":"` + strings.Repeat("x\\n", 5000) + `"}}`
	for _, c := range []struct{ host, stdin string }{
		{"copilot-cli", ""}, {"copilot-cli", "{"}, {"copilot-cli", "null"}, {"copilot-cli", `{"toolResult":7}`}, {"copilot-cli", "\xff\xfe"},
		{"emacs", large}, {"", large}, {"claude-code", large}, {"claude-code", payload(t, "claude-code.failed")}, {"codex", payload(t, "codex.bash-cut")},
	} {
		o := toolresult(t, c.stdin, "hook", c.host).wantOut("")
		if o.err != "" {
			t.Errorf("%s said %s", c.host, o.err)
		}
		toolresult(t, c.stdin, "hook", c.host, "--explain").want(0, "! toolresult: ")
	}
	toolresult(t, large, "hook", "copilot-cli", "--server", "unix:///no/such/socket").wantOut("")
	toolresult(t, large, "hook", "copilot-cli", "--max-tokens=1").wantOut("")
}

// TestHookGivesUpOnAFrozenSidecar has a server that accepts and says nothing.
func TestHookGivesUpOnAFrozenSidecar(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	frozen, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	for _, text := range []string{payload(t, "copilot-cli.bash"), `{"prompt":"where is the quetzal?"}`} {
		o := toolresult(t, text, "hook", "copilot-cli", "--patience=300ms", "--server", "unix://"+filepath.Join(dir, "s")).wantOut("")
		if o.err != "" {
			t.Error(o.err)
		}
	}
}

func TestHookRewritesWithoutAllowing(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"claude-code", "gemini-cli", "codex", "copilot-cli"} {
		o := toolresult(t, payload(t, host+".before"), "hook", host).want(0, " shell -c ")
		if strings.Contains(o.out, "allow") {
			t.Errorf("%s: %s", host, o.out)
		}
	}
	toolresult(t, payload(t, "codex.before"), "hook", "codex", "--allow").want(0, `"permissionDecision":"allow"`)
}
