package hosts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/hooks"
)

// bashFile writes the file that bash reads for a host, with a shell that says how it was called.
func bashFile(t *testing.T, host hooks.Host, shell string) string {
	t.Helper()
	m := newMachine(t)
	o := m.options()
	o.Shell = filepath.Join(m.home, "it's a shell")
	if shell != "" {
		write(t, o.Shell, shell)
		if err := os.Chmod(o.Shell, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.store.Install(m.plan(t, host, o)); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.plan(t, host, o).Changes {
		if filepath.Base(c.Path) == "toolresult.bash" {
			return c.Path
		}
	}
	t.Fatal("the plan has no file for bash")
	return ""
}

// bash runs bash with the file.
func bash(t *testing.T, file string, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("bash", args...)
	c.Env = append(append(os.Environ(), "BASH_ENV="+file, "HOME=/no/such/home"), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		out = append(out, err.Error()...)
	}
	return strings.TrimSpace(string(out))
}

const tracing = "#!/bin/sh\necho \"shell($1)\"\nexec /bin/bash \"$@\"\n# The end of toolresult-shell.\n"

func TestBashFileRunsTheCommandOnce(t *testing.T) {
	t.Parallel()
	gemini, codex := bashFile(t, hooks.GeminiCLI, tracing), bashFile(t, hooks.Codex, tracing)
	guard := []string{"GEMINI_CLI=1"}
	for _, c := range []struct {
		name, want, file string
		env, args        []string
	}{
		{"a command", "shell(-c)\nhi", gemini, guard, []string{"-c", "echo hi"}},
		{"a login shell", "shell(-c)\nhi", codex, nil, []string{"-lc", "echo hi"}},
		{"a shell in the command", "shell(-c)\nhi", gemini, guard, []string{"-c", "bash -c 'echo hi'"}},
		{"another program than the host", "hi", gemini, nil, []string{"-c", "echo hi"}},
		{"the code", "shell(-c)\nexit status 7", gemini, guard, []string{"-c", "exit 7"}},
		{"Codex' snapshot", "shell(-c)\nhi", codex, nil, []string{"-c", "__CODEX_SNAPSHOT_X=1\nexec bash -c 'echo hi'"}},
		{"no shell", "hi", bashFile(t, hooks.Codex, ""), nil, []string{"-c", "echo hi"}},
		{"an empty shell", "hi", bashFile(t, hooks.Codex, "\n"), nil, []string{"-c", "echo hi"}},
		{"half a shell", "hi", bashFile(t, hooks.Codex, tracing[:40]), nil, []string{"-c", "echo hi"}},
		{"a shell without its last line", "hi", bashFile(t, hooks.Codex, strings.TrimSuffix(tracing, ".\n")), nil, []string{"-c", "echo hi"}},
		{"a broken shell", "hi", bashFile(t, hooks.Codex, "#!/no/such/program\n"+tracing), nil, []string{"-c", "echo hi 2>&1"}},
	} {
		if got := bash(t, c.file, c.env, c.args...); got != c.want && !(c.name == "a broken shell" && strings.HasSuffix(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestScriptIsNoCommand(t *testing.T) {
	t.Parallel()
	file := bashFile(t, hooks.Codex, tracing)
	script := filepath.Join(t.TempDir(), "script")
	write(t, script, "echo hi\n")
	if got := bash(t, file, nil, script); got != "hi" {
		t.Error(got)
	}
}

func TestTryRunsTheWayOfTheHost(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, host := range hooks.All {
		p := m.plan(t, host, m.options())
		args, _ := p.Try("exit 2")
		if (args == nil) != (host == hooks.CopilotCLI) {
			t.Errorf("%s: %q", host, args)
		}
	}
	o := m.options()
	o.Rewrite = true
	args, env := m.plan(t, hooks.Codex, o).Try("echo 'a b'")
	if want := `/usr/bin/toolresult shell -c 'echo '\''a b'\'''`; len(args) != 3 || args[2] != want || env != nil {
		t.Errorf("%q, want %q", args, want)
	}
}

// TestFirstShellOnASocket: bash takes a first shell whose standard input may be a socket, as in Codex' sandbox, for one of rshd, and
// then reads no BASH_ENV. The variable of the plan makes it the second; that of the command is the first again, as without us.
func TestFirstShellOnASocket(t *testing.T) {
	t.Parallel()
	file := bashFile(t, hooks.Codex, tracing)
	run := func(env ...string) string {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
		near, far := os.NewFile(uintptr(pair[0]), "near"), os.NewFile(uintptr(pair[1]), "far")
		defer near.Close()
		defer far.Close()
		c := exec.Command("bash", "-c", "echo $SHLVL")
		c.Stdin, c.Env = near, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/no/such/home", "BASH_ENV=" + file}, env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
		return string(out)
	}
	if got := run("SHLVL=1"); got != "shell(-c)\n1\n" {
		t.Errorf("with the variable: %q", got)
	}
	if got := run(); got != "1\n" {
		t.Logf("this bash takes no first shell for one of rshd, and would not need the variable: %q", got)
	}
	m := newMachine(t)
	if err := m.store.Install(m.plan(t, hooks.Codex, m.options())); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(m.home, ".codex", "config.toml")); !strings.Contains(got, `SHLVL = "1"`) || strings.Count(got, "set = ") != 1 {
		t.Errorf("%s", got)
	}
}
