package recorder

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// Request is a call that may be made again: its session, its request id, and a digest of everything that decides its answer.
type Request struct{ session, id, digest string }

// NewRequest returns a request; nil without an id.
func NewRequest(session, id, digest string) *Request {
	if id == "" {
		return nil
	}
	return &Request{session, id, digest}
}

// Requests makes sure that of calls with the same id one is worked on, and that the others get its answer: those at the same
// time wait for it, and later ones find its record. Safe for concurrent use.
//
// Without a log there is nothing to find an answer in, so a call with an id is rejected then: a client that relies on the id
// would otherwise run twice.
type Requests struct {
	Recorder *Recorder // nil without a log

	mu   sync.Mutex
	busy map[[2]string]chan struct{} // by session and id; closed when its call ends
}

// NewRequests returns the requests of a server. a may be nil.
func NewRequests(a *Recorder) *Requests {
	return &Requests{Recorder: a, busy: map[[2]string]chan struct{}{}}
}

// Begin begins a call. done ends it, and must be called once unless there is an error. earlier has the records of the answer if
// the request was answered before; nothing is to be worked on then. A nil r always begins.
func (q *Requests) Begin(ctx context.Context, r *Request) (earlier []*pb.AuditRecord, done func(), err error) {
	if r == nil {
		return nil, func() {}, nil
	}
	if q.Recorder == nil {
		return nil, nil, apierror.ErrAuditDisabled
	}
	if err := q.wait(ctx, r); err != nil {
		return nil, nil, err
	}
	if earlier, err = q.find(ctx, r); err != nil {
		q.end(r)
		return nil, nil, err
	}
	return earlier, func() { q.end(r) }, nil
}

// wait waits until no other call with the id is worked on, and takes its place. It ends with ctx.
func (q *Requests) wait(ctx context.Context, r *Request) error {
	key := [2]string{r.session, r.id}
	for {
		q.mu.Lock()
		other, busy := q.busy[key]
		if !busy {
			q.busy[key] = make(chan struct{})
		}
		q.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// end ends a call, and lets the next one with its id begin.
func (q *Requests) end(r *Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := [2]string{r.session, r.id}
	close(q.busy[key])
	delete(q.busy, key)
}

// find returns the records of the answer to the same request, nil if there are none. Another request with its id is rejected.
func (q *Requests) find(ctx context.Context, r *Request) ([]*pb.AuditRecord, error) {
	earlier, err := q.Recorder.Log.Find(ctx, r.session, r.id)
	if err != nil || len(earlier) == 0 {
		return nil, err
	}
	if earlier[0].GetRequestDigest() != r.digest {
		return nil, &apierror.StatusError{
			Code: codes.AlreadyExists, Reason: pb.ErrorReason_ERROR_REASON_REQUEST_ID_REUSED,
			Message: "the request id was used for another request",
		}
	}
	return earlier, nil
}

// Append records an answer. When another server recorded one to the same request first, it returns the records of that: several
// servers may share a log, and only the log sees them all.
func (q *Requests) Append(ctx context.Context, r *Request, puts Transaction, records ...*pb.AuditRecord) (earlier []*pb.AuditRecord, err error) {
	err = q.Recorder.Append(ctx, r, puts, records...)
	if r != nil && errors.Is(err, auditlog.ErrReused) {
		return q.find(ctx, r)
	}
	return nil, err
}
