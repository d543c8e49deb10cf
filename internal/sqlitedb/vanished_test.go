package sqlitedb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// TestVanishedFilesAreNoticed deletes, moves, replaces and shortens the files of an open database: the next transaction that writes fails,
// and so do all after it.
func TestVanishedFilesAreNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm func(dir string) error
		lost bool
	}{
		"nothing":              {func(string) error { return nil }, false},
		"the directory, moved": {func(dir string) error { return os.Rename(dir, dir+"-moved") }, true},
		"the directory, a link": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.Symlink(dir+"-moved", dir))
		}, true},
		"the directory, a copy": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.CopyFS(dir, os.DirFS(dir+"-moved")))
		}, true},
		"the directory, a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		}, true},
		"the database, deleted": {func(dir string) error { return os.Remove(filepath.Join(dir, "db")) }, true},
		"the database, moved":   {func(dir string) error { return os.Rename(filepath.Join(dir, "db"), filepath.Join(dir, "other")) }, true},
		"the log, deleted":      {func(dir string) error { return os.Remove(filepath.Join(dir, "db-wal")) }, true},
		"the database, emptied": {func(dir string) error { return os.Truncate(filepath.Join(dir, "db"), 0) }, true},
		"the log, emptied":      {func(dir string) error { return os.Truncate(filepath.Join(dir, "db-wal"), 0) }, true},
		"the log, shortened":    {func(dir string) error { return os.Truncate(filepath.Join(dir, "db-wal"), 4096) }, true},
		"everything":            {os.RemoveAll, true},
		"the database, replaced": {func(dir string) error {
			copied, err := os.ReadFile(filepath.Join(dir, "db"))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "copy"), copied, 0o600), os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "db")))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "store")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			db, err := sqlitedb.Open(sqlitedb.Options{Path: filepath.Join(dir, "db"), Schema: "CREATE TABLE t (a)", Version: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			write := func() error {
				return db.Transaction(func() error { return db.Run("INSERT INTO t VALUES (1)") })
			}
			if err := errors.Join(write(), c.harm(dir)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := write()
				if lost := errors.Is(err, sqlitedb.ErrVanished) && errors.Is(err, sqlitedb.ErrFailed); lost != c.lost || !lost && err != nil {
					t.Errorf("%v", err)
				}
			}
		})
	}
}
