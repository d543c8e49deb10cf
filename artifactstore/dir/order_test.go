package dir_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestDurabilityOrder pins the order of the steps, on which every promise about power cuts rests: nothing
// durable ever names something less durable.
func TestDurabilityOrder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	f := &faults{}
	open := func() *dir.Store {
		f.reset(nil)
		d, err := dir.OpenFaulty(root, dir.Options{}, f.hook)
		must(t, err)
		return d
	}
	wantSteps := func(what string, want ...string) {
		t.Helper()
		parents := 0
		got := slices.DeleteFunc(slices.Clone(f.steps), func(s string) bool {
			if s != "sync parent directories" {
				return false
			}
			parents++ // as many as the path has, but all of them in one place
			return parents > 1
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s takes the steps\n%q, want\n%q", what, got, want)
		}
	}

	d := open()
	wantSteps("the first start",
		"create store directory", "open lock file", "take lock", "write lock file", "create temporary directory",
		"sync parent directories",
		"create temporary file", "protect temporary file", "write temporary file", "make temporary file read-only",
		"sync temporary file", "link format file", "sync store directory", "remove temporary file")

	f.reset(nil)
	ref := put(t, d, "x")
	wantSteps("a put into a new shard",
		"create shard directory", "sync store directory",
		"create temporary file", "protect temporary file", "write temporary file", "make temporary file read-only",
		"sync temporary file", "link artifact", "sync shard directory", "remove temporary file")

	f.reset(nil)
	_, err := d.Put(context.Background(), source("x"))
	must(t, err)
	wantSteps("the same content as a stream",
		"create temporary file", "protect temporary file", "write temporary file",
		"sync stored artifact", "sync shard directory", "remove temporary file")
	wantText(t, d, ref.Name, "x")
	closeStore(t, d)

	d = open()
	wantSteps("a later start", "open lock file", "take lock", "write lock file", "sync store directory")
	closeStore(t, d)
}
