package sqlitedb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/internal/sqlitedb"
)

func options(path string) sqlitedb.Options {
	return sqlitedb.Options{Path: path, Volatile: true, Schema: "CREATE TABLE things (name TEXT PRIMARY KEY)", Version: 3}
}

func open(t *testing.T, o sqlitedb.Options) *sqlitedb.DB {
	t.Helper()
	d, err := sqlitedb.Open(o)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, d *sqlitedb.DB) string {
	t.Helper()
	var list []string
	must(t, d.Each("SELECT name FROM things ORDER BY name", nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		list = append(list, name)
		return err
	}))
	return strings.Join(list, " ")
}

func add(d *sqlitedb.DB, name string) func() error {
	return func() error { return d.Run("INSERT INTO things VALUES (?)", name) }
}

// A transaction is done wholly or not at all; an attempt in it that fails leaves nothing, and the others stand.
func TestTransactionIsAllOrNothing(t *testing.T) {
	d := open(t, options(""))
	must(t, d.Transaction(add(d, "a")))
	no := errors.New("no")
	if err := d.Transaction(func() error { return errors.Join(add(d, "b")(), no) }); !errors.Is(err, no) {
		t.Error(err)
	}
	must(t, d.Transaction(func() error {
		if err := d.Attempt(add(d, "a")); !errors.Is(err, sqlitedb.ErrConflict) {
			t.Error(err)
		}
		if err := d.Attempt(func() error { return errors.Join(add(d, "c")(), no) }); !errors.Is(err, no) {
			t.Error(err)
		}
		return d.Attempt(add(d, "d"))
	}))
	if got := names(t, d); got != "a d" {
		t.Errorf("%s", got)
	}
}

// After a panic nothing is written any more, and none of its transaction.
func TestPanicEndsDatabase(t *testing.T) {
	d := open(t, options(""))
	err := d.Transaction(func() error {
		must(t, d.Attempt(add(d, "a")))
		_ = d.Attempt(func() error { panic("broken") }) // the transaction fails all the same
		return nil
	})
	if !errors.Is(err, sqlitedb.ErrFailed) || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	if err := d.Transaction(add(d, "b")); !errors.Is(err, sqlitedb.ErrFailed) {
		t.Error(err)
	}
	if got := names(t, d); got != "" {
		t.Error(got)
	}
}

// Readers read beside the writer, and write nothing.
func TestReaderSeesOnlyCommits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "with space?#%.db")
	d := open(t, options(path))
	r := open(t, sqlitedb.Options{Path: path, Reader: true})
	must(t, d.Transaction(func() error {
		must(t, add(d, "a")())
		if got := names(t, r); got != "" {
			t.Errorf("a reader sees %s before the commit", got)
		}
		return nil
	}))
	if got := names(t, r); got != "a" || d.Alone() {
		t.Errorf("%s", got)
	}
	if err := add(r, "b")(); !errors.Is(err, sqlitedb.ErrReadOnly) {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestOtherVersionsAreRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	for _, c := range []struct {
		version int
		want    error
	}{{3, nil}, {3, nil}, {2, sqlitedb.ErrUnreadable}, {4, sqlitedb.ErrUnreadable}} {
		o := options(path)
		o.Version = c.version
		d, err := sqlitedb.Open(o)
		if !errors.Is(err, c.want) {
			t.Errorf("version %d: %v", c.version, err)
		}
		if err == nil {
			must(t, d.Close())
		}
	}
	must(t, os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600))
	if _, err := sqlitedb.Open(options(path)); !errors.Is(err, sqlitedb.ErrUnreadable) {
		t.Error(err)
	}
}

// Statements report what they did, and every failure.
func TestStatementsReportResults(t *testing.T) {
	d := open(t, options(""))
	if !d.Alone() {
		t.Error("others can read a database in memory")
	}
	must(t, d.Transaction(func() error { return errors.Join(add(d, "a")(), add(d, "b")()) }))
	must(t, d.Run("UPDATE things SET name = name || '!'"))
	var name string
	if found, err := d.Row("SELECT name FROM things WHERE name = ?", []any{"b!"}, &name); !found || err != nil || name != "b!" {
		t.Errorf("%v, %q, %v", found, name, err)
	}
	if found, err := d.Row("SELECT name FROM things WHERE name = 'c'", nil, &name); found || err != nil {
		t.Errorf("a row that is not there: %v, %v", found, err)
	}
	stop := errors.New("stop")
	rows := 0
	if err := d.Each("SELECT name FROM things", nil, func(func(...any) error) error { rows++; return stop }); !errors.Is(err, stop) || rows != 1 {
		t.Errorf("%v after %d rows", err, rows)
	}
	for name, err := range map[string]error{
		"Run":  d.Run("no statement"),
		"Row":  second(d.Row("no statement", nil)),
		"Each": d.Each("no statement", nil, func(func(...any) error) error { return nil }),
		"scan": second(d.Row("SELECT name FROM things", nil, new(int))),
	} {
		if err == nil {
			t.Errorf("%s reports no failure", name)
		}
	}
	if err := d.Run("INSERT INTO things VALUES ('a!')"); !errors.Is(err, sqlitedb.ErrConflict) {
		t.Errorf("a second row of the same key: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A path that cannot be written to is an error of the file system.
func TestOpenReportsTheFileSystem(t *testing.T) {
	if _, err := sqlitedb.Open(options(filepath.Join(t.TempDir(), "none", "a.db"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	path := filepath.Join(t.TempDir(), "a.db")
	if _, err := sqlitedb.Open(sqlitedb.Options{Path: path, Reader: true}); err == nil {
		t.Error("a reader has opened a file that is not there")
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reader has created a file: %v", err)
	}
}
