package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/auditlog/sqlite"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func timeOf(r *pb.AuditRecord) (time.Time, error) {
	return r.GetRecordedAt().AsTime(), r.GetRecordedAt().CheckValid()
}

// fresh makes a log of three records and returns its place.
func fresh(t *testing.T) file {
	f := file{filepath.Join(t.TempDir(), "audit.db")}
	l := f.Open(t, nil)
	for range 3 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 500))
		must(t, err)
	}
	must(t, l.Close())
	return f
}

// contents returns the files of a folder by name.
func contents(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		all[e.Name()] = string(b)
	}
	return all
}

// TestLaterVersionIsNotTouched: a log of a later version is rejected without changing a byte of it, also if its last process
// left work to finish.
func TestLaterVersionIsNotTouched(t *testing.T) {
	f := fresh(t)
	f.Exec(t, "PRAGMA user_version = 99")
	wantTooNew(t, f)
	f = fresh(t)
	db, err := sql.Open("sqlite", f.path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec("PRAGMA user_version = 99")
	must(t, err)
	killed := file{filepath.Join(t.TempDir(), "audit.db")}
	for _, name := range []string{"audit.db", "audit.db-wal", "audit.head"} { // as a process leaves them that is killed
		b, err := os.ReadFile(filepath.Join(filepath.Dir(f.path), name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(filepath.Dir(killed.path), name), b, 0o600))
	}
	wantTooNew(t, killed)
}

func wantTooNew(t *testing.T, f file) {
	t.Helper()
	before := contents(t, filepath.Dir(f.path))
	_, err := sqlite.Open(sqlite.Options{Path: f.path, Logger: quiet()})
	if !errors.Is(err, auditlog.ErrTooNew) {
		t.Error(err)
	}
	after := contents(t, filepath.Dir(f.path))
	delete(after, "audit.db-shm") // shared memory, and no content
	delete(before, "audit.db-shm")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
}

// TestOtherFileIsNotOverwritten: a file that is no database is left as it is.
func TestOtherFileIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("this is no database\n"), 100), 0o600))
	if _, err := sqlite.Open(sqlite.Options{Path: path, Logger: quiet()}); !errors.Is(err, auditlog.ErrBroken) {
		t.Error(err)
	}
}

func TestOpenLogIsLocked(t *testing.T) {
	f := fresh(t)
	l := f.Open(t, nil)
	defer l.Close() // of a test
	if _, err := sqlite.Open(sqlite.Options{Path: f.path, Logger: quiet()}); !errors.Is(err, auditlog.ErrLocked) {
		t.Error(err)
	}
}

// TestRecordedHeadIsCompared: a recorded head that does not agree with the log is logged, kept in Status and quarantined.
func TestRecordedHeadIsCompared(t *testing.T) {
	head := func(f file) string { return strings.TrimSuffix(f.path, ".db") + ".head" }
	for name, c := range map[string]struct {
		do     func(t *testing.T, f file)
		says   string
		broken uint64 // sequence; 0: none
		aside  bool
	}{
		"as it was":    {func(*testing.T, file) {}, "", 0, false},
		"removed":      {func(t *testing.T, f file) { must(t, os.Remove(head(f))) }, "no head", 0, false},
		"damaged":      {func(t *testing.T, f file) { must(t, os.WriteFile(head(f), []byte("?"), 0o600)) }, "cannot be read", 0, true},
		"of other log": {func(t *testing.T, f file) { must(t, os.Rename(head(fresh(t)), head(f))) }, "another log", 3, true},
		"one slot damaged": {func(t *testing.T, f file) {
			b, err := os.ReadFile(head(f))
			must(t, err)
			copy(b, "what")
			must(t, os.WriteFile(head(f), b, 0o600))
		}, "", 0, false},
		"log rewritten": {func(t *testing.T, f file) {
			f.Exec(t, "UPDATE records SET hash = zeroblob(32) WHERE sequence = 3")
		}, "its hash is not that of the head", 3, true},
		"log removed": {func(t *testing.T, f file) { must(t, os.Remove(f.path)) }, "records 1 to 3 are missing", 1, false},
		"end removed": {func(t *testing.T, f file) { f.Exec(t, "DELETE FROM records WHERE sequence = 3") }, "record 3 is missing", 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := fresh(t)
			c.do(t, f)
			var logged bytes.Buffer
			l, err := sqlite.Open(sqlite.Options{Path: f.path, Volatile: true, Reserve: -1, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			must(t, err)
			s := l.Status()
			if !strings.Contains(s.Inconsistency, c.says) || (s.Inconsistency == "") != (c.says == "") || strings.Contains(logged.String(), "level=ERROR") != (c.says != "") {
				t.Errorf("%q, logged %s", s.Inconsistency, logged.String())
			}
			verified, broken := audittest.Verify(t, l)
			if unproven := name == "removed" || name == "damaged"; (len(verified.Warnings) > 0) != unproven {
				t.Errorf("warnings: %q", verified.Warnings)
			}
			if c.broken > 0 && (len(broken) == 0 || broken[0].Sequence != c.broken) || c.broken == 0 && broken != nil {
				t.Errorf("inconsistent: %v", broken)
			}
			h, err := l.Append(t.Context(), audittest.Rejection("x"))
			if err != nil || h.Sequence != 4 {
				t.Errorf("%+v, %v", h, err)
			}
			aside, err := filepath.Glob(head(f) + ".aside-*")
			if err != nil || (len(aside) > 0) != c.aside {
				t.Errorf("set aside: %v, %v", aside, err)
			}
			must(t, l.Close())
		})
	}
}

// TestHeadThatIsGoneIsAWarning deletes and replaces the head file of an open log with records, and of one without.
func TestHeadThatIsGoneIsAWarning(t *testing.T) {
	for name, do := range map[string]func(head string) error{
		"deleted":  os.Remove,
		"replaced": func(head string) error { return errors.Join(os.Remove(head), os.WriteFile(head, []byte("?"), 0o600)) },
	} {
		for _, records := range []int{0, 2} {
			f := file{filepath.Join(t.TempDir(), "audit.db")}
			l := f.Open(t, nil)
			for range records {
				_, err := l.Append(t.Context(), audittest.Rejection("x"))
				must(t, err)
			}
			before, _ := audittest.Verify(t, l)
			must(t, do(strings.TrimSuffix(f.path, ".db")+".head"))
			after, broken := audittest.Verify(t, l)
			if len(before.Warnings) > 0 || (len(after.Warnings) > 0) != (records > 0) || broken != nil || after.Intact != uint64(records) {
				t.Errorf("%s, %d records: %q, then %q, %v", name, records, before.Warnings, after.Warnings, broken)
			}
			must(t, l.Close())
		}
	}
}

// TestForeignWriterEndsAppends: after another program wrote to the tables the log takes no more records, and the
// chain has no fork.
func TestForeignWriterEndsAppends(t *testing.T) {
	f := fresh(t)
	l := f.Open(t, nil)
	defer l.Close() // of a test
	f.Exec(t, "CREATE TABLE one AS SELECT * FROM records WHERE sequence = 1")
	f.Exec(t, "UPDATE one SET sequence = 4")
	f.Exec(t, "INSERT INTO records SELECT * FROM one")
	if _, err := l.Append(t.Context(), audittest.Rejection("x")); !errors.Is(err, auditlog.ErrFailed) {
		t.Error(err)
	}
	if _, broken := audittest.Verify(t, l); len(broken) == 0 || broken[0].Sequence != 4 {
		t.Error(broken)
	}
	f.Exec(t, "DELETE FROM records WHERE sequence = 4") // the log has failed all the same
	if _, err := l.Append(t.Context(), audittest.Rejection("x")); !errors.Is(err, auditlog.ErrFailed) {
		t.Error(err)
	}
	if s := l.Status(); !errors.Is(s.Failure, auditlog.ErrFailed) {
		t.Errorf("%+v", s)
	}
	if _, err := l.Get(t.Context(), 3); err != nil {
		t.Error(err)
	}
}

// TestUnreadableRecordIsOmittedFromList: a list goes on after a record that cannot be read, and logs it.
func TestUnreadableRecordIsOmittedFromList(t *testing.T) {
	f := fresh(t)
	f.Exec(t, "UPDATE records SET facts = $1 WHERE sequence = 2", []byte("\xff\xff"))
	var logged bytes.Buffer
	l, err := sqlite.Open(sqlite.Options{Path: f.path, Volatile: true, Reserve: -1, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	must(t, err)
	defer l.Close() // of a test
	list, next, err := l.List(t.Context(), auditlog.Query{})
	if err != nil || len(list) != 2 || next != 0 || !strings.Contains(logged.String(), "sequence=2") {
		t.Errorf("%d listed, %d, %v, logged %s", len(list), next, err, logged.String())
	}
	if _, err := l.Get(t.Context(), 2); !errors.Is(err, auditlog.ErrBroken) {
		t.Error(err)
	}
}

// number reads a number from the tables, beside the log.
func (f file) number(t *testing.T, query string) (n int64) {
	t.Helper()
	db, err := sql.Open("sqlite", f.path)
	must(t, err)
	defer db.Close()
	must(t, db.QueryRow(query).Scan(&n))
	return n
}

// TestResealedRecordIsFound: a record that was altered and hashed anew is found at the next one; the last record, by the head
// file.
func TestResealedRecordIsFound(t *testing.T) {
	for sequence, found := range map[uint64]uint64{1: 2, 2: 3, 3: 3} {
		f := fresh(t)
		l := f.Open(t, nil)
		r, err := l.Get(t.Context(), sequence)
		must(t, err)
		must(t, l.Close())
		at, err := timeOf(r)
		must(t, err)
		previous, err := chain.ParseHash(r.GetPreviousHash())
		must(t, err)
		r.Receipt.Text = "all is well"
		row, err := chain.NewRow(r)
		must(t, err)
		row.Seal(r.GetLogId(), chain.Tip{Sequence: sequence - 1, Hash: previous}, at.UnixMilli())
		f.Exec(t, "UPDATE records SET receipt = $1, facts = $2, hash = $3 WHERE sequence = $4", row.Receipt.String, row.Facts, row.Hash[:], int64(sequence))
		l = f.Open(t, nil)
		if altered, err := l.Get(t.Context(), sequence); err != nil || altered.GetReceipt().GetText() != "all is well" {
			t.Fatalf("the test does not do what it should: %v", err)
		}
		if _, broken := audittest.Verify(t, l); len(broken) != 1 || broken[0].Sequence != found {
			t.Errorf("record %d: inconsistent %v, want %d", sequence, broken, found)
		}
		must(t, l.Close())
	}
}

// TestRemovedBeginningIsFound: deleting the oldest records is found, since no record says that retention did.
func TestRemovedBeginningIsFound(t *testing.T) {
	f := fresh(t)
	f.Exec(t, "UPDATE log SET anchor_sequence = 2, anchor_hash = (SELECT hash FROM records WHERE sequence = 2)")
	f.Exec(t, "DELETE FROM records WHERE sequence <= 2")
	l := f.Open(t, nil)
	defer l.Close() // of a test
	if v, broken := audittest.Verify(t, l); len(broken) != 1 || broken[0].Sequence != 2 || v.First != 3 || v.Intact != 1 {
		t.Errorf("%+v, %v", v, broken)
	}
}

// TestDeletedBytesAreOverwritten: the files of a closed log have no byte of a record that retention deleted.
func TestDeletedBytesAreOverwritten(t *testing.T) {
	f := fresh(t)
	l := f.Open(t, nil)
	r := audittest.Projection("s", "c", "", 100)
	r.Receipt.Text = "a receipt that is to be forgotten"
	_, err := l.Append(t.Context(), r)
	must(t, err)
	if n, err := l.Retain(t.Context(), time.Now().Add(time.Hour)); n != 4 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	must(t, l.Close())
	if n := f.number(t, "SELECT count(*) FROM artifacts"); n != 0 {
		t.Errorf("%d rows of artifacts are left", n)
	}
	for name, text := range contents(t, filepath.Dir(f.path)) {
		if strings.Contains(text, "to be forgotten") {
			t.Errorf("it is left in %s", name)
		}
	}
}
