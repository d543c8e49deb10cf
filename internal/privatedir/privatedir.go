// Package privatedir makes and checks directories in which only one user can write: what such a directory names was put there
// by that user.
package privatedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Make makes a directory of mode 0700, with those above it, or checks that an existing one is of this user and that nobody
// else can enter it.
func Make(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return os.Chmod(dir, 0o700) // whatever the umask
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	return check(dir, 0o077, "lets other users in")
}

// Check checks that a directory is of this user and that nobody else can write in it. The error is that of os.Lstat where
// there is none.
func Check(dir string) error { return check(dir, 0o022, "lets other users write") }

// check checks the owner of a directory, and that none of the permissions is given. allows says what they would allow.
func check(dir string, permissions os.FileMode, allows string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("directory %s: is no directory", dir)
	case !IsOurs(info):
		return fmt.Errorf("directory %s: belongs to another user", dir)
	case info.Mode().Perm()&permissions != 0:
		return fmt.Errorf("directory %s: mode %04o %s; chmod 0700 it or choose another", dir, info.Mode().Perm(), allows)
	}
	return nil
}
