package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
)

// errFault is the error of a broken log.
var errFault = errors.New("the log is broken")

// faultyLog is a log in memory whose calls fail as long as an error is set.
type faultyLog struct {
	auditlog.Log
	append, find, retain error
	deleted              int64
	cutoffs              []time.Time // of Retain
}

func (l *faultyLog) AppendWith(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) (auditlog.Head, error) {
	if l.append != nil {
		return auditlog.Head{}, fmt.Errorf("append: %w", l.append)
	}
	return l.Log.AppendWith(ctx, with, records...)
}

func (l *faultyLog) Find(ctx context.Context, session, id string) ([]*pb.AuditRecord, error) {
	if l.find != nil {
		return nil, l.find
	}
	return l.Log.Find(ctx, session, id)
}

func (l *faultyLog) Retain(_ context.Context, before time.Time) (int64, error) {
	l.cutoffs = append(l.cutoffs, before)
	return l.deleted, l.retain
}

func (l *faultyLog) Status() auditlog.Status { return auditlog.Status{Waiting: 3, Unsent: 4} }

// reporter records the steps that are reported.
type reporter struct {
	metrics.Reporter
	steps []string
}

func (r *reporter) Step(_ context.Context, step string, _ time.Time, err error) {
	r.steps = append(r.steps, fmt.Sprint(step, " ", err))
}

// newRecorder returns a recorder with a log in memory, and the text of its logger.
func newRecorder(t *testing.T) (*Recorder, *faultyLog, *bytes.Buffer) {
	t.Helper()
	inner, err := local.Open(local.Options{Journal: journaltest.Open(t), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	log, text := &faultyLog{Log: inner}, &bytes.Buffer{}
	return New(log, nil, slog.New(slog.NewTextHandler(text, nil)), &pb.GetServerInfoResponse{Version: "v1", Commit: "abc"}), log, text
}

// transport is the stream of a call that records its trailer.
type transport struct{ trailer metadata.MD }

func (*transport) Method() string               { return "/toolresult.v1.ToolResultService/Project" }
func (*transport) SetHeader(metadata.MD) error  { return nil }
func (*transport) SendHeader(metadata.MD) error { return nil }
func (s *transport) SetTrailer(md metadata.MD) error {
	s.trailer = metadata.Join(s.trailer, md)
	return nil
}

// call returns the context of a call of a caller.
func call(t *testing.T) (context.Context, *transport) {
	t.Helper()
	s := &transport{}
	ctx := identity.NewContext(t.Context(), identity.Caller{Local: true, UID: 7, Trusted: true})
	return grpc.NewContextWithServerTransportStream(identity.WithRequestID(ctx, "id-1"), s), s
}

// records returns the records of a log, the oldest first, in full.
func records(t *testing.T, l auditlog.Log) (list []*pb.AuditRecord) {
	t.Helper()
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range head.Sequence {
		r, err := l.Get(t.Context(), n+1)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestNoLogRecordsNothing has a server without a log: everything that makes no promise works.
func TestNoLogRecordsNothing(t *testing.T) {
	t.Parallel()
	a := New(nil, nil, nil, &pb.GetServerInfoResponse{})
	if a != nil {
		t.Fatalf("%+v", a)
	}
	a.Rejected(t.Context(), "m", nil, apierror.Draining())
	a.Retain(t.Context(), time.Now, time.Nanosecond, time.Hour)
	if err := errors.Join(
		a.Append(t.Context(), nil, nil, &pb.AuditRecord{}), a.Rendered(t.Context(), time.Now(), nil), a.Compacted(t.Context(), time.Now(), "", nil, ""),
	); err != nil || a.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, a.Waiting())
	}
}

func TestVersionHasTheCommitIfThereIsOne(t *testing.T) {
	t.Parallel()
	for want, info := range map[string]*pb.GetServerInfoResponse{"v1 abc": {Version: "v1", Commit: "abc"}, "v2": {Version: "v2"}} {
		if got := New(&faultyLog{}, nil, nil, info).Version; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAnswersHaveTheirRecord records an answer to a request with an id: the record has the request, and the trailer its place.
func TestAnswersHaveTheirRecord(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	report := &reporter{}
	a.metrics = report
	ctx, stream := call(t)
	first, last := a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_PROJECTION, time.Now().Add(-time.Minute)), a.NewRecord(ctx, pb.AuditKind_AUDIT_KIND_PROJECTION, time.Now())
	last.Part = 1
	if err := a.Append(ctx, NewRequest("s", "r", "digest"), nil, first, last); err != nil {
		t.Fatal(err)
	}
	list := records(t, log)
	if len(list) != 2 {
		t.Fatalf("%v", list)
	}
	for _, r := range list {
		if r.GetRequestId() != "r" || r.GetRequestDigest() != "digest" || r.GetCorrelationId() != "id-1" || r.GetMethod() != (&transport{}).Method() || r.GetCaller() == nil {
			t.Errorf("%v", r)
		}
	}
	if d := list[0].GetElapsed().AsDuration(); d < time.Minute || d > 2*time.Minute {
		t.Errorf("elapsed is %v", d)
	}
	want := fmt.Sprintf("%s 2 %s", list[1].GetLogId(), list[1].GetHash())
	if got := stream.trailer.Get(AuditTrailer); len(got) != 1 || got[0] != want {
		t.Errorf("the trailer is %q, want %q", got, want)
	}
	if got := fmt.Sprint(report.steps); got != "[audit <nil>]" || a.Waiting() != 7 {
		t.Errorf("reported %s, %d wait", got, a.Waiting())
	}
}

// TestNoAnswerWithoutARecord has a log that fails: the call fails with the same error, without a trailer, and the server is notified
// only when the log takes nothing any more.
func TestNoAnswerWithoutARecord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		ended bool
	}{{errFault, false}, {auditlog.ErrFull, false}, {auditlog.ErrFailed, true}} {
		a, log, _ := newRecorder(t)
		report, ended := &reporter{}, false
		log.append, a.metrics, a.OnFailure = c.err, report, func() { ended = true }
		ctx, stream := call(t)
		for name, err := range map[string]error{
			"append": a.Append(ctx, nil, nil, &pb.AuditRecord{}), "rendered": a.Rendered(ctx, time.Now(), &pb.AuditRecord{}),
			"compacted": a.Compacted(ctx, time.Now(), "s", &pb.AuditRecord{}, "o200k"),
		} {
			if !errors.Is(err, c.err) {
				t.Errorf("%s: %v, want %v", name, err, c.err)
			}
		}
		if len(stream.trailer) != 0 || ended != c.ended || len(report.steps) != 3 || !strings.Contains(report.steps[0], c.err.Error()) {
			t.Errorf("%v: trailer %v, ended %v, reported %q", c.err, stream.trailer, ended, report.steps)
		}
		a.OnFailure = nil
		if err := a.Append(ctx, nil, nil, &pb.AuditRecord{}); !errors.Is(err, c.err) {
			t.Errorf("without a callback: %v", err)
		}
	}
}

func TestRenderingsAndCompactionsNameTheirVersions(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	ctx, _ := call(t)
	canonical := &pb.CanonicalToolResult{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.ToolError{Kind: "odd", Message: "m"}}
	receipt, policy := &pb.Receipt{Text: "Failed", TokenCounter: "o200k"}, &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Model: "m"}}
	made := &pb.AuditRecord{Call: &pb.CallReference{SessionId: "s"}, Family: "error", Canonical: canonical, Receipt: receipt, Policy: policy}
	if err := a.Rendered(ctx, time.Now(), made); err != nil {
		t.Fatal(err)
	}
	compacted := &pb.AuditRecord{Receipt: receipt, Policy: policy, Compacted: []*pb.AuditCompacted{{}}}
	for _, session := range []string{"s", ""} {
		if err := a.Compacted(ctx, time.Now(), session, compacted, "cl100k"); err != nil {
			t.Fatal(err)
		}
	}
	list := records(t, log)
	versions := func(counter string) *pb.AuditVersions {
		return &pb.AuditVersions{Server: "v1 abc", Projector: projectors.Version, Renderer: renderers.Version, TokenCounter: counter}
	}
	want := []*pb.AuditRecord{
		{
			Kind: pb.AuditKind_AUDIT_KIND_RENDERING, ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Call: made.GetCall(), Family: "error",
			Canonical: canonical, Receipt: receipt, Policy: made.Policy, Versions: versions("o200k"),
		},
		{Kind: pb.AuditKind_AUDIT_KIND_COMPACTION, Call: &pb.CallReference{SessionId: "s"}, Receipt: receipt, Policy: policy, Compacted: compacted.GetCompacted(), Versions: versions("cl100k")},
		{Kind: pb.AuditKind_AUDIT_KIND_COMPACTION, Receipt: receipt, Policy: policy, Compacted: compacted.GetCompacted(), Versions: versions("cl100k")},
	}
	same := protocmp.IgnoreFields(&pb.AuditRecord{}, "log_id", "sequence", "recorded_at", "previous_hash", "hash", "method", "correlation_id", "caller", "elapsed")
	if diff := cmp.Diff(want, list, protocmp.Transform(), same); diff != "" {
		t.Error(diff)
	}
}

// TestRejectionsAreRecorded has requests with good and bad names, and a name that is a registered value.
func TestRejectionsAreRecorded(t *testing.T) {
	t.Parallel()
	a, log, _ := newRecorder(t)
	ctx, stream := call(t)
	good := &pb.CallReference{SessionId: "s", CallId: "c"}
	reject := func(req any, reason pb.ErrorReason, field string) {
		a.Rejected(ctx, "/a/B", req, &apierror.StatusError{Code: codes.FailedPrecondition, Reason: reason, Metadata: map[string]string{"field": field}})
	}
	reject(&pb.ProjectRequest{Call: good}, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "output")
	reject(&pb.ProjectRequest{Call: &pb.CallReference{SessionId: "a b\n"}}, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "")
	reject(&pb.ProjectRequest{Call: good}, pb.ErrorReason_ERROR_REASON_NAME_INVALID, "call.call_id")
	reject(&pb.ProjectRequest{}, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "")
	reject(nil, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "")
	reject(&pb.GetServerInfoRequest{}, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "")
	list := records(t, log)
	if len(list) != 6 {
		t.Fatalf("%d records", len(list))
	}
	for i, r := range list {
		if want := i == 0; proto.Equal(r.GetCall(), good) != want || !want && r.GetCall() != nil {
			t.Errorf("record %d is of the call %v", i, r.GetCall())
		}
		if r.GetKind() != pb.AuditKind_AUDIT_KIND_REJECTION || r.GetMethod() != "/a/B" || r.GetElapsed() != nil || r.GetCaller() == nil {
			t.Errorf("record %d is %v", i, r)
		}
	}
	want := &pb.AuditRejection{Code: "FAILED_PRECONDITION", Reason: "NAME_INVALID", Field: "call.call_id"}
	if diff := cmp.Diff(want, list[2].GetRejection(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if len(stream.trailer) != 0 {
		t.Errorf("a rejection has the trailer %v", stream.trailer)
	}
}

// TestTooManyRejectionsAreCounted rejects more calls than may have a record each: the next record has their number.
func TestTooManyRejectionsAreCounted(t *testing.T) {
	t.Parallel()
	a, log, text := newRecorder(t)
	synctest.Test(t, func(t *testing.T) {
		a.rejections = New(log, nil, nil, nil).rejections // on the clock of the test
		ended, end := context.WithCancel(t.Context())
		end() // a client that is gone is recorded, too
		for range rejectionBurst + 3 {
			a.rejections.Allow()
		}
		for range 5 {
			a.Rejected(ended, "/a/B", nil, apierror.Draining())
		}
		time.Sleep(time.Second / rejectionsPerSecond)
		log.append = errFault
		a.Rejected(ended, "/a/B", nil, apierror.Draining())
	})
	if got := a.unrecorded.n.Load(); got != 6 || !strings.Contains(text.String(), errFault.Error()) {
		t.Fatalf("%d are counted; the log of the server is %q", got, text)
	}
	log.append = nil
	a.rejections = New(log, nil, nil, nil).rejections
	a.Rejected(t.Context(), "/a/B", nil, apierror.Draining())
	a.Rejected(t.Context(), "/a/B", nil, apierror.Draining())
	list := records(t, log)
	if len(list) != 2 || list[0].GetRejection().GetUnrecorded() != 6 || list[1].GetRejection().GetUnrecorded() != 0 {
		t.Errorf("%v", list)
	}
}

// TestRetainDeletesAtIntervals has a log of which records are deleted now and then, until the server ends.
func TestRetainDeletesAtIntervals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deleted int64
		err     error
		keep    time.Duration
		calls   int
		says    string
	}{
		"nothing": {0, nil, time.Hour, 3, ""}, "some": {2, nil, time.Hour, 3, "old audit records were deleted"},
		"fails": {0, errFault, time.Hour, 3, "old audit records were not deleted"}, "kept for ever": {1, nil, 0, 0, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			text := &bytes.Buffer{}
			log := &faultyLog{deleted: c.deleted, retain: c.err}
			a := New(log, nil, slog.New(slog.NewTextHandler(text, nil)), nil)
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			a.Retain(ctx, time.Now, 2*time.Minute, c.keep)
			if len(log.cutoffs) != c.calls || c.calls > 0 && (!log.cutoffs[0].Equal(began.Add(-c.keep)) || !log.cutoffs[2].Equal(began.Add(4*time.Minute-c.keep))) {
				t.Errorf("%s: %v", name, log.cutoffs)
			}
			if n := strings.Count(text.String(), "\n"); c.says == "" && n != 0 || c.says != "" && (n != c.calls || !strings.Contains(text.String(), c.says)) {
				t.Errorf("%s: the log of the server is %q", name, text)
			}
		})
	}
	text := &bytes.Buffer{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	New(&faultyLog{retain: context.Canceled}, nil, slog.New(slog.NewTextHandler(text, nil)), nil).Retain(ended, time.Now, time.Hour, time.Hour)
	if text.Len() != 0 {
		t.Errorf("the end of the server is logged: %q", text)
	}
}

func TestCodesAreNamedAsInTheContract(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]string{
		codes.NotFound: "NOT_FOUND", codes.InvalidArgument: "INVALID_ARGUMENT", codes.FailedPrecondition: "FAILED_PRECONDITION", codes.Internal: "INTERNAL", codes.DataLoss: "DATA_LOSS",
	} {
		if got := codeName(code); got != want {
			t.Errorf("%v is %s", code, got)
		}
	}
}
