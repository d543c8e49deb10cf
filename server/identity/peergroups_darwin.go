package identity

import (
	"golang.org/x/sys/unix"
)

// socketGroups asks for the groups of the peer of a socket (LOCAL_PEERCRED, unix(4)): at most 16.
func socketGroups(fd int) ([]uint32, error) {
	x, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return nil, err
	}
	return x.Groups[:min(max(int(x.Ngroups), 0), len(x.Groups))], nil
}
