package identity

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socketGroups asks for the groups of the peer of a socket (SO_PEERGROUPS, unix(7)). The kernel says ERANGE
// when the slice is too short.
func socketGroups(fd int) ([]uint32, error) {
	groups := make([]uint32, 64)
	for {
		size := uint32(len(groups) * 4)
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0)
		switch {
		case errno == 0:
			return groups[:size/4], nil
		case errors.Is(errno, unix.ERANGE) && len(groups) < maxGroups:
			groups = make([]uint32, maxGroups)
		default:
			return nil, errno
		}
	}
}
