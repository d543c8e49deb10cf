package dir_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

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
		need(t, err == nil, "needs the program zstd")
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
