package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// step is one call on a catalog, which changes it.
type step struct {
	name string
	do   func(c *catalog.Catalog) error
}

// steps change every table of the index in every way. Round keeps names of different runs apart.
func steps(t *testing.T, clk *clock, round string) []step {
	put := func(owner catalog.Owner, text string) func(c *catalog.Catalog) error {
		return func(c *catalog.Catalog) error {
			_, err := c.SinkFor(owner).Put(t.Context(), artifactstore.BytesBlob([]byte(round+text)))
			return err
		}
	}
	log := artifactstore.LogName(round)
	var open artifactstore.Log
	return []step{
		{"put", put(catalog.Owner{Session: "s", Call: "c"}, "first")},
		{"put for another session", put(catalog.Owner{Session: "other", Call: "c"}, "first")},
		{"put again, later", func(c *catalog.Catalog) error {
			clk.move(2 * time.Minute)
			return put(catalog.Owner{Session: "s", Call: "c"}, "first")(c)
		}},
		{"lease", func(c *catalog.Catalog) error { _, err := c.Lease(t.Context(), "s", time.Hour); return err }},
		{"open a log", func(c *catalog.Catalog) (err error) {
			open, err = c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "log"}, log)
			return err
		}},
		{"close a log", func(*catalog.Catalog) error {
			if open == nil {
				return nil
			}
			return errors.Join(open.Append([]byte(round+"a line\n")), open.Close())
		}},
		{"finish a log", func(c *catalog.Catalog) (err error) {
			if open, err = c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "log"}, log); err != nil {
				return err
			}
			_, err = open.Finish(t.Context())
			return errors.Join(err, open.Close())
		}},
		{"collect", func(c *catalog.Catalog) error {
			clk.move(100 * time.Hour)
			_, err := c.Collect(t.Context(), false)
			return err
		}},
		{"put what was deleted", put(catalog.Owner{Session: "s", Call: "c"}, "first")},
		{"put other content of a deleted name", put(catalog.Owner{Session: "s", Call: "c"}, "second")},
	}
}

// The index that is made again from the journal is the one that was: row by row, after every kind of change, also when a part of it was
// there before. Its totals are those of its rows.
func TestIndexIsMadeAgain(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	store, err := dir.Open(filepath.Join(root, "store"), dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	clk, path := newClock(), filepath.Join(root, "catalog.db")
	o := catalog.Options{Index: path, SessionLease: time.Hour, KeepFor: time.Hour, Now: clk.now}
	var half []byte
	for _, round := range []string{"1", "2"} {
		c := open(t, store, o)
		for _, s := range steps(t, clk, round) {
			if err := s.do(c); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
		}
		closeCatalog(t, c)
		if round == "1" {
			if half, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := dump(t, path)
	if len(want) < 10 {
		t.Fatalf("the index has %q", want)
	}
	for what, change := range map[string]func() error{
		"missing": func() error { return os.Remove(path) },
		"older":   func() error { return os.WriteFile(path, half, 0o600) },
		"damaged": func() error {
			return os.WriteFile(path, []byte("this is no database, and it is long enough to be looked at"), 0o600)
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		c := open(t, store, o)
		got := status(t, c)
		closeCatalog(t, c)
		if diff := cmp.Diff(want, dump(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		wantTotals(t, got, path)
	}
}

// second opens an index, to look at it.
func second(t *testing.T, path string) *sqlitedb.DB {
	t.Helper()
	d, err := sqlitedb.Open(sqlitedb.Options{Path: path, Volatile: true, Version: 3, Pragmas: []string{"busy_timeout = 5000"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// dump returns all rows of an index.
func dump(t *testing.T, path string) (rows []string) {
	t.Helper()
	d := second(t, path)
	defer d.Close() // read-only
	for _, table := range []string{
		"SELECT name, digest, bytes, stored_at, coalesce(deleted_at, 0), coalesce(deleted_why, ''), erased FROM artifacts ORDER BY name",
		"SELECT sequence, session, call, name, partial, stored_at, raw FROM uses ORDER BY sequence",
		"SELECT session, leased_until, bytes, '', '', '', '' FROM sessions ORDER BY session",
		"SELECT bytes, artifacts, latest, '', '', '', '' FROM totals",
	} {
		err := d.Each(table, nil, func(scan func(...any) error) error {
			var row [7]string
			err := scan(&row[0], &row[1], &row[2], &row[3], &row[4], &row[5], &row[6])
			rows = append(rows, strings.Join(row[:], "|"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// wantTotals compares what a catalog counted with the rows of its index.
func wantTotals(t *testing.T, got catalog.Status, path string) {
	t.Helper()
	d := second(t, path)
	defer d.Close() // read-only
	var rows, total catalog.Status
	for query, s := range map[string]*catalog.Status{
		"SELECT count(*), coalesce(sum(bytes), 0) FROM artifacts WHERE deleted_at IS NULL": &rows,
		"SELECT artifacts, bytes FROM totals":                                              &total,
	} {
		if _, err := d.Row(query, nil, &s.Artifacts, &s.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	if got != rows || got != total {
		t.Errorf("the catalog counts %+v, its table says %+v, and its rows are %+v", got, total, rows)
	}
	var session string
	found, err := d.Row(`SELECT s.session FROM sessions s WHERE s.bytes != (SELECT coalesce(sum(a.bytes), 0) FROM artifacts a
		WHERE a.deleted_at IS NULL AND a.name IN (SELECT name FROM uses u WHERE u.session = s.session))`, nil, &session)
	if found || err != nil {
		t.Errorf("session %q has other artifacts than its bytes say, %v", session, err)
	}
}

// A closed catalog says so, whatever is called.
func TestClosedCatalogRejectsCalls(t *testing.T) {
	t.Parallel()
	clk := newClock()
	store := newStore(t)
	c := open(t, store, catalog.Options{KeepFor: time.Hour, SessionQuota: 1 << 20, SessionLease: time.Hour, Now: clk.now})
	log, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s"}, artifactstore.LogName("open"))
	if err != nil {
		t.Fatal(err)
	}
	raw := put(t, c, catalog.Owner{Session: "s", Raw: true}, "raw")
	closeCatalog(t, c)
	closeCatalog(t, c)
	for name, do := range map[string]func(ctx context.Context) error{
		"Put":          func(ctx context.Context) error { return sinkError(ctx, c, catalog.Owner{}) },
		"Put, session": func(ctx context.Context) error { return sinkError(ctx, c, catalog.Owner{Session: "s"}) },
		"Lease":        func(ctx context.Context) error { _, err := c.Lease(ctx, "s", 1); return err },
		"LeasedUntil":  func(ctx context.Context) error { _, err := c.LeasedUntil(ctx, "s"); return err },
		"List":         func(ctx context.Context) error { _, _, err := c.List(ctx, "s", "", 0, 1); return err },
		"Open":         func(ctx context.Context) error { _, err := c.Open(ctx, "0123abcd"); return err },
		"PagesFor": func(ctx context.Context) error {
			_, err := c.PagesFor(ctx, raw.Name, catalog.Permit{Session: "s"})
			return err
		},
		"PagesFor all": func(ctx context.Context) error { _, err := c.PagesFor(ctx, raw.Name, catalog.Permit{}); return err },
		"Collect":      func(ctx context.Context) error { _, err := c.Collect(ctx, true); return err },
		"Verify": func(ctx context.Context) error {
			_, err := c.Verify(ctx, nil, func(string, error) error { return nil })
			return err
		},
		"OpenLog": func(ctx context.Context) error {
			_, err := c.OpenLog(ctx, catalog.Owner{}, artifactstore.LogName("x"))
			return err
		},
		"Log.Finish": func(ctx context.Context) error { _, err := log.Finish(ctx); return err },
		"Log.Close":  func(context.Context) error { return log.Close() },
	} {
		if err := do(t.Context()); !errors.Is(err, artifactstore.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sinkError(ctx context.Context, c *catalog.Catalog, o catalog.Owner) error {
	_, err := c.SinkFor(o).Put(ctx, artifactstore.BytesBlob([]byte(fmt.Sprint(o))))
	return err
}

// newStore opens a store on disk.
func newStore(t *testing.T) *dir.Store {
	t.Helper()
	s, err := dir.Open(filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
