package privatedir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/internal/privatedir"
)

// TestOnlyOursIsPrivate has directories of many modes and owners, and what is none.
func TestOnlyOursIsPrivate(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(root, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file, link := filepath.Join(root, "file"), filepath.Join(root, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(dir("target", 0o700), link)); err != nil {
		t.Fatal(err)
	}
	type want struct{ made, checked string }
	cases := map[string]want{
		dir("ours", 0o700): {}, dir("strict", 0o500): {},
		dir("group", 0o710):   {"mode 0710 lets other users in", ""},
		dir("read", 0o755):    {"mode 0755 lets other users in", ""},
		dir("others", 0o702):  {"mode 0702 lets other users in", "mode 0702 lets other users write"},
		dir("members", 0o720): {"mode 0720 lets other users in", "mode 0720 lets other users write"},
		file:                  {"is no directory", "is no directory"}, link: {"is no directory", "is no directory"},
		filepath.Join(file, "below"): {"not a directory", "not a directory"},
	}
	if os.Geteuid() == 0 {
		other := dir("other", 0o700)
		if err := os.Chown(other, 12345, -1); err != nil {
			t.Fatal(err)
		}
		cases[other] = want{"belongs to another user", "belongs to another user"}
	}
	for path, want := range cases {
		for _, c := range []struct {
			err  error
			want string
		}{{privatedir.Check(path), want.checked}, {privatedir.Make(path), want.made}} {
			if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", path, c.err, c.want)
			}
		}
	}
}

// TestMadeDirectoryIsPrivate makes directories that were not there, with one above.
func TestMadeDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "deep")
	if err := privatedir.Check(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := errors.Join(privatedir.Make(path), privatedir.Make(path), privatedir.Check(path)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info, err)
	}
}
