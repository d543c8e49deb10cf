package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

func TestListPagesNewestFirst(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, Now: clk.now})
	for i := range 5 {
		put(t, c, catalog.Owner{Session: "s", Call: fmt.Sprint("call_", i%2)}, fmt.Sprint("output ", i))
		clk.move(time.Second)
	}
	put(t, c, catalog.Owner{Session: "s", Call: "call_0", Partial: true}, "cut off")
	put(t, c, catalog.Owner{Session: "other", Call: "call_0"}, "output 0")
	put(t, c, catalog.Owner{}, "of no session")
	var all []catalog.Entry
	for after := int64(0); ; {
		list, next, err := c.List(t.Context(), "s", "", after, 2)
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
	for _, r := range []struct {
		session, call string
		want          int
	}{{"s", "call_1", 2}, {"s", "call_0", 4}, {"other", "", 1}, {"", "", 1}, {"nobody", "", 0}} {
		if list, next, err := c.List(t.Context(), r.session, r.call, 0, 100); len(list) != r.want || next != 0 || err != nil {
			t.Errorf("%s %s: %d entries, next %d, %v", r.session, r.call, len(list), next, err)
		}
	}
}

// What a lease names is kept however old it is; what none names is kept for its time.
func TestLeaseKeepsArtifactOfAnyAge(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: 3 * time.Hour, Now: clk.now})
	leased := put(t, c, catalog.Owner{Session: "long"}, "leased")
	short := put(t, c, catalog.Owner{Session: "short"}, "short")
	both := put(t, c, catalog.Owner{Session: "short"}, "both")
	put(t, c, catalog.Owner{Session: "long"}, "both")
	loose := put(t, c, catalog.Owner{}, "loose")
	if until, err := c.Lease(t.Context(), "long", 1000*time.Hour); err != nil || until != clk.now().Add(1000*time.Hour) {
		t.Fatal(until, err)
	}
	clk.move(3*time.Hour - time.Second)
	if got := collect(t, c); got.Count != 0 || got.KeptCount != 4 {
		t.Errorf("before its time: %+v", got)
	}
	clk.move(2 * time.Second)
	dry, err := c.Collect(t.Context(), true)
	if err != nil || dry.Count != 2 || dry.KeptCount != 2 {
		t.Errorf("dry: %+v, %v", dry, err)
	}
	got := collect(t, c)
	if got.Count != 2 || got.Bytes != short.Size+loose.Size || got.KeptCount != 2 || got.KeptBytes != leased.Size+both.Size {
		t.Errorf("after its time: %+v", got)
	}
	for _, ref := range []artifactstore.Ref{short, loose} {
		_, err := c.Pages(t.Context(), ref.Name)
		e, ok := errors.AsType[*catalog.ExpiredError](err)
		if !ok || e.At != clk.now() || e.Why == "" {
			t.Errorf("%s: %v", ref.Name, err)
		}
		if _, err := store.Open(t.Context(), ref.Name); !errors.Is(err, artifactstore.ErrUnknown) {
			t.Errorf("the store still has it: %v", err)
		}
	}
	if list, _, err := c.List(t.Context(), "short", "", 0, 9); err != nil || len(list) != 2 || list[1].Expired == nil || list[0].Expired != nil {
		t.Errorf("%+v, %v", list, err)
	}
	// Put again it is there again, under the same name.
	if ref := put(t, c, catalog.Owner{Session: "short"}, "short"); ref != short {
		t.Errorf("%+v", ref)
	}
	if _, err := c.Pages(t.Context(), short.Name); err != nil {
		t.Error(err)
	}
	if _, err := c.Lease(t.Context(), "long", 0); err != nil {
		t.Fatal(err)
	}
	if until, err := c.LeasedUntil(t.Context(), "long"); !until.IsZero() || err != nil {
		t.Error(until, err)
	}
	clk.move(4 * time.Hour)
	if got := collect(t, c); got.Count != 3 || got.KeptCount != 0 {
		t.Errorf("after the lease: %+v", got)
	}
}

func TestMissingIsNotUnknown(t *testing.T) {
	t.Parallel()
	c, store := newCatalog(t, catalog.Options{})
	ref := put(t, c, catalog.Owner{}, "x")
	if err := store.Remove(t.Context(), ref.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), ref.Name); !errors.Is(err, catalog.ErrMissing) {
		t.Errorf("gone behind our back: %v", err)
	}
	if _, err := c.Open(t.Context(), "0123456789abcdef"); !errors.Is(err, artifactstore.ErrUnknown) {
		t.Errorf("never there: %v", err)
	}
}

func TestQuotaRejectsBeforeFirstByte(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, Quota: 1000, SessionQuota: 600, Now: clk.now})
	size := func(n int) string { return string(bytes.Repeat([]byte{byte(n)}, n)) }
	old := put(t, c, catalog.Owner{Session: "a"}, size(500))
	if _, err := c.SinkFor(catalog.Owner{Session: "a"}).Put(t.Context(), artifactstore.BytesBlob([]byte(size(101)))); !errors.Is(err, catalog.ErrSessionQuota) {
		t.Errorf("over the session's quota: %v", err)
	}
	put(t, c, catalog.Owner{Session: "b"}, size(450))
	over := func() error {
		_, err := c.SinkFor(catalog.Owner{Session: "c"}).Put(t.Context(), artifactstore.BytesBlob([]byte(size(200))))
		return err
	}
	if err := over(); !errors.Is(err, catalog.ErrQuota) {
		t.Errorf("over the quota, all leased: %v", err)
	}
	stage, err := c.Stage(t.Context())
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
	if _, err := c.Lease(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	clk.move(2 * time.Second)
	if err := over(); err != nil {
		t.Errorf("after a lease ended: %v", err)
	}
	_, err = c.Open(t.Context(), old.Name)
	if e, ok := errors.AsType[*catalog.ExpiredError](err); !ok || e.Why == "" {
		t.Errorf("the oldest: %v", err)
	}
	if s := status(t, c); s.Artifacts != 2 || s.Bytes != 650 {
		t.Errorf("%+v", s)
	}
}

func TestVerifyFindsCorruptAndMissing(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "store")
	store, err := dir.Open(root, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, store, catalog.Options{Index: filepath.Join(root, "catalog.db")})
	sound, damaged, missing := put(t, c, catalog.Owner{}, "sound"), put(t, c, catalog.Owner{}, "damaged"), put(t, c, catalog.Owner{}, "missing")
	found, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte("in no catalog")))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(damaged.Path, 0o600), os.WriteFile(damaged.Path, []byte("DAMAGED"), 0o600), os.Remove(missing.Path)); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{nil, {sound.Path, damaged.Path, missing.Path, found.Path}} {
		bad := map[string]error{}
		v, err := c.Verify(t.Context(), paths, func(path string, err error) error {
			bad[path] = err
			return nil
		})
		if err != nil || v.Intact != 2 || v.Corrupt != 2 || v.Bytes != sound.Size+found.Size ||
			!errors.Is(bad[damaged.Path], artifactstore.ErrDamaged) || !errors.Is(bad[missing.Path], catalog.ErrMissing) {
			t.Errorf("%+v, %v, %v", v, bad, err)
		}
	}
	if err := errors.Join(tryClose(c), store.Close()); err != nil {
		t.Error(err)
	}
}

// A catalog that is opened again has what it had, and no time in it goes back.
func TestReopenedCatalogKeepsTime(t *testing.T) {
	t.Parallel()
	clk := newClock()
	store := memory.New()
	o := catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour, KeepFor: time.Hour, Now: clk.now}
	c := open(t, store, o)
	put(t, c, catalog.Owner{Session: "s", Call: "c"}, "x")
	gone := put(t, c, catalog.Owner{}, "gone")
	clk.move(2 * time.Hour)
	put(t, c, catalog.Owner{Session: "s", Call: "c"}, "y")
	collect(t, c)
	closeCatalog(t, c)
	clk.move(-1000 * time.Hour)
	c = open(t, store, o)
	defer closeCatalog(t, c)
	if s := status(t, c); s.Artifacts != 2 || s.Bytes != 2 {
		t.Errorf("%+v", s)
	}
	if _, err := c.Open(t.Context(), gone.Name); !isExpired(err) {
		t.Errorf("%v", err)
	}
	if ref := put(t, c, catalog.Owner{Session: "s"}, "z"); ref.Size != 1 {
		t.Error(ref)
	}
	list, _, err := c.List(t.Context(), "s", "", 0, 9)
	if err != nil || len(list) != 3 || list[0].StoredAt.Before(list[1].StoredAt) {
		t.Errorf("%+v, %v", list, err)
	}
	if got := collect(t, c); got.Count != 0 {
		t.Errorf("a clock that went back deleted %+v", got)
	}
}

func isExpired(err error) bool {
	_, ok := errors.AsType[*catalog.ExpiredError](err)
	return ok
}
