package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// answer is the record of an answer.
func answer(session string) *pb.AuditRecord {
	return &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_PROJECTION, Call: &pb.CallReference{SessionId: session, CallId: "c"}}
}

// TestRequestIsAnsweredOnce makes the same request from many goroutines: one works, and all others get its record.
func TestRequestIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	q := NewRequests(a)
	var worked atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r := NewRequest("s", "r", "digest")
			earlier, done, err := q.Begin(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			defer done()
			if len(earlier) > 0 {
				if earlier[0].GetSequence() != 1 || earlier[0].GetRequestDigest() != "digest" {
					t.Errorf("%v", earlier)
				}
				return
			}
			worked.Add(1)
			if earlier, err := q.Append(t.Context(), r, nil, answer("s")); err != nil || earlier != nil {
				t.Errorf("%v, %v", earlier, err)
			}
		})
	}
	all.Wait()
	if worked.Load() != 1 || len(records(t, log)) != 1 || len(q.busy) != 0 {
		t.Errorf("%d worked, %d records, %d are busy", worked.Load(), len(records(t, log)), len(q.busy))
	}
	for _, other := range []*Request{NewRequest("s", "r2", "digest"), NewRequest("s2", "r", "digest")} {
		earlier, done, err := q.Begin(t.Context(), other)
		if err != nil || len(earlier) != 0 {
			t.Errorf("%v: %v, %v", other, earlier, err)
			continue
		}
		done()
	}
}

// TestOtherRequestWithTheIDIsRejected has another digest, before and after the answer of a second server.
func TestOtherRequestWithTheIDIsRejected(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	q, second := NewRequests(a), NewRequests(New(log, nil, nil, nil))
	r := NewRequest("s", "r", "digest")
	_, done, err := q.Begin(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Append(t.Context(), r, nil, answer("s")); err != nil { // it has its own calls, and the same log
		t.Fatal(err)
	}
	if earlier, err := q.Append(t.Context(), r, nil, answer("s")); err != nil || len(earlier) != 1 || earlier[0].GetSequence() != 1 {
		t.Errorf("the answer of the other server: %v, %v", earlier, err)
	}
	done()
	other := NewRequest("s", "r", "another digest")
	if _, _, err := q.Begin(t.Context(), other); apierror.ReasonName(apierror.ToStatus(err).Reason) != "REQUEST_ID_REUSED" {
		t.Errorf("begin: %v", err)
	}
	if _, err := q.Append(t.Context(), other, nil, answer("s")); apierror.ReasonName(apierror.ToStatus(err).Reason) != "REQUEST_ID_REUSED" {
		t.Errorf("append: %v", err)
	}
	if len(q.busy) != 0 {
		t.Errorf("%d are busy", len(q.busy))
	}
}

// TestWaitingForARequestEndsWithTheCall waits for a request that does not end: its own call ends, or the request does.
func TestWaitingForARequestEndsWithTheCall(t *testing.T) {
	t.Parallel()
	a, _, _ := newRecorder(t)
	synctest.Test(t, func(t *testing.T) {
		q := &Requests{Recorder: a, busy: map[[2]string]chan struct{}{}}
		r := NewRequest("s", "r", "digest")
		if err := q.wait(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := q.Begin(ctx, r)
			ended <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		go func() { ended <- q.wait(t.Context(), r) }()
		synctest.Wait()
		q.end(r)
		if err := <-ended; err != nil {
			t.Errorf("%v", err)
		}
		q.end(r)
	})
}

func TestCallsWithoutAnIDAlwaysBegin(t *testing.T) {
	t.Parallel()
	if NewRequest("s", "", "digest") != nil {
		t.Error("a request without an id")
	}
	none := NewRequests(nil)
	earlier, done, err := none.Begin(t.Context(), nil)
	if err != nil || earlier != nil {
		t.Fatalf("%v, %v", earlier, err)
	}
	done()
	if earlier, err := none.Append(t.Context(), nil, nil); err != nil || earlier != nil {
		t.Errorf("without a log: %v, %v", earlier, err)
	}
	if _, _, err := none.Begin(t.Context(), NewRequest("s", "r", "")); !errors.Is(err, apierror.ErrAuditDisabled) {
		t.Errorf("an id without a log: %v", err)
	}
}

// TestFaultsOfTheLogAreReturned has a log that cannot be read, or not be written to. The request can begin again afterwards.
func TestFaultsOfTheLogAreReturned(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	q, r := NewRequests(a), NewRequest("s", "r", "digest")
	log.find = errFault
	if _, _, err := q.Begin(t.Context(), r); !errors.Is(err, errFault) {
		t.Errorf("find: %v", err)
	}
	log.find = nil
	_, done, err := q.Begin(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	log.append = errFault
	if _, err := q.Append(t.Context(), r, nil, answer("s")); !errors.Is(err, errFault) {
		t.Errorf("append: %v", err)
	}
	log.append, log.find = fmt.Errorf("x: %w", auditlog.ErrReused), errFault
	if _, err := q.Append(t.Context(), r, nil, answer("s")); !errors.Is(err, errFault) {
		t.Errorf("find after append: %v", err)
	}
	if _, err := q.Append(t.Context(), nil, nil, answer("s")); !errors.Is(err, auditlog.ErrReused) {
		t.Errorf("append without an id: %v", err)
	}
}
