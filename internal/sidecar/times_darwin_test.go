package sidecar_test

import (
	"syscall"
	"testing"
	"time"
)

// timesOf returns when a file was accessed and when its content was changed.
func timesOf(t *testing.T, path string) (accessed, modified time.Time) {
	t.Helper()
	var s syscall.Stat_t
	if err := syscall.Lstat(path, &s); err != nil {
		t.Fatal(err)
	}
	return time.Unix(s.Atimespec.Unix()), time.Unix(s.Mtimespec.Unix())
}
