package local_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/record"
)

// The queries of docs/reference/audit.md find something in the index while the log is open.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	l := place(root).Open(t, time.Now)
	defer l.Close() // of a test
	audittest.Sample(t, l)
	if list, _, err := l.List(t.Context(), auditlog.Query{}); err != nil || len(list) == 0 { // what is listed is in the index
		t.Fatalf("%d records, %v", len(list), err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(root, "records.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() // read-only
	for _, query := range audittest.Queries(t, "With sqlite3") {
		rows, err := db.Query(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if !rows.Next() {
			t.Errorf("%s: nothing is found, %v", query, rows.Err())
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The tables of docs/reference/audit.md have the columns of the index, and what is only in PostgreSQL.
func TestDocumentedColumns(t *testing.T) {
	t.Parallel()
	document := audittest.Document(t)
	for _, columns := range [][]record.Column{record.Searched(), record.AllColumns()[len(record.Searched()):]} {
		var want strings.Builder
		for _, c := range columns {
			comment := strings.ReplaceAll(c.Comment, "refusal", "`refusal`") // a kind of record
			fmt.Fprintf(&want, "| `%s` | %s |\n", c.Name, comment)
		}
		if !strings.Contains(document, "| column | what it has |\n| --- | --- |\n"+want.String()+"\n") {
			t.Errorf("docs/reference/audit.md has no table\n%s", want.String())
		}
	}
}
