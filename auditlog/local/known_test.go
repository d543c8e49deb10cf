package local_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Every request that was recorded is found and recorded once, whether the index or a filter answers: before a filter is made, while it
// is made beside appends, after it, and when the log is opened again.
func TestEveryRequestIsKnown(t *testing.T) {
	t.Parallel()
	at := place(t.TempDir())
	const callers = 4
	each := 1500
	if testing.Short() {
		each = 400
	}
	for opening := range 3 {
		l := at.Open(t, time.Now)
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				for n := range each {
					asked := request(fmt.Sprintf("%d-%d-%d", opening, caller, n))
					if list, err := l.Find(t.Context(), asked.GetCall().GetSessionId(), asked.GetRequestId()); err != nil || len(list) > 0 {
						t.Errorf("before %s there are %d records, %v", asked.GetRequestId(), len(list), err)
					}
					if _, err := l.Append(t.Context(), asked); err != nil {
						t.Error(err)
					}
					wantKnown(t, l, request(fmt.Sprintf("%d-%d-%d", rand.IntN(opening+1), caller, rand.IntN(n+1))))
				}
			})
		}
		all.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// request is a record of the request with an id.
func request(id string) *pb.AuditRecord {
	return &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_PROJECTION, Call: &pb.CallReference{SessionId: "s"}, RequestId: id, Receipt: &pb.Receipt{Text: id}}
}

// wantKnown wants one record of a request, and no second one.
func wantKnown(t *testing.T, l auditlog.Log, r *pb.AuditRecord) {
	t.Helper()
	list, err := l.Find(t.Context(), r.GetCall().GetSessionId(), r.GetRequestId())
	if err != nil || len(list) != 1 || list[0].GetReceipt().GetText() != r.GetRequestId() {
		t.Errorf("%s: %v, %v", r.GetRequestId(), list, err)
	}
	if _, err := l.Append(t.Context(), r); !errors.Is(err, auditlog.ErrReused) {
		t.Errorf("%s again: %v", r.GetRequestId(), err)
	}
}
