package chain

import (
	"context"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// How much is deleted in one transaction at most, so that nobody waits long for it, and so that it has room on a full
// disk: what is deleted is overwritten.
const (
	retainBatch = 1000
	retainBytes = 2 << 20
)

// Retain is of [auditlog.Log].
func (l *Log) Retain(ctx context.Context, before time.Time) (deleted int64, err error) {
	l.retiring.Lock()
	defer l.retiring.Unlock()
	stop := *l.end.Load() // what it appends itself is not deleted by it
	for {
		n, err := l.retire(ctx, before.UnixMilli(), stop)
		deleted += n
		if n == 0 || err != nil {
			return deleted, err
		}
	}
}

// retire deletes the oldest records, up to the first that was recorded at before or later. Order is by sequence: a
// clock that went back deletes nothing that is behind a younger record.
func (l *Log) retire(ctx context.Context, before int64, stop Tip) (deleted int64, err error) {
	anchor, err := l.o.Backend.Anchor(ctx)
	if err != nil {
		return 0, err
	}
	marks, err := l.o.Backend.Marks(ctx, retainBatch)
	if err != nil {
		return 0, err
	}
	var last Tip
	var bytes int64
	for _, m := range marks {
		if m.At >= before || m.Sequence > stop.Sequence || deleted > 0 && bytes+m.Size > retainBytes {
			break
		}
		bytes += m.Size
		last = Tip{m.Sequence, m.Hash}
		deleted++
	}
	if deleted == 0 {
		return 0, nil
	}
	row, err := NewRow(&pb.AuditRecord{
		Kind:      pb.AuditKind_AUDIT_KIND_RETENTION,
		Retention: &pb.AuditRetention{First: anchor.Sequence + 1, Last: last.Sequence, LastHash: last.Hash.String()},
	})
	if err != nil {
		return 0, err
	}
	a := &Append{Rows: []*Row{row}, Retired: &Retired{Last: last, Count: deleted}}
	if err := l.append(ctx, a); err != nil {
		return 0, err
	}
	return deleted, nil
}
