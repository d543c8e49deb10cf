package audittest

// Cases of retention: the oldest records go, a record says which, and the chain is verified from there on as before.

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// retainsNewest appends ten records, deletes the oldest four and later all that are left, and reads what is gone. A
// deleted request id may be used again. All of it holds after a restart, too.
func retainsNewest(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer func() { closeLog(t, l) }()
	begin := clock.now()
	for i := range 10 {
		add(t, l, Projection("s", "c", fmt.Sprint("r", i), 100))
		clock.move(time.Hour)
	}
	wantRetain(t, l, begin, 0) // the time is exclusive: the first was recorded at it
	wantRetain(t, l, begin.Add(4*time.Hour), 4)
	wantRetain(t, l, begin.Add(4*time.Hour), 0) // the record of the first retention is younger
	wantDeleted(t, l, 4)
	add(t, l, Projection("s", "c", "r0", 100)) // its request id is free again
	if v, found := Verify(t, l); v.First != 5 || v.Intact != 8 || found != nil || v.Head.Sequence != 12 {
		t.Fatalf("%+v, %v", v, found)
	}
	// Anchor and records of retention are read from the tables after a restart.
	reopen := func() {
		if p.Persistent() {
			closeLog(t, l)
			l = p.Open(t, clock.now)
		}
	}
	reopen()
	// All that is left goes, the record of the first retention too; that of the second is the whole log.
	wantRetain(t, l, clock.now().Add(time.Hour), 8)
	if v, found := Verify(t, l); v.First != 13 || v.Intact != 1 || found != nil {
		t.Fatalf("%+v, %v", v, found)
	}
	reopen()
	WantIntact(t, l, 1)
	if s := l.Status(); s.Records != 1 || s.Inconsistency != "" {
		t.Errorf("%+v", s)
	}
}

// wantRetain deletes the records before a time, and fails t unless they are n.
func wantRetain(t *testing.T, l auditlog.Retainer, before time.Time, n int64) {
	t.Helper()
	if deleted, err := l.Retain(t.Context(), before); deleted != n || err != nil {
		t.Fatalf("%d deleted, want %d, %v", deleted, n, err)
	}
}

// wantDeleted fails t unless the first n of ten records are gone for Get, Find and List, record 11 says so, and the chain
// goes on from the hash in it.
func wantDeleted(t *testing.T, l auditlog.Log, n uint64) {
	t.Helper()
	for i := range n {
		_, err := l.Get(t.Context(), i+1)
		wantErr(t, err, auditlog.ErrUnknown)
	}
	r, err := l.Get(t.Context(), 11)
	if err != nil || r.GetKind() != pb.AuditKind_AUDIT_KIND_RETENTION || r.GetRetention().GetFirst() != 1 || r.GetRetention().GetLast() != n {
		t.Fatalf("%v, %v", r, err)
	}
	// The first that is left proves, by the record of retention, what was before it.
	first, err := l.Get(t.Context(), n+1)
	if err != nil || first.GetPreviousHash() != r.GetRetention().GetLastHash() {
		t.Fatalf("%v, %v", first, err)
	}
	if got, _, err := l.List(t.Context(), auditlog.Query{Artifact: "/store/abc/c"}); len(got) != 10-int(n) || err != nil {
		t.Errorf("%d records with the artifact, %v", len(got), err)
	}
	if found, err := l.Find(t.Context(), "s", "r0"); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// retainsInOrder deletes after the clock went back: a record stays as long as a younger one precedes it.
func retainsInOrder(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer closeLog(t, l)
	begin := clock.now()
	// The second record is from the future, and the third and fourth are as old as the first.
	for _, move := range []time.Duration{0, 1000 * time.Hour, -1000 * time.Hour, 0} {
		clock.move(move)
		add(t, l, Rejection("x"))
	}
	clock.move(time.Hour)
	if n, err := l.Retain(t.Context(), begin.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d deleted, %v: what is behind a younger record stays", n, err)
	}
	WantIntact(t, l, 4)
}
