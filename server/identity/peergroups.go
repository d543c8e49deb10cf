package identity

import (
	"errors"
	"fmt"
	"net"
	"os/user"
	"strconv"
	"syscall"
)

// Groups returns the ids of groups that are given by name or by id. A name must be known on this machine.
func Groups(names []string) (ids []uint32, err error) {
	for _, name := range names {
		id, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			group, err := user.LookupGroup(name)
			if err != nil {
				return nil, err
			}
			if id, err = strconv.ParseUint(group.Gid, 10, 32); err != nil {
				return nil, fmt.Errorf("group %s: %w", name, err)
			}
		}
		ids = append(ids, uint32(id))
	}
	return ids, nil
}

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
