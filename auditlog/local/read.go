package local

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// defaultPage is the number of records in a page of List if the query has no limit.
const defaultPage = 100

// Get implements [auditlog.Reader].
func (l *Log) Get(_ context.Context, sequence uint64) (*pb.AuditRecord, error) {
	if err := l.open(); err != nil {
		return nil, err
	}
	return l.get(sequence, (*record.Parts).Join)
}

// open fails if the log was closed.
func (l *Log) open() error {
	if l.closed.Load() {
		return auditlog.ErrClosed
	}
	return nil
}

// get reads a record, or what join makes of it.
func (l *Log) get(sequence uint64, join func(*record.Parts) (*pb.AuditRecord, error)) (*pb.AuditRecord, error) {
	e, err := l.journal.Get(journal.Records, sequence)
	if err != nil {
		return nil, classify(err)
	}
	r, err := l.read(e, join)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w: %w", sequence, auditlog.ErrBroken, err)
	}
	return r, nil
}

// read reads the record of an entry.
func (l *Log) read(e *journal.Entry, join func(*record.Parts) (*pb.AuditRecord, error)) (*pb.AuditRecord, error) {
	parts, err := record.Decode(e.Data)
	if err != nil {
		return nil, err
	}
	r, err := join(&parts)
	if err == nil {
		setPlace(r, l.journal.Name(), e)
	}
	return r, err
}

// setPlace sets the fields of a record that the log gives it.
func setPlace(r *pb.AuditRecord, log string, e *journal.Entry) {
	r.LogId, r.Sequence, r.RecordedAt = log, e.Number, timestamppb.New(time.UnixMilli(e.At))
	r.PreviousHash, r.Hash = e.Previous.String(), e.Hash.String()
}

// Find implements [auditlog.Reader].
func (l *Log) Find(ctx context.Context, session, requestID string) (list []*pb.AuditRecord, err error) {
	if requestID == "" {
		return nil, nil
	}
	key := requestKey{record.Text(session), record.Text(requestID)}
	anchor := l.journal.Anchor(journal.Records).Number
	if l.isNew(key) {
		return nil, nil
	}
	numbers := l.requests.find(key, anchor)
	err = l.peek(ctx, func(db *sqlitedb.DB) error {
		return db.Each("SELECT sequence FROM rows WHERE session = ? AND "+isRequest+" AND sequence > ?", []any{key.session, key.id, key.id, int64(anchor)}, func(scan func(...any) error) error {
			var n uint64
			err := scan(&n)
			numbers = append(numbers, n)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		r, err := l.Get(ctx, n)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *pb.AuditRecord) int { return int(a.GetPart()) - int(b.GetPart()) })
	return list, nil
}

// List implements [auditlog.Reader]. It asks the index for one record more than the page has, which shows whether there is a next page.
func (l *Log) List(ctx context.Context, q auditlog.Query) (list []*pb.AuditRecord, next uint64, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, auditlog.MaxPage)
	query, args := listQuery(q, l.journal.Anchor(journal.Records).Number, limit+1)
	var numbers []uint64
	if err := l.index.Read(ctx, func(db *sqlitedb.DB) error {
		return db.Each(query, args, func(scan func(...any) error) error {
			var n uint64
			err := scan(&n)
			numbers = append(numbers, n)
			return err
		})
	}); err != nil {
		return nil, 0, classify(err)
	}
	if len(numbers) > limit {
		numbers = numbers[:limit]
		next = numbers[limit-1]
	}
	for _, n := range numbers {
		r, err := l.get(n, (*record.Parts).Outline)
		if err != nil {
			l.o.Logger.ErrorContext(ctx, "a record of the audit log cannot be listed", slog.Uint64("sequence", n), slog.Any("error", err))
			continue
		}
		list = append(list, r)
	}
	return list, next, nil
}

// listQuery returns the statement for the sequences of a query after one, the newest first.
func listQuery(q auditlog.Query, after uint64, limit int) (query string, args []any) {
	var conditions []string
	where := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	equal := func(column, value string) {
		if value != "" { // the second condition lets SQLite use an index of such rows alone
			where("r."+column+" = ? AND r."+column+" <> ''", record.Text(value))
		}
	}
	from := "rows r"
	if q.Artifact != "" {
		from = "artifacts a JOIN rows r ON r.sequence = a.sequence"
		where("a.artifact = ?", record.Text(q.Artifact))
	}
	where("r.sequence > ?", int64(after))
	equal("session", q.Session)
	equal("call", q.Call)
	if q.RequestID != "" {
		id := record.Text(q.RequestID)
		where(isRequest, id, id)
	}
	equal("tool", q.Tool)
	if !q.From.IsZero() {
		where("r.recorded_at >= ?", q.From.UnixMilli())
	}
	if !q.Until.IsZero() {
		where("r.recorded_at < ?", q.Until.UnixMilli())
	}
	if q.Below > 0 {
		where("r.sequence < ?", int64(min(q.Below, 1<<63-1)))
	}
	if len(q.Kinds) > 0 {
		var values []any
		for _, k := range q.Kinds {
			values = append(values, stored(record.KindName(k)))
		}
		where("r.kind IN (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
	}
	query = "SELECT r.sequence FROM " + from + " WHERE " + strings.Join(conditions, " AND ")
	return query + " ORDER BY r.sequence DESC LIMIT ?", append(args, limit)
}
