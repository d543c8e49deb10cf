package catalog

import (
	"errors"
	"fmt"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// books are the database. One goroutine uses them at a time.
type books struct {
	*sqlitedb.DB
	total  *total // that the artifacts come to
	change change // of this transaction
}

// change is by how much a transaction changes what the books come to, and the latest time that it enters.
type change struct{ bytes, count, latest int64 }

func (c *change) add(bytes, count, at int64) {
	c.bytes += bytes
	c.count += count
	c.latest = max(c.latest, at)
}

// booksVersion is the version of the schema.
const booksVersion = 2

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
	raw       INTEGER NOT NULL DEFAULT 0,  -- 1: as the tool wrote it, before it was redacted
	UNIQUE (session, call, name)
);
CREATE INDEX uses_raw ON uses (name) WHERE raw = 1;
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
`

// fromVersion1 makes books of version 2 of those of version 1.
const fromVersion1 = `
ALTER TABLE uses ADD COLUMN raw INTEGER NOT NULL DEFAULT 0;
CREATE INDEX uses_raw ON uses (name) WHERE raw = 1;
`

// openBooks opens the books, and makes them if there are none.
func openBooks(path string, volatile bool, t *total) (*books, error) {
	db, err := sqlitedb.Open(sqlitedb.Options{Path: path, Volatile: volatile, Schema: schema, Version: booksVersion,
		Upgrades: map[int]string{1: fromVersion1}})
	if err != nil {
		return nil, failure(err)
	}
	return &books{DB: db, total: t}, nil
}

// transaction makes what do writes durable, or none of it.
func (b *books) transaction(do func() error) error {
	defer func() { b.change = change{} }()
	err := b.Transaction(func() error {
		if err := do(); err != nil {
			return err
		}
		return b.sum()
	})
	if err != nil {
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
	return b.Run("UPDATE totals SET bytes = bytes + ?, artifacts = artifacts + ?, latest = max(latest, ?)",
		b.change.bytes, b.change.count, b.change.latest)
}

// attempt does one order, and undoes it when it fails.
func (b *books) attempt(do func(*books) error) error {
	before := b.change
	err := b.Attempt(func() error { return do(b) })
	if err != nil {
		b.change = before
	}
	return err
}

// failure says what an error of the database means for a catalog.
func failure(err error) error {
	switch {
	case errors.Is(err, sqlitedb.ErrFull):
		return fmt.Errorf("%w: %w", artifactstore.ErrFull, err)
	case errors.Is(err, sqlitedb.ErrReadOnly):
		return fmt.Errorf("%w: %w", artifactstore.ErrReadOnly, err)
	case errors.Is(err, sqlitedb.ErrUnreadable), errors.Is(err, sqlitedb.ErrTooNew), errors.Is(err, sqlitedb.ErrFailed):
		return fmt.Errorf("%w: %w", ErrBooks, err)
	}
	return err
}
