package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asRunner makes this test binary run its arguments as a command, and exit with its code.
const asRunner = "TEST_PROCESS_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(asRunner) != "" {
		end, err := Run(context.Background(), Command{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Settle: 200 * time.Millisecond, ReadOn: StartReadOn, PassOn: true,
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
		os.Exit(end.Code())
	}
	if signal.Ignored(syscall.SIGHUP) { // as below nohup(1); commands that the tests start have the default
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

// runner returns this binary as a runner of a shell script.
func runner(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "sh", "-c", script)
	c.Env = append(os.Environ(), asRunner+"=1")
	return c
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// exists reports whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// needLinux skips a test of what only Linux has.
func needLinux(t *testing.T, what string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: " + what)
	}
}

// alive reports whether the process lives that a file names by its id.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(text))
	needLinux(t, "it reads /proc")
	status, err := os.ReadFile("/proc/" + id + "/stat")
	return err == nil && !bytes.Contains(status, []byte(") Z "))
}

func TestCodesOfEnds(t *testing.T) {
	t.Parallel()
	for script, code := range map[string]int{"exit 0": 0, "exit 3": 3, "exit 255": 255, "kill -9 $$": 137, "kill -TERM $$": 143} {
		end, err := Run(t.Context(), Command{Args: []string{"sh", "-c", script}, Stdout: io.Discard})
		if err != nil || end.Code() != code || end.Cancelled || end.TimedOut {
			t.Errorf("%q: %d, %v, %+v", script, end.Code(), err, end)
		}
	}
	if _, err := Run(t.Context(), Command{Args: []string{"no-such-program"}, Stdout: io.Discard}); !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
}

// TestGroupAndInput: the command is in the process group of who runs it, in the same session, with the same standard input.
func TestGroupAndInput(t *testing.T) {
	t.Parallel()
	needLinux(t, "it reads /proc")
	c := runner(t, `cat; cut -d ' ' -f 5,6 /proc/self/stat`)
	c.Stdin = strings.NewReader("fed\n")
	out, err := c.CombinedOutput()
	session, _ := unix.Getsid(0)
	if want := fmt.Sprintf("fed\n%d %d\n", unix.Getpgrp(), session); err != nil || string(out) != want {
		t.Errorf("%q, want %q, %v", out, want, err)
	}
}

// TestSignalsArePassedOn sends a signal to the runner alone: the command gets it, once, and its code is the runner's.
func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]syscall.Signal{
		"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
	} {
		for _, trapped := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", trapped: ", trapped), func(t *testing.T) {
				t.Parallel()
				begun, code := filepath.Join(t.TempDir(), "begun"), 128+int(s)
				script := `: >` + begun + `; while :; do sleep 0.02; done`
				if trapped {
					script, code = `trap 'echo got; exit 7' `+name+`; `+script, 7
				}
				c := runner(t, script)
				c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
				var out bytes.Buffer
				c.Stdout = &out
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				waitFor(t, "the command", func() bool { return exists(begun) })
				if err := c.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				_ = c.Wait()
				if got := c.ProcessState.ExitCode(); got != code || trapped != (out.String() == "got\n") {
					t.Errorf("code %d, want %d; %q", got, code, out.String())
				}
			})
		}
	}
}

// TestSignalToTheGroupIsNotRepeated sends a signal to the group: a command that ends by it gets it once.
func TestSignalToTheGroupIsNotRepeated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun, count := filepath.Join(dir, "begun"), filepath.Join(dir, "count")
	c := runner(t, `trap 'echo x >>`+count+`; exit 5' TERM; : >`+begun+`; while :; do sleep 0.01; done`)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", func() bool { return exists(begun) })
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if got, _ := os.ReadFile(count); string(got) != "x\n" || c.ProcessState.ExitCode() != 5 {
		t.Errorf("%q, code %d", got, c.ProcessState.ExitCode())
	}
}

// TestSignalToTheGroupIsKnown sends a signal to the group of a command that handles it and goes on: the command gets it once, when
// there is a companion. The next one to the runner alone is passed on.
func TestSignalToTheGroupIsKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun, count := filepath.Join(dir, "begun"), filepath.Join(dir, "count")
	c := runner(t, `trap 'echo x >>`+count+`' TERM; trap 'exit 6' USR1; : >`+begun+`; while :; do sleep 0.01; done`)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", func() bool { return exists(begun) })
	counted := func() int {
		text, _ := os.ReadFile(count)
		return bytes.Count(text, []byte("x"))
	}
	once := false
	for try := 1; try <= 5 && !once; try++ { // on a busy machine the companion can need longer to start
		time.Sleep(time.Duration(try) * 500 * time.Millisecond)
		before := counted()
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the signal", func() bool { return counted() > before })
		time.Sleep(answerTime + 2*sent)
		once = counted() == before+1
	}
	if !once {
		t.Errorf("the command got every signal twice")
	}
	if err := c.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 6 {
		t.Errorf("code %d", code)
	}
}

// TestIgnoredSignalsStayIgnored runs under what nohup does: neither the runner nor the command ends.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	begun := filepath.Join(t.TempDir(), "begun")
	c := exec.CommandContext(t.Context(), "sh", "-c", `trap '' HUP; exec "$0" sh -c ': >"$0"; sleep 0.3; exit 4' "$1"`, os.Args[0], begun)
	c.Env = append(os.Environ(), asRunner+"=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", func() bool { return exists(begun) })
	_ = c.Process.Signal(syscall.SIGHUP)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 4 {
		t.Errorf("code %d", code)
	}
}

// TestKilledRunnerLeavesNothing kills the runner with SIGKILL: the command ends too.
func TestKilledRunnerLeavesNothing(t *testing.T) {
	t.Parallel()
	needLinux(t, "elsewhere a command outlives its runner until it writes")
	id := filepath.Join(t.TempDir(), "id")
	c := runner(t, `echo $$ >`+id+`.new; mv `+id+`.new `+id+`; exec sleep 60`)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", func() bool { return exists(id) })
	time.Sleep(300 * time.Millisecond) // it lives for as long as its runner does, whatever threads come and go
	if !alive(t, id) {
		t.Fatal("the command has ended")
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	waitFor(t, "the end of the command", func() bool { return !alive(t, id) })
}

// TestChildrenInTheBackground keep the pipe: the runner ends with its command, and they get no SIGPIPE, however much they write.
func TestChildrenInTheBackground(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended, done := filepath.Join(dir, "ended"), filepath.Join(dir, "done")
	if err := syscall.Mkfifo(ended, 0o600); err != nil {
		t.Fatal(err)
	}
	c := runner(t, `{ read x <`+ended+`; head -c 300000 /dev/zero && head -c 300000 /dev/zero >&2 && : >`+done+`; } & echo hi; exit 6`)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c.Stdout, c.Stderr = null, null
	_ = c.Run()
	if c.ProcessState.ExitCode() != 6 {
		t.Errorf("code %d", c.ProcessState.ExitCode())
	}
	if err := os.WriteFile(ended, []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the child to write everything", func() bool { return exists(done) })
}

// TestOutputAfterTheEnd: what is written shortly after the end of the command is read, and nothing is waited for when the pipes are
// closed.
func TestOutputAfterTheEnd(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	end, err := Run(t.Context(), Command{Args: []string{"sh", "-c", "(sleep 0.1; echo late) & echo early"}, Stdout: &out, Settle: 20 * time.Second})
	if err != nil || end.Code() != 0 || out.String() != "early\nlate\n" {
		t.Errorf("%q, %+v, %v", out.String(), end, err)
	}
}

// begunWriter calls begun when something was written.
type begunWriter struct {
	bytes.Buffer
	begun func()
}

func (w *begunWriter) Write(p []byte) (int, error) {
	if w.begun != nil {
		w.begun()
	}
	return w.Buffer.Write(p)
}

// TestLimits end the command with all of its group, also those that ignore SIGTERM.
func TestLimits(t *testing.T) {
	t.Parallel()
	id := filepath.Join(t.TempDir(), "id")
	for name, limit := range map[string]time.Duration{"limit": 2 * time.Second, "context": 0} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &begunWriter{}
		if limit == 0 {
			out.begun = cancel
		}
		end, err := Run(ctx, Command{
			Args: []string{"sh", "-c", `(trap "" TERM; exec sleep 60 >/dev/null 2>&1) & echo $! >` + id + `; echo begun; sleep 60; echo no`}, Stdout: out, Apart: true, Limit: limit,
		})
		if err != nil || end.Code() != 143 || end.TimedOut != (limit > 0) || end.Cancelled != (limit == 0) || out.String() != "begun\n" {
			t.Errorf("%s: %+v, %v, %q", name, end, err, out.String())
		}
		cancel()
		waitFor(t, "the end of the child", func() bool { return !alive(t, id) })
	}
}

// TestTerminal runs in a terminal of its own: the command sees its size and its standard input, and Ctrl-C reaches it once.
func TestTerminal(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("skipped: script(1) is not installed")
	}
	dir := t.TempDir()
	count, begun := filepath.Join(dir, "count"), filepath.Join(dir, "begun")
	inner := fmt.Sprintf(`trap : INT; stty rows 33 cols 77; %s=1 '%s' sh -c 'stty size; test -t 0 && echo terminal; trap "echo x >>%s; sleep 0.2; exit 8" INT; : >%s; while :; do sleep 0.01; done'; echo code $?`, asRunner, os.Args[0], count, begun)
	c := exec.CommandContext(t.Context(), script, "-qec", inner, "/dev/null")
	c.Env = append(os.Environ(), "SHELL=/bin/sh") // which runs the line, and gets SIGINT, too
	var out bytes.Buffer
	c.Stdout = &out
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", func() bool { return exists(begun) })
	_, _ = in.Write([]byte{3})
	_ = c.Wait()
	got, _ := os.ReadFile(count)
	for _, want := range []string{"33 77", "terminal", "code 8"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
	if string(got) != "x\n" {
		t.Errorf("SIGINT was received %d times", strings.Count(string(got), "x"))
	}
}
