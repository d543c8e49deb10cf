package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/auditlog/postgres"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestEarlierLogGoesOn: tables of version 1 are upgraded, and a journal goes on with the chain of the log that has its records
// there alone.
func TestEarlierLogGoesOn(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	for i := range 5 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", fmt.Sprint("r", i), 100))
		must(t, err)
	}
	head, err := l.Head(t.Context())
	must(t, err)
	old, err := l.Get(t.Context(), 3)
	must(t, err)
	must(t, l.Close())
	p.Exec(t, "DROP INDEX records_by_request")
	p.Exec(t, "CREATE UNIQUE INDEX records_by_request ON records (session, request_id, part) WHERE request_id <> ''")
	p.Exec(t, "UPDATE version SET version = 1")
	file := filepath.Join(t.TempDir(), "audit.head")
	// The file may be behind the database.
	line := fmt.Sprintf("toolresult-audit-head 1 %s 3 %s 0123456789abcdef", head.Log, old.GetHash())
	must(t, os.WriteFile(file, fmt.Appendf(nil, "%-511s\n%-511s\n", line, "torn"), 0o600))

	name, err := postgres.EarlierName(file)
	if err != nil || name != head.Log {
		t.Fatal(name, err)
	}
	options := func() postgres.Options {
		o := p.other(t).options(t, nil)
		must(t, o.Journal.Close())
		dir := filepath.Join(t.TempDir(), "journal")
		o.Journal, err = journal.Open(journal.Options{Dir: dir, Name: name, Logger: quiet()})
		must(t, err)
		o.Earlier = file
		return o
	}
	o := options()
	o.DSN = "host=" + t.TempDir() + " user=audit" // without the server nobody knows the end of the log
	if _, err := open(t, o); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Fatal(err)
	}
	next := mustOpen(t, options())
	defer next.Close() // of a test
	if h, err := next.Head(t.Context()); err != nil || h != head {
		t.Errorf("%+v, want %+v, %v", h, head, err)
	}
	_, err = next.Append(t.Context(), audittest.Projection("s", "c", "r2", 100))
	if !errors.Is(err, auditlog.ErrReused) {
		t.Error(err)
	}
	r := audittest.Projection("s", "c", "new", 100)
	_, err = next.Append(t.Context(), r)
	must(t, err)
	if r.GetSequence() != 6 || r.GetPreviousHash() != head.Hash {
		t.Errorf("%v after %+v", r, head)
	}
	audittest.WantIntact(t, next, 6)
	if got, err := next.Get(t.Context(), 3); err != nil || got.GetHash() != old.GetHash() {
		t.Errorf("%v, %v", got, err)
	}
	if s := next.Status(); s.Records != 6 || s.Inconsistency != "" {
		t.Errorf("%+v", s)
	}
}

// TestLocalLogMovesToADatabase: a log that was local is sent as a whole, with what its retention deleted.
func TestLocalLogMovesToADatabase(t *testing.T) {
	p := newPlace(t)
	at := time.Unix(1000, 0)
	o := p.options(t, func() time.Time { return at })
	l, err := local.Open(local.Options{Journal: o.Journal, Index: o.Index, Logger: quiet()})
	must(t, err)
	for i := range 10 {
		at = time.Unix(int64(1000+i), 0)
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", fmt.Sprint("r", i), 100))
		must(t, err)
	}
	if n, err := l.Retain(t.Context(), time.Unix(1004, 0)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	must(t, errors.Join(l.Close(), o.Journal.Close()))
	moved := mustOpen(t, p.options(t, nil))
	defer moved.Close() // of a test
	sent(t, moved)
	if v, found := audittest.Verify(t, moved); found != nil || v.First != 5 || v.Intact != 7 {
		t.Errorf("%+v, %v", v, found)
	}
	if s := moved.Status(); s.Records != 7 || s.Inconsistency != "" {
		t.Errorf("%+v", s)
	}
}

// TestInterruptedRetention: a deletion that is on record and was not done, or only in part, is done the next time. What says that more is
// deleted than is, is no inconsistency meanwhile.
func TestInterruptedRetention(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	for i := range 10 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", fmt.Sprint("r", i), 100))
		must(t, err)
	}
	fourth, err := l.Get(t.Context(), 4)
	must(t, err)
	_, err = l.Append(t.Context(), &pb.AuditRecord{
		Kind: pb.AuditKind_AUDIT_KIND_RETENTION, Retention: &pb.AuditRetention{First: 1, Last: 4, LastHash: fourth.GetHash()},
	})
	must(t, err)
	audittest.WantIntact(t, l, 11)
	if n, err := l.Retain(t.Context(), time.Unix(0, 0)); n != 4 || err != nil {
		t.Errorf("%d deleted, %v", n, err)
	}
	if v, found := audittest.Verify(t, l); found != nil || v.First != 5 || v.Intact != 7 {
		t.Errorf("%+v, %v", v, found)
	}
}
