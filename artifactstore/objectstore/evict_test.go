package objectstore_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
)

// local are the names of what is in the spool.
func (s *store) local(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	must(t, s.Spool().Walk(t.Context(), func(a artifactstore.StoredArtifact) error {
		names[a.Name] = true
		return nil
	}))
	return names
}

// TestEvictionKeepsLastUsedAndPending: what was used last stays, what is pending stays, and what was evicted is read from the bucket.
func TestEvictionKeepsLastUsedAndPending(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", func(o *objectstore.Options) { o.SpoolBytes = 100_000 })
	var refs []artifactstore.Ref
	for i := range 9 {
		refs = append(refs, s.put(t, lines(10_000, string(rune('a'+i)))))
		time.Sleep(5 * time.Millisecond) // for the order of their times
	}
	s.settled(t)
	s.wantContent(t, refs[0], lines(10_000, "a"))
	if n := len(s.local(t)); n != 9 {
		t.Errorf("%d copies in a spool that is not full", n)
	}
	late := s.put(t, lines(15_000, "late"))
	s.settled(t)
	waitFor(t, "room", func() bool { return len(s.local(t)) < 10 })
	waitFor(t, "the oldest to go first", func() bool { l := s.local(t); return !l[refs[1].Name] && !l[refs[2].Name] })
	if l := s.local(t); !l[refs[0].Name] || !l[late.Name] || !l[refs[8].Name] {
		t.Errorf("left are %v", l)
	}
	s.wantContent(t, refs[1], lines(10_000, "b"))

	f.fail(of(http.MethodPut, broken))
	large := s.put(t, lines(300_000, "pending"))
	s.put(t, lines(10_000, "b")) // it is known to be in the bucket
	time.Sleep(50 * time.Millisecond)
	if !s.local(t)[large.Name] {
		t.Error("what is pending was evicted")
	}
	f.fail(nil)
	s.settled(t)
	waitFor(t, "room", func() bool { return !s.local(t)[large.Name] })
	s.wantContent(t, large, lines(300_000, "pending"))
}

// TestEvictionKeepsWhatBucketLacks: the bucket is asked, and what it has lost is uploaded again.
func TestEvictionKeepsWhatBucketLacks(t *testing.T) {
	f := newFake(t)
	spool := filepath.Join(t.TempDir(), "spool")
	s := open(t, f, spool, nil)
	refs := []artifactstore.Ref{s.put(t, lines(10_000, "a")), s.put(t, lines(10_000, "b"))}
	s.settled(t)
	must(t, s.Close())
	f.edit(func(objects map[string]fakeObject) { clear(objects) })
	f.fail(always(hungUp))
	s = open(t, f, spool, func(o *objectstore.Options) { o.SpoolBytes = 0 })
	time.Sleep(100 * time.Millisecond)
	if n := len(s.local(t)); n != 2 {
		t.Fatalf("%d copies are left while the object store is down", n)
	}
	must(t, s.Close())
	f.fail(nil)
	s = open(t, f, spool, func(o *objectstore.Options) { o.SpoolBytes = 0 })
	waitFor(t, "the copies to be uploaded and evicted", func() bool { return len(s.local(t)) == 0 })
	s.wantContent(t, refs[0], lines(10_000, "a"))
	s.wantContent(t, refs[1], lines(10_000, "b"))
}

// TestReadersSurviveEviction reads the same artifacts from many goroutines while each is evicted as soon as it is there.
func TestReadersSurviveEviction(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", func(o *objectstore.Options) { o.SpoolBytes = 0 })
	content := map[artifactstore.Ref][]byte{}
	for i := range 4 {
		b := lines(5000, string(rune('a'+i)))
		content[s.put(t, b)] = b
	}
	s.settled(t)
	done := make(chan error)
	for range 4 {
		go func() {
			var errs []error
			for range 10 {
				for ref := range maps.Keys(content) {
					r, err := s.Open(t.Context(), ref.Name)
					if err == nil {
						err = r.Close()
					}
					if p, pagesErr := s.Pages(t.Context(), ref.Name); pagesErr == nil {
						errs = append(errs, p.Close())
					} else {
						errs = append(errs, pagesErr)
					}
					errs = append(errs, err)
				}
			}
			done <- errors.Join(errs...)
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestRemovedDuringEvictionStaysRemoved: a copy that is looked at in order to evict it does not come back when it is removed.
func TestRemovedDuringEvictionStaysRemoved(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", func(o *objectstore.Options) { o.SpoolBytes = 0 })
	for i := range 60 {
		var refs []artifactstore.Ref
		for j := range 4 {
			refs = append(refs, s.put(t, fmt.Appendf(nil, "%d of %d", j, i)))
		}
		for _, ref := range refs {
			must(t, s.Remove(t.Context(), ref.Name))
		}
	}
	s.settled(t)
	if keys := f.keys(); len(keys) > 0 {
		t.Errorf("the bucket has %q", keys)
	}
	if left := markersOf(t, s.Spool().Root()); len(left) > 0 {
		t.Errorf("markers are left: %q", left)
	}
}
