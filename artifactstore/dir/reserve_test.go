package dir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// reserve reserves content and releases it when the test ends.
func reserve(t testing.TB, d *dir.Store, content string) artifactstore.Reservation {
	t.Helper()
	r, err := d.Reserve(context.Background(), []byte(content))
	must(t, err)
	t.Cleanup(r.Release)
	return r
}

// A reservation can be read when it is kept, and leaves nothing when it is not. Nothing is synced before Settle.
func TestReservations(t *testing.T) {
	d, f := faultyStore(t)
	f.reset(nil)
	kept, left := reserve(t, d, "kept"), reserve(t, d, "left")
	if has, err := d.Has(t.Context(), kept.Ref().Name); has || err != nil {
		t.Errorf("before it is kept: %v, %v", has, err)
	}
	must(t, kept.Keep())
	must(t, kept.Keep())
	wantText(t, d, kept.Ref().Name, "kept")
	left.Release()
	for _, step := range f.steps {
		if step == dir.StepSyncTemp || step == dir.StepSyncShard || step == dir.StepSyncStored {
			t.Errorf("step %q", step)
		}
	}
	must(t, d.Settle())
	if files, err := filepath.Glob(filepath.Join(d.Root(), "tmp", "*")); err != nil || len(files) > 0 {
		t.Errorf("%q are left, %v", files, err)
	}
	if again := reserve(t, d, "kept"); !again.Stored() || again.Ref() != kept.Ref() {
		t.Errorf("%+v is not stored", again.Ref())
	}
	if ref := put(t, d, "left"); ref != left.Ref() {
		t.Errorf("%+v, want %+v", ref, left.Ref())
	}
}

// collision returns two contents whose shortest names are the same.
func collision(t *testing.T, d *dir.Store) (a, b string) {
	t.Helper()
	seen := map[string]string{}
	for i := range 1 << 20 {
		text := fmt.Sprint(i)
		name := d.RefFor([]byte(text)).Name
		if other, ok := seen[name]; ok {
			return other, text
		}
		seen[name] = text
	}
	t.Fatal("there is none")
	return "", ""
}

// Contents whose names begin alike, reserved and put in any order, get names of their own.
func TestReservedNamesAreNotGiven(t *testing.T) {
	t.Parallel()
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	a, b := collision(t, d)
	first := reserve(t, d, a)
	ref := put(t, d, b)
	must(t, first.Keep())
	if ref.Name == first.Ref().Name || len(ref.Name) <= len(first.Ref().Name) {
		t.Errorf("%s and %s", ref.Name, first.Ref().Name)
	}
	wantText(t, d, first.Ref().Name, a)
	wantText(t, d, ref.Name, b)
}

// The same content reserved by many at a time is one artifact.
func TestSameContentIsReservedTogether(t *testing.T) {
	t.Parallel()
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := range 30 {
				r, err := d.Reserve(context.Background(), fmt.Appendf(nil, "content %d", i))
				if err == nil {
					err = r.Keep()
				}
				if err != nil {
					t.Error(err)
					return
				}
				r.Release()
				wantText(t, d, r.Ref().Name, fmt.Sprint("content ", i))
			}
		})
	}
	all.Wait()
	n := 0
	must(t, d.Walk(t.Context(), func(artifactstore.StoredArtifact) error { n++; return nil }))
	if n != 30 {
		t.Errorf("%d artifacts", n)
	}
}

// Restore makes what is missing or torn again, and leaves alone what is whole.
func TestRestore(t *testing.T) {
	t.Parallel()
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	ref := put(t, d, "the content")
	for what, harm := range map[string]func() error{
		"whole":   func() error { return nil },
		"missing": func() error { return os.Remove(ref.Path) },
		"empty":   func() error { return errors.Join(os.Chmod(ref.Path, 0o600), os.WriteFile(ref.Path, nil, 0o600)) },
		"torn": func() error {
			return errors.Join(os.Chmod(ref.Path, 0o600), os.WriteFile(ref.Path, make([]byte, 11), 0o600))
		},
	} {
		must(t, harm())
		done, err := d.Restore(ref.Name, []byte("the content"), true)
		if err != nil || done != (what != "whole") {
			t.Errorf("%s: %v, %v", what, done, err)
		}
		wantText(t, d, ref.Name, "the content")
	}
	if done, err := d.Restore(ref.Name, []byte("another content"), true); done || err != nil {
		t.Errorf("another content: %v, %v", done, err)
	}
	wantText(t, d, ref.Name, "the content")
}

// A reservation that fails, whatever the step, leaves nothing and can be made again.
func TestFailedReservation(t *testing.T) {
	for _, step := range []string{dir.StepCreateTemp, "protect temporary file", dir.StepWriteTemp, "make temporary file read-only", "create shard directory"} {
		d, f := faultyStore(t)
		f.reset(on(syscall.ENOSPC, step))
		if _, err := d.Reserve(t.Context(), []byte("x")); !errors.Is(err, artifactstore.ErrFull) {
			t.Errorf("%s: %v", step, err)
		}
		f.reset(nil)
		r := reserve(t, d, "x")
		must(t, r.Keep())
		wantText(t, d, r.Ref().Name, "x")
		if files, err := filepath.Glob(filepath.Join(d.Root(), "tmp", "*")); err != nil || len(files) > 0 {
			t.Errorf("%s: %q are left, %v", step, files, err)
		}
	}
	d, f := faultyStore(t)
	r := reserve(t, d, "x")
	f.reset(on(syscall.EIO, dir.StepLink))
	if err := r.Keep(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	r.Release()
	f.reset(on(syscall.EIO, "sync file system"))
	if err := d.Settle(); !errors.Is(err, syscall.EIO) || !slices.Contains(f.steps, "sync file system") {
		t.Errorf("%v by %q", err, f.steps)
	}
}
