package dir

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// DetectFileSystem returns the file system of an existing path. The error is that of statfs(2), such as fs.ErrNotExist.
func DetectFileSystem(path string) (FileSystem, error) {
	var stat unix.Statfs_t
	err := unix.Statfs(path, &stat)
	for errors.Is(err, unix.EINTR) {
		err = unix.Statfs(path, &stat)
	}
	if err != nil {
		return FileSystem{}, fmt.Errorf("file system of %s: %w", path, err)
	}
	return fileSystemByName(unix.ByteSliceToString(stat.Fstypename[:]), stat.Flags&unix.MNT_LOCAL != 0), nil
}
