package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// faultyStore is a store whose methods fail while they have an error. It counts its walks.
type faultyStore struct {
	artifactstore.Store

	mu     sync.Mutex
	errs   map[string]error // by method; those after a number, such as "Put 2", are of that call, from 1
	calls  map[string]int
	before func(method string) // called before each method; may be nil
}

func newFaultyStore(errs map[string]error) *faultyStore {
	return &faultyStore{Store: memory.New(), errs: errs, calls: map[string]int{}}
}

// enter counts a call of a method, and returns its error.
func (f *faultyStore) enter(method string) error {
	if f.before != nil {
		f.before(method)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[method]++
	if err := f.errs[fmt.Sprint(method, " ", f.calls[method])]; err != nil {
		return err
	}
	return f.errs[method]
}

func (f *faultyStore) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

// set sets the error of a method; nil: none.
func (f *faultyStore) set(method string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs[method] = err
}

func (f *faultyStore) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if err := f.enter("Put"); err != nil {
		return artifactstore.Ref{}, err
	}
	return f.Store.Put(ctx, b)
}

func (f *faultyStore) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if err := f.enter("Stage"); err != nil {
		return nil, err
	}
	return f.Store.Stage(ctx)
}

func (f *faultyStore) OpenLog(ctx context.Context, name string) (artifactstore.Log, error) {
	if err := f.enter("OpenLog"); err != nil {
		return nil, err
	}
	return f.Store.OpenLog(ctx, name)
}

func (f *faultyStore) Has(ctx context.Context, name string) (bool, error) {
	if err := f.enter("Has"); err != nil {
		return false, err
	}
	return f.Store.Has(ctx, name)
}

func (f *faultyStore) Open(ctx context.Context, name string) (*artifactstore.Reader, error) {
	if err := f.enter("Open"); err != nil {
		return nil, err
	}
	return f.Store.Open(ctx, name)
}

func (f *faultyStore) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	if err := f.enter("Pages"); err != nil {
		return nil, err
	}
	return f.Store.Pages(ctx, name)
}

func (f *faultyStore) Remove(ctx context.Context, name string) error {
	if err := f.enter("Remove"); err != nil {
		return err
	}
	return f.Store.Remove(ctx, name)
}

func (f *faultyStore) Walk(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	if err := f.enter("Walk"); err != nil {
		return err
	}
	return f.Store.Walk(ctx, visit)
}

var errStore = errors.New("the store failed")

// TestFailureOfStoreFailsCall makes one method of the store fail: the call that uses it returns the error, and holds no
// quota afterwards.
func TestFailureOfStoreFailsCall(t *testing.T) {
	t.Parallel()
	name := artifactstore.LogName("log")
	for _, c := range []struct {
		method, name string
		call         func(ctx context.Context, c *catalog.Catalog) error
	}{
		{"Put", "put", func(ctx context.Context, c *catalog.Catalog) error { return sinkError(ctx, c, anOwner) }},
		{"Has", "put", func(ctx context.Context, c *catalog.Catalog) error { return sinkError(ctx, c, anOwner) }},
		{"Stage", "stage", func(ctx context.Context, c *catalog.Catalog) error { _, err := c.Stage(ctx); return err }},
		{"OpenLog", "open a log", func(ctx context.Context, c *catalog.Catalog) error {
			_, err := c.OpenLog(ctx, anOwner, name)
			return err
		}},
		{"Has", "open a log", func(ctx context.Context, c *catalog.Catalog) error {
			_, err := c.OpenLog(ctx, anOwner, name)
			return err
		}},
		{"Has 2", "claim a log", func(ctx context.Context, c *catalog.Catalog) error {
			_, err := c.OpenLog(ctx, anOwner, name)
			return err
		}},
		{"Walk", "collect", func(ctx context.Context, c *catalog.Catalog) error { _, err := c.Collect(ctx, false); return err }},
		{"Walk", "verify", func(ctx context.Context, c *catalog.Catalog) error { _, err := c.Verify(ctx, nil, ignore); return err }},
		{"Open", "open", func(ctx context.Context, c *catalog.Catalog) error { _, err := c.Open(ctx, "01234567"); return err }},
		{"Pages", "pages", func(ctx context.Context, c *catalog.Catalog) error { _, err := c.Pages(ctx, "01234567"); return err }},
	} {
		t.Run(c.name+" "+c.method, func(t *testing.T) {
			t.Parallel()
			store := newFaultyStore(map[string]error{c.method: errStore})
			o := catalog.Options{Quota: 20, KeepFor: time.Hour, Now: newClock().now}
			cat := open(t, store, o)
			defer closeCatalog(t, cat)
			if err := c.call(t.Context(), cat); !errors.Is(err, errStore) {
				t.Errorf("%v", err)
			}
			store.set(c.method, nil)
			put(t, cat, catalog.Owner{}, "exactly twenty bytes") // fits only if nothing is staged
			if log, err := store.OpenLog(t.Context(), name); err != nil {
				t.Errorf("the log stays open: %v", err)
			} else if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func ignore(string, error) error { return nil }

// TestFailureOfStoreLeavesArtifact: an artifact whose file cannot be removed or found is tried again later.
func TestFailureOfStoreLeavesArtifact(t *testing.T) {
	t.Parallel()
	clk, store := newClock(), newFaultyStore(map[string]error{})
	c := open(t, store, catalog.Options{KeepFor: time.Hour, Quota: 10, Now: clk.now})
	defer closeCatalog(t, c)
	ref := put(t, c, catalog.Owner{}, "eight by")
	clk.move(2 * time.Minute)
	store.set("Remove", errStore)
	if _, err := c.Stage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SinkFor(catalog.Owner{}).Put(t.Context(), artifactstore.BytesBlob([]byte("three"))); !errors.Is(err, errStore) {
		t.Errorf("the space of what is not removed: %v", err)
	}
	for range 2 { // a tombstone whose file is there is tried in each collection
		if _, err := c.Collect(t.Context(), false); !errors.Is(err, errStore) {
			t.Errorf("collect: %v", err)
		}
	}
	store.set("Remove", nil)
	collect(t, c)
	if has, err := store.Has(t.Context(), ref.Name); has || err != nil {
		t.Errorf("it is still there: %v, %v", has, err)
	}
	if _, err := store.Store.Put(t.Context(), artifactstore.BytesBlob([]byte("found"))); err != nil {
		t.Fatal(err)
	}
	store.set("Has", errStore)
	if r, err := c.Collect(t.Context(), false); !errors.Is(err, errStore) || r.Entered != 0 {
		t.Errorf("found: %+v, %v", r, err)
	}
	store.set("Has", nil)
	if got := collect(t, c); got.Entered != 1 {
		t.Errorf("found: %+v", got)
	}
	put(t, c, catalog.Owner{}, "five.")
}

// TestArtifactDeletedAgainAndAgainIsARace: what is deleted after each put fails in the end, and not for ever.
func TestArtifactDeletedAgainAndAgainIsARace(t *testing.T) {
	t.Parallel()
	store := newFaultyStore(map[string]error{})
	c := open(t, store, catalog.Options{Quota: 20})
	defer closeCatalog(t, c)
	log, err := c.OpenLog(t.Context(), anOwner, artifactstore.LogName("x"))
	if err != nil {
		t.Fatal(err)
	}
	store.before = func(method string) { // everything is gone when it is claimed
		if method == "Has" {
			_ = store.Store.Walk(t.Context(), func(a artifactstore.StoredArtifact) error { return store.Store.Remove(t.Context(), a.Name) })
		}
	}
	if err := sinkError(t.Context(), c, anOwner); !errors.Is(err, catalog.ErrRace) || store.count("Put") != 5 {
		t.Errorf("put %d times: %v", store.count("Put"), err)
	}
	if _, err := log.Finish(t.Context()); !errors.Is(err, catalog.ErrRace) {
		t.Errorf("finish: %v", err)
	}
	store.before = nil
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	put(t, c, catalog.Owner{}, "exactly twenty bytes")
}
