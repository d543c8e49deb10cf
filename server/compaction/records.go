package compaction

import (
	"context"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/recorder"
)

// sessionRecords finds the latest results of a session's calls on record: as they were projected or, where that came
// later, compacted.
type sessionRecords struct {
	audit     *recorder.Recorder // nil when no log is kept
	session   string
	compacted map[string]recordedResult // by call; nil before the first
	last      *pb.AuditRecord           // that was read
}

// recordedResult is the place of a result in a record of a compaction.
type recordedResult struct {
	sequence uint64
	at       int
}

// latest returns the latest result of a call.
func (s *sessionRecords) latest(ctx context.Context, call string) (*pb.CanonicalToolResult, error) {
	if s.audit == nil {
		return nil, apierror.ErrAuditDisabled
	}
	if s.compacted == nil {
		if err := s.findCompacted(ctx); err != nil {
			return nil, err
		}
	}
	list, _, err := s.audit.Log.List(ctx, auditlog.Query{
		Session: s.session, Call: call, Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	projected := uint64(0)
	if len(list) > 0 {
		projected = list[0].GetSequence()
	}
	place := s.compacted[call]
	switch {
	case place.sequence == 0 && projected == 0:
		return nil, auditlog.ErrUnknown
	case place.sequence < projected:
		record, err := s.audit.Log.Get(ctx, projected) // a list is without results
		return record.GetCanonical(), err
	}
	record, err := s.read(ctx, place.sequence)
	if err != nil {
		return nil, err
	}
	return record.GetCompacted()[place.at].GetCanonical(), nil
}

// findCompacted finds the last compaction of each call.
func (s *sessionRecords) findCompacted(ctx context.Context) error {
	s.compacted = map[string]recordedResult{}
	query := auditlog.Query{Session: s.session, Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_COMPACTION}, Limit: auditlog.MaxPage}
	for {
		list, next, err := s.audit.Log.List(ctx, query)
		if err != nil {
			return err
		}
		for _, outline := range list { // the newest first
			record, err := s.read(ctx, outline.GetSequence())
			if err != nil {
				return err
			}
			for at, c := range record.GetCompacted() {
				if _, later := s.compacted[c.GetCallId()]; !later {
					s.compacted[c.GetCallId()] = recordedResult{record.GetSequence(), at}
				}
			}
		}
		if query.Below = next; next == 0 {
			return nil
		}
	}
}

// read reads a record; neighbours in a history are often in the same.
func (s *sessionRecords) read(ctx context.Context, sequence uint64) (record *pb.AuditRecord, err error) {
	if s.last.GetSequence() == sequence {
		return s.last, nil
	}
	if record, err = s.audit.Log.Get(ctx, sequence); err == nil {
		s.last = record
	}
	return record, err
}
