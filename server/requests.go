package server

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// request is a call that may be made again.
type request struct{ session, id, digest string }

// requestOf is a request with an id; nil without.
func requestOf(session, id, digest string) *request {
	if id == "" {
		return nil
	}
	return &request{session, id, digest}
}

// requests makes sure that of calls with the same id one is worked on, and that the others
// get its answer: those at the same time wait for it, and those that come later find its
// record.
type requests struct {
	audit *audit

	mu   sync.Mutex
	busy map[[2]string]chan struct{} // by session and id; closed when its call ends
}

func newRequests(a *audit) *requests {
	return &requests{audit: a, busy: map[[2]string]chan struct{}{}}
}

// begin begins a call, whose end is told by done. It returns the records of the answer if
// there is one already.
func (q *requests) begin(ctx context.Context, r *request) (earlier []*pb.AuditRecord, done func(), err error) {
	if r == nil {
		return nil, func() {}, nil
	}
	if q.audit == nil {
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
func (q *requests) wait(ctx context.Context, r *request) error {
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

func (q *requests) end(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := [2]string{r.session, r.id}
	close(q.busy[key])
	delete(q.busy, key)
}

// find finds the answer to the same request, and refuses another with its id.
func (q *requests) find(ctx context.Context, r *request) ([]*pb.AuditRecord, error) {
	earlier, err := q.audit.log.Find(ctx, r.session, r.id)
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

// append records an answer. When another server recorded one to the same request first, that
// is the answer.
func (q *requests) append(ctx context.Context, r *request, records ...*pb.AuditRecord) (earlier []*pb.AuditRecord, err error) {
	err = q.audit.append(ctx, r, records...)
	if r != nil && errors.Is(err, auditlog.ErrReused) {
		return q.find(ctx, r)
	}
	return nil, err
}

// repeated is the answer that a record has.
func (s *service) repeated(r *pb.AuditRecord) *pb.ProjectResponse {
	return s.asked(r.GetPolicy(), &pb.ProjectResponse{
		Canonical: r.GetCanonical(), Receipt: r.GetReceipt(), Durability: s.durability, Redactions: r.GetRedactions(),
	})
}
