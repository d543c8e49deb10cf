package dir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// numberedLog is a content with an index beside it.
func numberedLog() []byte {
	var b bytes.Buffer
	for i := 1; b.Len() < 3<<20; i++ {
		fmt.Fprintf(&b, "line %d of a log\n", i)
	}
	return b.Bytes()
}

func putLog(t *testing.T) (*dir.Store, artifactstore.Ref, []byte) {
	t.Helper()
	d, err := dir.Open(t.TempDir()+"/s", dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	content := numberedLog()
	ref, err := d.Put(context.Background(), artifactstore.BytesBlob(content))
	if err != nil {
		t.Fatal(err)
	}
	return d, ref, content
}

// line reads one line of an artifact.
func line(d *dir.Store, name string, n int64) (string, error) {
	p, err := d.Pages(context.Background(), name)
	if err != nil {
		return "", err
	}
	defer p.Close()
	from, err := p.LineStart(n)
	if err != nil {
		return "", err
	}
	to, err := p.LineStart(n + 1)
	if err != nil {
		return "", err
	}
	b, err := p.Read(nil, from, to)
	return string(b), err
}

// An index that is missing, damaged or of other content is made again, and never
// believed.
func TestIndexIsMadeAgain(t *testing.T) {
	d, ref, _ := putLog(t)
	path := ref.Path + ".index"
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(good)
	other[len("toolresult-index 1\n")]++ // the digest; the checksum does not match either
	for what, change := range map[string]func() error{
		"nothing":  func() error { return nil },
		"missing":  func() error { return os.Remove(path) },
		"cut":      func() error { return rewrite(path, good[:len(good)/2]) },
		"empty":    func() error { return rewrite(path, nil) },
		"flipped":  func() error { return rewrite(path, append(bytes.Clone(good[:len(good)-1]), ^good[len(good)-1])) },
		"of other": func() error { return rewrite(path, other) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := line(d, ref.Name, 50_000); err != nil || got != "line 50000 of a log\n" {
				t.Errorf("%s: %q, %v", what, got, err)
			}
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, good) {
			t.Errorf("%s: the index has %d bytes, %v, want %d", what, len(again), err, len(good))
		}
	}
}

func rewrite(path string, content []byte) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o400)
}

// Damage of a block is found when the block is read, and keeps nobody from the
// others.
func TestDamagedBlockKeepsOthersReadable(t *testing.T) {
	d, ref, content := putLog(t)
	if err := os.Chmod(ref.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(ref.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := int64(len(content) / 2)
	if _, err := f.WriteAt([]byte{content[at] ^ 1}, at); err != nil {
		t.Fatal(err)
	}
	if got, err := line(d, ref.Name, 7); err != nil || got != "line 7 of a log\n" {
		t.Errorf("%q, %v", got, err)
	}
	p, err := d.Pages(context.Background(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Read(nil, at-10, at+10); !errors.Is(err, artifactstore.ErrDamaged) {
		t.Errorf("the damaged block: %v", err)
	}
	if got, err := p.Read(nil, p.Size()-5, p.Size()); err != nil || string(got) != string(content[len(content)-5:]) {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Truncate(at); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pages(context.Background(), ref.Name); !errors.Is(err, artifactstore.ErrDamaged) {
		t.Errorf("cut short: %v", err)
	}
}

// BenchmarkLine reads one line of a large artifact, as a ratio to reading all of
// it.
func BenchmarkLine(b *testing.B) {
	d, err := dir.Open(b.TempDir()+"/s", dir.Options{Volatile: true})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	content := bytes.Repeat(numberedLog(), 64)
	ref, err := d.Put(context.Background(), artifactstore.BytesBlob(content))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("a line", func(b *testing.B) {
		for b.Loop() {
			if _, err := line(d, ref.Name, 4_000_000); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all of it", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(ref.Path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
