package local_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/integration/audittest"
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

// The table of docs/reference/audit.md has the columns of the index, and what is only in PostgreSQL.
func TestDocumentedColumns(t *testing.T) {
	t.Parallel()
	document := audittest.Document(t)
	for where, columns := range map[string][]record.Column{
		"both": record.Searched(), "PostgreSQL alone": record.AllColumns()[len(record.Searched()):],
	} {
		var names []string
		for _, c := range columns {
			names = append(names, "`"+c.Name+"`")
		}
		if want := fmt.Sprintf("\n| %s | %s |\n", where, strings.Join(names, " ")); !strings.Contains(document, want) {
			t.Errorf("docs/reference/audit.md has no row%s", want)
		}
	}
}
