package audittest

// Cases of opening and closing: a log is the same after a restart, and a closed one takes no calls.

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// reportsStatus reads the status of a log that works: counts and sizes, and nothing to worry about.
func reportsStatus(t *testing.T, p Place) {
	l := openLog(t, p)
	h := add(t, l, Projection("s", "c", "", 3000), Rejection("x"))
	s := l.Status() // without a context: it waits for nothing
	if s.Log != h.Log || s.Records != 2 || s.Bytes < 1000 || s.LastCommit <= 0 || s.Waiting != 0 || s.Inconsistency != "" || s.Failure != nil || s.OnReserve {
		t.Errorf("%+v", s)
	}
}

// rejectsCallsAfterClose calls a log that is closed, which may be closed again.
func rejectsCallsAfterClose(t *testing.T, p Place) {
	l := p.Open(t, nil)
	add(t, l, Rejection("x"))
	closeLog(t, l)
	closeLog(t, l)
	// Each of the interfaces that a log composes.
	_, err := l.Append(t.Context(), Rejection("x"))
	wantErr(t, err, auditlog.ErrClosed)
	_, err = l.Get(t.Context(), 1)
	wantErr(t, err, auditlog.ErrClosed)
	_, _, err = l.List(t.Context(), auditlog.Query{})
	wantErr(t, err, auditlog.ErrClosed)
	_, err = l.Retain(t.Context(), time.Now())
	wantErr(t, err, auditlog.ErrClosed)
}

// survivesRestart opens a log again and again: nothing is lost, the chain goes on, and request ids of all lives are known.
func survivesRestart(t *testing.T, p Place) {
	if !p.Persistent() {
		t.Skip("a log in memory does not last")
	}
	var all []*pb.AuditRecord
	var head auditlog.Head
	for range 4 { // the first life begins with an empty log
		l := p.Open(t, nil)
		if h, err := l.Head(t.Context()); err != nil || len(all) > 0 && h != head {
			t.Fatalf("%+v, want %+v, %v", h, head, err)
		}
		if s := l.Status(); s.Inconsistency != "" || s.Records != int64(len(all)) {
			t.Fatalf("%+v", s)
		}
		WantIntact(t, l, uint64(len(all)))
		for range 3 {
			r := Projection("s", "c", fmt.Sprint(len(all)), 2000)
			head = add(t, l, r)
			all = append(all, r)
		}
		// The id of the first record of the first life.
		_, err := l.Append(t.Context(), Projection("s", "c", "0", 10))
		wantErr(t, err, auditlog.ErrReused)
		for _, r := range all {
			got, err := l.Get(t.Context(), r.GetSequence())
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, got, r)
		}
		closeLog(t, l)
	}
}
