package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
)

// openFiles returns the number of descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	mustDo(t, err)
	return len(entries)
}

// TestFailedReadsKeepNoFiles: an artifact that is damaged costs no descriptor, whichever way it is read. Not parallel,
// because it counts those of the process.
func TestFailedReadsKeepNoFiles(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "store"), Options{Volatile: true})
	mustDo(t, err)
	defer d.Close()
	ref, err := d.Put(t.Context(), artifactstore.BytesBlob([]byte(brokenText)))
	mustDo(t, err)
	mustDo(t, errors.Join(os.Chmod(ref.Path, 0o600), os.WriteFile(ref.Path, []byte("DAMAGED"), 0o600)))
	before := openFiles(t)
	const times = 100
	for range times {
		if _, err := d.Open(t.Context(), ref.Name); !errors.Is(err, artifactstore.ErrDamaged) {
			t.Fatal(err)
		}
		if _, err := d.Pages(t.Context(), ref.Name); !errors.Is(err, artifactstore.ErrDamaged) {
			t.Fatal(err)
		}
	}
	if after := openFiles(t); after > before+times/2 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// TestObstaclesFailTheirStep puts something in the way of a step: the step says so, and nothing behind it is done.
func TestObstaclesFailTheirStep(t *testing.T) {
	t.Parallel()
	base, err := os.OpenRoot(t.TempDir())
	mustDo(t, err)
	mustDo(t, errors.Join(makePrivateDir(base, "x"), makePrivateDir(base, "x"), base.Close()))
	if err := makePrivateDir(base, "y"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a directory in a closed one: %v", err)
	}

	d, err := Open(filepath.Join(t.TempDir(), "store"), Options{Volatile: true})
	mustDo(t, err)
	defer d.Close()
	l, err := d.OpenLog(t.Context(), brokenLog)
	mustDo(t, errors.Join(err, l.Append([]byte(brokenText))))
	pointer := filepath.Join(d.path, artifactstore.LiveName(brokenLog)+pointerSuffix)
	mustDo(t, os.MkdirAll(filepath.Join(pointer, "in the way"), 0o700))
	if _, err := l.Finish(t.Context()); err == nil || !strings.Contains(err.Error(), string(stepPointLog)) {
		t.Errorf("finish: %v", err)
	}
	mustDo(t, errors.Join(l.Close(), os.RemoveAll(pointer)))
	again, err := d.OpenLog(t.Context(), brokenLog) // it completes the finish
	mustDo(t, err)
	ref, err := again.Finish(t.Context())
	if err != nil || ref != d.RefFor([]byte(brokenText)) {
		t.Errorf("finished later: %+v, %v", ref, err)
	}
}
