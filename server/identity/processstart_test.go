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
	const tick = time.Second / ticksPerSecond
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

// TestStartTicks reads stat files of processes with every kind of name (proc_pid_stat(5)).
func TestStartTicks(t *testing.T) {
	t.Parallel()
	const rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20"
	for text, want := range map[string]uint64{
		"1 (sh)" + rest: 987654, "1 (a) b (c)" + rest: 987654, "1 (\n) S 1)" + rest: 987654, "1 (x) S 1 2": 0, "": 0, "1 (x)": 0,
		"1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99999999999999999999": 0,
	} {
		if got, ok := startTicks([]byte(text)); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}
