package postgres

// Verification, which reads the whole chain while the log goes on. It reports what it finds and repairs nothing.

import (
	"context"
	"errors"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// verifyBatch is the number of rows that are read at a time.
const verifyBatch = 64

// verification follows a chain from record to record: first in the database, and then in the journal. Each must be as it was appended, and
// have the hash of the one before it. Records may be appended and deleted meanwhile.
type verification struct {
	log   *Log
	visit func(auditlog.Inconsistency) error
	auditlog.Verified
	end   journal.Tip  // up to which the chain is followed
	next  uint64       // sequence of the next record
	hash  journal.Hash // of the record before next
	known bool         // whether hash is known: not after a gap
	holds bool         // whether the record before next does
}

// Verify implements [auditlog.Verifier].
func (l *Log) Verify(ctx context.Context, from uint64, visit func(auditlog.Inconsistency) error) (auditlog.Verified, error) {
	v := &verification{log: l, visit: visit, end: l.journal.Tip(journal.Records)}
	err := l.flush(ctx, v.end.Number)
	if errors.Is(err, auditlog.ErrFailed) { // nothing is sent any more
		v.end, err = l.lastSent(), nil
		v.Warnings = append(v.Warnings, "records after these are in the journal alone")
	}
	v.Head = auditlog.Head{Log: l.name, Sequence: v.end.Number, Hash: v.end.Hash.String()}
	if err == nil {
		err = v.begin(ctx, from)
	}
	if err == nil {
		err = v.follow(ctx)
	}
	if err == nil {
		err = v.checkEnd(ctx)
	}
	l.mu.Lock()
	conflict := l.conflict
	l.mu.Unlock()
	if err == nil && conflict != nil && conflict.Sequence >= from {
		err = v.report(conflict.Sequence, conflict.Reason, 1)
	}
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
	v.First = anchor.Number + 1
	if from <= v.First {
		v.next, v.hash, v.known = v.First, anchor.Hash, true
		return nil
	}
	v.next = from
	rows, err := v.log.rows(ctx, "r.log = $1 AND r.sequence = $2", v.log.name, stored(from-1))
	if len(rows) == 1 {
		v.hash, v.known = hashOf(rows[0].hash), true
	}
	return err
}

// anchor reads the last record that retention deleted. If the chain is verified from there, no row before it may be left, and
// the newest record of retention must name it, or one after it when a deletion was interrupted. No retention runs meanwhile, since it
// changes both.
func (v *verification) anchor(ctx context.Context, from uint64) (journal.Tip, error) {
	l := v.log
	l.retention.Lock()
	defer l.retention.Unlock()
	anchor, err := l.readAnchor(ctx)
	if err != nil || from > anchor.Number+1 {
		return anchor, err
	}
	var left []int64
	err = l.query(ctx, "SELECT sequence FROM records WHERE log = $1 AND sequence <= $2 ORDER BY sequence LIMIT 1", []any{l.name, stored(anchor.Number)}, func(scan func(...any) error) error {
		left = append(left, 0)
		return scan(&left[0])
	})
	if err != nil {
		return anchor, err
	}
	if len(left) > 0 {
		if err := v.report(uint64(max(left[0], 0)), "it is there, though it was deleted by retention", 1); err != nil {
			return anchor, err
		}
	}
	if anchor == (journal.Tip{}) {
		return anchor, nil
	}
	recorded, err := l.lastRetention(ctx)
	if err == nil && (recorded.GetLast() < anchor.Number || recorded.GetLast() == anchor.Number && recorded.GetLastHash() != anchor.Hash.String()) {
		err = v.report(anchor.Number, "it and all before were deleted, and no record of retention says so", 1)
	}
	return anchor, err
}

// lastRetention returns the newest record of retention in the database; nil: none, or one that cannot be read, which follow reports.
func (l *Log) lastRetention(ctx context.Context) (found *pb.AuditRetention, err error) {
	err = l.query(ctx, "SELECT facts FROM records WHERE log = $1 AND kind = $2 ORDER BY sequence DESC LIMIT 1",
		[]any{l.name, record.KindName(pb.AuditKind_AUDIT_KIND_RETENTION)}, func(scan func(...any) error) error {
			var parts record.Parts
			if err := scan(&parts.Facts); err != nil {
				return err
			}
			if r, err := parts.Outline(); err == nil {
				found = r.GetRetention()
			}
			return nil
		})
	return found, err
}

// follow verifies the rows from next to end.
func (v *verification) follow(ctx context.Context) error {
	for v.next <= v.end.Number {
		rows, err := v.log.rows(ctx, "r.log = $1 AND r.sequence BETWEEN $2 AND $3 ORDER BY r.sequence LIMIT $4",
			v.log.name, stored(v.next), stored(v.end.Number), int64(verifyBatch))
		if err != nil {
			return err
		}
		if err := v.skipDeleted(ctx, rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return v.reportGap(v.end.Number + 1)
		}
		for _, x := range rows {
			if err := v.step(x); err != nil {
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
func (v *verification) skipDeleted(ctx context.Context, rows []*row) error {
	if len(rows) > 0 && rows[0].sequence == stored(v.next) {
		return nil
	}
	anchor, err := v.log.readAnchor(ctx)
	if err == nil && anchor.Number >= v.next {
		v.next, v.hash, v.known = anchor.Number+1, anchor.Hash, true
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
func (v *verification) step(x *row) error {
	sequence := uint64(x.sequence)
	if sequence < v.next {
		return nil
	}
	if err := v.reportGap(sequence); err != nil {
		return err
	}
	_, err := x.record()
	if err == nil && v.known && hashOf(x.previous) != v.hash {
		err = errors.New("it does not follow the record before")
	}
	v.next, v.hash, v.known, v.holds = sequence+1, hashOf(x.hash), true, err == nil
	if err != nil {
		return v.report(sequence, err.Error(), 1)
	}
	v.Intact++
	return nil
}

// checkEnd compares the last row with the end of the journal, and looks for rows behind the end that the row of the log has, which is
// written together with the last of them.
func (v *verification) checkEnd(ctx context.Context) error {
	if v.known && v.next == v.end.Number+1 && v.hash != v.end.Hash {
		count := uint64(0) // it is counted
		if v.holds {
			v.Intact--
			count++
		}
		if err := v.report(v.end.Number, "its hash is not that of the head", count); err != nil {
			return err
		}
	}
	var beyond []int64
	err := v.log.query(ctx, "SELECT r.sequence FROM records r JOIN logs l ON l.name = r.log WHERE r.log = $1 AND r.sequence > l.head_sequence ORDER BY 1 LIMIT 1",
		[]any{v.log.name}, func(scan func(...any) error) error {
			beyond = append(beyond, 0)
			return scan(&beyond[0])
		})
	if err != nil || len(beyond) == 0 {
		return err
	}
	return v.report(uint64(beyond[0]), "it is behind the head", 1)
}
