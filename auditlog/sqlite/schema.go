package sqlite

// The tables, and rows as they are stored in them. docs/reference/audit.md shows the same columns; a test compares both.

import (
	"bytes"
	"database/sql"
	"fmt"
	"math"
	"strings"

	"github.com/toolresult/toolresult/auditlog/internal/chain"
)

// schemaVersion is the version of the schema. Databases have it in user_version.
const schemaVersion = 1

// schema returns the statements that make the tables. They are for people too: every field that one would search or group
// by is a column, and repeats the record in facts; Verify compares them. SQLite keeps the comments: ".schema" shows them.
func schema() string {
	var columns strings.Builder
	all := chain.AllColumns()
	for i, c := range all {
		comma := ","
		if i == len(all)-1 {
			comma = ""
		}
		fmt.Fprintf(&columns, "\t%s %s%s -- %s\n", c.Name, c.Type, comma, c.Comment)
	}
	return `
CREATE TABLE log ( -- one row
	name TEXT NOT NULL, -- of the log: random, given when it was made
	anchor_sequence INTEGER NOT NULL, -- last record that retention deleted; 0: none
	anchor_hash BLOB NOT NULL -- its hash: the chain goes on from it
);
CREATE TABLE records (
	sequence INTEGER PRIMARY KEY, -- place in the log, from 1, without gaps
	recorded_at TEXT NOT NULL, -- RFC 3339, UTC, milliseconds; a label: order is by sequence
` + columns.String() + `);
CREATE UNIQUE INDEX records_by_request ON records (session, request_id, part) WHERE request_id <> '';
CREATE INDEX records_by_session ON records (session) WHERE session <> '';
CREATE TABLE artifacts ( -- which records name an artifact
	sequence INTEGER NOT NULL,
	artifact TEXT NOT NULL,
	PRIMARY KEY (sequence, artifact)
) WITHOUT ROWID;
CREATE INDEX artifacts_by_name ON artifacts (artifact, sequence)
`
}

// outlineColumns are the columns of a list, in the order of outlineTargets.
const outlineColumns = "r.sequence, r.recorded_at, r.facts, r.previous_hash, r.hash"

// rowColumns returns all columns, in the order of rowTargets.
func rowColumns() string {
	return outlineColumns + ", r.receipt, r.canonical, r.payload, r." + strings.Join(chain.ColumnNames(), ", r.")
}

// insert returns the statement that stores a row, with the values of rowValues.
func insert() string {
	names := strings.ReplaceAll(rowColumns(), "r.", "")
	return "INSERT INTO records (" + names + ") VALUES (" + strings.Repeat("?, ", strings.Count(names, ",")) + "?)"
}

// rowValues returns the values of all columns, in the order of rowColumns.
func rowValues(r *chain.Row) []any {
	return append([]any{int64(r.Sequence), chain.FormatTime(r.At), r.Facts, r.Previous[:], r.Hash[:], r.Receipt, r.Canonical, r.Payload},
		r.Columns.Values()...)
}

// rowScanner reads a row of the table of records.
type rowScanner struct {
	*chain.Row
	at string
}

// outlineTargets returns pointers to read outlineColumns into.
func (s *rowScanner) outlineTargets() []any {
	return []any{chain.StoredSequence{Target: &s.Sequence}, strict{&s.at}, strict{&s.Facts}, &s.Previous, &s.Hash}
}

// rowTargets returns pointers to read rowColumns into.
func (s *rowScanner) rowTargets() []any {
	targets := append(s.outlineTargets(), strict{&s.Receipt}, strict{&s.Canonical}, strict{&s.Payload})
	for _, target := range s.Columns.ScanTargets() {
		targets = append(targets, strict{target})
	}
	return targets
}

// strict scans a value of the type that the column was written with. Of another type, which SQLite keeps in any column, it makes
// a value that no record has, so that the row is found inconsistent and reading goes on.
type strict struct{ target any }

// Scan implements [database/sql.Scanner].
func (s strict) Scan(value any) error {
	text, isText := value.(string)
	number, isNumber := value.(int64)
	blob, isBlob := value.([]byte)
	switch target := s.target.(type) {
	case *string:
		if *target = text; !isText {
			*target = "\x00"
		}
	case *int64:
		if *target = number; !isNumber {
			*target = math.MinInt64
		}
	case *sql.NullInt64:
		*target = sql.NullInt64{Int64: number, Valid: value != nil}
		if value != nil && !isNumber {
			target.Int64 = math.MinInt64
		}
	case *sql.NullString:
		*target = sql.NullString{String: text, Valid: value != nil}
		if value != nil && !isText {
			target.String = "\x00"
		}
	case *[]byte:
		if *target = bytes.Clone(blob); value != nil && !isBlob {
			*target = []byte{0}
		}
	default:
		return fmt.Errorf("scan into %T", target)
	}
	return nil
}

// row returns the row that was read. A time that cannot be parsed was altered: it becomes one that no row has, so that the
// hash does not match.
func (s *rowScanner) row() *chain.Row {
	at, err := chain.ParseTime(s.at)
	if err != nil {
		at = -1
	}
	s.At = at
	return s.Row
}
