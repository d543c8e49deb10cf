package catalog

import (
	"errors"
	"fmt"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// db is the database of a catalog. One goroutine uses it at a time.
type db struct {
	*sqlitedb.DB
	total  *total // in memory, kept equal to the table totals
	change change // of the transaction under way
}

// change is the difference that a transaction makes to the totals, and the latest time that it writes.
type change struct{ bytes, count, latest int64 }

// add adds to the change. at is a time that the transaction writes, in milliseconds.
func (c *change) add(bytes, count, at int64) {
	c.bytes += bytes
	c.count += count
	c.latest = max(c.latest, at)
}

// schemaVersion is the version of the schema. A database of an earlier one is upgraded when it is opened.
const schemaVersion = 3

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
	latest    INTEGER NOT NULL,            -- the latest time in the books
	ahead_since INTEGER NOT NULL DEFAULT 0 -- the latest time when the clock jumped that is not believed yet; 0: it is
);
INSERT INTO totals VALUES (0, 0, 0, 0);
`

// fromVersion1 upgrades a database of version 1 to version 2.
const fromVersion1 = `
ALTER TABLE uses ADD COLUMN raw INTEGER NOT NULL DEFAULT 0;
CREATE INDEX uses_raw ON uses (name) WHERE raw = 1;
`

// fromVersion2 upgrades a database of version 2 to version 3.
const fromVersion2 = `
ALTER TABLE totals ADD COLUMN ahead_since INTEGER NOT NULL DEFAULT 0;
`

// openDB opens the database and creates it if there is none.
func openDB(path string, volatile bool, t *total) (*db, error) {
	sql, err := sqlitedb.Open(sqlitedb.Options{Path: path, Volatile: volatile, Schema: schema, Version: schemaVersion,
		Upgrades: map[int]string{1: fromVersion1, 2: fromVersion2}})
	if err != nil {
		return nil, failure(err)
	}
	return &db{DB: sql, total: t}, nil
}

// transaction runs do and makes all of its writes durable, or none of them.
func (d *db) transaction(do func() error) error {
	defer func() { d.change = change{} }()
	err := d.Transaction(func() error {
		d.change = change{}
		if err := do(); err != nil {
			return err
		}
		return d.sum()
	})
	if err != nil {
		return err
	}
	d.total.bytes.Add(d.change.bytes)
	d.total.count.Add(d.change.count)
	return nil
}

// sum writes the change of the transaction to the table of totals.
func (d *db) sum() error {
	if d.change == (change{}) {
		return nil
	}
	return d.Run("UPDATE totals SET bytes = bytes + ?, artifacts = artifacts + ?, latest = max(latest, ?)",
		d.change.bytes, d.change.count, d.change.latest)
}

// attempt runs one operation of a transaction and undoes it if it fails.
func (d *db) attempt(do func(*db) error) error {
	before := d.change
	err := d.Attempt(func() error { return do(d) })
	if err != nil {
		d.change = before
	}
	return err
}

// failure translates an error of the database into one of a catalog.
func failure(err error) error {
	switch {
	case errors.Is(err, sqlitedb.ErrFull):
		return fmt.Errorf("%w: %w", artifactstore.ErrFull, err)
	case errors.Is(err, sqlitedb.ErrReadOnly):
		return fmt.Errorf("%w: %w", artifactstore.ErrReadOnly, err)
	case errors.Is(err, sqlitedb.ErrTransient):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case errors.Is(err, sqlitedb.ErrVanished):
		return fmt.Errorf("%w: %w: %w", ErrCatalogUnreadable, artifactstore.ErrVanished, err)
	case errors.Is(err, sqlitedb.ErrUnreadable), errors.Is(err, sqlitedb.ErrTooNew), errors.Is(err, sqlitedb.ErrFailed):
		return fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
	}
	return err
}
