package local

// The tables of the index. They are for people too: every field that one would search or group by is a column.

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// schemaVersion is the version of the tables.
const schemaVersion = 1

// schema returns the statements that make the tables. SQLite keeps the comments: ".schema" shows them.
func schema() string {
	var columns strings.Builder
	all := record.Searched()
	for i, c := range all {
		comma := ","
		if i == len(all)-1 {
			comma = ""
		}
		fmt.Fprintf(&columns, "\t%s %s%s -- %s\n", c.Name, c.Type, comma, c.Comment)
	}
	return `
CREATE TABLE records (
	sequence INTEGER PRIMARY KEY, -- place in the log, from 1, without gaps
	recorded_at INTEGER NOT NULL, -- milliseconds since 1970; a label: order is by sequence
` + columns.String() + `);
CREATE INDEX records_by_request ON records (request_id) WHERE request_id <> '';
CREATE INDEX records_by_session ON records (session) WHERE session <> '';
CREATE TABLE artifacts ( -- which records name an artifact
	sequence INTEGER NOT NULL,
	artifact TEXT NOT NULL,
	PRIMARY KEY (sequence, artifact)
) WITHOUT ROWID;
CREATE INDEX artifacts_by_name ON artifacts (artifact, sequence)`
}

// insertRecord is the statement that adds a row. It is made once, so that the database finds it prepared.
var insertRecord = func() string {
	names := append([]string{"sequence", "recorded_at"}, record.ColumnNames()...)
	return "INSERT OR REPLACE INTO records (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
}()

// apply writes a record into the index.
func apply(db *sqlitedb.DB, e *journal.Entry) error {
	x, ok := e.Note.(*record.Row)
	if !ok {
		var err error
		if x, err = readRow(e); err != nil {
			return err
		}
	}
	if err := db.Run(insertRecord, append([]any{int64(e.Number), e.At}, x.Values()...)...); err != nil {
		return err
	}
	for _, artifact := range x.Artifacts {
		if err := db.Run("INSERT OR REPLACE INTO artifacts VALUES (?, ?)", int64(e.Number), artifact); err != nil {
			return err
		}
	}
	return nil
}

// readRow makes the row of a record that was read.
func readRow(e *journal.Entry) (*record.Row, error) {
	parts, err := record.Decode(e.Data)
	if err != nil {
		return nil, err
	}
	return parts.Row()
}
