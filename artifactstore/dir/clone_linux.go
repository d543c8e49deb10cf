package dir

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// clone has the file, which is empty, share the blocks of another one (FICLONE, ioctl_ficlone(2)). After an error it is empty still.
func (t *temp) clone(from *os.File) error {
	return unix.IoctlFileClone(int(t.file.Fd()), int(from.Fd()))
}

// copyRange appends bytes of a file to another one in the system.
func copyRange(to, from *os.File, at, length int64) (int64, error) {
	for {
		n, err := unix.CopyFileRange(int(from.Fd()), &at, int(to.Fd()), nil, int(length), 0)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err == nil && n == 0, slices.ContainsFunc(cannotCopy, func(e error) bool { return errors.Is(err, e) }):
			return 0, errCannotCopy
		case err != nil:
			return 0, os.NewSyscallError("copy_file_range", err)
		default:
			return int64(n), nil
		}
	}
}

// cannotCopy are the errors of copying after which reading and writing may still work.
var cannotCopy = []error{syscall.ENOSYS, syscall.EXDEV, syscall.EINVAL, syscall.EOPNOTSUPP, syscall.EPERM, syscall.EIO}
