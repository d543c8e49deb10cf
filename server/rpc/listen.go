package rpc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/privatedir"
	"github.com/toolresult/toolresult/internal/sidecar"
)

// ErrSocketInUse means that another server has the socket.
var ErrSocketInUse = errors.New("in use by another server")

// ErrSocketLost means that the path of the server's socket was removed, or that another socket has it, so that clients reach it no more.
var ErrSocketLost = errors.New("the path of the socket is gone, or leads to another one")

// UnixSocket is a listening Unix socket, and the lock that makes its path ours until the lock is closed. Programs that do not know the
// lock can still remove the path, as the end of a user's last session does, or bind a socket of their own there, as service managers do.
type UnixSocket struct {
	*net.UnixListener
	Lock io.Closer

	path   string
	bound  os.FileInfo // of the path when it was bound; its inode is not used again while the socket is open
	unlink sync.Once
}

// Close stops listening, and removes the path if it still leads to this socket.
func (s *UnixSocket) Close() error {
	s.unlink.Do(func() {
		if s.hasPath() {
			_ = os.Remove(s.path) // a socket without its server is stale, and the next one removes it
		}
	})
	return s.UnixListener.Close()
}

// hasPath reports whether the path leads to this socket, or cannot be looked at.
func (s *UnixSocket) hasPath() bool {
	now, err := os.Lstat(s.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(s.bound, now)
}

// Lost returns true once nobody can reach the socket by its path any more, which it looks at again and again after some time; false when
// stop is closed.
func (s *UnixSocket) Lost(every time.Duration, stop <-chan struct{}) bool {
	for s.hasPath() {
		select {
		case <-stop:
			return false
		case <-time.After(every):
		}
	}
	return true
}

// ListenUnix binds a Unix socket in a directory that only this user can enter. A lock file beside the socket decides whether an
// old socket is stale, and never a dial: a server that does not answer is still there. The holder of the lock may unlink and
// bind; it keeps the lock until it ends, and closes it last.
func ListenUnix(path string) (*UnixSocket, error) {
	if err := checkSocketPath(path); err != nil {
		return nil, err
	}
	if err := privatedir.Make(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	socket := &UnixSocket{Lock: lock, path: path}
	if socket.UnixListener, socket.bound, err = bind(path); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	return socket, nil
}

// checkSocketPath rejects paths that the kernel would cut off, or that would break a line of the log.
func checkSocketPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("socket %q: the path must be absolute", path)
	case len(path) > sidecar.MaxSocketPath:
		return fmt.Errorf("socket %q: the path has %d bytes, at most %d are possible", path, len(path), sidecar.MaxSocketPath)
	case strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("socket %q: the path has a control character", path)
	}
	return nil
}

// lockFile opens and locks a file with flock(2), which the kernel releases when the process ends, however it ends. The file
// stays: removing it would let two servers lock two files of the same name.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrSocketInUse
		}
		return nil, err
	}
	return socketLock{f}, nil
}

// socketLock is a file that is locked.
type socketLock struct{ *os.File }

// Close gives the lock back, and closes the file: closing alone would leave it to a child that was forked and has not executed its
// program yet.
func (l socketLock) Close() error {
	_ = unix.Flock(int(l.Fd()), unix.LOCK_UN) // closing gives it back then
	return l.File.Close()
}

// bind binds a socket, in the place of a stale one, and returns what its path is then. It removes nothing but a socket. The lock is held.
func bind(path string) (*net.UnixListener, os.FileInfo, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, nil, errors.New("something that is no socket has this name")
		}
		if err := os.Remove(path); err != nil {
			return nil, nil, err
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, nil, err
	}
	err = os.Chmod(path, 0o600)
	info, statErr := os.Lstat(path)
	if err = errors.Join(err, statErr); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	l.SetUnlinkOnClose(false) // it unlinks by name, whoever has the name then
	return l, info, nil
}

// ListenTCP binds a literal address: of loopback, unless the connections are TLS.
func ListenTCP(address string, secure bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("tcp %q: %w", address, err)
	}
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsLoopback() && !secure {
		return nil, fmt.Errorf("tcp %q: only a literal loopback address is served, such as 127.0.0.1:0", address)
	}
	if ip.To4() != nil {
		return net.Listen("tcp4", address) // for "tcp", 0.0.0.0 would be all of IPv6 too
	}
	return net.Listen("tcp6", address)
}
