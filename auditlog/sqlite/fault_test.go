package sqlite_test

import (
	"context"
	"errors"
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
		}, "records"},
		"list by artifact": {func(ctx context.Context, l auditlog.Log) error {
			_, _, err := l.List(ctx, auditlog.Query{Artifact: "/store/abc/c1"})
			return err
		}, "records artifact"},
		"verify": {func(ctx context.Context, l auditlog.Log) error {
			_, err := l.Verify(ctx, 0, func(i auditlog.Inconsistency) error { return errors.New(i.Reason) })
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

// TestOtherTypesAreFound gives one column at a time a value that says the same, or nothing, in another type, which SQLite keeps:
// Verify names the record, and only this one. Queries that compare text would not find it.
func TestOtherTypesAreFound(t *testing.T) {
	t.Parallel()
	changes := map[string]string{"recorded_at": "replace(recorded_at, '.', ',')", "facts": "CAST(facts AS TEXT)", "canonical": "CAST(canonical AS TEXT)", "receipt": "CAST(receipt AS BLOB)"}
	for _, column := range []string{"kind", "method", "session", "call", "request_id", "tool", "family", "address"} {
		changes[column] = "coalesce(CAST(" + column + " AS BLOB), x'78')"
	}
	for _, column := range []string{"part", "parts", "uid", "pid", "elapsed_us", "receipt_tokens", "redactions"} {
		changes[column] = "'0x'"
	}
	for column, value := range changes {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			f := faultyLog(t)
			f.Exec(t, "UPDATE records SET "+column+" = "+value+" WHERE sequence = 2")
			l := f.Open(t, nil)
			if v, found := audittest.Verify(t, l); len(found) != 1 || found[0].Sequence != 2 || v.Intact != 2 || v.Inconsistent != 1 {
				t.Errorf("%+v, %v", v, found)
			}
			must(t, l.Close())
		})
	}
}
