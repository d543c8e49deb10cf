package identity

import (
	"time"

	"golang.org/x/sys/unix"
)

// processStart returns when a process was started, by the clock of the system then; the zero time if the kernel does not say. A pid is
// given to another process later, a pid with a start is not.
func processStart(pid int32) time.Time {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", int(pid))
	if err != nil || p.Proc.P_pid != pid {
		return time.Time{}
	}
	return time.Unix(p.Proc.P_starttime.Unix()).UTC()
}
