package packaging_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newRoot returns a new directory that can be the root of processes of any user.
func newRoot(t *testing.T) string {
	t.Helper()
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(work, "r")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cleanRoot returns a new root with the least that Debian has.
func cleanRoot(t *testing.T) string { return debian(t, "clean", "") }

// debian returns a new root with the least that Debian has, and further packages, from the mirrors of this machine's apt. It is made once,
// and kept under a name.
func debian(t *testing.T, name, packages string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("only root can change to another root directory")
	}
	archive := filepath.Join(work, name+".tar")
	if _, err := os.Stat(archive); err != nil {
		suite := strings.TrimSpace(output(t, "sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"))
		args := []string{"--variant=minbase", "--mode=root"}
		if packages != "" {
			args = append(args, "--include="+packages)
		}
		output(t, "mmdebstrap", append(args, suite, archive+".new.tar")...)
		if err := os.Rename(archive+".new.tar", archive); err != nil {
			t.Fatal(err)
		}
	}
	dir := newRoot(t)
	output(t, "tar", "-xpf", archive, "--numeric-owner", "--exclude=./dev/*", "-C", dir)
	if err := unix.Mknod(filepath.Join(dir, "dev/null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readOnly makes a root one that nobody can write, but for some directories in it.
func readOnly(t *testing.T, dir string, writable ...string) {
	t.Helper()
	mount := func(at string, flags uintptr) {
		t.Helper()
		if err := unix.Mount(at, at, "", flags, ""); err != nil {
			t.Fatalf("mount %s: %v", at, err)
		}
	}
	mount(dir, unix.MS_BIND)
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, w := range writable {
		mount(filepath.Join(dir, w), unix.MS_BIND)
	}
	mount(dir, unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY)
	if err := os.WriteFile(filepath.Join(dir, "etc/written"), nil, 0o644); !errors.Is(err, unix.EROFS) {
		t.Fatalf("the root can be written: %v", err)
	}
}

// process is whoever runs commands in a root.
type process struct {
	root     string
	uid, gid uint32
	groups   []uint32
	env      []string
	dir      string // working directory; empty: that of the root
}

// command returns a command that is not started yet.
func (p process) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Path, cmd.Err = args[0], nil // of the root, not of this machine
	cmd.Env, cmd.Dir = p.env, "/"+strings.TrimPrefix(p.dir, "/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: p.root, Credential: &syscall.Credential{Uid: p.uid, Gid: p.gid, Groups: p.groups}}
	return cmd
}

// shell runs a script to its end and returns what it prints, to standard output and errors.
func (p process) shell(t *testing.T, script string) string {
	t.Helper()
	out, err := p.command("/bin/sh", "-euc", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

// start starts a server. stop ends it as a manager does, and fails the test unless that is orderly.
func (p process) start(t *testing.T, cmd *exec.Cmd, log *bytes.Buffer) (stop func()) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	done := false
	stop = func() {
		if done {
			return
		}
		done = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%v\n%s", err, log)
			}
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
			t.Errorf("it does not end\n%s", log)
		}
	}
	t.Cleanup(stop)
	return stop
}

// waitFor waits until there is a file.
func waitFor(t *testing.T, path string, log *bytes.Buffer) {
	t.Helper()
	for range 3000 {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no %s\n%s", path, log)
}

// own are files in which dpkg, rpm and useradd keep what they have done; what they say of users is compared by their content elsewhere.
var own = []string{
	"/var/lib/dpkg/", "/var/log/dpkg.log", "/var/lib/rpm/", "/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/subuid-",
	"/etc/subgid-", "/etc/.pwd.lock", "/home/me/", "/var/cache/ldconfig/", "/usr/lib/sysimage/rpm/", "/root/.rpmdb/",
}

// list returns everything in a root but own files: path, mode, owner, and content of what is no directory.
func list(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, root)
		if slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(name, prefix) || name+"/" == prefix }) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		content := ""
		if info.Mode().IsRegular() {
			bytes, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(bytes)
			content = hex.EncodeToString(sum[:8])
		}
		all = append(all, fmt.Sprintf("%s %s %d:%d %s", name, info.Mode(), stat.Uid, stat.Gid, content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differences returns what is in one list alone.
func differences(before, after []string) (list []string) {
	for _, line := range after {
		if !slices.Contains(before, line) {
			list = append(list, "left: "+line)
		}
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			list = append(list, "gone: "+line)
		}
	}
	return list
}
