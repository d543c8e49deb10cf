package catalog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
)

// TestEarlierCatalogIsImported imports a database that version 1 wrote: two sessions, one deleted artifact, one that was cut off. They
// say what they said, take what is new, and stay as they are for a second start.
func TestEarlierCatalogIsImported(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile("testdata/catalog-1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "books.db")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(t.TempDir(), "catalog.db")
	j, err := journal.Open(journal.Options{Dir: index + ".journal", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := catalog.Import(t.Context(), path, j); !found || err != nil {
		t.Fatal(found, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	clk := newClock()
	clk.move(4 * time.Hour)
	store := memory.New()
	for _, content := range []string{"of a", "of both", "of b, cut off", "of none"} {
		if _, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte(content))); err != nil {
			t.Fatal(err)
		}
	}
	for start := range 2 {
		c := open(t, store, catalog.Options{Index: index, KeepFor: time.Hour, SessionLease: time.Hour, Now: clk.now})
		if s := status(t, c); s.Artifacts != 4+int64(start) {
			t.Errorf("start %d: %+v", start, s)
		}
		for content, want := range map[string]string{"of a": "a", "of both": "ab", "of b, cut off": "b", "of none": ""} {
			name := store.RefFor([]byte(content)).Name
			for _, session := range []string{"a", "b"} {
				if got := read(t, c, name, catalog.Permit{Session: session}) == content; got != bytes.Contains([]byte(want), []byte(session)) {
					t.Errorf("start %d: session %s reads %q: %v", start, session, content, got)
				}
			}
			if got := read(t, c, name, catalog.Permit{}); got != content {
				t.Errorf("start %d: %q is %q", start, content, got)
			}
		}
		if _, err := c.PagesFor(t.Context(), store.RefFor([]byte("deleted")).Name, catalog.Permit{Session: "gone"}); !isExpired(err) {
			t.Errorf("start %d: %v", start, err)
		}
		list, _, err := c.List(t.Context(), "b", "", 0, 9)
		if err != nil || len(list) != 2 || !list[0].Partial || list[1].Partial {
			t.Errorf("start %d: %+v, %v", start, list, err)
		}
		before := store.RefFor([]byte("as the tool wrote it")).Name
		if got := read(t, c, before, catalog.Permit{}); got != "" {
			t.Errorf("start %d: what was put as raw before is open: %q", start, got)
		}
		raw := put(t, c, catalog.Owner{Session: "a", Raw: true}, "as the tool wrote it")
		if got := read(t, c, raw.Name, catalog.Permit{}); got != "" {
			t.Errorf("start %d: raw is open: %q", start, got)
		}
		closeCatalog(t, c)
	}
}

// A database of a later version is rejected before a byte of it is written.
func TestLaterCatalogIsRejected(t *testing.T) {
	t.Parallel()
	later, err := os.ReadFile("testdata/catalog-1.db")
	if err != nil {
		t.Fatal(err)
	}
	later[63] = 4 // the version, big-endian, at 60
	path := filepath.Join(t.TempDir(), "books.db")
	if err := os.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Import(t.Context(), path, journaltest.Open(t)); !errors.Is(err, catalog.ErrCatalogUnreadable) {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, later) {
		t.Errorf("the database is changed, error %v", err)
	}
}
