package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shells are a sidecar, and a folder in which the binary has the names of shells.
type shells struct {
	dir string
	env []string
}

// newShells starts a sidecar, and returns shells that find it. Without one, they find none, and start none, because its address is named.
func newShells(t *testing.T, alive bool) shells {
	t.Helper()
	s := shells{dir: t.TempDir(), env: environment(t)}
	for _, name := range []string{"toolresult-shell", "bash", "sh"} {
		if err := os.Symlink(binary, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(s.dir, "none")
	if alive {
		socket = startSidecar(t, launch{}).Socket
	}
	s.env = append(s.env, "TOOLRESULT_ADDRESS=unix://"+socket)
	return s
}

// called runs a shell by a name. Its output is never a terminal.
func (s shells) called(t *testing.T, stdin, name string, args ...string) ran {
	t.Helper()
	return run(t, s.env, strings.NewReader(stdin), filepath.Join(s.dir, name), args...)
}

// failing writes 168 KB with an error in the middle, and exits with 2.
const failingLine = `seq 15000; echo "main.go:7:2: undefined: x" >&2; seq 15001 30000; exit 2`

// TestShellOutputs: short output comes byte for byte, on its own streams; long output as a receipt that has the deciding line; without
// a sidecar everything as it was.
func TestShellOutputs(t *testing.T) {
	t.Parallel()
	alive, alone := newShells(t, true), newShells(t, false)
	for _, name := range []string{"toolresult-shell", "bash", "sh"} {
		for _, s := range []shells{alive, alone} {
			r := s.called(t, "", name, "-c", `printf 'a\0b\n\tc'; echo err >&2; exit 3`)
			if r.stdout != "a\x00b\n\tc" || r.stderr != "err\n" || r.code != 3 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		r := alive.called(t, "", name, "-c", failingLine)
		if r.code != 2 || !strings.HasPrefix(r.stdout, "Process exited with code 2\n") || !strings.Contains(r.stdout, "undefined: x") || len(r.stdout) > 4000 || r.stderr != "" {
			t.Errorf("%s: code %d, %d bytes: %.300s%s", name, r.code, len(r.stdout), r.stdout, r.stderr)
		}
		r = alone.called(t, "", name, "-c", failingLine)
		if r.code != 2 || len(r.stdout) != len(numbersTo(30_000)) || r.stderr != "main.go:7:2: undefined: x\n" {
			t.Errorf("%s, alone: code %d, %d bytes: %s", name, r.code, len(r.stdout), r.stderr)
		}
	}
	// All of these lines fit into a receipt, which would be longer than they are.
	for _, s := range []shells{alive, alone} {
		r := s.called(t, "", "bash", "-c", `for i in $(seq 80); do echo "configuration directory number $i processed successfully"; done; exit 4`)
		if strings.Count(r.stdout, "\n") != 80 || len(r.stdout) <= 4096 || r.code != 4 || !strings.HasPrefix(r.stdout, "configuration") {
			t.Errorf("%d bytes: %.300s", len(r.stdout), r.stdout)
		}
	}
	if r := run(t, append(alive.env, "TOOLRESULT_MAX_TOKENS=120"), nil, binary, "shell", "-c", failingLine); len(r.stdout) > 700 || r.code != 2 {
		t.Errorf("%d bytes at 120 tokens", len(r.stdout))
	}
	if r := run(t, append(alive.env, "TOOLRESULT_RAW=1"), nil, binary, "shell", "-c", failingLine); len(r.stdout) != len(numbersTo(30_000)) {
		t.Errorf("%d bytes of raw output", len(r.stdout))
	}
}

// TestShellPrefix: a line of Claude Code is a command, which leaves its folder in a file; a server gets its standard input, and its
// output as it is, however long.
func TestShellPrefix(t *testing.T) {
	t.Parallel()
	s := newShells(t, true)
	cwd := filepath.Join(t.TempDir(), "cwd")
	r := s.called(t, "", "toolresult-shell", `eval 'cd / && seq 30000' \< /dev/null && pwd -P >| `+cwd)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "Process exited with code 0\n") || string(readFile(t, cwd)) != "/\n" {
		t.Errorf("code %d: %.200s%s", r.code, r.stdout, r.stderr)
	}
	message := strings.Repeat(`{"jsonrpc":"2.0"}`+"\n", 3000)
	if r := s.called(t, message, "toolresult-shell", "cat; exit 5"); r.stdout != message || r.code != 5 {
		t.Errorf("code %d, %d bytes of %d", r.code, len(r.stdout), len(message))
	}
}

// TestShellsOfScripts: scripts, standard input as a program, and the shells that they and commands start see what they would see.
func TestShellsOfScripts(t *testing.T) {
	t.Parallel()
	s := newShells(t, true)
	s.env = append(s.env, "PATH="+s.dir+":"+os.Getenv("PATH"))
	const inner = `bash -c 'seq 30000' | tail -n 1; x=$(sh -c 'seq 2000'); echo ${#x}`
	script := filepath.Join(s.dir, "script")
	if err := os.WriteFile(script, []byte(inner), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "30000\n8892\n"
	for name, r := range map[string]ran{
		"a command": s.called(t, "", "bash", "-c", inner), "a script": s.called(t, "", "bash", script), "standard input": s.called(t, inner, "bash"),
	} {
		if r.stdout != want || r.code != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestShellShowsLongCommands: the beginning of the output of a command that runs for long is there before its end, once.
func TestShellShowsLongCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes 25 s")
	}
	t.Parallel()
	s := newShells(t, true)
	begun := time.Now()
	r := s.called(t, "", "bash", "-c", `echo first; sleep 22; echo last`)
	if r.stdout != "first\nlast\n" {
		t.Errorf("%q after %v", r.stdout, time.Since(begun))
	}
	log := filepath.Join(t.TempDir(), "log")
	r = run(t, s.env, nil, "/bin/sh", "-c", `"$0" -c 'echo first; printf part; sleep 23; seq 30000' >"$1" & sleep 22; cat "$1"; echo; wait; grep "^Process " "$1"`, filepath.Join(s.dir, "bash"), log)
	if want := "first\npart\nProcess exited with code 0\n"; r.stdout != want {
		t.Errorf("%q, want %q", r.stdout, want)
	}
}
