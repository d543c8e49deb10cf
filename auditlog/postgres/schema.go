package postgres

// The tables, for all logs of a schema. Columns have the names and the meaning that they have in the index of a local log, so that queries
// of operators differ in little more than times.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
)

// schemaVersion is the version of the tables, which the table version holds.
const schemaVersion = 2

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
COMMENT ON COLUMN logs.head_sequence IS 'the last record that is here; whoever appends has locked this row';
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
` + comments.String() + `CREATE INDEX records_by_request ON records (session, request_id, part) WHERE request_id <> '';
CREATE INDEX records_by_session ON records (log, session, sequence) WHERE session <> '';
CREATE TABLE artifacts (
	log TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	artifact TEXT NOT NULL,
	PRIMARY KEY (log, sequence, artifact)
);
COMMENT ON TABLE artifacts IS 'which records name an artifact';
CREATE INDEX artifacts_by_name ON artifacts (artifact, log, sequence);
` + fmt.Sprintf("INSERT INTO version VALUES (%d)", schemaVersion)
}

// prepareTables makes the tables if there are none. Of several sidecars that start together, one does it: an advisory lock
// serializes them.
func (l *Log) prepareTables(ctx context.Context, conn *pgconn.PgConn) error {
	// A record would be lost for a character that another encoding does not have.
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("%w, and is %s", errEncoding, encoding)
	}
	if version, err := l.version(ctx, conn); err != nil || version == schemaVersion {
		return err
	}
	return transaction(ctx, conn, func() error {
		err := query(ctx, conn, "SELECT pg_advisory_xact_lock(hashtextextended('toolresult audit log ' || $1::text, 0))", []any{l.o.Schema}, nil)
		if err != nil {
			return err
		}
		version, err := l.version(ctx, conn)
		if err != nil {
			return err
		}
		if version == schemaVersion { // another made them
			return nil
		}
		return conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+quote(l.o.Schema)+";"+schema()).Close()
	})
}

// version returns the version of the tables, 0 if there are none. Errors: [auditlog.ErrVersion].
func (l *Log) version(ctx context.Context, conn *pgconn.PgConn) (version int64, err error) {
	exists := false
	err = query(ctx, conn, "SELECT to_regclass($1::text) IS NOT NULL", []any{quote(l.o.Schema) + ".version"}, func(scan func(...any) error) error { return scan(&exists) })
	if err != nil || !exists {
		return 0, err
	}
	err = query(ctx, conn, "SELECT version FROM version", nil, func(scan func(...any) error) error { return scan(&version) })
	if err == nil && version != schemaVersion {
		err = fmt.Errorf("the tables are of version %d, this program knows %d; use another database: %w", version, schemaVersion, auditlog.ErrVersion)
	}
	return version, err
}

// transaction calls do between BEGIN and COMMIT. After an error nothing was committed, unless the connection was lost.
func transaction(ctx context.Context, conn *pgconn.PgConn, do func() error) error {
	err := conn.Exec(ctx, "BEGIN").Close()
	if err == nil {
		err = do()
	}
	if err == nil {
		return commit(ctx, conn)
	}
	if conn.IsClosed() {
		return err
	}
	if back := conn.Exec(ctx, "ROLLBACK").Close(); back != nil {
		closeConn(conn) // another connection is clean
	}
	return err
}

// commit commits. To the commit of a transaction that failed the server answers that it was rolled back, which is no error.
func commit(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, "COMMIT").ReadAll()
	if err == nil && (len(results) != 1 || results[0].CommandTag.String() != "COMMIT") {
		err = errors.New("the commit was not done")
	}
	return err
}
