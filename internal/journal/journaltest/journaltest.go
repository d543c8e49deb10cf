// Package journaltest opens journals for tests.
package journaltest

import (
	"log/slog"
	"testing"

	"github.com/toolresult/toolresult/internal/journal"
)

// Open opens a journal in memory, until the test ends.
func Open(t testing.TB) *journal.Journal {
	t.Helper()
	return OpenDir(t, "")
}

// OpenDir opens the journal of a directory, without syncs, until the test ends.
func OpenDir(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(journal.Options{Dir: dir, Volatile: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}
