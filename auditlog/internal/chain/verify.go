package chain

import (
	"context"
	"errors"
	"math"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// verifyBatch is how many rows are read at a time.
const verifyBatch = 64

// walk follows a chain.
type walk struct {
	log   *Log
	visit func(auditlog.Inconsistency) error
	auditlog.Verified
	next  uint64 // sequence
	end   Tip
	hash  Hash // of the row before
	known bool // hash is known
}

// Verify is of [auditlog.Log].
func (l *Log) Verify(ctx context.Context, from uint64, visit func(auditlog.Inconsistency) error) (auditlog.Verified, error) {
	w := &walk{log: l, visit: visit, end: *l.end.Load()}
	w.Head = l.head(w.end)
	err := w.begin(ctx, from)
	if err == nil {
		err = w.follow(ctx)
	}
	if err == nil {
		err = w.beyond(ctx)
	}
	if err == nil && l.broken != nil && l.broken.Sequence >= from {
		err = visit(*l.broken)
	}
	return w.Verified, err
}

// say reports a place that does not hold, and counts the records of it.
func (w *walk) say(sequence uint64, why string, records uint64) error {
	w.Inconsistent += records
	return w.visit(auditlog.Inconsistency{Sequence: sequence, Reason: why})
}

// begin finds the place where the chain begins, and what stands before it.
func (w *walk) begin(ctx context.Context, from uint64) error {
	anchor, err := w.anchor(ctx, from)
	if err != nil {
		return err
	}
	w.First = anchor.Sequence + 1
	if from <= w.First {
		w.next, w.hash, w.known = w.First, anchor.Hash, true
		return nil
	}
	w.next = from
	rows, err := w.log.o.Backend.Rows(ctx, from-1, from-1, 1)
	if len(rows) == 1 {
		w.hash, w.known = rows[0].Hash, true
	}
	return err
}

// anchor reads where the chain goes on after what retention deleted, and compares it with the last record of that.
func (w *walk) anchor(ctx context.Context, from uint64) (Tip, error) {
	w.log.retiring.Lock()
	defer w.log.retiring.Unlock()
	anchor, err := w.log.o.Backend.Anchor(ctx)
	if err != nil || from > anchor.Sequence+1 {
		return anchor, err
	}
	early, err := w.log.o.Backend.Rows(ctx, 0, anchor.Sequence, 1)
	if err != nil {
		return anchor, err
	}
	if len(early) > 0 {
		if err := w.say(early[0].Sequence, "it is there, though it was deleted by retention", 0); err != nil {
			return anchor, err
		}
	}
	if anchor == (Tip{}) {
		return anchor, nil
	}
	said, err := w.retention(ctx)
	if err == nil && (said.GetLast() != anchor.Sequence || said.GetLastHash() != anchor.Hash.String()) {
		err = w.say(anchor.Sequence, "it and all before were deleted, and no record of retention says so", 0)
	}
	return anchor, err
}

// retention returns the newest record of retention; nil: none.
func (w *walk) retention(ctx context.Context) (*pb.AuditRetention, error) {
	q := auditlog.Query{Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_RETENTION}}
	rows, err := w.log.o.Backend.Outlines(ctx, q, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	record, err := rows[0].Outline()
	if err != nil {
		return nil, nil // the walk says so
	}
	return record.GetRetention(), nil
}

// follow follows the chain to its end.
func (w *walk) follow(ctx context.Context) error {
	for w.next <= w.end.Sequence {
		rows, err := w.log.o.Backend.Rows(ctx, w.next, w.end.Sequence, verifyBatch)
		if err != nil {
			return err
		}
		if err := w.skipDeleted(ctx, rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return w.gap(w.end.Sequence + 1)
		}
		for _, r := range rows {
			if err := w.step(r); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// skipDeleted goes on after the anchor when retention deleted rows while the chain was followed.
func (w *walk) skipDeleted(ctx context.Context, rows []*Row) error {
	if len(rows) > 0 && rows[0].Sequence == w.next {
		return nil
	}
	anchor, err := w.log.o.Backend.Anchor(ctx)
	if err == nil && anchor.Sequence >= w.next {
		w.next, w.hash, w.known = anchor.Sequence+1, anchor.Hash, true
	}
	return err
}

// gap says that rows are missing before a sequence.
func (w *walk) gap(until uint64) error {
	if w.next >= until {
		return nil
	}
	first := w.next
	w.next, w.known = until, false
	return w.say(first, missing(first, until-1), until-first)
}

func (w *walk) step(r *Row) error {
	if r.Sequence < w.next {
		return nil
	}
	if err := w.gap(r.Sequence); err != nil {
		return err
	}
	_, err := r.Record()
	if err == nil && w.known && r.Previous != w.hash {
		err = errors.New("it does not follow the record before")
	}
	w.next, w.hash, w.known = r.Sequence+1, r.Hash, true
	if err != nil {
		return w.say(r.Sequence, err.Error(), 1)
	}
	w.Intact++
	return nil
}

// beyond looks for rows after the end, and compares the end with that of the log.
func (w *walk) beyond(ctx context.Context) error {
	if w.known && w.next == w.end.Sequence+1 && w.hash != w.end.Hash {
		if err := w.say(w.end.Sequence, "its hash is not that of the head", 0); err != nil {
			return err
		}
	}
	rows, err := w.log.o.Backend.Rows(ctx, w.end.Sequence+1, math.MaxInt64, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := w.log.settled(ctx); err != nil {
		return err
	}
	end := *w.log.end.Load()
	rows, err = w.log.o.Backend.Rows(ctx, end.Sequence+1, math.MaxInt64, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	return w.say(rows[0].Sequence, "it stands after the head", 1)
}
