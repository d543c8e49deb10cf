package local_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// place is a directory for a journal and its index; empty: memory.
type place string

// Open implements [audittest.Place].
func (p place) Open(t testing.TB, now func() time.Time) auditlog.Log {
	t.Helper()
	o, index := journal.Options{SegmentSize: 256 << 10, Now: now, Logger: quiet()}, ""
	if p != "" {
		o.Dir, index = filepath.Join(string(p), "journal"), filepath.Join(string(p), "records.db")
	}
	j, err := journal.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := local.Open(local.Options{Journal: j, Index: index, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return opened{l, j}
}

// Persistent implements [audittest.Place].
func (p place) Persistent() bool { return p != "" }

// opened closes the journal, too.
type opened struct {
	auditlog.Log
	journal *journal.Journal
}

// Close closes the log and its journal.
func (o opened) Close() error { return errors.Join(o.Log.Close(), o.journal.Close()) }

func TestLog(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		audittest.Run(t, func(testing.TB) audittest.Place { return place("") })
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		audittest.Run(t, func(t testing.TB) audittest.Place { return place(t.TempDir()) })
	})
}
