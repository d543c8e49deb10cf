package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell/inner"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	const claude = `source /root/.claude/shell-snapshots/snapshot.sh 2>/dev/null || true && eval 'go test ./... | tee '"'"'x y'"'"'' \< /dev/null && pwd -P >| /tmp/claude-1-cwd`
	for _, c := range []struct {
		name    string
		args    []string
		real    []string
		command string
	}{
		{"toolresult-shell", []string{claude}, []string{"-c", claude}, "go test ./... | tee 'x y'"},
		{"toolresult-shell", []string{"npx -y server /tmp"}, []string{"-c", "npx -y server /tmp"}, ""}, // an MCP server
		{"toolresult-shell", []string{"echo pwd -P; true"}, []string{"-c", "echo pwd -P; true"}, ""},
		{"toolresult-shell", []string{"cd /x;pwd -P >| /tmp/cwd \n"}, []string{"-c", "cd /x;pwd -P >| /tmp/cwd \n"}, "cd /x;pwd -P >| /tmp/cwd \n"},
		{"toolresult-shell", []string{"pwd -P >| /tmp/cwd"}, []string{"-c", "pwd -P >| /tmp/cwd"}, "pwd -P >| /tmp/cwd"},
		{"toolresult-shell", []string{"xpwd -P >| /tmp/cwd"}, []string{"-c", "xpwd -P >| /tmp/cwd"}, ""},
		{"toolresult-shell", []string{"pwd -P >| "}, []string{"-c", "pwd -P >| "}, ""},
		{"toolresult-shell", []string{"pwd -P >| /tmp/cwd; cat"}, []string{"-c", "pwd -P >| /tmp/cwd; cat"}, ""},
		{"bash", []string{"script.sh"}, []string{"script.sh"}, ""},
		{"bash", nil, nil, ""},
		{"bash", []string{"-c", "seq 3"}, []string{"-c", "seq 3"}, "seq 3"},
		{"bash", []string{"-lc", "seq 3"}, []string{"-lc", "seq 3"}, "seq 3"},
		{"bash", []string{"-c", "-l", "seq 3", "name", "-i"}, []string{"-c", "-l", "seq 3", "name", "-i"}, "seq 3"},
		{"bash", []string{"--norc", "-eo", "pipefail", "-c", "seq 3"}, []string{"--norc", "-eo", "pipefail", "-c", "seq 3"}, "seq 3"},
		{"bash", []string{"-O", "extglob", "-c", "seq 3"}, []string{"-O", "extglob", "-c", "seq 3"}, "seq 3"},
		{"bash", []string{"-c", "--", "-x"}, []string{"-c", "--", "-x"}, "-x"},
		{"bash", []string{"-ic", "env"}, []string{"-ic", "env"}, ""},
		{"bash", []string{"-i", "-c", "env"}, []string{"-i", "-c", "env"}, ""},
		{"bash", []string{"-s", "-c"}, []string{"-s", "-c"}, ""},
		{"bash", []string{"-x", "script", "-c", "seq"}, []string{"-x", "script", "-c", "seq"}, ""},
		{"bash", []string{"-c"}, []string{"-c"}, ""},
		{"toolresult", []string{"-c", "eval \"$x\""}, []string{"-c", "eval \"$x\""}, "eval \"$x\""},
		{"toolresult", []string{"-c", "eval 'unclosed"}, []string{"-c", "eval 'unclosed"}, "eval 'unclosed"},
	} {
		got := read(c.name, c.args)
		command := ""
		if got.Line != "" {
			command = inner.Command(got.Line)
		}
		if command != c.command || !slices.Equal(got.Args, c.real) {
			t.Errorf("%s %q: %q with %q, want %q with %q", c.name, c.args, command, got.Args, c.command, c.real)
		}
	}
}

// TestRealShell has this program first in PATH, by the name of a shell: the next one is found.
func TestRealShell(t *testing.T) {
	t.Parallel()
	shim := t.TempDir()
	us, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "sh"} {
		if err := os.Symlink(us, filepath.Join(shim, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, wish, path, want string }{
		{"sh", "", shim + ":/bin", "/sh"}, {"toolresult", "", shim, "sh"}, {"sh", "/other/shell", "", "/other/shell"},
		{"sh", filepath.Join(shim, "sh"), shim + ":/usr/bin", "/sh"}, {"sh", "relative", "relative:/bin", "/bin/sh"},
	} {
		got, err := realShell(c.name, c.wish, c.path)
		if err != nil || !strings.HasSuffix(got, c.want) || strings.HasPrefix(got, shim) {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if isUs("/nonexistent") {
		t.Error("what is not there is this program")
	}
}

// TestTextIsRead compares the functions of text.go with those of strings that they are instead of.
func TestTextIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, sep := rapid.StringMatching(`[ab:=]{0,8}`).Draw(t, "text"), rapid.StringMatching(`[ab:=]{1,3}`).Draw(t, "separator")
		rest, ok := CutPrefix(text, sep)
		if want, wantOK := strings.CutPrefix(text, sep); rest != want || ok != wantOK || hasPrefix(text, sep) != wantOK {
			t.Fatalf("without the prefix: %q, %v", rest, ok)
		}
		if got, want := IndexAny(text, sep), strings.IndexAny(text, sep); got != want {
			t.Fatalf("one of %q is at %d, want %d", sep, got, want)
		}
		if got, want := Directories(text), strings.Split(text, ":"); !slices.Equal(got, want) {
			t.Fatalf("directories %q, want %q", got, want)
		}
		before, after, found := cutLast(text, sep)
		if i := strings.LastIndex(text, sep); found != (i >= 0) || found && (before != text[:i] || after != text[i+len(sep):]) || !found && before != text {
			t.Fatalf("cut into %q and %q", before, after)
		}
	})
}
