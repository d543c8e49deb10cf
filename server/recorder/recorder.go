// Package recorder writes the audit log: one record for every answer, and a short one for every call that was rejected. It also
// makes sure that of calls with the same request id one is worked on.
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
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
)

// AuditTrailer is the trailer of an answer that has a record: the log, the sequence of the
// record and its hash, with a space between them.
const AuditTrailer = "toolresult-audit"

// How many refusals are recorded one by one: so many in a second, and as many more in a burst.
const (
	refusalsPerSecond = 50
	refusalBurst      = 500
)

// Recorder records what is answered. A nil audit records nothing.
type Recorder struct {
	Log        auditlog.Log
	metrics    metrics.Reporter // nil when nobody asks
	logger     *slog.Logger
	Version    string // the build
	OnFailure  func() // called when the log takes nothing any more, maybe more than once; nil: nobody asks
	refusals   *rate.Limiter
	unrecorded counter // refusals since the last one that was recorded
}

func New(log auditlog.Log, m metrics.Reporter, logger *slog.Logger, info *pb.GetServerInfoResponse) *Recorder {
	if log == nil {
		return nil
	}
	server := info.GetVersion()
	if commit := info.GetCommit(); commit != "" {
		server += " " + commit
	}
	return &Recorder{Log: log, metrics: m, logger: logger, Version: server, refusals: rate.NewLimiter(refusalsPerSecond, refusalBurst)}
}

// NewRecord is a record of the call, with what is the same for all kinds.
func (a *Recorder) NewRecord(ctx context.Context, kind pb.AuditKind, began time.Time) *pb.AuditRecord {
	method, _ := grpc.Method(ctx)
	return &pb.AuditRecord{
		Kind: kind, Method: method, CorrelationId: identity.RequestID(ctx), Caller: identity.FromContext(ctx).AuditCaller(),
		Elapsed: durationpb.New(time.Since(began)),
	}
}

// Append makes records durable, and tells the client where they are. It does not begin for
// a client that is gone, and is not given up half way.
func (a *Recorder) Append(ctx context.Context, r *Request, records ...*pb.AuditRecord) error {
	if a == nil {
		return nil
	}
	for _, record := range records {
		if r != nil {
			record.RequestId, record.RequestDigest = r.id, r.digest
		}
	}
	began := time.Now()
	err := a.write(ctx, records...)
	if a.metrics != nil {
		a.metrics.Step(ctx, metrics.AuditStore, began, err)
	}
	if err == nil {
		SetTrailer(ctx, records)
	}
	return err
}

// Waiting is how many calls wait for the log to take their records.
func (a *Recorder) Waiting() int64 {
	if a == nil {
		return 0
	}
	return int64(a.Log.Status().Waiting)
}

// write appends to the log, and notices when it takes nothing any more.
func (a *Recorder) write(ctx context.Context, records ...*pb.AuditRecord) error {
	_, err := a.Log.Append(ctx, records...)
	if errors.Is(err, auditlog.ErrFailed) && a.OnFailure != nil {
		a.OnFailure()
	}
	return err
}

// SetTrailer puts the last of the records into the trailer.
func SetTrailer(ctx context.Context, records []*pb.AuditRecord) {
	last := records[len(records)-1]
	head := fmt.Sprintf("%s %d %s", last.GetLogId(), last.GetSequence(), last.GetHash())
	_ = grpc.SetTrailer(ctx, metadata.Pairs(AuditTrailer, head)) // it fails outside of a call
}

// Retain deletes records whose time is over, from time to time, until ctx is done.
func (a *Recorder) Retain(ctx context.Context, every, keepFor time.Duration) {
	if a == nil || keepFor == 0 {
		return
	}
	for ticker := time.NewTicker(every); ; {
		if n, err := a.Log.Retain(ctx, time.Now().Add(-keepFor)); err != nil && ctx.Err() == nil {
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

// Rejected records a refusal. The client waits for it, so that no call ends without its
// record; when there are too many they are counted in the next one.
func (a *Recorder) Rejected(ctx context.Context, method string, req any, r *apierror.StatusError) {
	if a == nil {
		return
	}
	if !a.refusals.Allow() {
		a.unrecorded.add(1)
		return
	}
	record := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_REJECTION, time.Now())
	record.Method, record.Elapsed = method, nil
	if r.Reason != pb.ErrorReason_ERROR_REASON_NAME_INVALID { // of the call, as it may be
		record.Call = validCall(req)
	}
	record.Rejection = &pb.AuditRejection{
		Code: codeName(r.Code), Reason: apierror.ReasonName(r.Reason), Field: r.Metadata["field"], Unrecorded: a.unrecorded.take(),
	}
	if err := a.write(context.WithoutCancel(ctx), record); err != nil {
		a.unrecorded.add(1 + record.GetRejection().GetUnrecorded())
		a.logger.WarnContext(ctx, "a refusal was not recorded", "error", err, "request_id", identity.RequestID(ctx))
	}
}

// validCall is the call that a request names, if its names may be recorded.
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

// Rendered records a receipt that was made of a canonical result. made has both, the family and the policy.
func (a *Recorder) Rendered(ctx context.Context, began time.Time, made *pb.AuditRecord) error {
	if a == nil {
		return nil
	}
	r := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_RENDERING, began)
	r.ToolName, r.Status = made.GetCanonical().GetToolName(), made.GetCanonical().GetStatus()
	r.Call, r.Family, r.Policy, r.Canonical, r.Receipt = made.Call, made.GetFamily(), made.Policy, made.Canonical, made.Receipt
	r.Versions = &pb.AuditVersions{Server: a.Version, Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: made.GetReceipt().GetTokenCounter()}
	return a.Append(ctx, nil, r)
}

// Compacted records what a compaction made: results that changed, the overview, and the policy.
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
	return a.Append(ctx, nil, r)
}

func codeName(c interface{ String() string }) string {
	var b strings.Builder
	for i, r := range c.String() { // "NotFound" is NOT_FOUND
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

// counter counts from many goroutines.
type counter struct{ n atomic.Uint64 }

func (c *counter) add(n uint64) { c.n.Add(n) }

// take returns the count and begins again.
func (c *counter) take() uint64 { return c.n.Swap(0) }
