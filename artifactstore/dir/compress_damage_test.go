package dir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestDamagedFrameIsNeverRead: never wrong bytes, and the same content can be stored again, also in the same place
// by name that is taken.
func TestDamagedFrameIsNeverRead(t *testing.T) {
	kinds := map[string]func(path string) error{}
	for name, damage := range damages {
		if name != "link to the same content" {
			kinds[name] = damage
		}
	}
	kinds["table cut off"] = func(path string) error {
		b, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, b[:len(b)-9], 0o400))
	}
	kinds["a frame less"] = func(path string) error {
		b, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, b[1000:], 0o400))
	}
	kinds["plain bytes"] = func(path string) error { return os.WriteFile(path, numberedLog(), 0o400) }
	for name, damage := range kinds {
		t.Run(name, func(t *testing.T) {
			if name == "foreign owner" {
				needRoot(t)
			}
			d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
			ref, content := compressed(t, d)
			must(t, os.Chmod(ref.Path+".zst", 0o600))
			must(t, damage(ref.Path+".zst"))
			_, err := get(d, ref.Name)
			wantError(t, "Open", err, artifactstore.ErrDamaged)
			_, _, err = d.Compress(t.Context(), ref.Name)
			if !errors.Is(err, artifactstore.ErrDamaged) && err != nil {
				t.Errorf("Compress: %v", err)
			}
			for _, b := range []artifactstore.Blob{artifactstore.BytesBlob(content), source(content)} {
				again, err := d.Put(t.Context(), b)
				if err != nil || len(again.Name) != 12 || exists(t, ref.Path) {
					t.Errorf("put again as %s, %v, want %s and four digits", again.Name, err, ref.Name)
				}
				wantText(t, d, again.Name, string(content))
			}
			_, err = get(d, ref.Name)
			wantError(t, "Open of the damaged one", err, artifactstore.ErrDamaged)
		})
	}
}

// TestBitFlipsOfCompressed flips any one bit: what is read is right or not read at all, and a block is found
// damaged when it is read, while others can be.
func TestBitFlipsOfCompressed(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	ref, content := compressed(t, d)
	path := ref.Path + ".zst"
	must(t, os.Chmod(path, 0o600))
	good, err := os.ReadFile(path)
	must(t, err)
	found, flips := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		bad := bytes.Clone(good)
		at := rapid.OneOf(rapid.IntRange(0, len(good)-1), rapid.IntRange(len(good)-130, len(good)-1)).Draw(rt, "at")
		bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		must(t, os.WriteFile(path, bad, 0o600))
		flips++
		switch text, err := get(d, ref.Name); {
		case errors.Is(err, artifactstore.ErrDamaged):
			found++
		case err != nil || text != string(content):
			rt.Fatalf("byte %d: %d bytes, %v", at, len(text), err)
		}
		p, err := d.Pages(context.Background(), ref.Name)
		if err != nil {
			if !errors.Is(err, artifactstore.ErrDamaged) {
				rt.Fatalf("byte %d: %v", at, err)
			}
			return
		}
		defer p.Close()
		readable := 0
		for from := int64(0); from < p.Size(); from += 100_000 {
			b, err := p.Read(nil, from, from+100_000)
			switch {
			case err == nil && bytes.Equal(b, content[from:min(len(content), int(from)+100_000)]):
				readable++
			case !errors.Is(err, artifactstore.ErrDamaged):
				rt.Fatalf("byte %d: page at %d: %d bytes, %v", at, from, len(b), err)
			}
		}
		if readable == 0 {
			rt.Fatalf("byte %d: one bit, and nothing can be read", at)
		}
	})
	if found < flips*9/10 {
		t.Errorf("only %d of %d flips were found", found, flips)
	}
}

// bomb is a frame of many zeros.
func bomb(t testing.TB, size int, streamed bool) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(64<<20))
	must(t, err)
	defer e.Close()
	if !streamed {
		return e.EncodeAll(make([]byte, size), nil)
	}
	var b bytes.Buffer
	e.Reset(&b)
	_, err = io.Copy(e, io.LimitReader(zeros{}, int64(size)))
	must(t, errors.Join(err, e.Close()))
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// withTable ends frames with a table that says of each what claims say.
func withTable(frames []byte, claims ...uint32) []byte {
	b := binary.LittleEndian.AppendUint32(bytes.Clone(frames), 0x184D2A5E)
	b = binary.LittleEndian.AppendUint32(b, uint32(4*len(claims)+9))
	for _, c := range claims {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(claims)/2))
	return binary.LittleEndian.AppendUint32(append(b, 0), 0x8F92EAB1)
}

// TestBombsAreRejectedInLittleMemory: frames and tables that claim more than a block are rejected, in little memory.
func TestBombsAreRejectedInLittleMemory(t *testing.T) {
	const block = 256 << 10
	one, streamed := bomb(t, 64<<20, false), bomb(t, 64<<20, true)
	small := bomb(t, block, false)
	if len(one) > block || len(streamed) > block {
		t.Fatalf("%d and %d bytes: no bombs", len(one), len(streamed))
	}
	if b, err := dir.ReadFrames(withTable(small, uint32(len(small)), block)); err != nil || len(b) != block {
		t.Fatalf("a good frame: %d bytes, %v", len(b), err)
	}
	claimed := withTable(small, uint32(len(small)), block)
	binary.LittleEndian.PutUint32(claimed[len(claimed)-9:], 1<<32-1)
	for name, file := range map[string][]byte{
		"a frame of 64 MiB":                withTable(one, uint32(len(one)), block),
		"the same without its size":        withTable(streamed, uint32(len(streamed)), block),
		"one that says so":                 withTable(one, uint32(len(one)), 64<<20),
		"a frame that follows in a frame":  withTable(append(bytes.Clone(small), one...), uint32(len(small)+len(one)), block),
		"a short block that is not last":   withTable(append(bytes.Clone(small), small...), uint32(len(small)), 5, uint32(len(small)), block),
		"a block of nothing":               withTable(small, uint32(len(small)), 0),
		"a frame of nothing":               withTable(small, uint32(len(small)), block, 0, block),
		"a frame that is larger":           withTable(small, 1<<31, block),
		"frames of four billions of bytes": claimed,
		"a block that is smaller":          withTable(small, uint32(len(small)), block-1),
		"no frame at all":                  withTable([]byte("hello"), 5, 5),
		"no table":                         small,
		"nothing":                          nil,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := dir.ReadFrames(file)
		runtime.ReadMemStats(&after)
		wantError(t, name, err, artifactstore.ErrDamaged)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
			t.Errorf("%s takes %d bytes of memory", name, n)
		}
	}
}

// Readers and writers of an artifact do not notice that it is compressed meanwhile.
func TestCompressIsInvisibleToReaders(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	for i := range 4 {
		content := append(numberedLog(), byte('0'+i))
		ref := put(t, d, string(content))
		var wg sync.WaitGroup
		compressed := make(chan struct{})
		use := func(what string, once func() error) {
			wg.Go(func() {
				for ended := false; !ended; {
					select {
					case <-compressed:
						ended = true // after one more
					default:
					}
					if err := once(); err != nil {
						t.Errorf("%s: %v", what, err)
						return
					}
				}
			})
		}
		use("open", func() error {
			text, err := get(d, ref.Name)
			if err == nil && text != string(content) {
				err = errors.New("other bytes")
			}
			return err
		})
		use("line", func() error {
			got, err := line(d, ref.Name, 50_000)
			if err == nil && got != "line 50000 of a log\n" {
				err = errors.New(got)
			}
			return err
		})
		use("put", func() error {
			again, err := d.Put(context.Background(), source(content))
			if err == nil && again != ref {
				err = errors.New(again.Name)
			}
			return err
		})
		var done [2]bool
		for n := range done {
			wg.Go(func() {
				var err error
				if _, done[n], err = d.Compress(context.Background(), ref.Name); err != nil {
					t.Errorf("compress: %v", err)
				}
				if n == 0 {
					close(compressed)
				}
			})
		}
		wg.Wait()
		if done[0] == done[1] {
			t.Errorf("two compressions at once report %v", done)
		}
		if exists(t, ref.Path) || !exists(t, ref.Path+".zst") || len(tempFiles(t, d.Root())) > 0 {
			t.Errorf("there are %q and %q", artifactNames(t, d.Root()), tempFiles(t, d.Root()))
		}
	}
}

// FuzzFrames reads any bytes as a compressed form.
func FuzzFrames(f *testing.F) {
	small := bomb(f, 1000, false)
	f.Add(withTable(small, uint32(len(small)), 1000))
	f.Add(withTable(append(bytes.Clone(small), small...), uint32(len(small)), 256<<10, uint32(len(small)), 1000))
	f.Add(withTable(nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		content, err := dir.ReadFrames(file)
		if err != nil {
			if !errors.Is(err, artifactstore.ErrDamaged) {
				t.Errorf("%v", err)
			}
			return
		}
		r, err := zstd.NewReader(bytes.NewReader(file))
		must(t, err)
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
			t.Errorf("another decoder has %d bytes, %v, want %d", len(got), err, len(content))
		}
	})
}
