package catalog_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
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

type failer interface {
	Fatalf(format string, args ...any)
	Helper()
}

func open(t failer, store artifactstore.Store, o catalog.Options) *catalog.Catalog {
	t.Helper()
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := catalog.Open(store, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

// newCatalog opens a catalog over a store in memory, and closes it when the test ends.
func newCatalog(t *testing.T, o catalog.Options) (*catalog.Catalog, *memory.Store) {
	t.Helper()
	store := memory.New()
	c := open(t, store, o)
	t.Cleanup(func() { closeCatalog(t, c) })
	return c, store
}

func closeCatalog(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
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
