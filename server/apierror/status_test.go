package apierror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
)

// mapping is what a client sees of every error that has a reason without further facts. It is written out a second time, so
// that a change of the table in the code is a decision.
var mapping = []struct {
	err    error
	code   codes.Code
	reason string
}{
	{artifactstore.ErrFull, codes.ResourceExhausted, "DISK_FULL"},
	{artifactstore.ErrTooManyFiles, codes.ResourceExhausted, "FD_LIMIT"},
	{artifactstore.ErrTooLarge, codes.ResourceExhausted, "ARTIFACT_TOO_LARGE"},
	{artifactstore.ErrReadOnly, codes.FailedPrecondition, "STORE_READ_ONLY"},
	{artifactstore.ErrOutsideStore, codes.PermissionDenied, "PATH_OUTSIDE_STORE"},
	{artifactstore.ErrUnknown, codes.NotFound, "ARTIFACT_NOT_FOUND"},
	{artifactstore.ErrBusy, codes.Aborted, "LOG_BUSY"},
	{artifactstore.ErrFinished, codes.FailedPrecondition, "LOG_FINISHED"},
	{artifactstore.ErrClosed, codes.Unavailable, "DRAINING"},
	{artifactstore.ErrUnavailable, codes.Unavailable, "OBJECT_STORE_UNAVAILABLE"},
	{artifactstore.ErrDamaged, codes.Internal, "STORE_FAILED"},
	{artifactstore.ErrDisk, codes.Internal, "STORE_FAILED"},
	{artifactstore.ErrNameInvalid, codes.Internal, "STORE_FAILED"},
	{artifactstore.ErrSealed, codes.Internal, "STORE_FAILED"},
	{artifactstore.ErrSizeMismatch, codes.Internal, "STORE_FAILED"},
	{artifactstore.ErrRootUnsafe, codes.Internal, "STORE_FAILED"},
	{catalog.ErrBusy, codes.Unavailable, "STORE_UNAVAILABLE"},
	{catalog.ErrCatalogUnreadable, codes.Internal, "STORE_FAILED"},
	{catalog.ErrMissing, codes.DataLoss, "ARTIFACT_MISSING"},
	{catalog.ErrQuota, codes.ResourceExhausted, "QUOTA_STORE"},
	{catalog.ErrSessionQuota, codes.ResourceExhausted, "QUOTA_SESSION"},
	{catalog.ErrRace, codes.Aborted, "GC_RACE"},
	{auditlog.ErrUnknown, codes.NotFound, "RECORD_NOT_FOUND"},
	{auditlog.ErrBroken, codes.DataLoss, "AUDIT_CHAIN_BROKEN"},
	{auditlog.ErrReused, codes.AlreadyExists, "REQUEST_ID_REUSED"},
	{auditlog.ErrFailed, codes.FailedPrecondition, "AUDIT_LOG_FAILED"},
	{auditlog.ErrFull, codes.ResourceExhausted, "DISK_FULL"},
	{auditlog.ErrReadOnly, codes.FailedPrecondition, "STORE_READ_ONLY"},
	{auditlog.ErrClosed, codes.Unavailable, "DRAINING"},
	{auditlog.ErrUnavailable, codes.Unavailable, "AUDIT_LOG_UNAVAILABLE"},
	{ErrAuditDisabled, codes.FailedPrecondition, "AUDIT_DISABLED"},
	{ErrFileNotAllowed, codes.PermissionDenied, "FILE_NOT_ALLOWED"},
	{ErrFileLinked, codes.PermissionDenied, "FILE_NOT_ALLOWED"},
	{ErrNoRoots, codes.PermissionDenied, "FILE_NOT_ALLOWED"},
	{ErrFileMissing, codes.NotFound, "FILE_NOT_FOUND"},
	{ErrFileChanged, codes.Aborted, "FILE_CHANGED"},
	{ErrIdle, codes.DeadlineExceeded, "STREAM_IDLE"},
	{context.Canceled, codes.Canceled, "CLIENT_CANCELLED"},
	{context.DeadlineExceeded, codes.DeadlineExceeded, "DEADLINE"},
	{renderers.ErrNotSanitised, codes.InvalidArgument, "TEXT_NOT_SANITISED"},
	{&fs.PathError{Op: "write", Path: "x", Err: errors.New("odd")}, codes.Internal, "STORE_FAILED"},
	{&os.LinkError{Op: "rename", Old: "x", New: "y", Err: errors.New("odd")}, codes.Internal, "STORE_FAILED"},
	{&os.SyscallError{Syscall: "fsync", Err: errors.New("odd")}, codes.Internal, "STORE_FAILED"},
	{syscall.EIO, codes.Internal, "STORE_FAILED"},
	{errors.New("odd"), codes.Internal, "INTERNAL"},
}

// TestEveryErrorKeepsItsReasonWhenWrapped maps errors as packages return them: wrapped, with names and paths in their text.
// None of that text may be in the status.
func TestEveryErrorKeepsItsReasonWhenWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range mapping {
		got := ToStatus(fmt.Errorf("put of s3cret: %w", c.err))
		if got.Code != c.code || ReasonName(got.Reason) != c.reason {
			t.Errorf("%v is %v %s, want %v %s", c.err, got.Code, ReasonName(got.Reason), c.code, c.reason)
		}
		if got.Message == "" || strings.Contains(got.Message, "s3cret") || strings.Contains(got.Message, "odd") {
			t.Errorf("%v has the message %q", c.err, got.Message)
		}
		info := infoOf(t, got)
		if info.GetDomain() != "toolresult.v1" || info.GetReason() != c.reason {
			t.Errorf("%v has %v", c.err, info)
		}
	}
	if len(mapping) < len(sentinels)+len(storeFailures) {
		t.Errorf("the test knows %d errors, the code %d", len(mapping), len(sentinels)+len(storeFailures))
	}
}

// infoOf returns the ErrorInfo of a status, of which there is one, and first.
func infoOf(t *testing.T, r *StatusError) *errdetails.ErrorInfo {
	t.Helper()
	details := r.GRPCStatus().Details()
	info, ok := details[0].(*errdetails.ErrorInfo)
	if !ok || len(details) != 1+len(r.Details) {
		t.Fatalf("details are %v", details)
	}
	return info
}

// TestStatusesOfGRPCHaveReasons maps statuses that gRPC and its own services return. Codes that blame nobody are internal.
func TestStatusesOfGRPCHaveReasons(t *testing.T) {
	t.Parallel()
	known := map[codes.Code]string{
		codes.Canceled: "CLIENT_CANCELLED", codes.DeadlineExceeded: "DEADLINE", codes.Unimplemented: "METHOD_UNKNOWN",
		codes.NotFound: "SERVICE_UNKNOWN", codes.InvalidArgument: "MESSAGE_INVALID", codes.ResourceExhausted: "MESSAGE_TOO_LARGE",
		codes.Unavailable: "DRAINING",
	}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		got := ToStatus(status.Error(code, "a\xff text"))
		want := &StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_INTERNAL, Message: "the server failed"}
		if reason, ok := known[code]; ok {
			want = &StatusError{Code: code, Reason: pb.ErrorReason(pb.ErrorReason_value["ERROR_REASON_"+reason]), Message: "a text"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %s", code, diff)
		}
	}
}

// TestStatusNamesTheFieldOnce maps errors about a field: a status of InvalidArgument without a field gets it, and others do not.
func TestStatusNamesTheFieldOnce(t *testing.T) {
	t.Parallel()
	invalid := &envelope.InvalidError{Violations: []envelope.Violation{{Field: "own", Reason: pb.ErrorReason_ERROR_REASON_FIELD_MISSING, Message: "is required"}}}
	for name, c := range map[string]struct {
		err           error
		field, inBad  string
		message, code string
	}{
		"without a field": {renderers.ErrNotSanitised, "", "", renderers.ErrNotSanitised.Error(), "InvalidArgument"},
		"at a field": {
			AtField("output.text", renderers.ErrNotSanitised), "output.text", "output.text",
			"output.text: " + renderers.ErrNotSanitised.Error(), "InvalidArgument",
		},
		"of its own":     {AtField("other", invalid), "own", "own", "own: is required", "InvalidArgument"},
		"no mistake":     {AtField("path", artifactstore.ErrFull), "", "", "the disk of the artifact store is full", "ResourceExhausted"},
		"has metadata":   {AtField("policy", &envelope.ShortfallError{Unit: "lines", Needed: 9, Budget: 5}), "policy", "policy", "", "InvalidArgument"},
		"inside another": {fmt.Errorf("x: %w", AtField("a", io.EOF)), "", "", "the server failed", "Internal"},
	} {
		got := ToStatus(c.err)
		if got.Code.String() != c.code || got.Metadata["field"] != c.field || c.message != "" && got.Message != c.message {
			t.Errorf("%s: %+v", name, got)
		}
		var violations []string
		for _, d := range got.GRPCStatus().Details() {
			if bad, ok := d.(*errdetails.BadRequest); ok {
				for _, v := range bad.GetFieldViolations() {
					violations = append(violations, v.GetField())
					if v.GetReason() != ReasonName(got.Reason) || v.GetDescription() == "" || strings.HasPrefix(v.GetDescription(), c.field+":") {
						t.Errorf("%s: %v", name, v)
					}
				}
			}
		}
		if strings.Join(violations, " ") != c.inBad {
			t.Errorf("%s: violations at %q", name, violations)
		}
	}
}

// TestSharedStatusIsNotChanged maps one status at two fields and with two incidents: the status itself stays as it was.
func TestSharedStatusIsNotChanged(t *testing.T) {
	t.Parallel()
	for _, metadata := range []map[string]string{nil, {"limit": "3"}} {
		shared := &StatusError{Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, Message: "text", Metadata: metadata}
		before := proto.CloneOf(shared.GRPCStatus().Proto())
		a, b := ToStatus(AtField("a", shared)), shared.WithIncident("i-1")
		if a.Metadata["field"] != "a" || a.Metadata["limit"] != metadata["limit"] || a.Message != "a: text" {
			t.Errorf("at a field: %+v", a)
		}
		if b.Metadata["incident"] != "i-1" || b.Metadata["limit"] != metadata["limit"] || b.Message != "text (incident i-1)" || b.Code != shared.Code {
			t.Errorf("with an incident: %+v", b)
		}
		if diff := cmp.Diff(before, shared.GRPCStatus().Proto(), protocmp.Transform()); diff != "" {
			t.Errorf("the status changed: %s", diff)
		}
	}
}

// TestPrefixFieldNests moves errors below a field, again and again, and keeps what they are.
func TestPrefixFieldNests(t *testing.T) {
	t.Parallel()
	invalid := &envelope.InvalidError{Violations: []envelope.Violation{{Field: "call", Message: "is required"}, {Field: "policy", Message: "is unknown"}}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{PrefixField("results[3]", ErrFileMissing), "results[3]: there is no such file"},
		{PrefixField("results[3]", AtField("path", ErrFileMissing)), "results[3].path: there is no such file"},
		{PrefixField("turn", PrefixField("results[3]", AtField("path", ErrFileMissing))), "turn.results[3].path: there is no such file"},
		{PrefixField("results[3]", fmt.Errorf("x: %w", AtField("path", ErrFileMissing))), "results[3].path: there is no such file"},
		{PrefixField("results[3]", invalid), "results[3].call: is required (and 1 more)"},
	} {
		if c.err.Error() != c.want {
			t.Errorf("%q, want %q", c.err, c.want)
		}
	}
	if err := PrefixField("a", AtField("b", ErrFileMissing)); !errors.Is(err, ErrFileMissing) {
		t.Errorf("%v is not the error that it wraps", err)
	}
}

func TestEndOfStreamBeforeFinishIsAnErrorOfOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ err, same error }{{io.EOF, nil}, {context.Canceled, context.Canceled}, {io.ErrUnexpectedEOF, io.ErrUnexpectedEOF}} {
		got := FromReceive(c.err)
		if c.same != nil {
			if !errors.Is(got, c.same) || got.Error() != c.same.Error() {
				t.Errorf("%v became %v", c.err, got)
			}
			continue
		}
		st := ToStatus(got)
		if st.Code != codes.InvalidArgument || ReasonName(st.Reason) != "STREAM_ORDER" || st.Message != "message: the stream ended without a finish" {
			t.Errorf("%v became %+v", c.err, st)
		}
	}
}

func TestDamageIsAFindingOnlyOfReads(t *testing.T) {
	t.Parallel()
	damaged := fmt.Errorf("frame 3: %w", artifactstore.ErrDamaged)
	if r := ToStatus(FromRead(damaged)); r.Code != codes.DataLoss || ReasonName(r.Reason) != "ARTIFACT_CORRUPT" || r.Message == "" {
		t.Errorf("read: %+v", r)
	}
	for _, err := range []error{nil, artifactstore.ErrUnknown} {
		if got := FromRead(err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// TestMessagesAreBoundedText bounds messages of any text: at most 1024 bytes, valid UTF-8, and a beginning of the text.
func TestMessagesAreBoundedText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("x", rapid.IntRange(0, 1030).Draw(t, "ascii")) + rapid.StringN(0, 20, -1).Draw(t, "text")
		got := (&StatusError{Code: codes.Internal, Message: text}).GRPCStatus().Message()
		if len(got) > 1024 || !utf8.ValidString(got) || !strings.HasPrefix(text, got) {
			t.Fatalf("%d bytes of %d: %q", len(got), len(text), got)
		}
		if len(text) <= 1024 && got != text || len(got) < min(len(text), 1024-utf8.UTFMax+1) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
	})
}

// TestStatusOutlivesItsDetails has a detail that cannot be encoded: the code and the message are sent without it.
func TestStatusOutlivesItsDetails(t *testing.T) {
	t.Parallel()
	r := &StatusError{Code: codes.Aborted, Message: "text", Details: []protoadapt.MessageV1{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "\xff"}}}}}
	st := r.GRPCStatus()
	if st.Code() != codes.Aborted || st.Message() != "text" || len(st.Details()) != 0 || r.Error() != "text" {
		t.Errorf("%v %v", st, st.Details())
	}
}
