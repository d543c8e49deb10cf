package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a real terminal (pty(7)), of which the other side is read.
type terminal struct {
	file  *os.File // the side of programs
	other *os.File
	mu    sync.Mutex
	text  bytes.Buffer // what was written to it
	read  chan struct{}
}

// openTerminal opens a terminal with some columns, which is closed with the test.
func openTerminal(t *testing.T, columns uint16) *terminal {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(other.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	tty := &terminal{file: file, other: other, read: make(chan struct{})}
	go func() {
		defer close(tty.read)
		buf := make([]byte, 4096)
		for {
			n, err := other.Read(buf)
			tty.mu.Lock()
			tty.text.Write(buf[:n])
			tty.mu.Unlock()
			if err != nil { // EIO, when the other side is closed
				return
			}
		}
	}()
	t.Cleanup(func() { _ = other.Close() })
	return tty
}

// written closes the terminal and returns what was written to it.
func (tty *terminal) written(t *testing.T) string {
	t.Helper()
	if err := tty.file.Close(); err != nil {
		t.Fatal(err)
	}
	<-tty.read
	return tty.text.String()
}

// on runs a command with a terminal as its standard error, and returns what it printed on standard output.
func (tty *terminal) on(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, patient{tty.file}); code != 0 {
		t.Errorf("%q: exit code %d", args, code)
	}
	return out.String()
}

// interactive is the environment of a person.
func interactive(t *testing.T) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("CI", "")
}

// writing is a shell script that writes 2 MB, and then 500 kB four times a second for some times.
func writing(times int) string {
	return fmt.Sprintf("yes 'a line' | head -c 2000000; for i in $(seq %d); do sleep 0.25; yes 'a line' | head -c 500000; done", times)
}

// longOutput is a command that writes for a while.
var longOutput = []string{"exec", "--", "sh", "-c", writing(7)}

// progressLine is a line about the output of a command.
var progressLine = regexp.MustCompile(`^[0-9]\.[0-9] MiB of output, [0-9]+s$`)

// TestProgressIsShownAndErased runs a command on a terminal: lines about it come a few times a second, and nothing of them stays.
func TestProgressIsShownAndErased(t *testing.T) {
	interactive(t)
	tty := openTerminal(t, 80)
	began := time.Now()
	out := tty.on(t, longOutput...)
	took := time.Since(began)
	text := tty.written(t)
	lines := strings.Split(text, eraseLine)
	if !strings.HasPrefix(text, eraseLine) || lines[len(lines)-1] != "" || len(lines) < 4 {
		t.Fatalf("%q", text)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !progressLine.MatchString(line) {
			t.Errorf("a line is %q", line)
		}
	}
	if most := int(took/(100*time.Millisecond)) + 1; len(lines)-2 > most {
		t.Errorf("%d lines in %s", len(lines)-2, took)
	}
	if !strings.Contains(out, "Process exited with code 0") || strings.ContainsAny(out, "\x1b\r") {
		t.Errorf("standard output is %q", out)
	}
}

// TestProgressSparesQuestions has a command that writes much, and then asks for something at the terminal, past the sidecar. The question
// is still there when the command ends, a second later. It comes when all output is read.
func TestProgressSparesQuestions(t *testing.T) {
	interactive(t)
	tty := openTerminal(t, 80)
	const question = "Password: "
	tty.on(t, "exec", "--", "sh", "-c", writing(4)+"; sleep 1; printf '"+question+"' >"+tty.file.Name()+"; sleep 1")
	text := tty.written(t)
	if before, after, asked := strings.Cut(text, question); !asked || after != eraseLine || !strings.Contains(before, "MiB of output") {
		t.Errorf("%q", text)
	}
}

// TestProgressDoesNotWaitForATerminal has a terminal that takes nothing, as after Ctrl-S: a command goes on all the same.
func TestProgressDoesNotWaitForATerminal(t *testing.T) {
	var none *progress
	none.grew()
	p := &progress{more: make(chan struct{})} // nothing receives while a line is being drawn
	p.grew()
}

// TestNoProgress runs the same where none is wanted: not a byte is written to standard error.
func TestNoProgress(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
	}{
		"json":          {args: append([]string{"exec", "-o", "json"}, longOutput[1:]...)},
		"CI":            {env: map[string]string{"CI": "true"}, args: longOutput},
		"no escapes":    {env: map[string]string{"TERM": "dumb"}, args: longOutput},
		"no terminal":   {env: map[string]string{"TERM": ""}, args: longOutput},
		"little output": {args: []string{"exec", "--", "sh", "-c", "echo; sleep 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			interactive(t)
			for variable, value := range c.env {
				t.Setenv(variable, value)
			}
			tty := openTerminal(t, 80)
			tty.on(t, c.args...)
			if text := tty.written(t); text != "" {
				t.Errorf("%q", text)
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		interactive(t)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(t.Context(), longOutput, strings.NewReader(""), &out, patient{w}); code != 0 {
			t.Errorf("exit code %d", code)
		}
		_ = w.Close()
		if text, err := io.ReadAll(r); len(text) > 0 || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// TestProgressFitsItsLine has a terminal that is narrower than the line, and work that prints beside it.
func TestProgressFitsItsLine(t *testing.T) {
	tty := openTerminal(t, 20)
	p := &progress{tty: tty.file, end: make(chan struct{})}
	p.draw("a line of more than twenty columns")
	if _, err := io.WriteString(p.above(tty.file), "found\n"); err != nil {
		t.Fatal(err)
	}
	p.draw("short")
	p.draw("")
	p.draw("last")
	if _, err := io.WriteString(p.before(tty.file), "half"); err != nil {
		t.Fatal(err)
	}
	p.stop()
	if got, want := tty.written(t), eraseLine+"a line of more than"+eraseLine+"found\r\n"+eraseLine+"short"+eraseLine+eraseLine+"last"+eraseLine+"half"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLongVerificationSaysHowFarItIs has the texts of verify.
func TestLongVerificationSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	v := &verification{}
	if got := v.progress(3 * time.Second); got != "following the chain of records, 3s" {
		t.Error(got)
	}
	v.newest.Store(70)
	if got := v.progress(3 * time.Second); got != "following the chain of records up to 70, 3s" {
		t.Error(got)
	}
	v.total.Store(9)
	v.done.Store(4)
	if got := v.progress(time.Minute); got != "4 of 9 records are made again, 1m0s" {
		t.Error(got)
	}
}
