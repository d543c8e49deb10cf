package catalog_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestCloseSettlesMany puts many small artifacts, or a few: after many the next start has nothing to verify, and after a few it verifies
// them.
func TestCloseSettlesMany(t *testing.T) {
	t.Parallel()
	for n, suspect := range map[int]bool{0: false, 5: true, 100: false} {
		root := t.TempDir()
		for _, start := range []string{"first", "second"} {
			store, err := dir.Open(filepath.Join(root, "store"), dir.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c := open(t, store, catalog.Options{Index: filepath.Join(root, "catalog.db")})
			if start == "first" {
				for i := range n {
					put(t, c, catalog.Owner{}, fmt.Sprint("content ", i))
				}
			} else if j, _ := journals.Load(c); j.(*journal.Journal).Suspect() != suspect {
				t.Errorf("after %d artifacts: suspect %v", n, !suspect)
			}
			for i := range n {
				if got := read(t, c, store.RefFor(fmt.Append(nil, "content ", i)).Name, catalog.Permit{}); got != fmt.Sprint("content ", i) {
					t.Errorf("%s start: %q", start, got)
				}
			}
			closeCatalog(t, c)
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
