// Package peercred asks the kernel which process is at the other end of a connection over a Unix socket.
//
// Linux answers with what the peer was when it connected, or began to listen (SO_PEERCRED, unix(7)). macOS keeps the user of that
// time, too (LOCAL_PEERCRED, unix(4)); its number of the process is that of the last one that used the other end. A decision about
// access is made by the user alone.
package peercred

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Credentials are those of a process.
type Credentials struct {
	// UID is its effective user.
	UID uint32
	// GID is its effective group.
	GID uint32
	// PID is its number; 0: the system does not know it any more.
	PID int32
}

// Of returns the credentials of the peer of a connection. The error is [errors.ErrUnsupported] for a connection that is none of the
// system, and where a system has no such credentials.
func Of(conn net.Conn) (Credentials, error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return Credentials{}, fmt.Errorf("credentials of %T: %w", conn, errors.ErrUnsupported)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return Credentials{}, err
	}
	var c Credentials
	var failed error
	if err := raw.Control(func(fd uintptr) { c, failed = ask(int(fd)) }); err != nil {
		return Credentials{}, err
	}
	return c, failed
}

// xucredVersion is the version of struct xucred that is known (XUCRED_VERSION in sys/ucred.h of macOS).
const xucredVersion = 0

// fromXucred returns the credentials that the fields of a struct xucred of macOS have, without a process. The first group is the
// effective one. The error is that of a version that is not known, and of one without a group.
func fromXucred(version, uid uint32, count int16, groups []uint32) (Credentials, error) {
	if version != xucredVersion {
		return Credentials{}, fmt.Errorf("credentials of version %d: %w", version, errors.ErrUnsupported)
	}
	if count < 1 || len(groups) == 0 {
		return Credentials{}, errors.New("credentials without a group")
	}
	return Credentials{UID: uid, GID: groups[0]}, nil
}
