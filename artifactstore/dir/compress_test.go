package dir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// noise is content that does not get smaller.
func noise(n int) []byte {
	b := make([]byte, n)
	h := blake3.New()
	h.Digest().Read(b)
	return b
}

// compressed puts a log and compresses it.
func compressed(t testing.TB, d *dir.Store) (artifactstore.Ref, []byte) {
	t.Helper()
	content := numberedLog()
	ref := put(t, d, string(content))
	saved, done, err := d.Compress(context.Background(), ref.Name)
	if err != nil || !done || saved < ref.Size/2 {
		t.Fatalf("Compress = %d, %v, %v", saved, done, err)
	}
	return ref, content
}

// exists reports whether there is something at a path.
func exists(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCompressKeepsContent(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	content := numberedLog()
	ref := put(t, d, string(content))
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(ref.Path, old, old))
	before, err := d.Open(t.Context(), ref.Name)
	must(t, err)
	defer before.Close()

	saved, done, err := d.Compress(t.Context(), ref.Name)
	must(t, err)
	info, err := os.Lstat(ref.Path + ".zst")
	must(t, err)
	if !done || saved != ref.Size-info.Size() || saved < ref.Size/2 {
		t.Errorf("Compress = %d, %v, for %d bytes that are %d now", saved, done, ref.Size, info.Size())
	}
	if info.Mode() != 0o400 || !info.ModTime().Equal(old) {
		t.Errorf("the file has mode %v and time %v", info.Mode(), info.ModTime())
	}
	if exists(t, ref.Path) || !exists(t, ref.Path+".index") || len(tempFiles(t, d.Root())) > 0 {
		t.Errorf("there are %q and in tmp %q", artifactNames(t, d.Root()), tempFiles(t, d.Root()))
	}
	wantText(t, d, ref.Name, string(content))
	if got, err := line(d, ref.Name, 50_000); err != nil || got != "line 50000 of a log\n" {
		t.Errorf("a line: %q, %v", got, err)
	}
	must(t, os.Remove(ref.Path+".index"))
	if got, err := line(d, ref.Name, 50_000); err != nil || got != "line 50000 of a log\n" || !exists(t, ref.Path+".index") {
		t.Errorf("a line without index: %q, %v", got, err)
	}
	if text, err := io.ReadAll(before); err != nil || !bytes.Equal(text, content) {
		t.Errorf("a reader that was open has %d bytes, %v", len(text), err)
	}
	for _, b := range []artifactstore.Blob{artifactstore.BytesBlob(content), source(content)} {
		if again, err := d.Put(t.Context(), b); err != nil || again != ref || exists(t, ref.Path) {
			t.Errorf("put again: %+v, %v, want %+v", again, err, ref)
		}
	}
	if saved, done, err := d.Compress(t.Context(), ref.Name); saved != 0 || done || err != nil {
		t.Errorf("compressed again: %d, %v, %v", saved, done, err)
	}
	_, err = d.Resolve(ref.Path + ".zst")
	wantError(t, "the compressed form as a handle", err, artifactstore.ErrOutsideStore)
}

// Any decoder of zstd reads the compressed form.
func TestCompressedIsZstd(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	ref, content := compressed(t, d)
	t.Run("as a stream", func(t *testing.T) {
		f, err := os.Open(ref.Path + ".zst")
		must(t, err)
		defer f.Close()
		r, err := zstd.NewReader(f)
		must(t, err)
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("zstd -d", func(t *testing.T) {
		program, err := exec.LookPath("zstd")
		leg(t, err == nil, "needs the program zstd")
		if got, err := exec.Command(program, "-dc", ref.Path+".zst").Output(); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if out, err := exec.Command(program, "-t", ref.Path+".zst").CombinedOutput(); err != nil {
			t.Errorf("%s, %v", out, err)
		}
	})
}

// What is not worth it stays as it is, and is not tried again.
func TestIncompressibleStaysAndIsNotTriedAgain(t *testing.T) {
	d, f := faultyStore(t)
	const block = 256 << 10
	deceptive := noise(65 * block) // but for the blocks that are tried first
	for i := 0; i < 64; i += 8 {
		clear(deceptive[i*block : (i+1)*block])
	}
	for name, content := range map[string][]byte{
		"noise": noise(100 << 10), "much noise": noise(40 * block), "deceptive": deceptive,
		"less than a fifth": append(noise(85<<10), make([]byte, 15<<10)...),
	} {
		ref := put(t, d, string(content))
		for i := range 2 {
			f.reset(nil)
			if saved, done, err := d.Compress(t.Context(), ref.Name); saved != 0 || done || err != nil {
				t.Errorf("%s: %d, %v, %v", name, saved, done, err)
			}
			if tried := len(f.steps) > 0; tried == (i == 1) {
				t.Errorf("%s: steps %q in turn %d", name, f.steps, i)
			}
		}
		wantText(t, d, ref.Name, string(content))
		if left := tempFiles(t, d.Root()); len(left) > 0 || exists(t, ref.Path+".zst") {
			t.Errorf("%s left %q", name, left)
		}
		if again := put(t, d, string(content)); again != ref {
			t.Errorf("%s put again: %+v, want %+v", name, again, ref)
		}
	}
	for name, content := range map[string]string{"small": strings.Repeat("x", 64<<10-1), "nothing": ""} {
		ref := put(t, d, content)
		f.reset(nil)
		if _, done, err := d.Compress(t.Context(), ref.Name); done || err != nil || len(f.steps) > 0 {
			t.Errorf("%s: %v, %v, steps %q", name, done, err, f.steps)
		}
	}
	ref := put(t, d, strings.Repeat("x", 64<<10))
	if _, done, err := d.Compress(t.Context(), ref.Name); !done || err != nil {
		t.Errorf("64 KiB: %v, %v", done, err)
	}
}

func TestCompressReportsFailures(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	content := numberedLog()
	ref := put(t, d, string(content))
	_, _, err := d.Compress(t.Context(), "00000000")
	wantError(t, "an unknown name", err, artifactstore.ErrUnknown)
	_, _, err = d.Compress(t.Context(), "../../etc")
	wantError(t, "no name", err, artifactstore.ErrNameInvalid)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = d.Compress(ctx, ref.Name)
	wantError(t, "cancelled", err, context.Canceled)

	must(t, os.Chmod(ref.Path, 0o600))
	content[len(content)/2] ^= 1
	must(t, os.WriteFile(ref.Path, content, 0o600))
	_, _, err = d.Compress(t.Context(), ref.Name)
	wantError(t, "damaged", err, artifactstore.ErrDamaged)
	if exists(t, ref.Path+".zst") || !exists(t, ref.Path) || len(tempFiles(t, d.Root())) > 0 {
		t.Error("damage was compressed")
	}
	closeStore(t, d)
	_, _, err = d.Compress(t.Context(), ref.Name)
	wantError(t, "a closed store", err, artifactstore.ErrClosed)
}

// Whatever step fails, the artifact stays, and can be compressed later.
func TestEveryStepOfCompressFails(t *testing.T) {
	content := string(numberedLog())
	for n := 0; ; n++ {
		d, f := faultyStore(t)
		ref := put(t, d, content)
		f.reset(at(n, syscall.EIO))
		_, done, err := d.Compress(t.Context(), ref.Name)
		if n >= len(f.steps) {
			if !done || err != nil || n < 15 {
				t.Errorf("no step failed: %v, %v, steps %q", done, err, f.steps)
			}
			return
		}
		failed := f.steps[n]
		f.reset(nil)
		if failed != dir.StepRemoveTemp {
			wantError(t, failed, err, syscall.EIO)
			if done {
				t.Errorf("%s failed and Compress reports that it is done", failed)
			}
		}
		wantText(t, d, ref.Name, content)
		if again := put(t, d, content); again != ref {
			t.Errorf("%s failed: put again %+v, want %+v", failed, again, ref)
		}
		if _, _, err := d.Compress(t.Context(), ref.Name); err != nil || exists(t, ref.Path) {
			t.Errorf("%s failed, and then: %v", failed, err)
		}
		wantText(t, d, ref.Name, content)
		closeStore(t, d)
		if left := tempFiles(t, d.Root()); len(left) > 0 && failed != dir.StepRemoveTemp {
			t.Errorf("%s failed and left %q", failed, left)
		}
	}
}

// TestCompressionOrder pins the order of the steps: the compressed form is checked, and durable under its name,
// before the plain one goes. That holds in a volatile store, too.
func TestCompressionOrder(t *testing.T) {
	for _, volatile := range []bool{false, true} {
		f := &faults{}
		d, err := dir.OpenFaulty(filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: volatile}, f.hook)
		must(t, err)
		ref := put(t, d, strings.Repeat("x", 64<<10))
		f.reset(nil)
		_, _, err = d.Compress(t.Context(), ref.Name)
		must(t, err)
		want := []string{
			"create temporary file", "protect temporary file", "write temporary file", "write temporary file", "verify temporary file",
			"keep time of artifact", "make temporary file read-only", "sync temporary file", "link compressed artifact",
			"sync shard directory", "remove plain artifact", "sync shard directory", "remove temporary file",
		}
		if !slices.Equal(f.steps, want) {
			t.Errorf("the steps are\n%q, want\n%q", f.steps, want)
		}
		closeStore(t, d)
	}
}

// A compressed form that was damaged on its way to the disk never takes the place.
func TestCompressedFormIsVerified(t *testing.T) {
	content := string(numberedLog())
	for _, at := range []int64{10, 70_000, -5, -100} {
		d, f := faultyStore(t)
		ref := put(t, d, content)
		f.reset(func(_ int, step string) error {
			if step != dir.StepVerifyTemp {
				return nil
			}
			file, err := os.OpenFile(filepath.Join(d.Root(), "tmp", tempFiles(t, d.Root())[0]), os.O_RDWR, 0)
			must(t, err)
			defer file.Close()
			whence := io.SeekStart
			if at < 0 {
				whence = io.SeekEnd
			}
			_, err = file.Seek(at, whence)
			must(t, err)
			_, err = file.Write([]byte{0x55})
			return err
		})
		_, done, err := d.Compress(t.Context(), ref.Name)
		if done || err == nil || errors.Is(err, artifactstore.ErrDamaged) {
			t.Errorf("byte %d: %v, %v", at, done, err)
		}
		f.reset(nil)
		if exists(t, ref.Path+".zst") {
			t.Error("it took the place")
		}
		wantText(t, d, ref.Name, content)
	}
}

// TestKilledWhileCompressing kills a process before each step of a compression, and looks at what the next
// start finds.
func TestKilledWhileCompressing(t *testing.T) {
	content := string(numberedLog())
	both, finished := false, false
	for kill := 0; !finished; kill++ {
		root := filepath.Join(t.TempDir(), "store")
		d := openStore(t, root, dir.Options{})
		ref := put(t, d, content)
		closeStore(t, d)
		cmd := helper(t, "compress", root, killVar+"="+strconv.Itoa(kill), nameVar+"="+ref.Name)
		out, err := cmd.Output()
		if finished = err == nil; !finished && cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("killed before step %d: helper failed by itself: %s", kill, out)
		}
		both = both || exists(t, ref.Path) && exists(t, ref.Path+".zst")
		d = openStore(t, root, dir.Options{})
		wantText(t, d, ref.Name, content)
		if got, err := line(d, ref.Name, 50_000); err != nil || got != "line 50000 of a log\n" {
			t.Errorf("killed before step %d: a line is %q, %v", kill, got, err)
		}
		if again := put(t, d, content); again != ref {
			t.Errorf("killed before step %d: put again %+v, want %+v", kill, again, ref)
		}
		if _, _, err := d.Compress(t.Context(), ref.Name); err != nil || exists(t, ref.Path) || !exists(t, ref.Path+".zst") {
			t.Errorf("killed before step %d: compressed later: %v", kill, err)
		}
		wantText(t, d, ref.Name, content)
		if left := tempFiles(t, root); len(left) > 0 {
			t.Errorf("killed before step %d: left %q", kill, left)
		}
		if finished && kill < 15 {
			t.Errorf("only %d steps seen: the hooks do not work", kill)
		}
		closeStore(t, d)
	}
	if !both {
		t.Error("no kill left both forms")
	}
}

// While both forms are there the plain one counts, whatever the other one is.
func TestPlainFormWins(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	ref, content := compressed(t, d)
	must(t, os.WriteFile(ref.Path, content, 0o400))
	must(t, os.Chmod(ref.Path+".zst", 0o600))
	must(t, os.WriteFile(ref.Path+".zst", []byte("something else"), 0o600))
	wantText(t, d, ref.Name, string(content))
	if _, done, err := d.Compress(t.Context(), ref.Name); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	wantText(t, d, ref.Name, string(content))
}

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

// TestBombsAreRejectedInLittleMemory: frames and tables that claim more than a block are refused, in little memory.
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
