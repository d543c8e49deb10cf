package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf returns the processor time of a process, with that of its threads that ended. The kernel counts it in nanoseconds for
// the clock of the process, which clock_getcpuclockid(3) names; /proc/PID/stat has the same in steps of 10 ms.
func cpuOf(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}

// syncData makes the data of a file durable, as the journal does.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// syncFileSystem waits until nothing waits to be written to the file system of a directory.
func syncFileSystem(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }
