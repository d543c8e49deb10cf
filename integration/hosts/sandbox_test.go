package hosts_test

import (
	"slices"
	"strings"
	"testing"
)

// TestCodexInItsSandbox: there no command may connect to a sidecar, and each has one in its own process.
func TestCodexInItsSandbox(t *testing.T) {
	for _, sandbox := range []string{"workspace-write", "read-only"} {
		t.Run(sandbox, func(t *testing.T) {
			h := hosts[slices.IndexFunc(hosts, func(h host) bool { return h.name == "codex" })]
			h.args = []string{"exec", "--skip-git-repo-check", "--sandbox", sandbox, "go"}
			tr := newTrial(t, h, "echo short; exit 3", log+"exit 2")
			tr.toolresult("install", h.name, "--yes")
			tr.more = []string{"TOOLRESULT_PATIENCE=30s"}
			results := tr.run()
			if len(results) != 2 || !strings.Contains(results[0], "short") {
				t.Fatalf("%.2000q", results)
			}
			c := cell{"exit 2", "", 2}
			t.Logf("%v: %.400s", tr.model.Took(), results[1])
			if !c.isShown(h.name, sandbox == "workspace-write", results[1]) {
				t.Errorf("%d bytes: %.1500s", len(results[1]), results[1])
			}
		})
	}
}
