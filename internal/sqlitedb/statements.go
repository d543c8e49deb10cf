package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// Transaction makes what do writes durable, or none of it.
func (d *DB) Transaction(do func() error) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.Run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	d.wrote = false
	err := d.Guard(do)
	if err == nil {
		err = d.failed // of a part that was undone
	}
	if err == nil {
		began := time.Now()
		err = d.Run("COMMIT")
		d.took = time.Since(began)
	}
	if err != nil {
		_ = d.Run("ROLLBACK") // there may be nothing left to undo
	}
	return err
}

// LastCommit says whether the last transaction wrote anything, and how long it took to make that durable.
func (d *DB) LastCommit() (wrote bool, took time.Duration) { return d.wrote, d.took }

// Attempt does a part of a transaction, and undoes it when it fails.
func (d *DB) Attempt(do func() error) error {
	if err := d.Run("SAVEPOINT attempt"); err != nil {
		return err
	}
	if err := d.Guard(do); err != nil {
		return errors.Join(err, d.Run("ROLLBACK TO attempt"), d.Run("RELEASE attempt"))
	}
	return d.Run("RELEASE attempt")
}

// Guard does something with the database. After a panic nothing is certain any more, as after an error of the disk.
func (d *DB) Guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.failed = fmt.Errorf("%w: panic: %v\n%s", ErrFailed, p, debug.Stack())
			err = d.failed
		}
	}()
	return do()
}

// Run executes a statement.
func (d *DB) Run(statement string, args ...any) error {
	s, err := d.prepare(statement)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(context.Background(), args...)
	d.wrote = d.wrote || writes(statement)
	return d.failure(err)
}

// Exec executes a statement and returns how many rows it changed.
func (d *DB) Exec(statement string, args ...any) (int64, error) {
	s, err := d.prepare(statement)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, d.failure(err)
	}
	d.wrote = d.wrote || writes(statement)
	n, err := result.RowsAffected()
	return n, d.failure(err)
}

// writes reports whether a statement changes rows, and does not only order what others do.
func writes(statement string) bool {
	verb, _, _ := strings.Cut(statement, " ")
	return verb == "INSERT" || verb == "UPDATE" || verb == "DELETE"
}

// Row reads one row into places, and reports whether there is one.
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

// Each reads rows.
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

// prepare keeps what it prepared: statements are few.
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
