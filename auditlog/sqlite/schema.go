package sqlite

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/auditlog/internal/chain"
)

// schemaVersion is the version of the schema, which databases have in user_version.
const schemaVersion = 1

// schema is for people too: every column that one would search or group by is a real one, and repeats what is in
// facts. Altering one is found by Verify. SQLite keeps the comments: ".schema" shows them.
func schema() string {
	var columns strings.Builder
	all := chain.AllColumns()
	for i, c := range all {
		comma := ","
		if i == len(all)-1 {
			comma = ""
		}
		fmt.Fprintf(&columns, "\t%s %s%s -- %s\n", c.Name, c.Type, comma, c.Says)
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

// outlineColumns are what a list needs, in the order of outlinePlaces.
func outlineColumns() string {
	return "r.sequence, r.recorded_at, r.facts, r.previous_hash, r.hash"
}

// rowColumns are all columns, in the order of rowPlaces.
func rowColumns() string {
	return outlineColumns() + ", r.receipt, r.canonical, r.payload, r." + strings.Join(chain.ColumnNames(), ", r.")
}

// insert is the statement that stores a row, with values in the order of rowValues.
func insert() string {
	names := strings.ReplaceAll(rowColumns(), "r.", "")
	return "INSERT INTO records (" + names + ") VALUES (" + strings.Repeat("?, ", strings.Count(names, ",")) + "?)"
}

func rowValues(r *chain.Row) []any {
	return append([]any{int64(r.Sequence), chain.Time(r.At), r.Facts, r.Previous[:], r.Hash[:], r.Receipt, r.Canonical, r.Payload},
		r.Columns.Values()...)
}

// scanned is a row that is being read.
type scanned struct {
	*chain.Row
	at string
}

func (s *scanned) outlinePlaces() []any {
	return []any{&s.Sequence, &s.at, &s.Facts, &s.Previous, &s.Hash}
}

func (s *scanned) rowPlaces() []any {
	return append(append(s.outlinePlaces(), &s.Receipt, &s.Canonical, &s.Payload), s.Columns.Places()...)
}

// done completes a row. A time that was altered makes one that does not hold.
func (s *scanned) done() *chain.Row {
	at, err := chain.ParseTime(s.at)
	if err != nil {
		at = -1
	}
	s.At = at
	return s.Row
}
