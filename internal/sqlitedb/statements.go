package sqlitedb

// Transactions and statements. One goroutine uses a DB, so there is one transaction at a time and nothing is locked.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// pauses are the times between the attempts of a transaction. SQLite waits up to busy_timeout in each for locks of others.
var pauses = []time.Duration{5 * time.Millisecond, 25 * time.Millisecond, 125 * time.Millisecond}

// Transaction runs do in a transaction. All of its writes are in the database when it returns, or none if it returns an error.
//
// After ErrTransient it runs do again, up to three times, each time from its beginning and on a database without what it had
// written: do sets what it changes outside of the database, and does not add to it.
func (d *DB) Transaction(do func() error) error {
	err := d.transaction(do)
	for _, pause := range pauses {
		if !errors.Is(err, ErrTransient) {
			return err
		}
		time.Sleep(pause)
		err = d.transaction(do)
	}
	return err
}

// transaction is one attempt of Transaction.
func (d *DB) transaction(do func() error) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.Run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	d.wrote, d.undone = false, nil
	err := d.Guard(do)
	if err == nil {
		err = cmp.Or(d.failed, d.undone) // of a part that was undone
	}
	if err == nil {
		err = d.Run("COMMIT")
	}
	if err != nil {
		_ = d.Run("ROLLBACK") // there may be nothing left to undo
		return err
	}
	return d.checkFiles()
}

// checkFiles ends the database if what was just written is in a file that is gone.
func (d *DB) checkFiles() error {
	if d.files == nil || !d.wrote {
		return nil
	}
	if err := d.files.check(); err != nil {
		d.failed = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return d.failed
}

// Attempt runs a part of a transaction and undoes the part if it fails. The transaction goes on, unless SQLite has undone
// all of it, as it may after an error of the disk: then no further part runs.
func (d *DB) Attempt(do func() error) error {
	if d.undone != nil {
		return d.undone
	}
	if err := d.Run("SAVEPOINT attempt"); err != nil {
		return err
	}
	err := d.Guard(do)
	if err == nil {
		return d.Run("RELEASE attempt")
	}
	if undo := d.Run("ROLLBACK TO attempt"); undo != nil {
		d.undone = errors.Join(err, undo)
		return d.undone
	}
	return errors.Join(err, d.Run("RELEASE attempt"))
}

// Guard runs do and turns a panic into ErrFailed, which ends the database until it is opened again.
func (d *DB) Guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.failed = fmt.Errorf("%w: panic: %v\n%s", ErrFailed, p, debug.Stack())
			err = d.failed
		}
	}()
	return do()
}

// mayWrite ends the database before the first write of a transaction if its files are not what they were: one that was made
// shorter is as long as before once it is written to.
func (d *DB) mayWrite(statement string) error {
	if d.files == nil || d.wrote || !writes(statement) {
		return nil
	}
	if err := d.files.check(); err != nil {
		d.failed = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return d.failed
}

// Run executes a statement.
func (d *DB) Run(statement string, args ...any) error {
	if err := d.mayWrite(statement); err != nil {
		return err
	}
	s, err := d.prepare(statement)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(context.Background(), args...)
	d.wrote = d.wrote || writes(statement)
	return d.failure(err)
}

// writes reports whether a statement changes rows, unlike BEGIN or COMMIT.
func writes(statement string) bool {
	verb, _, _ := strings.Cut(statement, " ")
	return verb == "INSERT" || verb == "UPDATE" || verb == "DELETE"
}

// Row scans the first row of a query into places, and reports whether there is one.
func (d *DB) Row(query string, args []any, places ...any) (bool, error) {
	s, err := d.prepare(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(places...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, d.failure(err)
}

// Each calls read for each row of a query, until read fails.
func (d *DB) Each(query string, args []any, read func(scan func(...any) error) error) error {
	s, err := d.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return d.failure(err)
	}
	defer rows.Close() // its error is that of rows.Err
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return d.failure(rows.Err())
}

// prepare returns a prepared statement, which it keeps: there are few different ones.
func (d *DB) prepare(statement string) (*sql.Stmt, error) {
	if s := d.prepared[statement]; s != nil {
		return s, nil
	}
	s, err := d.conn.PrepareContext(context.Background(), statement)
	if err != nil {
		return nil, d.failure(err)
	}
	d.prepared[statement] = s
	return s, nil
}
