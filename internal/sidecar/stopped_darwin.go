package sidecar

import "golang.org/x/sys/unix"

// stopped is the state of a process that is stopped (SSTOP in sys/proc.h).
const stopped = 4

// isStopped reports whether a process is stopped, as by SIGSTOP; false if the kernel does not say.
func isStopped(pid int32) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", int(pid))
	return err == nil && p.Proc.P_stat == stopped
}
