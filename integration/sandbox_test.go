package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// sandboxVariable has this test binary run its arguments in a sandbox.
const sandboxVariable = "TOOLRESULT_TEST_SANDBOX"

// A host's sandbox may deny commands all sockets, and so every sidecar. A receipt is made there all the same, and what it names
// can be read; a sidecar that runs is not asked.
func TestShellInSandboxWithoutSockets(t *testing.T) {
	t.Parallel()
	leg(t, runtime.GOOS == "linux", "system calls can be filtered on Linux only")
	tmp := t.TempDir()
	s := newShells(t, true)
	run := func(tmp string) ran {
		return run(t, append(s.env, sandboxVariable+"=1", "TMPDIR="+tmp), nil, os.Args[0], binary, "shell", "-c", failingLine)
	}
	r := run(tmp)
	if r.code != 2 || r.stderr != "" || len(r.stdout) > 4000 || !strings.Contains(r.stdout, "undefined: x") {
		t.Errorf("code %d, %d bytes: %.300s%s", r.code, len(r.stdout), r.stdout, r.stderr)
	}
	kept := regexp.MustCompile(`all: (\S+)`).FindStringSubmatch(r.stdout)
	if kept == nil || !strings.HasPrefix(kept[1], tmp) {
		t.Fatalf("the output is not kept below TMPDIR: %s", r.stdout)
	}
	if all, err := os.ReadFile(kept[1]); err != nil || string(all) != numbersTo(30_000) {
		t.Errorf("%s is not the output: %d bytes, %v", kept[1], len(all), err)
	}
	// Without a directory to write, as in a sandbox that only reads, the output is as it was.
	if r := run(filepath.Join(tmp, "none")); r.code != 2 || r.stdout != numbersTo(30_000) || r.stderr != "main.go:7:2: undefined: x\n" {
		t.Errorf("without TMPDIR: code %d, %d bytes, %s", r.code, len(r.stdout), r.stderr)
	}
}
