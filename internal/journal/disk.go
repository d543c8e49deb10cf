package journal

// The files of a journal, below one directory that one process at a time has open:
//
//	segments/0000000007.segment     numbered from 1
//	records/00000000000000000001-00000000000000002500.zst    the entries that it has
//	catalog/...
//
// Everything is private to the user. What is being written has a name that ends with ".tmp", and is removed at the next start.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/heldfile"
)

// segmentsFolder is the folder of segments. Sealed files are in that of their stream.
const segmentsFolder = "segments"

// disk has the files of a journal. Names are relative and have one folder. Whatever gets a name, or loses it, does so durably.
type disk interface {
	// List returns the names in a folder, sorted; none if there is no such folder. It removes what an interrupted write left.
	List(folder string) ([]string, error)
	// Create makes a file of zeros.
	Create(name string, size int64) (file, error)
	// Write makes a file of what write writes.
	Write(name string, write func(io.Writer) error) (size int64, err error)
	// Open opens a file for reading and writing, or one that is read-only for reading.
	Open(name string) (file, error)
	// Rename renames a file, over another one if there is one.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// HasSpace reports whether it may have space for that number of bytes.
	HasSpace(bytes int64) bool
	// Close closes the directory and releases its lock.
	Close() error
}

// file is an open file.
type file interface {
	io.ReaderAt
	// WriteParts writes the parts one after the other from an offset on, and returns how many bytes it wrote.
	WriteParts(parts [][]byte, at int64) (int64, error)
	// Sync makes what was written durable.
	Sync() error
	// Push has what was written to a range written to the disk now, so that a later sync, of this file or of another one, is short.
	Push(at, n int64) error
	// Size returns the size in bytes.
	Size() (int64, error)
	// Present fails with ErrVanished if the file has lost its name, or has become shorter than size.
	Present(size int64) error
	Close() error
}

// Modes of files and folders.
const (
	folderMode = 0o700
	writeMode  = 0o600
	readMode   = 0o400
	tempSuffix = ".tmp"
)

// openDisk opens the files of a directory; of memory without one.
func openDisk(dir string, volatile bool) (disk, error) {
	if dir == "" {
		return newMemoryDisk(), nil
	}
	if err := os.Mkdir(dir, folderMode); err == nil {
		if err = errors.Join(os.Chmod(dir, folderMode), syncFolder(filepath.Dir(dir))); err != nil { // whatever the umask
			return nil, err
		}
	} else if !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &folderDisk{dir: dir, folder: folder, volatile: volatile}
	if err := d.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// syncFolder makes the names in a directory durable.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// folderDisk has files in a directory.
type folderDisk struct {
	dir      string
	folder   *os.File // the directory, with the lock
	opened   os.FileInfo
	root     *os.Root
	volatile bool
	readOnly bool // what an interrupted write left stays
}

// open takes the lock, and makes the folders.
func (d *folderDisk) open() (err error) {
	info, err := d.folder.Stat()
	if err != nil {
		return err
	}
	d.opened = info
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("not a directory of this user")
	}
	if err := unix.Flock(int(d.folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	} else if err != nil {
		return err
	}
	if d.root, err = os.OpenRoot(d.dir); err != nil {
		return err
	}
	made := false
	for _, folder := range []string{segmentsFolder, Records.String(), Catalog.String()} {
		err := d.root.Mkdir(folder, folderMode)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = d.root.Chmod(folder, folderMode)
		}
		if err != nil {
			return err
		}
		made = true
	}
	if made {
		return d.syncFolder(".")
	}
	return nil
}

// syncFolder makes the names in a folder durable.
func (d *folderDisk) syncFolder(folder string) error {
	if d.volatile {
		return nil
	}
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// List implements disk.
func (d *folderDisk) List(folder string) ([]string, error) {
	f, err := d.root.Open(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close() // read-only
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		if !strings.HasSuffix(name, tempSuffix) {
			return false
		}
		if !d.readOnly {
			_ = d.root.Remove(folder + "/" + name) // it stays for the next start
		}
		return true
	})
	slices.Sort(names)
	return names, nil
}

// Create implements disk.
func (d *folderDisk) Create(name string, size int64) (file, error) {
	f, err := d.root.OpenFile(name+tempSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, writeMode)
	if err != nil {
		return nil, err
	}
	err = f.Chmod(writeMode) // whatever the umask
	opened := &diskFile{disk: d, name: name, path: filepath.Join(d.dir, name), f: f}
	if err == nil {
		err = writeZeros(opened, 0, size)
	}
	if err == nil && !d.volatile {
		err = f.Sync()
	}
	if err == nil {
		err = d.Rename(name+tempSuffix, name)
	}
	if err == nil {
		opened.opened, err = f.Stat()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), d.root.Remove(name+tempSuffix))
	}
	return opened, nil
}

// Write implements disk.
func (d *folderDisk) Write(name string, write func(io.Writer) error) (size int64, err error) {
	f, err := d.root.OpenFile(name+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, writeMode)
	if err != nil {
		return 0, err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(readMode)
	}
	if err == nil && !d.volatile {
		err = f.Sync()
	}
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(name+tempSuffix, name)
	}
	if err != nil {
		return 0, errors.Join(err, d.root.Remove(name+tempSuffix))
	}
	return size, nil
}

// Open implements disk.
func (d *folderDisk) Open(name string) (file, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		f, err = d.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &diskFile{disk: d, name: name, path: filepath.Join(d.dir, name), f: f, opened: info}, nil
}

// Rename implements disk.
func (d *folderDisk) Rename(from, to string) error {
	if err := d.root.Rename(from, to); err != nil {
		return err
	}
	return d.syncFolder(folderOf(to))
}

// Remove implements disk.
func (d *folderDisk) Remove(name string) error {
	if err := d.root.Remove(name); err != nil {
		return err
	}
	return d.syncFolder(folderOf(name))
}

// folderOf returns the folder of a name.
func folderOf(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return folder
}

// HasSpace implements disk.
func (d *folderDisk) HasSpace(bytes int64) bool {
	var s unix.Statfs_t
	return unix.Fstatfs(int(d.folder.Fd()), &s) == nil && s.Ffree != 0 && int64(s.Bavail)*int64(s.Bsize) >= bytes
}

// Close implements disk. It gives the lock back by itself: closing would leave it to a child that was forked and has not executed its
// program yet.
func (d *folderDisk) Close() error {
	var err error
	if d.root != nil {
		err = d.root.Close()
	}
	_ = unix.Flock(int(d.folder.Fd()), unix.LOCK_UN) // closing gives it back then
	return errors.Join(err, d.folder.Close())
}

// diskFile is a file in a directory.
type diskFile struct {
	disk   *folderDisk
	name   string
	path   string // with the directory
	f      *os.File
	opened os.FileInfo
}

// ReadAt implements [io.ReaderAt].
func (f *diskFile) ReadAt(p []byte, at int64) (int, error) { return f.f.ReadAt(p, at) }

// maxVector is the number of parts that the system takes in one call (UIO_MAXIOV).
const maxVector = 1024

// WriteParts implements file, in as few system calls as the system allows; nearly always that is one.
func (f *diskFile) WriteParts(parts [][]byte, at int64) (n int64, err error) {
	raw, err := f.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	for vector := range slices.Chunk(parts, maxVector) {
		written, failed := 0, error(nil)
		err := raw.Write(func(fd uintptr) bool {
			for written, failed = unix.Pwritev(int(fd), vector, at+n); errors.Is(failed, syscall.EINTR); {
				written, failed = unix.Pwritev(int(fd), vector, at+n)
			}
			return true
		})
		if err = errors.Join(err, failed); err != nil {
			return n, err
		}
		for _, p := range vector {
			done := min(max(written, 0), len(p))
			n += int64(done)
			if written -= len(p); done < len(p) { // a signal or a full disk: the rest one by one
				more, err := f.f.WriteAt(p[done:], at+n)
				if n += int64(more); err != nil {
					return n, err
				}
			}
		}
	}
	return n, nil
}

// Sync implements file. The file has its size already, so that its data suffices.
func (f *diskFile) Sync() error {
	if f.disk.volatile {
		return nil
	}
	return syncData(f.f)
}

// Push implements file. It is no sync: it does not empty the cache of the disk.
func (f *diskFile) Push(at, n int64) error {
	if f.disk.volatile {
		return nil
	}
	return push(f.f, at, n)
}

// Size implements file.
func (f *diskFile) Size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Present implements file. It looks at the directory, too: through a link in its place the path still leads here.
func (f *diskFile) Present(size int64) error {
	if found, err := os.Lstat(f.disk.dir); !heldfile.IsNamed(f.disk.opened, found, err) {
		return fmt.Errorf("the directory: %w", ErrVanished)
	}
	found, err := os.Lstat(f.path)
	if !heldfile.IsNamed(f.opened, found, err) || err == nil && found.Size() < size {
		return fmt.Errorf("%s: %w", f.name, ErrVanished)
	}
	return nil
}

// Close implements file.
func (f *diskFile) Close() error { return f.f.Close() }

// zeros are what a segment has where it has no frame.
var zeros [256 << 10]byte

// writeZeros writes zeros to a range of a file, a piece at a time, so that who appends meanwhile does not wait for all of it.
func writeZeros(f file, from, until int64) error {
	for from < until {
		n := min(until-from, int64(len(zeros)))
		if _, err := f.WriteParts([][]byte{zeros[:n]}, from); err != nil {
			return err
		}
		if err := f.Push(from, n); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// classify wraps an error of the system with the error of this package that it means. Others pass.
func classify(err error) error {
	var sentinel error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		sentinel = ErrFull
	case errors.Is(err, syscall.EROFS):
		sentinel = ErrReadOnly
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN):
		sentinel = ErrUnavailable
	default:
		return err
	}
	if errors.Is(err, sentinel) {
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
