package catalog_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/internal/journal"
)

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// status returns the totals of all that was put before the call, however long the index takes.
func status(t failer, c *catalog.Catalog) catalog.Status {
	t.Helper()
	if _, _, err := c.List(context.Background(), "nobody", "", 0, 1); err != nil {
		t.Fatalf("%v", err)
	}
	return c.Status()
}

type failer interface {
	Fatalf(format string, args ...any)
	Helper()
}

// journals has the journals of open catalogs.
var journals sync.Map

// open opens a catalog with a journal beside its index, or in memory without an index. closeCatalog closes both.
func open(t failer, store artifactstore.Store, o catalog.Options) *catalog.Catalog {
	t.Helper()
	c, err := tryOpen(store, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

// tryOpen is open for tests of errors.
func tryOpen(store artifactstore.Store, o catalog.Options) (*catalog.Catalog, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	var c *catalog.Catalog
	opened := make(chan struct{})
	jo := journal.Options{Volatile: true, SegmentSize: 64 << 10, Logger: o.Logger, Settle: func(ctx context.Context) error {
		select {
		case <-opened:
			return c.Settle(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	if o.Index != "" {
		jo.Dir = o.Index + ".journal"
	}
	j, err := journal.Open(jo)
	if err != nil {
		return nil, err
	}
	o.Journal = j
	if c, err = catalog.Open(store, o); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	close(opened)
	journals.Store(c, j)
	return c, nil
}

// newCatalog opens a catalog over a store in memory, and closes it when the test ends.
func newCatalog(t *testing.T, o catalog.Options) (*catalog.Catalog, *memory.Store) {
	t.Helper()
	store := memory.New()
	c := open(t, store, o)
	t.Cleanup(func() { closeCatalog(t, c) })
	return c, store
}

func closeCatalog(t testing.TB, c *catalog.Catalog) {
	t.Helper()
	if err := tryClose(c); err != nil {
		t.Error(err)
	}
}

// tryClose closes a catalog and its journal.
func tryClose(c *catalog.Catalog) error {
	err := c.Close()
	if j, ok := journals.Load(c); ok {
		err = errors.Join(err, j.(*journal.Journal).Close())
	}
	return err
}

func put(t failer, c *catalog.Catalog, o catalog.Owner, content string) artifactstore.Ref {
	t.Helper()
	ref, err := c.SinkFor(o).Put(context.Background(), artifactstore.BytesBlob([]byte(content)))
	if err != nil {
		t.Fatalf("put %q: %v", content, err)
	}
	return ref
}

func collect(t failer, c *catalog.Catalog) catalog.Collected {
	t.Helper()
	r, err := c.Collect(context.Background(), false)
	if err != nil {
		t.Fatalf("collect: %v", err)
	}
	return r
}

// anOwner is an owner for tests to which it does not matter.
var anOwner = catalog.Owner{Session: "s", Call: "c"}
