// Package chain implements audit logs over a database: how a record becomes a row and is read back, how rows are chained
// by hashes, how a chain is verified, and the head file that records the end of the chain outside of the database.
//
// A backend (packages sqlite and postgres) stores rows and knows nothing of records; a Log does all else. Rows of a log
// have consecutive sequences from 1. The hash of a row covers the hash of the row before it (hash.go), so nobody alters,
// removes or inserts one without altering all that follow, up to the head that callers and the head file have.
package chain

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/internal/groupcommit"
	"github.com/toolresult/toolresult/internal/journal"
)

// Options configure a log.
type Options struct {
	// Backend stores the rows. Required.
	Backend Backend
	// Name is the name of the log.
	Name string
	// End is the last row of the backend or, if it has none, the anchor.
	End Tip
	// HeadFile records the head outside of the backend; nil: it is not recorded.
	HeadFile *HeadFile
	// Journal has what is appended together with records, before them; nil: nothing is.
	Journal *journal.Journal
	// Remote lets a caller leave after the backend began its append, because the backend may wait for a server.
	Remote bool
	// Now is the clock; nil: that of the system.
	Now func() time.Time
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
	// OnCommit is called after each transaction that appended; nil: disabled.
	OnCommit auditlog.OnCommit
	// Check is asked after each transaction that appended. If it fails, the log fails, and nothing of the transaction is
	// acknowledged; nil: disabled.
	Check func() error
}

// Log is an audit log over a backend. Safe for concurrent use.
//
// One goroutine, that of worker, commits; end is written by it alone. Reading asks the backend at once, so that a reader
// sees each committed row, also before end has moved to it.
type Log struct {
	o          Options
	worker     *groupcommit.Worker[*Append]
	end        atomic.Pointer[Tip]
	heads      headRecorder
	lastCommit atomic.Int64          // nanoseconds
	failure    atomic.Pointer[error] // after which nothing is appended; nil: none
	retention  sync.Mutex            // locked while rows are deleted, or the anchor is verified
	start      headCheck             // of the recorded head, when the log was opened
	close      func() error
}

var _ auditlog.Log = (*Log)(nil)

// NewName returns a random name for a log.
func NewName() string { return strings.ToLower(rand.Text()) }

// New starts a log. It takes over backend and head file: if it fails, it closes them.
func New(o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{o: o, heads: headRecorder{file: o.HeadFile, log: o.Name, logger: o.Logger}}
	if err := l.checkStart(); err != nil {
		return nil, errors.Join(err, l.closeAll())
	}
	l.worker = groupcommit.Start(groupcommit.Options[*Append]{Commit: l.commitBatch, MaxBatch: maxBatch})
	l.close = sync.OnceValue(func() error {
		l.o.Backend.Stop()
		l.worker.Close()
		return l.closeAll()
	})
	return l, nil
}

// checkStart compares the end of the log with the recorded head, and records the head from which the chain goes on.
func (l *Log) checkStart() error {
	check, err := checkHead(l.o.HeadFile, l.o.Name, l.o.End, l.o.Backend)
	if err != nil {
		return err
	}
	if check.inconsistency != "" {
		l.o.Logger.Error("the audit log is not what it was", slog.String("log", l.o.Name), slog.String("why", check.inconsistency))
	}
	l.start = check
	l.end.Store(&check.end)
	return l.heads.prepare(check)
}

// closeAll closes the backend and then the head file, whose lock is that of the log.
func (l *Log) closeAll() error {
	err := l.o.Backend.Close()
	if l.o.HeadFile != nil {
		err = errors.Join(err, l.o.HeadFile.Close())
	}
	return err
}

// Head implements [auditlog.Verifier].
func (l *Log) Head(context.Context) (auditlog.Head, error) { return l.headAt(*l.end.Load()), nil }

// headAt returns an end of this log as callers get it.
func (l *Log) headAt(t Tip) auditlog.Head {
	return auditlog.Head{Log: l.o.Name, Sequence: t.Sequence, Hash: t.Hash.String()}
}

// Status implements [auditlog.Log].
func (l *Log) Status() auditlog.Status {
	s := auditlog.Status{
		Log: l.o.Name, Waiting: l.worker.Waiting(), LastCommit: time.Duration(l.lastCommit.Load()),
		Inconsistency: l.start.inconsistency, OnReserve: l.o.Backend.OnReserve(),
	}
	s.Records, s.Bytes = l.o.Backend.Size()
	if failure := l.failure.Load(); failure != nil {
		s.Failure = *failure
	}
	return s
}

// Close implements [auditlog.Log].
func (l *Log) Close() error { return l.close() }
