package shape_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/shape"
)

// isLog asks the signs of all lines of a text.
func isLog(text string) bool {
	var s shape.LogSigns
	for line := range strings.Lines(text) {
		s.Add([]byte(strings.TrimSuffix(line, "\n")))
	}
	return s.IsLog()
}

func TestSignsOfLogs(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("copying one file to another\n", 15)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", false},
		{"plain lines", filler, false},
		{"times", filler + "2026-11-25T00:45:29Z started\n", true},
		{"times behind a level", filler + "INFO 2026-11-25 00:45:29 started\n", true},
		{"times of a system log", filler + "Nov 25 00:45:29 host systemd[1]: started\n", true},
		{"times in colours", filler + "\x1b[32m[00:45:29]\x1b[0m started\n", true},
		{"a time in a sentence", filler + "the train leaves at 00:45:29 sharp\n", false},
		{"an exit", filler + "make: *** [Makefile:7: test] Error 2\n", true},
		{"a verdict", filler + "npm ERR! code ELIFECYCLE\nThe command \"npm test\" exited with 1.\n", true},
		{"findings", filler + "src/a.c:12:3: error: expected ';'\nsrc/b.c:2:1: error: expected ')'\n", true},
		{"words of failure", filler + "an error occurred while the error was handled\n", false},
		{"code that reports exits", strings.Repeat("\tcall(x);\n", 9) + "make: *** [Makefile:7: test] Error 2\n", false},
	} {
		if got := isLog(c.text); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The sources of Go are full of errors, panics and times, and are no logs.
func TestSourcesAreNoLogs(t *testing.T) {
	t.Parallel()
	// A test that is built with -trimpath does not know where Go is.
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, logs := 0, []string{}
	for _, folder := range []string{"testing", "log", "runtime", "net/http", "os/exec", "cmd/go/internal/test", "go/types", "errors", "time"} {
		root := filepath.Join(strings.TrimSpace(string(goroot)), "src", folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path)
			if files++; isLog(string(bytes.ToValidUTF8(text, nil))) {
				logs = append(logs, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(logs)*200 > files {
		t.Errorf("%d of %d files are taken for logs: %q", len(logs), files, logs)
	}
}
