package dir_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

const (
	firstFormat   = "toolresult-artifacts 1\nblake3\n"
	currentFormat = "toolresult-artifacts 3\nblake3\n"
)

// storeOfVersion1 writes what version 1 of this package wrote: a store with one artifact.
func storeOfVersion1(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "store")
	for _, dir := range []string{root, root + "/tmp", root + "/b08"} {
		must(t, makeDir(dir, 0o700))
	}
	for path, content := range map[string]string{
		"/FORMAT": firstFormat, "/LOCK": `{"pid":1}`, "/b08/f55908": "small",
	} {
		mode := os.FileMode(0o400)
		if path == "/LOCK" {
			mode = 0o600
		}
		must(t, os.WriteFile(root+path, []byte(content), mode))
	}
	return root
}

func formatOf(t *testing.T, root string) string {
	t.Helper()
	b, err := os.ReadFile(root + "/FORMAT")
	must(t, err)
	return string(b)
}

// TestUpgradeKeepsArtifacts: a store of version 1 keeps what it has, and becomes one of this version.
func TestUpgradeKeepsArtifacts(t *testing.T) {
	root := storeOfVersion1(t)
	for range 2 {
		d := openStore(t, root, dir.Options{})
		checkUpgraded(t, d)
		if left := tempFiles(t, root); len(left) > 0 {
			t.Errorf("left %q", left)
		}
		closeStore(t, d)
	}
}

func checkUpgraded(t *testing.T, d *dir.Store) {
	t.Helper()
	if got := formatOf(t, d.Root()); got != currentFormat {
		t.Errorf("FORMAT is %q", got)
	}
	info, err := os.Lstat(d.Root() + "/FORMAT")
	must(t, err)
	if info.Mode() != 0o400 {
		t.Errorf("FORMAT has mode %v", info.Mode())
	}
	if ref := put(t, d, "small"); ref.Path != d.Root()+"/b08/f55908" {
		t.Errorf("what version 1 put is put again as %s", ref.Path)
	}
	ref := put(t, d, strings.Repeat("x", 100<<10))
	if _, _, err := d.Compress(t.Context(), ref.Name); err != nil || !exists(t, ref.Path+".zst") {
		t.Errorf("nothing can be compressed: %v", err)
	}
}

// TestKilledBeforeEveryStepOfUpgrade: FORMAT is of one version or the other, whole, and either can go on.
func TestKilledBeforeEveryStepOfUpgrade(t *testing.T) {
	seen := map[string]int{}
	for kill := range 15 {
		root := storeOfVersion1(t)
		if err := helper(t, "die", root, killVar+"="+strconv.Itoa(kill)).Run(); err == nil {
			t.Fatalf("was not killed before step %d", kill)
		}
		seen[formatOf(t, root)]++
		d := openStore(t, root, dir.Options{})
		checkUpgraded(t, d)
		closeStore(t, d)
		if left := tempFiles(t, root); len(left) > 0 {
			t.Errorf("killed before step %d: left %q", kill, left)
		}
	}
	if len(seen) != 2 || seen[firstFormat] < 5 || seen[currentFormat] < 2 {
		t.Errorf("FORMAT after the kills: %v", seen)
	}
}

// TestFailedUpgradeChangesNothing: nothing stays locked and nothing changed, and the next start tries again.
func TestFailedUpgradeChangesNothing(t *testing.T) {
	f := &faults{}
	for n := 0; ; n++ {
		root := storeOfVersion1(t)
		f.reset(at(n, syscall.EIO))
		d, err := dir.OpenFaulty(root, dir.Options{}, f.hook)
		if n >= len(f.steps) {
			must(t, err)
			closeStore(t, d)
			return
		}
		if err == nil {
			if failed := f.steps[n]; failed != dir.StepWriteHint && failed != dir.StepRemoveTemp {
				t.Errorf("%s failed and the store opened", failed)
			}
			closeStore(t, d)
		}
		d = openStore(t, root, dir.Options{})
		checkUpgraded(t, d)
		closeStore(t, d)
	}
}

// TestUpgradeOnFullDiskIsReadable: the store can be read, as it is.
func TestUpgradeOnFullDiskIsReadable(t *testing.T) {
	root := storeOfVersion1(t)
	f := &faults{}
	f.reset(on(syscall.ENOSPC, dir.StepWriteTemp))
	d, err := dir.OpenFaulty(root, dir.Options{}, f.hook)
	must(t, err)
	f.reset(nil)
	ref := put(t, d, strings.Repeat("x", 100<<10))
	_, done, err := d.Compress(t.Context(), ref.Name)
	wantError(t, "Compress", err, artifactstore.ErrFull)
	if done || formatOf(t, root) != firstFormat {
		t.Errorf("compressed is %v in a store of %q", done, formatOf(t, root))
	}
	closeStore(t, d)
	d = openStore(t, root, dir.Options{})
	checkUpgraded(t, d)
}
