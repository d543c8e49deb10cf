package dir_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// openFile makes a file in a directory, and opens it.
func openFile(t *testing.T, dir string, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(dir, "file")
	must(t, os.WriteFile(path, content, 0o600))
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// wantTaken takes a file and compares what is stored with it, by the digest too.
func wantTaken(t *testing.T, d *dir.Store, f *os.File, content []byte) (name string) {
	t.Helper()
	s, err := d.Stage(context.Background())
	must(t, err)
	defer func() { must(t, s.Discard()) }()
	seen := bytes.Buffer{}
	must(t, artifactstore.TakeFile(s, f, int64(len(content)), func(p []byte, _ int) { seen.Write(p) }))
	b, err := s.Seal()
	must(t, err)
	ref, err := d.Put(context.Background(), b)
	must(t, err)
	stored, err := get(d, ref.Name) // it verifies the digest
	must(t, err)
	if stored != string(content) || !bytes.Equal(seen.Bytes(), content) {
		t.Errorf("%d bytes are stored as %d and were seen as %d", len(content), len(stored), seen.Len())
	}
	return ref.Name
}

// Files of other file systems are taken, with and without the help of the system.
func TestTakeFileAcrossFileSystems(t *testing.T) {
	content := numberedLog()
	t.Run("tmpfs to disk", func(t *testing.T) {
		d := openStore(t, t.TempDir()+"/s", dir.Options{Volatile: true})
		wantTaken(t, d, openFile(t, mountTmpfs(t, "size=16m"), content), content)
	})
	t.Run("XFS, which shares blocks", func(t *testing.T) {
		at := mountXFS(t)
		d := openStore(t, at+"/s", dir.Options{Volatile: true})
		file := openFile(t, at, append(bytes.Clone(content), "more"...))
		before := used(t, at)
		name := wantTaken(t, d, file, content) // and the end of the clone is cut off
		if grown := used(t, at) - before; grown > int64(len(content))/2 {
			t.Errorf("%d bytes take %d: no blocks are shared", len(content), grown)
		}
		must(t, os.WriteFile(file.Name(), bytes.Repeat([]byte("x"), len(content)), 0o600))
		stored, err := get(d, name)
		must(t, err)
		if stored != string(content) {
			t.Error("the artifact changed with the file")
		}
	})
}

// What is stored is what its digest says, whatever becomes of the file meanwhile.
func TestTakeFileStoresWhatItHashed(t *testing.T) {
	d := openStore(t, t.TempDir()+"/s", dir.Options{Volatile: true})
	content := bytes.Repeat([]byte("0123456789\n"), 2<<20)
	f := openFile(t, t.TempDir(), content)
	w, err := os.OpenFile(f.Name(), os.O_WRONLY, 0)
	must(t, err)
	defer w.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := int64(0); ; i += 40_009 {
			select {
			case <-stop:
				return
			default:
				_, _ = w.WriteAt([]byte("changed"), i%int64(len(content)-7))
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	for range 3 {
		s, err := d.Stage(context.Background())
		must(t, err)
		seen := bytes.Buffer{}
		must(t, artifactstore.TakeFile(s, f, int64(len(content)), func(p []byte, _ int) { seen.Write(p) }))
		b, err := s.Seal()
		must(t, err)
		r, err := b.Open()
		must(t, err)
		staged, err := io.ReadAll(r)
		must(t, err)
		if !bytes.Equal(staged, seen.Bytes()) {
			t.Error("what was seen is not what is in the stage")
		}
		ref, err := d.Put(context.Background(), b)
		must(t, err)
		if _, err := get(d, ref.Name); err != nil { // it verifies the digest
			t.Error(err)
		}
		must(t, s.Discard())
	}
}

// A copy that is cancelled or fails ends its stage and leaves nothing.
func TestFailedTakeFileEndsStage(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789\n"), 1<<20)
	for _, way := range []struct {
		name string
		dir  func(*testing.T) string
	}{
		{"copied by the system", func(t *testing.T) string { return t.TempDir() }},
		{"read and written", func(t *testing.T) string { return mountTmpfs(t, "size=16m") }},
	} {
		t.Run(way.name, func(t *testing.T) {
			f := openFile(t, way.dir(t), content)
			for n := range 3 {
				d, faulty := faultyStore(t)
				s, err := d.Stage(context.Background())
				must(t, err)
				faulty.reset(at(n, syscall.ENOSPC))
				err = artifactstore.TakeFile(s, f, int64(len(content)), func([]byte, int) {})
				wantError(t, "TakeFile on a full disk", err, artifactstore.ErrFull)
				_, err = s.Seal()
				wantError(t, "Seal", err, artifactstore.ErrFull)
				if left := tempFiles(t, d.Root()); len(left) != 0 {
					t.Errorf("left %v", left)
				}
				must(t, s.Discard())
			}
			d, _ := faultyStore(t)
			ctx, cancel := context.WithCancel(context.Background())
			s, err := d.Stage(ctx)
			must(t, err)
			err = artifactstore.TakeFile(s, f, int64(len(content)), func([]byte, int) { cancel() })
			if err != nil { // all may have been copied when it was cancelled
				wantError(t, "TakeFile cancelled", err, context.Canceled)
			}
			must(t, s.Discard())
		})
	}
}
