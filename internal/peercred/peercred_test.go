package peercred

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestBothEndsAreThisProcess asks at both ends of a connection, as a server and as a client do.
func TestBothEndsAreThisProcess(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "peer") // shorter than that of a test: the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	want := Credentials{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid()), PID: int32(os.Getpid())}
	if got, err := Of(client); err != nil || got != want { // before it is accepted: the kernel has made the connection
		t.Errorf("the client has %+v, %v; want %+v", got, err, want)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if got, err := Of(server); err != nil || got != want {
		t.Errorf("the server has %+v, %v; want %+v", got, err, want)
	}
}

// TestWhatHasNoCredentials is what is no socket of the system, and one that is closed.
func TestWhatHasNoCredentials(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer b.Close()
	defer a.Close()
	if _, err := Of(a); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := Of(conn); err == nil {
		t.Error("a closed connection has a peer")
	}
}

// TestFromXucred reads what macOS answers, on any system.
func TestFromXucred(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		version uint32
		count   int16
		groups  []uint32
		want    Credentials
		wrong   bool
	}{
		"a user":              {0, 2, []uint32{20, 12}, Credentials{UID: 501, GID: 20}, false},
		"a later version":     {1, 1, []uint32{20}, Credentials{}, true},
		"no group":            {0, 0, []uint32{0, 0}, Credentials{}, true},
		"a negative number":   {0, -1, []uint32{20}, Credentials{}, true},
		"a number alone":      {0, 1, nil, Credentials{}, true},
		"no group is no root": {0, 0, nil, Credentials{}, true},
	} {
		got, err := fromXucred(tt.version, 501, tt.count, tt.groups)
		if got != tt.want || (err != nil) != tt.wrong {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
