package dir_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestArtifactThatIsRemovedAndPutAgainIsNotDamaged reads an artifact while it is removed and put again, many times: a reader finds one or
// the other, or nothing.
func TestArtifactThatIsRemovedAndPutAgainIsNotDamaged(t *testing.T) {
	t.Parallel()
	const times = 1000
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	name := put(t, d, "the same").Name
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				if text, err := get(d, name); (err != nil || text != "the same") && !errors.Is(err, artifactstore.ErrUnknown) {
					t.Errorf("%q, %v", text, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range times {
		must(t, d.Remove(t.Context(), name))
		if again := put(t, d, "the same").Name; again != name {
			t.Errorf("it has the name %s, not %s", again, name)
		}
	}
	close(done)
	readers.Wait()
}
