// Package sqlitedb opens SQLite databases: private files in WAL mode, written by one goroutine, and readable for operators with
// tools of their own. It defines no tables.
//
// A database is an index that can be made again, so it is synced at checkpoints alone: a power cut may take the last
// transactions, and leaves it whole (sqlite.org/pragma.html#pragma_synchronous, NORMAL). A database that failed is not written to
// until it is opened again. What passes is tried again for a moment, and fails the call alone: a lock of another program, memory
// that is short, a read or write that the disk does not take.
package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"

	"golang.org/x/sys/unix"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Failures of a database. They are wrapped; test for them with errors.Is.
var (
	// ErrFull means that the file system has no space. Nothing of the transaction was written, and later ones may
	// succeed.
	ErrFull = errors.New("no room for the database")
	// ErrReadOnly means that the file system is read-only. Reads still work.
	ErrReadOnly = errors.New("database is read-only")
	// ErrUnreadable means that the file is corrupt, not a database, or of another version. It is not written to until it is
	// opened again.
	ErrUnreadable = errors.New("database cannot be read")
	// ErrFailed means that a sync failed, that a file is not what it was, or that an operation panicked. The database is not written to until it is
	// opened again.
	ErrFailed = errors.New("database failed, and is not written to until it is opened again")
	// ErrVanished means that a file of the database was deleted or replaced while it was open. It comes with ErrFailed.
	ErrVanished = errors.New("the file was deleted or replaced")
	// ErrTransient means that another program has the database locked, that memory is short, or that the disk did not take a
	// read or write. Nothing of the transaction was written, and later ones may succeed.
	ErrTransient = errors.New("database cannot be used for now")
	// ErrConflict means that a row would break a rule of its table, such as that a key is unique.
	ErrConflict = errors.New("conflict")
)

// Options configure a database.
type Options struct {
	// Path is the file. If empty, the database is in memory.
	Path string
	// Volatile omits the syncs of checkpoints.
	Volatile bool
	// Schema creates the tables of a new database: statements, without a transaction. Required except for readers.
	Schema string
	// Version is the version of the schema, from 1. A database has it in user_version.
	Version int
	// Reader opens a database read-only that another DB has open.
	Reader bool
	// Pragmas are further pragmas, such as "secure_delete = ON", or for a new file "page_size = 8192".
	Pragmas []string
}

// DB is an open database. Not safe for concurrent use.
type DB struct {
	db       *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	path     string
	files    *presence // nil: in memory, or a reader
	alone    bool
	failed   error // for good
	undone   error // the transaction under way was undone by SQLite; nil: it was not
	wrote    bool  // in this transaction, or the last one
}

// Open opens a database and creates it if there is none. A full disk may have no space for the memory file that SQLite
// shares with other readers. Then the database opens too, exclusively for this DB.
//
// Errors: ErrUnreadable, ErrFull, ErrReadOnly, ErrFailed.
func Open(o Options) (*DB, error) {
	d, err := open(o, false)
	if isShmFull(err) && !o.Reader {
		return open(o, true)
	}
	return d, err
}

// isShmFull reports whether there was no space for the memory file that SQLite shares with other readers.
func isShmFull(err error) bool {
	e, ok := errors.AsType[*driver.Error](err)
	return ok && (e.Code() == lib.SQLITE_IOERR_SHMSIZE || e.Code() == lib.SQLITE_FULL)
}

// source returns the name by which the driver opens a path, with parameters (sqlite.org/uri.html). The path may have any
// bytes.
func source(path, how string) string {
	if path == "" {
		return "file::memory:"
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: how}).String()
}

// open opens a database, for this process alone if alone is set, and closes it again after an error.
func open(o Options, alone bool) (*DB, error) {
	d := &DB{prepared: map[string]*sql.Stmt{}, path: o.Path, alone: alone || o.Path == ""}
	if err := d.open(o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// open connects and prepares the tables. After an error the caller closes the database.
func (d *DB) open(o Options) error {
	if o.Path != "" && !o.Reader {
		if err := makePrivate(o.Path); err != nil {
			return err
		}
	}
	how := ""
	if o.Reader {
		how = "mode=ro"
	}
	if err := d.connect(source(o.Path, how)); err != nil {
		return err
	}
	for _, p := range d.pragmas(o) {
		if _, err := d.conn.ExecContext(context.Background(), "PRAGMA "+p); err != nil {
			return d.failure(err)
		}
	}
	if o.Reader {
		return nil
	}
	if err := d.prepareTables(o); err != nil || o.Path == "" {
		return err
	}
	if !o.Volatile {
		if _, err := d.conn.ExecContext(context.Background(), "PRAGMA synchronous = NORMAL"); err != nil {
			return d.failure(err)
		}
	}
	var err error
	d.files, err = watch(o.Path)
	return err
}

// pragmas returns the pragmas of a connection. The order matters: locking_mode must come before the first read.
func (d *DB) pragmas(o Options) (list []string) {
	if o.Reader {
		return append(list, "temp_store = MEMORY", "busy_timeout = 1000")
	}
	if d.alone && o.Path != "" {
		list = append(list, "locking_mode = EXCLUSIVE")
	}
	list = append(append(list, o.Pragmas...), "synchronous = OFF") // until the tables are there
	if o.Path != "" {
		list = append(list, "journal_mode = WAL")
	}
	return append(append(list, syncPragmas...), "temp_store = MEMORY", "busy_timeout = 250")
}

// connect opens the one connection that the DB uses. SQLite is called by one goroutine at a time.
func (d *DB) connect(source string) (err error) {
	if d.db, err = sql.Open("sqlite", source); err != nil {
		return err
	}
	d.db.SetMaxOpenConns(1)
	d.conn, err = d.db.Conn(context.Background())
	return d.failure(err)
}

// version returns the version of the tables; 0: there are none.
func (d *DB) version() (version int, err error) {
	err = d.conn.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version)
	return version, d.failure(err)
}

// prepareTables creates the tables of a new database, in one transaction.
func (d *DB) prepareTables(o Options) error {
	version, err := d.version()
	switch {
	case err != nil || version == o.Version:
		return err
	case version != 0:
		return fmt.Errorf("version %d, this program knows %d: %w", version, o.Version, ErrUnreadable)
	}
	return d.Transaction(func() error { return d.script(o.Schema, o.Version) })
}

// script runs several statements and sets the version of the tables.
func (d *DB) script(statements string, version int) error {
	_, err := d.conn.ExecContext(context.Background(), fmt.Sprintf("%s;\nPRAGMA user_version = %d", statements, version))
	return d.failure(err)
}

// makePrivate creates the file of a database for its owner alone, which SQLite would not do. Its mode, which does not
// depend on the umask, is also that of the files that SQLite creates beside it.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// Alone reports whether other processes cannot read the database while it is open.
func (d *DB) Alone() bool { return d.alone }

// Close closes the database.
func (d *DB) Close() error {
	var errs []error
	for _, s := range d.prepared {
		errs = append(errs, s.Close())
	}
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	return errors.Join(errs...)
}

// onReadOnly reports whether the file system has become read-only.
func (d *DB) onReadOnly() bool {
	var stat unix.Statfs_t
	return d.path != "" && unix.Statfs(d.path, &stat) == nil && stat.Flags&mountReadOnly != 0
}

// transient are the codes of ErrTransient (sqlite.org/rescode.html). Of SQLITE_IOERR these are the ones of a call that changed
// nothing that a commit relies on: a write that fails leaves frames in the log without the frame that commits them. A sync
// is not among them (the kernel may have dropped what it did not write), nor is a file that is shorter than it was.
var transient = []int{
	lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT, lib.SQLITE_PROTOCOL,
	lib.SQLITE_IOERR_READ, lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_NOMEM, lib.SQLITE_IOERR_BLOCKED, lib.SQLITE_IOERR_FSTAT,
	lib.SQLITE_IOERR_ACCESS, lib.SQLITE_IOERR_LOCK, lib.SQLITE_IOERR_RDLOCK, lib.SQLITE_IOERR_CHECKRESERVEDLOCK,
	lib.SQLITE_IOERR_SHMOPEN, lib.SQLITE_IOERR_SHMLOCK, lib.SQLITE_IOERR_SHMMAP,
}

// failure wraps an error of SQLite with one of this package. A failed sync or a corrupt file ends the database until it is
// opened again.
func (d *DB) failure(err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Code() == lib.SQLITE_IOERR_SHMSIZE: // before anything was written
		return fmt.Errorf("%w: %w", ErrFull, err)
	case e.Code() == lib.SQLITE_IOERR_WRITE && d.onReadOnly(): // SQLite has no other word for it
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	if slices.Contains(transient, e.Code()) || slices.Contains(transient, e.Code()&0xff) {
		return fmt.Errorf("%w: %w", ErrTransient, err)
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case lib.SQLITE_CANTOPEN: // there may be no inode left for a file beside it
		return fmt.Errorf("%w: %w", ErrTransient, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case lib.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		d.failed = fmt.Errorf("%w: %w", ErrUnreadable, err)
		return d.failed
	case lib.SQLITE_IOERR:
		d.failed = fmt.Errorf("%w: %w", ErrFailed, err)
		return d.failed
	}
	return err
}
