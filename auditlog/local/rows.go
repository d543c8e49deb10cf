package local

// The tables of the index. They are for people too: every field that one would search or group by is a column.

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// schemaVersion is the version of the tables.
const schemaVersion = 1

// row is what the index has of a record.
type row struct {
	columns   record.Columns
	artifacts []string
}

// newRow returns the row of a record. Errors: [auditlog.ErrInvalidRecord].
func newRow(r *pb.AuditRecord) (*row, error) {
	x := &row{artifacts: record.Artifacts(r)}
	x.columns = record.NewColumns(r, len(x.artifacts))
	return x, record.CheckKeys(&x.columns, x.artifacts)
}

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
	x, ok := e.Note.(*row)
	if !ok {
		var err error
		if x, err = readRow(e); err != nil {
			return err
		}
	}
	if err := db.Run(insertRecord, append([]any{int64(e.Number), e.At}, x.columns.Values()...)...); err != nil {
		return err
	}
	for _, artifact := range x.artifacts {
		if err := db.Run("INSERT OR REPLACE INTO artifacts VALUES (?, ?)", int64(e.Number), artifact); err != nil {
			return err
		}
	}
	return nil
}

// readRow makes the row of a record that was read.
func readRow(e *journal.Entry) (*row, error) {
	parts, err := record.Decode(e.Data)
	if err != nil {
		return nil, err
	}
	r, err := parts.Outline()
	if err != nil {
		return nil, err
	}
	if parts.Canonical != nil {
		r.Canonical = &pb.CanonicalToolResult{}
		if err := proto.Unmarshal(parts.Canonical, r.GetCanonical()); err != nil {
			return nil, err
		}
	}
	if parts.HasCompacted() { // it may name artifacts
		if r, err = parts.Join(); err != nil {
			return nil, err
		}
	}
	return newRow(r)
}
