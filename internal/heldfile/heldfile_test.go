package heldfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/internal/heldfile"
)

// TestIsNamed opens a file and harms its name: only a name that is gone, or of another file, is none of it.
func TestIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm func(path string) error
		want bool
	}{
		"nothing":       {func(string) error { return nil }, true},
		"written to":    {func(path string) error { return os.WriteFile(path, []byte("more"), 0o600) }, true},
		"deleted":       {os.Remove, false},
		"its directory": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, false},
		"a file as directory": {func(path string) error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		}, false},
		"another in its place": {func(path string) error {
			return errors.Join(os.WriteFile(path+"2", nil, 0o600), os.Rename(path+"2", path))
		}, false},
		"a link to it": {func(path string) error { return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path)) }, false},
	} {
		path := filepath.Join(t.TempDir(), "d", "file")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		opened, err := os.Lstat(path)
		if err := errors.Join(err, c.harm(path)); err != nil {
			t.Fatal(name, err)
		}
		found, err := os.Lstat(path)
		if got := heldfile.IsNamed(opened, found, err); got != c.want {
			t.Errorf("%s: %v, after %v", name, got, err)
		}
	}
	for _, err := range []error{syscall.EIO, syscall.EACCES, syscall.EMFILE, fs.ErrPermission} {
		if !heldfile.IsNamed(nil, nil, err) {
			t.Errorf("%v says that the file is gone", err)
		}
	}
}
