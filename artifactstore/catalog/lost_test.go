package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// TestLostCatalogFailsClosed loses the catalog, which knew what is raw: whatever the store has is read as raw only, until it is
// put again.
func TestLostCatalogFailsClosed(t *testing.T) {
	t.Parallel()
	store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, store, catalog.Options{Path: path})
	original := put(t, c, catalog.Owner{Session: "s", Raw: true}, "secret")
	redacted := put(t, c, catalog.Owner{Session: "s"}, "[redacted]")
	closeCatalog(t, c)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	for range 2 { // the second start finds a catalog
		c = open(t, store, catalog.Options{Path: path})
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
	c = open(t, store, catalog.Options{Path: path})
	defer closeCatalog(t, c)
	put(t, c, catalog.Owner{Session: "s"}, "[redacted]")
	if _, err := c.PagesFor(t.Context(), redacted.Name, catalog.Permit{Session: "s"}); err != nil {
		t.Error(err)
	}
}

// TestCatalogOfABackupFailsClosed puts an older catalog back, which does not know what was put since: that is read as raw only,
// before a collection enters it and after.
func TestCatalogOfABackupFailsClosed(t *testing.T) {
	t.Parallel()
	store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, store, catalog.Options{Path: path})
	known := put(t, c, catalog.Owner{}, "known")
	closeCatalog(t, c)
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c = open(t, store, catalog.Options{Path: path})
	original := put(t, c, catalog.Owner{Raw: true}, "secret")
	closeCatalog(t, c)
	if err := os.WriteFile(path, backup, 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, catalog.Options{Path: path})
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
