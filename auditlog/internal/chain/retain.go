package chain

import (
	"context"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of a deletion in one transaction. Appends wait for it, and on a full disk it needs space too: a database
// overwrites rows that it deletes.
const (
	retainRows  = 1000
	retainBytes = 2 << 20
)

// Retain implements [auditlog.Retainer].
func (l *Log) Retain(ctx context.Context, before time.Time) (deleted int64, err error) {
	l.retention.Lock()
	defer l.retention.Unlock()
	stop := *l.end.Load() // it does not delete the records that it appends itself
	for {
		n, err := l.retire(ctx, before.UnixMilli(), stop)
		deleted += n
		if n == 0 || err != nil {
			return deleted, err
		}
	}
}

// retire deletes the oldest records in one transaction, up to the first that was recorded at before or later, and to stop.
// Order is by sequence: after a clock went back, a record stays as long as a younger one before it does.
func (l *Log) retire(ctx context.Context, before int64, stop Tip) (deleted int64, err error) {
	anchor, err := l.o.Backend.Anchor(ctx)
	if err != nil {
		return 0, err
	}
	retired, err := oldest(ctx, l.o.Backend, before, stop)
	if err != nil || retired.Count == 0 {
		return 0, err
	}
	// Its hash lets Verify begin at the first row that is left.
	row, err := NewRow(&pb.AuditRecord{
		Kind:      pb.AuditKind_AUDIT_KIND_RETENTION,
		Retention: &pb.AuditRetention{First: anchor.Sequence + 1, Last: retired.Last.Sequence, LastHash: retired.Last.Hash.String()},
	})
	if err != nil {
		return 0, err
	}
	if err := l.submit(ctx, &Append{Rows: []*Row{row}, Retired: &retired}); err != nil {
		return 0, err
	}
	return retired.Count, nil
}

// oldest returns the rows to delete next. A single one may be larger than retainBytes.
func oldest(ctx context.Context, rows RetentionReader, before int64, stop Tip) (r Retired, err error) {
	marks, err := rows.Marks(ctx, retainRows)
	if err != nil {
		return r, err
	}
	var bytes int64
	for _, m := range marks {
		if m.At >= before || m.Sequence > stop.Sequence || r.Count > 0 && bytes+m.Bytes > retainBytes {
			break
		}
		bytes += m.Bytes
		r.Last = Tip{m.Sequence, m.Hash}
		r.Count++
	}
	return r, nil
}
