package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// logOfTest is the name of a log.
var logOfTest = artifactstore.LogName("session", "call", "name")

// vanishing are ways in which a store is taken away under an open one. undo takes them back.
var vanishing = map[string]struct{ harm, undo func(root string) error }{
	"LOCK deleted": {func(root string) error { return os.Remove(root + "/LOCK") }, nil},
	"LOCK moved": {
		func(root string) error { return os.Rename(root+"/LOCK", root+"/LOCK-2") },
		func(root string) error { return os.Rename(root+"/LOCK-2", root+"/LOCK") },
	},
	"LOCK replaced": {func(root string) error {
		return errors.Join(os.WriteFile(root+"/LOCK-2", nil, 0o600), os.Rename(root+"/LOCK-2", root+"/LOCK"))
	}, nil},
	"LOCK a link": {func(root string) error {
		return errors.Join(os.Rename(root+"/LOCK", root+"/LOCK-2"), os.Symlink("LOCK-2", root+"/LOCK"))
	}, nil},
	"root moved": {
		func(root string) error { return os.Rename(root, root+"-2") },
		func(root string) error { return os.Rename(root+"-2", root) },
	},
	"root deleted": {os.RemoveAll, nil},
	"root a link": {func(root string) error {
		return errors.Join(os.Rename(root, root+"-2"), os.Symlink(root+"-2", root))
	}, nil},
	"root a file": {func(root string) error {
		return errors.Join(os.RemoveAll(root), os.WriteFile(root, nil, 0o600))
	}, nil},
	"root a copy": {func(root string) error {
		return errors.Join(os.Rename(root, root+"-2"), os.CopyFS(root, os.DirFS(root+"-2")))
	}, nil},
}

// TestVanishedStoreAcknowledgesNothing takes a store away under an open one: nothing more is acknowledged, also when it is
// back, and the next start takes new puts.
func TestVanishedStoreAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range vanishing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "store")
			d, err := dir.Open(root, dir.Options{Volatile: true})
			must(t, err)
			log, err := d.OpenLog(t.Context(), logOfTest)
			must(t, err)
			must(t, log.Append([]byte("x")))
			put(t, d, "before")
			must(t, d.Check())
			must(t, c.harm(root))
			rejected := func(when string) {
				t.Helper()
				if _, err := d.Put(t.Context(), artifactstore.BytesBlob([]byte("after "+when))); !errors.Is(err, artifactstore.ErrVanished) {
					t.Errorf("put, %s: %v", when, err)
				}
				if err := d.Check(); !errors.Is(err, artifactstore.ErrVanished) {
					t.Errorf("%s: %v", when, err)
				}
			}
			rejected("while it is away")
			if c.undo != nil {
				must(t, c.undo(root))
				rejected("when it is back")
			}
			if err := d.Close(); err != nil && c.undo != nil {
				t.Error(err)
			}
		})
	}
}

// TestVanishedLogIsNotDurable takes a store or a log away under a log that is open: no byte more is reported as durable.
func TestVanishedLogIsNotDurable(t *testing.T) {
	t.Parallel()
	harms := map[string]func(root string) error{
		"log deleted":   func(root string) error { return os.Remove(filepath.Join(root, artifactstore.LiveName(logOfTest))) },
		"log shortened": func(root string) error { return os.Truncate(filepath.Join(root, artifactstore.LiveName(logOfTest)), 2) },
		"marks deleted": func(root string) error {
			return os.Remove(filepath.Join(root, artifactstore.LiveName(logOfTest)+".marks"))
		},
	}
	for name, c := range vanishing {
		harms[name] = c.harm
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "store")
			d, err := dir.Open(root, dir.Options{})
			must(t, err)
			log, err := d.OpenLog(t.Context(), logOfTest)
			must(t, err)
			must(t, log.Append([]byte("one")))
			durable, err := log.Sync()
			must(t, err)
			must(t, log.Append([]byte("two")))
			must(t, harm(root))
			after, err := log.Sync()
			if !errors.Is(err, artifactstore.ErrVanished) || after != durable {
				t.Errorf("%d are durable, %v", after, err)
			}
			if name != "marks deleted" { // which only a sync needs
				if err := log.Append([]byte("three")); err != nil && !errors.Is(err, artifactstore.ErrVanished) || err == nil && name == "log shortened" {
					t.Errorf("the next append: %v", err)
				}
			}
			if _, err := log.Finish(t.Context()); !errors.Is(err, artifactstore.ErrVanished) {
				t.Errorf("finish: %v", err)
			}
			_ = d.Close() // there may be nothing left
		})
	}
}

// BenchmarkCheck measures what each acknowledgement costs. It is to be compared with a put.
func BenchmarkCheck(b *testing.B) {
	d, err := dir.Open(filepath.Join(b.TempDir(), "store"), dir.Options{Volatile: true})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for b.Loop() {
		if err := d.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
