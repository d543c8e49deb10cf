package catalog_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/internal/journal"
)

// clean cleans the journal of a catalog.
func clean(t failer, c *catalog.Catalog) bool {
	t.Helper()
	cleaned, err := c.Clean(context.Background())
	if err != nil {
		t.Fatalf("clean: %v", err)
	}
	return cleaned
}

// anchor returns the last change that the journal of a catalog does not have any more.
func anchor(c *catalog.Catalog) uint64 {
	j, _ := journals.Load(c)
	return j.(*journal.Journal).Anchor(journal.Catalog).Number
}

// rebuilt closes a catalog, makes its index again from the journal, and returns what both indexes have.
func rebuilt(t *testing.T, c *catalog.Catalog, store artifactstore.Store, o catalog.Options) (was, is []string) {
	t.Helper()
	closeCatalog(t, c)
	was = dump(t, o.Index)
	return was, again(t, store, o)
}

// again makes the index of a catalog that is closed again, and returns what it has.
func again(t *testing.T, store artifactstore.Store, o catalog.Options) []string {
	t.Helper()
	if err := os.Remove(o.Index); err != nil {
		t.Fatal(err)
	}
	c := open(t, store, o)
	_, err := c.LeasedUntil(t.Context(), "s") // it waits for the index
	closeCatalog(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return dump(t, o.Index)
}

// TestCleaningChangesNothing has every kind of change before a cleaning and after it: the index that is made of what the journal has left is
// the one that was.
func TestCleaningChangesNothing(t *testing.T) {
	t.Parallel()
	store, clk := memory.New(), newClock()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour, KeepFor: time.Hour, Now: clk.now, CleanAfter: 1}
	for _, round := range []string{"1", "2", "3"} {
		c := open(t, store, o)
		for _, s := range steps(t, clk, round) {
			if err := s.do(c); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			clean(t, c)
		}
		if anchor(c) == 0 {
			t.Error("nothing was deleted")
		}
		was, is := rebuilt(t, c, store, o)
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("round %s (-was +made again):\n%s", round, diff)
		}
	}
}

// twins are two catalogs with the same calls, of which one is cleaned.
type twins struct {
	clk    *clock
	stores [2]artifactstore.Store
	o      [2]catalog.Options
	c      [2]*catalog.Catalog
}

func (w *twins) both(do func(c *catalog.Catalog)) {
	for _, c := range w.c {
		do(c)
	}
}

// said returns what an index has, without what cleaning may change: places in lists are ranks, sessions without artifacts whose leases are
// over are omitted.
func (w *twins) said(t *testing.T, path string) (rows []string) {
	d := second(t, path)
	defer d.Close() // read-only
	for _, query := range []string{
		"SELECT name, digest, bytes || ' ' || stored_at, coalesce(deleted_at, 0), coalesce(deleted_why, ''), erased FROM artifacts ORDER BY name",
		"SELECT session, call, name, partial, stored_at, raw FROM uses ORDER BY sequence",
		fmt.Sprintf("SELECT session, leased_until, bytes, '', '', '' FROM sessions s WHERE leased_until > %d OR EXISTS (SELECT 1 FROM uses u WHERE u.session = s.session) ORDER BY session", w.clk.now().UnixMilli()),
		"SELECT bytes, artifacts, '', '', '', '' FROM totals",
	} {
		if err := d.Each(query, nil, func(scan func(...any) error) error {
			var row [6]string
			err := scan(&row[0], &row[1], &row[2], &row[3], &row[4], &row[5])
			rows = append(rows, strings.Join(row[:], "|"))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// TestCleanedCatalogAgreesWithModel compares a catalog that is cleaned at random moments, also while calls go on, and made again, with one
// that had the same calls and is never cleaned.
func TestCleanedCatalogAgreesWithModel(t *testing.T) {
	t.Parallel()
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "cleaned")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		w := &twins{clk: newClock()}
		for i := range w.c {
			w.stores[i] = memory.New()
			w.o[i] = catalog.Options{Index: filepath.Join(root, fmt.Sprint(i, ".db")), SessionLease: 5 * time.Minute, KeepFor: 10 * time.Minute, Now: w.clk.now, CleanAfter: 1 << 40}
		}
		w.o[0].CleanAfter = 1
		reopen := func() {
			for i := range w.c {
				w.c[i] = open(t, w.stores[i], w.o[i])
			}
		}
		reopen()
		defer func() { w.both(func(c *catalog.Catalog) { _ = tryClose(c) }) }()
		actions := w.actions()
		t.Repeat(map[string]func(*rapid.T){
			"put":     actions["put"],
			"lease":   actions["lease"],
			"log":     actions["log"],
			"collect": actions["collect"],
			"wait":    func(t *rapid.T) { w.clk.move(time.Duration(rapid.IntRange(0, 15).Draw(t, "minutes")) * time.Minute) },
			"clean": func(t *rapid.T) {
				left := rapid.IntRange(0, 3).Draw(t, "calls meanwhile")
				w.c[0].OnCleaning(func(string) error {
					if left--; left >= 0 {
						rapid.SampledFrom([]func(*rapid.T){actions["put"], actions["lease"], actions["log"], actions["collect"]}).Draw(t, "meanwhile")(t)
					}
					return nil
				})
				clean(t, w.c[0])
				w.c[0].OnCleaning(nil)
			},
			"reopen": func(t *rapid.T) {
				w.both(func(c *catalog.Catalog) { closeCatalog(outer, c) })
				if rapid.Bool().Draw(t, "made again") {
					if err := os.Remove(w.o[0].Index); err != nil {
						t.Fatal(err)
					}
				}
				reopen()
			},
		})
		w.both(func(c *catalog.Catalog) { closeCatalog(outer, c) })
		if diff := cmp.Diff(w.said(outer, w.o[1].Index), w.said(outer, w.o[0].Index)); diff != "" {
			t.Fatalf("(-not cleaned +cleaned):\n%s", diff)
		}
		was := dump(outer, w.o[0].Index)
		if diff := cmp.Diff(was, again(outer, w.stores[0], w.o[0])); diff != "" {
			t.Fatalf("(-was +made again):\n%s", diff)
		}
		reopen()
	})
}

// actions are calls to both.
func (w *twins) actions() map[string]func(*rapid.T) {
	session, call := rapid.SampledFrom([]string{"", "a", "b", "c"}), rapid.SampledFrom([]string{"", "1", "2"})
	owner := func(t *rapid.T) catalog.Owner {
		return catalog.Owner{Session: session.Draw(t, "session"), Call: call.Draw(t, "call"), Raw: rapid.Bool().Draw(t, "raw"), Partial: rapid.Bool().Draw(t, "partial")}
	}
	return map[string]func(*rapid.T){
		"put": func(t *rapid.T) {
			o, text := owner(t), rapid.SampledFrom([]string{"1", "22", "333", "4444"}).Draw(t, "content")
			w.both(func(c *catalog.Catalog) { put(t, c, o, text) })
		},
		"lease": func(t *rapid.T) {
			s, d := rapid.SampledFrom([]string{"a", "b", "d"}).Draw(t, "session"), time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes"))*time.Minute
			w.both(func(c *catalog.Catalog) {
				if _, err := c.Lease(context.Background(), s, d); err != nil {
					t.Fatal(err)
				}
			})
		},
		"log": func(t *rapid.T) {
			o, name, finish := owner(t), artifactstore.LogName(call.Draw(t, "log")), rapid.Bool().Draw(t, "finish")
			w.both(func(c *catalog.Catalog) {
				l, err := c.OpenLog(context.Background(), o, name)
				if err != nil {
					t.Fatal(err)
				}
				err = l.Append([]byte("line\n"))
				if finish && err == nil {
					_, err = l.Finish(context.Background())
				}
				_ = err // a finished one takes nothing
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			})
		},
		"collect": func(t *rapid.T) { w.both(func(c *catalog.Catalog) { collect(t, c) }) },
	}
}

// image is a store as a kill leaves it.
type image struct {
	step string
	dir  string
	rows []string // that it must have
}

// TestKilledCleaning kills the sidecar at every step of a cleaning, while calls go on: what is made again has everything, with the index
// that was there and without it, and the next cleaning ends it.
func TestKilledCleaning(t *testing.T) {
	t.Parallel()
	store, clk, root := memory.New(), newClock(), t.TempDir()
	o := catalog.Options{Index: filepath.Join(root, "live", "catalog.db"), SessionLease: time.Hour, KeepFor: time.Hour, Now: clk.now, CleanAfter: 1}
	if err := os.Mkdir(filepath.Dir(o.Index), 0o700); err != nil {
		t.Fatal(err)
	}
	c := open(t, store, o)
	for i := range 150 {
		put(t, c, catalog.Owner{Session: fmt.Sprint("s", i%7), Call: fmt.Sprint(i), Raw: i%3 == 0}, fmt.Sprint("content ", i%140))
	}
	clk.move(2 * time.Hour)
	for i := range 150 {
		put(t, c, catalog.Owner{Session: "s", Call: fmt.Sprint("later ", i)}, fmt.Sprint("content ", i%90))
	}
	collect(t, c)
	var images []image
	c.OnCleaning(func(step string) error {
		n := len(images)
		put(t, c, catalog.Owner{Session: "meanwhile", Call: fmt.Sprint(n), Raw: n%2 == 0}, fmt.Sprint("content ", n*17%160))
		put(t, c, catalog.Owner{Session: "s1", Call: fmt.Sprint("new ", n)}, fmt.Sprint("new content ", n))
		if _, err := c.Lease(t.Context(), fmt.Sprint("s", n), time.Duration(n%2)*time.Hour); err != nil {
			return err
		}
		if err := c.Check(); err != nil {
			return err
		}
		im := image{step: step, dir: filepath.Join(root, fmt.Sprint(n))}
		if _, _, err := c.List(t.Context(), "s", "", 0, 1); err != nil { // it waits for the index
			return err
		}
		im.rows = dump(t, o.Index)
		images = append(images, im)
		return os.CopyFS(im.dir, os.DirFS(filepath.Dir(o.Index)))
	})
	if !clean(t, c) {
		t.Fatal("nothing was deleted")
	}
	closeCatalog(t, c)
	if len(images) < 4 || images[len(images)-1].step != "retire" {
		t.Fatalf("%d steps", len(images))
	}
	for _, im := range images {
		o := o
		o.Index = filepath.Join(im.dir, "catalog.db")
		for _, what := range []string{"with its index", "made again", "cleaned", "cleaned and made again"} {
			if strings.HasSuffix(what, "made again") {
				if err := os.Remove(o.Index); err != nil {
					t.Fatal(err)
				}
			}
			c := open(t, store, o)
			if what == "cleaned" && !clean(t, c) {
				t.Errorf("killed at %s (%s): not cleaned", im.step, im.dir)
			}
			if _, err := c.LeasedUntil(t.Context(), "s"); err != nil {
				t.Error(err)
			}
			closeCatalog(t, c)
			if diff := cmp.Diff(withoutLatest(im.rows), withoutLatest(dump(t, o.Index))); diff != "" {
				t.Errorf("killed at %s (%s), %s (-was +is):\n%s", im.step, im.dir, what, diff)
			}
		}
	}
}

// withoutLatest omits the totals, whose latest time a cleaning may change, and sessions that may be forgotten: s5 and so on were leased
// for no time.
func withoutLatest(rows []string) (list []string) {
	for _, r := range rows[:len(rows)-1] {
		if parts := strings.Split(r, "|"); len(parts) == 7 && parts[2] == "0" && parts[3] == "" {
			continue // a session without artifacts
		}
		list = append(list, r)
	}
	return list
}

// TestCleaningUnderWay cleans again and again while others put, lease and collect.
func TestCleaningUnderWay(t *testing.T) {
	t.Parallel()
	store, clk := memory.New(), newClock()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour, KeepFor: time.Minute, Now: clk.now, CleanAfter: 1}
	c := open(t, store, o)
	var calls sync.WaitGroup
	var cleanings atomic.Int64
	for i := range 4 {
		calls.Go(func() {
			for n := 0; n < 150 || cleanings.Load() < 3 && n < 10_000; n++ {
				owner := catalog.Owner{Session: fmt.Sprint("s", i, n%5), Call: fmt.Sprint(n), Raw: n%2 == 0}
				ref := put(t, c, owner, fmt.Sprint("content ", n%40))
				if _, err := c.PagesFor(t.Context(), ref.Name, catalog.Permit{Session: owner.Session, Raw: true}); err != nil {
					t.Error(err)
				}
				if n%10 == 0 {
					clk.move(time.Minute)
					if _, err := c.Collect(t.Context(), false); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { calls.Wait(); close(done) }()
	for under := true; under; {
		if clean(t, c) {
			cleanings.Add(1)
		}
		select {
		case <-done:
			under = false
		default:
		}
	}
	was, is := rebuilt(t, c, store, o)
	if diff := cmp.Diff(was, is); diff != "" || cleanings.Load() < 3 {
		t.Errorf("%d cleanings (-was +made again):\n%s", cleanings.Load(), diff)
	}
}

// TestManyOwnersAndNames cleans more than one span has: owners of one artifact, artifacts, and sessions.
func TestManyOwnersAndNames(t *testing.T) {
	t.Parallel()
	store, clk := memory.New(), newClock()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour, Now: clk.now, CleanAfter: 1}
	c := open(t, store, o)
	for i := range 2500 {
		put(t, c, catalog.Owner{Session: fmt.Sprint("s", i%600), Call: fmt.Sprint(i)}, "of all")
	}
	for i := range 200 {
		put(t, c, catalog.Owner{Session: "s", Call: fmt.Sprint(i)}, fmt.Sprint("content ", i))
	}
	if !clean(t, c) {
		t.Error("nothing was deleted")
	}
	was, is := rebuilt(t, c, store, o)
	if diff := cmp.Diff(was, is); diff != "" || len(was) < 2500+201+600 {
		t.Errorf("%d rows (-was +made again):\n%s", len(was), diff)
	}
}

// TestJournalStaysSmall puts and deletes far more than there ever is at a time: the space that the changes take is bounded by that.
func TestJournalStaysSmall(t *testing.T) {
	t.Parallel()
	const alive, rounds, least = 40, 100, 16 << 10
	store, clk := memory.New(), newClock()
	o := catalog.Options{
		Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour, KeepFor: time.Hour, ForgetAfter: time.Hour, Now: clk.now, CleanAfter: least,
	}
	c := open(t, store, o)
	most, appended := int64(0), int64(0)
	for round := range rounds {
		for i := range alive {
			put(t, c, catalog.Owner{Session: fmt.Sprint("s", round), Call: fmt.Sprint(i)}, fmt.Sprint("round ", round, " content ", i))
		}
		clk.move(90 * time.Minute)
		collect(t, c)
		before, _ := c.Kept()
		clean(t, c)
		after, kept := c.Kept()
		appended += before - after
		most = max(most, after)
		if after-kept > max(kept, least) {
			t.Errorf("round %d: %d bytes of changes, of which %d were carried on", round, after, kept)
		}
	}
	appended += most
	closeCatalog(t, c)
	size := int64(0)
	err := filepath.WalkDir(o.Index+".journal", func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	// There are three rounds at the most: what is alive, what was deleted in the last hour, and what is new. A change has about 300 bytes.
	// Beside them are segments of 64 KiB: the active one, the next, the spare one, and one that is sealed.
	const bound, segments = 2*3*alive*300 + least, 4 * 64 << 10
	t.Logf("%d bytes of changes at the most, %d were appended; %d bytes on disk", most, appended, size)
	if most > bound || size > bound+segments || appended < 3*(bound+segments) || err != nil {
		t.Errorf("%d bytes of changes and %d on disk, of %d; want %d at the most (%v)", most, size, appended, bound, err)
	}
	if got := again(t, store, o); len(got) > 3*3*alive {
		t.Errorf("%d rows", len(got))
	}
}

// TestDamagedChangesAreKept damages a change: nothing is carried on, and nothing deleted, since nobody knows what it said.
func TestDamagedChangesAreKept(t *testing.T) {
	t.Parallel()
	store := memory.New()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), CleanAfter: 1}
	c := open(t, store, o)
	for i := range 50 {
		put(t, c, catalog.Owner{Session: "s", Call: fmt.Sprint(i)}, "content")
	}
	j, _ := journals.Load(c)
	if err := j.(*journal.Journal).Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeCatalog(t, c)
	files, err := filepath.Glob(o.Index + ".journal/catalog/*.zst")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(files[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, o)
	put(t, c, catalog.Owner{Session: "s", Call: "new"}, "content")
	cleaned, err := c.Clean(t.Context())
	if cleaned || !errors.Is(err, catalog.ErrCatalogUnreadable) || anchor(c) != 0 {
		t.Errorf("%v, %v, deleted up to %d", cleaned, err, anchor(c))
	}
	closeCatalog(t, c)
	if _, err := os.Stat(files[0]); err != nil {
		t.Error(err)
	}
}

// TestIndexIsNotTheTruth changes the index by hand before a cleaning: the journal has what was, afterwards too.
func TestIndexIsNotTheTruth(t *testing.T) {
	t.Parallel()
	store := memory.New()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), CleanAfter: 1}
	c := open(t, store, o)
	secret := put(t, c, catalog.Owner{Session: "s", Raw: true}, "secret")
	closeCatalog(t, c)
	want := dump(t, o.Index)
	db, err := sql.Open("sqlite", o.Index)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE uses SET raw = 0, session = 'other'", "DELETE FROM sessions", "UPDATE artifacts SET bytes = 1"} {
		if _, err := db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, store, o)
	if !clean(t, c) {
		t.Error("nothing was deleted")
	}
	closeCatalog(t, c)
	got := again(t, store, o)
	if diff := cmp.Diff(want[:len(want)-1], got[:len(got)-1]); diff != "" {
		t.Errorf("(-was +is):\n%s", diff)
	}
	c = open(t, store, o)
	defer closeCatalog(t, c)
	if got := read(t, c, secret.Name, catalog.Permit{}); got != "" {
		t.Errorf("anybody reads %q", got)
	}
}

// TestCleanOfAClosedCatalog fails.
func TestCleanOfAClosedCatalog(t *testing.T) {
	t.Parallel()
	c, _ := newCatalog(t, catalog.Options{CleanAfter: 1})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Clean(t.Context()); !errors.Is(err, artifactstore.ErrClosed) {
		t.Errorf("%v", err)
	}
}
