package sqlitedb

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestClosedDatabaseFailsEveryCall: nothing passes over a connection that is gone.
func TestClosedDatabaseFailsEveryCall(t *testing.T) {
	t.Parallel()
	o := Options{Schema: "CREATE TABLE things (name TEXT)", Version: 1}
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	nothing := func() error { return nil }
	_, version := d.version()
	for name, err := range map[string]error{
		"Run":           d.Run("SELECT 1"),
		"Transaction":   d.Transaction(nothing),
		"Attempt":       d.Attempt(nothing),
		"script":        d.script("SELECT 1", 2),
		"version":       version,
		"prepareTables": d.prepareTables(o),
	} {
		if err == nil {
			t.Errorf("%s does not fail", name)
		}
	}
	if d.failed != nil {
		t.Errorf("a closed database is no failed one: %v", d.failed)
	}
}

// TestAttemptReportsItsSavepoint: outside of a transaction that was ended behind its back, an attempt says so.
func TestAttemptReportsItsSavepoint(t *testing.T) {
	t.Parallel()
	d, err := Open(Options{Schema: "CREATE TABLE things (name TEXT)", Version: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Transaction(func() error {
		return d.Attempt(func() error { return d.Run("RELEASE attempt") })
	})
	if err == nil {
		t.Error("an attempt without a savepoint succeeds")
	}
	if err := d.Transaction(func() error { return d.Run("INSERT INTO things VALUES ('x')") }); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

// TestFullDatabaseGoesOn fills a database of a few pages: the call fails alone, and the next one that fits succeeds.
func TestFullDatabaseGoesOn(t *testing.T) {
	t.Parallel()
	d, err := Open(Options{Schema: "CREATE TABLE things (name BLOB)", Version: 1, Pragmas: []string{"max_page_count = 20"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	add := func(size int) error {
		return d.Transaction(func() error { return d.Run("INSERT INTO things VALUES (zeroblob(?))", size) })
	}
	if err := add(1 << 20); !errors.Is(err, ErrFull) || d.failed != nil {
		t.Errorf("%v, failed: %v", err, d.failed)
	}
	if err := add(10); err != nil {
		t.Errorf("less: %v", err)
	}
	if d.onReadOnly() {
		t.Error("memory is no read-only file system")
	}
}

// TestFailedCommitIsUndone: a constraint that is checked at the end of a transaction fails the whole of it.
func TestFailedCommitIsUndone(t *testing.T) {
	t.Parallel()
	d, err := Open(Options{Version: 1, Pragmas: []string{"foreign_keys = ON"},
		Schema: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Transaction(func() error { return d.Run("INSERT INTO b VALUES (7)") }); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if err := d.Transaction(func() error { return errors.Join(d.Run("INSERT INTO a VALUES (7)"), d.Run("INSERT INTO b VALUES (7)")) }); err != nil {
		t.Error(err)
	}
	var rows int
	if _, err := d.Row("SELECT count(*) FROM b", nil, &rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestPragmas reads back the settings on which durability depends.
func TestPragmas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options     Options
		mode        string
		synchronous int // 1: NORMAL, 0: OFF (sqlite.org/pragma.html#pragma_synchronous)
	}{
		"file":          {Options{Path: filepath.Join(t.TempDir(), "a.db")}, "wal", 1},
		"volatile file": {Options{Path: filepath.Join(t.TempDir(), "b.db"), Volatile: true}, "wal", 0},
		"memory":        {Options{}, "memory", 0},
	} {
		c.options.Schema, c.options.Version = "CREATE TABLE things (name TEXT)", 1
		d, err := Open(c.options)
		if err != nil {
			t.Fatal(err)
		}
		var mode string
		var synchronous int
		if _, err := d.Row("PRAGMA journal_mode", nil, &mode); err != nil || mode != c.mode {
			t.Errorf("%s: journal mode %q, %v", name, mode, err)
		}
		if _, err := d.Row("PRAGMA synchronous", nil, &synchronous); err != nil || synchronous != c.synchronous {
			t.Errorf("%s: synchronous %d, %v", name, synchronous, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	alone := &DB{alone: true}
	if list := alone.pragmas(Options{Path: "x"}); list[0] != "locking_mode = EXCLUSIVE" {
		t.Errorf("a database for itself has %q", list) // it must come before the first read
	}
	if list := alone.pragmas(Options{}); list[0] == "locking_mode = EXCLUSIVE" {
		t.Errorf("a database in memory has %q", list)
	}
}

// TestFileSystemIsAsked: only the flag of a mount makes an error of writing a read-only file system.
func TestFileSystemIsAsked(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{t.TempDir(): false, filepath.Join(t.TempDir(), "none"): false} {
		if got := (&DB{path: path}).onReadOnly(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	var stat unix.Statfs_t
	if unix.Statfs("/sys", &stat) == nil && stat.Flags&mountReadOnly != 0 && !(&DB{path: "/sys"}).onReadOnly() {
		t.Error("/sys is mounted read-only")
	}
}
