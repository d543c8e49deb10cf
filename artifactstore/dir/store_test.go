package dir_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

func TestNamePattern(t *testing.T) {
	pattern := regexp.MustCompile(`^[0-9a-f]{8,64}$`)
	names := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-fA-Fg/.\n]{6,66}`), rapid.StringMatching(`[0-9a-f]{6,66}`))
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		if got, want := artifactstore.CheckName(name) == nil, pattern.MatchString(name); got != want {
			t.Fatalf("name %q accepted: %v, want %v", name, got, want)
		}
	})
}

func TestTempNamePattern(t *testing.T) {
	pattern := regexp.MustCompile(`^put-[0-9a-f]{32}\.tmp$`)
	names := rapid.OneOf(rapid.String(), rapid.StringMatching(`(put-)?[0-9a-f]{31,33}(\.tmp)?\n?`))
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		if got, want := dir.IsTempName(name), pattern.MatchString(name); got != want {
			t.Fatalf("temporary name %q accepted: %v, want %v", name, got, want)
		}
	})
}

func TestLayoutOnDisk(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	ref := put(t, d, "x")
	if want := root + "/" + shardOf(ref.Name) + "/" + ref.Name[2:]; ref.Path != want {
		t.Errorf("path %s, want %s", ref.Path, want)
	}
	if text, err := os.ReadFile(ref.Path); string(text) != "x" || err != nil {
		t.Errorf("the file at the path holds %q, error %v", text, err)
	}
	if !d.Durable() || d.Root() != root {
		t.Errorf("Durable() = %v, Root() = %s", d.Durable(), d.Root())
	}
}

func TestRelativeRootIsMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	d := openStore(t, "some dir/it's \"here\"", dir.Options{})
	ref := put(t, d, "x")
	if !filepath.IsAbs(ref.Path) || !filepath.IsAbs(d.Root()) {
		t.Errorf("relative path %s in %s", ref.Path, d.Root())
	}
}

func TestReopenedStoreHasItsArtifacts(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{Volatile: true})
	first := put(t, d, "x")
	closeStore(t, d)
	d = openStore(t, root, dir.Options{})
	wantText(t, d, first.Name, "x")
	if again := put(t, d, "x"); again != first {
		t.Errorf("put again after a restart: %+v, want %+v", again, first)
	}
}

// TestUmaskDoesNotMatter: modes are what the documentation says, whatever the umask is.
func TestUmaskDoesNotMatter(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077, 0o777} {
		t.Run(fmt.Sprintf("%03o", mask), func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "parent", "store")
			defer syscall.Umask(syscall.Umask(mask))
			d := openStore(t, root, dir.Options{})
			ref := put(t, d, "x")
			st, err := d.Stage(context.Background())
			must(t, err)
			defer st.Discard() // Close does the same
			want := map[string]fs.FileMode{
				filepath.Dir(root):                     0o700,
				root:                                   0o700,
				root + "/tmp":                          0o700,
				filepath.Dir(ref.Path):                 0o700,
				root + "/LOCK":                         0o600,
				root + "/FORMAT":                       0o400,
				ref.Path:                               0o400,
				root + "/tmp/" + tempFiles(t, root)[0]: 0o600,
			}
			for path, mode := range want {
				info, err := os.Lstat(path)
				must(t, err)
				if info.Mode().Perm() != mode {
					t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), mode)
				}
			}
		})
	}
}

// damages are ways to spoil the file at path.
var damages = map[string]func(path string) error{
	"bit flip":  func(path string) error { return os.WriteFile(path, []byte("contenu"), 0o400) },
	"truncated": func(path string) error { return os.Truncate(path, 3) },
	"empty":     func(path string) error { return os.Truncate(path, 0) },
	"extended":  func(path string) error { return os.WriteFile(path, []byte("content\x00"), 0o400) },
	"link to itself": func(path string) error {
		return replace(path, func() error { return os.Symlink(filepath.Base(path), path) })
	},
	"link to the same content": func(path string) error {
		if err := os.Rename(path, path+"f"); err != nil {
			return err
		}
		return os.Symlink(filepath.Base(path)+"f", path)
	},
	"link to outside": func(path string) error {
		return replace(path, func() error { return os.Symlink("/etc/passwd", path) })
	},
	"directory":     func(path string) error { return replace(path, func() error { return os.Mkdir(path, 0o700) }) },
	"pipe":          func(path string) error { return replace(path, func() error { return syscall.Mkfifo(path, 0o600) }) },
	"foreign owner": func(path string) error { return os.Chown(path, 12345, -1) },
}

func replace(path string, by func() error) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return by()
}

// TestDamageIsNeverRead: never wrong bytes, and the same content can be stored again.
func TestDamageIsNeverRead(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			if name == "foreign owner" {
				needRoot(t)
			}
			d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
			ref := put(t, d, "content")
			must(t, os.Chmod(ref.Path, 0o600))
			must(t, damage(ref.Path))
			_, err := get(d, ref.Name)
			wantError(t, "Open", err, artifactstore.ErrDamaged)

			again := put(t, d, "content")
			if len(again.Name) != 12 || !strings.HasPrefix(again.Name, ref.Name) {
				t.Errorf("put again as %s, want %s and four digits", again.Name, ref.Name)
			}
			wantText(t, d, again.Name, "content")
			_, err = get(d, ref.Name)
			wantError(t, "Open of the damaged one", err, artifactstore.ErrDamaged)
		})
	}
}

// TestBitFlipsAreFound flips any one bit of an artifact that fills several chunks.
func TestBitFlipsAreFound(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	ref := put(t, d, strings.Repeat("0123456789abcdef", largeSize/16))
	must(t, os.Chmod(ref.Path, 0o600))
	f, err := os.OpenFile(ref.Path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	flip := func(at int64, bit int) {
		var b [1]byte
		_, err := f.ReadAt(b[:], at)
		must(t, err)
		b[0] ^= 1 << bit
		_, err = f.WriteAt(b[:], at)
		must(t, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		at, bit := rapid.Int64Range(0, ref.Size-1).Draw(rt, "at"), rapid.IntRange(0, 7).Draw(rt, "bit")
		flip(at, bit)
		_, err := get(d, ref.Name)
		flip(at, bit)
		if !errors.Is(err, artifactstore.ErrDamaged) {
			rt.Fatalf("bit %d of byte %d flipped: error %v", bit, at, err)
		}
	})
	if _, err := get(d, ref.Name); err != nil {
		t.Errorf("all bits back and still: %v", err)
	}
}

func TestDeletedArtifactIsUnknown(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	ref := put(t, d, "x")
	r, err := d.Open(context.Background(), ref.Name)
	must(t, err)
	must(t, os.RemoveAll(filepath.Dir(ref.Path)))
	_, err = get(d, ref.Name)
	wantError(t, "Open", err, artifactstore.ErrUnknown)
	text, err := io.ReadAll(r)
	if string(text) != "x" || err != nil {
		t.Errorf("a reader that was open reads %q, error %v", text, err)
	}
	must(t, r.Close())
	if again := put(t, d, "x"); again != ref {
		t.Errorf("put again: %+v, want %+v", again, ref)
	}
}

// TestPutFailsWhenEveryNameIsDamaged spoils one name after the other until there is none left.
func TestPutFailsWhenEveryNameIsDamaged(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	for digits := 8; digits <= 64; digits += 4 {
		ref := put(t, d, "x")
		if len(ref.Name) != digits {
			t.Fatalf("name %s, want %d digits", ref.Name, digits)
		}
		must(t, os.Chmod(ref.Path, 0o600))
		must(t, os.Truncate(ref.Path, 0))
	}
	for _, b := range []artifactstore.Blob{artifactstore.BytesBlob([]byte("x")), source("x")} {
		_, err := d.Put(context.Background(), b)
		wantError(t, "put without a name left", err, artifactstore.ErrDamaged)
	}
}

// TestPlantedShardIsNotFollowed: a link in place of a shard directory is never followed, wherever it leads.
func TestPlantedShardIsNotFollowed(t *testing.T) {
	outside := t.TempDir()
	for _, target := range []string{outside, "tmp", "nowhere"} {
		d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
		ref := put(t, d, "x")
		shard := filepath.Dir(ref.Path)
		for _, existing := range []bool{false, true} {
			must(t, os.RemoveAll(shard))
			if existing { // the artifact itself is where the link leads
				must(t, os.WriteFile(filepath.Join(outside, filepath.Base(ref.Path)), []byte("x"), 0o400))
			}
			must(t, os.Symlink(target, shard))
			for _, b := range []artifactstore.Blob{artifactstore.BytesBlob([]byte("x")), source("x")} {
				_, err := d.Put(context.Background(), b)
				wantError(t, "put through a link to "+target, err, artifactstore.ErrRootUnsafe)
			}
			_, err := get(d, ref.Name)
			wantError(t, "open through a link to "+target, err, artifactstore.ErrDamaged)
			if left := tempFiles(t, d.Root()); len(left) > 0 {
				t.Errorf("left behind or put into tmp: %q", left)
			}
		}
		must(t, os.Remove(filepath.Join(outside, filepath.Base(ref.Path))))
		entries, err := os.ReadDir(outside)
		if err != nil || len(entries) > 0 {
			t.Errorf("written through the link: %v, error %v", entries, err)
		}
	}
}

// blockedBlob yields its one byte once release is closed.
type blockedBlob struct{ opened, release chan struct{} }

func (b blockedBlob) Size() int64 { return 1 }

func (b blockedBlob) Open() (io.ReadCloser, error) {
	close(b.opened)
	<-b.release
	return io.NopCloser(strings.NewReader("x")), nil
}

func TestCloseWaitsForPut(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	b := blockedBlob{make(chan struct{}), make(chan struct{})}
	putErr, closeErr := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := d.Put(context.Background(), b)
		putErr <- err
	}()
	<-b.opened
	go func() { closeErr <- d.Close() }()
	select {
	case err := <-closeErr:
		t.Fatalf("Close returned %v while a put was under way", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(b.release)
	must(t, <-putErr)
	must(t, <-closeErr)
}

func TestClosedStoreRejectsCalls(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	ref := put(t, d, "x")
	r, err := d.Open(context.Background(), ref.Name)
	must(t, err)
	sealed, err := seal(d, []byte("staged"))
	must(t, err)
	st, err := d.Stage(context.Background())
	must(t, err)
	must(t, d.Close())
	must(t, d.Close())

	_, err = d.Put(context.Background(), source("y"))
	wantError(t, "Put", err, artifactstore.ErrClosed)
	_, err = d.Open(context.Background(), ref.Name)
	wantError(t, "Open", err, artifactstore.ErrClosed)
	_, err = d.Stage(context.Background())
	wantError(t, "Stage", err, artifactstore.ErrClosed)
	_, err = st.Write([]byte("x"))
	wantError(t, "Write to a stage", err, artifactstore.ErrClosed)
	_, err = sealed.Open()
	wantError(t, "open of a sealed blob", err, artifactstore.ErrClosed)
	must(t, st.Discard())
	if left := tempFiles(t, root); len(left) > 0 {
		t.Errorf("stages left %q", left)
	}
	text, err := io.ReadAll(r)
	if string(text) != "x" || err != nil {
		t.Errorf("reader after Close: %q, %v", text, err)
	}
	must(t, r.Close())
}

// TestPutOfSealedBlobDoesNotCopy: the artifact is the very file that was staged.
func TestPutOfSealedBlobDoesNotCopy(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	b, err := seal(d, []byte("staged"))
	must(t, err)
	staged, err := os.Stat(filepath.Join(root, "tmp", tempFiles(t, root)[0]))
	must(t, err)
	ref, err := d.Put(context.Background(), b)
	must(t, err)
	stored, err := os.Stat(ref.Path)
	must(t, err)
	if !os.SameFile(staged, stored) {
		t.Error("the bytes were copied")
	}
	if left := tempFiles(t, root); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}

	// The blob outlives its artifact: put again it is copied from the file that is still open.
	must(t, os.Remove(ref.Path))
	again, err := d.Put(context.Background(), b)
	if err != nil || again != ref {
		t.Errorf("put again after the artifact was deleted: %+v, %v", again, err)
	}
	wantText(t, d, ref.Name, "staged")
}

// shardOf is the directory of a name: two digits, and the half that the third one is in.
func shardOf(name string) string {
	if name[2] < '8' {
		return name[:2] + "0"
	}
	return name[:2] + "8"
}
