// Package recorder writes the audit log: one record for every answer, and a short one for every call that was rejected. It also
// makes sure that of calls with the same request id one is worked on.
//
// A record is durable before its call is answered, so that nothing was ever answered that the log does not have. When the log
// fails, the call fails: an answer without a record would be worse than none. The exception is a rejection: its client is
// answered in any case, and what could not be recorded is counted in the next record.
//
// The package knows what is the same in all records (method, caller, versions, time). What a projection or a compaction adds is
// made by its caller.
package recorder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
)

// AuditTrailer is the trailer of an answer that has a record: the log, the sequence of the
// record and its hash, with a space between them.
const AuditTrailer = "toolresult-audit"

// Bounds of the rejections that have a record each. A client in a loop would otherwise fill the log with them; those beyond the
// bounds are counted.
const (
	rejectionsPerSecond = 50
	rejectionBurst      = 500
)

// Recorder records answers. A nil Recorder records nothing: the operator keeps no log. Safe for concurrent use.
type Recorder struct {
	Log        auditlog.Log
	metrics    metrics.Reporter // nil: nothing is reported
	logger     *slog.Logger
	Version    string // the build
	OnFailure  func() // called when the log takes no more records, maybe more than once; may be nil
	rejections *rate.Limiter
	unrecorded counter // rejections since the last one that was recorded
}

// New returns a recorder, nil without a log. m may be nil. info has the version of the build, which every record names.
func New(log auditlog.Log, m metrics.Reporter, logger *slog.Logger, info *pb.GetServerInfoResponse) *Recorder {
	if log == nil {
		return nil
	}
	server := info.GetVersion()
	if commit := info.GetCommit(); commit != "" {
		server += " " + commit
	}
	return &Recorder{Log: log, metrics: m, logger: logger, Version: server, rejections: rate.NewLimiter(rejectionsPerSecond, rejectionBurst)}
}

// NewRecord returns a record of the call in ctx, with what is the same for all kinds. began is the time at which the call began.
func (a *Recorder) NewRecord(ctx context.Context, kind pb.AuditKind, began time.Time) *pb.AuditRecord {
	method, _ := grpc.Method(ctx)
	return &pb.AuditRecord{
		Kind: kind, Method: method, CorrelationId: identity.RequestID(ctx), Caller: identity.FromContext(ctx).AuditCaller(),
		Elapsed: durationpb.New(time.Since(began)),
	}
}

// Transaction is what a call has put and is made durable together with its records.
type Transaction interface {
	// Commit makes it durable. with appends what is given to it, in the place of the store itself; it may be nil.
	Commit(ctx context.Context, with func(context.Context, journal.Append) error) error
}

// Append makes records durable, all or none, and puts the place of the last one into the trailer of the call. A nil r is a
// request without an id. puts is what the call has put; nil: nothing. It does not begin after the end of ctx, and does not end half way.
func (a *Recorder) Append(ctx context.Context, r *Request, puts Transaction, records ...*pb.AuditRecord) error {
	if a == nil {
		if puts == nil {
			return nil
		}
		return puts.Commit(ctx, nil)
	}
	for _, record := range records {
		if r != nil {
			record.RequestId, record.RequestDigest = r.id, r.digest
		}
	}
	began := time.Now()
	err := a.commit(ctx, puts, records...)
	if a.metrics != nil {
		a.metrics.Step(ctx, metrics.AuditStore, began, err)
	}
	if err == nil {
		SetTrailer(ctx, records)
	}
	return err
}

// Waiting returns the number of calls that wait for the log, and of records that are in the journal and not in their database yet.
func (a *Recorder) Waiting() int64 {
	if a == nil {
		return 0
	}
	status := a.Log.Status()
	return int64(status.Waiting) + status.Unsent
}

// commit appends records together with what was put, if anything was.
func (a *Recorder) commit(ctx context.Context, puts Transaction, records ...*pb.AuditRecord) error {
	if puts == nil {
		return a.write(ctx, journal.Append{}, records...)
	}
	return puts.Commit(ctx, func(ctx context.Context, with journal.Append) error { return a.write(ctx, with, records...) })
}

// write appends to the log, and reports when it takes no more records.
func (a *Recorder) write(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) error {
	_, err := a.Log.AppendWith(ctx, with, records...)
	if errors.Is(err, auditlog.ErrFailed) && a.OnFailure != nil {
		a.OnFailure()
	}
	return err
}

// SetTrailer puts the place of the last record into the trailer of the call. Records is not empty.
func SetTrailer(ctx context.Context, records []*pb.AuditRecord) {
	last := records[len(records)-1]
	head := fmt.Sprintf("%s %d %s", last.GetLogId(), last.GetSequence(), last.GetHash())
	_ = grpc.SetTrailer(ctx, metadata.Pairs(AuditTrailer, head)) // it fails outside of a call
}

// Retain deletes records that are older than keepFor, first now and then at every interval, until ctx is done. A keepFor of 0
// keeps records for ever, and Retain returns. now is a clock that may be believed: that of the system may have jumped.
func (a *Recorder) Retain(ctx context.Context, now func() time.Time, every, keepFor time.Duration) {
	if a == nil || keepFor == 0 {
		return
	}
	for ticker := time.NewTicker(every); ; {
		if n, err := a.Log.Retain(ctx, now().Add(-keepFor)); err != nil && ctx.Err() == nil {
			a.logger.WarnContext(ctx, "old audit records were not deleted", "error", err)
		} else if n > 0 {
			a.logger.InfoContext(ctx, "old audit records were deleted", "records", n)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			ticker.Stop()
			return
		}
	}
}

// Rejected records a rejected call. The client waits for it, so that no call ends without its record; when there are too many,
// or when the log fails, they are counted in the next one. req may be nil, as of a stream.
func (a *Recorder) Rejected(ctx context.Context, method string, req any, r *apierror.StatusError) {
	if a == nil {
		return
	}
	if !a.rejections.Allow() {
		a.unrecorded.add(1)
		return
	}
	record := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_REJECTION, time.Now())
	record.Method, record.Elapsed = method, nil
	if r.Reason != pb.ErrorReason_ERROR_REASON_NAME_INVALID { // otherwise the name may be a registered secret
		record.Call = validCall(req)
	}
	record.Rejection = &pb.AuditRejection{
		Code: codeName(r.Code), Reason: apierror.ReasonName(r.Reason), Field: r.Metadata["field"], Unrecorded: a.unrecorded.take(),
	}
	if err := a.write(context.WithoutCancel(ctx), journal.Append{}, record); err != nil {
		a.unrecorded.add(1 + record.GetRejection().GetUnrecorded())
		a.logger.WarnContext(ctx, "a refusal was not recorded", "error", err, "request_id", identity.RequestID(ctx))
	}
}

// validCall returns the call that a request names; nil if it names none, or if its names may be any text.
func validCall(req any) *pb.CallReference {
	named, ok := req.(interface{ GetCall() *pb.CallReference })
	if !ok || named.GetCall() == nil {
		return nil
	}
	check := envelope.NewChecker("")
	if envelope.CheckCall(check, named.GetCall()); check.Err() != nil {
		return nil
	}
	return named.GetCall()
}

// Rendered records a receipt that was made of a canonical result. made has both, with the family and the policy.
func (a *Recorder) Rendered(ctx context.Context, began time.Time, made *pb.AuditRecord) error {
	if a == nil {
		return nil
	}
	r := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_RENDERING, began)
	r.ToolName, r.Status = made.GetCanonical().GetToolName(), made.GetCanonical().GetStatus()
	r.Call, r.Family, r.Policy, r.Canonical, r.Receipt = made.Call, made.GetFamily(), made.Policy, made.Canonical, made.Receipt
	r.Versions = &pb.AuditVersions{Server: a.Version, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: made.GetReceipt().GetTokenCounter()}
	return a.Append(ctx, nil, nil, r)
}

// Compacted records a compaction. made has the results that changed, the overview and the policy. An empty session is none.
func (a *Recorder) Compacted(ctx context.Context, began time.Time, session string, made *pb.AuditRecord, counter string) error {
	if a == nil {
		return nil
	}
	r := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_COMPACTION, began)
	if session != "" {
		r.Call = &pb.CallReference{SessionId: session}
	}
	r.Versions = &pb.AuditVersions{Server: a.Version, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: counter}
	r.Policy, r.Compacted, r.Receipt = made.Policy, made.Compacted, made.Receipt
	return a.Append(ctx, nil, nil, r)
}

// codeName returns the name of a code as the contract writes it: "NotFound" is NOT_FOUND.
func codeName(c interface{ String() string }) string {
	var b strings.Builder
	for i, r := range c.String() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

// counter is a count. Safe for concurrent use.
type counter struct{ n atomic.Uint64 }

// add adds n.
func (c *counter) add(n uint64) { c.n.Add(n) }

// take returns the count and begins again.
func (c *counter) take() uint64 { return c.n.Swap(0) }
