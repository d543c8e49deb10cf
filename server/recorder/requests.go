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

// Request is a call that may be made again.
type Request struct{ session, id, digest string }

// NewRequest is a request with an id; nil without.
func NewRequest(session, id, digest string) *Request {
	if id == "" {
		return nil
	}
	return &Request{session, id, digest}
}

// Requests makes sure that of calls with the same id one is worked on, and that the others
// get its answer: those at the same time wait for it, and those that come later find its
// record.
type Requests struct {
	Recorder *Recorder

	mu   sync.Mutex
	busy map[[2]string]chan struct{} // by session and id; closed when its call ends
}

func NewRequests(a *Recorder) *Requests {
	return &Requests{Recorder: a, busy: map[[2]string]chan struct{}{}}
}

// Begin begins a call, whose end is told by done. It returns the records of the answer if
// there is one already.
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

// wait waits until no other call with the id is worked on.
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

func (q *Requests) end(r *Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := [2]string{r.session, r.id}
	close(q.busy[key])
	delete(q.busy, key)
}

// find finds the answer to the same request, and refuses another with its id.
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

// Append records an answer. When another server recorded one to the same request first, that
// is the answer.
func (q *Requests) Append(ctx context.Context, r *Request, records ...*pb.AuditRecord) (earlier []*pb.AuditRecord, err error) {
	err = q.Recorder.Append(ctx, r, records...)
	if r != nil && errors.Is(err, auditlog.ErrReused) {
		return q.find(ctx, r)
	}
	return nil, err
}
