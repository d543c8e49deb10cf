package integration_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// withFailingWrites makes a call of a sidecar while the disk does not take a write of the segment that its journal writes to.
func withFailingWrites(args ...string) func(*testing.T, *sidecar) error {
	return func(t *testing.T, _ *sidecar) error {
		s := startSidecar(t, launch{Args: args})
		s.project(t, completed(0, numbered(100_000)))
		stop := failingWrites(t, s)
		_, err := s.Project(t.Context(), completed(0, numbered(100_001)))
		stop()
		s.project(t, completed(0, numbered(100_001)))
		return err
	}
}

// failingWrites has the next write to the journal of a sidecar fail with EIO.
func failingWrites(t *testing.T, s *sidecar) (stop func()) {
	t.Helper()
	legTool(t, "strace")
	segments, err := filepath.Glob(filepath.Join(s.Store, "journal", "segments", "0*.segment"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("segments: %v, %v", segments, err)
	}
	args := []string{"-f", "-o", "/dev/null", "-p", fmt.Sprint(s.PID()), "-e", "trace=pwritev", "-e", "inject=pwritev:error=EIO:when=1"}
	for _, path := range segments {
		args = append(args, "-P", path)
	}
	said := &output{}
	cmd := exec.Command("strace", args...)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(syscall.SIGINT) // it lets go of the sidecar
			_ = cmd.Wait()                         // by the signal
		}
	}
	t.Cleanup(stop)
	waitFor(t, "strace to attach", func() bool { return strings.Contains(said.String(), "attached") })
	return stop
}
