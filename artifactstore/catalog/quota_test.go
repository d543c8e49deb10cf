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

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestStageCountsAgainstQuota: bytes count while they are staged, whichever way they are written, and no longer.
func TestStageCountsAgainstQuota(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{Quota: 100, SessionLease: time.Hour, Now: clk.now})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 200), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(s artifactstore.Stage, n int) error{
		"Write": func(s artifactstore.Stage, n int) error { _, err := s.Write(make([]byte, n)); return err },
		"WriteParts": func(s artifactstore.Stage, n int) error {
			_, err := s.WriteParts([][]byte{make([]byte, n-1), {1}})
			return err
		},
		"TakeFile": func(s artifactstore.Stage, n int) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			return artifactstore.TakeFile(s, f, int64(n), func([]byte, int) {})
		},
	} {
		for _, end := range []func(s artifactstore.Stage) error{
			func(s artifactstore.Stage) error { return s.Discard() },
			func(s artifactstore.Stage) error {
				_, err := s.Seal()
				return errors.Join(err, s.Discard(), s.Discard())
			},
		} {
			s, err := c.Stage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := write(s, 101); !errors.Is(err, catalog.ErrQuota) {
				t.Errorf("%s of 101 bytes: %v", name, err)
			}
			clk.move(time.Minute)
			if err := write(s, 60); err != nil {
				t.Errorf("%s of 60 bytes: %v", name, err)
			}
			if err := write(s, 41); !errors.Is(err, catalog.ErrQuota) {
				t.Errorf("%s of 41 more: %v", name, err)
			}
			clk.move(time.Minute)
			if err := write(s, 40); err != nil {
				t.Errorf("%s of the rest: %v", name, err)
			}
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			clk.move(time.Minute)
		}
	}
	put(t, c, anOwner, strings.Repeat("x", 100))
}

// TestOverfullStoreOpensNoStage: a store that is over a quota which was lowered has no space for the first byte.
func TestOverfullStoreOpensNoStage(t *testing.T) {
	t.Parallel()
	store, o := memory.New(), catalog.Options{Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour}
	c := open(t, store, o)
	put(t, c, anOwner, "eleven byte")
	closeCatalog(t, c)
	for quota, want := range map[int64]error{10: catalog.ErrQuota, 11: nil, 12: nil, 0: nil} {
		o.Quota = quota
		c := open(t, store, o)
		if _, err := c.Stage(t.Context()); !errors.Is(err, want) {
			t.Errorf("quota of %d: %v, want %v", quota, err, want)
		}
		closeCatalog(t, c)
	}
}

// TestBytesCountOnce: an artifact whose change is in the index before its call ends does not count twice against the quota.
func TestBytesCountOnce(t *testing.T) {
	t.Parallel()
	o := catalog.Options{Quota: 100, Index: filepath.Join(t.TempDir(), "catalog.db"), SessionLease: time.Hour}
	c, _ := newCatalog(t, o)
	j, _ := journals.Load(c)
	half := func(letter string) error {
		tx := c.Begin()
		defer tx.Discard()
		if _, err := tx.SinkFor(catalog.Owner{Session: "s"}).Put(t.Context(), artifactstore.BytesBlob([]byte(strings.Repeat(letter, 50)))); err != nil {
			return err
		}
		return tx.Commit(t.Context(), func(ctx context.Context, a journal.Append) error {
			if err := j.(*journal.Journal).Append(ctx, a); err != nil {
				return err
			}
			list, _, err := c.List(ctx, "s", "", 0, 2)
			if err != nil || len(list) == 0 {
				t.Errorf("the index has %d artifacts, %v", len(list), err)
			}
			return nil
		})
	}
	if err := errors.Join(half("a"), half("b")); err != nil {
		t.Error(err)
	}
	if err := half("c"); !errors.Is(err, catalog.ErrQuota) {
		t.Error(err)
	}
}

// TestFullStoreLooksForSpaceOncePerSecond: a store in which nothing may be deleted is not searched for each call.
func TestFullStoreLooksForSpaceOncePerSecond(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{Quota: 100, SessionLease: time.Hour, Now: clk.now})
	put(t, c, catalog.Owner{Session: "s"}, strings.Repeat("x", 100))
	over := func() error { return sinkError(t.Context(), c, catalog.Owner{Session: "other"}) }
	if err := over(); !errors.Is(err, catalog.ErrQuota) {
		t.Fatal(err)
	}
	if _, err := c.Lease(t.Context(), "s", 0); err != nil { // now there is something to delete
		t.Fatal(err)
	}
	clk.move(time.Second - 1)
	if err := over(); !errors.Is(err, catalog.ErrQuota) {
		t.Errorf("it was searched again: %v", err)
	}
	clk.move(1)
	if err := over(); err != nil {
		t.Errorf("it was not searched again: %v", err)
	}
	if s := status(t, c); s.Artifacts != 1 {
		t.Errorf("%+v", s)
	}
}

// TestCollectByQuotaDeletesOldest deletes by age and by quota: a dry run reports what is then deleted.
func TestCollectByQuotaDeletesOldest(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]catalog.Options{ // for ten artifacts of 500 bytes, stored every 30 minutes
		"age":   {KeepFor: 155 * time.Minute},
		"quota": {Quota: 3_000},
		"both":  {KeepFor: 155 * time.Minute, Quota: 2_400},
		"exact": {Quota: 5_000},
	} {
		want := map[string]int{"age": 5, "quota": 4, "both": 6, "exact": 0}[name]
		clk := newClock()
		store, path := memory.New(), filepath.Join(t.TempDir(), "catalog.db")
		fill := open(t, store, catalog.Options{Index: path, Now: clk.now})
		var refs []artifactstore.Ref
		for i := range 10 {
			refs = append(refs, put(t, fill, catalog.Owner{Session: "s", Call: fmt.Sprint(i)}, strings.Repeat(fmt.Sprint(i), 500)))
			clk.move(time.Hour / 2)
		}
		closeCatalog(t, fill)
		o.Index, o.Now = path, clk.now
		c := open(t, store, o)
		dry, err := c.Collect(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if s := status(t, c); s.Artifacts != 10 {
			t.Errorf("%s: a dry run left %+v", name, s)
		}
		got := collect(t, c)
		if got.Count != int64(want) || dry.Count != got.Count || dry.Bytes != got.Bytes || got.Bytes != 500*got.Count ||
			dry.KeptCount != got.KeptCount || dry.KeptBytes != got.KeptBytes || got.KeptCount != 10-got.Count || len(got.Deleted) != want {
			t.Errorf("%s: %d deleted, dry %+v, want %d", name, got.Count, dry, want)
		}
		for i, e := range got.Deleted {
			if e.Name != refs[i].Name || e.Path != refs[i].Path || e.Expired == nil || dry.Deleted[i].Name != e.Name || dry.Deleted[i].Expired != nil {
				t.Errorf("%s: artifact %d is %+v, dry %+v", name, i, e, dry.Deleted[i])
			}
		}
		closeCatalog(t, c)
	}
}

// TestManyArtifactsAreHandledInBatches: more than one query returns are added, deleted and listed.
func TestManyArtifactsAreHandledInBatches(t *testing.T) {
	t.Parallel()
	const n = 1_100 // two batches and a part, and more than a report has
	clk := newClock()
	c, store := newCatalog(t, catalog.Options{KeepFor: time.Hour, Now: clk.now})
	for i := range n {
		if _, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte(fmt.Sprint(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := c.Verify(t.Context(), nil, func(path string, err error) error { return err }); err != nil || v.Intact != n {
		t.Errorf("%+v, %v", v, err)
	}
	clk.move(2 * time.Hour)
	got := collect(t, c)
	if got.Count != n || len(got.Deleted) != 1000 || got.KeptCount != 0 || got.Entered != 0 {
		t.Errorf("%d deleted, %d reported, %d kept", got.Count, len(got.Deleted), got.KeptCount)
	}
	if again := collect(t, c); again.Count != 0 {
		t.Errorf("%d deleted again", again.Count)
	}
}
