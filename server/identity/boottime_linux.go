package identity

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime returns the time since the machine was started, with the time that it slept (CLOCK_BOOTTIME, clock_gettime(2)). Setting
// the clock of the system does not change it.
func bootTime() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // it fails for a clock that the kernel does not have
	return time.Duration(now.Nano())
}
