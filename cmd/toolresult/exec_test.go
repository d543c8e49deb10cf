package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExecPassesTheExitCodeOn(t *testing.T) {
	t.Parallel()
	text := writeFile(t, "text", "no program")
	script := writeFile(t, "script", "echo got $1; exit 4\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{0, []string{"true"}, "Process exited with code 0"},
		{3, []string{"sh", "-c", "echo out; echo err >&2; exit 3"}, "Process exited with code 3\nstdout:\nout\nstderr:\nerr"},
		{128 + 9, []string{"sh", "-c", "kill -9 $$"}, "signal 9"},
		{codeNotFound, []string{"no-such-program"}, "cannot start no-such-program"},
		{codeNotFound, []string{"/no/such/program"}, "cannot start /no/such/program"},
		{codeNotStarted, []string{text}, "permission denied"},
		{4, []string{script, "a"}, "got a"},
	} {
		toolresult(t, "", append([]string{"exec", "--"}, c.args...)...).want(c.code, c.says)
	}
}

// TestExecEndsWithItsCommand: what a process does that the command left behind is not the end of the command.
func TestExecEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	o := toolresult(t, "", "exec", "--strict", "--timeout", "1s", "--", "sh", "-c", "sleep 2 & echo hi; exit 7")
	o.want(7, "Process exited with code 7\nstdout:\nhi")
}

// TestOutputThatCannotBePrinted: a full disk behind standard output is said, and no success.
func TestOutputThatCannotBePrinted(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("skipped: there is no /dev/full")
	}
	defer full.Close()
	var said strings.Builder
	for script, want := range map[string]int{"echo hello": 1, "seq 300000": 1, "echo hello; exit 3": 3} {
		for _, flag := range []string{"--strict", "--patience=1m"} {
			said.Reset()
			code := run(t.Context(), []string{"exec", flag, "--store", t.TempDir(), "--", "sh", "-c", script}, strings.NewReader(""), patient{full}, &said)
			if code != want || strings.Count(said.String(), "not printed whole: ") != 1 || !strings.Contains(said.String(), "no space left") {
				t.Errorf("%s %s: code %d: %s", flag, script, code, said.String())
			}
		}
	}
}

func TestExecEndsAfterItsTimeout(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "exec", "--timeout", "100ms", "--", "sh", "-c", "echo begun; sleep 60").want(codeTimedOut, "timed out", "begun")
}

func TestExecFeedsStandardInput(t *testing.T) {
	t.Parallel()
	toolresult(t, "fed\n", "exec", "--", "cat").want(0, "stdout:\nfed")
	toolresult(t, "", "exec", "--combined", "--", "sh", "-c", "echo a; echo b >&2; echo c").want(0, "a\nb\nc")
}

// TestMistakeInFlagsRunsNothing: the command runs once or not at all.
func TestMistakeInFlagsRunsNothing(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--output", "xml"}, {"--call", "c"}, {"--vocabulary", "latin"}, {"--head-percent", "101"},
		{"--max-tokens", "3"}, {"--max-tokens", "300000000"}, {"--max-lines", "1"}, {"--max-bytes", "3"}, {"--max-line-bytes", "10"},
		{"--patience", "-1s"}, {"--patience", "0"}, {"--timeout", "-1s"}, {"--store", "/dev/null"}, {"--store", "/dev/null/below/it"},
		{"--server", "unix:///nonexistent/s"}, {"--server", "localhost:1"}, {"--session", "no name"}, {"--focus", strings.Repeat("x", 10_000)},
		{"--server", badSidecar(t, func(c net.Conn) { _ = c.Close() })}, {"--server", badSidecar(t, func(c net.Conn) { _, _ = io.WriteString(c, "junk\r\n") })},
		{"--server", badSidecar(t, func(net.Conn) {}), "--patience", "1s"},
		{"--session-token-file", "/nonexistent"}, {"--strict", "--max-tokens", "15"},
	} {

		file := filepath.Join(t.TempDir(), "ran")
		toolresult(t, "", append(append([]string{"exec"}, flags...), "--", "touch", file)...).want(codeFailed, "! "+strings.TrimPrefix(named(flags), "--"))
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%q: the command ran", flags)
		}
	}
}

// named returns the flag of a command line that the mistake is in.
func named(flags []string) string {
	if flags[0] == "--strict" || flags[0] == "--session-token-file" {
		return strings.TrimSuffix(flags[1], "/")
	}
	return flags[0]
}

// TestOutputWithoutReceiptIsPrinted runs a command whose output cannot be projected: all of it is printed, from memory and
// from a file.
func TestOutputWithoutReceiptIsPrinted(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 2 * maxInline} {
		script := fmt.Sprintf("head -c %d /dev/zero; echo trouble >&2; exit 3", n)
		o := execBeside(t, "unix:///nonexistent/s", true, script)
		o.want(3, "! no receipt, the output follows as it is: Unavailable", "! trouble\n")
		if o.out != string(make([]byte, n)) {
			t.Errorf("%d bytes of %d", len(o.out), n)
		}
	}
}

// TestExecWithoutDirectories has neither a place for the store nor one for files: the command's output comes whole, with its
// code, and the reason names what to do. An own store is a way out of the first.
func TestExecWithoutDirectories(t *testing.T) {
	file := writeFile(t, "file", "")
	t.Setenv("TOOLRESULT_STORE", filepath.Join(file, "store"))
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(t.TempDir(), "none"))
	o := toolresult(t, "", "exec", "--strict", "--", "sh", "-c", "echo out; exit 7")
	o.want(7, "! no receipt", "! --store DIR uses another directory")
	if o.out != "out\n" {
		t.Errorf("printed %q", o.out)
	}
	toolresult(t, "", "exec", "--strict", "--", "no-such-program").want(codeNotFound, "! cannot start no-such-program")
	toolresult(t, "", "exec", "--strict", "--store", filepath.Join(t.TempDir(), "s"), "--", "sh", "-c", "echo out; exit 7").want(7, "stdout:\nout")
	toolresult(t, "", "exec", "--strict", "--store", "s", "--server", "unix:///s", "--", "echo", "out").want(codeFailed, "! --store is for an embedded sidecar")
	t.Setenv("TMPDIR", file)
	o = toolresult(t, "", "exec", "--strict", "--combined", "--", "sh", "-c", "seq 300000; exit 8")
	o.want(8, "! it cannot be kept")
	if want := 1_988_895; len(o.out) != want {
		t.Errorf("%d bytes of %d", len(o.out), want)
	}
}

// TestExecWithoutHome says that the store is temporary.
func TestExecWithoutHome(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("TOOLRESULT_STORE", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(t.TempDir(), "none"))
	toolresult(t, "", "exec", "--strict", "--", "echo", "out").want(0, "stdout:\nout", "! which is temporary; --store names")
}

// TestLargeOutputIsStreamed runs a command that writes more than one message has: all of it can be read.
func TestLargeOutputIsStreamed(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "exec", "--session", "large", "--call", "c", "--", "sh", "-c", "seq 300000; sleep 0.2; echo done >&2").
		want(0, "300000 lines", "stderr:\ndone")
	list := toolresult(t, "", "artifacts", "list", "--session", "large").want(0, "c")
	for _, field := range strings.Fields(list.out) {
		if strings.HasPrefix(field, "/") {
			toolresult(t, "", "artifacts", "read", "--lines", "299999-", field).wantOut("299999\n300000\ndone\n") // streams in the order of their writes
			return
		}
	}
	t.Errorf("no artifact in %s", list.out)
}

func TestCommandLineIsQuoted(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"echo 'a b' '$x'": {"echo", "a b", "$x"}, "x": {"x"}, "": {"nul\x00"},
	} {
		if got := commandLine(args); got != want {
			t.Errorf("%q is %q, want %q", args, got, want)
		}
	}
	if long := strings.Repeat("x", 65_537); commandLine([]string{long}) != long { // the sidecar takes any, and keeps its beginning
		t.Error("a long line is not passed on")
	}
}
