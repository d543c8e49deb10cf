package postgres

// The tables, for all logs of a schema, and rows as they are stored in them. Columns have the names and the meaning that
// they have in SQLite, so that queries of operators differ in little more than times.

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/auditlog/internal/record"
)

// schemaVersion is the version of the tables. The table version has it.
const schemaVersion = 1

// schema returns the statements that make the tables, in the first schema of the search path.
func schema() string {
	var columns, comments strings.Builder
	for _, c := range record.AllColumns() {
		fmt.Fprintf(&columns, "\t%s %s,\n", c.Name, strings.NewReplacer("INTEGER", "BIGINT", "BLOB", "BYTEA").Replace(c.Type))
		fmt.Fprintf(&comments, "COMMENT ON COLUMN records.%s IS '%s';\n", c.Name, c.Comment)
	}
	return `
CREATE TABLE version (version INTEGER NOT NULL);
CREATE TABLE logs (
	name TEXT PRIMARY KEY,
	writer TEXT NOT NULL,
	head_sequence BIGINT NOT NULL,
	head_hash BYTEA NOT NULL,
	anchor_sequence BIGINT NOT NULL,
	anchor_hash BYTEA NOT NULL
);
COMMENT ON TABLE logs IS 'one row for each sidecar that keeps its records here';
COMMENT ON COLUMN logs.name IS 'random, given when the log was made';
COMMENT ON COLUMN logs.writer IS 'the process that may append: the one that opened the log last';
COMMENT ON COLUMN logs.head_sequence IS 'the last record; whoever appends has locked this row';
COMMENT ON COLUMN logs.anchor_sequence IS 'the last record that retention deleted; 0: none';
COMMENT ON COLUMN logs.anchor_hash IS 'its hash: the chain goes on from it';
CREATE TABLE records (
	log TEXT NOT NULL REFERENCES logs (name),
	sequence BIGINT NOT NULL,
	recorded_at TIMESTAMPTZ NOT NULL,
` + columns.String() + `	PRIMARY KEY (log, sequence)
);
COMMENT ON COLUMN records.sequence IS 'place in the log, from 1, without gaps';
COMMENT ON COLUMN records.recorded_at IS 'a label: order is by sequence';
` + comments.String() + `
CREATE UNIQUE INDEX records_by_request ON records (session, request_id, part) WHERE request_id <> '';
CREATE INDEX records_by_session ON records (log, session, sequence) WHERE session <> '';
CREATE TABLE artifacts (
	log TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	artifact TEXT NOT NULL,
	PRIMARY KEY (log, sequence, artifact)
);
COMMENT ON TABLE artifacts IS 'which records name an artifact';
CREATE INDEX artifacts_by_name ON artifacts (artifact, log, sequence);
`
}

// outlineColumns are the columns of a list, in the order of outlineTargets.
const outlineColumns = "r.log, r.sequence, r.recorded_at, r.facts, r.previous_hash, r.hash"

// rowColumns returns all columns, in the order of rowTargets.
func rowColumns() string {
	return outlineColumns + ", r.receipt, r.canonical, r.payload, r." + strings.Join(record.ColumnNames(), ", r.")
}

// insert returns the statement that stores a row, with the values of rowValues.
func insert() string {
	names := strings.ReplaceAll(rowColumns(), "r.", "")
	var places []string
	for i := range strings.Count(names, ",") + 1 {
		places = append(places, fmt.Sprintf("$%d", i+1))
	}
	return "INSERT INTO records (" + names + ") VALUES (" + strings.Join(places, ", ") + ")"
}

// rowValues returns the values of all columns, in the order of rowColumns.
func rowValues(r *chain.Row) []any {
	return append([]any{r.Log, int64(r.Sequence), time.UnixMilli(r.At), r.Facts, r.Previous[:], r.Hash[:], r.Receipt, r.Canonical, r.Payload},
		r.Columns.Values()...)
}

// rowScanner reads a row of the table of records.
type rowScanner struct {
	*chain.Row
	at time.Time
}

// outlineTargets returns pointers to read outlineColumns into.
func (s *rowScanner) outlineTargets() []any {
	return []any{&s.Log, chain.StoredSequence{Target: &s.Sequence}, &s.at, &s.Facts, &s.Previous, &s.Hash}
}

// rowTargets returns pointers to read rowColumns into.
func (s *rowScanner) rowTargets() []any {
	return append(append(s.outlineTargets(), &s.Receipt, &s.Canonical, &s.Payload), s.Columns.ScanTargets()...)
}

// row returns the row that was read. The hash covers milliseconds and the server keeps microseconds, so a time that is not
// whole was altered: it becomes one that no row has, and the hash does not match.
func (s *rowScanner) row() *chain.Row {
	s.At = s.at.UnixMilli()
	if !s.at.Equal(time.UnixMilli(s.At)) {
		s.At = -1
	}
	return s.Row
}
