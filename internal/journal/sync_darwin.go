package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the data of a file durable, with its metadata. It is F_FULLFSYNC of fcntl(2), which [os.File.Sync] uses: fsync(2) of
// macOS leaves the data in the cache of the disk, and so does F_BARRIERFSYNC.
func syncData(f *os.File) error { return f.Sync() }

// push has what was written to a file written to the disk now: all of it, since there is no call for a range. It does not empty the
// cache of the disk. An interrupted one only makes a later sync longer.
func push(f *os.File, _, _ int64) error {
	if err := unix.Fsync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
		return err
	}
	return nil
}
