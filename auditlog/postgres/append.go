package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// Append implements [auditlog.Appender].
func (l *Log) Append(ctx context.Context, records ...*pb.AuditRecord) (auditlog.Head, error) {
	return l.AppendWith(ctx, journal.Append{}, records...)
}

// AppendWith implements [auditlog.Appender]. A request id that another sidecar used is rejected if its record is in the database already.
func (l *Log) AppendWith(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) (auditlog.Head, error) {
	if err := l.admit(records); err != nil {
		return auditlog.Head{}, err
	}
	if err := l.checkRequests(ctx, records); err != nil {
		return auditlog.Head{}, err
	}
	head, err := l.local.AppendWith(ctx, with, records...)
	if err != nil || len(records) == 0 {
		return head, err
	}
	var size int64
	for _, r := range records {
		size += int64(proto.Size(r))
	}
	l.mu.Lock()
	l.pending += size
	l.mu.Unlock()
	l.signal()
	if l.o.Through {
		if err := l.flush(ctx, head.Sequence); err != nil {
			return auditlog.Head{}, fmt.Errorf("whether the record is kept is not known: %w", err)
		}
	}
	return head, nil
}

// admit returns the reason why records are not taken; nil: they are. Rejections and retention have an eighth more of the outbox.
func (l *Log) admit(records []*pb.AuditRecord) error {
	limit := l.o.Limit + l.o.Limit/8
	for _, r := range records {
		if r.GetKind() != pb.AuditKind_AUDIT_KIND_REJECTION && r.GetKind() != pb.AuditKind_AUDIT_KIND_RETENTION {
			limit = l.o.Limit
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return auditlog.ErrClosed
	case l.failure != nil:
		return l.failure
	case l.o.Through && l.away != nil:
		return l.away
	case l.pending >= limit && l.unsent() > 0:
		err := fmt.Errorf("%w: %d records wait for the database, which are all that may", auditlog.ErrUnavailable, l.unsent())
		if l.away != nil {
			err = fmt.Errorf("%w: %w", err, l.away)
		}
		return err
	}
	return nil
}

// checkRequests fails if the database has a record of a request already. While it is away, only the journal is asked.
func (l *Log) checkRequests(ctx context.Context, records []*pb.AuditRecord) error {
	type request struct{ session, id string }
	asked := map[request]map[int64]bool{} // the parts that are there
	for _, r := range records {
		if r.GetRequestId() == "" {
			continue
		}
		q := request{record.Text(r.GetCall().GetSessionId()), record.Text(r.GetRequestId())}
		if asked[q] == nil {
			parts := map[int64]bool{}
			err := l.queryShort(ctx, "SELECT part FROM records WHERE session = $1 AND request_id = $2 AND request_id <> ''", []any{q.session, q.id}, func(scan func(...any) error) error {
				var part int64
				err := scan(&part)
				parts[part] = true
				return err
			})
			if err != nil && !errors.Is(err, auditlog.ErrUnavailable) {
				return err
			}
			asked[q] = parts
		}
		if asked[q][int64(r.GetPart())] {
			return fmt.Errorf("session %.40q, request %.40q: %w", q.session, q.id, auditlog.ErrReused)
		}
	}
	return nil
}

// flush waits until the database has the records up to a number. It fails when the server is away for Patience.
func (l *Log) flush(ctx context.Context, number uint64) error {
	l.signal()
	var patience <-chan time.Time // while the server is away
	for {
		l.mu.Lock()
		sent, away, failure, closed, changed := l.sent.Number, l.away, l.failure, l.closed, l.changed
		l.mu.Unlock()
		switch {
		case sent >= number:
			return nil
		case failure != nil:
			return failure
		case closed:
			return auditlog.ErrClosed
		case away == nil:
			patience = nil
		case patience == nil:
			patience = time.After(l.o.Patience)
		}
		select {
		case <-changed:
		case <-patience:
			return away
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
