package sqlitedb

// A database whose file was deleted or replaced goes on as if nothing had happened: its writes go to a file that has no
// name, or another one, and the next start does not find them. So each transaction that wrote looks, before it is reported
// as durable, whether the paths of the directory, the database and its write-ahead log still name what was opened.

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolresult/toolresult/internal/heldfile"
)

// presence is the files of a database as they were first seen.
type presence struct {
	paths [3]string      // of the directory, the database and its write-ahead log
	seen  [3]os.FileInfo // nil: not created yet
}

// watch begins to look at the files of the database at a path.
func watch(path string) (*presence, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	p := &presence{paths: [3]string{filepath.Dir(path), path, path + "-wal"}}
	return p, p.check() // of files that were not seen yet, it never fails
}

// check fails with ErrVanished if a file that was there is gone, or is another one. Errors that say neither are ignored.
func (p *presence) check() error {
	for i, path := range p.paths {
		info, err := os.Lstat(path)
		switch {
		case p.seen[i] == nil && err == nil:
			p.seen[i] = info
		case p.seen[i] != nil && !heldfile.IsNamed(p.seen[i], info, err):
			return fmt.Errorf("%s: %w", path, ErrVanished)
		case err == nil && i > 0 && info.Size() < p.seen[i].Size(): // while it is open, SQLite never makes it shorter
			return fmt.Errorf("%s: shorter than it was: %w", path, ErrVanished)
		case err == nil:
			p.seen[i] = info
		}
	}
	return nil
}
