package hosts_test

import (
	"strings"
	"testing"
)

// The command of all trials prints 30,001 lines with an error in the middle, 168,920 bytes, and ends with 2.
const (
	deciding = "main.c:41:7: error: no x;"
	failing  = "seq 1 15000; echo '" + deciding + "'; seq 15001 30000; exit 2"
)

// showsCode are the words of the hosts about a command that ended with 2. OpenCode has none.
var showsCode = map[string]string{
	"claude-code": "Exit code 2\n", "gemini-cli": "Exit Code: 2\n", "codex": "Process exited with code 2\n",
	"copilot-cli": "completed with exit code 2>", "pi": "Command exited with code 2",
}

// TestHostsAlone is the measure: no host shows the model the line that matters.
func TestHostsAlone(t *testing.T) {
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			tr := newTrial(t, h, failing)
			results := tr.run()
			if len(results) != 1 {
				t.Fatalf("%d results", len(results))
			}
			t.Logf("the model reads %d bytes", len(results[0]))
			if strings.Contains(results[0], deciding) {
				t.Errorf("the host shows the line now: %.2000s", results[0])
			}
			if !strings.Contains(results[0], showsCode[h.name]) {
				t.Errorf("no %q in %.400s", showsCode[h.name], results[0])
			}
		})
	}
}

// TestReceiptReachesTheModel installs, runs a host, and takes the installation away.
func TestReceiptReachesTheModel(t *testing.T) {
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			tr := newTrial(t, h, failing, "echo short; exit 3", "seq 1 20000")
			before := tr.settings()
			tr.toolresult("install", h.name, "--yes")
			tr.toolresult("ensure")
			results := tr.run()
			if len(results) != 3 {
				t.Fatalf("%d results: %.2000q", len(results), results)
			}
			t.Logf("the model reads %d bytes", len(results[0]))
			// A token has a byte at least, so that this is less than 1,000 tokens.
			if got := results[0]; !strings.Contains(got, deciding) || !strings.Contains(got, "168920 bytes") || len(got) > 1000 {
				t.Errorf("%d bytes: %.2000s", len(got), got)
			}
			if !strings.Contains(results[0], showsCode[h.name]) || !strings.Contains(results[0], "Process exited with code 2\n") {
				t.Errorf("no exit code in %s", results[0])
			}
			if !strings.Contains(results[1], "short") {
				t.Errorf("the short output is %q", results[1])
			}
			if !strings.Contains(results[2], "20000 lines, 108894 bytes") {
				t.Errorf("the output of a command that ended with 0: %.500s", results[2])
			}
			tr.toolresult("uninstall", h.name, "--yes")
			// Hosts write to their settings, too, so that files differ. That ours are restored is tested in internal/hosts.
			after := tr.settings()
			for name, text := range after {
				if strings.Contains(text, "toolresult") {
					t.Errorf("%s is left: %s", name, text)
				}
			}
			for name := range before {
				if after[name] == "" {
					t.Errorf("%s is gone", name)
				}
			}
		})
	}
}
