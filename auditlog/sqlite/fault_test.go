package sqlite_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
)

// faultyCall is a call on a log whose database has a fault.
type faultyCall struct {
	call  func(ctx context.Context, l auditlog.Log) error
	fails string // the faults with which the call fails
}

// faultyCalls are calls on a log of three records with an artifact each, of which the clock is an hour ahead.
func faultyCalls() map[string]faultyCall {
	return map[string]faultyCall{
		"append": {func(ctx context.Context, l auditlog.Log) error {
			_, err := l.Append(ctx, audittest.Projection("s", "new", "", 500))
			return err
		}, "records column insert insert-artifact"},
		"get": {func(ctx context.Context, l auditlog.Log) error { _, err := l.Get(ctx, 2); return err },
			"records column number null artifact null-artifact"},
		"find": {func(ctx context.Context, l auditlog.Log) error { _, err := l.Find(ctx, "s", "r1"); return err },
			"records column number null artifact null-artifact"},
		"list": {func(ctx context.Context, l auditlog.Log) error {
			_, _, err := l.List(ctx, auditlog.Query{})
			return err
		}, "records null"},
		"list by artifact": {func(ctx context.Context, l auditlog.Log) error {
			_, _, err := l.List(ctx, auditlog.Query{Artifact: "/store/abc/c1"})
			return err
		}, "records null artifact"},
		"verify": {func(ctx context.Context, l auditlog.Log) error {
			_, err := l.Verify(ctx, 0, func(auditlog.Inconsistency) error { return nil })
			return err
		}, "records column number null artifact null-artifact anchor anchor-text"},
		"retain": {func(ctx context.Context, l auditlog.Log) error {
			_, err := l.Retain(ctx, time.Now().Add(time.Hour))
			return err
		},
			"records null column insert delete delete-artifact anchor anchor-text update-anchor"},
	}
}

// withoutRules replaces a table by one that takes NULL everywhere.
func withoutRules(table string) string {
	return "CREATE TABLE loose AS SELECT * FROM " + table + "; DROP TABLE " + table + "; ALTER TABLE loose RENAME TO " + table + "; "
}

func abort(on string) string {
	return "CREATE TRIGGER fault BEFORE " + on + " BEGIN SELECT json('no JSON'); END"
}

// faults are statements that break a database for some of its readers and writers.
var faults = map[string]string{
	"records":         "ALTER TABLE records RENAME COLUMN facts TO gone",
	"column":          "ALTER TABLE records RENAME COLUMN payload TO gone",
	"artifact":        "ALTER TABLE artifacts RENAME COLUMN artifact TO gone",
	"anchor":          "ALTER TABLE log RENAME COLUMN anchor_hash TO gone",
	"number":          "UPDATE records SET part = 'no number'",
	"null":            withoutRules("records") + "UPDATE records SET recorded_at = NULL",
	"null-artifact":   withoutRules("artifacts") + "UPDATE artifacts SET artifact = NULL",
	"anchor-text":     "UPDATE log SET anchor_sequence = 'no number'",
	"insert":          abort("INSERT ON records"),
	"insert-artifact": abort("INSERT ON artifacts"),
	"delete":          abort("DELETE ON records"),
	"delete-artifact": abort("DELETE ON artifacts"),
	"update-anchor":   abort("UPDATE ON log"),
}

// faultyLog returns the place of a log of three records.
func faultyLog(t *testing.T) file {
	t.Helper()
	f := file{filepath.Join(t.TempDir(), "audit.db")}
	l := f.Open(t, nil)
	for _, n := range []string{"1", "2", "3"} {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c"+n, "r"+n, 500))
		must(t, err)
	}
	must(t, l.Close())
	return f
}

// TestCallFailsWithEachStatement breaks one statement at a time: the calls that need it fail, none passes over it, and an
// append that failed has appended nothing.
func TestCallFailsWithEachStatement(t *testing.T) {
	t.Parallel()
	for name, c := range faultyCalls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for fault, statement := range faults {
				f := faultyLog(t)
				l := f.Open(t, nil)
				f.Exec(t, statement)
				err := c.call(t.Context(), l)
				if want := slices.Contains(strings.Fields(c.fails), fault); (err != nil) != want {
					t.Errorf("with the fault %q: %v, want a failure: %v", fault, err, want)
				}
				if h, headErr := l.Head(t.Context()); err != nil && (headErr != nil || h.Sequence != 3) {
					t.Errorf("with the fault %q: head %d after it, %v", fault, h.Sequence, headErr)
				}
				must(t, l.Close())
			}
		})
	}
}

// TestOpenFailsWithEachStatement: a database that cannot be read is not opened, and its lock is free afterwards.
func TestOpenFailsWithEachStatement(t *testing.T) {
	t.Parallel()
	for fault, repair := range map[string]string{
		"ALTER TABLE log RENAME COLUMN name TO gone":        "ALTER TABLE log RENAME COLUMN gone TO name",
		"ALTER TABLE log RENAME TO gone":                    "ALTER TABLE gone RENAME TO log",
		"ALTER TABLE records RENAME COLUMN hash TO gone":    "ALTER TABLE records RENAME COLUMN gone TO hash",
		"ALTER TABLE records RENAME TO gone":                "ALTER TABLE gone RENAME TO records",
		"UPDATE log SET anchor_sequence = 'x'":              "UPDATE log SET anchor_sequence = 0",
		"DELETE FROM log; ALTER TABLE log ADD COLUMN more":  "ALTER TABLE log DROP COLUMN more",
		"ALTER TABLE records RENAME COLUMN receipt TO gone": "ALTER TABLE records RENAME COLUMN gone TO receipt",
	} {
		f := faultyLog(t)
		f.Exec(t, fault)
		_, err := sqlite.Open(sqlite.Options{Path: f.path, Volatile: true, Logger: quiet()})
		if err == nil {
			t.Fatalf("%s: it opens", fault)
		}
		f.Exec(t, repair)
		l, err := sqlite.Open(sqlite.Options{Path: f.path, Volatile: true, Logger: quiet()})
		if err != nil {
			t.Errorf("%s, and repaired: %v", fault, err)
			continue
		}
		audittest.WantIntact(t, l, 3)
		must(t, l.Close())
	}
}
