package index_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/internal/index"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// place is a directory with a journal and an index of its records.
type place struct {
	dir     string
	version int
	apply   func() // is called before an entry is applied
	stored  func(applied uint64)
}

// opened is a place that is open.
type opened struct {
	*journal.Journal
	*index.Index
}

func (p place) path() string {
	if p.dir == "" {
		return ""
	}
	return filepath.Join(p.dir, "index.db")
}

func (p place) open(t testing.TB) opened {
	t.Helper()
	o := journal.Options{SegmentSize: 64 << 10, Logger: quiet()}
	if p.dir != "" {
		o.Dir = filepath.Join(p.dir, "journal")
	}
	j, err := journal.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(index.Options{
		Path: p.path(), Journal: j, Stream: journal.Records, Version: max(p.version, 1), Logger: quiet(),
		Schema: "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL)",
		Apply: func(db *sqlitedb.DB, e *journal.Entry) error {
			if p.apply != nil {
				p.apply()
			}
			if string(e.Data) == "unfit" {
				return errors.New("unfit")
			}
			return db.Run("INSERT INTO texts VALUES (?, ?)", int64(e.Number), string(e.Data))
		},
		Stored: func(_ *sqlitedb.DB, applied uint64) {
			if p.stored != nil {
				p.stored(applied)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return opened{j, x}
}

func (o opened) close(t testing.TB) {
	t.Helper()
	if err := errors.Join(o.Index.Close(), o.Journal.Close()); err != nil {
		t.Error(err)
	}
}

func (o opened) add(t testing.TB, list ...string) {
	t.Helper()
	for _, text := range list {
		if err := o.Append(context.Background(), journal.Append{Entries: []*journal.Entry{journal.NewEntry(journal.Records, []byte(text))}}); err != nil {
			t.Error(err)
		}
	}
}

// count asks how many texts there are, in each of the ways.
func (o opened) count(t testing.TB) (n int) {
	t.Helper()
	var long int
	if err := o.Read(context.Background(), func(db *sqlitedb.DB) error {
		_, err := db.Row("SELECT count(*) FROM texts", nil, &long)
		return err
	}); err != nil {
		t.Error(err)
	}
	if err := o.Ask(context.Background(), func(db *sqlitedb.DB) error {
		_, err := db.Row("SELECT count(*) FROM texts", nil, &n)
		return err
	}); err != nil {
		t.Error(err)
	}
	if n != long {
		t.Errorf("%d and %d texts", n, long)
	}
	return n
}

// Who appended an entry sees it, with many callers and when the index is behind.
func TestWritesAreSeen(t *testing.T) {
	t.Parallel()
	for _, p := range []place{{}, {dir: t.TempDir()}, {dir: t.TempDir(), apply: func() { time.Sleep(time.Millisecond) }}} {
		o := p.open(t)
		var all sync.WaitGroup
		for c := range 8 {
			all.Go(func() {
				for i := range 25 {
					text := fmt.Sprint(c, " ", i)
					o.add(t, text)
					found := false
					ask := func(db *sqlitedb.DB) (err error) {
						found, err = db.Row("SELECT 1 FROM texts WHERE text = ?", []any{text}, new(int))
						return err
					}
					way := o.Ask
					if i%3 == 0 {
						way = o.Read
					}
					if err := way(context.Background(), ask); err != nil || !found {
						t.Errorf("%s is not seen, %v", text, err)
					}
				}
			})
		}
		all.Wait()
		if n := o.count(t); n != 200 {
			t.Errorf("%d texts", n)
		}
		o.close(t)
		if err := o.Ask(context.Background(), nil); !errors.Is(err, index.ErrClosed) {
			t.Error(err)
		}
	}
}

// Who reads an entry sees what Stored made of it: a read waits while Stored is at work.
func TestStoredIsSeen(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		begun, release := make(chan struct{}), make(chan struct{})
		seen := uint64(0)
		p := place{dir: dir, stored: func(applied uint64) {
			if applied == 1 {
				close(begun)
				<-release
			}
			seen = applied
		}}
		o := p.open(t)
		o.add(t, "a")
		<-begun
		nothing := func(*sqlitedb.DB) error { return nil }
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if err := o.Read(ctx, nothing); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a read does not wait: %v", err)
		}
		cancel()
		close(release)
		if err := o.Read(context.Background(), nothing); err != nil || seen != 1 {
			t.Errorf("%d is seen, %v", seen, err)
		}
		o.close(t)
	}
}

// An index that is missing, damaged, of another version or of another log is made again; one that is behind goes on. It is the same afterwards.
func TestMadeAgain(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(t *testing.T, p *place){
		"nothing": func(*testing.T, *place) {},
		"missing": func(t *testing.T, p *place) { remove(t, p.path()) },
		"damaged": func(t *testing.T, p *place) {
			write(t, p.path(), []byte("this is no database at all, and never was one"))
		},
		"version": func(_ *testing.T, p *place) { p.version = 2 },
		"another": func(t *testing.T, p *place) {
			other := place{dir: t.TempDir()}
			o := other.open(t)
			o.add(t, "a", "b")
			o.close(t)
			content, err := os.ReadFile(other.path())
			if err != nil {
				t.Fatal(err)
			}
			write(t, p.path(), content)
		},
		"pages": func(t *testing.T, p *place) {
			content, err := os.ReadFile(p.path())
			if err != nil {
				t.Fatal(err)
			}
			clear(content[4096:])
			write(t, p.path(), content)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir()}
			o := p.open(t)
			for i := range 500 {
				o.add(t, fmt.Sprint("a text with the number ", i))
			}
			o.add(t, "unfit")
			o.close(t)
			change(t, &p)
			o = p.open(t)
			o.add(t, "one more")
			if n := o.count(t); n != 501 {
				t.Errorf("%d texts", n)
			}
			o.close(t)
		})
	}
}

// What an index knows that the journal has lost leaves a gap, and no number is given twice.
func TestLostEnd(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	o := p.open(t)
	o.add(t, "1", "2", "3")
	o.close(t)
	content, err := os.ReadFile(p.path())
	if err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(t.TempDir(), "journal")
	if err := os.CopyFS(before, os.DirFS(filepath.Join(p.dir, "journal"))); err != nil {
		t.Fatal(err)
	}
	o = p.open(t)
	o.add(t, "4", "5")
	tip := o.Tip(journal.Records)
	o.close(t)
	_ = content
	if err := errors.Join(os.RemoveAll(filepath.Join(p.dir, "journal")), os.Chmod(before, 0o700), os.Rename(before, filepath.Join(p.dir, "journal"))); err != nil {
		t.Fatal(err)
	}
	o = p.open(t)
	defer o.close(t)
	if got := o.Tip(journal.Records); got != tip {
		t.Errorf("it goes on after %+v, want %+v", got, tip)
	}
	o.add(t, "6")
	if _, err := o.Get(journal.Records, 5); !errors.Is(err, journal.ErrDamaged) {
		t.Errorf("a lost one: %v", err)
	}
	if e, err := o.Get(journal.Records, 6); err != nil || e.Previous != tip.Hash {
		t.Errorf("%+v, %v", e, err)
	}
}

// A question whose context ends is not asked, and others go on.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	o := place{apply: func() { <-asked }}.open(t)
	defer o.close(t)
	o.add(t, "1")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := o.Ask(ctx, func(*sqlitedb.DB) error { t.Error("it is asked"); return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(asked)
	if n := o.count(t); n != 1 {
		t.Errorf("%d texts", n)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
