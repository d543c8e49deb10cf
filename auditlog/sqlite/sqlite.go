// Package sqlite keeps an audit log in an SQLite database, which people can read with tools of their own while it is
// written: docs/audit.md has the schema and queries.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Options say where a log is and how it is kept.
type Options struct {
	// Path of the database, such as "audit.db"; empty: in memory. Beside it are the head, with the same name and
	// ".head" in the place of its extension, and the reserve, with ".reserve".
	Path string
	// Volatile leaves out the syncs: a power cut may take the last records.
	Volatile bool
	// Reserve is how many bytes of disk are kept for refusals when there is no more room; 0: 8 MiB, less than 0: none.
	Reserve int64
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Logger is told of what goes wrong where nobody waits for an answer. Required.
	Logger *slog.Logger
	// OnCommit is told of transactions; nil: nobody is.
	OnCommit auditlog.OnCommit
}

const (
	// defaultReserve has room for all that SQLite may have written ahead when the disk is full: what it copies into the
	// database at a time, and as much again that came when it could not.
	defaultReserve = 8 << 20
	// checkpointPages is how many pages SQLite writes ahead before it copies them into the database: half of the reserve.
	checkpointPages = defaultReserve / 2 / pageSize
	// pageSize of the database, in bytes: room for some records.
	pageSize = 8 << 10
	// readers is how many goroutines read at once, beside the one that writes.
	readers = 2
)

// backend is the database.
type backend struct {
	path    string
	name    string
	db      *sqlitedb.DB      // of the writer
	readers chan *sqlitedb.DB // nil: the writer reads
	opened  int               // of readers
	turn    chan struct{}     // of whoever uses db
	reserve *reserve
	count   atomic.Int64
	bytes   atomic.Int64 // of a database in memory
}

// Open opens a log, and makes it if there is none.
//
// Errors: auditlog.ErrLocked, ErrTooNew, ErrBroken (it is no database, or damaged), ErrFull, ErrReadOnly.
func Open(o Options) (auditlog.Log, error) {
	log, err := openLog(o)
	if err != nil {
		return nil, fmt.Errorf("audit log %s: %w", o.Path, meaning(err))
	}
	return log, nil
}

func openLog(o Options) (auditlog.Log, error) {
	c := chain.Options{Now: o.Now, Logger: o.Logger, OnCommit: o.OnCommit}
	b := &backend{path: o.Path, turn: make(chan struct{}, 1)}
	if o.Path != "" {
		var err error
		if c.Witness, c.Found, c.Damaged, err = chain.OpenWitness(beside(o.Path, ".head")); err != nil {
			return nil, err
		}
	}
	err := b.open(o, &c)
	if err != nil {
		err = errors.Join(err, b.Close())
		if c.Witness != nil {
			err = errors.Join(err, c.Witness.Close())
		}
		return nil, err
	}
	c.Backend = b
	return chain.New(c)
}

func beside(path, extension string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension
}

func (b *backend) open(o Options, c *chain.Options) (err error) {
	b.db, err = sqlitedb.Open(sqlitedb.Options{Path: o.Path, Volatile: o.Volatile, Schema: schema(), Version: schemaVersion,
		Pragmas: []string{
			fmt.Sprintf("page_size = %d", pageSize), fmt.Sprintf("wal_autocheckpoint = %d", checkpointPages),
			"secure_delete = ON", // what retention deleted is gone
		}})
	if err != nil {
		return err
	}
	c.Name = chain.NewName()
	if c.Found != nil {
		c.Name = c.Found.Log // if the database is gone, its log goes on
	}
	if c.Name, c.End, err = b.begin(c.Name); err != nil {
		return err
	}
	b.name = c.Name
	if o.Path != "" && o.Reserve >= 0 {
		size := o.Reserve
		if size == 0 {
			size = defaultReserve
		}
		b.reserve = newReserve(beside(o.Path, ".reserve"), size)
	}
	return b.openReaders(o)
}

// openReaders opens the connections that read beside the writer.
func (b *backend) openReaders(o Options) error {
	if b.db.Alone() {
		return nil
	}
	b.readers = make(chan *sqlitedb.DB, readers)
	for range readers {
		r, err := sqlitedb.Open(sqlitedb.Options{Path: o.Path, Reader: true})
		if err != nil {
			return err
		}
		b.readers <- r
		b.opened++
	}
	return nil
}

// begin gives a new log its name, or reads that of an old one, and the end of its chain.
func (b *backend) begin(name string) (_ string, end chain.Tip, err error) {
	var hash chain.Hash
	found, err := b.db.Row("SELECT name, anchor_sequence, anchor_hash FROM log", nil, &name, &end.Sequence, &hash)
	if err != nil {
		return "", end, err
	}
	if !found {
		return name, end, b.db.Transaction(func() error {
			return b.db.Run("INSERT INTO log VALUES (?, 0, ?)", name, end.Hash[:])
		})
	}
	end.Hash = hash
	if _, err := b.db.Row("SELECT sequence, hash FROM records ORDER BY sequence DESC LIMIT 1", nil, &end.Sequence, &end.Hash); err != nil {
		return "", end, err
	}
	var count int64
	_, err = b.db.Row("SELECT count(*) FROM records", nil, &count)
	b.count.Store(count)
	return name, end, err
}

// Stop is of [chain.Backend].
func (b *backend) Stop() {}

// Commit is of [chain.Backend].
func (b *backend) Commit(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	next, err := b.commitAll(end, at, b.admit(appends))
	if err != nil {
		return end, meaning(err)
	}
	for _, a := range appends {
		a.Err = meaning(a.Err)
		if a.Err == nil {
			b.note(a)
		}
	}
	return next, nil
}

// commitAll does appends in one transaction. Only if that fails it looks for the ones that failed.
func (b *backend) commitAll(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	next, err := b.commitTogether(end, at, appends)
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, sqlitedb.ErrConflict):
		return b.commitSingly(end, at, appends)
	case errors.Is(err, sqlitedb.ErrFull):
		return b.commitFull(end, at, appends), nil
	}
	return end, err
}

func (b *backend) commitTogether(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	if len(appends) == 0 {
		return end, nil
	}
	err := b.db.Transaction(func() (err error) {
		for _, a := range appends {
			if end, err = b.append(end, at, a); err != nil {
				return err
			}
		}
		return nil
	})
	return end, err
}

// commitSingly leaves out the appends that fail.
func (b *backend) commitSingly(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	err := b.db.Transaction(func() error {
		for _, a := range appends {
			next := end
			a.Err = b.db.Attempt(func() (err error) {
				next, err = b.append(end, at, a)
				return err
			})
			if a.Err == nil {
				end = next
			} else if !errors.Is(a.Err, sqlitedb.ErrConflict) {
				return a.Err
			}
		}
		return nil
	})
	return end, err
}

// append seals the rows of an append and stores them.
func (b *backend) append(end chain.Tip, at int64, a *chain.Append) (chain.Tip, error) {
	if err := b.retire(a.Retired); err != nil {
		return end, err
	}
	for _, r := range a.Rows {
		end = r.Seal(b.name, end, at)
		if err := b.db.Run(insertRecord, rowValues(r)...); err != nil {
			return end, err
		}
		for _, artifact := range r.Artifacts {
			if err := b.db.Run("INSERT INTO artifacts VALUES (?, ?)", int64(r.Sequence), artifact); err != nil {
				return end, err
			}
		}
	}
	return end, nil
}

var insertRecord = insert()

// retire deletes the oldest rows.
func (b *backend) retire(r *chain.Retired) error {
	if r == nil {
		return nil
	}
	last := int64(r.Last.Sequence)
	return errors.Join(b.db.Run("DELETE FROM records WHERE sequence <= ?", last),
		b.db.Run("DELETE FROM artifacts WHERE sequence <= ?", last),
		b.db.Run("UPDATE log SET anchor_sequence = ?, anchor_hash = ?", last, r.Last.Hash[:]))
}

// note counts what an append changed.
func (b *backend) note(a *chain.Append) {
	b.count.Add(int64(len(a.Rows)))
	if a.Retired != nil {
		b.count.Add(-a.Retired.Count)
	}
	if b.path == "" {
		for _, r := range a.Rows {
			b.bytes.Add(int64(len(r.Facts) + len(r.Canonical) + len(r.Payload) + len(r.Receipt.String)))
		}
	}
}

// read reads with a connection that nobody else uses.
func (b *backend) read(ctx context.Context, do func(db *sqlitedb.DB) error) error {
	if b.readers == nil {
		select {
		case b.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-b.turn }()
		if b.db == nil {
			return auditlog.ErrClosed
		}
		return meaning(do(b.db))
	}
	select {
	case db, open := <-b.readers:
		if !open {
			return auditlog.ErrClosed
		}
		defer func() { b.readers <- db }()
		return meaning(do(db))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Size is of [chain.Backend].
func (b *backend) Size() (records, bytes int64) {
	if b.path == "" {
		return b.count.Load(), b.bytes.Load()
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(b.path + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return b.count.Load(), bytes
}

// Lean is of [chain.Backend].
func (b *backend) Lean() bool { return b.reserve != nil && b.reserve.lean.Load() }

// Close is of [chain.Backend].
func (b *backend) Close() error {
	var errs []error
	for range b.opened {
		errs = append(errs, (<-b.readers).Close())
	}
	if b.readers != nil {
		close(b.readers)
	}
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	if b.db != nil {
		errs = append(errs, b.db.Close())
		b.db = nil
	}
	return errors.Join(errs...)
}

// meaning says what an error of the database means for a log.
func meaning(err error) error {
	var sentinel error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitedb.ErrConflict) && strings.Contains(err.Error(), "request_id"):
		sentinel = auditlog.ErrReused
	case errors.Is(err, sqlitedb.ErrConflict): // somebody else writes to the log
		sentinel = auditlog.ErrFailed
	case errors.Is(err, sqlitedb.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		sentinel = auditlog.ErrFull
	case errors.Is(err, sqlitedb.ErrReadOnly), errors.Is(err, syscall.EROFS):
		sentinel = auditlog.ErrReadOnly
	case errors.Is(err, sqlitedb.ErrTooNew):
		sentinel = auditlog.ErrTooNew
	case errors.Is(err, sqlitedb.ErrFailed):
		sentinel = auditlog.ErrFailed
	case errors.Is(err, sqlitedb.ErrUnreadable):
		sentinel = auditlog.ErrBroken
	case errors.Is(err, sql.ErrConnDone):
		sentinel = auditlog.ErrClosed
	default:
		return err
	}
	if errors.Is(err, sentinel) {
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
