package local

import (
	"context"
	"errors"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Retain implements [auditlog.Retainer]. One record says what is deleted. It is durable before anything is deleted; when that is
// interrupted, the next call does the rest.
func (l *Log) Retain(ctx context.Context, before time.Time) (deleted int64, err error) {
	l.retention.Lock()
	defer l.retention.Unlock()
	if err := l.open(); err != nil {
		return 0, err
	}
	recorded, err := l.lastRetention(ctx)
	if err != nil {
		return 0, err
	}
	anchor := l.journal.Anchor(journal.Records)
	if until := recorded.GetLast(); until > anchor.Number {
		if err := l.retire(ctx, until); err != nil {
			return 0, err
		}
		deleted, anchor = int64(until-anchor.Number), l.journal.Anchor(journal.Records)
	}
	last, err := l.oldest(ctx, before, anchor)
	if err != nil || last == anchor {
		return deleted, err
	}
	// Its hash lets Verify begin at the first record that is left.
	_, err = l.Append(ctx, &pb.AuditRecord{
		Kind:      pb.AuditKind_AUDIT_KIND_RETENTION,
		Retention: &pb.AuditRetention{First: anchor.Number + 1, Last: last.Number, LastHash: last.Hash.String()},
	})
	if err == nil {
		err = l.retire(ctx, last.Number)
	}
	if err != nil {
		return deleted, err
	}
	return deleted + int64(last.Number-anchor.Number), nil
}

// retire deletes the records up to a number, and their rows.
func (l *Log) retire(ctx context.Context, until uint64) error {
	if err := l.journal.Retire(ctx, journal.Records, until); err != nil {
		return classify(err)
	}
	return classify(l.index.Trim(ctx, func(db *sqlitedb.DB) error {
		return errors.Join(db.Run("DELETE FROM rows WHERE sequence <= ?", int64(until)), db.Run("DELETE FROM artifacts WHERE sequence <= ?", int64(until)))
	}))
}

// oldest returns the last of the oldest records, up to the first that was recorded at before or later, and to the end at the time of the
// call. Order is by sequence: after a clock went back, a record stays as long as a younger one before it does.
// With nothing to delete it is the anchor.
func (l *Log) oldest(ctx context.Context, before time.Time, anchor journal.Tip) (journal.Tip, error) {
	end := l.journal.Tip(journal.Records)
	last := end.Number
	err := l.index.Read(ctx, func(db *sqlitedb.DB) error {
		var young int64
		found, err := db.Row("SELECT sequence FROM rows WHERE recorded_at >= ? AND sequence > ? ORDER BY sequence LIMIT 1",
			[]any{before.UnixMilli(), int64(anchor.Number)}, &young)
		if found {
			last = min(last, uint64(young)-1)
		}
		return err
	})
	switch {
	case err != nil:
		return anchor, classify(err)
	case last <= anchor.Number:
		return anchor, nil
	case last == end.Number:
		return end, nil
	}
	tip := journal.Tip{Number: last}
	e, err := l.journal.Get(journal.Records, last)
	if err == nil {
		tip.Hash = e.Hash
	} else if err = classify(err); errors.Is(err, auditlog.ErrBroken) { // it goes, too
		err = nil
	}
	return tip, err
}
