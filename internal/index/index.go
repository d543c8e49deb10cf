// Package index keeps an SQLite database of what the entries of a stream of a journal say. The journal is the truth: the database is
// written without waiting for the disk, on a goroutine of its own and some entries at a time, and made again when it is missing, of another version,
// of another log, or damaged, while the journal already takes entries.
//
// Who asks sees all entries that were appended before.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// ErrClosed means that the index was closed before the call.
var ErrClosed = errors.New("the index is closed")

// Options configure an index.
type Options struct {
	// Path is the file of the database; empty: in memory.
	Path string
	// Journal has the entries, of Stream.
	Journal *journal.Journal
	Stream  journal.Stream
	// Schema makes the tables, of a version from 1. A database of another version is made again.
	Schema  string
	Version int
	// Apply writes what an entry says. An error that is not of the database is logged, and the entry is skipped.
	Apply func(db *sqlitedb.DB, e *journal.Entry) error
	// Begin and End are called around the entries of a transaction, and Stored once it is stored, and when the database was opened, with the
	// number of the last entry. Who reads an entry sees what Stored made of it.
	// Each may be nil. A transaction that fails is begun again, or left.
	Begin  func()
	End    func(db *sqlitedb.DB) error
	Stored func(db *sqlitedb.DB, applied uint64)
	// Damaged is called for unreadable entries of the journal, before Stored is called for later ones. Optional.
	Damaged func(d journal.Damage)
	// Pragmas are further pragmas of the database.
	Pragmas []string
	// Progress is the time between lines of the log that say how much of the journal was read, while that is long; 0: 5 s.
	Progress time.Duration
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
}

const (
	// batchEntries is the number of entries from which they are written at once.
	batchEntries = 256
	// maxPause is the time for which fewer wait, unless somebody asks.
	maxPause = 100 * time.Millisecond
	// maxTransaction bounds the entries of one transaction.
	maxTransaction = 4096
	// maxQueued bounds the entries that wait in memory, in bytes. Beyond that they are read from the journal.
	maxQueued = 8 << 20
	// closePause is the time for which Close writes entries that wait.
	closePause = time.Second
	// minRetry and maxRetry bound the time after which what failed is tried again. It doubles each time.
	minRetry = 20 * time.Millisecond
	maxRetry = time.Second
	// maxFailures is how often what may be over soon is tried again before the file is left.
	maxFailures = 3
	// progressPause is the time between lines about progress.
	progressPause = 5 * time.Second
	// returnPause is the time after which a file that could not be written is tried again.
	returnPause = 10 * time.Second
)

// Index is a database that follows a stream. Safe for concurrent use.
type Index struct {
	o       Options
	db      *sqlitedb.DB      // used by the goroutine of work alone
	readers chan *sqlitedb.DB // nil: in memory
	reading bool              // there are readers; likewise

	said     time.Time // when progress was logged, or reading began; zero: nothing is read; likewise
	saying   bool      // progress was logged; likewise
	failures int       // of the file, one after the other; used by the goroutine of work alone
	inMemory bool      // the file cannot be written for now; likewise
	returnAt time.Time // when the file is tried again; zero: never; likewise

	applied atomic.Uint64 // number of the last entry that is stored

	mu       sync.Mutex // guards the fields below
	queue    []*journal.Entry
	queued   int    // bytes of the data of queue
	behind   bool   // entries after the queue are to be read from the journal
	fed      uint64 // number of the last entry that follows
	requests []*request
	closed   bool
	wake     chan struct{}
	ended    chan struct{}
}

// request is a question that waits.
type request struct {
	number uint64                      // of the last entry that it must see
	ask    func(db *sqlitedb.DB) error // nil: it waits until the entry is stored
	writes bool
	taken  atomic.Bool // it is asked, or was given up
	err    error
	done   chan struct{}
}

// Open opens the index of a journal to which nothing was appended yet since it was opened, and makes it if there is none.
//
// Errors: those of package sqlitedb for a file that cannot be made.
func Open(o Options) (*Index, error) {
	if o.Progress == 0 {
		o.Progress = progressPause
	}
	x := &Index{o: o, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	if err := x.open(); err != nil {
		return nil, fmt.Errorf("index %s: %w", o.Path, errors.Join(err, x.closeDatabase()))
	}
	if o.Stored != nil {
		o.Stored(x.db, x.applied.Load())
	}
	x.fed, x.behind = o.Journal.Tip(o.Stream).Number, true
	o.Journal.Follow(o.Stream, x.feed)
	go x.work()
	return x, nil
}

// feed takes entries that were appended. It does not wait: when too many wait they are read from the journal later.
func (x *Index) feed(list []*journal.Entry) {
	x.mu.Lock()
	x.fed = list[len(list)-1].Number
	if !x.behind {
		for _, e := range list {
			x.queued += len(e.Data)
		}
		if x.queue = append(x.queue, list...); x.queued > maxQueued {
			x.behind = true
		}
	}
	signal := len(x.queue) >= batchEntries || len(x.queue) == len(list)
	x.mu.Unlock()
	if signal {
		x.signal()
	}
}

// signal lets the goroutine look for work.
func (x *Index) signal() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Applied returns the number of the last entry that is stored.
func (x *Index) Applied() uint64 { return x.applied.Load() }

// Ask calls ask with the database once it has every entry that was appended before the call. Nothing else is asked or written meanwhile,
// so ask is short. It only reads. ctx bounds the wait.
func (x *Index) Ask(ctx context.Context, ask func(db *sqlitedb.DB) error) error {
	return x.wait(ctx, &request{number: x.o.Journal.Tip(x.o.Stream).Number, ask: ask, done: make(chan struct{})})
}

// Trim is Ask for what writes: it deletes what the journal does not have any more.
func (x *Index) Trim(ctx context.Context, trim func(db *sqlitedb.DB) error) error {
	return x.wait(ctx, &request{number: x.o.Journal.Tip(x.o.Stream).Number, ask: trim, writes: true, done: make(chan struct{})})
}

// wait hands over a request, and waits until it is answered.
func (x *Index) wait(ctx context.Context, r *request) error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return ErrClosed
	}
	x.requests = append(x.requests, r)
	x.mu.Unlock()
	x.signal()
	select {
	case <-r.done:
	case <-ctx.Done():
		if r.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-r.done // it is being asked
	}
	return r.err
}

// Read is Ask beside others: ask may take long, and entries are written meanwhile. A database in memory has one connection, on which
// all wait.
func (x *Index) Read(ctx context.Context, ask func(db *sqlitedb.DB) error) error {
	if last := x.o.Journal.Tip(x.o.Stream).Number; x.applied.Load() < last {
		if err := x.wait(ctx, &request{number: last, done: make(chan struct{})}); err != nil {
			return err
		}
	}
	return x.Peek(ctx, ask)
}

// Peek is Read of what is stored. It sees every entry up to what Applied returned before the call.
func (x *Index) Peek(ctx context.Context, ask func(db *sqlitedb.DB) error) error {
	if x.readers == nil {
		return x.Ask(ctx, ask)
	}
	select {
	case db, open := <-x.readers:
		if !open {
			return ErrClosed
		}
		if db == nil { // the writer is alone, or in memory
			x.readers <- db
			return x.Ask(ctx, ask)
		}
		defer func() { x.readers <- db }()
		return ask(db)
	case <-ctx.Done():
		return ctx.Err()
	}
}
