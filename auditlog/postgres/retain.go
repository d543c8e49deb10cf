package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// retainRows is the number of rows that one transaction deletes.
const retainRows = 1000

// Retain implements [auditlog.Retainer]. One record says what is deleted. It is in the database before anything is deleted; when that is
// interrupted, the next call does the rest.
func (l *Log) Retain(ctx context.Context, before time.Time) (deleted int64, err error) {
	l.retention.Lock()
	defer l.retention.Unlock()
	end := l.journal.Tip(journal.Records) // it does not delete the record that it appends itself
	if err := l.flush(ctx, end.Number); err != nil {
		return 0, err
	}
	anchor, err := l.readAnchor(ctx)
	if err != nil {
		return 0, err
	}
	recorded, err := l.lastRetention(ctx)
	if err != nil {
		return 0, err
	}
	if until := recorded.GetLast(); until > anchor.Number {
		tip := journal.Tip{Number: until}
		if tip.Hash, err = journal.ParseHash(recorded.GetLastHash()); err == nil {
			deleted, err = l.retire(ctx, tip)
		}
		if err != nil {
			return deleted, fmt.Errorf("finish the deletion up to record %d: %w", until, err)
		}
		anchor = tip
	}
	last, err := l.oldest(ctx, before, anchor, end)
	if err != nil || last == anchor {
		return deleted, err
	}
	// Its hash lets Verify begin at the first record that is left.
	head, err := l.Append(ctx, &pb.AuditRecord{
		Kind:      pb.AuditKind_AUDIT_KIND_RETENTION,
		Retention: &pb.AuditRetention{First: anchor.Number + 1, Last: last.Number, LastHash: last.Hash.String()},
	})
	if err == nil {
		err = l.flush(ctx, head.Sequence)
	}
	if err != nil {
		return deleted, err
	}
	n, err := l.retire(ctx, last)
	return deleted + n, err
}

// oldest returns the last of the oldest records, up to the first that was recorded at before or later, and to end. Order is by sequence:
// after a clock went back, a record stays as long as a younger one before it does. With nothing to delete it is the anchor.
func (l *Log) oldest(ctx context.Context, before time.Time, anchor, end journal.Tip) (journal.Tip, error) {
	last := stored(end.Number)
	err := l.query(ctx, "SELECT sequence FROM records WHERE log = $1 AND sequence > $2 AND recorded_at >= date_trunc('milliseconds', $3::timestamptz) ORDER BY sequence LIMIT 1",
		[]any{l.name, stored(anchor.Number), before}, func(scan func(...any) error) error {
			var young int64
			err := scan(&young)
			last = min(last, young-1)
			return err
		})
	if err != nil || last <= stored(anchor.Number) {
		return anchor, err
	}
	tip := anchor
	err = l.query(ctx, "SELECT sequence, hash FROM records WHERE log = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence DESC LIMIT 1",
		[]any{l.name, stored(anchor.Number), last}, func(scan func(...any) error) error {
			var sequence int64
			var hash []byte
			err := scan(&sequence, &hash)
			tip = journal.Tip{Number: uint64(sequence), Hash: hashOf(hash)}
			return err
		})
	return tip, err
}

// retire deletes the rows up to a record, some at a time, and the records from the journal.
func (l *Log) retire(ctx context.Context, last journal.Tip) (deleted int64, err error) {
	for {
		var n int64
		done := false
		err := l.reading(ctx, func(ctx context.Context, conn *pgconn.PgConn) error {
			return transaction(ctx, conn, func() (err error) {
				n, done, err = l.retireSome(ctx, conn, last)
				return err
			})
		})
		if err != nil {
			return deleted, err
		}
		deleted += n
		if done {
			l.note(func() { l.anchor = last.Number })
			return deleted, l.local.GiveUp(ctx, last.Number)
		}
	}
}

// retireSome deletes the oldest rows up to a record, and moves the anchor. done says that none of them is left.
func (l *Log) retireSome(ctx context.Context, conn *pgconn.PgConn, last journal.Tip) (deleted int64, done bool, err error) {
	var writer string
	err = query(ctx, conn, "SELECT writer FROM logs WHERE name = $1 FOR UPDATE", []any{l.name}, func(scan func(...any) error) error { return scan(&writer) })
	if err == nil && writer != l.writer {
		err = fmt.Errorf("%w: another process took it over: %w", auditlog.ErrFailed, auditlog.ErrLocked)
	}
	if err != nil {
		return 0, false, err
	}
	until := last
	done = true
	err = query(ctx, conn, "SELECT sequence, hash FROM records WHERE log = $1 AND sequence < $2 ORDER BY sequence OFFSET $3 LIMIT 1",
		[]any{l.name, stored(last.Number), int64(retainRows - 1)}, func(scan func(...any) error) error {
			var sequence int64
			var hash []byte
			err := scan(&sequence, &hash)
			until, done = journal.Tip{Number: uint64(sequence), Hash: hashOf(hash)}, false
			return err
		})
	if err != nil {
		return 0, false, err
	}
	args := []any{l.name, stored(until.Number)}
	if err := query(ctx, conn, "DELETE FROM artifacts WHERE log = $1 AND sequence <= $2", args, nil); err != nil {
		return 0, false, err
	}
	err = query(ctx, conn, "WITH gone AS (DELETE FROM records WHERE log = $1 AND sequence <= $2 RETURNING 1) SELECT count(*) FROM gone", args, func(scan func(...any) error) error {
		return scan(&deleted)
	})
	if err != nil {
		return 0, false, err
	}
	return deleted, done, query(ctx, conn, "UPDATE logs SET anchor_sequence = $2, anchor_hash = $3 WHERE name = $1", []any{l.name, stored(until.Number), until.Hash[:]}, nil)
}
