package dir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// push has a file that was written go to the disk, which may have it in a cache (fsync(2) of macOS).
func (d *Store) push(f *os.File) error {
	if d.volatile {
		return nil
	}
	return d.fault.do(stepSettle, func() error {
		err := unix.Fsync(int(f.Fd()))
		for errors.Is(err, unix.EINTR) {
			err = unix.Fsync(int(f.Fd()))
		}
		return err
	})
}

// pushShard is push for the directory of an artifact that got its name.
func (d *Store) pushShard(name string) error {
	f, err := d.root.Open(shardName(name))
	if err != nil {
		return err
	}
	defer f.Close() // read-only
	return d.push(f)
}

// settle makes everything durable that was pushed to the disk of a directory: there is no syncfs(2), and F_FULLFSYNC, which
// [os.File.Sync] uses, empties the cache of the disk.
func settle(root *os.File) error { return root.Sync() }
