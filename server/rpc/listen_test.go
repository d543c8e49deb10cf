package rpc

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/server/identity"
)

// TestStaleSocket leaves a socket behind as a kill does. Without its lock it is stale; as long as a process has the
// lock it is not, whether or not that process answers.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketDir(t), "run", "s")
	first, err := ListenUnix(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix(path); !errors.Is(err, ErrSocketInUse) {
		t.Errorf("while it is served: %v", err)
	}
	if err := first.UnixListener.Close(); err != nil { // as the kernel does: the path stays
		t.Fatal(err)
	}
	if _, err := ListenUnix(path); !errors.Is(err, ErrSocketInUse) {
		t.Errorf("while its holder lives and does not answer: %v", err)
	}
	copied, err := unix.Dup(int(first.Lock.(socketLock).Fd())) // as a child has it that was just forked
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(copied)
	if err := first.Lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Fatalf("there is no stale socket: %v", err)
	}
	next, err := ListenUnix(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(next.Close(), next.Lock.Close()); err != nil {
		t.Error(err)
	}
}

// TestLostSocket takes the path away as others do who do not know the lock. The socket notices, and leaves alone what has its path then.
func TestLostSocket(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(t *testing.T, path string) (left net.Listener){
		"removed": func(t *testing.T, path string) net.Listener {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			return nil
		},
		"replaced": func(t *testing.T, path string) net.Listener {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			other, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			return other
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(socketDir(t), "run", "s")
			socket, err := ListenUnix(path)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			close(ended)
			if socket.Lost(time.Hour, ended) {
				t.Error("it is lost at once")
			}
			other := take(t, path)
			if !socket.Lost(time.Hour, nil) {
				t.Error("it is not lost")
			}
			if err := errors.Join(socket.Close(), socket.Lock.Close()); err != nil {
				t.Error(err)
			}
			if other == nil {
				return
			}
			defer other.Close()
			if conn, err := net.Dial("unix", path); err != nil {
				t.Errorf("the other server: %v", err)
			} else {
				_ = conn.Close()
			}
		})
	}
}

// TestListenTCP has addresses that are not bound, whoever asks.
func TestListenTCP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address   string
		secure    bool
		wantBound bool
	}{
		{"127.0.0.1:0", false, true}, {"0.0.0.0:0", false, false}, {"0.0.0.0:0", true, true}, {"[::]:0", true, true}, {"[::1]:0", false, true}, {"[::]:0", false, false},
		{"localhost:0", false, false}, {"localhost:0", true, false}, {":0", false, false}, {":0", true, false}, {"127.0.0.1", true, false},
	} {
		l, err := ListenTCP(c.address, c.secure)
		if (err == nil) != c.wantBound {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			if host, _, _ := net.SplitHostPort(l.Addr().String()); !strings.HasPrefix(c.address, host) && !strings.HasPrefix(c.address, "["+host) {
				t.Errorf("%+v: bound to %s", c, l.Addr())
			}
			_ = l.Close()
		}
	}
}

// TestForeignPeerIsRejected connects as a user who is not allowed: this one. The handshake fails, and the callback has the user.
func TestForeignPeerIsRejected(t *testing.T) {
	t.Parallel()
	socket, err := ListenUnix(filepath.Join(socketDir(t), "run", "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(socket.Close(), socket.Lock.Close()) }()
	client, err := net.Dial("unix", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := socket.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var reported []identity.PeerInfo
	mine := uint32(os.Geteuid())
	rules := identity.PeerCredentials{Allowed: []uint32{mine + 1}, Rejected: func(p identity.PeerInfo) { reported = append(reported, p) }}
	if _, _, err := rules.ServerHandshake(conn); !errors.Is(err, identity.ErrForeignUser) {
		t.Errorf("the handshake: %v", err)
	}
	if len(reported) != 1 || reported[0].UID != mine || reported[0].PID != int32(os.Getpid()) || reported[0].GID != uint32(os.Getegid()) {
		t.Errorf("reported %+v", reported)
	}
	rules.Allowed = append(rules.Allowed, mine)
	if _, info, err := rules.ServerHandshake(conn); err != nil || info.(identity.PeerInfo).UID != mine || len(reported) != 1 {
		t.Errorf("an allowed one: %v, %v", info, err)
	}
}
