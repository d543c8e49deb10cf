package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// betweenStore is a store that calls back between the steps of those who use it. A nil callback is not called.
type betweenStore struct {
	artifactstore.Store
	read     func() // before and after each step of a reader
	finished func() // after a log has become an artifact, before Finish returns
}

func (s *betweenStore) step() {
	if s.read != nil {
		s.read()
	}
}

func (s *betweenStore) Resolve(path string) (string, error) {
	s.step()
	defer s.step()
	return s.Store.Resolve(path)
}

func (s *betweenStore) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	s.step()
	defer s.step()
	return s.Store.Pages(ctx, name)
}

func (s *betweenStore) OpenLog(ctx context.Context, name string) (artifactstore.Log, error) {
	log, err := s.Store.OpenLog(ctx, name)
	return &betweenLog{log, s}, err
}

type betweenLog struct {
	artifactstore.Log
	store *betweenStore
}

func (l *betweenLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	ref, err := l.Log.Finish(ctx)
	if l.store.finished != nil {
		l.store.finished()
	}
	return ref, err
}

// eachStore runs a test with an empty store of each kind.
func eachStore(t *testing.T, test func(t *testing.T, store artifactstore.Store)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, memory.New())
	})
	t.Run("dir", func(t *testing.T) {
		t.Parallel()
		store, err := dir.Open(filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, store)
	})
}

// readAt returns all bytes of what a path leads to.
func readAt(t *testing.T, c *catalog.Catalog, path string, p catalog.Permit) (string, error) {
	t.Helper()
	pages, err := c.PagesAt(t.Context(), path, p)
	if err != nil {
		return "", err
	}
	b, err := pages.Read(nil, 0, pages.Size())
	return string(b), errors.Join(err, pages.Close())
}

// readers are those who may read what session s logs.
var readers = []catalog.Permit{{Session: "s"}, {Session: "s", Raw: true}, {}, {Raw: true}}

// TestLogIsReadWhileItBecomesAnArtifact reads a log that is an artifact in the store and not in the catalog yet.
func TestLogIsReadWhileItBecomesAnArtifact(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, inner artifactstore.Store) {
		store := &betweenStore{Store: inner}
		c := open(t, store, catalog.Options{})
		defer closeCatalog(t, c)
		put(t, c, catalog.Owner{Session: "s", Raw: true}, "a secret, so that permits are looked at")
		log, looked := logWith(t, c, "whole\n"), 0
		store.finished = func() {
			for _, p := range readers {
				looked++
				if text, err := readAt(t, c, log.Path(), p); text != "whole\n" || err != nil {
					t.Errorf("%+v reads %q, %v", p, text, err)
				}
			}
			if _, err := readAt(t, c, log.Path(), catalog.Permit{Session: "another"}); !errors.Is(err, artifactstore.ErrUnknown) {
				t.Errorf("another session: %v", err)
			}
		}
		if _, err := log.Finish(t.Context()); err != nil || looked != len(readers) {
			t.Fatal(looked, err)
		}
	})
}

// TestLogIsReadWhereverItsWriterFinishes has the writer finish at each step of a reader.
func TestLogIsReadWhereverItsWriterFinishes(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, inner artifactstore.Store) {
		store := &betweenStore{Store: inner}
		c := open(t, store, catalog.Options{})
		defer closeCatalog(t, c)
		put(t, c, catalog.Owner{Session: "s", Raw: true}, "a secret, so that permits are looked at")
		for i, p := range readers {
			for at, steps := 0, 1; at < steps; at++ {
				log, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "c"}, artifactstore.LogName("s", fmt.Sprint(i), fmt.Sprint(at)))
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf("log %d of reader %d", at, i)
				if err := log.Append([]byte(want)); err != nil {
					t.Fatal(err)
				}
				passed := 0
				store.read = func() {
					if passed++; passed-1 == at {
						if _, err := log.Finish(t.Context()); err != nil {
							t.Error(err)
						}
					}
				}
				text, err := readAt(t, c, log.Path(), p)
				store.read = nil
				if text != want || err != nil {
					t.Errorf("%+v, finished at step %d: %q, %v", p, at, text, err)
				}
				if steps = max(steps, passed); passed < 4 {
					t.Fatalf("a read has %d steps", passed)
				}
				if err := log.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestFinishThatACrashEndedIsCompleted finishes a log in the store alone, as a process does that ends before its catalog knows. The
// owner reads it, and opening the log again enters the artifact, which then expires as such.
func TestFinishThatACrashEndedIsCompleted(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store artifactstore.Store) {
		clk := newClock()
		c := open(t, store, catalog.Options{SessionLease: time.Minute, KeepFor: time.Hour, Now: clk.now})
		defer closeCatalog(t, c)
		log := logWith(t, c, "whole\n")
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		inner, err := store.OpenLog(t.Context(), logOfCall)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := inner.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := readAt(t, c, log.Path(), catalog.Permit{Session: "s"}); text != "whole\n" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "c"}, logOfCall); err != nil {
			t.Fatal(err)
		}
		if e := onlyEntry(t, c); e.Live || e.Name != ref.Name {
			t.Errorf("%+v", e)
		}
		clk.move(2 * time.Hour)
		collect(t, c)
		if _, err := readAt(t, c, log.Path(), catalog.Permit{Session: "s"}); !isExpired(err) {
			t.Error(err)
		}
	})
}

// TestArtifactThatIsPutAgainWhileItIsReadIsNotMissing deletes an artifact, and puts it again after a reader did not find it.
func TestArtifactThatIsPutAgainWhileItIsReadIsNotMissing(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, inner artifactstore.Store) {
		clk, store := newClock(), &betweenStore{Store: inner}
		c := open(t, store, catalog.Options{KeepFor: time.Hour, Now: clk.now})
		defer closeCatalog(t, c)
		ref := put(t, c, catalog.Owner{}, "again")
		clk.move(2 * time.Hour)
		collect(t, c)
		passed := 0
		store.read = func() {
			if passed++; passed == 2 { // the first look is over
				put(t, c, catalog.Owner{}, "again")
			}
		}
		if p, err := c.Pages(t.Context(), ref.Name); err != nil {
			t.Error(err)
		} else if err := p.Close(); err != nil {
			t.Error(err)
		}
		store.read = nil
		if err := inner.Remove(t.Context(), ref.Name); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pages(t.Context(), ref.Name); !errors.Is(err, catalog.ErrMissing) {
			t.Errorf("an artifact that somebody took away: %v", err)
		}
	})
}

// keptLate is a store that calls back when an artifact is in the journal and has no name in the store yet.
type keptLate struct {
	*dir.Store
	before func()
}

func (s *keptLate) Reserve(ctx context.Context, b []byte) (artifactstore.Reservation, error) {
	r, err := s.Store.Reserve(ctx, b)
	return &lateReservation{r, s}, err
}

type lateReservation struct {
	artifactstore.Reservation
	store *keptLate
}

func (r *lateReservation) Keep() error {
	if r.store.before != nil {
		r.store.before()
	}
	return r.Reservation.Keep()
}

// TestArtifactIsNotMissingBeforeItHasItsName reads an expired artifact that is put again, between its entry in the journal and its
// name in the store.
func TestArtifactIsNotMissingBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	inner, err := dir.Open(filepath.Join(t.TempDir(), "store"), dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close() // nothing is left to lose
	clk, store := newClock(), &keptLate{Store: inner}
	c := open(t, store, catalog.Options{KeepFor: time.Hour, Now: clk.now})
	defer closeCatalog(t, c)
	ref := put(t, c, catalog.Owner{}, "again")
	clk.move(2 * time.Hour)
	collect(t, c)
	read := make(chan error, 1)
	store.before = func() {
		asked := make(chan struct{})
		go func() {
			_, err := inner.Pages(context.Background(), ref.Name) // what the reader sees at first
			close(asked)
			if !errors.Is(err, artifactstore.ErrUnknown) {
				read <- fmt.Errorf("the artifact has its name already: %w", err)
				return
			}
			p, err := c.Pages(context.Background(), ref.Name)
			if err == nil {
				err = p.Close()
			}
			read <- err
		}()
		<-asked
		select { // it waits for the name; the pause only gives a wrong answer the time to arrive
		case err := <-read:
			read <- fmt.Errorf("before the name: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	put(t, c, catalog.Owner{}, "again")
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// TestLogThatExpiresWhileItIsReadIsExpired finishes a log, and lets its artifact expire, at each step of a reader.
func TestLogThatExpiresWhileItIsReadIsExpired(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, inner artifactstore.Store) {
		clk, store := newClock(), &betweenStore{Store: inner}
		c := open(t, store, catalog.Options{KeepFor: time.Hour, Now: clk.now})
		defer closeCatalog(t, c)
		expired := 0
		for at, steps := 0, 1; at < steps; at++ {
			log, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s"}, artifactstore.LogName(fmt.Sprint(at)))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("log %d", at)
			if err := log.Append([]byte(want)); err != nil {
				t.Fatal(err)
			}
			passed := 0
			store.read = func() {
				if passed++; passed-1 == at {
					_, err := log.Finish(t.Context())
					if err := errors.Join(err, log.Close()); err != nil {
						t.Error(err)
					}
					clk.move(2 * time.Hour)
					collect(t, c)
				}
			}
			text, err := readAt(t, c, log.Path(), catalog.Permit{})
			store.read = nil
			if isExpired(err) {
				expired++
			} else if text != want || err != nil {
				t.Errorf("at step %d: %q, %v", at, text, err)
			}
			steps = max(steps, passed)
		}
		if expired == 0 {
			t.Error("none expired")
		}
	})
}
