package main

import (
	"os/exec"
	"testing"
	"time"
)

// TestParseStat reads stat files of processes with every kind of name (proc_pid_stat(5)).
func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 12 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20"
	for text, name := range map[string]string{"1 (sh)" + rest: "sh", "1 (a) b (c)" + rest: "a) b (c", "1 (\n) S 1)" + rest: "\n) S 1"} {
		if a, ok := parseStat([]byte(text)); !ok || a != (ancestor{12, name, 987654}) {
			t.Errorf("%q: %+v, %t", text, a, ok)
		}
	}
	for _, text := range []string{"", "1 (x)", "1 ) (x" + rest, "1 (x) S 1 2", "1 (x) S a 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1 20"} {
		if a, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q: %+v", text, a)
		}
	}
}

// TestProcessorTime: the processor time of a busy process grows, that of a sleeping one does not, and an unknown process has none.
func TestProcessorTime(t *testing.T) {
	t.Parallel()
	for line, grows := range map[string]bool{"while :; do :; done": true, "exec sleep 1000": false} {
		c := exec.CommandContext(t.Context(), "sh", "-c", line)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
		deadline := time.Now().Add(time.Minute)
		if !grows {
			deadline = time.Now().Add(300 * time.Millisecond)
		}
		grew := false
		for !grew && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
			grew = processorTime(c.Process.Pid) > 5 // more than a start takes
		}
		if grew != grows {
			t.Errorf("%s: it grew: %t", line, grew)
		}
	}
	if n := processorTime(0); n != 0 {
		t.Error(n)
	}
}
