package local

import (
	"database/sql"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/integration/audittest"
)

// rowsOf returns a database with the tables of the index and rows.
func rowsOf(t *testing.T, list ...*record.Row) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "records.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() }) // it is thrown away
	if _, err := db.Exec(schema()); err != nil {
		t.Fatal(err)
	}
	for i, x := range list {
		if _, err := db.Exec(insertRow, append([]any{i + 1, 1000}, rowValues(&x.Columns)...)...); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// People read words in the view, also those that rows have as numbers.
func TestViewHasWords(t *testing.T) {
	t.Parallel()
	r := audittest.Projection("session", "call", "request", 100)
	known, err := record.NewRow(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Method, r.Family = "/other.Service/Method", "17"
	other, err := record.NewRow(r)
	if err != nil {
		t.Fatal(err)
	}
	db := rowsOf(t, known, other)
	for i, x := range []*record.Row{known, other} {
		var got record.Columns
		query := "SELECT " + strings.Join(indexed(record.ColumnNames()), ", ") + " FROM records WHERE sequence = ?"
		if err := db.QueryRow(query, i+1).Scan(indexed(got.ScanTargets())...); err != nil {
			t.Fatal(err)
		}
		if got.RequestDigest = x.Columns.RequestDigest; got != x.Columns {
			t.Errorf("%+v, want %+v", got, x.Columns)
		}
	}
	var kind string
	if err := db.QueryRow("SELECT typeof(kind) || ' ' || typeof(method) || ' ' || typeof(family) || ' ' || typeof(status) FROM rows").Scan(&kind); err != nil || kind != "integer integer integer integer" {
		t.Errorf("the row has %s, %v", kind, err)
	}
}

// A request is found by the index, however many there are.
func TestRequestsAreIndexed(t *testing.T) {
	t.Parallel()
	db := rowsOf(t)
	rows, err := db.Query("EXPLAIN QUERY PLAN SELECT sequence FROM rows WHERE session = ? AND "+isRequest, "s", "r", "r")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() // its error is that of rows.Err
	plan := ""
	for rows.Next() {
		var a, b, c int
		var text string
		if err := rows.Scan(&a, &b, &c, &text); err != nil {
			t.Fatal(err)
		}
		plan += text + "\n"
	}
	if err := rows.Err(); err != nil || !strings.Contains(plan, "rows_by_request") {
		t.Errorf("%s, %v", plan, err)
	}
}

// Another list of words needs another version, by which indexes are made again.
func TestWordsHaveAVersion(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprintf("%d %08x", schemaVersion, crc32.ChecksumIEEE([]byte(schema()))); got != wantSchema {
		t.Errorf("version and sum of the tables are %s, want %s", got, wantSchema)
	}
}

const wantSchema = "2 3ae65eea"
