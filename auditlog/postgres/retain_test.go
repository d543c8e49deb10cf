package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
)

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
