package apierror

import (
	"fmt"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// This file has one constructor for each status that carries more than a fixed text: limits, sizes, delays. RetryInfo is only
// in those where the same call may succeed later; a client may treat all others as permanent.

// Delays of RetryInfo. A limit of requests in flight is free again after one call of ordinary size; a disk, or a program that
// has an index locked, has had a moment already; a remote service is given the time of a restart.
const (
	retryBusy   = 100 * time.Millisecond
	retryDisk   = time.Second
	retryRemote = 5 * time.Second
)

// invalidArgument returns the status of a request that is not valid, with a violation for each field. The first one gives the
// reason: checks run in the order of the fields, and a client mends one thing at a time.
func invalidArgument(e *envelope.InvalidError) *StatusError {
	bad := &errdetails.BadRequest{}
	for _, v := range e.Violations {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: v.Field, Description: v.Message, Reason: ReasonName(v.Reason),
		})
	}
	return &StatusError{
		Code: codes.InvalidArgument, Reason: e.Violations[0].Reason, Message: e.Error(),
		Metadata: map[string]string{"field": e.Violations[0].Field}, Details: []protoadapt.MessageV1{bad},
	}
}

// budgetTooSmall returns the status of a receipt that does not fit, with the exact shortfall, so that one retry suffices.
func budgetTooSmall(e *envelope.ShortfallError) *StatusError {
	return &StatusError{
		Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_BUDGET_TOO_SMALL, Message: e.Error(),
		Metadata: map[string]string{
			"unit": e.Unit, "needed": strconv.Itoa(e.Needed), "budget": strconv.Itoa(e.Budget),
			"shortfall": strconv.Itoa(e.Needed - e.Budget),
		},
	}
}

// MessageTooLarge returns the status of a message of more than limit bytes. It is permanent: sending the same message again
// does not help, and the text names the streaming method, if there is one. A negative size is unknown: a compressed message
// is unpacked only up to the limit.
func MessageTooLarge(method string, size int64, limit int) *StatusError {
	r := &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		Message:  fmt.Sprintf("the message is unpacked to more than %d bytes", limit),
		Metadata: map[string]string{"limit": strconv.Itoa(limit)},
	}
	if size >= 0 {
		r.Message = fmt.Sprintf("the message has %d bytes, at most %d are allowed", size, limit)
		r.Metadata["size"] = strconv.FormatInt(size, 10)
	}
	r.Message += elsewhere(method)
	return r
}

// elsewhere names the streaming method for what is too large for a method.
func elsewhere(method string) string {
	switch method {
	case pb.ToolResultService_Project_FullMethodName, pb.ToolResultService_ProjectSession_FullMethodName, pb.ToolResultService_ProjectTurn_FullMethodName:
		return "; ProjectStream takes outputs of any size"
	case pb.ToolResultService_Compact_FullMethodName:
		return "; CompactStream takes histories of any length"
	}
	return ""
}

// TooManyElements returns the status of a message with more messages inside than are allowed, which take far more memory than
// the bytes that they are sent as. It is permanent.
func TooManyElements(n, limit int64) *StatusError {
	return &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		Message:  fmt.Sprintf("the message has %d messages inside, at most %d are allowed", n, limit),
		Metadata: map[string]string{"limit": strconv.FormatInt(limit, 10), "size": strconv.FormatInt(n, 10)},
	}
}

// AnswerTooLarge returns the status of an answer of a model, assembled from its deltas, of more than limit bytes. It is
// permanent.
func AnswerTooLarge(limit int) *StatusError {
	return &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		Message:  fmt.Sprintf("what the model answered has more than %d bytes", limit),
		Metadata: map[string]string{"limit": strconv.Itoa(limit)},
	}
}

// InFlightBytes returns the status of a request for which the server has no memory left at present: limit bytes of requests
// are worked on. It may succeed when it is tried again.
func InFlightBytes(limit int64) *StatusError {
	return &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_IN_FLIGHT_BYTES,
		Message:  "too many bytes of requests are being worked on",
		Metadata: map[string]string{"limit": strconv.FormatInt(limit, 10)},
		Details:  retryAfter(retryBusy),
	}
}

// retryAfter returns the detail that says when a client may try again.
func retryAfter(delay time.Duration) []protoadapt.MessageV1 {
	return []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(delay)}}
}

// Draining returns the status of new calls while the server shuts down. A client goes to another server or waits for the next.
func Draining() *StatusError {
	return &StatusError{Code: codes.Unavailable, Reason: pb.ErrorReason_ERROR_REASON_DRAINING, Message: "the server is shutting down"}
}

// artifactExpired returns the status of an artifact that was deleted, with the time (RFC 3339, UTC) and the reason of its
// tombstone.
func artifactExpired(e *catalog.ExpiredError) *StatusError {
	deleted := e.At.UTC().Format(time.RFC3339)
	return &StatusError{
		Code: codes.FailedPrecondition, Reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_EXPIRED,
		Message:  fmt.Sprintf("the artifact was deleted at %s: %s", deleted, e.Why),
		Metadata: map[string]string{"deleted_at": deleted, "why": e.Why},
	}
}

// RangeNotSatisfiable returns the status of a read beyond the end of an artifact, with its lines and its size in bytes.
func RangeNotSatisfiable(lines, size int64) *StatusError {
	return &StatusError{
		Code: codes.OutOfRange, Reason: pb.ErrorReason_ERROR_REASON_RANGE_NOT_SATISFIABLE,
		Message: fmt.Sprintf("the artifact has %d lines and %d bytes", lines, size),
		Metadata: map[string]string{
			"total_lines": strconv.FormatInt(lines, 10), "total_bytes": strconv.FormatInt(size, 10),
		},
	}
}

// LogOffsetMismatch returns the status of an append at another offset than the end of the log, with the bytes received so
// far: a client goes on from there.
func LogOffsetMismatch(received int64) *StatusError {
	return &StatusError{
		Code: codes.FailedPrecondition, Reason: pb.ErrorReason_ERROR_REASON_LOG_OFFSET_MISMATCH,
		Message:  fmt.Sprintf("the log has %d bytes", received),
		Metadata: map[string]string{"received_bytes": strconv.FormatInt(received, 10)},
	}
}

// New returns a status with a message and no metadata.
func New(code codes.Code, reason pb.ErrorReason, message string) *StatusError {
	return &StatusError{Code: code, Reason: reason, Message: message}
}

// TokenInvalid returns the status of a wrong token. It does not say in which way the token is wrong.
func TokenInvalid() *StatusError {
	return New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_INVALID, "the token is not one of this server")
}

// TokenExpired returns the status of a token of a session whose lifetime is over, or that was taken back.
func TokenExpired() *StatusError {
	return New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_EXPIRED, "the token of the session has ended or was taken back")
}

// TokenBackoff returns the status of an address with too many wrong tokens. A right token is accepted after the wait.
func TokenBackoff(wait time.Duration) *StatusError {
	r := New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_BACKOFF, "too many wrong tokens came from this address")
	r.Details = retryAfter(wait)
	return r
}

// MethodUnknown returns the status of a method that no service has, and of one that the table of rights does not name.
func MethodUnknown() *StatusError {
	return New(codes.Unimplemented, pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, "the server has no such method")
}

// MethodNotAllowed returns the status of a method that the caller may not call.
func MethodNotAllowed(message string) *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_METHOD_NOT_ALLOWED, message)
}

// SessionMismatch returns the status of a confined caller who names another session. It repeats neither the named session nor
// that of the caller.
func SessionMismatch() *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_SESSION_MISMATCH, "the caller is confined to another session than the request names")
}

// RawNotAllowed returns the status of a raw read by a caller who may not read what was redacted.
func RawNotAllowed() *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_RAW_NOT_ALLOWED, "only the sidecar's own user may read what was redacted, or who has its token")
}
