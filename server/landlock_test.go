package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/toolresult/toolresult/server/config"
)

// restrictedDir tells a process of TestRestrict where it is to try things.
const restrictedDir = "TOOLRESULT_TEST_RESTRICTED"

// TestRestrict has another process of this test restrict itself and try what must work and what must not, on files that
// its user owns and could do anything with.
func TestRestrict(t *testing.T) {
	t.Parallel()
	if version, err := abi.LandlockGetABIVersion(); err != nil || version < landlockABI {
		if os.Getenv("TOOLRESULT_LEGS") == "all" {
			t.Fatal("TOOLRESULT_LEGS=all, and this leg cannot run: it needs Linux 6.7 with landlock among its security modules")
		}
		t.Skip("leg skipped: it needs Linux 6.7 with landlock among its security modules")
	}
	dir := t.TempDir()
	for _, name := range []string{"store", "run", "root", "outside"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "file"), []byte("content"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "store", "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRestrictedProcess$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), restrictedDir+"="+dir, "GOCOVERDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestRestrictedProcess") {
		t.Errorf("%v\n%s", err, out)
	}
	for name, there := range map[string]bool{"store/new": true, "store/old": false, "run/file": false, "outside/file": true, "root/file": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLandlockError has what a kernel and a sandbox answer.
func TestLandlockError(t *testing.T) {
	for _, c := range []struct {
		version int
		err     error
		want    error
	}{
		{landlockABI, nil, nil}, {landlockABI - 1, nil, ErrNoLandlock}, {-1, syscall.ENOSYS, ErrNoLandlock}, {-1, syscall.EOPNOTSUPP, ErrNoLandlock},
		{-1, syscall.EPERM, ErrLandlockDenied}, {-1, syscall.EACCES, ErrLandlockDenied},
	} {
		if got := landlockError(c.version, c.err); !errors.Is(got, c.want) || (c.want == nil) != (got == nil) {
			t.Errorf("version %d, %v: %v", c.version, c.err, got)
		}
	}
}

// TestRestrictedProcess is the other process.
func TestRestrictedProcess(t *testing.T) {
	dir := os.Getenv(restrictedDir)
	if dir == "" {
		t.Skip("only as a process of TestRestrict")
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	listener, err := net.Listen("tcp", "127.0.0.1:0") // as a server has done before
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := Restrict(config.Config{Socket: in("run/file"), Store: in("store"), Roots: []string{in("root")}}); err != nil {
		t.Fatal(err)
	}
	read := func(name string) func() error {
		return func() error { _, err := os.ReadFile(name); return err }
	}
	write := func(name string) func() error {
		return func() error { return os.WriteFile(name, []byte("x"), 0o600) }
	}
	list := func(name string) func() error {
		return func() error { _, err := os.ReadDir(name); return err }
	}
	tcp := func(network string) func() error {
		return func() error {
			d := net.Dialer{}
			d.SetMultipathTCP(false)
			conn, err := d.Dial(network, listener.Addr().String())
			if err == nil {
				_ = conn.Close()
			}
			return err
		}
	}
	for what, try := range map[string]func() error{
		"read outside":        read(in("outside/file")),
		"list outside":        list(in("outside")),
		"write outside":       write(in("outside/new")),
		"remove outside":      func() error { return os.Remove(in("outside/file")) },
		"truncate outside":    func() error { return os.Truncate(in("outside/file"), 0) },
		"move into the store": func() error { return os.Rename(in("outside/file"), in("store/taken")) },
		"link into the store": func() error { return os.Link(in("outside/file"), in("store/taken")) },
		"read through a link": func() error {
			return errors.Join(os.Symlink(in("outside/file"), in("store/way")), read(in("store/way"))())
		},
		"the user's files":       list("/"),
		"users of the machine":   read("/etc/passwd"),
		"its own memory":         read("/proc/self/maps"),
		"write under a root":     write(in("root/new")),
		"remove under a root":    func() error { return os.Remove(in("root/file")) },
		"read beside the socket": read(in("run/file")),
		"make beside the socket": write(in("run/new")),
		"run a program":          func() error { return exec.Command(in("store/file")).Run() },
		"connect":                tcp("tcp4"),
	} {
		if err := try(); !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.EXDEV) { // the other word for it, of links
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, try := range map[string]func() error{
		"read the store": read(in("store/file")),
		"make, move, read in the store": func() error {
			return errors.Join(os.Mkdir(in("store/a"), 0o700), write(in("store/a/new"))(), os.Rename(in("store/a/new"), in("store/new")), read(in("store/new"))())
		},
		"list the store":        list(in("store")),
		"remove from the store": func() error { return os.Remove(in("store/old")) },
		"read under a root":     read(in("root/file")),
		"list a root":           list(in("root")),
		"remove the socket":     func() error { return os.Remove(in("run/file")) },
		"many threads": func() error { // those that are made later too
			errs := make(chan error)
			for range 20 {
				go func() { errs <- read(in("outside/file"))() }()
			}
			for range 20 {
				if err := <-errs; !errors.Is(err, os.ErrPermission) {
					return fmt.Errorf("one reads outside: %w", err)
				}
			}
			return nil
		},
	} {
		if err := try(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
