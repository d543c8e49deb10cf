package rpc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// TestSocketIsBoundOnlyWhereItMayBe has paths at the bounds, and files in the place of the socket or of its lock.
func TestSocketIsBoundOnlyWhereItMayBe(t *testing.T) {
	t.Parallel()
	root := socketDir(t)
	if err := os.Chmod(root, 0o700); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(root, name) }
	long := path(strings.Repeat("x", sidecar.MaxSocketPath-len(root)-1))
	if err := errors.Join(os.WriteFile(path("file"), nil, 0o600), os.Mkdir(path("dir.lock"), 0o700), os.Symlink(path("file"), path("link.lock")), os.Symlink(path("nowhere"), path("dangling"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"relative": `socket "relative": the path must be absolute`, long + "y": fmt.Sprintf("the path has %d bytes, at most %d are possible", sidecar.MaxSocketPath+1, sidecar.MaxSocketPath),
		path("a\nb"): "the path has a control character", path("a\x7f"): "the path has a control character", long: "",
		path("file"): "something that is no socket has this name", path("dangling"): "something that is no socket has this name",
		path("dir"): "is a directory", path("link"): "too many levels of symbolic links", path("file") + "/s": "is no directory", path("good"): "",
	} {
		s, err := ListenUnix(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err != nil {
			continue
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if err := errors.Join(s.Close(), s.Lock.Close()); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(path("file")); err != nil || len(text) != 0 {
		t.Errorf("the file is %q, %v", text, err)
	}
	for _, name := range []string{"file", "good"} { // the lock of a socket that was not bound is free again
		if lock, err := lockFile(path(name) + ".lock"); err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			_ = lock.Close()
		}
	}
}

// TestBuffersHaveTheirLength has buffers of any size: those up to 8 MiB have space for framing, and come from the pool again.
func TestBuffersHaveTheirLength(t *testing.T) {
	t.Parallel()
	p := NewBufferPool()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 70_000), rapid.IntRange(8<<20-200, 8<<20+200)).Draw(t, "n")
		b := p.Get(n)
		if len(*b) != n {
			t.Fatalf("%d bytes in place of %d", len(*b), n)
		}
		shift := shiftOf(n)
		if pooled := n <= 8<<20+Headroom; pooled != (shift <= maxPoolShift) {
			t.Fatalf("%d bytes are of tier %d", n, shift)
		}
		if shift > maxPoolShift {
			if cap(*b) != n {
				t.Fatalf("a buffer of %d bytes has %d", n, cap(*b))
			}
		} else if c := cap(*b); c != 1<<shift+Headroom || shift > minPoolShift && n <= 1<<(shift-1)+Headroom {
			t.Fatalf("a buffer of %d bytes has %d", n, c)
		}
		p.Put(b)
	})
	for _, b := range [][]byte{make([]byte, 300), make([]byte, 1<<25), make([]byte, 256+Headroom)[:10:20], nil} {
		p.Put(&b) // of no tier: it must not come back
	}
	for _, n := range []int{1, 300, 256 + Headroom} {
		if b := p.Get(n); cap(*b) != 1<<shiftOf(n)+Headroom {
			t.Errorf("a buffer of %d bytes has %d", n, cap(*b))
		}
	}
	var _ mem.BufferPool = p
}
