package main

import "golang.org/x/sys/unix"

// getTermios is the request of ioctl(2) that succeeds for terminals alone.
const getTermios = unix.TIOCGETA

// bytesWaiting is the request of ioctl(2) for the bytes in a pipe (FIONREAD).
const bytesWaiting = 0x4004667f

// descriptors is the directory that has the descriptors of this process by their numbers.
const descriptors = "/dev/fd"

// findAncestor returns a process by its pid.
func findAncestor(pid int) (ancestor, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(p.Proc.P_pid) != pid {
		return ancestor{}, false
	}
	return ancestor{int(p.Eproc.Ppid), unix.ByteSliceToString(p.Proc.P_comm[:]), uint64(p.Proc.P_starttime.Nano())}, true
}

// processorTime returns 0: the processor time of another process is not known.
func processorTime(int) uint64 { return 0 }
