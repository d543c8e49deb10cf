package integration_test

import (
	"errors"
	"testing"
)

// limitOf skips the test.
func limitOf(t *testing.T, _ *sidecar, _ int, _ uint64) {
	t.Helper()
	leg(t, false, "limits of other processes can be lowered on Linux only")
}

// legLandlock skips the test.
func legLandlock(t *testing.T) {
	t.Helper()
	leg(t, false, "Landlock is in Linux only")
}

// runInSandbox fails.
func runInSandbox([]string) error { return errors.ErrUnsupported }

// detach is no flag.
const detach = 0

// mountMemoryController fails.
func mountMemoryController(string) error { return errors.ErrUnsupported }

// mountOver fails.
func mountOver(_, _ string) error { return errors.ErrUnsupported }
