package chain

// Verification, which reads the whole chain while the log goes on. It reports what it finds and repairs nothing.

import (
	"context"
	"errors"
	"math"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// verifyBatch is the number of rows that are read at a time.
const verifyBatch = 64

// verifyReader is what verification reads of a backend.
type verifyReader interface {
	RowReader
	Anchor(ctx context.Context) (Tip, error)
}

// verification follows a chain from row to row. Each row must be as it was sealed, and have the hash of the one before
// it. Rows may be appended and deleted meanwhile.
type verification struct {
	log   *Log
	rows  verifyReader
	visit func(auditlog.Inconsistency) error
	auditlog.Verified
	end   Tip    // up to which the chain is followed
	next  uint64 // sequence of the next row
	hash  Hash   // of the row before next
	known bool   // whether hash is known: not after a gap
	holds bool   // whether the row before next does
}

// Verify implements [auditlog.Verifier].
func (l *Log) Verify(ctx context.Context, from uint64, visit func(auditlog.Inconsistency) error) (auditlog.Verified, error) {
	v := &verification{log: l, rows: l.o.Backend, visit: visit, end: *l.end.Load()}
	v.Head = l.headAt(v.end)
	err := v.begin(ctx, from)
	if err == nil {
		err = v.follow(ctx)
	}
	if err == nil {
		err = v.checkEnd(ctx)
	}
	if conflict := l.start.conflict; err == nil && conflict != nil && conflict.Sequence >= from {
		err = v.report(conflict.Sequence, conflict.Reason, 1)
	}
	v.Warnings = l.warnings(v.end)
	return v.Verified, err
}

// report reports an inconsistency, and counts its records; 1 if it is of none.
func (v *verification) report(sequence uint64, reason string, records uint64) error {
	v.Inconsistent += records
	return v.visit(auditlog.Inconsistency{Sequence: sequence, Reason: reason})
}

// begin finds the first row to verify, and the hash before it.
func (v *verification) begin(ctx context.Context, from uint64) error {
	anchor, err := v.anchor(ctx, from)
	if err != nil {
		return err
	}
	v.First = anchor.Sequence + 1
	if from <= v.First {
		v.next, v.hash, v.known = v.First, anchor.Hash, true
		return nil
	}
	v.next = from
	rows, err := v.rows.Rows(ctx, from-1, from-1, 1)
	if len(rows) == 1 {
		v.hash, v.known = rows[0].Hash, true
	}
	return err
}

// anchor reads the last row that retention deleted. If the chain is verified from there, no row before it may be left, and
// the newest record of retention must name it. No retention runs meanwhile, since it changes both.
func (v *verification) anchor(ctx context.Context, from uint64) (Tip, error) {
	v.log.retention.Lock()
	defer v.log.retention.Unlock()
	anchor, err := v.rows.Anchor(ctx)
	if err != nil || from > anchor.Sequence+1 {
		return anchor, err
	}
	left, err := v.rows.Rows(ctx, 0, anchor.Sequence, 1)
	if err != nil {
		return anchor, err
	}
	if len(left) > 0 {
		if err := v.report(left[0].Sequence, "it is there, though it was deleted by retention", 1); err != nil {
			return anchor, err
		}
	}
	if anchor == (Tip{}) {
		return anchor, nil
	}
	recorded, err := v.lastRetention(ctx)
	if err == nil && (recorded.GetLast() != anchor.Sequence || recorded.GetLastHash() != anchor.Hash.String()) {
		err = v.report(anchor.Sequence, "it and all before were deleted, and no record of retention says so", 1)
	}
	return anchor, err
}

// lastRetention returns the newest record of retention; nil: none.
func (v *verification) lastRetention(ctx context.Context) (*pb.AuditRetention, error) {
	q := auditlog.Query{Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_RETENTION}}
	rows, err := v.rows.Outlines(ctx, q, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	record, err := rows[0].Outline()
	if err != nil {
		return nil, nil // an inconsistency, which follow reports
	}
	return record.GetRetention(), nil
}

// follow verifies the rows from next to end.
func (v *verification) follow(ctx context.Context) error {
	for v.next <= v.end.Sequence {
		rows, err := v.rows.Rows(ctx, v.next, v.end.Sequence, verifyBatch)
		if err != nil {
			return err
		}
		if err := v.skipDeleted(ctx, rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return v.reportGap(v.end.Sequence + 1)
		}
		for _, r := range rows {
			if err := v.step(r); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// skipDeleted goes on after the anchor if the next row is missing because retention deleted it meanwhile.
func (v *verification) skipDeleted(ctx context.Context, rows []*Row) error {
	if len(rows) > 0 && rows[0].Sequence == v.next {
		return nil
	}
	anchor, err := v.rows.Anchor(ctx)
	if err == nil && anchor.Sequence >= v.next {
		v.next, v.hash, v.known = anchor.Sequence+1, anchor.Hash, true
	}
	return err
}

// reportGap reports the rows that are missing from next on, before the sequence until, and goes on there.
func (v *verification) reportGap(until uint64) error {
	if v.next >= until {
		return nil
	}
	first := v.next
	v.next, v.known = until, false
	return v.report(first, missingRecords(first, until-1), until-first)
}

// step verifies one row, and the gap before it.
func (v *verification) step(r *Row) error {
	if r.Sequence < v.next {
		return nil
	}
	if err := v.reportGap(r.Sequence); err != nil {
		return err
	}
	_, err := r.Record()
	if err == nil && v.known && r.Previous != v.hash {
		err = errors.New("it does not follow the record before")
	}
	v.next, v.hash, v.known, v.holds = r.Sequence+1, r.Hash, true, err == nil
	if err != nil {
		return v.report(r.Sequence, err.Error(), 1)
	}
	v.Intact++
	return nil
}

// checkEnd compares the last row with the end of the log, and looks for rows after it. Such a row may be one that is being
// committed, so it is reported only if it is still beyond the end once all is committed.
func (v *verification) checkEnd(ctx context.Context) error {
	if v.known && v.next == v.end.Sequence+1 && v.hash != v.end.Hash {
		count := uint64(0) // it is counted
		if v.holds {
			v.Intact--
			count++
		}
		if err := v.report(v.end.Sequence, "its hash is not that of the head", count); err != nil {
			return err
		}
	}
	rows, err := v.rows.Rows(ctx, v.end.Sequence+1, math.MaxInt64, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := v.log.flush(ctx); err != nil {
		return err
	}
	end := *v.log.end.Load()
	rows, err = v.rows.Rows(ctx, end.Sequence+1, math.MaxInt64, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	return v.report(rows[0].Sequence, "it stands after the head", 1)
}
