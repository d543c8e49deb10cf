package journal

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncData makes the data of a file durable, and its size if that has changed.
func syncData(f *os.File) error {
	err := unix.Fdatasync(int(f.Fd()))
	for range maxInterrupted {
		if !errors.Is(err, syscall.EINTR) {
			break
		}
		err = unix.Fdatasync(int(f.Fd()))
	}
	return err
}

// maxInterrupted is how often a sync is made again that a signal interrupted, as on some network file systems.
const maxInterrupted = 16

// push has what was written to a range of a file written to the disk now. It writes no metadata, and does not empty the cache of the disk.
func push(f *os.File, at, n int64) error {
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	switch err := unix.SyncFileRange(int(f.Fd()), at, n, all); {
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ESPIPE), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EINTR):
		return nil // where it is not, a sync takes longer
	default:
		return err
	}
}
