package sqlitedb_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// other returns a connection of another program.
func other(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// A lock of another program fails transactions with ErrTransient, and nothing is left of them; when it is gone, all goes on.
func TestLockOfAnotherProgramPasses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	d := open(t, options(path))
	must(t, d.Transaction(add(d, "a")))
	db := other(t, path)
	for _, want := range []string{"a b", "a b c"} {
		_, err := db.Exec("BEGIN IMMEDIATE")
		must(t, err)
		name := want[len(want)-1:]
		if err := d.Transaction(add(d, name)); !errors.Is(err, sqlitedb.ErrTransient) {
			t.Error(err)
		}
		_, err = db.Exec("ROLLBACK")
		must(t, err)
		must(t, d.Transaction(add(d, name)))
		if got := names(t, d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What passes while a transaction is tried is not seen by its caller: what it wrote is there once.
func TestTransactionIsTriedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	d := open(t, options(path))
	tries := 0
	must(t, d.Transaction(func() error {
		must(t, add(d, fmt.Sprint("x", tries))())
		if tries++; tries < 4 {
			return fmt.Errorf("for now: %w", sqlitedb.ErrTransient)
		}
		return nil
	}))
	if got := names(t, d); got != "x3" || tries != 4 {
		t.Errorf("%q after %d tries", got, tries)
	}
	tries = 0
	err := d.Transaction(func() error { tries++; return sqlitedb.ErrTransient })
	if !errors.Is(err, sqlitedb.ErrTransient) || tries != 4 {
		t.Errorf("%v after %d tries", err, tries)
	}
	must(t, d.Transaction(add(d, "y")))
}

// When SQLite undoes a transaction behind the back of an attempt, no later part of it is committed by itself.
func TestUndoneTransactionTakesNoFurtherPart(t *testing.T) {
	t.Parallel()
	d := open(t, options(""))
	ran := false
	err := d.Transaction(func() error {
		must(t, d.Attempt(add(d, "a")))
		_ = d.Attempt(func() error { return errors.Join(d.Run("ROLLBACK"), errors.New("the disk")) })
		if err := d.Attempt(func() error { ran = true; return add(d, "b")() }); err == nil {
			t.Error("a part of a transaction that is gone")
		}
		return nil
	})
	if got := names(t, d); err == nil || ran || got != "" {
		t.Errorf("%v, %q, ran %v", err, got, ran)
	}
	must(t, d.Transaction(add(d, "c")))
}

// limitVar has a process of this test write under a limit of the size of files.
const limitVar = "SQLITEDB_TEST_FILE"

// A limit of the size of files (EFBIG at the write-ahead log) fails a transaction with ErrTransient; when it is higher again,
// the same process goes on, and the file has what was acknowledged.
func TestFileLimitPasses(t *testing.T) {
	path := os.Getenv(limitVar)
	if path == "" {
		t.Parallel()
		path = filepath.Join(t.TempDir(), "a.db")
		cmd := exec.Command(os.Args[0], "-test.run=^TestFileLimitPasses$")
		cmd.Env = append(os.Environ(), limitVar+"="+path)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := names(t, open(t, durable(path))); got != "a b" {
			t.Errorf("the file has %q", got)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	d := open(t, durable(path))
	must(t, d.Transaction(add(d, "a")))
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	wal, err := os.Stat(path + "-wal")
	must(t, err)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(wal.Size()) + 100, Max: limit.Max}))
	for i := range 3 {
		if err := d.Transaction(add(d, "no"+strconv.Itoa(i))); !errors.Is(err, sqlitedb.ErrTransient) {
			t.Error(err)
		}
	}
	if got := names(t, d); got != "a" {
		t.Errorf("under the limit it has %q", got)
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	must(t, d.Transaction(add(d, "b")))
}

// durable returns the options of a database that syncs.
func durable(path string) sqlitedb.Options {
	o := options(path)
	o.Volatile = false
	return o
}
