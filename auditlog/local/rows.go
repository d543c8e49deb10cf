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
const schemaVersion = 2

// schema returns the statements that make the tables. SQLite keeps the comments: ".schema" shows them.
func schema() string {
	var columns, view, known strings.Builder
	all := indexed(record.Searched())
	for i, c := range all {
		comma, kind := ",", " "+c.Type
		if i == len(all)-1 {
			comma = ""
		}
		if isWord(c.Name) {
			kind = " NOT NULL" // without a type, by which SQLite would make a text of a number
			fmt.Fprintf(&view, ",\n\tCASE typeof(%[1]s) WHEN 'integer' THEN (SELECT word FROM words WHERE number = %[1]s) ELSE %[1]s END AS %[1]s", c.Name)
		} else {
			fmt.Fprintf(&view, ",\n\t%s", c.Name)
		}
		fmt.Fprintf(&columns, "\t%s%s%s -- %s\n", c.Name, kind, comma, c.Comment)
	}
	for i, w := range words {
		fmt.Fprintf(&known, "INSERT INTO words VALUES (%d, '%s');\n", i+1, w)
	}
	return `
CREATE TABLE rows (
	sequence INTEGER PRIMARY KEY, -- place in the log, from 1, without gaps
	recorded_at INTEGER NOT NULL, -- milliseconds since 1970; a label: order is by sequence
` + columns.String() + `);
CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT NOT NULL); -- that rows have as numbers
` + known.String() + `
CREATE VIEW records AS SELECT -- rows with their words
	sequence, recorded_at` + view.String() + `
FROM rows;
CREATE INDEX rows_by_request ON rows (` + requestEnd("request_id") + `) WHERE request_id <> '';
CREATE INDEX rows_by_session ON rows (session) WHERE session <> '';
CREATE TABLE artifacts ( -- which records name an artifact
	sequence INTEGER NOT NULL,
	artifact TEXT NOT NULL,
	PRIMARY KEY (sequence, artifact)
) WITHOUT ROWID;
CREATE INDEX artifacts_by_name ON artifacts (artifact, sequence)`
}

// requestEnd returns the expression by which requests are found: the end of an id, by which ids differ whether they are random or counted.
func requestEnd(id string) string { return "substr(" + id + ", -10)" }

// isRequest is the condition on a row that its request has an id, which is two arguments.
var isRequest = "request_id = ? AND " + requestEnd("request_id") + " = " + requestEnd("?") + " AND request_id <> ''"

// insertRow is the statement that adds a row. It is made once, so that the database finds it prepared.
var insertRow = func() string {
	names := append([]string{"sequence", "recorded_at"}, indexed(record.ColumnNames())...)
	return "INSERT OR REPLACE INTO rows (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
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
	if err := db.Run(insertRow, append([]any{int64(e.Number), e.At}, rowValues(&x.Columns)...)...); err != nil {
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
