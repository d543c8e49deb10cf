package hosts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// settingsOf returns the first of some files of a directory that is there, or the first one.
func settingsOf(dir string, names ...string) string {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return filepath.Join(dir, names[0])
}

// readFile returns the text of a file; nil, not empty, if there is none. It rejects anything but a regular file, and
// does not block on a named pipe.
func readFile(path string) (text []byte, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errNotRegular // and not opened, which some devices notice
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return io.ReadAll(file)
}

var (
	errReadOnly   = errors.New("it is read-only")
	errDangling   = errors.New("it is a link to a file that is not there")
	errNotRegular = errors.New("it is no regular file")
)

// writable returns the reason why a file is not for us to change: it is read-only, as files that another program writes are, no
// regular file, or a link that leads nowhere.
func writable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return errDangling
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	if info.Mode().Perm()&0o200 == 0 {
		return errReadOnly
	}
	return nil
}

// putBack gives a file the text that it had; nil: there was none.
func putBack(path string, text []byte) error {
	if text != nil {
		if now, err := readFile(path); err == nil && bytes.Equal(now, text) {
			return nil
		}
		return writeFile(path, text)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	return nil
}

// removeEmpty removes directories, the innermost first. One that has other files stays.
func removeEmpty(dirs []string) {
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// missingDirs returns the directories above a file that are not there, the innermost first.
func missingDirs(path string) (list []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
	}
}

// digest returns the digest of a text; "" of a file that is not there.
func digest(text []byte) string {
	if text == nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeFile replaces a regular file as a whole, with the permissions that it has. A link stays one: its target is replaced.
func writeFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", path, errNotRegular)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".toolresult-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if info, statErr := os.Stat(path); statErr == nil {
		err = errors.Join(err, temporary.Chmod(info.Mode().Perm()))
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 { // as with sudo
			err = errors.Join(err, temporary.Chown(int(stat.Uid), int(stat.Gid)))
		}
	}
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
