package catalog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// BenchmarkPut puts new artifacts of 2 KiB into a store on disk, with and without a catalog.
func BenchmarkPut(b *testing.B) {
	for _, volatile := range []bool{false, true} {
		root := filepath.Join(b.TempDir(), "store")
		store, err := dir.Open(root, dir.Options{Volatile: volatile})
		if err != nil {
			b.Fatal(err)
		}
		c := open(b, store, catalog.Options{Index: filepath.Join(root, "catalog.db"), SessionLease: time.Hour})
		var n atomic.Int64
		for _, callers := range []int{1, 64} {
			for name, sink := range map[string]artifactstore.Sink{"store alone": store, "with a catalog": c.SinkFor(catalog.Owner{Session: "s", Call: "c"})} {
				b.Run(fmt.Sprintf("volatile=%v/callers=%d/%s", volatile, callers, name), func(b *testing.B) {
					b.SetParallelism((callers + 1) / 2)
					b.RunParallel(func(p *testing.PB) {
						content := make([]byte, 2<<10)
						for p.Next() {
							copy(content, fmt.Sprint(n.Add(1)))
							if _, err := sink.Put(context.Background(), artifactstore.BytesBlob(content)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				})
			}
		}
		closeCatalog(b, c)
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	}
}
