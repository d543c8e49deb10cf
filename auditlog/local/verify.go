package local

import (
	"context"
	"errors"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// verification follows the chain from record to record.
type verification struct {
	auditlog.Verified
	visit func(auditlog.Inconsistency) error
	end   journal.Tip // up to which the chain is followed
	last  journal.Tip // of the record before
	known bool        // whether its hash is known: not after a gap
}

// Verify implements [auditlog.Verifier]. Every record must have the hash of its content and follow the one before, and be in the index as
// it is in the journal.
func (l *Log) Verify(ctx context.Context, from uint64, visit func(auditlog.Inconsistency) error) (auditlog.Verified, error) {
	if err := l.open(); err != nil {
		return auditlog.Verified{}, err
	}
	v := &verification{visit: visit, end: l.journal.Tip(journal.Records)}
	v.Head = l.headAt(v.end)
	if err := l.verifyAnchor(ctx, v, from); err != nil {
		return v.Verified, err
	}
	first := max(from, v.First)
	v.last, v.known = l.journal.Anchor(journal.Records), true
	if first > v.First {
		v.last = journal.Tip{Number: first - 1}
		e, err := l.journal.Get(journal.Records, first-1)
		if v.known = err == nil; v.known {
			v.last.Hash = e.Hash
		}
	}
	rows, err := l.newRowReader(ctx, first)
	if err != nil {
		return v.Verified, err
	}
	recorded := l.journal.Recorded(journal.Records)
	err = l.journal.Each(ctx, journal.Records, first, func(e *journal.Entry) error {
		if e.Number > v.end.Number {
			return errEnd
		}
		reason := ""
		if v.known && e.Previous != v.last.Hash {
			reason = "it does not follow the record before"
		} else if e.Number == recorded.Number && e.Hash != recorded.Hash {
			reason = "its hash is not that of the head file"
		} else if differs := rows.differs(e); differs != "" {
			reason = differs
		}
		v.last, v.known = journal.Tip{Number: e.Number, Hash: e.Hash}, true
		if reason != "" {
			return v.report(e.Number, reason, 1)
		}
		v.Intact++
		return nil
	}, func(d journal.Damage) error {
		v.known = false
		reason := d.Reason
		if d.Last > d.First {
			reason = missingRecords(d.First, d.Last)
		}
		return v.report(d.First, reason, d.Last-d.First+1)
	})
	if errors.Is(err, errEnd) {
		err = nil
	}
	if err == nil && v.known && v.last.Number == v.end.Number && v.last.Hash != v.end.Hash {
		err = v.report(v.end.Number, "its hash is not that of the head", 0)
	}
	if err == nil {
		err = rows.rest(v)
	}
	if l.warning != "" {
		v.Warnings = append(v.Warnings, l.warning)
	}
	return v.Verified, err
}

// errEnd ends reading at the head.
var errEnd = errors.New("the head is reached")

// report reports an inconsistency, and counts its records.
func (v *verification) report(sequence uint64, reason string, records uint64) error {
	v.Inconsistent += records
	return v.visit(auditlog.Inconsistency{Sequence: sequence, Reason: reason})
}

// verifyAnchor compares the last record that retention deleted with the newest record of retention. No retention runs meanwhile, since
// it changes both.
func (l *Log) verifyAnchor(ctx context.Context, v *verification, from uint64) error {
	l.retention.Lock()
	defer l.retention.Unlock()
	anchor := l.journal.Anchor(journal.Records)
	v.First = anchor.Number + 1
	if from > v.First || anchor.Number == 0 {
		return nil
	}
	recorded, err := l.lastRetention(ctx)
	if err != nil {
		return err
	}
	if recorded.GetLast() < anchor.Number || recorded.GetLast() == anchor.Number && recorded.GetLastHash() != anchor.Hash.String() {
		return v.report(anchor.Number, "it and all before were deleted, and no record of retention says so", 1)
	}
	return nil
}

// lastRetention returns the newest record of retention; nil: none.
func (l *Log) lastRetention(ctx context.Context) (*pb.AuditRetention, error) {
	list, _, err := l.List(ctx, auditlog.Query{Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_RETENTION}, Limit: 1})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0].GetRetention(), nil
}
