package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/postgres"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// place is a schema for one test, and a directory for the journal.
type place struct{ dsn, schema, dir string }

func newPlace(t testing.TB) place {
	t.Helper()
	p := place{dsn(t), fmt.Sprintf("audit test %d", rand.Uint64()), t.TempDir()}
	t.Cleanup(func() { p.Exec(t, "DROP SCHEMA IF EXISTS "+quote(p.schema)+" CASCADE") })
	return p
}

// quote returns a name as statements have it.
func quote(name string) string { return `"` + name + `"` }

// quiet is a logger for tests that expect errors.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// options returns the options of a log over a journal that is opened for it.
func (p place) options(t testing.TB, now func() time.Time) postgres.Options {
	t.Helper()
	j, err := journal.Open(journal.Options{Dir: filepath.Join(p.dir, "journal"), SegmentSize: 256 << 10, Now: now, Logger: quiet()})
	must(t, err)
	return postgres.Options{DSN: p.dsn, Schema: p.schema, Journal: j, Index: filepath.Join(p.dir, "records.db"), Logger: quiet()}
}

// opened closes the journal, too.
type opened struct {
	*postgres.Log
	journal *journal.Journal
}

// Close closes the log and its journal.
func (o opened) Close() error { return errors.Join(o.Log.Close(), o.journal.Close()) }

// open opens a log with options, or returns the error after which the journal is closed.
func open(t testing.TB, o postgres.Options) (opened, error) {
	t.Helper()
	l, err := postgres.Open(context.Background(), o)
	if err != nil {
		must(t, o.Journal.Close())
	}
	return opened{l, o.Journal}, err
}

// mustOpen opens a log with options.
func mustOpen(t testing.TB, o postgres.Options) opened {
	t.Helper()
	l, err := open(t, o)
	must(t, err)
	return l
}

func (p place) Open(t testing.TB, now func() time.Time) auditlog.Log {
	t.Helper()
	o := p.options(t, now)
	o.Volatile = true // the suite cuts no power of the server
	return mustOpen(t, o)
}

// other returns the place of another sidecar that shares the database.
func (p place) other(t testing.TB) place {
	p.dir = t.TempDir()
	return p
}

// sent waits until everything is in the database.
func sent(t testing.TB, l auditlog.Log) {
	t.Helper()
	waitFor(func(int64) bool { return l.Status().Unsent == 0 }, 0)
	if s := l.Status(); s.Unsent != 0 {
		t.Fatalf("%+v", s)
	}
}

func (p place) connect(t testing.TB) *pgconn.PgConn {
	t.Helper()
	config, err := pgconn.ParseConfig(p.dsn)
	must(t, err)
	config.RuntimeParams["search_path"] = quote(p.schema)
	config.RuntimeParams["synchronous_commit"] = "off"
	conn, err := pgconn.ConnectConfig(context.Background(), config)
	must(t, err)
	return conn
}

func (p place) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	conn := p.connect(t)
	defer conn.Close(context.Background())
	var values [][]byte
	var formats []int16
	for _, arg := range args {
		if b, ok := arg.([]byte); ok {
			values, formats = append(values, b), append(formats, 1)
		} else {
			values, formats = append(values, fmt.Append(nil, arg)), append(formats, 0)
		}
	}
	if result := conn.ExecParams(context.Background(), statement, values, nil, formats, nil).Read(); result.Err != nil {
		t.Fatalf("%s: %v", statement, result.Err)
	}
}

func (place) Persistent() bool { return true }

// must fails t on an error.
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
	sent(t, l)
	conn := p.connect(t)
	defer conn.Close(context.Background())
	for _, query := range audittest.Queries(t, "With psql") {
		result := conn.ExecParams(t.Context(), query, nil, nil, nil, nil).Read()
		if result.Err != nil || len(result.Rows) == 0 {
			t.Errorf("%s: %d rows, %v", query, len(result.Rows), result.Err)
		}
	}
}
