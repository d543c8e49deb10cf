package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
)

// ensureDir makes sure that name, directly under the root, is a private directory of ours, and reports
// whether it had to create it. It follows no link.
func (d *Store) ensureDir(name string, create, protect step) (created bool, err error) {
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.fault.do(create, func() error { return d.root.Mkdir(name, dirMode) })
		if err != nil {
			return false, err
		}
		created = true
		info, err = d.root.Lstat(name)
	}
	if err != nil {
		return created, stepError(create, err)
	}
	if !info.IsDir() || ownerOf(info) != d.uid {
		return created, fmt.Errorf("%s is not a directory of ours: %w", name, artifactstore.ErrRootUnsafe)
	}
	if info.Mode().Perm() != dirMode {
		err = d.fault.do(protect, func() error { return d.root.Chmod(name, dirMode) })
	}
	return created, err
}

// syncDir makes the entries of the directory at name durable. A volatile store does nothing.
func (d *Store) syncDir(s step, name string) error {
	if d.volatile {
		return nil
	}
	return d.syncDirDurably(s, name)
}

// syncDirDurably is syncDir, also in a volatile store.
func (d *Store) syncDirDurably(s step, name string) error {
	return d.fault.do(s, func() error {
		dir, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer dir.Close() // read-only
		return dir.Sync()
	})
}

// openPlain opens the regular file of ours at name for reading. It fails with errNotPlain for anything
// else, and never follows a link: os.Root refuses links that leave the root, and this the others.
func (d *Store) openPlain(name string) (*os.File, os.FileInfo, error) {
	return d.openPlainFor(name, os.O_RDONLY)
}

// openPlainFor is openPlain for other purposes than reading.
func (d *Store) openPlainFor(name string, flag int) (*os.File, os.FileInfo, error) {
	named, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !d.isPlain(named) {
		return nil, nil, errNotPlain
	}
	// O_NONBLOCK means nothing for a regular file, but a pipe that took its place cannot make us wait, and
	// the runtime does not try to poll the file.
	f, err := d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := f.Stat()
	if err == nil && !(d.isPlain(opened) && os.SameFile(named, opened)) {
		err = errNotPlain
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// errNotPlain says that something in the store is not a file that the store wrote.
var errNotPlain = errors.New("not a regular file of ours")

func (d *Store) isPlain(info os.FileInfo) bool {
	return info.Mode().IsRegular() && ownerOf(info) == d.uid
}

// ownerOf returns the user id of a file's owner.
func ownerOf(info os.FileInfo) uint32 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return noOwner
	}
	return stat.Uid
}

// noOwner is the user id that the kernel reserves for "none".
const noOwner = ^uint32(0)

// linksOf returns how many names a file has.
func linksOf(info os.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(stat.Nlink)
}
