package objectstore_test

import (
	"encoding/binary"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// BenchmarkPut compares a put with one into a directory alone: what the marker costs.
func BenchmarkPut(b *testing.B) {
	dir, err := dir.Open(b.TempDir()+"/store", dir.Options{})
	must(b, err)
	defer dir.Close()
	f := newFake(b)
	f.fail(always(hungUp)) // uploads are not what is measured
	for name, sink := range map[string]artifactstore.Sink{"directory": dir, "object store": open(b, f, b.TempDir()+"/spool", nil)} {
		b.Run(name, func(b *testing.B) {
			content := lines(10_000, name)
			n := uint64(0)
			for b.Loop() {
				n++
				binary.LittleEndian.PutUint64(content, n)
				_, err := sink.Put(b.Context(), artifactstore.BytesBlob(content))
				must(b, err)
			}
		})
	}
}
