package identity

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestProcessStart compares the start of a process with the time at which it was started, and of this one with ps(1)'s source.
func TestProcessStart(t *testing.T) {
	t.Parallel()
	before := time.Now()
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}()
	after := time.Now()
	const tick = 10 * time.Millisecond // of Linux; others are more exact
	got := processStart(int32(c.Process.Pid))
	if got.Before(before.Add(-2*tick)) || got.After(after.Add(2*tick)) {
		t.Errorf("started at %v, between %v and %v", got, before, after)
	}
	if again := processStart(int32(c.Process.Pid)); again.Sub(got).Abs() > tick {
		t.Errorf("started at %v and at %v", got, again)
	}
	if own := processStart(int32(os.Getpid())); own.IsZero() || own.After(got) {
		t.Errorf("this process started at %v", own)
	}
	if none := processStart(-1); !none.IsZero() {
		t.Errorf("no process started at %v", none)
	}
}
