package dir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestFullDiskKeepsWhatIsStored fills a real file system, by bytes and by inodes, and frees a little again.
func TestFullDiskKeepsWhatIsStored(t *testing.T) {
	needRoot(t)
	cases := map[string]struct {
		options string
		size    int
	}{
		"bytes":  {"size=1m,nr_inodes=500,mode=0700", 60000},
		"inodes": {"size=4m,nr_inodes=30,mode=0700", 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := openStore(t, filepath.Join(mountTmpfs(t, c.options), "store"), dir.Options{})
			stored := make(map[string]artifactstore.Ref)
			var err error
			for i := 0; err == nil && i < 1000; i++ {
				text := fmt.Sprintf("%0*d", c.size, i)
				var ref artifactstore.Ref
				if ref, err = d.Put(context.Background(), source(text)); err == nil {
					stored[text] = ref
				}
			}
			wantError(t, "Put", err, artifactstore.ErrFull)
			wantError(t, "Put", err, syscall.ENOSPC)
			if left := tempFiles(t, d.Root()); len(left) > 0 || len(stored) < 5 {
				t.Fatalf("after %d artifacts the store was full and %q was left", len(stored), left)
			}
			if names := artifactNames(t, d.Root()); len(names) != len(stored) {
				t.Errorf("%d artifacts are visible, %d were stored", len(names), len(stored))
			}
			for text, ref := range stored {
				wantText(t, d, ref.Name, text)
				if again, err := d.Put(context.Background(), artifactstore.BytesBlob([]byte(text))); again != ref {
					t.Errorf("what is stored already cannot be put into a full store: %+v, %v", again, err)
				}
			}
			for text, ref := range stored {
				must(t, os.Remove(ref.Path))
				if again := put(t, d, text); again != ref {
					t.Errorf("put after space was freed: %+v, want %+v", again, ref)
				}
				break // one is enough
			}
		})
	}
}

// TestFileSizeLimitIsTooLarge: a file over the limit of the process is an error of its own, and leaves nothing.
func TestFileSizeLimitIsTooLarge(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	small := put(t, d, "small")
	const limit = 64 << 20 // the go command has a log of this process open, which must not reach it
	withLimit(t, syscall.RLIMIT_FSIZE, limit, func() {
		_, err := d.Put(context.Background(), source(strings.Repeat("x", limit+1)))
		wantError(t, "Put", err, artifactstore.ErrTooLarge)
		put(t, d, strings.Repeat("y", limit))
	})
	if left := tempFiles(t, d.Root()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	wantText(t, d, small.Name, "small")
}

// TestDescriptorLimitIsNotDamage: no descriptors is neither damage nor an unknown name.
func TestDescriptorLimitIsNotDamage(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	ref := put(t, d, "x")
	null, err := os.Open(os.DevNull)
	must(t, err)
	free := null.Fd()
	must(t, null.Close())
	withLimit(t, syscall.RLIMIT_NOFILE, uint64(free), func() {
		_, err := d.Put(context.Background(), source("y"))
		wantError(t, "Put", err, artifactstore.ErrTooManyFiles)
		_, err = d.Put(context.Background(), artifactstore.BytesBlob([]byte("x")))
		wantError(t, "Put of what is there", err, artifactstore.ErrTooManyFiles)
		_, err = d.Open(context.Background(), ref.Name)
		wantError(t, "Open", err, artifactstore.ErrTooManyFiles)
		_, err = d.Stage(context.Background())
		wantError(t, "Stage", err, artifactstore.ErrTooManyFiles)
		_, err = dir.Open(root, dir.Options{})
		wantError(t, "OpenDir", err, artifactstore.ErrTooManyFiles)
	})
	wantText(t, d, ref.Name, "x")
}

// withLimit runs f under a lower limit of the process.
func withLimit(t *testing.T, resource int, limit uint64, f func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(resource, &old))
	must(t, syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: old.Max}))
	defer func() {
		if err := syscall.Setrlimit(resource, &old); err != nil {
			t.Error(errors.Join(errors.New("limit stays lowered"), err))
		}
	}()
	f()
}
