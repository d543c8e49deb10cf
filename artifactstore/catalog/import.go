package catalog

// The catalog of an earlier version, which was an SQLite database with the tables of the index.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	_ "modernc.org/sqlite" // the driver

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// earlierVersion is the latest version of the tables that are read.
const earlierVersion = 3

// CheckEarlier reports why the catalog of an earlier version, the database at a path, cannot be read; nil when there is none. It writes
// nothing.
//
// Errors: ErrCatalogUnreadable, of a later version with [sqlitedb.ErrTooNew].
func CheckEarlier(path string) error {
	version, err := sqlitedb.FileVersion(path)
	if err == nil && version > earlierVersion {
		err = fmt.Errorf("version %d, this program knows %d: %w: %w", version, earlierVersion, ErrCatalogUnreadable, sqlitedb.ErrTooNew)
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("catalog %s: %w", path, err)
}

// Import brings the catalog of an earlier version, the database at a path, into a journal that has no catalog. It reports false if there is no
// database.
//
// Errors: those of CheckEarlier; those of the journal.
func Import(ctx context.Context, path string, j *journal.Journal) (found bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err := CheckEarlier(path); err != nil {
		return false, err
	}
	sqlite, err := sql.Open("sqlite", path)
	if err != nil {
		return false, err
	}
	defer sqlite.Close() // read-only
	sqlite.SetMaxOpenConns(1)
	e := &earlier{DB: sqlite, journal: j}
	if err := e.copy(ctx); err != nil {
		return false, fmt.Errorf("catalog %s: %w", path, err)
	}
	return true, nil
}

// earlier is a database of an earlier version.
type earlier struct {
	*sql.DB
	journal *journal.Journal
	change  change // that is being filled
}

// column returns a column of a table, or 0 if the table, which is of an earlier day, does not have it.
func (e *earlier) column(ctx context.Context, table, name string) (string, error) {
	var n int
	err := e.QueryRowContext(ctx, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", table, name).Scan(&n)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
	}
	if n == 0 {
		return "0", nil
	}
	return table + "." + name, nil
}

// copy copies the database.
func (e *earlier) copy(ctx context.Context) error {
	ahead, err := e.column(ctx, "totals", "ahead_since")
	if err != nil {
		return err
	}
	if err := e.QueryRowContext(ctx, "SELECT latest, "+ahead+" FROM totals").Scan(&e.change.At, &e.change.Ahead); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
	}
	for _, step := range []func(context.Context) error{e.copySessions, e.copyNames} {
		if err := step(ctx); err != nil {
			return err
		}
		if err := e.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flush appends the change.
func (e *earlier) flush(ctx context.Context) error {
	ch := e.change
	e.change = change{At: ch.At, Ahead: ch.Ahead}
	return failure(e.journal.Append(ctx, journal.Append{Entries: []*journal.Entry{ch.entry()}}))
}

// copySessions copies the leases.
func (e *earlier) copySessions(ctx context.Context) error {
	return e.each(ctx, "SELECT session, leased_until FROM sessions", func(scan func(...any) error) error {
		var l lease
		if err := scan(&l.Session, &l.Until); err != nil {
			return err
		}
		if e.change.Sessions = append(e.change.Sessions, l); len(e.change.Sessions) < batchSize {
			return nil
		}
		return e.flush(ctx)
	})
}

// copyNames copies the artifacts with their owners.
func (e *earlier) copyNames(ctx context.Context) error {
	columns := [3]string{}
	for i, c := range [3][2]string{{"artifacts", "erased"}, {"artifacts", "packed"}, {"uses", "raw"}} {
		var err error
		if columns[i], err = e.column(ctx, c[0], c[1]); err != nil {
			return err
		}
	}
	query := "SELECT artifacts.name, digest, bytes, artifacts.stored_at, coalesce(deleted_at, 0), coalesce(deleted_why, ''), " + columns[0] + ", " + columns[1] +
		", coalesce(sequence, 0), coalesce(session, ''), coalesce(call, ''), coalesce(partial, 0), coalesce(uses.stored_at, 0), coalesce(" + columns[2] + ", 0) " +
		"FROM artifacts LEFT JOIN uses ON uses.name = artifacts.name ORDER BY artifacts.name, sequence"
	return e.each(ctx, query, func(scan func(...any) error) error {
		var n storedName
		var u storedUse
		if err := scan(&n.Name, &n.Digest, &n.Bytes, &n.Stored, &n.Deleted, &n.Why, &n.Erased, &n.Packed,
			&u.Sequence, &u.Session, &u.Call, &u.Partial, &u.Stored, &u.Raw); err != nil {
			return err
		}
		last := len(e.change.States) - 1
		if last < 0 || e.change.States[last].Name != n.Name {
			if len(e.change.States) >= batchSize {
				if err := e.flush(ctx); err != nil {
					return err
				}
			}
			e.change.States = append(e.change.States, n)
			last = len(e.change.States) - 1
		}
		if u.Sequence > 0 {
			e.change.States[last].Uses = append(e.change.States[last].Uses, u)
		}
		return nil
	})
}

// each calls read for each row of a query.
func (e *earlier) each(ctx context.Context, query string, read func(scan func(...any) error) error) error {
	rows, err := e.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
	}
	defer rows.Close() // its error is that of rows.Err
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
