// Package heldfile finds out whether a path still names a file that is open. What is written to a file without a name is gone
// with the process.
package heldfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// IsNamed reports whether a look at a path, as by os.Lstat, found the file that was opened. A look that failed for another
// reason than that nothing is there counts as found: it says nothing about the file.
func IsNamed(opened, found os.FileInfo, err error) bool {
	if err == nil {
		return os.SameFile(opened, found)
	}
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ESTALE)
}
