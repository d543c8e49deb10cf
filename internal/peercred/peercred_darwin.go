package peercred

import (
	"os"

	"golang.org/x/sys/unix"
)

// ask asks the kernel for the peer of a socket. A peer that has closed its end has a user still, and no process.
func ask(fd int) (Credentials, error) {
	x, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Credentials{}, os.NewSyscallError("getsockopt", err)
	}
	c, err := fromXucred(x.Version, x.Uid, x.Ngroups, x.Groups[:])
	if err != nil {
		return Credentials{}, err
	}
	if pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
		c.PID = int32(pid)
	}
	return c, nil
}
