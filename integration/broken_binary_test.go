package integration_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// installedShell is what `toolresult install` wrote for a copy of the program.
type installedShell struct {
	program  string // path of the copy
	launcher string
	bashFile string // for BASH_ENV
	env      []string
}

// install installs a copy of the program, beside a sidecar that makes receipts.
func install(t *testing.T) installedShell {
	t.Helper()
	env := append(environment(t), "TOOLRESULT_PATIENCE=30s", "TOOLRESULT_ADDRESS=unix://"+startSidecar(t, launch{}).Socket)
	home := variable(env, "HOME")
	i := installedShell{
		filepath.Join(t.TempDir(), "tool result"), filepath.Join(home, ".local", "share", "toolresult", "bin", "toolresult-shell"),
		filepath.Join(home, ".gemini", "toolresult.bash"), append(env, "GEMINI_CLI=1", "XDG_DATA_HOME="),
	}
	i.write(t, readFile(t, binary))
	if r := run(t, i.env, nil, i.program, "install", "gemini-cli", "--yes"); r.code != 0 {
		t.Fatalf("install: %+v", r)
	}
	return i
}

// write replaces the program.
func (i installedShell) write(t *testing.T, content []byte) {
	t.Helper()
	_ = os.Remove(i.program) // which is none at first
	if err := os.WriteFile(i.program, content, 0o700); err != nil {
		t.Fatal(err)
	}
}

// ways are how hosts run a line: as arguments of the launcher, as its only argument, and by BASH_ENV.
var ways = map[string]string{
	"launcher": `exec "$0" -c "$2"`, "prefix": `exec "$0" "$2; true && pwd -P >| /dev/null"`, "BASH_ENV": `BASH_ENV="$1" exec bash -c "$2"`,
}

// run runs a line in a way, with commands of a shell before.
func (i installedShell) run(t *testing.T, way, before, line string) ran {
	t.Helper()
	return run(t, i.env, nil, "sh", "-c", before+"\n"+ways[way], i.launcher, i.bashFile, line)
}

// variable returns a variable of an environment.
func variable(env []string, name string) (value string) {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// wantOnce runs a command that counts itself: it runs once, by bash, with its code and its output, and nothing else is printed.
func (i installedShell) wantOnce(t *testing.T, before string) {
	t.Helper()
	for way := range ways {
		count, code := filepath.Join(t.TempDir(), "count"), 7
		if way == "prefix" {
			code = 0
		}
		r := i.run(t, way, before, "echo x >>"+count+"; seq 30000; echo err >&2; (exit 7)")
		runs, err := os.ReadFile(count)
		if string(runs) != "x\n" || r.stdout != numbersTo(30_000) || r.stderr != "err\n" || r.code != code {
			t.Errorf("%s: it ran %q, %v, code %d, %d bytes, %.300q", way, runs, err, r.code, len(r.stdout), r.stderr)
		}
	}
}

// loaded returns the size of the part of a program that the kernel maps: symbols for debuggers are behind it.
func loaded(t *testing.T, program []byte) (size int) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Skipf("skipped: the program is no ELF file: %v", err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD {
			size = max(size, int(p.Off+p.Filesz))
		}
	}
	return size
}

// TestBrokenProgramLosesNoCommand replaces the program by broken files of all kinds.
func TestBrokenProgramLosesNoCommand(t *testing.T) {
	t.Parallel()
	whole, i := readFile(t, binary), install(t)
	for way := range ways {
		if r := i.run(t, way, "", "seq 30000; (exit 7)"); !strings.HasPrefix(r.stdout, "Process exited with code ") || r.stderr != "" {
			t.Fatalf("%s makes no receipt of a whole program: code %d, %.200q, %q", way, r.code, r.stdout, r.stderr)
		}
	}
	cases := map[string][]byte{
		"empty": nil, "junk": []byte("junk"), "zeros": make([]byte, 10_000), "a silent script": []byte("#!/bin/sh\n"),
		"a script that succeeds": []byte("#!/bin/sh\necho done\n"), "a script of nothing we know": []byte("#!/no/such/program\n"),
		"one that never ends": []byte("#!/bin/sh\nexec sleep 1000\n"),
	}
	end := loaded(t, whole)
	for _, n := range []int{1000, end / 8, end / 4, end / 2, end * 3 / 4, end * 15 / 16, end - 1} {
		cases[fmt.Sprint(n, " bytes")] = whole[:n]
	}
	for name, content := range cases {
		i.write(t, content)
		t.Run(name, func(t *testing.T) { i.wantOnce(t, "") })
	}
	if err := os.Chmod(i.program, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("not executable", func(t *testing.T) { i.wantOnce(t, "") })
	if err := os.Remove(i.program); err != nil {
		t.Fatal(err)
	}
	t.Run("removed", func(t *testing.T) { i.wantOnce(t, "") })
	text := readFile(t, i.launcher)
	for _, n := range []int{0, 10, len(text) / 2, len(text) - 40, len(text) - 2} {
		if err := os.WriteFile(i.launcher, text[:n], 0o700); err != nil {
			t.Fatal(err)
		}
		r := run(t, append(i.env, "BASH_ENV="+i.bashFile), nil, "bash", "-c", "echo out; exit 7")
		if r.stdout != "out\n" || r.code != 7 || r.stderr != "" {
			t.Errorf("%d bytes of the launcher: %+v", n, r)
		}
	}
}

// TestProgramThatCannotStartLosesNoCommand has limits and variables in which Go does not start, or ends later.
func TestProgramThatCannotStartLosesNoCommand(t *testing.T) {
	t.Parallel()
	i := install(t)
	for _, before := range []string{
		"ulimit -v 300000", "ulimit -v 600000", "ulimit -v 1200000", "ulimit -v 1800000", "ulimit -n 6", "ulimit -n 9", "ulimit -n 16", "ulimit -d 60000",
		"export GOMEMLIMIT=junk", "export GOGC=junk GOMEMLIMIT=1XB", "export GODEBUG=inittrace=1",
	} {
		t.Run(before, func(t *testing.T) { i.wantOnce(t, before) })
	}
}

// TestLowLimitsAreSaid calls the program without the launcher: the real shell is in its place, after one line.
func TestLowLimitsAreSaid(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"-n 12", "-n 40", "-v 3000000", "-d 500000"} {
		for _, call := range []string{"exec -- bash -c", "exec --combined -- bash -c", "shell -c"} {
			r := run(t, environment(t), nil, "sh", "-c", "ulimit "+limit+`; exec "$0" `+call+` 'echo $(ulimit `+limit[:2]+`); exit 7'`, binary)
			if r.stdout != limit[3:]+"\n" || r.code != 7 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "ulimit "+limit[:2]) {
				t.Errorf("%s, %s: %+v", limit, call, r)
			}
		}
	}
}

// TestAbortHasNoTrace sends signals by which a Go program prints a trace: commands get them, and what has no command ends with one line.
func TestAbortHasNoTrace(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGABRT, syscall.SIGTRAP, syscall.SIGSYS} {
		for _, call := range []string{"exec -- bash -c", "exec --combined -- bash -c", "shell -c"} {
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf("trap 'echo got; exit 5' %d; : >%s; while :; do sleep 0.02; done", s, fifo)
			r := signalled(t, s, fifo, append(strings.Fields(call), line)...)
			if r.code != 5 || !strings.HasSuffix(r.stdout, "got\n") && !strings.HasSuffix(r.stdout, "got") || r.stderr != "" {
				t.Errorf("%v to %s: %+v", s, call, r)
			}
		}
	}
	if r := signalled(t, syscall.SIGABRT, "", "hook", "claude-code"); r.code != 128+int(syscall.SIGABRT) || r.stderr != "toolresult: ended by SIGABRT\n" {
		t.Errorf("a hook: %+v", r)
	}
}

// signalled runs the binary with a pipe as its input, and sends it a signal once its command has opened a fifo; without one, once the
// binary reads its input.
func signalled(t *testing.T, s syscall.Signal, fifo string, args ...string) ran {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(t), &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if fifo != "" {
		if _, err := os.ReadFile(fifo); err != nil {
			t.Fatal(err)
		}
	} else if _, err := in.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the state has its end
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
