package dir

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
)

// broken is a store whose directories or files are closed at a step, as if the system had taken them away: unlike an
// injected error of a step, that fails every system call of it and of the steps after it.
type broken struct {
	*Store
	steps []string
	at    int // the step at which they are closed, from 0; -1: before all; less: never
	log   *logWriter
	temp  *temp
}

// openBroken opens a store in which nothing is closed yet.
func openBroken(t *testing.T, root string) *broken {
	t.Helper()
	b := &broken{at: -2}
	d, err := open(root, Options{}, func(s step) error {
		if b.steps = append(b.steps, string(s)); len(b.steps)-1 == b.at {
			b.breakNow()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Store = d
	t.Cleanup(func() { _ = d.Close() })
	return b
}

func (b *broken) breakNow() {
	switch {
	case b.log != nil:
		_ = errors.Join(b.log.file.Close(), b.log.marks.Close())
	case b.temp != nil:
		_ = b.temp.file.Close()
	default:
		_ = errors.Join(b.root.Close(), b.tmp.Close())
	}
}

// breakAt makes the store break at a step of what follows.
func (b *broken) breakAt(n int) {
	b.steps, b.at = nil, n
	if n == -1 {
		b.breakNow()
	}
}

const brokenText = "a line of a payload\n"

var brokenLog = artifactstore.LogName("broken")

// brokenCall is a call on a store that breaks.
type brokenCall struct {
	prepare func(t *testing.T, b *broken)      // before it breaks
	call    func(b *broken) error              // breaks at each of its steps
	passes  []step                             // after which it may succeed all the same
	check   func(t *testing.T, d *Store) error // of a store that is opened afterwards, if the call succeeded
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// isStored reads the artifact of brokenText.
func isStored(_ *testing.T, d *Store) error {
	r, err := d.Open(context.Background(), d.RefFor([]byte(brokenText)).Name)
	if err != nil {
		return err
	}
	return r.Close()
}

func isGone(_ *testing.T, d *Store) error {
	if err := isStored(nil, d); !errors.Is(err, artifactstore.ErrUnknown) {
		return errors.Join(errors.New("it is there"), err)
	}
	return nil
}

func storeText(t *testing.T, b *broken) {
	_, err := b.Put(context.Background(), artifactstore.BytesBlob([]byte(brokenText)))
	mustDo(t, err)
}

// stream hides the type of a blob, so that it has to be read.
type stream struct{ artifactstore.Blob }

// openBrokenLog opens the log for the calls after it.
func (b *broken) openBrokenLog() (artifactstore.Log, error) {
	return b.OpenLog(context.Background(), brokenLog)
}

// writeLog leaves a log of brokenText, with bytes behind it that no mark covers, as a crash does.
func writeLog(t *testing.T, b *broken) {
	l, err := b.openBrokenLog()
	mustDo(t, err)
	mustDo(t, l.Append([]byte(brokenText)))
	_, err = l.Sync()
	mustDo(t, errors.Join(err, l.Close()))
	f, err := os.OpenFile(filepath.Join(b.path, artifactstore.LiveName(brokenLog)), os.O_WRONLY|os.O_APPEND, 0)
	mustDo(t, err)
	_, err = f.WriteString("not acknowledged")
	mustDo(t, errors.Join(err, f.Close()))
	b.logs = map[string]*liveLog{} // as after a start
}

// brokenCalls are calls on artifacts and on logs.
func brokenCalls() map[string]brokenCall {
	all := brokenLogCalls()
	maps.Copy(all, brokenArtifactCalls())
	return all
}

func brokenArtifactCalls() map[string]brokenCall {
	ctx := context.Background()
	text := artifactstore.BytesBlob([]byte(brokenText))
	put := func(blob func(b *broken) (artifactstore.Blob, error)) func(b *broken) error {
		return func(b *broken) error {
			p, err := blob(b)
			if err != nil {
				return err
			}
			_, err = b.Put(ctx, p)
			return err
		}
	}
	name := func(b *broken) string { return b.RefFor([]byte(brokenText)).Name }
	return map[string]brokenCall{
		"put bytes":  {nil, put(func(*broken) (artifactstore.Blob, error) { return text, nil }), []step{stepRemoveTemp}, isStored},
		"put stream": {nil, put(func(*broken) (artifactstore.Blob, error) { return stream{text}, nil }), []step{stepRemoveTemp}, isStored},
		"put stage": {nil, put(func(b *broken) (artifactstore.Blob, error) {
			s, err := b.Stage(ctx)
			if err != nil {
				return nil, err
			}
			if _, err := s.Write([]byte(brokenText)); err != nil {
				return nil, err
			}
			return s.Seal()
		}), []step{stepRemoveTemp}, isStored},
		"put again": {storeText, put(func(*broken) (artifactstore.Blob, error) { return text, nil }), nil, isStored},
		"remove":    {storeText, func(b *broken) error { return b.Remove(ctx, name(b)) }, nil, isGone},
		"open":      {storeText, func(b *broken) error { return isStored(nil, b.Store) }, nil, isStored},
		"pages":     {storeText, func(b *broken) error { p, err := b.Pages(ctx, name(b)); return closeAfter(p, err) }, nil, isStored},
		"has":       {storeText, func(b *broken) error { _, err := b.Has(ctx, name(b)); return err }, nil, isStored},
		"walk": {storeText, func(b *broken) error {
			return b.Walk(ctx, func(artifactstore.StoredArtifact) error { return nil })
		}, nil, isStored},
	}
}

func brokenLogCalls() map[string]brokenCall {
	ctx := context.Background()
	return map[string]brokenCall{
		"new log": {nil, func(b *broken) error {
			l, err := b.openBrokenLog()
			if err != nil {
				return err
			}
			return errors.Join(l.Close())
		}, nil, nil},
		"old log": {writeLog, func(b *broken) error {
			l, err := b.openBrokenLog()
			if err != nil {
				return err
			}
			return errors.Join(l.Close())
		}, []step{stepCutLog, stepMarkLog, stepSyncLog, stepSyncMarks}, nil}, // these use files that are open
		"read log": {writeLog, func(b *broken) error {
			p, err := b.Pages(ctx, artifactstore.LiveName(brokenLog))
			return closeAfter(p, err)
		}, nil, nil},
		"remove log": {writeLog, func(b *broken) error { return b.Remove(ctx, artifactstore.LiveName(brokenLog)) }, nil, nil},
		"has log":    {writeLog, func(b *broken) error { _, err := b.Has(ctx, artifactstore.LiveName(brokenLog)); return err }, nil, nil},
		"finish log": {writeLog, func(b *broken) error {
			l, err := b.openBrokenLog()
			if err != nil {
				return err
			}
			if b.at == -1 { // it opens before
				b.breakNow()
			}
			_, err = l.Finish(ctx)
			return err
		}, []step{stepRemoveMarks}, isStored},
		"finished log": {func(t *testing.T, b *broken) {
			writeLog(t, b)
			l, err := b.openBrokenLog()
			mustDo(t, err)
			_, err = l.Finish(ctx)
			mustDo(t, errors.Join(err, l.Close()))
		}, func(b *broken) error { _, err := b.openBrokenLog(); return err }, []step{stepRemoveMarks}, isStored},
	}
}

func closeAfter(p *artifactstore.Pages, err error) error {
	if err != nil {
		return err
	}
	return p.Close()
}

// TestBrokenStoreFailsEachCall closes the directories of a store before each step of each call: the call fails, or did what
// it says.
func TestBrokenStoreFailsEachCall(t *testing.T) {
	t.Parallel()
	for name, c := range brokenCalls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, last := -1, 0; n < last; n++ {
				root := filepath.Join(t.TempDir(), "store")
				b := openBroken(t, root)
				if c.prepare != nil {
					c.prepare(t, b)
				}
				b.breakAt(n)
				err := c.call(b)
				if n == -1 { // count the steps of a whole call in another store
					last = c.steps(t)
				}
				at := "before it"
				if n >= 0 && n < len(b.steps) {
					at = b.steps[n]
				}
				if err == nil && !slices.Contains(c.passes, step(at)) {
					t.Errorf("broken at %q (step %d of %q): it succeeds", at, n, b.steps)
				}
				if err != nil && strings.Contains(err.Error(), "put-") {
					t.Errorf("broken at %q: a random name in %q", at, err)
				}
				if err := b.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
					t.Errorf("broken at %q: close: %v", at, err)
				}
				d, openErr := Open(root, Options{})
				mustDo(t, openErr)
				if err == nil && c.check != nil {
					if err := c.check(t, d); err != nil {
						t.Errorf("broken at %q, and it succeeds: %v", at, err)
					}
				}
				storeText(t, &broken{Store: d}) // the next start works
				mustDo(t, d.Close())
			}
		})
	}
}

// steps returns the number of steps of a call that does not break.
func (c brokenCall) steps(t *testing.T) int {
	t.Helper()
	b := openBroken(t, filepath.Join(t.TempDir(), "store"))
	if c.prepare != nil {
		c.prepare(t, b)
	}
	b.breakAt(-2)
	mustDo(t, c.call(b))
	return len(b.steps)
}
