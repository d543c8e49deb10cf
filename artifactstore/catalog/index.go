package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/index"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// db is the index of a catalog while a change is written or a question asked.
type db struct {
	*sqlitedb.DB
	sum *sum // of the transaction; nil while a question is asked
	// sequence is the place in List of what is added next.
	sequence int64
}

// sum is what a transaction adds to the totals.
type sum struct {
	bytes, count, latest int64
	changes              int64    // bytes of the changes; behind carried alone, if that is not nil
	carried              *carried // the last one; nil: none
}

// write adds to the totals.
func (s *sum) write(sql *sqlitedb.DB) error {
	if s.carried != nil {
		if err := sql.Run("UPDATE totals SET changes = 0, kept = ?, carried = ?", s.carried.Bytes, int64(s.carried.Until)); err != nil {
			return err
		}
	}
	return sql.Run("UPDATE totals SET bytes = bytes + ?, artifacts = artifacts + ?, latest = max(latest, ?), changes = changes + ?",
		s.bytes, s.count, s.latest, s.changes)
}

// next returns the place in List of what is added.
func (d *db) next() int64 {
	d.sequence++
	return d.sequence - 1
}

// add adds to the totals.
func (d *db) add(bytes, count int64) {
	d.sum.bytes += bytes
	d.sum.count += count
}

// latest notes a time that is written, in milliseconds.
func (d *db) latest(at int64) { d.sum.latest = max(d.sum.latest, at) }

// schemaVersion is the version of the tables.
const schemaVersion = 3

const schema = `
CREATE TABLE artifacts (
	name        TEXT PRIMARY KEY,
	digest      TEXT NOT NULL,             -- empty when it was found and not put
	bytes       INTEGER NOT NULL,
	stored_at   INTEGER NOT NULL,          -- when it was put last, in milliseconds since 1970
	deleted_at  INTEGER,
	deleted_why TEXT,
	erased      INTEGER NOT NULL DEFAULT 0 -- 1: it was deleted, and its file is gone
) WITHOUT ROWID;
CREATE INDEX artifacts_by_age ON artifacts (stored_at) WHERE deleted_at IS NULL;
CREATE INDEX artifacts_to_erase ON artifacts (name) WHERE deleted_at IS NOT NULL AND erased = 0;
CREATE TABLE uses (                        -- who put what
	sequence  INTEGER PRIMARY KEY,      -- its place in lists, from the number of the change
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
	latest    INTEGER NOT NULL,            -- the latest time in the catalog
	changes   INTEGER NOT NULL,            -- bytes of the changes in the journal
	kept      INTEGER NOT NULL,            -- those of them that were carried on last
	carried   INTEGER NOT NULL             -- the last change that is not needed any more
);
INSERT INTO totals VALUES (0, 0, 0, 0, 0, 0)`

// openIndex opens the index of the catalog.
func (c *Catalog) openIndex() (err error) {
	if err := removeFold(c.foldPath()); err != nil {
		c.options.Logger.Warn("what a cleaning left could not be removed", slog.Any("error", err))
	}
	c.index, err = index.Open(index.Options{
		Path: c.options.Index, Journal: c.journal, Stream: journal.Catalog, Schema: schema, Version: schemaVersion, Logger: c.options.Logger,
		Begin:   func() { c.sum = sum{} },
		Apply:   func(sql *sqlitedb.DB, e *journal.Entry) error { return apply(&db{DB: sql, sum: &c.sum}, e) },
		End:     c.sum.write,
		Damaged: func(journal.Damage) { c.mending.damaged.Store(true) },
		Stored:  func(sql *sqlitedb.DB, applied uint64) { c.stored(&db{DB: sql}, applied) },
	})
	return failure(err)
}

// stored notes what is in the index since a transaction.
func (c *Catalog) stored(d *db, applied uint64) {
	if applied < c.before.Load() {
		return // it is made again, or behind
	}
	var bytes, count, changes, kept, carried int64
	if _, err := d.Row("SELECT bytes, artifacts, changes, kept, carried FROM totals", nil, &bytes, &count, &changes, &kept, &carried); err != nil {
		c.options.Logger.Warn("the totals of the catalog cannot be read", slog.Any("error", err))
		return
	}
	c.usage.stored(bytes, count, applied)
	c.cleaner.note(changes, kept, uint64(carried))
	if c.rawBefore.Load() && !c.rawSince.Load() {
		if raw, err := d.hasRaw(); err == nil && !raw {
			c.rawBefore.Store(false)
		}
	}
}

// ask asks the index, which has every change that was appended before the call.
func (c *Catalog) ask(ctx context.Context, ask func(d *db) error) error {
	return failure(c.index.Ask(ctx, func(sql *sqlitedb.DB) error { return ask(&db{DB: sql}) }))
}

// read is ask for what may take long.
func (c *Catalog) read(ctx context.Context, ask func(d *db) error) error {
	return failure(c.index.Read(ctx, func(sql *sqlitedb.DB) error { return ask(&db{DB: sql}) }))
}

// record is append for who does not have the order. Nothing is carried on meanwhile.
func (c *Catalog) record(ctx context.Context, ch *change) error {
	c.order.RLock()
	defer c.order.RUnlock()
	return c.append(ctx, ch)
}

// append appends changes to the journal, which makes them durable. The caller has the order.
func (c *Catalog) append(ctx context.Context, changes ...*change) error {
	a := journal.Append{Notice: true} // it is short, and says what was done
	for _, ch := range changes {
		a.Entries = append(a.Entries, ch.entry())
	}
	err := failure(c.journal.Append(ctx, a))
	c.noteFailure(err)
	return err
}

// failure translates an error of the journal or of the index into one of a catalog.
func failure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrVanished):
		return fmt.Errorf("%w: %w: %w", ErrCatalogUnreadable, artifactstore.ErrVanished, err)
	case errors.Is(err, journal.ErrFull), errors.Is(err, sqlitedb.ErrFull):
		return fmt.Errorf("%w: %w", artifactstore.ErrFull, err)
	case errors.Is(err, journal.ErrReadOnly), errors.Is(err, sqlitedb.ErrReadOnly):
		return fmt.Errorf("%w: %w", artifactstore.ErrReadOnly, err)
	case errors.Is(err, journal.ErrUnavailable), errors.Is(err, sqlitedb.ErrTransient):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case errors.Is(err, journal.ErrClosed), errors.Is(err, index.ErrClosed):
		return fmt.Errorf("%w: %w", artifactstore.ErrClosed, err)
	case errors.Is(err, journal.ErrFailed), errors.Is(err, sqlitedb.ErrUnreadable), errors.Is(err, sqlitedb.ErrFailed):
		return fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
	}
	return err
}
