package chain

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// defaultPage is the number of records in a page of List if the query has no limit.
const defaultPage = 100

// Get implements [auditlog.Reader].
func (l *Log) Get(ctx context.Context, sequence uint64) (*pb.AuditRecord, error) {
	rows, err := l.o.Backend.Rows(ctx, sequence, sequence, 1)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, l.missingError(ctx, sequence)
	}
	return readRow(rows[0])
}

// missingError returns why the backend has no row of a sequence: [auditlog.ErrUnknown] if it was never assigned, or
// deleted by retention, and [auditlog.ErrBroken] if it should be there.
func (l *Log) missingError(ctx context.Context, sequence uint64) error {
	anchor, err := l.o.Backend.Anchor(ctx)
	if err != nil {
		return err
	}
	if sequence <= anchor.Sequence || sequence > l.end.Load().Sequence {
		return fmt.Errorf("record %d: %w", sequence, auditlog.ErrUnknown)
	}
	return fmt.Errorf("record %d is missing: %w", sequence, auditlog.ErrBroken)
}

// readRow reads the record of a row that the backend returned. Errors: [auditlog.ErrBroken].
func readRow(r *Row) (*pb.AuditRecord, error) {
	record, err := r.Record()
	if err != nil {
		return nil, fmt.Errorf("record %d: %w: %w", r.Sequence, auditlog.ErrBroken, err)
	}
	return record, nil
}

// Find implements [auditlog.Reader].
func (l *Log) Find(ctx context.Context, session, requestID string) (list []*pb.AuditRecord, err error) {
	if requestID == "" {
		return nil, nil
	}
	rows, err := l.o.Backend.Request(ctx, record.Text(session), record.Text(requestID))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		record, err := readRow(r)
		if err != nil {
			return nil, err
		}
		list = append(list, record)
	}
	return list, nil
}

// List implements [auditlog.Reader]. It asks the backend for one row more than the page has, which shows whether there
// is a next page.
func (l *Log) List(ctx context.Context, q auditlog.Query) (list []*pb.AuditRecord, next uint64, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, auditlog.MaxPage)
	for _, text := range []*string{&q.Session, &q.Call, &q.RequestID, &q.Tool, &q.Artifact} {
		*text = record.Text(*text)
	}
	rows, err := l.o.Backend.Outlines(ctx, q, limit+1)
	if err != nil {
		return nil, 0, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].Sequence
	}
	for _, r := range rows {
		record, err := r.Outline()
		if err != nil {
			l.o.Logger.ErrorContext(ctx, "a record of the audit log cannot be listed", slog.Uint64("sequence", r.Sequence), slog.Any("error", err))
			continue
		}
		list = append(list, record)
	}
	return list, next, nil
}
