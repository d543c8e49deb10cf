package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/postgres"
)

// dsn returns the name of the server, or skips the test.
func dsn(t testing.TB) string {
	t.Helper()
	name := os.Getenv("TOOLRESULT_POSTGRES")
	if name == "" && os.Getenv("TOOLRESULT_LEGS") == "all" {
		t.Fatal("TOOLRESULT_LEGS=all, and this test cannot run: TOOLRESULT_POSTGRES names no server; auditlog/postgres/start.sh runs one")
	}
	if name == "" {
		t.Skip("SKIPPED: TOOLRESULT_POSTGRES names no server; `make postgres` runs one")
	}
	return name
}

// place is a schema for one test, and the path of a head file.
type place struct{ dsn, schema, head string }

func newPlace(t testing.TB) place {
	t.Helper()
	p := place{dsn(t), fmt.Sprintf("audit test %d", rand.Uint64()), filepath.Join(t.TempDir(), "audit.head")}
	t.Cleanup(func() { p.Exec(t, "DROP SCHEMA IF EXISTS "+pgx.Identifier{p.schema}.Sanitize()+" CASCADE") })
	return p
}

func (p place) options(now func() time.Time) postgres.Options {
	return postgres.Options{DSN: p.dsn, Schema: p.schema, Head: p.head, Now: now, Logger: slog.New(slog.DiscardHandler)}
}

func (p place) Open(t testing.TB, now func() time.Time) auditlog.Log {
	t.Helper()
	o := p.options(now)
	o.Volatile = true // the suite cuts no power
	l, err := postgres.Open(context.Background(), o)
	must(t, err)
	return l
}

// other returns the place of another sidecar that shares the database.
func (p place) other(t testing.TB) place {
	p.head = filepath.Join(t.TempDir(), "other.head")
	return p
}

func (p place) connect(t testing.TB) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(p.dsn)
	must(t, err)
	config.RuntimeParams["search_path"] = pgx.Identifier{p.schema}.Sanitize()
	config.RuntimeParams["synchronous_commit"] = "off"
	conn, err := pgx.ConnectConfig(context.Background(), config)
	must(t, err)
	return conn
}

func (p place) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	conn := p.connect(t)
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (place) Persistent() bool { return true }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestServerMeetsContract(t *testing.T) {
	dsn(t)
	audittest.Run(t, func(t testing.TB) audittest.Place { return newPlace(t) })
	audittest.RunTables(t, func(t testing.TB) audittest.Tables { return newPlace(t) })
}

// TestDocumentedQueries runs the queries of docs/reference/audit.md.
func TestDocumentedQueries(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	audittest.Sample(t, l)
	conn := p.connect(t)
	defer conn.Close(context.Background())
	for _, query := range audittest.Queries(t, "With psql") {
		rows, err := conn.Query(t.Context(), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if !rows.Next() {
			t.Errorf("%s: nothing is found, %v", query, rows.Err())
		}
		rows.Close()
	}
}
