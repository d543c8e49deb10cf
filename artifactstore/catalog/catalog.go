// Package catalog keeps the books of an artifact store: which session and call an artifact belongs to, until
// when it is needed, how much there may be of everything, and what was deleted, when and why.
//
// The order of things is what makes the books true. An artifact is durable before the books name it, and the
// books are durable before a call is answered; a tombstone is durable before the artifact is deleted. So the
// worst that a crash leaves is an artifact that no book names. It is entered when garbage is collected next, as
// one of no session, and kept by age like any other.
//
// One goroutine, the clerk, does everything to the books, one thing after the other. That is why no artifact is
// deleted that is claimed at the same moment: whichever the clerk takes first wins, and the other is told.
//
// The books are an SQLite database, which operators can read with their own tools.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Failures of a catalog, beside those of package artifactstore.
var (
	// ErrMissing means that the books have an artifact and the store has not.
	ErrMissing = errors.New("missing from the store")
	// ErrQuota means that the store would hold more than it may, and nothing in it may be deleted.
	ErrQuota = errors.New("over the quota of the store")
	// ErrSessionQuota means that the artifacts of a session would be more than they may.
	ErrSessionQuota = errors.New("over the quota of the session")
	// ErrRace means that what was put was deleted as garbage before it could be claimed, again and again.
	ErrRace = errors.New("deleted at the same time")
	// ErrBooks means that the books cannot be read: they are damaged, of a later version of this package, or their
	// database failed.
	ErrBooks = errors.New("books of the store cannot be read")
)

// ExpiredError means that an artifact was deleted by the rules of retention.
type ExpiredError struct {
	At  time.Time
	Why string
}

// Error says when and why.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("deleted at %s: %s", e.At.UTC().Format(time.RFC3339), e.Why)
}

// Options are the rules of a catalog. The zero value keeps everything for ever.
type Options struct {
	// Books is the path of the database; empty: in memory.
	Books string
	// Volatile leaves out the syncs of the books.
	Volatile bool
	// SessionLease is how long a session needs its artifacts after each call that names it.
	SessionLease time.Duration
	// KeepFor is how long an artifact is kept that no lease names, after it was put last. 0: for ever.
	KeepFor time.Duration
	// CompressAfter is how long after it was put last an artifact is compressed, if the store can. 0: never.
	CompressAfter time.Duration
	// Quota bounds the artifacts of the store, in bytes as they were put. 0: no bound.
	Quota int64
	// SessionQuota bounds those of one session, likewise.
	SessionQuota int64
	// Now is the clock; nil: the system's, as it was when the catalog was opened, and how much time has passed
	// since. A clock that is set while the catalog is open changes nothing, and one that goes back between two
	// runs stands still until it has caught up.
	Now func() time.Time
	// OnCommit is told of every transaction that wrote to the books: how many orders it took, how long the first of them
	// waited for it, and how long its commit took with the sync. It is called by the goroutine that does everything, and
	// must not keep it waiting. nil: nobody is told.
	OnCommit func(orders int, waited, took time.Duration)
	// Logger is told of what goes wrong where nobody waits for an answer. Required.
	Logger *slog.Logger
}

// Catalog is an artifact store with books. All methods may be called at once.
type Catalog struct {
	store  artifactstore.Store
	rules  Options
	clerk  *clerk
	floor  time.Time    // no time that the catalog says is before it
	total               // of the artifacts in the books
	staged atomic.Int64 // bytes that were let in and are not in the books yet
	full   atomic.Int64 // when a search for room last found none, in Unix nanoseconds

	unfinished atomic.Bool // there may be artifacts with a tombstone
	raw        atomic.Bool // something may have been put as raw
}

// total is how much is in the books.
type total struct{ held, count atomic.Int64 }

// Open opens the books of a store, and makes them if there are none. Close the catalog before the store.
//
// Errors: ErrBooks; artifactstore.ErrFull, ErrReadOnly.
func Open(store artifactstore.Store, o Options) (*Catalog, error) {
	if o.Now == nil {
		begin := time.Now()
		o.Now = func() time.Time { return begin.Add(time.Since(begin)) }
	}
	l := &Catalog{store: store, rules: o}
	l.unfinished.Store(true)
	c, err := newClerk(o.Books, o.Volatile, &l.total, o.OnCommit)
	if err != nil {
		return nil, fmt.Errorf("books %s: %w", o.Books, err)
	}
	l.clerk = c
	err = l.clerk.do(context.Background(), func(b *books) error {
		held, count, last, err := b.totals()
		l.held.Store(held)
		l.count.Store(count)
		l.floor = last
		if err != nil {
			return err
		}
		raw, err := b.hasRaw()
		l.raw.Store(raw)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("books %s: %w", o.Books, err), c.close())
	}
	return l, nil
}

// Close ends what is under way and closes the books. The store stays open.
func (l *Catalog) Close() error { return l.clerk.close() }

// now is the time, which never goes back.
func (l *Catalog) now() time.Time {
	if t := l.rules.Now(); t.After(l.floor) {
		return t
	}
	return l.floor
}

// Waiting returns how many orders wait for the books.
func (l *Catalog) Waiting() int64 { return int64(l.clerk.queue.Waiting()) }

// Status says how much there is.
type Status struct{ Artifacts, Bytes int64 }

// Status returns how much is in the books.
func (l *Catalog) Status() Status { return Status{l.count.Load(), l.held.Load()} }
