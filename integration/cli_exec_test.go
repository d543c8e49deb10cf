package integration_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// oddBytes is a command that writes every byte, n of them, without a line end in the end, and exits with 9. A hash says whether
// all of it comes.
func oddBytes(t *testing.T, n int) (args []string, sum [32]byte) {
	t.Helper()
	written := bytes.Repeat(func() (all []byte) {
		for b := range 256 {
			all = append(all, byte(b))
		}
		return all
	}(), n/256+1)[:n]
	path := filepath.Join(t.TempDir(), "odd")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--", "sh", "-c", "cat '" + path + "'; exit 9"}, sha256.Sum256(written)
}

// TestExecLosesNothing breaks what exec uses, one thing at a time: the output comes whole, with the code of the command.
func TestExecLosesNothing(t *testing.T) {
	t.Parallel()
	const n = 3_000_001
	for name, breakIt := range map[string]func(t *testing.T) (env, flags []string){
		"a small TMPDIR": func(t *testing.T) (env, flags []string) {
			return []string{"TMPDIR=" + mountTmpfs(t, "size=2m,mode=0700")}, nil
		},
		"a read-only TMPDIR": func(t *testing.T) (env, flags []string) {
			return []string{"TMPDIR=" + mountTmpfs(t, "ro,mode=0700")}, nil
		},
		"no TMPDIR":             func(*testing.T) (env, flags []string) { return []string{"TMPDIR=/dev/null/x"}, nil },
		"a HOME that is a file": func(*testing.T) (env, flags []string) { return []string{"HOME=/dev/null"}, nil },
		"a read-only store": func(t *testing.T) (env, flags []string) {
			return nil, []string{"--store", filepath.Join(mountTmpfs(t, "ro,mode=0700"), "store")}
		},
		"a full store": func(t *testing.T) (env, flags []string) {
			at := mountTmpfs(t, "size=9m,mode=0700")
			fill, err := os.Create(filepath.Join(at, "fill"))
			for err == nil {
				_, err = fill.Write(make([]byte, 4096))
			}
			_ = fill.Close() // it is full
			return []string{"TOOLRESULT_VOLATILE=true"}, []string{"--store", filepath.Join(at, "store")}
		},
		"nobody at the socket": func(*testing.T) (env, flags []string) { return []string{"TOOLRESULT_ADDRESS=unix:///dev/null/s"}, nil },
		"a sidecar that rejects": func(t *testing.T) (env, flags []string) {
			s := startSidecar(t, launch{Args: []string{"--max-message-bytes=64KiB"}})
			return []string{"TOOLRESULT_ADDRESS=unix://" + s.Socket}, nil
		},
		"a sidecar that takes less": func(t *testing.T) (env, flags []string) {
			s := startSidecar(t, launch{Args: []string{"--store-quota", "1MiB"}})
			return []string{"TOOLRESULT_ADDRESS=unix://" + s.Socket}, nil
		},
		"a killed sidecar": func(t *testing.T) (env, flags []string) {
			s := startSidecar(t, launch{})
			time.AfterFunc(50*time.Millisecond, s.Kill) // at any moment: nothing is lost at any
			return []string{"TOOLRESULT_ADDRESS=unix://" + s.Socket}, nil
		},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", strict: ", strict), func(t *testing.T) {
				t.Parallel()
				losesNothing(t, n, strict, breakIt)
			})
		}
	}
}

// losesNothing runs a command that writes n odd bytes. Standard error says why they come, if strict, and nothing else.
func losesNothing(t *testing.T, n int, strict bool, breakIt func(t *testing.T) (env, flags []string)) {
	t.Helper()
	command, sum := oddBytes(t, n)
	env, flags := breakIt(t)
	if strict {
		flags = append(flags, "--strict")
	}
	r := cli(t, append(environment(t), env...), nil, append(append([]string{"exec"}, flags...), command...)...)
	whole := sha256.Sum256([]byte(r.stdout)) == sum
	receipt := strings.Contains(t.Name(), "killed") && strings.Contains(r.stdout, fmt.Sprintf("%d bytes", n)) // it was faster
	if r.code != 9 || !whole && !receipt {
		t.Errorf("exit code %d, %d bytes: %s", r.code, len(r.stdout), r.stderr)
	}
	if reason := strings.Contains(r.stderr, "no receipt, the output follows as it is: "); whole && reason != strict || !strict && r.stderr != "" {
		t.Errorf("it says why, or does not: %q", r.stderr)
	}
}

// TestExecWithoutReader closes the end that reads: the code is that of the command, which goes on. When output is passed on, the
// command finds its own output closed, as it would without exec.
func TestExecWithoutReader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env     []string
		command string
		code    int
	}{
		"a receipt":             {nil, "seq 300000; exit 9", 9},
		"output that is passed": {[]string{"TMPDIR=/dev/null/x"}, "exec yes", 128 + int(syscall.SIGPIPE)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := `{ "$0" exec -- sh -c "$1"; echo $? >"$2"; } | true`
			code := filepath.Join(t.TempDir(), "code")
			run(t, append(environment(t), c.env...), nil, "sh", "-c", script, binary, c.command, code)
			if got := strings.TrimSpace(string(readFile(t, code))); got != fmt.Sprint(c.code) {
				t.Errorf("exit code %s, want %d", got, c.code)
			}
		})
	}
}

// TestExecIsHungUp ends exec as a terminal does that is closed, and as Ctrl-\ does: the command gets the signal, and what it wrote
// is printed. With --strict it gets SIGTERM.
func TestExecIsHungUp(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{"HUP": "129", "QUIT": "131", "TERM": "143"} {
		for flag, code := range map[string]string{"--strict=false": code, "--strict": "143"} {
			t.Run(name+" "+flag, func(t *testing.T) {
				t.Parallel()
				script := `"$0" exec $3 -- sh -c 'echo important; : >"$0"; exec sleep 60' "$2" & p=$!; until [ -e "$2" ]; do sleep 0.02; done; sleep 0.2; kill -$1 $p; wait $p; echo "code $?"`
				r := run(t, environment(t), nil, "bash", "-c", script, binary, name, filepath.Join(t.TempDir(), "begun"), flag)
				wantIn(t, r.stdout, "important\n", "code "+code+"\n")
			})
		}
	}
}

// TestExecWithSmallFiles has a limit on the size of files that is less than the output: it is passed on.
func TestExecWithSmallFiles(t *testing.T) {
	t.Parallel()
	r := run(t, environment(t), nil, "sh", "-c", `ulimit -f 1000; "$0" exec -- sh -c "seq 300000; exit 9" | sha256sum; exit 0`, binary)
	plain := run(t, environment(t), nil, "sh", "-c", `seq 300000 | sha256sum`)
	if r.stdout != plain.stdout {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}
