package dir

// The root of a store. Whoever can replace the root, or a directory on the way to it, can replace every artifact, so both
// are checked before anything is created: no link, our own, writable by nobody else. From then on everything goes through
// os.Root, which does not leave the directory that was checked.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
)

// checkRootPath returns the absolute form of root. It rejects a path that cannot be printed on one line of a receipt,
// since artifact paths begin with it, and the root of all directories, which must never become private.
func checkRootPath(root string) (string, error) {
	if root == "" {
		return "", fmt.Errorf("path is empty: %w", artifactstore.ErrRootUnsafe)
	}
	path, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if path == "/" {
		return "", fmt.Errorf("it is the root of all directories: %w", artifactstore.ErrRootUnsafe)
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unprintable) {
		return "", fmt.Errorf("path cannot be printed: %w", artifactstore.ErrRootUnsafe)
	}
	return path, nil
}

// nearestExisting returns path, or the closest of its parents that exists.
func nearestExisting(path string) (string, error) {
	for {
		_, err := os.Lstat(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
		path = filepath.Dir(path)
	}
}

// requireStable fails if path is, or would be, on a file system that cannot keep the promises of a store.
func requireStable(path string, volatile bool) error {
	existing, err := nearestExisting(path)
	if err != nil {
		return err
	}
	on, err := DetectFileSystem(existing)
	switch {
	case err != nil:
		return err
	case on.Network:
		return fmt.Errorf("on the network file system %s: %w", on.Kind, artifactstore.ErrRootUnsafe)
	case on.Volatile && !volatile:
		return fmt.Errorf("on %s, which is lost at power-off: %w", on.Kind, artifactstore.ErrRootUnsafe)
	}
	return nil
}

// makeRoot checks the place where the root is to be and creates the root and its missing parents.
func (d *Store) makeRoot() error {
	existing, err := nearestExisting(d.path)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	parent := existing
	if existing == d.path {
		parent = filepath.Dir(d.path)
	}
	if err := d.checkParent(parent); err != nil {
		return err
	}
	if existing == d.path {
		return nil
	}
	missing, err := filepath.Rel(existing, d.path)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	base, err := os.OpenRoot(existing)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	defer base.Close() // nothing was written through it
	steps := strings.Split(missing, "/")
	for i := range steps {
		name := strings.Join(steps[:i+1], "/")
		if err := d.fault.do(stepMakeRoot, func() error { return makePrivateDir(base, name) }); err != nil {
			return err
		}
	}
	return nil
}

// makePrivateDir creates a directory that only we may use. A directory that appeared in the meantime stays as it is.
func makePrivateDir(base *os.Root, name string) error {
	err := base.Mkdir(name, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return base.Chmod(name, dirMode)
}

// checkParent rejects a directory in which another user could replace the root.
func (d *Store) checkParent(parent string) error {
	info, err := os.Stat(parent)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	owner := fileOwner(info)
	switch mode := info.Mode(); {
	case !info.IsDir():
		return fmt.Errorf("parent %s is not a directory: %w", parent, artifactstore.ErrRootUnsafe)
	case mode.Perm()&0o002 != 0 && mode&os.ModeSticky == 0:
		return fmt.Errorf("parent %s is writable by everyone and not sticky: %w", parent, artifactstore.ErrRootUnsafe)
	case owner != d.uid && owner != 0:
		return fmt.Errorf("parent %s belongs to user %d: %w", parent, owner, artifactstore.ErrRootUnsafe)
	}
	return nil
}

// openRoot opens an existing root and rejects one that others control.
func (d *Store) openRoot() error {
	named, err := os.Lstat(d.path)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	switch owner := fileOwner(named); {
	case named.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("it is a symbolic link: %w", artifactstore.ErrRootUnsafe)
	case !named.IsDir():
		return fmt.Errorf("it is not a directory: %w", artifactstore.ErrRootUnsafe)
	case owner != d.uid:
		return fmt.Errorf("it belongs to user %d, not to us (user %d): %w", owner, d.uid, artifactstore.ErrRootUnsafe)
	case named.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("it is writable by others (mode %04o): %w", named.Mode().Perm(), artifactstore.ErrRootUnsafe)
	}
	d.root, err = os.OpenRoot(d.path)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	opened, err := d.root.Stat(".")
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	if !os.SameFile(named, opened) {
		return fmt.Errorf("it was replaced while it was opened: %w", artifactstore.ErrRootUnsafe)
	}
	return nil
}

// protectRoot removes the permissions of group and others from the root.
func (d *Store) protectRoot() error {
	info, err := d.root.Stat(".")
	if err != nil {
		return stepError(stepProtectRoot, err)
	}
	if info.Mode().Perm() == dirMode {
		return nil
	}
	return d.fault.do(stepProtectRoot, func() error { return d.root.Chmod(".", dirMode) })
}

// syncParents makes the path down to the root durable. It runs before FORMAT is written, so a store with a FORMAT needs
// no such sync, even if the process that created the directories died right after. A parent that we may not open, or that
// cannot be synced at all, was not created by us.
func (d *Store) syncParents() error {
	for path := d.path; path != filepath.Dir(path); {
		path = filepath.Dir(path)
		err := d.fault.do(stepSyncParents, func() error { return syncPath(path) })
		if err != nil && !isUnsyncable(err) {
			return err
		}
	}
	return nil
}

// isUnsyncable reports whether an error of syncing a directory says that there is nothing of ours to sync.
func isUnsyncable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EROFS)
}

// syncPath makes the entries of the directory at path durable.
func syncPath(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close() // read-only
	return dir.Sync()
}
