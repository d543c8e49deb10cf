package sqlite_test

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
)

// file is a log in a file, volatile because the suite cuts no power.
type file struct{ path string }

func (f file) Open(t testing.TB, now func() time.Time) auditlog.Log {
	t.Helper()
	l, err := sqlite.Open(sqlite.Options{Path: f.path, Volatile: true, Reserve: 4 << 10, Now: now, Logger: quiet()})
	must(t, err)
	return l
}

func (f file) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", f.path)
	must(t, err)
	defer db.Close()
	if _, err := db.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(strings.ReplaceAll(statement, "$", "?"), args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (file) Persistent() bool { return true }

type memory struct{ file }

func (memory) Persistent() bool { return false }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileMeetsContract(t *testing.T) {
	audittest.Run(t, func(t testing.TB) audittest.Place { return file{filepath.Join(t.TempDir(), "audit.db")} })
}

func TestMemoryMeetsContract(t *testing.T) {
	audittest.Run(t, func(testing.TB) audittest.Place { return memory{} })
}
