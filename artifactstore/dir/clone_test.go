package dir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestBecome has a clone that comes with a name, as on macOS, in the place of a temporary file: copies stand for clones.
func TestBecome(t *testing.T) {
	t.Parallel()
	failed := errors.New("no clone")
	write := func(mode os.FileMode) func(*os.File, string) error {
		return func(folder *os.File, name string) error {
			path := filepath.Join(folder.Name(), name)
			return errors.Join(os.WriteFile(path, []byte("cloned"), 0o600), os.Chmod(path, mode))
		}
	}
	for name, tt := range map[string]struct {
		clone func(*os.File, string) error
		want  string
		err   error
	}{
		"a file":               {write(0o600), "cloned", nil},
		"others may read":      {write(0o777), "cloned", nil},
		"nobody may write":     {write(0o400), "cloned", nil},
		"nobody may read":      {write(0), "cloned", nil},
		"cannot be cloned":     {func(*os.File, string) error { return failed }, "", failed},
		"a link":               {func(f *os.File, name string) error { return os.Symlink("/etc/passwd", filepath.Join(f.Name(), name)) }, "", errNotPlain},
		"a directory":          {func(f *os.File, name string) error { return os.Mkdir(filepath.Join(f.Name(), name), 0o700) }, "", errNotPlain},
		"succeeds, makes none": {func(*os.File, string) error { return nil }, "", os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "s")
			d, err := Open(root, Options{Volatile: true})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			temp, err := d.newTemp()
			if err != nil {
				t.Fatal(err)
			}
			before := temp.name
			if err := temp.become(tt.clone); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			entries, err := os.ReadDir(filepath.Join(root, tempDirName))
			if err != nil || len(entries) != 1 || entries[0].Name() != before || temp.name != before {
				t.Errorf("in tmp: %v, %v; want %s alone", entries, err, before)
			}
			info, err := os.Lstat(filepath.Join(root, tempDirName, before))
			opened, failed := temp.file.Stat()
			if err := errors.Join(err, failed); err != nil || info.Mode() != tempMode || !os.SameFile(info, opened) {
				t.Errorf("%v, %v", info, err)
			}
			if _, err := temp.file.Seek(0, io.SeekEnd); err != nil {
				t.Error(err)
			}
			if err := temp.write([]byte(" more")); err != nil { // it can be written in both cases
				t.Error(err)
			}
			got, err := os.ReadFile(filepath.Join(root, tempDirName, before))
			if err != nil || string(got) != tt.want+" more" {
				t.Errorf("%q, %v", got, err)
			}
			if err := temp.release(); err != nil {
				t.Error(err)
			}
		})
	}
}
