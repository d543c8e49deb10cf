package local

// The log of an earlier version: a table of an SQLite database, and the head of its chain in a file. Its records have the hashes that
// they have here, so that they are taken over as they are.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// earlierVersion is the version of the tables that are read.
const earlierVersion = 1

// Earlier is a log of an earlier version.
type Earlier struct {
	db *sql.DB
	// Name is the name of the log, which it keeps.
	Name string

	anchor journal.Tip
	head   journal.Tip // that was kept beside the database; zero: none
}

// CheckEarlier reports why the log of an earlier version, the database at a path, cannot be read; nil when there is none. It writes
// nothing.
//
// Errors: [auditlog.ErrTooNew], [auditlog.ErrBroken] for a database that cannot be read.
func CheckEarlier(path string) error {
	version, err := sqlitedb.FileVersion(path)
	if err == nil && version > earlierVersion {
		err = fmt.Errorf("version %d, this program knows %d: %w", version, earlierVersion, auditlog.ErrTooNew)
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("audit log %s: %w", path, err)
}

// OpenEarlier opens a log of an earlier version for reading: the database at a path, and the file of its head. It returns nil if there is no
// database.
//
// Errors: those of CheckEarlier.
func OpenEarlier(path, head string) (*Earlier, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err := CheckEarlier(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	e := &Earlier{db: db}
	if err := e.read(head); err != nil {
		return nil, errors.Join(fmt.Errorf("audit log %s: %w", path, err), db.Close())
	}
	return e, nil
}

// read reads the row of the log, and the head.
func (e *Earlier) read(head string) error {
	var hash []byte
	err := e.db.QueryRow("SELECT name, anchor_sequence, anchor_hash FROM log").Scan(&e.Name, &e.anchor.Number, &hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %w", auditlog.ErrBroken, err)
	}
	copy(e.anchor.Hash[:], hash)
	text, err := os.ReadFile(head)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(text)) { // two, of which the newer one counts
		var log, digest string
		var number uint64
		if n, _ := fmt.Sscanf(line, "toolresult-audit-head 1 %s %d %s", &log, &number, &digest); n != 3 || log != e.Name || number <= e.head.Number {
			continue
		}
		if h, err := journal.ParseHash(digest); err == nil {
			e.head = journal.Tip{Number: number, Hash: h}
		}
	}
	return nil
}

// Close closes the database.
func (e *Earlier) Close() error { return e.db.Close() }

// Import brings the records into a journal that has the name of the log and no records. What is missing at the end stays visible.
func (e *Earlier) Import(ctx context.Context, j *journal.Journal) error {
	var first, last sql.NullInt64
	if err := e.db.QueryRowContext(ctx, "SELECT min(sequence), max(sequence) FROM records WHERE sequence > ?", int64(e.anchor.Number)).Scan(&first, &last); err != nil {
		return err
	}
	if first.Valid {
		err := j.Import(ctx, journal.Records, uint64(first.Int64), uint64(last.Int64), func(add func(*journal.Entry) error) error { return e.each(ctx, add) })
		if err != nil {
			return err
		}
	}
	j.Advance(journal.Records, e.anchor)
	j.Advance(journal.Records, e.head)
	return nil
}

// each calls add for every record, in their order.
func (e *Earlier) each(ctx context.Context, add func(*journal.Entry) error) error {
	rows, err := e.db.QueryContext(ctx, "SELECT sequence, recorded_at, facts, canonical, receipt, payload, previous_hash, hash FROM records WHERE sequence > ? ORDER BY sequence",
		int64(e.anchor.Number))
	if err != nil {
		return err
	}
	defer rows.Close() // its error is that of rows.Err
	for rows.Next() {
		var number int64
		var at string
		var parts record.Parts
		var previous, hash []byte
		if err := rows.Scan(&number, &at, &parts.Facts, &parts.Canonical, &parts.Receipt, &parts.Payload, &previous, &hash); err != nil {
			return err
		}
		when, err := time.Parse(time.RFC3339Nano, at)
		if err != nil || len(previous) != len(journal.Hash{}) || len(hash) != len(journal.Hash{}) {
			continue // it was altered
		}
		entry := &journal.Entry{
			Stream: journal.Records, Number: uint64(number), At: when.UnixMilli(), Data: parts.Encode(), Previous: journal.Hash(previous), Hash: journal.Hash(hash),
		}
		if err := add(entry); err != nil {
			return err
		}
	}
	return rows.Err()
}
