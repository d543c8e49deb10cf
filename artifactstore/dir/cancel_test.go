package dir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
)

// countdown is a context that is cancelled once it was looked at a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// manyBlocks is a content of several chunks and blocks.
var manyBlocks = strings.Repeat("a line of a log that is long enough\n", 40_000)

// cancelledCalls are calls that take long enough to be cancelled in between.
func cancelledCalls() map[string]func(ctx context.Context, d *Store) error {
	stored := func(d *Store) string { return d.RefFor([]byte(manyBlocks)).Name }
	log := artifactstore.LogName("log")
	return map[string]func(ctx context.Context, d *Store) error{
		"put": func(ctx context.Context, d *Store) error {
			_, err := d.Put(ctx, stream{artifactstore.BytesBlob([]byte("x" + manyBlocks))})
			return err
		},
		"put again": func(ctx context.Context, d *Store) error {
			_, err := d.Put(ctx, artifactstore.BytesBlob([]byte(manyBlocks)))
			return err
		},
		"open": func(ctx context.Context, d *Store) error {
			r, err := d.Open(ctx, stored(d))
			if err == nil {
				err = r.Close()
			}
			return err
		},
		"pages": func(ctx context.Context, d *Store) error {
			if err := os.Remove(filepath.Join(d.path, location(stored(d))+indexSuffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			p, err := d.Pages(ctx, stored(d))
			return closeAfter(p, err)
		},
		"walk": func(ctx context.Context, d *Store) error {
			return d.Walk(ctx, func(artifactstore.StoredArtifact) error { return nil })
		},
		"log": func(ctx context.Context, d *Store) error {
			d.logs = map[string]*liveLog{} // as after a start, so that it is read
			l, err := d.OpenLog(ctx, log)
			if err != nil {
				return err
			}
			l.(*logWriter).hash = nil // as after a second opening, so that Finish reads it
			_, err = l.Finish(ctx)
			return errors.Join(err, l.Close())
		},
		"stage": func(ctx context.Context, d *Store) error {
			s, err := d.Stage(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = s.Discard() }()
			_, err = s.Write([]byte("x"))
			return err
		},
	}
}

// TestCallsEndWithTheirContext cancels each call after each time that it looks: it ends with the error of the context, and
// changes nothing that the next call needs.
func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	least := map[string]int{"put": 6, "put again": 6, "open": 6, "pages": 6, "walk": 2, "log": 10, "stage": 2}
	for name, call := range cancelledCalls() {
		d, err := Open(filepath.Join(t.TempDir(), "store"), Options{Volatile: true})
		mustDo(t, err)
		_, err = d.Put(t.Context(), artifactstore.BytesBlob([]byte(manyBlocks)))
		mustDo(t, err)
		l, err := d.OpenLog(t.Context(), artifactstore.LogName("log"))
		mustDo(t, err)
		mustDo(t, errors.Join(l.Append([]byte("log of "+manyBlocks)), l.Close()))
		looks := 0
		for ; ; looks++ {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(int64(looks))
			if err = call(ctx, d); !errors.Is(err, context.Canceled) {
				break
			}
		}
		if err != nil || looks < least[name] {
			t.Errorf("%s: looks %d times at its context, %v", name, looks, err)
		}
		if left, err := os.ReadDir(filepath.Join(d.path, tempDirName)); len(left) > 0 || err != nil {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
		mustDo(t, d.Close())
	}
}

// TestClosedFileFailsEachWrite closes the file of a stage or of a log at each step of writing to it.
func TestClosedFileFailsEachWrite(t *testing.T) {
	t.Parallel()
	many := make([][]byte, 2*maxVector+1)
	for i := range many {
		many[i] = []byte("a line\n")
	}
	source := filepath.Join(t.TempDir(), "source")
	mustDo(t, os.WriteFile(source, []byte(manyBlocks), 0o600))
	take := func(size int64) func(s *stage) error {
		return func(s *stage) error {
			f, err := os.Open(source)
			if err != nil {
				return err
			}
			defer f.Close()
			return s.TakeFile(f, size, func([]byte, int) {})
		}
	}
	for name, write := range map[string]func(s *stage) error{
		"Write":            func(s *stage) error { _, err := s.Write([]byte("x")); return err },
		"two parts":        func(s *stage) error { _, err := s.WriteParts(many[:2]); return err },
		"many parts":       func(s *stage) error { _, err := s.WriteParts(many); return err },
		"small file":       take(100),
		"large file":       take(int64(len(manyBlocks))),
		"put":              func(s *stage) error { return putSealedStage(s) },
		"file after bytes": func(s *stage) error { _, _ = s.Write([]byte("x")); return take(int64(len(manyBlocks)))(s) },
	} {
		b := openBroken(t, filepath.Join(t.TempDir(), "store"))
		s, err := b.newStage(t.Context())
		mustDo(t, err)
		mustDo(t, s.temp.file.Close())
		if err := write(s); err == nil || s.failed == nil {
			t.Errorf("%s: %v, and the stage goes on: %v", name, err, s.failed == nil)
		}
		if _, err := s.Seal(); err == nil {
			t.Errorf("%s: it is sealed", name)
		}
		mustDo(t, s.Discard())
	}
	for name, size := range map[string]int64{"small": 100, "large": int64(len(manyBlocks))} { // the other file
		b := openBroken(t, filepath.Join(t.TempDir(), "store"))
		s, err := b.newStage(t.Context())
		mustDo(t, err)
		f, err := os.Open(source)
		mustDo(t, errors.Join(err, f.Close()))
		if err := s.TakeFile(f, size, func([]byte, int) {}); !errors.Is(err, os.ErrClosed) && size < chunkSize || err == nil {
			t.Errorf("a closed %s file: %v", name, err)
		}
		if err := s.TakeFile(f, size, nil); err == nil {
			t.Errorf("a closed %s file, again: the stage goes on", name)
		}
		mustDo(t, s.Discard())
	}
}

func putSealedStage(s *stage) error {
	blob, err := s.Seal()
	if err == nil {
		_, err = s.store.Put(s.ctx, blob)
	}
	return err
}

// TestClosedLogFailsEachCall closes the files of a log at each step of appending, syncing and finishing: no call passes
// over it, and what was durable before is there after the next start.
func TestClosedLogFailsEachCall(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(l artifactstore.Log) error{
		"append": func(l artifactstore.Log) error { return l.Append([]byte("more\n")) },
		"sync":   func(l artifactstore.Log) error { _, err := l.Sync(); return err },
		"finish": func(l artifactstore.Log) error { _, err := l.Finish(context.Background()); return err },
	} {
		for n := -1; n < 3; n++ {
			root := filepath.Join(t.TempDir(), "store")
			b := openBroken(t, root)
			l, err := b.openBrokenLog()
			mustDo(t, err)
			mustDo(t, l.Append([]byte(brokenText)))
			_, err = l.Sync()
			mustDo(t, err)
			mustDo(t, l.Append([]byte(brokenText)))
			b.log = l.(*logWriter)
			b.breakAt(n)
			err = call(l)
			linked := n >= 2 && name == "finish" // the files are not used any more
			if n < len(b.steps) && err == nil && !linked {
				t.Errorf("%s, closed at step %d of %q: it succeeds", name, n, b.steps)
			}
			if err != nil && name == "sync" && l.Append(nil) == nil {
				t.Errorf("%s: a log whose sync failed goes on", name)
			}
			mustDo(t, errors.Join(l.Close(), b.Close()))
			d, err := Open(root, Options{})
			mustDo(t, err)
			again, err := d.OpenLog(t.Context(), brokenLog)
			mustDo(t, err)
			if got := again.Received(); got < int64(len(brokenText)) {
				t.Errorf("%s, closed at step %d: %d bytes are left", name, n, got)
			}
			mustDo(t, errors.Join(again.Close(), d.Close()))
		}
	}
}

// TestNamesAreParsed: an artifact is named by its name or by the end of its path, and by nothing else.
func TestNamesAreParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1fa0074a": "1fa0074a", "1f8/a0074a": "1fa0074a", "1f0/00074a": "1f00074a", "1f0/a0074a": "", "1f8/00074a": "", "1f/a0074a": "",
		"1f80/a0074a": "", "/1f8/a0074a": "", "1f8/a0074": "", "": "", "1f8/": "", "1f8/a0074a.zst": "",
	} {
		if got, ok := ParseName(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

// TestUnknownOwnersAreNotOurs: what a system does not report counts as that of another user.
func TestUnknownOwnersAreNotOurs(t *testing.T) {
	t.Parallel()
	info := fakeInfo{}
	if fileOwner(info) != unknownOwner || linkCount(info) != 0 {
		t.Errorf("owner %d, %d links", fileOwner(info), linkCount(info))
	}
	if d := (&Store{uid: uint32(os.Geteuid())}); d.isPlain(info) {
		t.Error("a file without an owner is ours")
	}
}

// fakeInfo is a file of a system that does not say who owns it.
type fakeInfo struct{ os.FileInfo }

func (fakeInfo) Sys() any          { return "nothing" }
func (fakeInfo) Mode() os.FileMode { return 0o600 }
