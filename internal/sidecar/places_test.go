package sidecar_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// TestNamesOfAnEnvironment has the rule of docs/discovery.md: TOOLRESULT_ADDRESS alone, then the address file, then the socket.
// Whoever names a socket does not mean the address file of the runtime directory.
func TestNamesOfAnEnvironment(t *testing.T) {
	t.Parallel()
	own := fmt.Sprintf("/toolresult-%d", os.Getuid())
	for environ, want := range map[string]sidecar.Names{
		"":                       {AddressFile: "/tmp" + own + "/address", Socket: "/tmp" + own + "/toolresult.sock"},
		"TMPDIR=/t":              {AddressFile: "/t" + own + "/address", Socket: "/t" + own + "/toolresult.sock"},
		"TMPDIR=t":               {AddressFile: "/tmp" + own + "/address", Socket: "/tmp" + own + "/toolresult.sock"},
		"XDG_RUNTIME_DIR=/r":     {AddressFile: "/r/toolresult/address", Socket: "/r/toolresult/toolresult.sock"},
		"XDG_RUNTIME_DIR=r":      {AddressFile: "/tmp" + own + "/address", Socket: "/tmp" + own + "/toolresult.sock"},
		"TOOLRESULT_SOCKET=/r/s": {Socket: "/r/s", SocketNamed: true},
		"TOOLRESULT_SOCKET=/r/s TOOLRESULT_ADDRESS_FILE=/r/a":             {AddressFile: "/r/a", Socket: "/r/s", SocketNamed: true},
		"XDG_RUNTIME_DIR=/r TOOLRESULT_ADDRESS_FILE=/a":                   {AddressFile: "/a", Socket: "/r/toolresult/toolresult.sock"},
		"XDG_RUNTIME_DIR=/r TOOLRESULT_ADDRESS=unix:///a":                 {Address: "unix:///a", AddressFile: "/r/toolresult/address", Socket: "/r/toolresult/toolresult.sock"},
		"XDG_RUNTIME_DIR=/r TOOLRESULT_ADDRESS= TOOLRESULT_ADDRESS_FILE=": {AddressFile: "/r/toolresult/address", Socket: "/r/toolresult/toolresult.sock"},
	} {
		if diff := cmp.Diff(want, sidecar.FromEnvironment(strings.Fields(environ))); diff != "" {
			t.Errorf("%q differs (-want +got):\n%s", environ, diff)
		}
	}
	got := sidecar.FromEnvironment(nil).With([]string{"XDG_RUNTIME_DIR=/r"}, "/c/s", "")
	if want := (sidecar.Names{Socket: "/c/s", SocketNamed: true}); got != want {
		t.Errorf("with the socket of a configuration: %+v", got)
	}
}

// listen listens on a socket until the end of the test.
func listen(t testing.TB, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

// dead leaves a socket behind, as a process does that is killed.
func dead(t testing.TB, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// shortDir returns a directory with a short name: the path of a socket has at most 107 bytes.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestFindLooksInOrder has a socket, and another one in the address file, each of which lives, is dead, or is not there.
func TestFindLooksInOrder(t *testing.T) {
	t.Parallel()
	states := map[string]func(testing.TB, string){"lives": listen, "dead": dead, "none": func(testing.TB, string) {}}
	for file, make1 := range states {
		for socket, make2 := range states {
			dir := shortDir(t)
			names := sidecar.FromEnvironment([]string{"XDG_RUNTIME_DIR=" + dir})
			other := filepath.Join(dir, "other")
			if err := sidecar.WriteAddress(names.AddressFile, sidecar.Address{Address: "unix://" + other, PID: 1}); err != nil {
				t.Fatal(err)
			}
			make1(t, other)
			make2(t, names.Socket)
			place, err := names.Find(t.Context())
			want := ""
			switch {
			case file == "lives":
				want = "unix://" + other
			case socket == "lives":
				want = "unix://" + names.Socket
			}
			if place.Address != want || (err == nil) != (want != "") || err != nil && err.Error() != sidecar.ErrNone.Error() { // a place that is not there needs no reason
				t.Errorf("address file %s, socket %s: %+v, %v", file, socket, place, err)
			}
		}
	}
}

// TestNamedAddressIsTheOnlyOne names an address at which nobody serves, beside a socket that lives.
func TestNamedAddressIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	listen(t, filepath.Join(dir, "s"))
	names := sidecar.FromEnvironment([]string{"TOOLRESULT_ADDRESS=unix:///none", "TOOLRESULT_SOCKET=" + dir + "/s"})
	if place, err := names.Find(t.Context()); err != nil || place.Address != "unix:///none" || place.From != "TOOLRESULT_ADDRESS" {
		t.Errorf("%+v, %v", place, err)
	}
	names = sidecar.FromEnvironment([]string{"TOOLRESULT_ADDRESS=/run/s"})
	if _, err := names.Find(t.Context()); err == nil || !strings.Contains(err.Error(), "write unix:///run/s") {
		t.Errorf("a path: %v", err)
	}
}

// TestFullSocketIsSilent has a process that accepts nothing until its queue is full.
func TestFullSocketIsSilent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("macOS rejects a connection to a full queue as to a socket without a process")
	}
	path := filepath.Join(shortDir(t), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if conn, err := net.Dial("unix", path); err == nil {
			defer func() { _ = conn.Close() }()
		}
	}
	if _, err := sidecar.FromEnvironment([]string{"TOOLRESULT_SOCKET=" + path}).Find(t.Context()); !errors.Is(err, sidecar.ErrSilent) {
		t.Errorf("%v", err)
	}
}

// TestUntrustedAddressFilesAreNotFollowed has files that another user may have written, and what is no address file. A socket that
// lives is found in spite of them.
func TestUntrustedAddressFilesAreNotFollowed(t *testing.T) {
	t.Parallel()
	good := `{"address":"unix:///run/s","pid":1}`
	write := func(mode os.FileMode, text string) func(string) error {
		return func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode))
		}
	}
	cases := map[string]struct {
		make func(path string) error
		want string
	}{
		"good":           {write(0o600, good), ""},
		"read by others": {write(0o644, good), ""},
		"later version":  {write(0o600, `{"address":"unix:///run/s","pid":1,"more":{}}`), ""},
		"group writes":   {write(0o620, good), "mode 0620 lets other users write"},
		"others write":   {write(0o602, good), "mode 0602 lets other users write"},
		"empty":          {write(0o600, ""), "is not the JSON"},
		"half":           {write(0o600, good[:20]), "is not the JSON"},
		"large":          {write(0o600, strings.Repeat(" ", 1<<20)+good), "is not the JSON"},
		"TCP":            {write(0o600, `{"address":"127.0.0.1:1"}`), "is not unix:///PATH"},
		"a name":         {write(0o600, `{"address":"dns:///evil.example"}`), "is not unix:///PATH"},
		"abstract":       {write(0o600, `{"address":"unix-abstract:x"}`), "is not unix:///PATH"},
		"relative":       {write(0o600, `{"address":"unix://s"}`), "is not unix:///PATH"},
		"a line":         {write(0o600, `{"address":"unix:///a\nb"}`), "is not unix:///PATH"},
		"a link":         {func(path string) error { return errors.Join(write(0o600, good)(path+"2"), os.Symlink(path+"2", path)) }, "symbolic links"},
		"a pipe":         {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is no file"},
		"a directory":    {func(path string) error { return os.Mkdir(path, 0o700) }, "is no file"},
		"open directory": {func(path string) error {
			return errors.Join(write(0o600, good)(path), os.Chmod(filepath.Dir(path), 0o777))
		}, "mode 0777 lets other users write"},
		"linked directory": {func(path string) error {
			d := filepath.Dir(path)
			return errors.Join(write(0o600, good)(path), os.Rename(d, d+"2"), os.Symlink(d+"2", d))
		}, "is no directory"},
	}
	if os.Geteuid() == 0 {
		cases["another user's"] = struct {
			make func(path string) error
			want string
		}{func(path string) error { return errors.Join(write(0o600, good)(path), os.Chown(path, 12345, -1)) }, "belongs to another user"}
		cases["another user's directory"] = struct {
			make func(path string) error
			want string
		}{func(path string) error {
			return errors.Join(write(0o600, good)(path), os.Chown(filepath.Dir(path), 12345, -1))
		}, "belongs to another user"}
	}
	for name, c := range cases {
		path := filepath.Join(shortDir(t), "d", "address")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), c.make(path)); err != nil {
			t.Fatal(name, err)
		}
		a, err := sidecar.ReadAddress(path)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && a.Address != "unix:///run/s" {
			t.Errorf("%s: %+v, %v, want %q", name, a, err, c.want)
		}
		socket := filepath.Join(shortDir(t), "s")
		listen(t, socket)
		names := sidecar.Names{AddressFile: path, Socket: socket}
		if place, err := names.Find(t.Context()); err != nil || place.Address != "unix://"+socket {
			t.Errorf("%s: found %+v, %v", name, place, err)
		}
		names.Socket = "/nonexistent/s"
		if _, err := names.Find(t.Context()); !errors.Is(err, sidecar.ErrNone) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: no socket: %v", name, err)
		}
	}
}

// TestAddressFilesAreReplacedWhole writes address files in turn, and reads whole ones only.
func TestAddressFilesAreReplacedWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "new", "address")
	rapid.Check(t, func(rt *rapid.T) {
		a := sidecar.Address{
			Address: "unix:///" + rapid.StringMatching(`[a-zé/ "\\]{1,40}`).Draw(rt, "path"), PID: rapid.IntRange(1, 1<<22).Draw(rt, "pid"),
			TCP: rapid.SampledFrom([]string{"", "127.0.0.1:9"}).Draw(rt, "tcp"), Version: rapid.String().Draw(rt, "version"),
		}
		a.Version = strings.ToValidUTF8(a.Version, "")
		if err := sidecar.WriteAddress(path, a); err != nil {
			rt.Fatal(err)
		}
		got, err := sidecar.ReadAddress(path)
		if err != nil || got != a {
			rt.Fatalf("%+v, %v, want %+v", got, err, a)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			rt.Fatal(info, err)
		}
		if err := sidecar.RemoveAddress(path, a.PID+1); err != nil {
			rt.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			rt.Fatal("another process removed it:", err)
		}
		if rapid.Bool().Draw(rt, "remove") {
			if err := errors.Join(sidecar.RemoveAddress(path, a.PID), sidecar.RemoveAddress(path, a.PID)); err != nil {
				rt.Fatal(err)
			}
		}
	})
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil || slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() != "address" }) {
		t.Errorf("left %v, %v", list, err)
	}
}

// TestAddressFileOfALivingSidecarStays writes over that of a sidecar that lives, of one that is dead, and over junk.
func TestAddressFileOfALivingSidecarStays(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	path := filepath.Join(dir, "address")
	mine := sidecar.Address{Address: "unix://" + dir + "/mine", PID: os.Getpid()}
	listen(t, filepath.Join(dir, "lives"))
	dead(t, filepath.Join(dir, "dead"))
	for name, c := range map[string]struct{ there, want string }{
		"lives": {asJSON(t, sidecar.Address{Address: "unix://" + dir + "/lives", PID: 1}), fmt.Sprintf("is of a sidecar that lives, process %d", os.Getpid())},
		"dead":  {asJSON(t, sidecar.Address{Address: "unix://" + dir + "/dead", PID: 1}), ""},
		"gone":  {asJSON(t, sidecar.Address{Address: "unix://" + dir + "/gone", PID: 1}), ""},
		"own":   {asJSON(t, mine), ""}, "junk": {"{", ""},
	} {
		if err := os.WriteFile(path, []byte(c.there), 0o600); err != nil {
			t.Fatal(err)
		}
		err := sidecar.WriteAddress(path, mine)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := sidecar.ReadAddress(path); c.want == "" && (err != nil || got != mine) {
			t.Errorf("%s: read %+v, %v", name, got, err)
		}
	}
	if err := os.Symlink("/nonexistent", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := sidecar.WriteAddress(filepath.Join(dir, "link"), mine); err != nil {
		t.Errorf("a link: %v", err)
	}
	for _, bad := range []string{"/proc/none/address", filepath.Join(path, "below"), dir} {
		if err := sidecar.WriteAddress(bad, mine); err == nil || !strings.Contains(err.Error(), "address file "+bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func asJSON(t *testing.T, a sidecar.Address) string {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFindEndsWithItsContext is done before it begins.
func TestFindEndsWithItsContext(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(shortDir(t), "s")
	listen(t, socket)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (sidecar.Names{Socket: socket}).Find(ctx); errors.Is(err, sidecar.ErrNone) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestIsLoopback: an address is of this machine by its text alone.
func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "localhost:1": true, "[::ffff:127.0.0.1]:1": true,
		"localhost.example.com:1": false, "127.0.0.1.example.com:1": false, "10.0.0.1:1": false, "0.0.0.0:1": false, "127.0.0.1": false, "": false,
		"[::1%lo]:1": false, ":1": false, "LOCALHOST:1": false,
	} {
		if got := sidecar.IsLoopback(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
