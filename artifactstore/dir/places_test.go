package dir_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestPathsOfAMovedStoreResolve moves a store about: the paths that its artifacts and logs had in each of its
// places lead to them, and those of places where it never was do not.
func TestPathsOfAMovedStoreResolve(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	places := []string{"first", "second", "first", "deep/er/third"}
	paths := map[string]string{} // of artifacts and logs, and what they have
	for i, place := range places {
		root := filepath.Join(base, place)
		if i > 0 {
			must(t, os.MkdirAll(filepath.Dir(root), 0o700))
			must(t, os.Rename(filepath.Join(base, places[i-1]), root))
		}
		d, err := dir.Open(root, dir.Options{})
		must(t, err)
		text := strings.Repeat("in ", i+1) + place
		paths[put(t, d, text).Path] = text
		log, err := d.OpenLog(context.Background(), artifactstore.LogName(text))
		must(t, err)
		must(t, log.Append([]byte("log "+text)))
		if i%2 == 0 {
			_, err := log.Finish(context.Background())
			must(t, err)
		}
		paths[log.Path()] = "log " + text
		closeStore(t, d)
	}
	last := filepath.Join(base, places[len(places)-1])
	restored := filepath.Join(base, "restored")
	must(t, os.Rename(last, restored))
	d := openStore(t, restored, dir.Options{})
	for path, want := range paths {
		if got := textAt(t, d, path); got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
		_, err := d.Resolve(strings.Replace(path, base, base+"/elsewhere", 1))
		wantError(t, "a place where it never was", err, artifactstore.ErrOutsideStore)
		_, err = d.Resolve(strings.Replace(path, base+"/", base+"/x", 1))
		wantError(t, "a place that has the name of one at its end", err, artifactstore.ErrOutsideStore)
	}
}

// textAt returns what a path leads to.
func textAt(t *testing.T, d *dir.Store, path string) string {
	t.Helper()
	name, err := d.Resolve(path)
	must(t, err)
	p, err := d.Pages(context.Background(), name)
	must(t, err)
	defer p.Close() // read-only
	b, err := p.Read(nil, 0, p.Size())
	must(t, err)
	return string(b)
}

// TestPlacesThatAreDamagedAreForeign alters the file of places: the store opens, and its own paths resolve.
func TestPlacesThatAreDamagedAreForeign(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "noise": "\x00\xff\n\n../up\n/\n/a/../b\n", "long": strings.Repeat("/x", 300_000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "store")
			d, err := dir.Open(root, dir.Options{})
			must(t, err)
			ref := put(t, d, "text")
			closeStore(t, d)
			must(t, os.WriteFile(filepath.Join(root, "PLACES"), []byte(text), 0o600))
			for range 2 {
				d, err = dir.Open(root, dir.Options{})
				must(t, err)
				if got := textAt(t, d, ref.Path); got != "text" {
					t.Errorf("%q", got)
				}
				for _, path := range []string{"/etc/passwd", "/b/" + ref.Name, "../up/x", "/"} {
					_, err := d.Resolve(path)
					wantError(t, path, err, artifactstore.ErrOutsideStore)
				}
				closeStore(t, d)
			}
		})
	}
}
