package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// TestShellStartsASidecar: a command where none runs is a receipt, and the next one finds the same sidecar.
func TestShellStartsASidecar(t *testing.T) {
	t.Parallel()
	u := newEnsured(t, "TOOLRESULT_PATIENCE=30s")
	for range 2 {
		r := cli(t, u.env, nil, "shell", "-c", failingLine)
		if r.code != 2 || !strings.HasPrefix(r.stdout, "Process exited with code 2\n") || r.stderr != "" {
			t.Fatalf("code %d: %.300s%s", r.code, r.stdout, r.stderr)
		}
	}
	if pids := u.sidecars(); len(pids) != 1 || pids[0] != u.address().PID {
		t.Errorf("sidecars %v", pids)
	}
}

// TestShortCommandsWarmASidecar: it is started for the commands to come, which does not take the time of the first.
func TestShortCommandsWarmASidecar(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	if r := cli(t, u.env, nil, "shell", "-c", "echo hi; sleep 0.5"); r.stdout != "hi\n" || r.code != 0 {
		t.Fatalf("%+v", r)
	}
	sidecartest.WaitFor(t, "a sidecar", func() bool {
		_, err := os.Stat(filepath.Join(u.dir(), "address"))
		return err == nil
	})
}

// TestHookStartsASidecar: the first hook of a session answers, too.
func TestHookStartsASidecar(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	payload := string(readFile(t, "../internal/hooks/testdata/copilot-cli.bash.json"))
	r := cli(t, u.env, strings.NewReader(payload), "hook", "copilot-cli", "--patience=30s")
	if r.code != 0 || !strings.Contains(r.stdout, `"modifiedResult"`) || r.stderr != "" {
		t.Errorf("%+v", r)
	}
	u.address()
}

// TestNoSidecarIsStartedInVain: where none can be, the output is as it was, and nothing is left.
func TestNoSidecarIsStartedInVain(t *testing.T) {
	t.Parallel()
	for name, variable := range map[string]string{
		"an address": "TOOLRESULT_ADDRESS=unix:///nonexistent/s", "a mistake": "TOOLRESULT_MAX_CONNECTIONS=0", "no directory": "XDG_RUNTIME_DIR=/proc/nonexistent",
	} {
		u := newEnsured(t, variable)
		r := cli(t, u.env, nil, "shell", "-c", failingLine)
		if r.code != 2 || r.stdout != numbersTo(30_000) {
			t.Errorf("%s: code %d, %d bytes", name, r.code, len(r.stdout))
		}
		if pids := u.sidecars(); len(pids) != 0 {
			t.Errorf("%s: sidecars %v", name, pids)
		}
	}
}

// TestSidecarOfAShellOutlivesIt: neither the end of the host's process group nor its closed pipes end the sidecar.
func TestSidecarOfAShellOutlivesIt(t *testing.T) {
	t.Parallel()
	u := newEnsured(t, "TOOLRESULT_PATIENCE=30s")
	r := run(t, u.env, nil, "setsid", "-w", "sh", "-c", `"$0" shell -c 'seq 30000' | head -n 1; kill -9 0`, binary)
	if r.stdout != "Process exited with code 0\n" {
		t.Fatalf("%+v", r)
	}
	if err := syscall.Kill(u.address().PID, 0); err != nil {
		t.Error(err)
	}
}

// TestHookGivesUpAFrozenSidecar as soon as a command does, also with a file that is more than a sidecar takes without an answer.
func TestHookGivesUpAFrozenSidecar(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	if err := syscall.Kill(u.must(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(u.home, "1-copilot-tool-output-1.txt") // the directory of temporary files of the hook
	if err := os.WriteFile(path, []byte(numbersTo(5_000_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, payload := range map[string]string{
		"text": string(readFile(t, "../internal/hooks/testdata/copilot-cli.bash.json")),
		"file": `{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"success","textResultForLlm":"Output too large to read at once (1 MB). Saved to: ` +
			path + `\nPreview\n<shellId: 0 completed with exit code 2>"}}`,
	} {
		r := cli(t, append(u.env, "TOOLRESULT_PATIENCE=", "TMPDIR="+u.home), strings.NewReader(payload), "hook", "copilot-cli")
		if r.code != 0 || r.stdout+r.stderr != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
