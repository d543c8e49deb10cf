package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/toolresult/toolresult/artifactstore"
)

// books are the database. One goroutine uses them at a time.
type books struct {
	db       *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	total    *total // that the artifacts come to
	change   change // of this transaction
	failed   error  // for good
}

// change is by how much a transaction changes what the books come to, and the latest time that it enters.
type change struct{ bytes, count, latest int64 }

func (c *change) add(bytes, count, at int64) {
	c.bytes += bytes
	c.count += count
	c.latest = max(c.latest, at)
}

// booksVersion is what this package writes into a database as its version.
const booksVersion = 1

const schema = `
CREATE TABLE artifacts (
	name        TEXT PRIMARY KEY,
	digest      TEXT NOT NULL,             -- empty when it was found and not put
	bytes       INTEGER NOT NULL,
	stored_at   INTEGER NOT NULL,          -- when it was put last, in milliseconds since 1970
	deleted_at  INTEGER,
	deleted_why TEXT,
	erased      INTEGER NOT NULL DEFAULT 0, -- 1: it was deleted, and its file is gone
	packed      INTEGER NOT NULL DEFAULT 0 -- 1: it was tried to be compressed
) WITHOUT ROWID;
CREATE INDEX artifacts_by_age ON artifacts (stored_at) WHERE deleted_at IS NULL;
CREATE INDEX artifacts_to_erase ON artifacts (name) WHERE deleted_at IS NOT NULL AND erased = 0;
CREATE INDEX artifacts_to_pack ON artifacts (stored_at) WHERE deleted_at IS NULL AND packed = 0;
CREATE TABLE uses (                        -- who put what
	sequence  INTEGER PRIMARY KEY AUTOINCREMENT,
	session   TEXT NOT NULL,               -- empty: none
	call      TEXT NOT NULL,               -- empty: not said
	name      TEXT NOT NULL REFERENCES artifacts (name),
	partial   INTEGER NOT NULL,
	stored_at INTEGER NOT NULL,
	UNIQUE (session, call, name)
);
CREATE INDEX uses_by_name ON uses (name, session);
CREATE INDEX uses_by_session ON uses (session, sequence);
CREATE TABLE sessions (
	session      TEXT PRIMARY KEY,
	leased_until INTEGER NOT NULL,         -- 0: no lease
	bytes        INTEGER NOT NULL          -- of its artifacts
) WITHOUT ROWID;
CREATE TABLE totals (                      -- one row: what the artifacts that are not deleted come to
	bytes     INTEGER NOT NULL,
	artifacts INTEGER NOT NULL,
	latest    INTEGER NOT NULL             -- the latest time in the books
);
INSERT INTO totals VALUES (0, 0, 0);
PRAGMA user_version = 1;
`

// openBooks opens the books. On a full disk there is no room for the file that SQLite shares with other readers: there
// the books open all the same, to be read by this process alone.
func openBooks(path string, volatile bool, t *total) (*books, error) {
	b, err := openShared(path, volatile, true, t)
	if e, ok := errors.AsType[*sqlite.Error](err); ok && (e.Code() == lib.SQLITE_IOERR_SHMSIZE || e.Code() == lib.SQLITE_FULL) {
		return openShared(path, volatile, false, t)
	}
	return b, err
}

func openShared(path string, volatile, shared bool, t *total) (*books, error) {
	source := "file::memory:"
	if path != "" {
		source = (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()
	}
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	b := &books{db: db, total: t, prepared: map[string]*sql.Stmt{}}
	if err := b.open(path, pragmas(path == "", volatile, shared)); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// pragmas say how a database is used: durable at every commit, with one writer, and with other readers if shared. The
// order matters: who locks must be said before anything is read.
func pragmas(memory, volatile, shared bool) (list []string) {
	if !shared {
		list = append(list, "PRAGMA locking_mode = EXCLUSIVE")
	}
	if !memory {
		list = append(list, "PRAGMA journal_mode = WAL")
	}
	if memory || volatile {
		return append(list, "PRAGMA synchronous = OFF", "PRAGMA temp_store = MEMORY")
	}
	return append(list, "PRAGMA synchronous = FULL", "PRAGMA temp_store = MEMORY")
}

func (b *books) open(path string, pragmas []string) (err error) {
	if path != "" {
		if err := makePrivate(path); err != nil {
			return err
		}
	}
	if b.conn, err = b.db.Conn(context.Background()); err != nil {
		return b.failure(err)
	}
	for _, p := range pragmas {
		if _, err := b.conn.ExecContext(context.Background(), p); err != nil {
			return b.failure(err)
		}
	}
	var version int
	if err := b.conn.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version); err != nil {
		return b.failure(err)
	}
	switch version {
	case booksVersion:
	case 0:
		if err := b.transaction(func() error { return b.run(schema) }); err != nil {
			return err
		}
	default:
		return fmt.Errorf("version %d, this program knows %d: %w", version, booksVersion, ErrBooks)
	}
	if path == "" {
		return nil
	}
	return syncDir(filepath.Dir(path))
}

// makePrivate makes the file of a database, which SQLite would let others read. Whatever the umask is, its mode is
// that of the files that SQLite puts beside it.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// syncDir makes the name of a new database durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// transaction makes what do writes durable, or none of it.
func (b *books) transaction(do func() error) error {
	if b.failed != nil {
		return b.failed
	}
	if err := b.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() { b.change = change{} }()
	err := do()
	if err == nil {
		err = b.sum()
	}
	if err == nil {
		err = b.run("COMMIT")
	}
	if err != nil {
		_ = b.run("ROLLBACK") // there may be nothing left to undo
		return err
	}
	b.total.held.Add(b.change.bytes)
	b.total.count.Add(b.change.count)
	return nil
}

// sum enters by how much the transaction changes the totals.
func (b *books) sum() error {
	if b.change == (change{}) {
		return nil
	}
	return b.run("UPDATE totals SET bytes = bytes + ?, artifacts = artifacts + ?, latest = max(latest, ?)",
		b.change.bytes, b.change.count, b.change.latest)
}

// attempt does one order, and undoes it when it fails.
func (b *books) attempt(do func(*books) error) error {
	if err := b.run("SAVEPOINT attempt"); err != nil {
		return err
	}
	before := b.change
	err := b.guarded(do)
	if err != nil {
		b.change = before
		return errors.Join(err, b.run("ROLLBACK TO attempt"), b.run("RELEASE attempt"))
	}
	return b.run("RELEASE attempt")
}

// guarded does one order. After a panic nothing is certain any more, as after an error of the disk.
func (b *books) guarded(do func(*books) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			b.failed = fmt.Errorf("books failed: panic: %v\n%s", p, debug.Stack())
			err = b.failed
		}
	}()
	return do(b)
}

func (b *books) close() error {
	var errs []error
	for _, s := range b.prepared {
		errs = append(errs, s.Close())
	}
	if b.conn != nil {
		errs = append(errs, b.conn.Close())
	}
	return errors.Join(append(errs, b.db.Close())...)
}

// run executes a statement.
func (b *books) run(statement string, args ...any) error {
	_, err := b.exec(statement, args...)
	return err
}

// exec executes a statement and returns how many rows it changed.
func (b *books) exec(statement string, args ...any) (int64, error) {
	if statement == schema { // several statements, once
		_, err := b.conn.ExecContext(context.Background(), statement)
		return 0, b.failure(err)
	}
	s, err := b.prepare(statement)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, b.failure(err)
	}
	n, err := result.RowsAffected()
	return n, b.failure(err)
}

// row reads one row into places, and reports whether there is one.
func (b *books) row(query string, args []any, places ...any) (bool, error) {
	s, err := b.prepare(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(places...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, b.failure(err)
}

// each reads rows.
func (b *books) each(query string, args []any, read func(scan func(...any) error) error) error {
	s, err := b.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return b.failure(err)
	}
	defer rows.Close() // its error is that of rows.Err
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return b.failure(rows.Err())
}

func (b *books) prepare(statement string) (*sql.Stmt, error) {
	if s := b.prepared[statement]; s != nil {
		return s, nil
	}
	s, err := b.conn.PrepareContext(context.Background(), statement)
	if err != nil {
		return nil, b.failure(err)
	}
	b.prepared[statement] = s
	return s, nil
}

// failure says what an error of the database means. After one of the disk nothing is certain any more, so
// nothing is promised until the books are opened again.
func (b *books) failure(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", artifactstore.ErrFull, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", artifactstore.ErrReadOnly, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		b.failed = fmt.Errorf("%w: %w", ErrBooks, err)
		return b.failed
	case lib.SQLITE_IOERR:
		b.failed = fmt.Errorf("books failed, and are not written to until the next start: %w", err)
		return b.failed
	}
	return err
}
