package dir_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// BenchmarkPut stores fresh content in a store whose shards exist, as they do once it has grown. The floors
// are what the files alone cost, without hash, name or promise: os.WriteFile and a rename; for the durable
// one also an fsync of the file and of the directory.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{2 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("volatile floor/%dKiB", size>>10), func(b *testing.B) { benchFloor(b, size, false) })
		b.Run(fmt.Sprintf("volatile/%dKiB", size>>10), func(b *testing.B) { benchPut(b, size, true) })
		b.Run(fmt.Sprintf("durable floor/%dKiB", size>>10), func(b *testing.B) { benchFloor(b, size, true) })
		b.Run(fmt.Sprintf("durable/%dKiB", size>>10), func(b *testing.B) { benchPut(b, size, false) })
	}
}

func benchPut(b *testing.B, size int, volatile bool) {
	d := grownStore(b, volatile)
	payload := make([]byte, size)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n++
		binary.LittleEndian.PutUint64(payload, n)
		if _, err := d.Put(context.Background(), artifactstore.BytesBlob(payload)); err != nil {
			b.Fatal(err)
		}
	}
}

// grownStore returns a store in which every shard directory exists.
func grownStore(b *testing.B, volatile bool) *dir.Store {
	root := filepath.Join(b.TempDir(), "store")
	d := openStore(b, root, dir.Options{Volatile: volatile})
	for i := range 1 << 12 {
		must(b, os.Mkdir(filepath.Join(root, fmt.Sprintf("%03x", i)), 0o700))
	}
	return d
}

func benchFloor(b *testing.B, size int, durable bool) {
	parent := b.TempDir()
	sync := func(path string) {
		if !durable {
			return
		}
		f, err := os.Open(path)
		must(b, err)
		must(b, f.Sync())
		must(b, f.Close())
	}
	payload := make([]byte, size)
	temp := filepath.Join(parent, "temp")
	b.SetBytes(int64(size))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		must(b, os.WriteFile(temp, payload, 0o600))
		sync(temp)
		must(b, os.Rename(temp, filepath.Join(parent, fmt.Sprintf("%08x", n))))
		sync(parent)
	}
}

// BenchmarkPutAgain puts content that is stored already.
func BenchmarkPutAgain(b *testing.B) {
	for _, volatile := range []bool{true, false} {
		b.Run(fmt.Sprintf("volatile=%v", volatile), func(b *testing.B) {
			d := openStore(b, filepath.Join(b.TempDir(), "store"), dir.Options{Volatile: volatile})
			blob := artifactstore.BytesBlob(make([]byte, 64<<10))
			b.SetBytes(blob.Size())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Put(context.Background(), blob); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen opens, verifies and closes an artifact.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int{2 << 10, 64 << 10, 16 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			d := openStore(b, filepath.Join(b.TempDir(), "store"), dir.Options{Volatile: true})
			ref, err := d.Put(context.Background(), artifactstore.BytesBlob(make([]byte, size)))
			must(b, err)
			b.SetBytes(ref.Size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := d.Open(context.Background(), ref.Name)
				if err != nil {
					b.Fatal(err)
				}
				must(b, r.Close())
			}
		})
	}
}

// BenchmarkStage receives 16 MiB in pieces of 256 KiB, and puts them.
func BenchmarkStage(b *testing.B) {
	d := grownStore(b, true)
	piece := make([]byte, 256<<10)
	b.SetBytes(64 * int64(len(piece)))
	n := uint64(0)
	for b.Loop() {
		st, err := d.Stage(context.Background())
		must(b, err)
		for range 64 {
			n++
			binary.LittleEndian.PutUint64(piece, n)
			_, err := st.Write(piece)
			must(b, err)
		}
		blob, err := st.Seal()
		must(b, err)
		ref, err := d.Put(context.Background(), blob)
		must(b, err)
		must(b, st.Discard())
		must(b, os.Remove(ref.Path)) // or a long run fills the disk
	}
}
