// Package sqlite keeps an audit log in an SQLite database. Other programs can read it while it is written: docs/reference/audit.md
// has the schema and queries.
//
// One connection writes, within the transactions of package chain; two others read. A file beside the database reserves
// disk space, so that rejections are still recorded on a full disk (reserve.go).
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

// Options configure a log.
type Options struct {
	// Path is the path of the database, such as "audit.db"; empty: in memory. Beside it are the head file, with ".head"
	// in the place of its extension, and the reserve, with ".reserve".
	Path string
	// Volatile omits syncs: a power cut may take the last records.
	Volatile bool
	// Reserve is the disk space, in bytes, that is reserved for rejections on a full disk; 0: 8 MiB, less than 0: none.
	Reserve int64
	// Now is the clock; nil: that of the system.
	Now func() time.Time
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
	// OnCommit is called after each transaction that appended; nil: disabled.
	OnCommit auditlog.OnCommit
	// Check is asked after each transaction that appended, whether what the records are about is still there. If it fails,
	// the log fails; nil: disabled.
	Check func() error
}

const (
	// defaultReserve suffices for all pages that SQLite may have written ahead when the disk is full: those that it copies
	// into the database at a time, and as many that were appended while it could not.
	defaultReserve = 8 << 20
	// checkpointPages is the number of pages in the write-ahead log from which SQLite copies them into the database: half
	// of the reserve.
	checkpointPages = defaultReserve / 2 / pageSize
	// pageSize is the page size of the database, in bytes. Some records fit into a page.
	pageSize = 8 << 10
	// readers is the number of connections that read beside the one that writes.
	readers = 2
)

// backend stores the rows of a log in an SQLite database.
type backend struct {
	path    string // empty: in memory
	name    string // of the log
	writer  *sqlitedb.DB
	lock    chan struct{}     // has an element while a goroutine uses writer
	readers chan *sqlitedb.DB // idle ones; nil: writer reads too
	opened  int               // readers
	reserve *reserve          // nil: none
	count   atomic.Int64      // rows
	bytes   atomic.Int64      // of a database in memory
}

var _ chain.Backend = (*backend)(nil)

// Open opens a log, and makes it if there is none.
//
// Errors: [auditlog.ErrLocked], ErrTooNew, ErrBroken (the file is no database, or corrupt), ErrFull, ErrReadOnly.
func Open(o Options) (auditlog.Log, error) {
	log, err := openLog(o)
	if err != nil {
		return nil, fmt.Errorf("audit log %s: %w", o.Path, classify(err))
	}
	return log, nil
}

// openLog takes the lock of the head file before it opens the database: of two processes the second one must not even
// read it.
func openLog(o Options) (auditlog.Log, error) {
	c := chain.Options{Now: o.Now, Logger: o.Logger, OnCommit: o.OnCommit, Check: o.Check}
	b := &backend{path: o.Path, lock: make(chan struct{}, 1)}
	if o.Path != "" {
		var err error
		if c.HeadFile, err = chain.OpenHeadFile(siblingPath(o.Path, ".head")); err != nil {
			return nil, err
		}
	}
	err := b.open(o, &c)
	if err != nil {
		err = errors.Join(err, b.Close())
		if c.HeadFile != nil {
			err = errors.Join(err, c.HeadFile.Close())
		}
		return nil, err
	}
	c.Backend = b
	return chain.New(c)
}

// siblingPath returns path with another extension.
func siblingPath(path, extension string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension
}

// open opens the database and sets the name and the end of the log.
func (b *backend) open(o Options, c *chain.Options) (err error) {
	b.writer, err = sqlitedb.Open(sqlitedb.Options{Path: o.Path, Volatile: o.Volatile, Schema: schema(), Version: schemaVersion,
		Pragmas: []string{
			fmt.Sprintf("page_size = %d", pageSize), fmt.Sprintf("wal_autocheckpoint = %d", checkpointPages),
			"secure_delete = ON", // retention leaves no deleted bytes in the file
		}})
	if err != nil {
		return err
	}
	if c.Name, c.End, err = b.readEnd(c.HeadFile.LogName()); err != nil {
		return err
	}
	b.name = c.Name
	if o.Path != "" && o.Reserve >= 0 {
		size := o.Reserve // less than 0 is none, and 0 the default
		if size == 0 {
			size = defaultReserve
		}
		b.reserve = newReserve(siblingPath(o.Path, ".reserve"), size)
	}
	return b.openReaders(o)
}

// openReaders opens the connections that read beside the writer, if the database allows any.
func (b *backend) openReaders(o Options) error {
	if b.writer.Alone() {
		return nil
	}
	// Readers see committed rows, and neither wait for the writer nor make it wait (sqlite.org/wal.html).
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

// readEnd reads the name of the log and the end of its chain. A new log gets the name that is given.
func (b *backend) readEnd(name string) (_ string, end chain.Tip, err error) {
	var hash chain.Hash
	found, err := b.writer.Row("SELECT name, anchor_sequence, anchor_hash FROM log", nil, &name, &end.Sequence, &hash)
	if err != nil {
		return "", end, err
	}
	if !found { // a new database, or one whose log table was emptied: the head file shows which
		return name, end, b.writer.Transaction(func() error {
			return b.writer.Run("INSERT INTO log VALUES (?, 0, ?)", name, end.Hash[:])
		})
	}
	end.Hash = hash // of the anchor, which is the end if there are no rows
	if _, err := b.writer.Row("SELECT sequence, hash FROM records ORDER BY sequence DESC LIMIT 1", nil, &end.Sequence, &end.Hash); err != nil {
		return "", end, err
	}
	var count int64
	_, err = b.writer.Row("SELECT count(*) FROM records", nil, &count)
	b.count.Store(count)
	return name, end, err
}

// withReader calls query with a connection that no other goroutine uses.
func (b *backend) withReader(ctx context.Context, query func(db *sqlitedb.DB) error) error {
	if b.readers == nil {
		return b.withWriter(ctx, query)
	}
	select {
	case db, open := <-b.readers:
		if !open {
			return auditlog.ErrClosed
		}
		defer func() { b.readers <- db }()
		return classify(query(db))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// withWriter calls query with the connection that writes, between two commits.
func (b *backend) withWriter(ctx context.Context, query func(db *sqlitedb.DB) error) error {
	select { // a mutex could not be given up when ctx ends
	case b.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.lock }()
	if b.writer == nil {
		return auditlog.ErrClosed
	}
	return classify(query(b.writer))
}

// Size implements [chain.Usage].
func (b *backend) Size() (records, bytes int64) {
	if b.path == "" {
		return b.count.Load(), b.bytes.Load()
	}
	// The file, and the log of what is not in it yet. Shared memory takes no disk.
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(b.path + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return b.count.Load(), bytes
}

// OnReserve implements [chain.Usage].
func (b *backend) OnReserve() bool { return b.reserve != nil && b.reserve.inUse.Load() }

// Stop implements [chain.Committer]. No Commit waits here.
func (b *backend) Stop() {}

// Close implements [chain.Committer]. It waits for readers that are in use.
func (b *backend) Close() error {
	var errs []error
	// A reader that is in use comes back to the channel; then no further one can begin.
	for range b.opened {
		errs = append(errs, (<-b.readers).Close())
	}
	if b.readers != nil {
		close(b.readers)
	}
	b.lock <- struct{}{}
	defer func() { <-b.lock }()
	if b.writer != nil {
		errs = append(errs, b.writer.Close())
		b.writer = nil
	}
	return errors.Join(errs...)
}

// classify wraps an error of the database with the error of package auditlog that it means. Others pass.
func classify(err error) error {
	var sentinel error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitedb.ErrConflict) && strings.Contains(err.Error(), "request_id"):
		sentinel = auditlog.ErrReused
	case errors.Is(err, sqlitedb.ErrConflict): // another program wrote to the log
		sentinel = auditlog.ErrFailed
	case errors.Is(err, sqlitedb.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		sentinel = auditlog.ErrFull
	case errors.Is(err, sqlitedb.ErrReadOnly), errors.Is(err, syscall.EROFS):
		sentinel = auditlog.ErrReadOnly
	case errors.Is(err, sqlitedb.ErrTransient):
		sentinel = auditlog.ErrUnavailable
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
