package audittest

// The documentation of a log has queries for operators and a table of columns. Backends run the queries and compare the
// columns, so that neither falls behind the code.

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Document returns docs/reference/audit.md. It is called by tests of a backend, from its folder.
func Document(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Queries returns the SQL queries of docs/reference/audit.md under a heading. Each finds something in a log that Sample filled.
func Queries(t testing.TB, heading string) (queries []string) {
	t.Helper()
	_, section, _ := strings.Cut(Document(t), "\n### "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n##")
	for _, block := range strings.Split(section, "```sql\n")[1:] {
		query, _, ended := strings.Cut(block, "```")
		if !ended {
			t.Fatalf("a query does not end: %s", block)
		}
		queries = append(queries, query)
	}
	// So that a heading that was renamed does not pass for one whose queries all work.
	if len(queries) < 3 {
		t.Fatalf("%d queries under %s", len(queries), heading)
	}
	return queries
}

// Sample appends records of several kinds.
func Sample(t testing.TB, l auditlog.Log) {
	t.Helper()
	for i := range 6 {
		// Two sessions, so that a query by session does not find all.
		r := Projection(fmt.Sprint("s", i%2), fmt.Sprint("c", i), fmt.Sprint("r", i), 400)
		if i == 4 {
			r.Kind = pb.AuditKind_AUDIT_KIND_RENDERING
		}
		add(t, l, r)
	}
	add(t, l, Rejection("FIELD_MISSING"))
}
