package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestSharedDatabaseKeepsChainsApart: sidecars that share a database have chains of their own, and find each
// other's requests once they are sent.
func TestSharedDatabaseKeepsChainsApart(t *testing.T) {
	p := newPlace(t)
	one, two := p.Open(t, nil), p.other(t).Open(t, nil)
	defer one.Close() // of a test
	defer two.Close() // of a test
	r := audittest.Projection("s", "c", "r", 100)
	_, err := one.Append(t.Context(), r)
	must(t, err)
	sent(t, one)
	_, err = two.Append(t.Context(), audittest.Projection("s", "c", "r", 100))
	if !errors.Is(err, auditlog.ErrReused) {
		t.Error(err)
	}
	found, err := two.Find(t.Context(), "s", "r")
	if err != nil || len(found) != 1 || found[0].GetLogId() != r.GetLogId() || found[0].GetHash() != r.GetHash() {
		t.Errorf("%v, %v", found, err)
	}
	var both sync.WaitGroup
	for _, l := range []auditlog.Log{one, two} {
		for range 4 {
			both.Go(func() {
				for range 20 {
					if _, err := l.Append(context.Background(), audittest.Projection("s", "c", "", 100)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	both.Wait()
	audittest.WantIntact(t, one, 81)
	audittest.WantIntact(t, two, 80)
	list, _, err := two.List(t.Context(), auditlog.Query{RequestID: "r"})
	if len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestTwoRecordsOfARequest: sidecars that record a request while the database is away have a record each. Both are sent, each finds its own,
// and a third one that which was recorded first.
func TestTwoRecordsOfARequest(t *testing.T) {
	p := newPlace(t)
	must(t, p.Open(t, nil).Close()) // the tables
	g := newGate(t, p.dsn)
	g.shut()
	var logs []opened
	var records []*pb.AuditRecord
	for i := range 2 {
		o := p.other(t).options(t, func() time.Time { return time.Unix(int64(2000-i), 0) })
		o.DSN = g.dsn
		l := mustOpen(t, o)
		defer l.Close() // of a test
		r := audittest.Projection("s", fmt.Sprint(i), "r", 100)
		_, err := l.Append(t.Context(), r)
		must(t, err)
		logs, records = append(logs, l), append(records, r)
	}
	g.open()
	for i, l := range logs {
		sent(t, l)
		found, err := l.Find(t.Context(), "s", "r")
		if err != nil || len(found) != 1 || found[0].GetHash() != records[i].GetHash() {
			t.Errorf("%d: %v, %v", i, found, err)
		}
		audittest.WantIntact(t, l, 1)
	}
	third := p.other(t).Open(t, nil)
	defer third.Close() // of a test
	found, err := third.Find(t.Context(), "s", "r")
	if err != nil || len(found) != 1 || found[0].GetHash() != records[1].GetHash() {
		t.Errorf("%v, %v", found, err)
	}
}

// TestTakenOverLogEndsAppends: a log that another process opened with a copy of the journal takes nothing more from the first, and has one chain.
func TestTakenOverLogEndsAppends(t *testing.T) {
	p := newPlace(t)
	first := p.Open(t, nil)
	_, err := first.Append(t.Context(), audittest.Rejection("x"))
	must(t, err)
	sent(t, first)
	elsewhere := p.other(t)
	must(t, os.CopyFS(filepath.Join(elsewhere.dir, "journal"), os.DirFS(filepath.Join(p.dir, "journal"))))
	second := elsewhere.Open(t, nil)
	defer second.Close() // of a test
	_, err = first.Append(t.Context(), audittest.Rejection("x"))
	must(t, err) // the journal has it
	waitFor(func(int64) bool { return first.Status().Failure != nil }, 0)
	_, err = first.Append(t.Context(), audittest.Rejection("x"))
	if !errors.Is(err, auditlog.ErrFailed) || !errors.Is(err, auditlog.ErrLocked) || first.Status().Failure == nil {
		t.Error(err)
	}
	must(t, first.Close())
	r := audittest.Rejection("x")
	_, err = second.Append(t.Context(), r)
	must(t, err)
	if r.GetSequence() != 2 {
		t.Error(r)
	}
	audittest.WantIntact(t, second, 2)
}

// TestForeignHeadIsReported: the row of a log that is not as the journal has it is reported when the log is opened, and is no reason to stop.
func TestForeignHeadIsReported(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	for range 3 {
		_, err := l.Append(t.Context(), audittest.Rejection("x"))
		must(t, err)
	}
	must(t, l.Close())
	p.Exec(t, "UPDATE logs SET head_hash = $1", make([]byte, 32))
	l = p.Open(t, nil)
	defer l.Close() // of a test
	if s := l.Status(); s.Inconsistency == "" || s.Failure != nil {
		t.Errorf("%+v", s)
	}
	_, err := l.Append(t.Context(), audittest.Rejection("x"))
	must(t, err)
	if v, found := audittest.Verify(t, l); len(found) != 1 || found[0].Sequence != 3 || v.Intact != 4 {
		t.Errorf("%+v, %v", v, found)
	}
}

// TestRewrittenLogIsFound: a chain whose hashes were all computed anew does not end with the hash that the journal has. The forger's log has
// the same name, in a schema of its own.
func TestRewrittenLogIsFound(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	forger := newPlace(t)
	o := forger.options(t, nil)
	must(t, o.Journal.Close())
	var err error
	o.Journal, err = journal.Open(journal.Options{Dir: filepath.Join(t.TempDir(), "journal"), Name: l.Status().Log, Logger: quiet()})
	must(t, err)
	forged := mustOpen(t, o)
	defer forged.Close() // of a test
	for i, log := range []auditlog.Log{l, l, l, forged, forged, forged} {
		_, err := log.Append(t.Context(), audittest.Projection("s", fmt.Sprint(i), "", 10))
		must(t, err)
	}
	sent(t, l)
	sent(t, forged)
	for _, table := range []string{"records", "artifacts"} {
		p.Exec(t, "DELETE FROM "+table)
		p.Exec(t, "INSERT INTO "+table+" SELECT * FROM "+quote(forger.schema)+"."+table)
	}
	v, found := audittest.Verify(t, l)
	if len(found) != 1 || found[0].Sequence != 3 || v.Inconsistent != 1 {
		t.Errorf("%+v, %v", v, found)
	}
}

// TestOtherVersionIsNotTouched rejects tables of an earlier and of a later version.
func TestOtherVersionIsNotTouched(t *testing.T) {
	p := newPlace(t)
	must(t, p.Open(t, nil).Close())
	for _, version := range []string{"1", "99"} {
		p.Exec(t, "UPDATE version SET version = "+version)
		if _, err := open(t, p.options(t, nil)); !errors.Is(err, auditlog.ErrVersion) {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

// TestDatabaseThatIsNotSetUp: a name or a user that does not exist is an error at the start, because waiting does not help.
func TestDatabaseThatIsNotSetUp(t *testing.T) {
	p := newPlace(t)
	for _, wrong := range []string{" dbname=nothing", " user=nobody-such"} {
		o := p.options(t, nil)
		o.DSN += wrong
		if _, err := open(t, o); !errors.Is(err, auditlog.ErrUnavailable) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestLostRecordsAreSentAgain: a server that lost its last records, as a stand-by server may that takes over, gets them again from the
// journal.
func TestLostRecordsAreSentAgain(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	for range 5 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 100))
		must(t, err)
	}
	sent(t, l)
	r, err := l.Get(t.Context(), 3)
	must(t, err)
	p.Exec(t, "DELETE FROM records WHERE sequence > 3")
	p.Exec(t, "DELETE FROM artifacts WHERE sequence > 3")
	p.Exec(t, "UPDATE logs SET head_sequence = 3, head_hash = decode($1, 'hex')", strings.TrimPrefix(r.GetHash(), "blake3:"))
	next := audittest.Rejection("x")
	_, err = l.Append(t.Context(), next)
	must(t, err)
	if next.GetSequence() != 6 {
		t.Error(next)
	}
	sent(t, l)
	audittest.WantIntact(t, l, 6)
}
