package dir

// What is put into a directory that has no name any more is gone with the process, and what is put beside another sidecar
// may be deleted by it. So before something is acknowledged, the path of the store and its lock file are compared with what
// is open. Once they differed, nothing is acknowledged any more, even if they are back.

import (
	"fmt"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/heldfile"
)

// Check fails with ErrVanished if the directory of the store or its lock file was deleted or replaced since it was opened.
// It fails for ever then.
func (d *Store) Check() error {
	if failed := d.vanished.Load(); failed != nil {
		return *failed
	}
	what := ""
	switch {
	case !isNamed(d.present.root, os.Lstat, d.path):
		what = "the directory"
	case !isNamed(d.present.lock, d.root.Lstat, lockName):
		what = "the file " + lockName
	default:
		return nil
	}
	err := fmt.Errorf("%s: %w; start again", what, artifactstore.ErrVanished)
	d.vanished.CompareAndSwap(nil, &err)
	return *d.vanished.Load()
}

// present is the directory and the lock file of a store as they were opened.
type present struct{ root, lock os.FileInfo }

// rememberOpened looks at what is open, for Check to compare with.
func (d *Store) rememberOpened() (err error) {
	if d.present.root, err = d.root.Stat("."); err != nil {
		return stepError(stepMakeRoot, err)
	}
	if d.present.lock, err = d.lock.Stat(); err != nil {
		return stepError(stepOpenLock, err)
	}
	return nil
}

// isNamed reports whether a path still names a file that was opened.
func isNamed(opened os.FileInfo, lstat func(string) (os.FileInfo, error), path string) bool {
	found, err := lstat(path)
	return heldfile.IsNamed(opened, found, err)
}

// checkLive is Check, and fails likewise if the file of a log that is open for appending, or of its marks, is gone or has fewer bytes
// than the log.
func (d *Store) checkLive(name string, open, marks *os.File, size int64) error {
	if err := d.Check(); err != nil {
		return err
	}
	for _, f := range []struct {
		file *os.File
		path string
		size int64
	}{{open, artifactstore.LiveName(name), size}, {marks, artifactstore.LiveName(name) + marksSuffix, 0}} {
		info, err := f.file.Stat()
		if err != nil {
			return stepError(stepOpenLog, err)
		}
		if info.Size() < f.size || !isNamed(info, d.root.Lstat, f.path) {
			return fmt.Errorf("the file of log %s: %w", name, artifactstore.ErrVanished)
		}
	}
	return nil
}
