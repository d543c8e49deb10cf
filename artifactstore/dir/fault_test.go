package dir_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// faults fails chosen steps and remembers all of them.
type faults struct {
	steps []string
	fail  func(n int, step string) error // of the n-th step since reset; nil means none
}

func (f *faults) hook(step string) error {
	f.steps = append(f.steps, step)
	if f.fail == nil {
		return nil
	}
	return f.fail(len(f.steps)-1, step)
}

// reset forgets the steps and sets what is to fail from now on.
func (f *faults) reset(fail func(n int, step string) error) {
	f.steps, f.fail = nil, fail
}

// at fails the n-th step.
func at(n int, err error) func(int, string) error {
	return func(i int, _ string) error {
		if i == n {
			return err
		}
		return nil
	}
}

// on fails every step with one of the names.
func on(err error, names ...string) func(int, string) error {
	return func(_ int, step string) error {
		if slices.Contains(names, step) {
			return err
		}
		return nil
	}
}

// faultyStore opens a new store, in which nothing fails yet.
func faultyStore(t *testing.T) (*dir.Store, *faults) {
	t.Helper()
	f := &faults{}
	d, err := dir.OpenFaulty(filepath.Join(t.TempDir(), "store"), dir.Options{}, f.hook)
	must(t, err)
	t.Cleanup(func() {
		f.reset(nil)
		closeStore(t, d)
	})
	return d, f
}

// waysToPut are the three ways in which a payload gets into a store.
var waysToPut = map[string]func(*testing.T, *dir.Store) artifactstore.Blob{
	"bytes": func(*testing.T, *dir.Store) artifactstore.Blob {
		return artifactstore.BytesBlob([]byte("new"))
	},
	"stream": func(*testing.T, *dir.Store) artifactstore.Blob {
		return source(strings.Repeat("new", largeSize/3))
	},
	"sealed": func(t *testing.T, d *dir.Store) artifactstore.Blob {
		b, err := seal(d, []byte("new"))
		must(t, err)
		return b
	},
}

// TestEveryStepOfPutFails fails every single step of every way to put, once.
func TestEveryStepOfPutFails(t *testing.T) {
	for way, blob := range waysToPut {
		t.Run(way, func(t *testing.T) {
			d, f := faultyStore(t)
			b := blob(t, d)
			f.reset(nil)
			_, err := d.Put(context.Background(), b)
			must(t, err)
			count := len(f.steps)
			if count < 6 {
				t.Fatalf("steps %q: the hooks do not work", f.steps)
			}
			for n := range count {
				putWithFailure(t, blob, n)
			}
		})
	}
}

// putWithFailure puts a blob into a new store while the n-th step fails for want of space.
func putWithFailure(t *testing.T, blob func(*testing.T, *dir.Store) artifactstore.Blob, n int) {
	t.Helper()
	d, f := faultyStore(t)
	before := put(t, d, "before")
	b := blob(t, d)
	f.reset(at(n, syscall.ENOSPC))
	ref, err := d.Put(context.Background(), b)
	if n >= len(f.steps) {
		t.Fatalf("step %d never came, steps were %q", n, f.steps)
	}
	failed := f.steps[n]
	if failed == dir.StepRemoveTemp {
		must(t, err) // the artifact is safe by then
		return
	}
	wantError(t, failed, err, artifactstore.ErrFull)
	wantError(t, failed, err, syscall.ENOSPC)
	if strings.Contains(err.Error(), "put-") || !strings.Contains(err.Error(), failed) {
		t.Errorf("error text %q does not name the step, or names a random file", err)
	}
	if ref != (artifactstore.Ref{}) {
		t.Errorf("%s failed and Put returned %+v", failed, ref)
	}
	if names := artifactNames(t, d.Root()); !slices.Equal(names, []string{before.Name}) {
		t.Errorf("%s failed and left %q visible", failed, names)
	}
	if failed == dir.StepSyncTemp && slices.Contains(f.steps[n+1:], dir.StepSyncTemp) {
		t.Errorf("synced again after a failed sync: %q", f.steps)
	}
	wantText(t, d, before.Name, "before")

	f.reset(nil)
	after, err := d.Put(context.Background(), blob(t, d))
	if err != nil || len(after.Name) != len(before.Name) {
		t.Errorf("next put after %s failed: %+v, %v", failed, after, err)
	}
	must(t, d.Close())
	if left := tempFiles(t, d.Root()); len(left) > 0 {
		t.Errorf("%s failed and left %q", failed, left)
	}
}

// TestFailedPutFreesItsSpace: the space of a failed put is free before the next one.
func TestFailedPutFreesItsSpace(t *testing.T) {
	for _, step := range []string{
		dir.StepWriteTemp, dir.StepSyncTemp, dir.StepLink, dir.StepSyncShard,
	} {
		for _, b := range []artifactstore.Blob{artifactstore.BytesBlob([]byte("x")), source("x")} {
			d, f := faultyStore(t)
			f.reset(on(syscall.EIO, step))
			_, err := d.Put(context.Background(), b)
			wantError(t, step, err, syscall.EIO)
			if left := tempFiles(t, d.Root()); len(left) > 0 {
				t.Errorf("%s failed and left %q", step, left)
			}
		}
	}
}

func TestErrnosHaveSentinels(t *testing.T) {
	cases := []struct {
		errno syscall.Errno
		want  error
	}{
		{syscall.ENOSPC, artifactstore.ErrFull},
		{syscall.EDQUOT, artifactstore.ErrFull},
		{syscall.EROFS, artifactstore.ErrReadOnly},
		{syscall.EFBIG, artifactstore.ErrTooLarge},
		{syscall.EMFILE, artifactstore.ErrTooManyFiles},
		{syscall.ENFILE, artifactstore.ErrTooManyFiles},
		{syscall.EIO, syscall.EIO},
	}
	d, f := faultyStore(t)
	for _, c := range cases {
		f.reset(on(c.errno, dir.StepWriteTemp))
		_, err := d.Put(context.Background(), artifactstore.BytesBlob([]byte("x")))
		wantError(t, c.errno.Error(), err, c.want)
		wantError(t, c.errno.Error(), err, c.errno)
	}
}

// TestInterruptedStepIsRepeated: a signal is no failure.
func TestInterruptedStepIsRepeated(t *testing.T) {
	d, f := faultyStore(t)
	interrupted := 0
	f.reset(func(_ int, step string) error {
		if step == dir.StepLink && interrupted < 2 {
			interrupted++
			return syscall.EINTR
		}
		return nil
	})
	wantText(t, d, put(t, d, "x").Name, "x")
	if interrupted != 2 {
		t.Errorf("interrupted %d times: the hooks do not work", interrupted)
	}
}

// TestFailedSyncIsFinalForASealedBlob: the same file is never synced a second time.
func TestFailedSyncIsFinalForASealedBlob(t *testing.T) {
	d, f := faultyStore(t)
	b, err := seal(d, []byte("x"))
	must(t, err)
	f.reset(on(syscall.EIO, dir.StepSyncTemp))
	_, err = d.Put(context.Background(), b)
	wantError(t, "first put", err, syscall.EIO)
	f.reset(nil)
	_, err = d.Put(context.Background(), b)
	wantError(t, "put of a blob whose sync failed", err, syscall.EIO)
	if len(f.steps) > 0 {
		t.Errorf("steps %q were taken with a file that must not be trusted", f.steps)
	}
	if left := tempFiles(t, d.Root()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestSealedBlobSurvivesAFailedLink: what failed before the file was linked can be tried again.
func TestSealedBlobSurvivesAFailedLink(t *testing.T) {
	d, f := faultyStore(t)
	b, err := seal(d, []byte("x"))
	must(t, err)
	f.reset(on(syscall.ENOSPC, dir.StepLink))
	_, err = d.Put(context.Background(), b)
	wantError(t, "put", err, artifactstore.ErrFull)
	f.reset(nil)
	ref, err := d.Put(context.Background(), b)
	must(t, err)
	if slices.Contains(f.steps, dir.StepWriteTemp) || slices.Contains(f.steps, dir.StepSyncTemp) {
		t.Errorf("steps %q: written or synced twice", f.steps)
	}
	wantText(t, d, ref.Name, "x")
}

// TestUnsyncedNameIsNotReused: a name that could be neither synced nor withdrawn is never vouched for.
func TestUnsyncedNameIsNotReused(t *testing.T) {
	d, f := faultyStore(t)
	f.reset(on(syscall.EIO, dir.StepSyncShard, dir.StepWithdraw))
	_, err := d.Put(context.Background(), artifactstore.BytesBlob([]byte("x")))
	wantError(t, "put", err, syscall.EIO)
	f.reset(nil)
	if ref := put(t, d, "x"); len(ref.Name) != 12 {
		t.Errorf("put again: %+v, want a longer name", ref)
	}
}

// TestStoredArtifactIsSyncedBeforeItIsReused: it may have been put without a sync, by whoever had the store
// before. Once it was synced, it is not again.
func TestStoredArtifactIsSyncedBeforeItIsReused(t *testing.T) {
	d, f := faultyStore(t)
	first := put(t, d, "x")
	f.reset(nil)
	if again := put(t, d, "x"); again != first {
		t.Errorf("put again: %+v, want %+v", again, first)
	}
	if want := []string{dir.StepSyncStored, dir.StepSyncShard}; !slices.Equal(f.steps, want) {
		t.Errorf("steps %q, want %q and nothing written", f.steps, want)
	}
	f.reset(nil)
	if again := put(t, d, "x"); again != first || len(f.steps) > 0 {
		t.Errorf("put once more: %+v by steps %q", again, f.steps)
	}
	wantText(t, d, first.Name, "x")
	second := put(t, d, "y")
	f.reset(on(syscall.EIO, dir.StepSyncStored))
	_, err := d.Put(context.Background(), artifactstore.BytesBlob([]byte("y")))
	wantError(t, "put", err, syscall.EIO)
	f.reset(nil)
	if ref := put(t, d, "y"); len(ref.Name) != 12 || slices.Contains(f.steps, dir.StepSyncStored) {
		t.Errorf("after a failed sync: %+v by steps %q, want a new file and no second sync of the old", ref, f.steps)
	}
	wantText(t, d, second.Name, "y")
}

// TestUnsyncedShardIsSyncedLater: a shard whose creation was not synced is not taken for durable.
func TestUnsyncedShardIsSyncedLater(t *testing.T) {
	d, f := faultyStore(t)
	f.reset(on(syscall.EIO, dir.StepSyncRoot))
	_, err := d.Put(context.Background(), artifactstore.BytesBlob([]byte("x")))
	wantError(t, "put", err, syscall.EIO)
	f.reset(nil)
	put(t, d, "x")
	if !slices.Contains(f.steps, dir.StepSyncRoot) {
		t.Errorf("steps %q do not sync the root", f.steps)
	}
}

// TestVolatileNeverSyncs: what Volatile means for Put.
func TestVolatileNeverSyncs(t *testing.T) {
	f := &faults{}
	d, err := dir.OpenFaulty(t.TempDir()+"/store", dir.Options{Volatile: true}, f.hook)
	must(t, err)
	defer closeStore(t, d)
	if d.Durable() {
		t.Error("a volatile store says that it is durable")
	}
	f.reset(nil)
	for _, b := range blobsToPut(d) {
		_, err := d.Put(context.Background(), b)
		must(t, err)
	}
	for _, step := range f.steps {
		if strings.HasPrefix(step, "sync") {
			t.Errorf("step %q in a volatile store", step)
		}
	}
}

// TestFailedStageWriteEndsIt: the space is free at once and the first error stays.
func TestFailedStageWriteEndsIt(t *testing.T) {
	d, f := faultyStore(t)
	st, err := d.Stage(context.Background())
	must(t, err)
	f.reset(on(syscall.ENOSPC, dir.StepWriteTemp))
	n, err := st.Write([]byte("x"))
	wantError(t, "Write", err, artifactstore.ErrFull)
	if left := tempFiles(t, d.Root()); n != 0 || len(left) > 0 {
		t.Errorf("Write = %d and left %q", n, left)
	}
	f.reset(nil)
	_, err = st.Write([]byte("x"))
	wantError(t, "second Write", err, artifactstore.ErrFull)
	_, err = st.Seal()
	wantError(t, "Seal", err, artifactstore.ErrFull)
	must(t, st.Discard())
}

// TestEveryStepOfOpenFails: whichever step fails, nothing stays open or locked, and the next start works.
func TestEveryStepOfOpenFails(t *testing.T) {
	f := &faults{}
	for n := 0; ; n++ {
		root := filepath.Join(t.TempDir(), "a", "store")
		f.reset(at(n, syscall.EIO))
		d, err := dir.OpenFaulty(root, dir.Options{}, f.hook)
		if n >= len(f.steps) {
			must(t, err)
			closeStore(t, d)
			if n < 10 {
				t.Errorf("only the steps %q: the hooks do not work", f.steps)
			}
			return
		}
		switch f.steps[n] {
		case dir.StepWriteHint, dir.StepRemoveTemp: // of no consequence
			must(t, err)
			closeStore(t, d)
		default:
			if !errors.Is(err, syscall.EIO) || d != nil {
				t.Fatalf("%s failed and OpenDir returned %v, %v", f.steps[n], d, err)
			}
		}
		again := openStore(t, root, dir.Options{})
		wantText(t, again, put(t, again, "x").Name, "x")
		if left := tempFiles(t, root); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}
