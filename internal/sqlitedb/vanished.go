package sqlitedb

// A database whose file was deleted or replaced goes on as if nothing had happened: its writes go to a file that has no
// name, and are gone with the process. So each transaction that wrote looks, before it is reported as durable, whether
// the names of the database and its write-ahead log still name the files that were opened. The names are looked up in the
// directory that was opened, which may be moved.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// presence is the files of a database as they were first seen.
type presence struct {
	dir   *os.Root
	names [2]string      // of the database and its write-ahead log
	seen  [2]os.FileInfo // nil: not created yet
}

// watch begins to look at the files of the database at a path.
func watch(path string) (*presence, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	p := &presence{dir: dir, names: [2]string{filepath.Base(path), filepath.Base(path) + "-wal"}}
	return p, p.check() // of files that were not seen yet, it never fails
}

// check fails with ErrVanished if a file that was there is gone, or is another one. Errors that say neither are ignored.
func (p *presence) check() error {
	for i, name := range p.names {
		info, err := p.dir.Lstat(name)
		switch {
		case err == nil && p.seen[i] == nil:
			p.seen[i] = info
		case err == nil && !os.SameFile(info, p.seen[i]):
			return fmt.Errorf("%s: %w", name, ErrVanished)
		case p.seen[i] != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE)):
			return fmt.Errorf("%s: %w", name, ErrVanished)
		}
	}
	return nil
}

// close closes the directory.
func (p *presence) close() error { return p.dir.Close() }
