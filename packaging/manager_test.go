package packaging_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// manager does for one service and its socket what systemd does, as far as the service can see it: it binds the socket, starts the
// command of the unit with that socket, and reads what the process says.
type manager struct {
	t               *testing.T
	root            string
	service, socket Unit
	notify          *net.UnixConn
	said            chan string // messages of the process, in their order
	log             bytes.Buffer
	stop            func()
	pid             int
}

// inRoot calls f on a thread whose root directory is another one, so that paths of sockets are those that a process there sees. The
// thread ends with it.
func inRoot(t *testing.T, root string, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for good
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil {
			err = unix.Chroot(root)
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// ids returns user and group in the root.
func ids(t *testing.T, root, name string) (uid, gid int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, ":")
		if fields[0] != name {
			continue
		}
		u := user.User{Uid: fields[2], Gid: fields[3]}
		uid, err = strconv.Atoi(u.Uid)
		if err == nil {
			gid, err = strconv.Atoi(u.Gid)
		}
		if err != nil {
			t.Fatal(err)
		}
		return uid, gid
	}
	t.Fatalf("there is no user %s", name)
	return 0, 0
}

// startUnits starts the installed units of the system.
func startUnits(t *testing.T, root string) *manager {
	t.Helper()
	m := &manager{t: t, root: root, said: make(chan string, 10_000)}
	var err error
	for name, unit := range map[string]*Unit{"toolresult.service": &m.service, "toolresult.socket": &m.socket} {
		if *unit, err = ReadUnit(filepath.Join(root, "usr/lib/systemd/system", name)); err != nil {
			t.Fatal(err)
		}
	}
	uid, gid := ids(t, root, m.service.Get("User"))
	listening := m.bind(gid)
	inRoot(t, root, func() (err error) {
		m.notify, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "/run/notify", Net: "unixgram"})
		return errors.Join(err, os.Chmod("/run/notify", 0o666))
	})
	go m.listen()
	t.Cleanup(func() { _ = m.notify.Close() })
	state := filepath.Join(root, "var/lib", m.service.Get("StateDirectory"))
	mode, err := strconv.ParseUint(m.service.Get("StateDirectoryMode"), 8, 32)
	if err := errors.Join(err, os.MkdirAll(state, os.FileMode(mode)), os.Chown(state, uid, gid)); err != nil {
		t.Fatal(err)
	}
	private := "/run/" + m.service.Get("RuntimeDirectory")
	mode, err = strconv.ParseUint(m.service.Get("RuntimeDirectoryMode"), 8, 32)
	if err := errors.Join(err, os.Mkdir(filepath.Join(root, private), os.FileMode(mode)), os.Chown(filepath.Join(root, private), uid, gid)); err != nil {
		t.Fatal(err)
	}
	p := process{root: root, uid: uint32(uid), gid: uint32(gid), env: []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "USER=toolresult", "LOGNAME=toolresult", "HOME=/var/lib/toolresult",
		"NOTIFY_SOCKET=/run/notify", "LISTEN_FDS=1", "LISTEN_FDNAMES=toolresult.socket", "STATE_DIRECTORY=/var/lib/toolresult", "RUNTIME_DIRECTORY=" + private, "WATCHDOG_USEC=1000000",
	}}
	// The shell becomes the command, so that it is the process for which the socket is.
	command := p.command("/bin/sh", "-c", "umask "+m.service.Get("UMask")+`; export LISTEN_PID=$$ WATCHDOG_PID=$$; exec `+m.service.Get("ExecStart"))
	command.ExtraFiles, command.Stderr = []*os.File{listening}, &m.log
	m.stop = p.start(t, command, &m.log)
	m.pid = command.Process.Pid
	return m
}

// bind binds the socket of the unit: its path, its mode, its group.
func (m *manager) bind(gid int) *os.File {
	m.t.Helper()
	path := m.socket.Get("ListenStream")
	mode, err := strconv.ParseUint(m.socket.Get("SocketMode"), 8, 32)
	if err != nil || m.socket.Get("SocketGroup") != m.service.Get("Group") {
		m.t.Fatalf("the socket has mode %q and group %q", m.socket.Get("SocketMode"), m.socket.Get("SocketGroup"))
	}
	var f *os.File
	inRoot(m.t, m.root, func() error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		f, err = l.File()
		return errors.Join(err, l.Close(), os.Chown(path, 0, gid), os.Chmod(path, os.FileMode(mode)))
	})
	m.t.Cleanup(func() { _ = f.Close() })
	return f
}

// listen reads what the process says, as systemd does at once: a socket keeps ten messages, and drops the next.
func (m *manager) listen() {
	defer close(m.said)
	message := make([]byte, 4096)
	for {
		n, err := m.notify.Read(message)
		if err != nil {
			return // it is closed
		}
		m.said <- string(message[:n])
	}
}

// saidWithin is how long a message is waited for, on a machine that does much else.
const saidWithin = time.Minute

// until waits for a message that has all of the lines. Only signs of life may come before it.
func (m *manager) until(lines ...string) {
	m.t.Helper()
	late := time.After(saidWithin)
	for {
		select {
		case message := <-m.said:
			said := strings.Split(message, "\n")
			if !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(said, line) }) {
				return
			}
			if !slices.Equal(said, []string{"WATCHDOG=1"}) {
				m.t.Fatalf("it says %q instead of %q\n%s", said, lines, &m.log)
			}
		case <-late:
			m.t.Fatalf("it does not say %q\n%s", lines, &m.log)
		}
	}
}

// end removes what the manager has made, as RemoveOnStop and an end of the machine do.
func (m *manager) end() {
	m.t.Helper()
	if m.socket.Get("RemoveOnStop") != "yes" {
		m.t.Error("the socket stays")
	}
	for _, path := range []string{m.socket.Get("ListenStream"), "/run/notify", "/run/" + m.service.Get("RuntimeDirectory")} {
		if err := os.Remove(filepath.Join(m.root, path)); err != nil {
			m.t.Error(fmt.Errorf("what the manager made: %w", err))
		}
	}
}
