package rest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/internal/journal"
)

// fill puts n artifacts into a new store, as a sidecar does it.
func fill(t *testing.T, root string, n int) {
	t.Helper()
	store, err := dir.Open(root, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	j, err := journal.Open(journal.Options{Dir: filepath.Join(root, "journal"), Volatile: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(store, catalog.Options{Journal: j, Index: filepath.Join(root, "catalog.db"), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	const callers = 8
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; i < n; i += callers {
				owner := catalog.Owner{Session: fmt.Sprint("session ", i/100), Call: fmt.Sprint("call ", i)}
				if _, err := c.SinkFor(owner).Put(context.Background(), artifactstore.BytesBlob(fmt.Appendf(nil, "the output of call %d\n", i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	_, err = c.LeasedUntil(context.Background(), "session 0") // the index has all of it then
	if err = errors.Join(err, c.Close(), j.Close(), store.Close()); err != nil {
		t.Fatal(err)
	}
}
