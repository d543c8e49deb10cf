package dir

// Files and directories of a store: how they are opened without following a link, and where the artifact of a name is.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
)

// ensureDir makes sure that name, directly under the root, is a private directory of ours, and reports whether it created
// it. It follows no link.
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
	if !info.IsDir() || fileOwner(info) != d.uid {
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
	return d.fault.do(s, func() error {
		dir, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer dir.Close() // read-only
		return dir.Sync()
	})
}

// openPlain opens the regular file of ours at name for reading. It fails with errNotPlain for anything else, and follows
// no link: os.Root rejects links that leave the root, and this function all others.
func (d *Store) openPlain(name string) (*os.File, os.FileInfo, error) {
	return d.openPlainFor(name, os.O_RDONLY)
}

// openPlainFor is openPlain with flags of os.OpenFile.
func (d *Store) openPlainFor(name string, flag int) (*os.File, os.FileInfo, error) {
	for range maxReplaced {
		f, info, err := d.openSame(name, flag)
		if !errors.Is(err, errReplaced) {
			return f, info, err
		}
	}
	return nil, nil, errNotPlain
}

// maxReplaced bounds how often a file is opened that is another one each time.
const maxReplaced = 16

// openSame opens a file if it is the one that was looked at. It fails with errReplaced if that was deleted, and another file of ours put
// in its place.
func (d *Store) openSame(name string, flag int) (*os.File, os.FileInfo, error) {
	named, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !d.isPlain(named) {
		return nil, nil, errNotPlain
	}
	// O_NONBLOCK has no effect on a regular file, but a pipe that replaced it cannot block us, and the runtime does not
	// try to poll the file.
	f, err := d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := f.Stat()
	switch {
	case err != nil:
	case !d.isPlain(opened):
		err = errNotPlain
	case !os.SameFile(named, opened):
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// errNotPlain means that something in the store is not a file that the store wrote.
var errNotPlain = errors.New("not a regular file of ours")

// isPlain reports whether a file is regular and belongs to the owner of the store. Anything else was put there by somebody
// else: a link, a pipe, a device.
func (d *Store) isPlain(info os.FileInfo) bool {
	return info.Mode().IsRegular() && fileOwner(info) == d.uid
}

// fileOwner returns the user id of the owner of a file.
func fileOwner(info os.FileInfo) uint32 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return unknownOwner
	}
	return stat.Uid
}

// unknownOwner is the user id that the kernel reserves for none.
const unknownOwner = ^uint32(0)

// linkCount returns the number of names of a file.
func linkCount(info os.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(stat.Nlink)
}

const (
	// shardBits is the number of bits of a digest that choose the directory: 512 directories, so that a million
	// artifacts are about 2,000 to a directory. More of them would cost more than they save: creating a directory
	// takes ten times as long as creating a file.
	shardBits = 9
	// shardCount is the number of different shards.
	shardCount = 1 << shardBits
	// sharedDigits is the number of digits of a name that the name of its shard repeats. The name of the shard has one
	// digit more: "0" or "8", for the first bit of the third digit.
	sharedDigits = 2
)

// location returns the path of an artifact relative to the root.
func location(name string) string {
	return shardName(name) + "/" + name[sharedDigits:]
}

// parseLocation is the inverse of location.
func parseLocation(location string) (string, bool) {
	shard, rest, ok := strings.Cut(location, "/")
	if !ok || len(shard) != sharedDigits+1 {
		return "", false
	}
	name := shard[:sharedDigits] + rest
	return name, artifactstore.CheckName(name) == nil && shardName(name) == shard
}

// shardName returns the directory of the artifact called name.
func shardName(name string) string {
	if name[sharedDigits] < '8' {
		return name[:sharedDigits] + "0"
	}
	return name[:sharedDigits] + "8"
}

// ParseName returns the name of an artifact in a text: the name itself, or the end of its path in a directory store, such
// as "1f8/a0074a" of 1fa0074a. It does not check whether there is such an artifact.
func ParseName(text string) (name string, ok bool) {
	if artifactstore.CheckName(text) == nil {
		return text, true
	}
	return parseLocation(text)
}

// shardNumber returns the index in Store.shards of the shard of a name.
func shardNumber(name string) int {
	n := strings.IndexByte(hexDigits, name[0])<<5 | strings.IndexByte(hexDigits, name[1])<<1
	if name[sharedDigits] >= '8' {
		n |= 1
	}
	return n
}

// hexDigits are the digits of names, by their values.
const hexDigits = "0123456789abcdef"
