package families_test

import (
	"testing"

	"github.com/toolresult/toolresult/server/families"
)

// A view has the largest default budget, by the name of its tool or by its command line.
func TestBudgetsOfViews(t *testing.T) {
	t.Parallel()
	byName := map[string]*families.Family{}
	for _, f := range families.BuiltIn() {
		byName[f.Name] = &f
		if f.Tokens > families.ViewTokens {
			t.Errorf("%s has %d tokens", f.Name, f.Tokens)
		}
	}
	for _, c := range []struct {
		family, tool, line string
		view               bool
	}{
		{"text", "Read", "", true}, {"text", "view", "", true}, {"text", "readFile", "", true}, {"text", "open", "", true}, {"text", "str_replace_editor.view", "", true},
		{"external_mcp", "mcp__fs__read_text_file", "", true}, {"external_mcp", "filesystem/read_multiple_files", "", true},
		{"external_mcp", "mcp__mail__read_messages", "", false}, {"text", "read_console_logs", "", false}, {"text", "grep_search", "", false},
		{"text", "thread", "", false}, {"web_fetch", "read", "", false}, {"text", "overview", "", false},
		{"command", "bash", "cat main.go", true}, {"command", "bash", "sed -n '1,200p' src/lib.rs", true}, {"command", "bash", "cd /src && nl -ba x.py | head -80", true},
		{"command", "bash", "cat build.log", false}, {"command", "bash", "make", false}, {"command", "read", "go test ./...", false}, {"command", "bash", "", false},
	} {
		f := byName[c.family]
		want := f.Tokens
		if c.view {
			want = families.ViewTokens
		}
		if got := f.DefaultTokens(c.tool, c.line); got != want {
			t.Errorf("%s %s %q: %d tokens, want %d", c.family, c.tool, c.line, got, want)
		}
	}
}
