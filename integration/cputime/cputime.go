// Package cputime measures the CPU time of a test process, which does not depend on other processes.
package cputime

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Used returns the CPU time of this process so far, in user and kernel mode, of all goroutines.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
