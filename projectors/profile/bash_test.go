package profile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/projectors/profile"
)

// lineOf draws a command line. "bad" prints and fails, "good" prints and succeeds.
func lineOf(r *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{
			"bad", "bad 2>&1", "A=1 bad", "good", "cd .", "echo x", "true", "false", "test -d .", "x=1",
			"set -e", "set +e", "set -o pipefail", "set -euo pipefail", "exit 1", "exit", "exit $?", "exit 0",
		}).Draw(r, "command")
	}
	part := func() string { return lineOf(r, rapid.IntRange(0, depth-1).Draw(r, "depth")) }
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	switch rapid.IntRange(0, 12).Draw(r, "kind") {
	case 0, 1:
		return part() + "; " + part()
	case 2, 3:
		return part() + " && " + part()
	case 4:
		return part() + " || " + part()
	case 5:
		return part() + " | cat"
	case 6:
		return "(" + part() + ")"
	case 7:
		return "{ " + part() + "; }"
	case 8:
		return "bash -c " + quote(part())
	case 9:
		return "set -e\n" + part()
	case 10:
		return "for i in 1 2; do " + part() + "; done"
	case 11:
		return "! " + part()
	}
	return "eval " + quote(part())
}

// TestStatusAgreesWithBash runs random lines: when bash ends with 0 and a command that printed failed, status 0 does not cover it.
func TestStatusAgreesWithBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: there is no bash")
	}
	dir := t.TempDir()
	for name, script := range map[string]string{"bad": "#!/bin/sh\n: > " + dir + "/failed\necho some error\nexit 2\n", "good": "#!/bin/sh\necho fine\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		line := lineOf(r, rapid.IntRange(1, 4).Draw(r, "depth"))
		if !strings.Contains(line, "bad") || !profile.StatusCovers(line) {
			return
		}
		if err := os.Remove(filepath.Join(dir, "failed")); err != nil && !errors.Is(err, os.ErrNotExist) {
			r.Fatal(err)
		}
		c := exec.Command(bash, "-c", line)
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		ended := c.Run()
		if _, err := os.Stat(filepath.Join(dir, "failed")); err == nil && ended == nil {
			r.Errorf("%q ends with 0 although a command failed that printed", line)
		}
	})
}
