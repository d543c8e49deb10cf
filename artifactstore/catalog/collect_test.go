package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// A deletion that was interrupted after its tombstone is finished by the next collection.
func TestInterruptedDeletionIsFinished(t *testing.T) {
	t.Parallel()
	clk := newClock()
	store := &stubborn{Store: memory.New()}
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), KeepFor: time.Hour, Now: clk.now}
	c := open(t, store, o)
	ref := put(t, c, catalog.Owner{}, "x")
	clk.move(2 * time.Hour)
	store.failure = errors.New("no")
	if _, err := c.Collect(t.Context(), false); !errors.Is(err, store.failure) {
		t.Errorf("%v", err)
	}
	closeCatalog(t, c)
	c = open(t, store, o)
	defer closeCatalog(t, c)
	store.failure = nil
	collect(t, c)
	if _, err := c.Open(t.Context(), ref.Name); !isExpired(err) {
		t.Errorf("%v", err)
	}
	if has, err := store.Has(t.Context(), ref.Name); has || err != nil {
		t.Error("it is still there", err)
	}
}

// What was put and not entered is entered by the next collection, also if it was deleted before.
func TestFoundArtifactsAreAdded(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, store := newCatalog(t, catalog.Options{KeepFor: time.Hour, Now: clk.now})
	for range 3 {
		ref, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte("found")))
		if err != nil {
			t.Fatal(err)
		}
		if got := collect(t, c); got.Entered != 1 || got.KeptCount != 1 || got.KeptBytes != ref.Size {
			t.Errorf("found: %+v", got)
		}
		clk.move(2 * time.Hour)
		if got := collect(t, c); got.Entered != 0 || got.Count != 1 || got.KeptCount != 0 {
			t.Errorf("after its time: %+v", got)
		}
	}
}

// stubborn is a store that whose deletions fail while failure is set.
type stubborn struct {
	artifactstore.Store
	failure error
}

func (s *stubborn) Remove(ctx context.Context, name string) error {
	if s.failure != nil {
		return s.failure
	}
	return s.Store.Remove(ctx, name)
}

// TestCollectKeepsWhatPutAcknowledged deletes and puts the same few contents concurrently: what a put acknowledged to a session with a
// lease is there.
func TestCollectKeepsWhatPutAcknowledged(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: time.Millisecond, Now: clk.now})
	ctx, stop := context.WithCancel(t.Context())
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for ctx.Err() == nil {
			clk.move(time.Second)
			if _, err := c.Collect(context.Background(), false); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var puts sync.WaitGroup
	for i := range 4 {
		puts.Go(func() {
			for n := range 300 {
				content := fmt.Sprint("content ", n%7)
				put(t, c, catalog.Owner{}, content)
				owner := catalog.Owner{Session: fmt.Sprintf("s%d.%d", i, n)}
				ref := put(t, c, owner, content)
				r, err := c.Open(context.Background(), ref.Name)
				if err != nil {
					t.Errorf("acknowledged, and gone: %v", err)
					return
				}
				_ = r.Close()
				if _, err := c.Lease(context.Background(), owner.Session, 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	puts.Wait()
	stop()
	collecting.Wait()
}

// deleting is a store in which a collection comes between each first put of a content and what follows it.
type deleting struct {
	*memory.Store
	done map[string]bool
}

func (d deleting) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := d.Store.Put(ctx, b)
	if err == nil && !d.done[ref.Name] {
		d.done[ref.Name] = true
		err = d.Remove(ctx, ref.Name)
	}
	return ref, err
}

// TestDeletedBeforeClaimIsPutAgain: what was deleted between its put and its claim is put again.
func TestDeletedBeforeClaimIsPutAgain(t *testing.T) {
	t.Parallel()
	c := open(t, deleting{memory.New(), map[string]bool{}}, catalog.Options{SessionLease: time.Hour, KeepFor: time.Hour})
	defer closeCatalog(t, c)
	ref := put(t, c, catalog.Owner{Session: "s", Call: "c"}, "content")
	r, err := c.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatalf("acknowledged, and gone: %v", err)
	}
	_ = r.Close()
}

// TestCatalogAgreesWithModel compares a catalog with a naive model over random calls.
func TestCatalogAgreesWithModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		clk := newClock()
		const keep, lease = 10 * time.Minute, 5 * time.Minute
		store := memory.New()
		c := open(t, store, catalog.Options{SessionLease: lease, KeepFor: keep, Now: clk.now})
		defer tryClose(c) // in memory
		m := model{stored: map[string]time.Time{}, leases: map[string]time.Time{}, uses: map[string]map[string]time.Time{}, names: map[string]string{}}
		session, content := rapid.SampledFrom([]string{"", "a", "b", "c"}), rapid.SampledFrom([]string{"1", "22", "333", "4444"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				s, text := session.Draw(t, "session"), content.Draw(t, "content")
				m.put(s, text, put(t, c, catalog.Owner{Session: s}, text).Name, clk.now(), lease)
			},
			"lease": func(t *rapid.T) {
				s := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session")
				d := time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute
				until, err := c.Lease(context.Background(), s, d)
				if err != nil || d > 0 && until != clk.now().Add(d) {
					t.Fatalf("%v, %v", until, err)
				}
				m.leases[s] = clk.now().Add(d)
			},
			"time": func(t *rapid.T) { clk.move(time.Duration(rapid.IntRange(1, 600).Draw(t, "seconds")) * time.Second) },
			"collect": func(t *rapid.T) {
				got, want := collect(t, c), m.collect(clk.now(), keep)
				if got.Count != int64(want) {
					t.Fatalf("%d deleted, want %d", got.Count, want)
				}
			},
			"": func(t *rapid.T) { m.check(t, c) },
		})
	})
}

// model is a catalog by the rules as they are written.
type model struct {
	stored map[string]time.Time            // by content; missing: deleted or never there
	leases map[string]time.Time            // by session
	uses   map[string]map[string]time.Time // content to sessions, and when
	names  map[string]string               // of all that ever were
}

func (m *model) put(session, text, name string, now time.Time, lease time.Duration) {
	m.names[text] = name
	m.stored[text] = now
	if m.uses[text] == nil {
		m.uses[text] = map[string]time.Time{}
	}
	m.uses[text][session] = now
	if until := now.Add(lease); session != "" && until.After(m.leases[session]) {
		m.leases[session] = until
	}
}

func (m *model) collect(now time.Time, keep time.Duration) (n int) {
	for text, stored := range m.stored {
		leased := false
		for s := range m.uses[text] {
			leased = leased || m.leases[s].After(now)
		}
		if !leased && stored.Before(now.Add(-keep)) {
			delete(m.stored, text)
			n++
		}
	}
	return n
}

func (m *model) check(t *rapid.T, c *catalog.Catalog) {
	bytes := int64(0)
	for text, name := range m.names {
		_, there := m.stored[text]
		r, err := c.Open(context.Background(), name)
		if there && err != nil || !there && !isExpired(err) {
			t.Fatalf("%s, there %v: %v", text, there, err)
		}
		if there {
			bytes += r.Size()
			_ = r.Close()
		}
	}
	if s := status(t, c); s.Artifacts != int64(len(m.stored)) || s.Bytes != bytes {
		t.Fatalf("%+v, want %d of %d bytes", s, len(m.stored), bytes)
	}
}
