package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// step is one call on a catalog, which writes to its database.
type step struct {
	name string
	do   func(c *catalog.Catalog) error
}

// steps write to every table in every way. Round keeps names of different runs apart.
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
		{"compress", func(c *catalog.Catalog) error {
			clk.move(2 * time.Hour)
			_, err := c.Compress(t.Context())
			return err
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

// Whatever statement fails, the call says so, and the catalog goes on: its totals are those of its rows.
func TestFailedStatementFailsItsCall(t *testing.T) {
	t.Parallel()
	for _, on := range []string{
		"INSERT ON artifacts", "UPDATE OF stored_at ON artifacts", "UPDATE OF bytes ON artifacts", "UPDATE OF deleted_at ON artifacts",
		"UPDATE OF erased ON artifacts", "UPDATE OF packed ON artifacts", "DELETE ON artifacts",
		"INSERT ON uses", "UPDATE ON uses", "DELETE ON uses",
		"INSERT ON sessions", "UPDATE OF leased_until ON sessions", "UPDATE OF bytes ON sessions", "UPDATE ON totals",
	} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			store, err := dir.Open(filepath.Join(root, "store"), dir.Options{Volatile: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			clk, path := newClock(), filepath.Join(root, "books.db")
			c, err := catalog.Open(store, catalog.Options{Path: path, Volatile: true, SessionLease: time.Hour, KeepFor: time.Hour,
				CompressAfter: time.Hour, Now: clk.now, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closeCatalog(t, c) })
			run := func(round string) (failed []string) {
				for _, s := range steps(t, clk, round) {
					if err := s.do(c); err != nil {
						failed = append(failed, s.name+": "+err.Error())
					}
				}
				return failed
			}
			statement(t, path, "CREATE TRIGGER fault BEFORE "+on+" BEGIN SELECT RAISE(ABORT, 'on purpose'); END")
			failed := run("1")
			t.Log(failed)
			if len(failed) == 0 {
				t.Error("no call has failed")
			}
			wantTotals(t, c, path)
			statement(t, path, "DROP TRIGGER fault")
			if failed := run("2"); len(failed) > 0 {
				t.Errorf("after the fault: %v", failed)
			}
			wantTotals(t, c, path)
		})
	}
}

// second opens a database that a catalog has open, to look at it or to break it.
func second(t *testing.T, path string) *sqlitedb.DB {
	t.Helper()
	d, err := sqlitedb.Open(sqlitedb.Options{Path: path, Volatile: true, Version: 3, Pragmas: []string{"busy_timeout = 5000"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func statement(t *testing.T, path, text string) {
	t.Helper()
	d := second(t, path)
	if err := errors.Join(d.Run(text), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// wantTotals compares what a catalog counts with the rows of its database.
func wantTotals(t *testing.T, c *catalog.Catalog, path string) {
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
	if got := c.Status(); got != rows || got != total {
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
	c := open(t, store, catalog.Options{KeepFor: time.Hour, CompressAfter: time.Hour, SessionQuota: 1 << 20, SessionLease: time.Hour, Now: clk.now})
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
		"Compress": func(ctx context.Context) error { _, err := c.Compress(ctx); return err },
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

// newStore opens a store on disk, which can compress.
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
