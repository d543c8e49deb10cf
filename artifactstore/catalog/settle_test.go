package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestCloseSettlesMany puts many small artifacts, or a few: after many the next start has nothing to verify, and after a few it verifies
// them.
func TestCloseSettlesMany(t *testing.T) {
	t.Parallel()
	for n, suspect := range map[int]bool{0: false, 5: true, 100: false} {
		root := t.TempDir()
		for _, start := range []string{"first", "second"} {
			store, err := dir.Open(filepath.Join(root, "store"), dir.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c := open(t, store, catalog.Options{Index: filepath.Join(root, "catalog.db")})
			if start == "first" {
				for i := range n {
					put(t, c, catalog.Owner{}, fmt.Sprint("content ", i))
				}
			} else if j, _ := journals.Load(c); j.(*journal.Journal).Suspect() != suspect {
				t.Errorf("after %d artifacts: suspect %v", n, !suspect)
			}
			for i := range n {
				if got := read(t, c, store.RefFor(fmt.Append(nil, "content ", i)).Name, catalog.Permit{}); got != fmt.Sprint("content ", i) {
					t.Errorf("%s start: %q", start, got)
				}
			}
			closeCatalog(t, c)
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// nameless is a store that gives no names to small artifacts while it fails.
type nameless struct {
	*dir.Store
	fails bool
}

var errNameless = errors.New("no name")

func (s *nameless) Reserve(ctx context.Context, b []byte) (artifactstore.Reservation, error) {
	r, err := s.Store.Reserve(ctx, b)
	if err == nil && s.fails {
		r = namelessReservation{r}
	}
	return r, err
}

type namelessReservation struct{ artifactstore.Reservation }

func (namelessReservation) Keep() error { return errNameless }

// TestUnnamedArtifactIsMadeAgain fails to name an artifact that the journal has, among many others. Neither a new segment nor the end lets the
// journal forget it, and the next start makes it.
func TestUnnamedArtifactIsMadeAgain(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o := catalog.Options{Index: filepath.Join(root, "catalog.db")}
	store, err := dir.Open(filepath.Join(root, "store"), dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	failing := &nameless{Store: store}
	c := open(t, failing, o)
	for i := range 100 {
		put(t, c, catalog.Owner{}, fmt.Sprint("content ", i))
	}
	failing.fails = true
	if _, err := c.SinkFor(catalog.Owner{}).Put(t.Context(), artifactstore.BytesBlob([]byte("nameless"))); !errors.Is(err, errNameless) {
		t.Error(err)
	}
	j, _ := journals.Load(c)
	if err := j.(*journal.Journal).Rotate(t.Context()); !errors.Is(err, catalog.ErrCatalogUnreadable) {
		t.Errorf("the journal forgets it: %v", err)
	}
	closeCatalog(t, c)
	c = open(t, store, o)
	if got := read(t, c, store.RefFor([]byte("nameless")).Name, catalog.Permit{}); got != "nameless" {
		t.Errorf("%q", got)
	}
	closeCatalog(t, c)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
