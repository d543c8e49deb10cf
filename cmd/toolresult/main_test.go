package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestMain starts a sidecar in this process, as `toolresult serve` does, which the commands of all tests find by the
// environment. Tests keep apart by sessions of their own.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "ensure" { // which starts the program, and not its tests
		os.Exit(codeFailed)
	}
	dir, err := os.MkdirTemp("", "toolresult-test-")
	if err != nil {
		panic(err)
	}
	for _, variable := range os.Environ() { // of whoever runs the tests, such as the binary that other tests use
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TOOLRESULT_") {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": dir, "TOOLRESULT_STORE": filepath.Join(dir, "store"), "TOOLRESULT_SOCKET": filepath.Join(dir, "s"), "TOOLRESULT_VOLATILE": "true",
		"TOOLRESULT_SHUTDOWN_TIMEOUT": "2s", patienceVariable: "20s", // on a machine that does much else
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan int, 1)
	addresses, out := io.Pipe()
	logged := &bytes.Buffer{}
	go func() {
		served <- run(ctx, []string{"serve"}, nil, out, logged)
		_ = out.Close()
	}()
	if _, err := bufio.NewReader(addresses).ReadString('\n'); err != nil {
		panic(fmt.Sprint(err, logged))
	}
	code := m.Run()
	stop()
	if served := <-served; code == 0 && served != 0 {
		fmt.Println("serve ended with", served, logged)
		code = 1
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// outcome is the end of a command.
type outcome struct {
	testing.TB
	args     []string
	out, err string
	code     int
}

// toolresult runs a command line in this process.
func toolresult(t testing.TB, stdin string, args ...string) *outcome {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(stdin), &out, &err)
	return &outcome{t, args, out.String(), err.String(), code}
}

// want fails the test unless the command ended with a code, and printed all texts: those with "! " before them on standard
// error.
func (o *outcome) want(code int, texts ...string) *outcome {
	o.Helper()
	if o.code != code {
		o.Errorf("%q: exit code %d, want %d\n%s%s", o.args, o.code, code, o.out, o.err)
	}
	for _, text := range texts {
		where := o.out
		if rest, onErr := strings.CutPrefix(text, "! "); onErr {
			text, where = rest, o.err
		}
		if !strings.Contains(where, text) {
			o.Errorf("%q: no %q in\n%s\nerrors: %s", o.args, text, o.out, o.err)
		}
	}
	return o
}

// wantOut fails the test unless the command succeeded and printed exactly this.
func (o *outcome) wantOut(text string) *outcome {
	o.Helper()
	if o.want(0); o.out != text {
		o.Errorf("%q: printed %q, want %q", o.args, o.out, text)
	}
	return o
}

// sessions counts those of newSession.
var sessions atomic.Int64

// newSession returns a session that no other test has, nor another run of the same.
func newSession() string { return fmt.Sprint("session-", sessions.Add(1)) }

// writeFile writes a file in a directory of the test, and returns its path.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsageErrorsAreFailures(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"no-such-command"}, {"info", "--no-such-flag"}, {"tool", "call"}, {"exec"}, {"artifacts", "read"}} {
		if o := toolresult(t, "", args...).want(codeFailed, "! toolresult: "); o.out != "" {
			t.Errorf("%q printed %q", args, o.out)
		}
	}
	toolresult(t, "").want(0, "exec", "serve")
}

func TestExitErrorHasItsCode(t *testing.T) {
	t.Parallel()
	if got := (exitError{7}).Error(); got != "exit code 7" {
		t.Error(got)
	}
}
