package catalog_test

import (
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

const year = 365 * 24 * time.Hour

// restarts is a catalog that is opened again and again, with a clock of the test's.
type restarts struct {
	failer
	*catalog.Catalog
	clk     *clock
	store   artifactstore.Store
	options catalog.Options
}

func newRestarts(t failer, path string) *restarts {
	clk := newClock()
	r := &restarts{failer: t, clk: clk, store: memory.New(), options: catalog.Options{
		Index: path, Now: clk.now, Grace: time.Hour, KeepFor: 3 * time.Hour, SessionLease: 2 * time.Hour,
	}}
	r.reopen(0)
	return r
}

// reopen closes the catalog, if it is open, and opens it with a clock that jumped.
func (r *restarts) reopen(jump time.Duration) {
	r.Helper()
	if r.Catalog != nil {
		r.close()
	}
	r.clk.move(jump)
	r.Catalog = open(r, r.store, r.options)
}

func (r *restarts) close() {
	r.Helper()
	if err := tryClose(r.Catalog); err != nil {
		r.Fatalf("close: %v", err)
	}
}

// collects checks how many artifacts a collection deletes.
func (r *restarts) collects(want int64) {
	r.Helper()
	if got := collect(r, r.Catalog); got.Count != want {
		r.Fatalf("%d are deleted, want %d", got.Count, want)
	}
}

// TestClockFarAheadExpiresNothing starts with a clock that is a year ahead: leases and times of keeping go on by uptime until
// the grace is over, and a lease goes on after it.
func TestClockFarAheadExpiresNothing(t *testing.T) {
	t.Parallel()
	r := newRestarts(t, filepath.Join(t.TempDir(), "catalog.db"))
	put(t, r.Catalog, catalog.Owner{Session: "s"}, "leased")
	put(t, r.Catalog, catalog.Owner{}, "unleased")
	r.reopen(year)
	r.collects(0)
	r.clk.move(59 * time.Minute)
	r.collects(0)
	r.clk.move(time.Minute)
	r.collects(1) // what nobody leased
	r.clk.move(59 * time.Minute)
	r.collects(0)
	r.clk.move(time.Minute)
	r.collects(1)
	r.close()
}

// TestClockFarAheadStaysDistrusted starts several times within the hour with a clock that is a year ahead. What is put meanwhile is
// no proof that the clock is right.
func TestClockFarAheadStaysDistrusted(t *testing.T) {
	t.Parallel()
	r := newRestarts(t, filepath.Join(t.TempDir(), "catalog.db"))
	put(t, r.Catalog, catalog.Owner{Session: "s"}, "leased")
	put(t, r.Catalog, catalog.Owner{}, "unleased")
	for i := range 5 {
		r.reopen(year)
		r.collects(0)
		put(t, r.Catalog, catalog.Owner{Session: "another"}, string(rune('a'+i)))
		r.clk.move(10 * time.Minute)
		put(t, r.Catalog, catalog.Owner{}, string(rune('A'+i)))
		r.collects(0)
	}
	r.clk.move(10 * time.Minute)
	r.collects(1) // an hour of uptime, over five runs
	r.close()
}

// TestClockThatIsRightAgain starts once with a clock that is a year ahead and puts something, and then with the right one. Both
// what was put before and what was put meanwhile live as long as they should.
func TestClockThatIsRightAgain(t *testing.T) {
	t.Parallel()
	r := newRestarts(t, filepath.Join(t.TempDir(), "catalog.db"))
	put(t, r.Catalog, catalog.Owner{Session: "s"}, "before")
	r.reopen(year)
	put(t, r.Catalog, catalog.Owner{Session: "s"}, "meanwhile")
	r.clk.move(10 * time.Minute)
	r.reopen(-year)
	r.collects(0)
	r.clk.move(4 * time.Hour)
	r.collects(2)
	r.close()
}

// TestClockThatWasBelievedGoesBack: a clock that is right again after it was a year ahead for long ends nothing early, and time
// goes on.
func TestClockThatWasBelievedGoesBack(t *testing.T) {
	t.Parallel()
	r := newRestarts(t, filepath.Join(t.TempDir(), "catalog.db"))
	r.clk.move(year)
	put(t, r.Catalog, catalog.Owner{Session: "s"}, "x")
	r.reopen(-year)
	r.collects(0)
	r.clk.move(4 * time.Hour)
	r.collects(1)
	r.close()
}

// TestTimesAreShownByTheClock: what callers see agrees with their own clock, also while the catalog does not believe it.
func TestTimesAreShownByTheClock(t *testing.T) {
	t.Parallel()
	r := newRestarts(t, filepath.Join(t.TempDir(), "catalog.db"))
	begin := r.clk.now()
	put(t, r.Catalog, catalog.Owner{Session: "s", Call: "1"}, "before")
	r.reopen(72 * time.Hour)
	r.clk.move(time.Minute)
	put(t, r.Catalog, catalog.Owner{Session: "s", Call: "2"}, "after")
	near := func(what string, got, want time.Time) {
		t.Helper()
		if d := got.Sub(want).Abs(); d > 10*time.Millisecond {
			t.Errorf("%s is at %v, want %v", what, got, want)
		}
	}
	check := func() {
		t.Helper()
		until, err := r.LeasedUntil(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		near("the end of the lease", until, begin.Add(74*time.Hour+time.Minute))
		list, _, err := r.List(t.Context(), "s", "", 0, 9)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		near("the second", list[0].StoredAt, begin.Add(72*time.Hour+time.Minute))
		near("the first", list[1].StoredAt, begin)
	}
	check()
	r.clk.move(time.Hour)
	r.collects(0)
	if !r.Time().Equal(r.clk.now()) {
		t.Errorf("it is %v, want %v", r.Time(), r.clk.now())
	}
	check()
	r.close()
}

// TestLeaseNeedsItsUptime: whatever the clock does between runs, a leased artifact is deleted only after as much uptime as its
// lease has, where each restart may take up to the grace.
func TestLeaseNeedsItsUptime(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		r := newRestarts(rt, filepath.Join(path, string(rune('a'+runs%26))+time.Duration(runs).String()))
		put(rt, r.Catalog, catalog.Owner{Session: "s"}, "leased")
		spent := time.Duration(0)
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			jump := time.Duration(rapid.Int64Range(-int64(year), int64(year)).Draw(rt, "jump"))
			r.reopen(jump)
			spent += max(0, min(jump, time.Hour)) // which a restart may take
			up := time.Duration(rapid.Int64Range(0, int64(40*time.Minute)).Draw(rt, "uptime"))
			r.clk.move(up)
			spent += up
			if got := collect(rt, r.Catalog); got.Count > 0 && spent < 2*time.Hour-time.Second {
				rt.Fatalf("deleted after %v", spent)
			}
		}
		r.close()
	})
}

// TestOrdinaryTimeExpires: a clock that is ahead by less than the grace is believed.
func TestOrdinaryTimeExpires(t *testing.T) {
	t.Parallel()
	clk, store := newClock(), memory.New()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), Now: clk.now, Grace: time.Hour, KeepFor: 30 * time.Minute, SessionLease: 10 * time.Minute}
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
