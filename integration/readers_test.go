package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// throughCalls are how a line of a shell is run through us.
var throughCalls = map[string]string{"shell": `"$BINARY" shell -c`, "exec": `"$BINARY" exec -- bash -c`, "exec with a flag": `"$BINARY" exec --head-percent 30 -- bash -c`}

// TestOneFileHasOneOrder: where both descriptors are one open file, what a command writes comes in its order; where they are two files,
// each has its own.
func TestOneFileHasOneOrder(t *testing.T) {
	t.Parallel()
	const line = `for i in 1 2 3; do echo o$i; echo e$i >&2; done`
	const mixed = "o1\ne1\no2\ne2\no3\ne3\n"
	dead := append(environment(t), "BINARY="+binary, "TOOLRESULT_ADDRESS=unix:///nonexistent/s")
	alive := append(environment(t), "BINARY="+binary, "TOOLRESULT_ADDRESS=unix://"+startSidecar(t, launch{}).Socket)
	for name, call := range throughCalls {
		for redirection, want := range map[string]string{
			"2>&1 | cat": mixed, `>"$FILE" 2>&1; cat "$FILE"`: mixed, `>>"$FILE" 2>>"$FILE"; cat "$FILE"`: mixed, `2>"$FILE"; cat "$FILE"`: "o1\no2\no3\ne1\ne2\ne3\n",
			"2>&1 >/dev/null": "e1\ne2\ne3\n",
		} {
			t.Run(name+" "+redirection, func(t *testing.T) {
				t.Parallel()
				env := append(slices.Clone(dead), "FILE="+filepath.Join(t.TempDir(), "file"))
				if r := run(t, env, nil, "bash", "-c", "{ "+call+" '"+line+"'; } "+redirection); r.stdout != want && r.stderr != want {
					t.Errorf("%q, %q, want %q", r.stdout, r.stderr, want)
				}
			})
		}
		if r := run(t, alive, nil, "bash", "-c", call+` 'for i in $(seq 3000); do echo o$i; echo e$i >&2; done' 2>&1`); !strings.Contains(r.stdout, "\no1\ne1\n") {
			t.Errorf("%s, a receipt: %.300q", name, r.stdout)
		}
	}
}

// TestReaderThatHasGone: a command whose reader takes a part and goes ends as under bash, beside sidecars in all states, and keeps nothing.
func TestReaderThatHasGone(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"alive", "dead", "frozen"} {
		address := sidecarStates[state](t)
		for name, call := range throughCalls {
			for line, code := range map[string]int{
				"seq 200000": 141, "yes": 141, "seq 200000; exit 3": 3, "echo a; exit 4": 4, "echo abcd": 0,
				"echo abcd; while sleep 0.1; do echo more; done": 141,
			} {
				if strings.Contains(line, "while") && state == "alive" { // its reader waits until something is shown
					continue
				}
				t.Run(state+" "+name+" "+line, func(t *testing.T) {
					t.Parallel()
					reader := "head -c 3"
					if strings.Contains(line, "while") {
						reader = "exec <&-; :"
					}
					env := append(environment(t), "BINARY="+binary, "TOOLRESULT_ADDRESS="+address, "TOOLRESULT_PATIENCE=")
					var r ran
					got := ""
					for tries := 0; tries < 5 && got != strconv.Itoa(code); tries++ { // a busy machine may begin to read after readTime
						r = run(t, env, nil, "bash", "-c", call+` '`+line+`' | { `+reader+`; }; echo " ${PIPESTATUS[0]}"`)
						_, after, _ := strings.Cut(r.stdout, " ")
						got = strings.TrimSpace(after)
					}
					if got != strconv.Itoa(code) || strings.Contains(r.stderr, "goroutine") {
						t.Errorf("%+v, want code %d", r, code)
					}
				})
			}
		}
	}
}

// TestSocketsHaveReadersToo: hosts in Node.js read from a socket, and close it.
func TestSocketsHaveReadersToo(t *testing.T) {
	t.Parallel()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	far := os.NewFile(uintptr(pair[1]), "far")
	cmd := exec.CommandContext(t.Context(), binary, "shell", "-c", "while sleep 0.05; do echo x; done")
	cmd.Env, cmd.Stdout = append(environment(t), "TOOLRESULT_ADDRESS=unix:///nonexistent/s"), far
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Close(pair[0]); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	_ = cmd.Wait() // the state has its end
	if code := cmd.ProcessState.ExitCode(); code != 141 {
		t.Errorf("code %d", code)
	}
}

// TestFullFilesAreSaid: an output that cannot be written is an error, as of other programs.
func TestFullFilesAreSaid(t *testing.T) {
	t.Parallel()
	alive := "TOOLRESULT_ADDRESS=unix://" + startSidecar(t, launch{}).Socket
	for _, address := range []string{alive, "TOOLRESULT_ADDRESS=unix:///nonexistent/s"} {
		for name, call := range throughCalls {
			for line, code := range map[string]int{"echo a": 1, "seq 200000": 1, "echo a; exit 5": 5} {
				r := run(t, append(environment(t), "BINARY="+binary, address), nil, "bash", "-c", call+" '"+line+"' >/dev/full")
				if r.code != code || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "no space left on device") {
					t.Errorf("%s %s beside %s: %+v", name, line, address, r)
				}
			}
		}
	}
}

// TestEndlessOutputIsNotKept: a writer at full speed whose reader waits fills no disk, with a sidecar that is only starting too.
func TestEndlessOutputIsNotKept(t *testing.T) {
	t.Parallel()
	kept := mountTmpfs(t, "size=1500m,mode=0700")
	env := append(environment(t), "BINARY="+binary, "TMPDIR="+kept, "XDG_RUNTIME_DIR="+sidecartest.ShortDir(t), "TOOLRESULT_PATIENCE=")
	for name, call := range throughCalls {
		r := run(t, env, nil, "bash", "-c", call+` yes | head -c 3; echo " ${PIPESTATUS[0]}"`)
		if r.stdout != "y\ny 141\n" || r.stderr != "" {
			t.Errorf("%s: %q", name, fmt.Sprint(r))
		}
	}
}
