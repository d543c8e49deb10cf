package identity

import (
	"errors"
	"net"
	"syscall"
)

// maxGroups is how many supplementary groups a process has at the most (NGROUPS_MAX).
const maxGroups = 65536

// peerGroups asks the kernel for the supplementary groups that the peer of a Unix socket had when it connected.
func peerGroups(conn net.Conn) (groups []uint32, err error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { groups, inner = socketGroups(int(fd)) })
	return groups, errors.Join(err, inner)
}
