package peercred

import (
	"os"

	"golang.org/x/sys/unix"
)

// ask asks the kernel for the peer of a socket.
func ask(fd int) (Credentials, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Credentials{}, os.NewSyscallError("getsockopt", err)
	}
	return Credentials{UID: c.Uid, GID: c.Gid, PID: c.Pid}, nil
}
