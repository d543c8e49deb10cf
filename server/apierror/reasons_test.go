package apierror

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// seen is what a client reads of a status.
type seen struct {
	Code, Reason, Message string
	Metadata              map[string]string
	Retry                 time.Duration // 0 without RetryInfo
}

func see(t *testing.T, r *StatusError) seen {
	t.Helper()
	s := seen{Code: r.Code.String(), Reason: ReasonName(r.Reason), Message: r.GRPCStatus().Message(), Metadata: infoOf(t, r).GetMetadata()}
	if hint := s.Metadata["hint"]; hint == "" || hint != Hint(r.Reason) {
		t.Errorf("the hint of %s is %q", s.Reason, hint)
	}
	if delete(s.Metadata, "hint"); len(s.Metadata) == 0 {
		s.Metadata = nil
	}
	for _, d := range r.GRPCStatus().Details() {
		if retry, ok := d.(*errdetails.RetryInfo); ok {
			s.Retry = retry.GetRetryDelay().AsDuration()
		}
	}
	if delay, known := r.RetryDelay(); delay != s.Retry || known != (s.Retry > 0) {
		t.Errorf("the delay of %s is %v, and RetryInfo has %v", s.Reason, delay, s.Retry)
	}
	return s
}

// TestEveryReasonHasAHint: a line without a full stop that says what to do.
func TestEveryReasonHasAHint(t *testing.T) {
	t.Parallel()
	for number, name := range pb.ErrorReason_name {
		hint := Hint(pb.ErrorReason(number))
		if number == 0 {
			if hint != "" {
				t.Errorf("%s has the hint %q", name, hint)
			}
			continue
		}
		if hint == "" || strings.ContainsAny(hint, "\n\t") || strings.HasSuffix(hint, ".") || len(hint) > 100 || strings.ToLower(hint[:1]) != hint[:1] {
			t.Errorf("the hint of %s is %q", name, hint)
		}
	}
	if got := Hint(pb.ErrorReason(-1)); got != "" {
		t.Errorf("the hint of a number that is no reason is %q", got)
	}
}

// TestStatusesStateTheirFacts has what clients decide by: numbers in the metadata, and RetryInfo where the same call may succeed.
func TestStatusesStateTheirFacts(t *testing.T) {
	t.Parallel()
	deleted := time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		got  *StatusError
		want seen
	}{
		"message, unpacked": {
			MessageTooLarge(pb.ToolResultService_Project_FullMethodName, -1, 100),
			seen{"ResourceExhausted", "MESSAGE_TOO_LARGE", "the message is unpacked to more than 100 bytes; ProjectStream takes outputs of any size", map[string]string{"limit": "100"}, 0},
		},
		"message, empty": {
			MessageTooLarge("", 0, 100),
			seen{"ResourceExhausted", "MESSAGE_TOO_LARGE", "the message has 0 bytes, at most 100 are allowed", map[string]string{"limit": "100", "size": "0"}, 0},
		},
		"message of a turn": {
			MessageTooLarge(pb.ToolResultService_ProjectTurn_FullMethodName, 101, 100),
			seen{"ResourceExhausted", "MESSAGE_TOO_LARGE", "the message has 101 bytes, at most 100 are allowed; ProjectStream takes outputs of any size", map[string]string{"limit": "100", "size": "101"}, 0},
		},
		"message of a history": {
			MessageTooLarge(pb.ToolResultService_Compact_FullMethodName, 101, 100),
			seen{"ResourceExhausted", "MESSAGE_TOO_LARGE", "the message has 101 bytes, at most 100 are allowed; CompactStream takes histories of any length", map[string]string{"limit": "100", "size": "101"}, 0},
		},
		"answer": {AnswerTooLarge(7), seen{"ResourceExhausted", "MESSAGE_TOO_LARGE", "what the model answered has more than 7 bytes", map[string]string{"limit": "7"}, 0}},
		"in flight": {
			InFlightBytes(7),
			seen{"ResourceExhausted", "IN_FLIGHT_BYTES", "too many bytes of requests are being worked on", map[string]string{"limit": "7"}, 100 * time.Millisecond},
		},
		"object store": {
			ToStatus(fmt.Errorf("x: %w", artifactstore.ErrUnavailable)),
			seen{"Unavailable", "OBJECT_STORE_UNAVAILABLE", "the artifact is in the object store alone, and that does not answer", nil, 5 * time.Second},
		},
		"catalog": {
			ToStatus(fmt.Errorf("x: %w", catalog.ErrBusy)),
			seen{"Unavailable", "STORE_UNAVAILABLE", "the catalog of the artifact store cannot be used for now", nil, time.Second},
		},
		"audit log": {
			ToStatus(fmt.Errorf("x: %w", auditlog.ErrUnavailable)),
			seen{"Unavailable", "AUDIT_LOG_UNAVAILABLE", "the audit log cannot be used for now", nil, 5 * time.Second},
		},
		"budget": {
			ToStatus(fmt.Errorf("x: %w", &envelope.ShortfallError{Unit: "tokens", Needed: 40, Budget: 16})),
			seen{
				"InvalidArgument", "BUDGET_TOO_SMALL", (&envelope.ShortfallError{Unit: "tokens", Needed: 40, Budget: 16}).Error(),
				map[string]string{"unit": "tokens", "needed": "40", "budget": "16", "shortfall": "24"}, 0,
			},
		},
		"expired": {
			ToStatus(fmt.Errorf("x: %w", &catalog.ExpiredError{At: deleted, Why: "it was old"})),
			seen{
				"FailedPrecondition", "ARTIFACT_EXPIRED", "the artifact was deleted at 2026-03-01T11:00:00Z: it was old",
				map[string]string{"deleted_at": "2026-03-01T11:00:00Z", "why": "it was old"}, 0,
			},
		},
		"range": {
			RangeNotSatisfiable(3, 42),
			seen{"OutOfRange", "RANGE_NOT_SATISFIABLE", "the artifact has 3 lines and 42 bytes", map[string]string{"total_lines": "3", "total_bytes": "42"}, 0},
		},
		"offset": {
			LogOffsetMismatch(42),
			seen{"FailedPrecondition", "LOG_OFFSET_MISMATCH", "the log has 42 bytes", map[string]string{"received_bytes": "42"}, 0},
		},
		"draining":      {Draining(), seen{"Unavailable", "DRAINING", "the server is shutting down", nil, 0}},
		"token":         {TokenInvalid(), seen{"Unauthenticated", "TOKEN_INVALID", "the token is not one of this server", nil, 0}},
		"backoff":       {TokenBackoff(3 * time.Second), seen{"Unauthenticated", "TOKEN_BACKOFF", "too many wrong tokens came from this address", nil, 3 * time.Second}},
		"no method":     {MethodUnknown(), seen{"Unimplemented", "METHOD_UNKNOWN", "the server has no such method", nil, 0}},
		"other method":  {MethodNotAllowed("text"), seen{"PermissionDenied", "METHOD_NOT_ALLOWED", "text", nil, 0}},
		"other session": {SessionMismatch(), seen{"PermissionDenied", "SESSION_MISMATCH", "the caller is confined to another session than the request names", nil, 0}},
		"raw":           {RawNotAllowed(), seen{"PermissionDenied", "RAW_NOT_ALLOWED", "only the sidecar's own user may read what was redacted, or who has its token", nil, 0}},
		"new":           {New(codes.Aborted, pb.ErrorReason_ERROR_REASON_GC_RACE, "text"), seen{"Aborted", "GC_RACE", "text", nil, 0}},
	} {
		if diff := cmp.Diff(c.want, see(t, c.got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestInvalidRequestListsItsViolations has all violations in the details, and the first one as the reason.
func TestInvalidRequestListsItsViolations(t *testing.T) {
	t.Parallel()
	r := ToStatus(fmt.Errorf("x: %w", &envelope.InvalidError{Violations: []envelope.Violation{
		{Field: "a", Reason: pb.ErrorReason_ERROR_REASON_FIELD_MISSING, Message: "is required"},
		{Field: "b[2]", Reason: pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, Message: "is unknown"},
	}}))
	want := seen{"InvalidArgument", "FIELD_MISSING", "a: is required (and 1 more)", map[string]string{"field": "a"}, 0}
	if diff := cmp.Diff(want, see(t, r)); diff != "" {
		t.Error(diff)
	}
	bad, ok := r.GRPCStatus().Details()[1].(*errdetails.BadRequest)
	if !ok || len(bad.GetFieldViolations()) != 2 {
		t.Fatalf("%v", r.GRPCStatus().Details())
	}
	got := bad.GetFieldViolations()
	if v := got[0]; v.GetField() != "a" || v.GetDescription() != "is required" || v.GetReason() != "FIELD_MISSING" {
		t.Errorf("first: %v", v)
	}
	if v := got[1]; v.GetField() != "b[2]" || v.GetDescription() != "is unknown" || v.GetReason() != "ENUM_UNKNOWN" {
		t.Errorf("second: %v", v)
	}
}
