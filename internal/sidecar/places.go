// Package sidecar finds the sidecar of this user, and makes sure that there is one. docs/discovery.md is the rule that it
// implements; clients in other languages can follow it by themselves.
//
// It knows no configuration, no gRPC and no command line: [FromEnvironment] has the names, [Names.Find] the place, [Ensure]
// starts what its caller says, and whether a sidecar serves is asked by its caller.
package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/internal/peercred"
)

// ErrNone means that no sidecar was found.
var ErrNone = errors.New("no sidecar runs")

// ErrSilent means that a process has the socket and does not answer in time: it is stopped, or busy.
var ErrSilent = errors.New("does not answer")

// ErrDenied means that this process may not connect to a socket, as in a sandbox.
var ErrDenied = errors.New("connections are denied")

// MaxSocketPath is the length of the longest path of a socket, in bytes: sockaddr_un.sun_path without its zero byte (unix(7)). That of
// Linux is 107, that of macOS 103.
const MaxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// Names are the names by which a sidecar is found.
type Names struct {
	// Address is what TOOLRESULT_ADDRESS says: if it is set, no other place counts.
	Address string
	// AddressFile is the path of the address file; empty: none is read.
	AddressFile string
	// Socket is the path of the socket.
	Socket string
	// SocketNamed is whether the user named the socket. It is then used whoever serves there.
	SocketNamed bool
}

// FromEnvironment returns the names that the Environment has, in the form of [os.Environ]. Settings that a configuration file
// has are the caller's to fill in, with With.
func FromEnvironment(environ []string) Names {
	e := NewEnvironment(environ)
	names := Names{Address: e["TOOLRESULT_ADDRESS"]}
	return names.with(e, e["TOOLRESULT_SOCKET"], e["TOOLRESULT_ADDRESS_FILE"])
}

// With returns the names for a configuration that names the socket, the address file, or both; empty: it does not.
func (n Names) With(environ []string, socket, addressFile string) Names {
	return n.with(NewEnvironment(environ), socket, addressFile)
}

// with completes the names. Who names a socket means that one: the address file of the runtime directory may be of another.
func (n Names) with(e Environment, socket, addressFile string) Names {
	n.Socket, n.SocketNamed, n.AddressFile = socket, socket != "", addressFile
	if n.SocketNamed {
		return n
	}
	n.Socket = filepath.Join(e.RuntimeDir(), "toolresult.sock")
	n.AddressFile = cmp.Or(addressFile, filepath.Join(e.RuntimeDir(), "address"))
	return n
}

// Place is where a sidecar may be called.
type Place struct {
	// Address is a target of gRPC: unix:///PATH or HOST:PORT.
	Address string
	// From says who named it.
	From string
	// Named is whether the user did: it is then used whoever serves there.
	Named bool
}

// Places returns where to look, in this order: TOOLRESULT_ADDRESS, and nowhere else if it is set; what the address file says;
// the socket. The error says why an address file is not followed; without one there is no error, and the places are good in any
// case.
func (n Names) Places() ([]Place, error) {
	if n.Address != "" {
		return []Place{{n.Address, "TOOLRESULT_ADDRESS", true}}, nil
	}
	var places []Place
	var reason error
	if n.AddressFile != "" {
		file, err := ReadAddress(n.AddressFile)
		switch {
		case err == nil:
			places = append(places, Place{file.Address, "address file " + n.AddressFile, false})
		case !errors.Is(err, os.ErrNotExist):
			reason = err
		}
	}
	if socket := (Place{"unix://" + n.Socket, "socket", n.SocketNamed}); len(places) == 0 || places[0].Address != socket.Address {
		places = append(places, socket)
	}
	return places, reason
}

// Find returns the first place at which a process accepts connections. An address of TOOLRESULT_ADDRESS is returned as it is. On
// a socket that no user named, it is a process of this user. Connections are accepted by the kernel, so that a process that is
// stopped is found too.
//
// Errors: [ErrNone], with what was wrong with the places; [ErrSilent] when a process has a socket and accepts no more;
// [ErrDenied]; that of ctx, when it is done before.
func (n Names) Find(ctx context.Context) (Place, error) {
	places, reason := n.Places()
	if n.Address != "" {
		if _, err := places[0].peer(); errors.Is(err, syscall.EPERM) {
			return places[0], places[0].denied(err)
		}
		return places[0], checkAddress(n.Address)
	}
	if err := canDiscover(runtime.GOOS); err != nil {
		return Place{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	for _, p := range places {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		_, err := p.peer()
		if err == nil {
			return p, nil
		}
		if errors.Is(err, syscall.EAGAIN) || errors.Is(err, os.ErrDeadlineExceeded) { // the queue of connections is full
			return p, fmt.Errorf("the sidecar at %s (%s) %w", p.Address, p.From, ErrSilent)
		}
		if errors.Is(err, syscall.EPERM) { // seccomp(2); the kernel itself says EACCES
			return p, p.denied(err)
		}
		if !isAbsent(err) {
			reason = errors.Join(reason, err)
		}
	}
	if reason != nil {
		return Place{}, fmt.Errorf("%w: %w", ErrNone, reason)
	}
	return Place{}, ErrNone
}

// canDiscover returns why no sidecar can be found on an operating system without being named; nil where it can.
func canDiscover(goos string) error {
	if goos == "windows" {
		return errors.New("on Windows a sidecar is named by TOOLRESULT_ADDRESS: it runs in WSL, and listens on a loopback address")
	}
	return nil
}

// checkAddress rejects what gRPC would take for the name of a host.
func checkAddress(address string) error {
	if strings.HasPrefix(address, "/") {
		return fmt.Errorf("TOOLRESULT_ADDRESS %s: write unix://%s", address, address)
	}
	return nil
}

// maxConnect bounds the wait for a connection to a socket. The kernel makes one or rejects it at once, so that it does not depend on
// the patience of the caller: a place that is there is never taken for none.
const maxConnect = time.Second

// peer connects to a socket and returns the process that listens there.
func (p Place) peer() (peercred.Credentials, error) {
	path, _ := strings.CutPrefix(p.Address, "unix://") // without the prefix it is no path, and nothing listens there
	conn, err := net.DialTimeout("unix", path, maxConnect)
	if err != nil {
		return peercred.Credentials{}, err
	}
	defer func() { _ = conn.Close() }()
	peer, err := peercred.Of(conn)
	switch {
	case err != nil:
		return peercred.Credentials{}, err
	case !p.Named && int(peer.UID) != os.Geteuid():
		return peercred.Credentials{}, fmt.Errorf("%s: is served by another user (%d)", path, peer.UID)
	}
	return peer, nil
}

// PID returns the number of the process that listens at a place; 0 if it is not known, as that of a place on another machine.
func (p Place) PID() int {
	peer, err := p.peer()
	if err != nil {
		return 0
	}
	return int(peer.PID)
}

// denied returns the error of a process that may not connect.
func (p Place) denied(err error) error {
	return fmt.Errorf("the sidecar at %s: %w: %w", p.Address, ErrDenied, err)
}

// isAbsent reports whether an error of a connection means that no process listens there.
func isAbsent(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR)
}
