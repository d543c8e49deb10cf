package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
)

// TestDocumentedQueries runs the queries of the document while the log is open.
func TestDocumentedQueries(t *testing.T) {
	f := file{filepath.Join(t.TempDir(), "audit.db")}
	l := f.Open(t, nil)
	defer l.Close() // of a test
	audittest.Sample(t, l)
	db, err := sql.Open("sqlite", "file:"+f.path+"?mode=ro")
	must(t, err)
	defer db.Close()
	for _, query := range audittest.Queries(t, "With sqlite3") {
		rows, err := db.Query(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if !rows.Next() {
			t.Errorf("%s: nothing is found, %v", query, rows.Err())
		}
		must(t, rows.Close())
	}
}

// TestDocumentedColumns compares the table of the document with the schema.
func TestDocumentedColumns(t *testing.T) {
	var want strings.Builder
	for _, c := range chain.AllColumns() {
		comment := strings.ReplaceAll(c.Comment, "refusal", "`refusal`") // a kind of record
		fmt.Fprintf(&want, "| `%s` | %s |\n", c.Name, comment)
	}
	if !strings.Contains(audittest.Document(t), "| column | what it has |\n| --- | --- |\n"+want.String()+"\n") {
		t.Errorf("docs/reference/audit.md has another table than:\n%s", want.String())
	}
}
