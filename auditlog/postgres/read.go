package postgres

// Reading: from the database what is there, and from the journal what is behind it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// defaultPage is the number of records in a page of List if the query has no limit.
const defaultPage = 100

// Get implements [auditlog.Reader].
func (l *Log) Get(ctx context.Context, sequence uint64) (*pb.AuditRecord, error) {
	if sequence > l.lastSent().Number {
		return l.local.Get(ctx, sequence)
	}
	rows, err := l.rows(ctx, "r.log = $1 AND r.sequence = $2", l.name, stored(sequence))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, l.missingError(ctx, sequence)
	}
	return rows[0].broken()
}

// missingError returns why the database has no row of a sequence: [auditlog.ErrUnknown] if retention deleted it, and
// [auditlog.ErrBroken] if it should be there.
func (l *Log) missingError(ctx context.Context, sequence uint64) error {
	anchor, err := l.readAnchor(ctx)
	if err != nil {
		return err
	}
	if sequence <= anchor.Number {
		return fmt.Errorf("record %d: %w", sequence, auditlog.ErrUnknown)
	}
	return fmt.Errorf("record %d is missing: %w", sequence, auditlog.ErrBroken)
}

// readAnchor reads the last record that retention deleted; the zero Tip: none.
func (l *Log) readAnchor(ctx context.Context) (t journal.Tip, err error) {
	var sequence int64
	var hash []byte
	err = l.query(ctx, "SELECT anchor_sequence, anchor_hash FROM logs WHERE name = $1", []any{l.name}, func(scan func(...any) error) error { return scan(&sequence, &hash) })
	return journal.Tip{Number: uint64(max(sequence, 0)), Hash: hashOf(hash)}, err
}

// Find implements [auditlog.Reader]. While the database is away it finds what is in the journal. Two sidecars that had the same request at
// about the same time have a record each: one finds its own, and others that which was recorded first.
func (l *Log) Find(ctx context.Context, session, requestID string) ([]*pb.AuditRecord, error) {
	if requestID == "" {
		return nil, nil
	}
	list, err := l.local.Find(ctx, session, requestID)
	if err != nil {
		return nil, err
	}
	var rows []*row
	within, cancel := context.WithTimeout(ctx, l.o.Patience)
	defer cancel()
	rows, err = l.rows(within, "r.session = $1 AND r.request_id = $2 AND r.request_id <> ''", record.Text(session), record.Text(requestID))
	if err = l.slow(ctx, within, err); err != nil && !errors.Is(err, auditlog.ErrUnavailable) {
		return nil, err
	}
	for _, x := range rows {
		if x.log == l.name && slices.ContainsFunc(list, func(r *pb.AuditRecord) bool { return r.GetLogId() == l.name && r.GetSequence() == uint64(x.sequence) }) {
			continue
		}
		r, err := x.broken()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return l.ofOneLog(list), nil
}

// ofOneLog returns the records of this log or, if there are none, of the one that has the first, in the order of their parts, each once.
func (l *Log) ofOneLog(list []*pb.AuditRecord) []*pb.AuditRecord {
	if len(list) == 0 {
		return nil
	}
	first := slices.MinFunc(list, func(a, b *pb.AuditRecord) int {
		own := func(r *pb.AuditRecord) int {
			if r.GetLogId() == l.name {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(a), own(b)), a.GetRecordedAt().AsTime().Compare(b.GetRecordedAt().AsTime()), strings.Compare(a.GetLogId(), b.GetLogId()))
	})
	list = slices.DeleteFunc(list, func(r *pb.AuditRecord) bool { return r.GetLogId() != first.GetLogId() })
	slices.SortFunc(list, func(a, b *pb.AuditRecord) int {
		return cmp.Or(cmp.Compare(a.GetPart(), b.GetPart()), cmp.Compare(a.GetSequence(), b.GetSequence()))
	})
	return slices.CompactFunc(list, func(a, b *pb.AuditRecord) bool { return a.GetPart() == b.GetPart() })
}

// List implements [auditlog.Reader].
func (l *Log) List(ctx context.Context, q auditlog.Query) (list []*pb.AuditRecord, next uint64, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, auditlog.MaxPage)
	sent := l.lastSent().Number
	if q.Below == 0 || q.Below > sent+1 {
		if list, next, err = l.listUnsent(ctx, q, sent, limit); err != nil || next != 0 {
			return list, next, err
		}
		q.Below = sent + 1
	}
	left := limit - len(list) // one row more shows whether there is a next page
	var rows []*row
	query, args := l.listQuery(q, left+1)
	err = l.query(ctx, query, args, func(scan func(...any) error) error {
		x := &row{}
		err := x.scanOutline(scan)
		rows = append(rows, x)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if len(rows) > left {
		if rows = rows[:left]; left > 0 {
			next = uint64(max(rows[left-1].sequence, 0))
		} else {
			next = sent + 1
		}
	}
	for _, x := range rows {
		r, err := x.Outline()
		if err != nil {
			l.o.Logger.ErrorContext(ctx, "a record of the audit log cannot be listed", slog.Int64("sequence", x.sequence), slog.Any("error", err))
			continue
		}
		x.place(r)
		list = append(list, r)
	}
	return list, next, nil
}

// listUnsent lists the records behind one, from the journal. next is not 0 if there are more of them than limit.
func (l *Log) listUnsent(ctx context.Context, q auditlog.Query, sent uint64, limit int) (list []*pb.AuditRecord, next uint64, err error) {
	q.Limit = limit
	found, next, err := l.local.List(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range found {
		if r.GetSequence() > sent {
			list = append(list, r)
		}
	}
	if next <= sent+1 { // the rest is in the database
		next = 0
	}
	return list, next, nil
}

// listQuery returns the statement of a list and its arguments. Fields of q that are not set are not in it.
func (l *Log) listQuery(q auditlog.Query, limit int) (query string, args []any) {
	var conditions []string
	where := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	where("r.log = $%d", l.name)
	if q.Artifact != "" {
		where("EXISTS (SELECT 1 FROM artifacts a WHERE a.log = r.log AND a.sequence = r.sequence AND a.artifact = $%d)", record.Text(q.Artifact))
	}
	for _, c := range []struct{ condition, value string }{
		{"r.session = $%d AND r.session <> ''", q.Session}, {"r.call = $%d", q.Call},
		{"r.request_id = $%d AND r.request_id <> ''", q.RequestID}, {"r.tool = $%d", q.Tool},
	} {
		if c.value != "" {
			where(c.condition, record.Text(c.value))
		}
	}
	if !q.From.IsZero() {
		where("r.recorded_at >= date_trunc('milliseconds', $%d::timestamptz)", q.From)
	}
	if !q.Until.IsZero() {
		where("r.recorded_at < date_trunc('milliseconds', $%d::timestamptz)", q.Until)
	}
	where("r.sequence < $%d", stored(q.Below))
	if len(q.Kinds) > 0 {
		places := make([]string, len(q.Kinds))
		for i, k := range q.Kinds {
			args = append(args, record.KindName(k))
			places[i] = fmt.Sprintf("$%d", len(args))
		}
		conditions = append(conditions, "r.kind IN ("+strings.Join(places, ", ")+")")
	}
	return "SELECT " + outlineColumns + " FROM records r WHERE " + strings.Join(conditions, " AND ") +
		fmt.Sprintf(" ORDER BY r.sequence DESC LIMIT %d", limit), args
}
