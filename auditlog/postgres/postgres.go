// Package postgres keeps an audit log in a PostgreSQL database, which several sidecars may share. Each has a log and a chain of its own
// there.
//
// The journal of the store is the outbox: a record is appended to it, with one sync and together with what else the call appends, and the
// call is answered. In the background records are sent to the database, in their order and many in a transaction, with the hashes that
// they have in the journal. The row of the log has the last of them, and is written in the same transaction: it says how far the database
// is, so that each record is there once whatever happens meanwhile. While the database is away calls go on, until the outbox is full.
//
// Who reads gets what is in the database, and behind it what is not there yet.
//
// One process sends to a log: the one that opened it last. It has written its random name into the row of the log, and every transaction
// locks and checks that row.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/internal/journal"
)

// Options configure a log.
type Options struct {
	// DSN names the server and the database, as a URL or as keywords. The environment (PGHOST and others) completes it.
	// Required.
	DSN string
	// Schema is the schema of the tables; empty: toolresult. It is made if there is none.
	Schema string
	// Journal is the outbox, to which nothing was appended since it was opened. Its name is that of the log. It stays open when the
	// log is closed. Required.
	Journal *journal.Journal
	// Index is the path of an index of the records in the journal; empty: in memory.
	Index string
	// Limit bounds the records that are not in the database, in bytes; 0: 4 GiB. Beyond it calls are rejected.
	Limit int64
	// Kept is after how many bytes that were sent the journal gives up what was sent before; 0: 64 MiB.
	Kept int64
	// Through has Append wait until the database has the record, for a journal in memory.
	Through bool
	// Volatile does not wait until the server has made records durable.
	Volatile bool
	// Patience is the time for which a caller waits for a server that does not answer, before the server counts as away; 0: 2
	// seconds.
	Patience time.Duration
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
	// OnCommit is called after each transaction that sent records, with their number and the age of the first; nil: disabled.
	OnCommit auditlog.OnCommit
}

const (
	defaultSchema   = "toolresult"
	defaultPatience = 2 * time.Second
	defaultLimit    = 4 << 30
	defaultKept     = 64 << 20
)

// Log is an open log. Safe for concurrent use.
type Log struct {
	o       Options
	config  *pgconn.Config
	name    string // of the log
	writer  string // random name of this process, in the row of the log
	journal *journal.Journal
	local   *local.Log // what is in the journal
	readers chan *pgconn.PgConn
	sender  sender

	stop      context.Context // done when the log closes
	cancel    context.CancelFunc
	wake      chan struct{} // there may be something to send
	ended     chan struct{} // closed when the sender has ended
	closing   sync.Once
	retention sync.Mutex // locked while records are deleted, or the anchor is verified

	mu       sync.Mutex // guards the fields below
	sent     journal.Tip
	bytes    int64  // of the tables, of all logs
	anchor   uint64 // the last record that retention deleted
	pending  int64  // bytes of the records that are not sent, about
	away     error  // why the server does not answer; nil: it does, or nobody knows
	failure  error  // after which nothing is appended; nil: none
	strange  string // what of the database is not as it was
	conflict *auditlog.Inconsistency
	changed  chan struct{} // closed, and made anew, when any of them changes
	closed   bool
}

var _ auditlog.Log = (*Log)(nil)

// Open opens a log, and makes it and the tables if there are none. It takes the log over from another process that has it
// open: appends of that process fail from then on. When the server does not answer, the log is opened without it.
//
// Errors: [auditlog.ErrVersion]; ErrUnavailable for a database that is not set up, or when the log cannot be opened without it.
func Open(ctx context.Context, o Options) (*Log, error) {
	l, err := prepare(o)
	if err != nil {
		return nil, fmt.Errorf("audit log: the name of the database: %w", err) // pgconn removes the password
	}
	if err := l.open(ctx); err != nil {
		l.cancel()
		return nil, fmt.Errorf("audit log in database %s: %w", l.config.Database, err)
	}
	return l, nil
}

// prepare returns a log that is not open.
func prepare(o Options) (*Log, error) {
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Kept == 0 {
		o.Kept = defaultKept
	}
	l := &Log{
		o: o, name: o.Journal.Name(), writer: strings.ToLower(rand.Text()), journal: o.Journal, readers: make(chan *pgconn.PgConn, maxReaders),
		wake: make(chan struct{}, 1), ended: make(chan struct{}), changed: make(chan struct{}),
	}
	for range maxReaders {
		l.readers <- nil // it connects when it is needed
	}
	l.stop, l.cancel = context.WithCancel(context.Background())
	var err error
	l.config, err = l.configure()
	return l, err
}

// open connects, if the server answers, and opens what is in the journal.
func (l *Log) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.o.Patience)
	defer cancel()
	head, err := l.sender.open(ctx, l)
	if errors.Is(err, auditlog.ErrVersion) || isMisconfigured(err) {
		return err
	}
	if err != nil {
		l.setAway(err)
	} else if tip := l.journal.Tip(journal.Records); head.Number > tip.Number { // its last records are gone from the journal
		l.journal.Advance(journal.Records, head)
		if tip.Number > 0 {
			l.report(tip.Number+1, "the journal has lost "+missingNames(tip.Number+1, head.Number))
		}
	}
	l.local, err = local.Open(local.Options{Journal: l.journal, Index: l.o.Index, Logger: l.o.Logger})
	if err != nil {
		l.sender.close()
		return err
	}
	if l.journal.Tip(journal.Records).Number > l.lastSent().Number {
		l.pending = l.journal.Status().Bytes // until they are sent, nobody knows better
	}
	go l.send()
	return nil
}

// missingNames names the records first to last.
func missingNames(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d", first)
	}
	return fmt.Sprintf("records %d to %d", first, last)
}

// missingRecords says that the records first to last are missing.
func missingRecords(first, last uint64) string {
	if first == last {
		return missingNames(first, last) + " is missing"
	}
	return missingNames(first, last) + " are missing"
}

// report keeps what of the database is not as it was, for Status and for Verify.
func (l *Log) report(sequence uint64, why string) {
	l.o.Logger.Error("the audit log is not what it was", slog.String("log", l.name), slog.Uint64("sequence", sequence), slog.String("why", why))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strange == "" {
		l.strange = why
	}
}

// note changes what is guarded by mu, and wakes who waits for it.
func (l *Log) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

// setAway notes that the server does not answer; nil: it does.
func (l *Log) setAway(err error) {
	l.mu.Lock()
	was, unsent := l.away != nil, l.unsent()
	l.mu.Unlock()
	switch {
	case err == nil && was:
		l.o.Logger.Info("the database of the audit log answers again", slog.Uint64("unsent", unsent))
	case err != nil && !was:
		l.o.Logger.Warn("the database of the audit log does not answer; records wait in the journal", slog.Any("error", err), slog.Uint64("unsent", unsent))
	case err == nil:
		return
	}
	l.note(func() { l.away = err })
	l.signal()
}

// fail keeps the first error after which nothing is appended.
func (l *Log) fail(err error) {
	l.o.Logger.Error("the audit log failed, and takes no more records", slog.Any("error", err))
	l.note(func() {
		if l.failure == nil {
			l.failure = err
		}
	})
}

// signal lets the sender look for work.
func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// unsent returns the number of records that are not in the database. The caller holds l.mu.
func (l *Log) unsent() uint64 { return l.unsentOf(l.journal.Tip(journal.Records).Number) }

// unsentOf is unsent of the records up to one.
func (l *Log) unsentOf(tip uint64) uint64 {
	return tip - min(tip, max(l.sent.Number, l.journal.Anchor(journal.Records).Number))
}

// lastSent returns the last record that is in the database.
func (l *Log) lastSent() journal.Tip {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent
}

// isAway returns why the server does not answer; nil: it does, or nobody knows.
func (l *Log) isAway() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away
}

// Head implements [auditlog.Verifier].
func (l *Log) Head(ctx context.Context) (auditlog.Head, error) { return l.local.Head(ctx) }

// Status implements [auditlog.Log]. The bytes are those of the tables of all logs, and up to a minute old, and of the outbox.
func (l *Log) Status() auditlog.Status {
	s := l.local.Status()
	l.mu.Lock()
	defer l.mu.Unlock()
	tip := l.journal.Tip(journal.Records).Number
	s.Records = int64(tip - min(tip, l.anchor))
	s.Unsent = int64(l.unsentOf(tip))
	s.Bytes = l.bytes + l.pending
	if l.strange != "" {
		s.Inconsistency = l.strange
	}
	if s.Failure == nil {
		s.Failure = l.failure
	}
	return s
}

// closePause is the time for which Close sends what waits.
const closePause = 2 * time.Second

// Close implements [auditlog.Log]. It sends what waits, for a while, if the server answers; the rest is sent when the log is open again. The journal stays
// open.
func (l *Log) Close() (err error) {
	l.closing.Do(func() {
		if l.isAway() == nil {
			ctx, cancel := context.WithTimeout(context.Background(), closePause)
			defer cancel()
			_ = l.flush(ctx, l.journal.Tip(journal.Records).Number)
		}
		l.note(func() { l.closed = true })
		l.cancel()
		<-l.ended
		for range maxReaders {
			closeConn(<-l.readers)
		}
		err = l.local.Close()
	})
	return err
}
