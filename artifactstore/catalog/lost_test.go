package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

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

// TestClockFarAheadExpiresNothing starts with a clock that is a year ahead: leases and times of keeping go on by uptime, until
// the grace is over. A small difference, and a clock that is right again, change nothing.
func TestClockFarAheadExpiresNothing(t *testing.T) {
	t.Parallel()
	clk, store := newClock(), memory.New()
	o := catalog.Options{
		Path: filepath.Join(t.TempDir(), "catalog.db"), Now: clk.now, Grace: time.Hour, KeepFor: 3 * time.Hour, SessionLease: 2 * time.Hour, Quota: 8,
	}
	reopen := func(c *catalog.Catalog, after time.Duration) *catalog.Catalog {
		if c != nil {
			closeCatalog(t, c)
		}
		clk.move(after)
		return open(t, store, o)
	}
	c := reopen(nil, 0)
	put(t, c, catalog.Owner{Session: "s"}, "leased")
	count := func(want int64) {
		t.Helper()
		if got := collect(t, c); got.Count != want {
			t.Errorf("%d are deleted, want %d", got.Count, want)
		}
	}
	c = reopen(c, 365*24*time.Hour)
	count(0)
	clk.move(59 * time.Minute)
	count(0)
	// Another start has its own uptime.
	c = reopen(c, time.Hour)
	count(0)
	clk.move(time.Hour)
	count(1)
	closeCatalog(t, c)
}

// TestOrdinaryTimeExpires: a clock that is ahead by less than the grace is believed.
func TestOrdinaryTimeExpires(t *testing.T) {
	t.Parallel()
	clk, store := newClock(), memory.New()
	o := catalog.Options{Path: filepath.Join(t.TempDir(), "catalog.db"), Now: clk.now, Grace: time.Hour, KeepFor: 30 * time.Minute, SessionLease: 10 * time.Minute}
	c := open(t, store, o)
	put(t, c, catalog.Owner{Session: "s"}, "old")
	closeCatalog(t, c)
	clk.move(31 * time.Minute)
	c = open(t, store, o)
	defer closeCatalog(t, c)
	if got := collect(t, c); got.Count != 1 {
		t.Errorf("%+v", got)
	}
}
