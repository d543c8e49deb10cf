package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
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
	l, err := catalog.Open(store, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return l
}

// newCatalog opens a catalog over a store in memory, and closes it when the test ends.
func newCatalog(t *testing.T, o catalog.Options) (*catalog.Catalog, *memory.Store) {
	t.Helper()
	store := memory.New()
	l := open(t, store, o)
	t.Cleanup(func() { closeCatalog(t, l) })
	return l, store
}

func closeCatalog(t *testing.T, l *catalog.Catalog) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func put(t failer, l *catalog.Catalog, o catalog.Owner, content string) artifactstore.Ref {
	t.Helper()
	ref, err := l.For(o).Put(context.Background(), artifactstore.BytesBlob([]byte(content)))
	if err != nil {
		t.Fatalf("put %q: %v", content, err)
	}
	return ref
}

func collect(t failer, l *catalog.Catalog) catalog.Collected {
	t.Helper()
	c, err := l.Collect(context.Background(), false)
	if err != nil {
		t.Fatalf("collect: %v", err)
	}
	return c
}

func TestList(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, Now: c.now})
	for i := range 5 {
		put(t, l, catalog.Owner{Session: "s", Call: fmt.Sprint("call_", i%2)}, fmt.Sprint("output ", i))
		c.move(time.Second)
	}
	put(t, l, catalog.Owner{Session: "s", Call: "call_0", Partial: true}, "cut off")
	put(t, l, catalog.Owner{Session: "other", Call: "call_0"}, "output 0")
	put(t, l, catalog.Owner{}, "of no session")
	var all []catalog.Entry
	for after := int64(0); ; {
		list, next, err := l.List(t.Context(), "s", "", after, 2)
		if err != nil || len(list) > 2 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		all = append(all, list...)
		if after = next; after == 0 {
			break
		}
	}
	if len(all) != 6 || !all[0].Partial || all[1].Call != "call_0" || all[5].Size != int64(len("output 0")) || all[5].StoredAt != newClock().now() {
		t.Errorf("%+v", all)
	}
	for _, e := range all {
		if name, err := store.Resolve(e.Path); err != nil || name != e.Name || e.Expired != nil {
			t.Errorf("%+v, %v", e, err)
		}
	}
	for _, c := range []struct {
		session, call string
		want          int
	}{{"s", "call_1", 2}, {"s", "call_0", 4}, {"other", "", 1}, {"", "", 1}, {"nobody", "", 0}} {
		if list, next, err := l.List(t.Context(), c.session, c.call, 0, 100); len(list) != c.want || next != 0 || err != nil {
			t.Errorf("%s %s: %d entries, next %d, %v", c.session, c.call, len(list), next, err)
		}
	}
}

// What a lease names is kept however old it is; what none names is kept for its time.
func TestAgeAndLeases(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: 3 * time.Hour, Now: c.now})
	leased := put(t, l, catalog.Owner{Session: "long"}, "leased")
	short := put(t, l, catalog.Owner{Session: "short"}, "short")
	both := put(t, l, catalog.Owner{Session: "short"}, "both")
	put(t, l, catalog.Owner{Session: "long"}, "both")
	loose := put(t, l, catalog.Owner{}, "loose")
	if until, err := l.Lease(t.Context(), "long", 1000*time.Hour); err != nil || until != c.now().Add(1000*time.Hour) {
		t.Fatal(until, err)
	}
	c.move(3*time.Hour - time.Second)
	if got := collect(t, l); got.Count != 0 || got.KeptCount != 4 {
		t.Errorf("before its time: %+v", got)
	}
	c.move(2 * time.Second)
	dry, err := l.Collect(t.Context(), true)
	if err != nil || dry.Count != 2 || dry.KeptCount != 2 {
		t.Errorf("dry: %+v, %v", dry, err)
	}
	got := collect(t, l)
	if got.Count != 2 || got.Bytes != short.Size+loose.Size || got.KeptCount != 2 || got.KeptBytes != leased.Size+both.Size {
		t.Errorf("after its time: %+v", got)
	}
	for _, ref := range []artifactstore.Ref{short, loose} {
		_, err := l.Pages(t.Context(), ref.Name)
		e, ok := errors.AsType[*catalog.ExpiredError](err)
		if !ok || e.At != c.now() || e.Why == "" {
			t.Errorf("%s: %v", ref.Name, err)
		}
		if _, err := store.Open(t.Context(), ref.Name); !errors.Is(err, artifactstore.ErrUnknown) {
			t.Errorf("the store still has it: %v", err)
		}
	}
	if list, _, err := l.List(t.Context(), "short", "", 0, 9); err != nil || len(list) != 2 || list[1].Expired == nil || list[0].Expired != nil {
		t.Errorf("%+v, %v", list, err)
	}
	// Put again it is there again, under the same name.
	if ref := put(t, l, catalog.Owner{Session: "short"}, "short"); ref != short {
		t.Errorf("%+v", ref)
	}
	if _, err := l.Pages(t.Context(), short.Name); err != nil {
		t.Error(err)
	}
	if _, err := l.Lease(t.Context(), "long", 0); err != nil {
		t.Fatal(err)
	}
	if until, err := l.LeasedUntil(t.Context(), "long"); !until.IsZero() || err != nil {
		t.Error(until, err)
	}
	c.move(4 * time.Hour)
	if got := collect(t, l); got.Count != 3 || got.KeptCount != 0 {
		t.Errorf("after the lease: %+v", got)
	}
}

// The same put again, soon after, changes nothing in the books; later it does.
func TestFreshClaims(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, Now: c.now})
	owner := catalog.Owner{Session: "s", Call: "c"}
	at := func() time.Time {
		put(t, l, owner, "x")
		list, _, err := l.List(t.Context(), "s", "", 0, 9)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].StoredAt
	}
	first := at()
	if c.move(30 * time.Second); !at().Equal(first) {
		t.Error("a put soon after was entered again")
	}
	if c.move(31 * time.Second); !at().Equal(c.now()) {
		t.Error("a put later was not entered again")
	}
	if _, err := l.Lease(t.Context(), "s", 0); err != nil {
		t.Fatal(err)
	}
	put(t, l, owner, "x")
	if until, err := l.LeasedUntil(t.Context(), "s"); err != nil || !until.Equal(c.now().Add(time.Hour)) {
		t.Error("a put did not lease again", until, err)
	}
	owner.Call = "other"
	put(t, l, owner, "x")
	if list, _, err := l.List(t.Context(), "s", "", 0, 9); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
}

func TestDeadHandles(t *testing.T) {
	t.Parallel()
	l, store := newCatalog(t, catalog.Options{})
	ref := put(t, l, catalog.Owner{}, "x")
	if err := store.Remove(t.Context(), ref.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open(t.Context(), ref.Name); !errors.Is(err, catalog.ErrMissing) {
		t.Errorf("gone behind our back: %v", err)
	}
	if _, err := l.Open(t.Context(), "0123456789abcdef"); !errors.Is(err, artifactstore.ErrUnknown) {
		t.Errorf("never there: %v", err)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, Quota: 1000, SessionQuota: 600, Now: c.now})
	size := func(n int) string { return string(bytes.Repeat([]byte{byte(n)}, n)) }
	old := put(t, l, catalog.Owner{Session: "a"}, size(500))
	if _, err := l.For(catalog.Owner{Session: "a"}).Put(t.Context(), artifactstore.BytesBlob([]byte(size(101)))); !errors.Is(err, catalog.ErrSessionQuota) {
		t.Errorf("over the session's quota: %v", err)
	}
	put(t, l, catalog.Owner{Session: "b"}, size(450))
	over := func() error {
		_, err := l.For(catalog.Owner{Session: "c"}).Put(t.Context(), artifactstore.BytesBlob([]byte(size(200))))
		return err
	}
	if err := over(); !errors.Is(err, catalog.ErrQuota) {
		t.Errorf("over the quota, all leased: %v", err)
	}
	stage, err := l.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Write([]byte(size(51))); !errors.Is(err, catalog.ErrQuota) {
		t.Errorf("a stage over the quota: %v", err)
	}
	if _, err := stage.Write([]byte(size(50))); err != nil {
		t.Errorf("a stage within the quota: %v", err)
	}
	if err := stage.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := l.Lease(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	c.move(2 * time.Second)
	if err := over(); err != nil {
		t.Errorf("after a lease ended: %v", err)
	}
	_, err = l.Open(t.Context(), old.Name)
	if e, ok := errors.AsType[*catalog.ExpiredError](err); !ok || e.Why == "" {
		t.Errorf("the oldest: %v", err)
	}
	if s := l.Status(); s.Artifacts != 2 || s.Bytes != 650 {
		t.Errorf("%+v", s)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "store")
	store, err := dir.Open(root, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, store, catalog.Options{Books: filepath.Join(root, "books.db")})
	sound, damaged, missing := put(t, l, catalog.Owner{}, "sound"), put(t, l, catalog.Owner{}, "damaged"), put(t, l, catalog.Owner{}, "missing")
	found, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte("in no book")))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(damaged.Path, 0o600), os.WriteFile(damaged.Path, []byte("DAMAGED"), 0o600), os.Remove(missing.Path)); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{nil, {sound.Path, damaged.Path, missing.Path, found.Path}} {
		bad := map[string]error{}
		v, err := l.Verify(t.Context(), paths, func(path string, err error) error {
			bad[path] = err
			return nil
		})
		if err != nil || v.Sound != 2 || v.Unsound != 2 || v.Bytes != sound.Size+found.Size ||
			!errors.Is(bad[damaged.Path], artifactstore.ErrDamaged) || !errors.Is(bad[missing.Path], catalog.ErrMissing) {
			t.Errorf("%+v, %v, %v", v, bad, err)
		}
	}
	if err := errors.Join(l.Close(), store.Close()); err != nil {
		t.Error(err)
	}
}

// What is old is compressed, once, and reads as before.
func TestCompress(t *testing.T) {
	t.Parallel()
	c := newClock()
	store, err := dir.Open(filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, store, catalog.Options{CompressAfter: time.Hour, KeepFor: 3 * time.Hour, Now: c.now})
	text := strings.Repeat("a line of a log\n", 10_000)
	noise := make([]byte, 100_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	old, small, random := put(t, l, catalog.Owner{}, text), put(t, l, catalog.Owner{}, "small"), put(t, l, catalog.Owner{}, string(noise))
	c.move(2 * time.Hour)
	fresh := put(t, l, catalog.Owner{}, text+"more\n")
	for want := int64(1); want >= 0; want-- { // nothing is left to do the second time
		if got, err := l.Compress(t.Context()); err != nil || got.Count != want || (got.Saved > 100_000) != (want == 1) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, ref := range []artifactstore.Ref{old, small, random, fresh} {
		_, err := os.Lstat(ref.Path)
		if compressed := errors.Is(err, os.ErrNotExist); compressed != (ref == old) {
			t.Errorf("%s: %v", ref.Path, err)
		}
		if r, err := l.Open(t.Context(), ref.Name); err != nil || r.Size() != ref.Size {
			t.Error(err)
		} else if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if again := put(t, l, catalog.Owner{}, text); again != old {
		t.Errorf("%+v, want %+v", again, old)
	}
	c.move(4 * time.Hour)
	if got := collect(t, l); got.Count != 4 || got.KeptCount != 0 {
		t.Errorf("%+v", got)
	}
	if left, err := filepath.Glob(filepath.Join(store.Root(), "???", "*")); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := errors.Join(l.Close(), store.Close()); err != nil {
		t.Error(err)
	}
}

// The books are what they were after the catalog was opened again, and no time in it goes back.
func TestBooksStay(t *testing.T) {
	t.Parallel()
	c := newClock()
	store := memory.New()
	o := catalog.Options{Books: filepath.Join(t.TempDir(), "books.db"), SessionLease: time.Hour, KeepFor: time.Hour, Now: c.now}
	l := open(t, store, o)
	put(t, l, catalog.Owner{Session: "s", Call: "c"}, "x")
	gone := put(t, l, catalog.Owner{}, "gone")
	c.move(2 * time.Hour)
	put(t, l, catalog.Owner{Session: "s", Call: "c"}, "y")
	collect(t, l)
	closeCatalog(t, l)
	c.move(-1000 * time.Hour)
	l = open(t, store, o)
	defer closeCatalog(t, l)
	if s := l.Status(); s.Artifacts != 2 || s.Bytes != 2 {
		t.Errorf("%+v", s)
	}
	if _, err := l.Open(t.Context(), gone.Name); !isExpired(err) {
		t.Errorf("%v", err)
	}
	if ref := put(t, l, catalog.Owner{Session: "s"}, "z"); ref.Size != 1 {
		t.Error(ref)
	}
	list, _, err := l.List(t.Context(), "s", "", 0, 9)
	if err != nil || len(list) != 3 || list[0].StoredAt.Before(list[1].StoredAt) {
		t.Errorf("%+v, %v", list, err)
	}
	if got := collect(t, l); got.Count != 0 {
		t.Errorf("a clock that went back deleted %+v", got)
	}
}

func isExpired(err error) bool {
	_, ok := errors.AsType[*catalog.ExpiredError](err)
	return ok
}

func TestBooksOfTheFuture(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "books.db")
	if err := os.WriteFile(path, []byte("these are no books, and they are long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Open(memory.New(), catalog.Options{Books: path}); !errors.Is(err, catalog.ErrBooks) {
		t.Errorf("%v", err)
	}
}

// A deletion that was interrupted after its tombstone is finished by the next collection.
func TestInterruptedDeletion(t *testing.T) {
	t.Parallel()
	c := newClock()
	store := &stubborn{Store: memory.New()}
	o := catalog.Options{Books: filepath.Join(t.TempDir(), "books.db"), KeepFor: time.Hour, Now: c.now}
	l := open(t, store, o)
	ref := put(t, l, catalog.Owner{}, "x")
	c.move(2 * time.Hour)
	store.refuse = errors.New("no")
	if _, err := l.Collect(t.Context(), false); !errors.Is(err, store.refuse) {
		t.Errorf("%v", err)
	}
	closeCatalog(t, l)
	l = open(t, store, o)
	defer closeCatalog(t, l)
	store.refuse = nil
	collect(t, l)
	if _, err := l.Open(t.Context(), ref.Name); !isExpired(err) {
		t.Errorf("%v", err)
	}
	if has, err := store.Has(t.Context(), ref.Name); has || err != nil {
		t.Error("it is still there", err)
	}
}

// What was put and not entered is entered by the next collection, also if it was deleted before.
func TestFoundArtifacts(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, store := newCatalog(t, catalog.Options{KeepFor: time.Hour, Now: c.now})
	for range 3 {
		ref, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte("found")))
		if err != nil {
			t.Fatal(err)
		}
		if got := collect(t, l); got.Entered != 1 || got.KeptCount != 1 || got.KeptBytes != ref.Size {
			t.Errorf("found: %+v", got)
		}
		c.move(2 * time.Hour)
		if got := collect(t, l); got.Entered != 0 || got.Count != 1 || got.KeptCount != 0 {
			t.Errorf("after its time: %+v", got)
		}
	}
}

// panicking is a store that panics when it is asked for an artifact.
type panicking struct{ artifactstore.Store }

func (panicking) Has(context.Context, string) (bool, error) { panic("broken") }

// A panic at the books ends them, and not the process.
func TestPanicAtTheBooks(t *testing.T) {
	t.Parallel()
	l := open(t, panicking{memory.New()}, catalog.Options{})
	defer closeCatalog(t, l)
	for range 2 {
		if _, err := l.For(catalog.Owner{}).Put(t.Context(), artifactstore.BytesBlob([]byte("x"))); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("%v", err)
		}
	}
}

// stubborn is a store that deletes nothing while it refuses to.
type stubborn struct {
	artifactstore.Store
	refuse error
}

func (s *stubborn) Remove(ctx context.Context, name string) error {
	if s.refuse != nil {
		return s.refuse
	}
	return s.Store.Remove(ctx, name)
}

// TestCollectRacesPut deletes and puts the same few contents at once: what a put acknowledged to a session with a
// lease is there.
func TestCollectRacesPut(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: time.Millisecond, Now: c.now})
	ctx, stop := context.WithCancel(t.Context())
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for ctx.Err() == nil {
			c.move(time.Second)
			if _, err := l.Collect(context.Background(), false); err != nil {
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
				put(t, l, catalog.Owner{}, content)
				owner := catalog.Owner{Session: fmt.Sprintf("s%d.%d", i, n)}
				ref := put(t, l, owner, content)
				r, err := l.Open(context.Background(), ref.Name)
				if err != nil {
					t.Errorf("acknowledged, and gone: %v", err)
					return
				}
				_ = r.Close()
				if _, err := l.Lease(context.Background(), owner.Session, 0); err != nil {
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

// TestDeletedBeforeTheClaim: what was deleted between its put and its entry in the books is put again.
func TestDeletedBeforeTheClaim(t *testing.T) {
	t.Parallel()
	l := open(t, deleting{memory.New(), map[string]bool{}}, catalog.Options{SessionLease: time.Hour, KeepFor: time.Hour})
	defer closeCatalog(t, l)
	ref := put(t, l, catalog.Owner{Session: "s", Call: "c"}, "content")
	r, err := l.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatalf("acknowledged, and gone: %v", err)
	}
	_ = r.Close()
}

// TestAnySequence compares a catalog with a naive model over random calls.
func TestAnySequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		const keep, lease = 10 * time.Minute, 5 * time.Minute
		store := memory.New()
		l := open(t, store, catalog.Options{SessionLease: lease, KeepFor: keep, Now: c.now})
		defer l.Close()
		m := model{stored: map[string]time.Time{}, leases: map[string]time.Time{}, uses: map[string]map[string]time.Time{}, names: map[string]string{}}
		session, content := rapid.SampledFrom([]string{"", "a", "b", "c"}), rapid.SampledFrom([]string{"1", "22", "333", "4444"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				s, text := session.Draw(t, "session"), content.Draw(t, "content")
				m.put(s, text, put(t, l, catalog.Owner{Session: s}, text).Name, c.now(), lease)
			},
			"lease": func(t *rapid.T) {
				s := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session")
				d := time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute
				until, err := l.Lease(context.Background(), s, d)
				if err != nil || d > 0 && until != c.now().Add(d) {
					t.Fatalf("%v, %v", until, err)
				}
				m.leases[s] = c.now().Add(d)
			},
			"time": func(t *rapid.T) { c.move(time.Duration(rapid.IntRange(1, 600).Draw(t, "seconds")) * time.Second) },
			"collect": func(t *rapid.T) {
				got, want := collect(t, l), m.collect(c.now(), keep)
				if got.Count != int64(want) {
					t.Fatalf("%d deleted, want %d", got.Count, want)
				}
			},
			"": func(t *rapid.T) { m.check(t, l) },
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
	recent := now.Add(-time.Minute)
	if at, there := m.stored[text]; there && !at.Before(recent) && !m.uses[text][session].Before(recent) &&
		(session == "" || !m.leases[session].Before(recent.Add(lease))) {
		return // nothing is entered again
	}
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

func (m *model) check(t *rapid.T, l *catalog.Catalog) {
	bytes := int64(0)
	for text, name := range m.names {
		_, there := m.stored[text]
		r, err := l.Open(context.Background(), name)
		if there && err != nil || !there && !isExpired(err) {
			t.Fatalf("%s, there %v: %v", text, there, err)
		}
		if there {
			bytes += r.Size()
			_ = r.Close()
		}
	}
	if s := l.Status(); s.Artifacts != int64(len(m.stored)) || s.Bytes != bytes {
		t.Fatalf("%+v, want %d of %d bytes", s, len(m.stored), bytes)
	}
}
