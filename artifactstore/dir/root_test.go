package dir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// needRoot guards a test that changes owners or mounts.
func needRoot(t *testing.T) {
	t.Helper()
	need(t, os.Geteuid() == 0, "needs root")
}

// snapshot describes everything under parent except for times of access.
func snapshot(t testing.TB, parent string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(parent, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().Format(time.RFC3339Nano))
		return err
	}))
	return all.String()
}

// TestUnsafeRootsAreRejected: each is one printable line, and nothing is changed by it.
func TestUnsafeRootsAreRejected(t *testing.T) {
	cases := []struct {
		name    string
		asRoot  bool
		prepare func(parent string) error // parent/store is the root that is opened
		says    string
	}{
		{"link", false, func(parent string) error {
			return errors.Join(os.Mkdir(parent+"/real", 0o700), os.Symlink("real", parent+"/store"))
		}, "symbolic link"},
		{"dangling link", false, func(parent string) error { return os.Symlink("real", parent+"/store") }, "symbolic link"},
		{"file", false, func(parent string) error { return os.WriteFile(parent+"/store", nil, 0o600) }, "not a directory"},
		{"group may write", false, func(parent string) error { return makeDir(parent+"/store", 0o770) }, "writable by others"},
		{"others may write", false, func(parent string) error { return makeDir(parent+"/store", 0o702) }, "writable by others"},
		{"sticky and shared", false, func(parent string) error {
			return makeDir(parent+"/store", 0o777|os.ModeSticky)
		}, "writable by others"},
		{"foreign owner", true, func(parent string) error {
			return errors.Join(makeDir(parent+"/store", 0o700), os.Chown(parent+"/store", 12345, -1))
		}, "belongs to user 12345"},
		{"shared parent", false, func(parent string) error { return os.Chmod(parent, 0o777) }, "not sticky"},
		{"foreign parent", true, func(parent string) error { return os.Chown(parent, 12345, -1) }, "belongs to user 12345"},
		{"something else in it", false, func(parent string) error {
			return errors.Join(makeDir(parent+"/store", 0o700), os.WriteFile(parent+"/store/thesis.tex", nil, 0o600))
		}, "thesis.tex"},
		{"link for FORMAT", false, func(parent string) error {
			return errors.Join(makeDir(parent+"/store", 0o700), os.Symlink("/etc/passwd", parent+"/store/FORMAT"))
		}, "FORMAT"},
		{"link for LOCK", false, func(parent string) error {
			return errors.Join(makeDir(parent+"/store", 0o700), os.Symlink("tmp", parent+"/store/LOCK"))
		}, "LOCK"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.asRoot {
				needRoot(t)
			}
			parent := t.TempDir()
			must(t, c.prepare(parent))
			before := snapshot(t, parent)
			_, err := dir.Open(parent+"/store", dir.Options{})
			wantError(t, "OpenDir", err, artifactstore.ErrRootUnsafe)
			if err != nil && (!strings.Contains(err.Error(), c.says) || !isOneLine(err.Error())) {
				t.Errorf("the error is %q and should say %q on one line", err, c.says)
			}
			if after := snapshot(t, parent); after != before {
				t.Errorf("refused and yet changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// TestPlantedTempIsNotFollowed: a link in place of the temporary directory is rejected, wherever it leads.
func TestPlantedTempIsNotFollowed(t *testing.T) {
	for _, target := range []string{"/tmp", "3fa", "nowhere"} {
		root := filepath.Join(t.TempDir(), "store")
		closeStore(t, openStore(t, root, dir.Options{}))
		must(t, os.Mkdir(root+"/3fa", 0o700))
		must(t, os.Remove(root+"/tmp"))
		must(t, os.Symlink(target, root+"/tmp"))
		_, err := dir.Open(root, dir.Options{})
		wantError(t, "OpenDir with tmp -> "+target, err, artifactstore.ErrRootUnsafe)
	}
}

// makeDir creates a directory with exactly this mode.
func makeDir(path string, mode os.FileMode) error {
	return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode))
}

func TestUnprintablePathsAreRejected(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"a\nb", "a\tb", "a\x1b[31mb", "a\x7fb", "a\xffb", "a\u202eb", "a\u2028b", "a\u200bb", "a\x00b"} {
		_, err := dir.Open(filepath.Join(parent, name), dir.Options{})
		wantError(t, fmt.Sprintf("OpenDir(%q)", name), err, artifactstore.ErrRootUnsafe)
		if err != nil && !isOneLine(err.Error()) {
			t.Errorf("the error repeats the path unprinted: %q", err)
		}
	}
	_, err := dir.Open("", dir.Options{})
	wantError(t, "OpenDir of nothing", err, artifactstore.ErrRootUnsafe)
	for _, root := range []string{"/", "//", "/tmp/.."} { // never opened, in case this check should ever fail
		wantError(t, "check of "+root, dir.CheckRootPath(root), artifactstore.ErrRootUnsafe)
	}
}

func TestSafeRootsAreAccepted(t *testing.T) {
	cases := map[string]func(parent string) error{
		"readable by others": func(parent string) error { return makeDir(parent+"/store", 0o755) },
		"not even ours":      func(parent string) error { return makeDir(parent+"/store", 0o500) },
		"sticky parent":      func(parent string) error { return os.Chmod(parent, 0o777|os.ModeSticky) },
		"missing":            func(string) error { return nil },
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			must(t, prepare(parent))
			d := openStore(t, parent+"/store", dir.Options{})
			wantText(t, d, put(t, d, "x").Name, "x")
			info, err := os.Stat(parent + "/store")
			must(t, err)
			if info.Mode().Perm() != 0o700 {
				t.Errorf("root has mode %v, want 0700", info.Mode().Perm())
			}
		})
	}
}

func TestUnknownFormatIsRejected(t *testing.T) {
	cases := []struct {
		text string
		want error
	}{
		{"toolresult-artifacts 5\nblake4\nmore\n", artifactstore.ErrFormat},
		{"toolresult-artifacts 4\nblake4\nmore\n", artifactstore.ErrDamaged},
		{"toolresult-artifacts 10\n", artifactstore.ErrFormat},
		{"toolresult-artifacts 3\nblake3\n", artifactstore.ErrFormat},
		{"toolresult-artifacts 1\nsha256\n", artifactstore.ErrFormat},
		{"toolresult-artifacts 0\n", artifactstore.ErrDamaged},
		{"toolresult-artifacts -2\n", artifactstore.ErrDamaged},
		{"toolresult-artifacts 4\nblake3", artifactstore.ErrDamaged},
		{"", artifactstore.ErrDamaged},
		{"\x00\xff\n2", artifactstore.ErrDamaged},
		{strings.Repeat("x", 100000), artifactstore.ErrDamaged},
	}
	for _, c := range cases {
		root := filepath.Join(t.TempDir(), "store")
		must(t, makeDir(root, 0o755))
		must(t, os.WriteFile(root+"/FORMAT", []byte(c.text), 0o400))
		must(t, os.Mkdir(root+"/future", 0o755))
		before := snapshot(t, root)
		_, err := dir.Open(root, dir.Options{})
		wantError(t, fmt.Sprintf("OpenDir with FORMAT %.40q", c.text), err, c.want)
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("the error is %d bytes long", len(err.Error()))
		}
		if after := snapshot(t, root); after != before {
			t.Errorf("FORMAT %.40q: changed from\n%s\nto\n%s", c.text, before, after)
		}
	}
}

func TestRequireStableFS(t *testing.T) {
	needRoot(t)
	parent := mountTmpfs(t, "size=1m,mode=0700")
	root := filepath.Join(parent, "a", "store")
	_, err := dir.Open(root, dir.Options{RequireStableFS: true})
	wantError(t, "OpenDir on tmpfs", err, artifactstore.ErrRootUnsafe)
	if _, err := os.Lstat(filepath.Dir(root)); err == nil {
		t.Error("refused and yet created")
	}
	openStore(t, root, dir.Options{RequireStableFS: true, Volatile: true})
	openStore(t, filepath.Join(parent, "b"), dir.Options{})
	openStore(t, filepath.Join(t.TempDir(), "c"), dir.Options{RequireStableFS: onStableFS(t)})
}

// onStableFS reports whether the temporary directory of this test run is on a disk of this machine.
func onStableFS(t *testing.T) bool {
	t.Helper()
	on, err := dir.DetectFileSystem(t.TempDir())
	must(t, err)
	return !on.Volatile && !on.Network
}
