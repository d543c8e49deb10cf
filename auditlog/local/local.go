// Package local keeps an audit log in the journal of a store. An index, which is an SQLite database beside it, finds records by what is
// in them; other programs can read it too: docs/reference/audit.md has its tables.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/index"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Options configure a log.
type Options struct {
	// Journal has the records. It stays open when the log is closed. Required.
	Journal *journal.Journal
	// Index is the path of the index; empty: in memory.
	Index string
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
}

// Log is an open log. Safe for concurrent use.
type Log struct {
	o         Options
	journal   *journal.Journal
	index     *index.Index
	requests  requests
	retention sync.Mutex // locked while records are deleted, or the anchor is verified
	closed    atomic.Bool
	filling   sync.WaitGroup // filters of requests that are being made

	inconsistency string // that was found when the log was opened
	warning       string // of what the chain cannot show
}

var _ auditlog.Log = (*Log)(nil)

// Open opens the log of a journal to which nothing was appended yet since it was opened.
func Open(o Options) (*Log, error) {
	l := &Log{o: o, journal: o.Journal}
	l.requests.start(o.Journal.Tip(journal.Records).Number)
	found := o.Journal.Found(journal.Records)
	_, missing := os.Lstat(o.Index)
	var err error
	l.index, err = index.Open(index.Options{
		Path: o.Index, Journal: o.Journal, Stream: journal.Records, Schema: schema(), Version: schemaVersion, Apply: apply, Logger: o.Logger,
		Pragmas: []string{"secure_delete = ON"}, // retention leaves no deleted bytes in the file
	})
	if err != nil {
		return nil, classify(err)
	}
	if end := o.Journal.Tip(journal.Records); end.Number > found.Number { // the index, or the head file, knows more
		l.inconsistency = missingRecords(found.Number+1, end.Number)
		o.Logger.Error("the audit log is not what it was", slog.String("log", o.Journal.Name()), slog.String("why", l.inconsistency))
	}
	if o.Index != "" && found.Number > 0 && errors.Is(missing, os.ErrNotExist) {
		l.warning = "the index was missing when the log was opened: nothing proves that its end was there"
	}
	return l, nil
}

// missingRecords names the records first to last, which are missing.
func missingRecords(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d is missing", first)
	}
	return fmt.Sprintf("records %d to %d are missing", first, last)
}

// Append implements [auditlog.Appender].
func (l *Log) Append(ctx context.Context, records ...*pb.AuditRecord) (auditlog.Head, error) {
	return l.AppendWith(ctx, journal.Append{}, records...)
}

// AppendWith implements [auditlog.Appender].
func (l *Log) AppendWith(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) (auditlog.Head, error) {
	if err := l.open(); err != nil {
		return auditlog.Head{}, err
	}
	entries := make([]*journal.Entry, len(records))
	with.Notice = len(with.Entries) == 0
	for i, r := range records {
		e, err := newEntry(r)
		if err != nil {
			return auditlog.Head{}, fmt.Errorf("record %d of %d: %w", i+1, len(records), err)
		}
		entries[i] = e
		with.Notice = with.Notice && isNotice(r)
	}
	done, err := l.reserve(ctx, records)
	if err != nil {
		return auditlog.Head{}, err
	}
	with.Entries = append(with.Entries[:len(with.Entries):len(with.Entries)], entries...)
	err = l.journal.Append(ctx, with)
	done(entries, err)
	if err != nil {
		return auditlog.Head{}, classify(err)
	}
	if len(records) == 0 {
		return l.Head(ctx)
	}
	for i, r := range records {
		setPlace(r, l.journal.Name(), entries[i])
	}
	last := entries[len(entries)-1]
	return l.headAt(journal.Tip{Number: last.Number, Hash: last.Hash}), nil
}

// isNotice reports whether a record is recorded as long as anything is.
func isNotice(r *pb.AuditRecord) bool {
	return r.GetKind() == pb.AuditKind_AUDIT_KIND_REJECTION || r.GetKind() == pb.AuditKind_AUDIT_KIND_RETENTION
}

// Head implements [auditlog.Verifier].
func (l *Log) Head(context.Context) (auditlog.Head, error) {
	return l.headAt(l.journal.Tip(journal.Records)), nil
}

// headAt returns an end of this log as callers get it.
func (l *Log) headAt(t journal.Tip) auditlog.Head {
	return auditlog.Head{Log: l.journal.Name(), Sequence: t.Number, Hash: t.Hash.String()}
}

// Status implements [auditlog.Log].
func (l *Log) Status() auditlog.Status {
	s := l.journal.Status()
	return auditlog.Status{
		Log: l.journal.Name(), Records: int64(l.journal.Tip(journal.Records).Number - l.journal.Anchor(journal.Records).Number), Bytes: s.Bytes,
		Waiting: s.Waiting, LastCommit: s.LastCommit, Inconsistency: l.inconsistency, Failure: classify(s.Failure), OnReserve: s.OnReserve,
	}
}

// Close implements [auditlog.Log]. The journal stays open.
func (l *Log) Close() error {
	l.closed.Store(true)
	l.filling.Wait()
	return l.index.Close()
}

// classify wraps an error of the journal or of the index with the error of package auditlog that it means. Others pass.
func classify(err error) error {
	for from, to := range map[error]error{
		journal.ErrFull: auditlog.ErrFull, journal.ErrReadOnly: auditlog.ErrReadOnly, journal.ErrUnavailable: auditlog.ErrUnavailable,
		sqlitedb.ErrFull: auditlog.ErrFull, sqlitedb.ErrReadOnly: auditlog.ErrReadOnly, sqlitedb.ErrTransient: auditlog.ErrUnavailable,
		journal.ErrFailed: auditlog.ErrFailed, journal.ErrUnknown: auditlog.ErrUnknown, journal.ErrRetired: auditlog.ErrUnknown,
		journal.ErrDamaged: auditlog.ErrBroken, journal.ErrClosed: auditlog.ErrClosed, index.ErrClosed: auditlog.ErrClosed,
	} {
		if errors.Is(err, from) {
			return fmt.Errorf("%w: %w", to, err)
		}
	}
	return err
}

// newEntry returns the entry of a record.
func newEntry(r *pb.AuditRecord) (*journal.Entry, error) {
	row, err := record.NewRow(r)
	if err != nil {
		return nil, err
	}
	parts, err := record.Split(r)
	if err != nil {
		return nil, err
	}
	e := journal.NewEntry(journal.Records, parts.Encode())
	e.Note = row
	return e, nil
}
