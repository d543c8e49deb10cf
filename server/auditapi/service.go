// Package auditapi implements AuditService: it reads records, makes the result of a record again to compare the two, and
// follows the chain of the log. It writes nothing.
package auditapi

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/artifactapi"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
)

// Store is what a Service needs of the catalog of artifacts.
type Store interface {
	Open(ctx context.Context, name string) (*artifactstore.Reader, error)
	Resolve(path string) (name string, err error)
	RefFor(content []byte) artifactstore.Ref
	VerifyChanges(ctx context.Context, report func(finding string) error) error
}

// Options are what a Service is made of.
type Options struct {
	Registry *families.Registry
	Policies *policy.Resolver
	Store    Store
	Patterns *redact.Patterns   // of what looks like a secret; nil: off
	Recorder *recorder.Recorder // nil: no audit log is kept
}

// Service is AuditService. Safe for concurrent use.
type Service struct {
	pb.UnimplementedAuditServiceServer
	Options
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o} }

// GetRecord reads one record.
func (a *Service) GetRecord(ctx context.Context, req *pb.GetRecordRequest) (*pb.GetRecordResponse, error) {
	record, err := a.record(ctx, req.GetSequence())
	if err != nil {
		return nil, err
	}
	shown(ctx, record)
	return &pb.GetRecordResponse{Record: record}, nil
}

// record is a record that the caller may see.
func (a *Service) record(ctx context.Context, sequence uint64) (*pb.AuditRecord, error) {
	if a.Recorder == nil {
		return nil, apierror.ErrAuditDisabled
	}
	check := envelope.NewChecker("")
	if sequence == 0 {
		check.Fail("sequence", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		return nil, check.Err()
	}
	record, err := a.Recorder.Log.Get(ctx, sequence)
	if err != nil {
		return nil, err
	}
	if own := identity.FromContext(ctx).Session; own != "" && record.GetCall().GetSessionId() != own {
		return nil, auditlog.ErrUnknown
	}
	return record, nil
}

// shown takes out of records what their reader may not know: where originals are that only
// the sidecar's own user may read.
func shown(ctx context.Context, records ...*pb.AuditRecord) {
	if identity.FromContext(ctx).MayReadRaw() {
		return
	}
	for _, r := range records {
		for _, p := range r.GetPayloads() {
			p.OriginalArtifact = ""
		}
	}
}

// ListRecords lists records, the newest first.
func (a *Service) ListRecords(ctx context.Context, req *pb.ListRecordsRequest) (*pb.ListRecordsResponse, error) {
	if a.Recorder == nil {
		return nil, apierror.ErrAuditDisabled
	}
	query, err := queryOf(req)
	if err != nil {
		return nil, err
	}
	if query.Session, err = identity.Confine(ctx, query.Session); err != nil {
		return nil, err
	}
	records, next, err := a.Recorder.Log.List(ctx, query)
	if err != nil {
		return nil, err
	}
	shown(ctx, records...)
	for _, r := range records {
		withoutFocus(r)
	}
	if req.GetSummaries() {
		if err := a.summarize(ctx, records); err != nil {
			return nil, err
		}
	}
	resp := &pb.ListRecordsResponse{Records: records}
	if next > 0 {
		resp.NextPageToken = strconv.FormatUint(next, 36)
	}
	return resp, nil
}

// withoutFocus takes out of a record what its agent looked for, which could be most of a list.
func withoutFocus(r *pb.AuditRecord) {
	r.SessionFocus = ""
	if r.GetPolicy() != nil {
		r.Policy.Focus = ""
	}
}

// queryOf checks what is to be listed.
func queryOf(req *pb.ListRecordsRequest) (q auditlog.Query, err error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), false)
	check.CallID("call_id", req.GetCallId(), false)
	check.Name("request_id", req.GetRequestId(), false)
	check.Name("tool_name", req.GetToolName(), false)
	check.Length("artifact", req.GetArtifact(), artifactapi.MaxPath)
	for i, k := range req.GetKinds() {
		if _, known := pb.AuditKind_name[int32(k)]; !known || k == pb.AuditKind_AUDIT_KIND_UNSPECIFIED {
			check.Fail("kinds["+strconv.Itoa(i)+"]", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no kind that this server knows")
		}
	}
	q = auditlog.Query{
		Session: req.GetSessionId(), Call: req.GetCallId(), RequestID: req.GetRequestId(), Tool: req.GetToolName(),
		Kinds: req.GetKinds(), Artifact: req.GetArtifact(), From: timeOf(check, "from_time", req.GetFromTime()),
		Until: timeOf(check, "until_time", req.GetUntilTime()), Limit: check.Bounded("page_size", req.GetPageSize(), artifactapi.DefaultPage, 1, artifactapi.MaxPage),
	}
	if err := check.Err(); err != nil {
		return q, err
	}
	if cursor := req.GetPageToken(); cursor != "" {
		if q.Below, err = strconv.ParseUint(cursor, 36, 64); err != nil || q.Below == 0 {
			return q, artifactapi.InvalidCursor()
		}
	}
	return q, nil
}

// timeOf reads a time of a request; the zero time where there is none.
func timeOf(check envelope.Checker, field string, t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	if t.CheckValid() != nil {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is no valid time")
	}
	return t.AsTime()
}

// VerifyRecord makes a record's results again and compares them.
func (a *Service) VerifyRecord(ctx context.Context, req *pb.VerifyRecordRequest) (*pb.VerifyRecordResponse, error) {
	record, err := a.record(ctx, req.GetSequence())
	if err != nil {
		return nil, err
	}
	return a.Verify(ctx, record)
}

// VerifyLog follows the chain of records and then that of the changes of the catalog, whose findings have no sequence.
func (a *Service) VerifyLog(req *pb.VerifyLogRequest, call grpc.ServerStreamingServer[pb.VerifyLogResponse]) error {
	if a.Recorder == nil {
		return apierror.ErrAuditDisabled
	}
	check := envelope.NewChecker("")
	if (req.GetHeadSequence() == 0) != (req.GetHeadHash() == "") {
		check.Fail("head_hash", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "and head_sequence are given together")
		return check.Err()
	}
	send := func(b auditlog.Inconsistency) error {
		return call.Send(&pb.VerifyLogResponse{Answer: &pb.VerifyLogResponse_Inconsistent{
			Inconsistent: &pb.InconsistentRecord{Sequence: b.Sequence, Reason: b.Reason},
		}})
	}
	verified, err := a.Recorder.Log.Verify(call.Context(), req.GetFromSequence(), send)
	if err != nil {
		return err
	}
	if err := a.Store.VerifyChanges(call.Context(), func(finding string) error {
		verified.Inconsistent++
		return send(auditlog.Inconsistency{Reason: finding})
	}); err != nil {
		return err
	}
	if at := req.GetHeadSequence(); at > 0 {
		if why := a.lacks(call.Context(), at, req.GetHeadHash(), verified); why != "" {
			verified.Inconsistent++
			if err := send(auditlog.Inconsistency{Sequence: at, Reason: why}); err != nil {
				return err
			}
		}
	}
	return call.Send(&pb.VerifyLogResponse{Answer: &pb.VerifyLogResponse_Verified{Verified: &pb.VerifiedLog{
		LogId: verified.Head.Log, Intact: verified.Intact, Inconsistent: verified.Inconsistent, First: verified.First,
		HeadSequence: verified.Head.Sequence, HeadHash: verified.Head.Hash,
		Warnings: verified.Warnings,
	}}})
}

// lacks says why the log does not have a head that a client was given.
func (a *Service) lacks(ctx context.Context, sequence uint64, hash string, v auditlog.Verified) string {
	if sequence > v.Head.Sequence {
		return "the log ends before it"
	}
	if sequence < v.First {
		return "" // deleted by retention
	}
	record, err := a.Recorder.Log.Get(ctx, sequence)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	if err != nil || record.GetHash() != hash {
		return "the log has another record"
	}
	return ""
}
