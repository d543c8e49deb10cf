package catalog_test

import (
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// TestLostCatalogFailsClosed loses the journal and the index, which knew what is raw: whatever the store has is read as raw only, until it is
// put again.
func TestLostCatalogFailsClosed(t *testing.T) {
	t.Parallel()
	store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, store, catalog.Options{Index: path})
	original := put(t, c, catalog.Owner{Session: "s", Raw: true}, "secret")
	redacted := put(t, c, catalog.Owner{Session: "s"}, "[redacted]")
	closeCatalog(t, c)
	if err := errors.Join(os.Remove(path), os.RemoveAll(path+".journal")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second start finds a catalog
		c = open(t, store, catalog.Options{Index: path})
		for _, ref := range []artifactstore.Ref{original, redacted} {
			for _, p := range []catalog.Permit{{}, {Session: "s"}, {Session: "s", Raw: true}} {
				if _, err := c.PagesFor(t.Context(), ref.Name, p); !errors.Is(err, artifactstore.ErrUnknown) {
					t.Errorf("%s is read with %+v: %v", ref.Name, p, err)
				}
			}
			if _, err := c.PagesFor(t.Context(), ref.Name, catalog.Permit{Raw: true}); err != nil {
				t.Errorf("the owner cannot read %s: %v", ref.Name, err)
			}
		}
		closeCatalog(t, c)
	}
	c = open(t, store, catalog.Options{Index: path})
	defer closeCatalog(t, c)
	put(t, c, catalog.Owner{Session: "s"}, "[redacted]")
	if _, err := c.PagesFor(t.Context(), redacted.Name, catalog.Permit{Session: "s"}); err != nil {
		t.Error(err)
	}
}

// TestCatalogWithoutUsesFailsClosed loses the table that says who put what, as a backup does that is put back without its log of
// writes: everything is read as raw only.
func TestCatalogWithoutUsesFailsClosed(t *testing.T) {
	t.Parallel()
	store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, store, catalog.Options{Index: path})
	original := put(t, c, catalog.Owner{Session: "s", Raw: true}, "secret")
	closeCatalog(t, c)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM uses"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, catalog.Options{Index: path, Logger: slog.Default()})
	defer closeCatalog(t, c)
	for _, p := range []catalog.Permit{{}, {Session: "s"}, {Session: "s", Raw: true}} {
		if got := read(t, c, original.Name, p); got != "" {
			t.Errorf("with %+v: %q", p, got)
		}
	}
	if got := read(t, c, original.Name, catalog.Permit{Raw: true}); got != "secret" {
		t.Errorf("its owner reads %q", got)
	}
}

// TestCatalogOfABackupFailsClosed puts an older journal and index back, which does not know what was put since: that is read as raw only,
// before a collection enters it and after.
func TestCatalogOfABackupFailsClosed(t *testing.T) {
	t.Parallel()
	store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, store, catalog.Options{Index: path})
	known := put(t, c, catalog.Owner{}, "known")
	closeCatalog(t, c)
	backup := t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, catalog.Options{Index: path})
	original := put(t, c, catalog.Owner{Raw: true}, "secret")
	closeCatalog(t, c)
	if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.CopyFS(filepath.Dir(path), os.DirFS(backup))); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, catalog.Options{Index: path})
	defer closeCatalog(t, c)
	for _, when := range []string{"before", "after"} {
		if got := read(t, c, known.Name, catalog.Permit{}); got != "known" {
			t.Errorf("%s the collection, %q", when, got)
		}
		if got := read(t, c, original.Name, catalog.Permit{}); got != "" {
			t.Errorf("%s the collection, anybody reads %q", when, got)
		}
		if got := read(t, c, original.Name, catalog.Permit{Raw: true}); got != "secret" {
			t.Errorf("%s the collection, its owner reads %q", when, got)
		}
		collect(t, c)
	}
}

// TestLostStoreIsLeftAlone takes the lock of a store away, so that another sidecar may have it: nothing is deleted or leased
// any more.
func TestLostStoreIsLeftAlone(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "store")
	store, err := dir.Open(root, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c := open(t, store, catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), KeepFor: time.Nanosecond, Now: func() time.Time { return now }})
	ref := put(t, c, catalog.Owner{}, "of the other")
	now = now.Add(time.Minute)
	if err := os.Remove(filepath.Join(root, "LOCK")); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"collect": func() error { _, err := c.Collect(t.Context(), false); return err },
		"lease":   func() error { _, err := c.Lease(t.Context(), "s", time.Hour); return err },
	} {
		if err := call(); !errors.Is(err, artifactstore.ErrVanished) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := store.Open(t.Context(), ref.Name); err != nil {
		t.Error(err)
	} else if err := r.Close(); err != nil {
		t.Error(err)
	}
	closeCatalog(t, c)
	_ = store.Close()
}
