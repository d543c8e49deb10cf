package postgres_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/postgres"
)

// TestSharedDatabaseKeepsChainsApart: sidecars that share a database have chains of their own, and find each
// other's requests.
func TestSharedDatabaseKeepsChainsApart(t *testing.T) {
	p := newPlace(t)
	one, two := p.Open(t, nil), p.other(t).Open(t, nil)
	defer one.Close() // of a test
	defer two.Close() // of a test
	r := audittest.Projection("s", "c", "r", 100)
	_, err := one.Append(t.Context(), r)
	must(t, err)
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

// TestTakenOverLogEndsAppends: a log that another process opened takes nothing more from the first, and has one chain.
func TestTakenOverLogEndsAppends(t *testing.T) {
	p := newPlace(t)
	first := p.Open(t, nil)
	_, err := first.Append(t.Context(), audittest.Rejection("x"))
	must(t, err)
	_, err = postgres.Open(t.Context(), p.options(nil)) // on the same machine
	if !errors.Is(err, auditlog.ErrLocked) {
		t.Error(err)
	}
	text, err := os.ReadFile(p.head)
	must(t, err)
	elsewhere := p.other(t)
	must(t, os.WriteFile(elsewhere.head, text, 0o600))
	second := elsewhere.Open(t, nil)
	defer second.Close() // of a test
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

// TestUnavailableServerFailsOpen: without a server no log is opened.
func TestUnavailableServerFailsOpen(t *testing.T) {
	p := newPlace(t)
	o := p.options(nil)
	o.Patience = 200 * time.Millisecond
	o.DSN = "host=" + t.TempDir() + " user=audit"
	if _, err := postgres.Open(t.Context(), o); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
}

// TestLaterVersionIsNotTouched: tables of a later version are rejected, and not changed.
func TestLaterVersionIsNotTouched(t *testing.T) {
	p := newPlace(t)
	must(t, p.Open(t, nil).Close())
	p.Exec(t, "UPDATE version SET version = 99")
	if _, err := postgres.Open(t.Context(), p.options(nil)); !errors.Is(err, auditlog.ErrTooNew) {
		t.Error(err)
	}
}

// TestLostRecordsAreNotRenumbered: a server that lost its last records, as a stand-by server may that takes over, assigns no
// sequence twice.
func TestLostRecordsAreNotRenumbered(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	for range 5 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 100))
		must(t, err)
	}
	r, err := l.Get(t.Context(), 3)
	must(t, err)
	hash, err := l.Get(t.Context(), 4)
	must(t, err)
	p.Exec(t, "DELETE FROM records WHERE sequence > 3")
	p.Exec(t, "DELETE FROM artifacts WHERE sequence > 3")
	p.Exec(t, "UPDATE logs SET head_sequence = 3, head_hash = decode($1, 'hex')", strings.TrimPrefix(r.GetHash(), "blake3:"))
	next := audittest.Rejection("x")
	_, err = l.Append(t.Context(), next)
	must(t, err)
	if next.GetSequence() != 6 || next.GetPreviousHash() == hash.GetHash() {
		t.Error(next)
	}
	if _, broken := audittest.Verify(t, l); len(broken) != 1 || broken[0].Sequence != 4 {
		t.Error(broken)
	}
}
