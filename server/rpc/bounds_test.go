package rpc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"pgregory.net/rapid"
)

// TestPrivateDirectoryIsOursAlone has directories that are made, accepted and rejected.
func TestPrivateDirectoryIsOursAlone(t *testing.T) {
	t.Parallel()
	root := socketDir(t)
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(root, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := filepath.Join(root, "file")
	link := filepath.Join(root, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(dir("target", 0o700), link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(root, "new", "deep"): "", dir("ours", 0o700): "", dir("strict", 0o500): "",
		dir("group", 0o710): "mode 0710 lets other users in", dir("others", 0o701): "mode 0701 lets other users in",
		file: "is no directory", link: "is no directory", filepath.Join(file, "below"): "not a directory", filepath.Join(file, "a", "b"): "not a directory",
	} {
		err := privateDir(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if info, err := os.Stat(path); want == "" && (err != nil || info.Mode().Perm()&0o077 != 0) {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if os.Geteuid() == 0 {
		other := dir("other", 0o700)
		if err := os.Chown(other, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if err := privateDir(other); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("a directory of another user: %v", err)
		}
	}
}

// TestSocketIsBoundOnlyWhereItMayBe has paths at the bounds, and files in the place of the socket or of its lock.
func TestSocketIsBoundOnlyWhereItMayBe(t *testing.T) {
	t.Parallel()
	root := socketDir(t)
	if err := os.Chmod(root, 0o700); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(root, name) }
	long := path(strings.Repeat("x", maxSocketPath-len(root)-1))
	if err := errors.Join(os.WriteFile(path("file"), nil, 0o600), os.Mkdir(path("dir.lock"), 0o700), os.Symlink(path("file"), path("link.lock")), os.Symlink(path("nowhere"), path("dangling"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"relative": `socket "relative": the path must be absolute`, long + "y": "the path has 108 bytes, at most 107 are possible",
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
