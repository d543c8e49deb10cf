package postgres_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/integration/audittest"
)

// frost is what holds the bytes of a gate back: connections are taken, and nothing is answered.
type frost struct {
	mu   sync.Mutex
	held chan struct{} // closed when it is over; nil: there is none
}

// set begins it.
func (f *frost) set() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == nil {
		f.held = make(chan struct{})
	}
}

// end ends it.
func (f *frost) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held != nil {
		close(f.held)
		f.held = nil
	}
}

// wait waits until it is over.
func (f *frost) wait() {
	f.mu.Lock()
	held := f.held
	f.mu.Unlock()
	if held != nil {
		<-held
	}
}

// copy copies bytes, except while the frost holds them back.
func (f *frost) copy(to io.Writer, from io.Reader) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		f.wait()
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// TestReadersOfAFrozenServerAreRejected: a server that takes connections and answers nothing is away for every reader, long before the call
// of that ends, and answers again when it goes on.
func TestReadersOfAFrozenServerAreRejected(t *testing.T) {
	p := newPlace(t)
	g := newGate(t, p.dsn)
	t.Cleanup(g.frost.end)
	o := p.options(t, nil)
	o.DSN, o.Patience = g.dsn, 2*time.Second // a busy machine answers within that
	l := mustOpen(t, o)
	defer func() { must(t, l.Close()) }()
	for range 5 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 10))
		must(t, err)
	}
	sent(t, l)
	if _, err := l.Get(t.Context(), 2); err != nil { // a reader is connected
		t.Fatal(err)
	}
	g.frost.set()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // far more than they may take
	defer cancel()
	var readers sync.WaitGroup
	for range 4 {
		for name, read := range map[string]func() error{
			"Get": func() error { _, err := l.Get(ctx, 2); return err },
			"List": func() error {
				_, _, err := l.List(ctx, auditlog.Query{})
				return err
			},
			"Verify": func() error {
				_, err := l.Verify(ctx, 0, func(auditlog.Inconsistency) error { return nil })
				return err
			},
		} {
			readers.Go(func() {
				if err := read(); !errors.Is(err, auditlog.ErrUnavailable) || ctx.Err() != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	readers.Wait()
	g.frost.end()
	for ctx.Err() == nil {
		r, err := l.Get(ctx, 2)
		if err == nil && r.GetSequence() == 2 {
			return
		}
		if !errors.Is(err, auditlog.ErrUnavailable) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it does not answer any more")
}

// TestSlowQueryIsNotFrozen waits for a query that takes longer than a server that does not answer is waited for.
func TestSlowQueryIsNotFrozen(t *testing.T) {
	p := newPlace(t)
	o := p.options(t, nil)
	o.Patience = 2 * time.Second
	l := mustOpen(t, o)
	defer func() { must(t, l.Close()) }()
	_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 10))
	must(t, err)
	sent(t, l)
	lock := p.connect(t)
	defer lock.Close(context.Background())
	must(t, lock.Exec(t.Context(), "BEGIN; LOCK TABLE records IN ACCESS EXCLUSIVE MODE").Close())
	got := make(chan error, 1)
	go func() {
		_, err := l.Get(t.Context(), 1)
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("while the table is locked: %v", err)
	case <-time.After(5 * o.Patience / 2): // it has been looked after
		must(t, lock.Exec(t.Context(), "ROLLBACK").Close())
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}
