package apierror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
)

// Domain is the domain of the ErrorInfo of every refusal.
const Domain = "toolresult.v1"

// maxStatusMessage bounds the message of a status, in bytes.
const maxStatusMessage = 1024

// StatusError is a call that is not served: the one way to a status.
type StatusError struct {
	Code     codes.Code
	Reason   pb.ErrorReason
	Message  string // no tool bytes
	Metadata map[string]string
	Details  []protoadapt.MessageV1
}

// Error makes a refusal an error, so that interceptors can return one.
func (r *StatusError) Error() string { return r.Message }

// GRPCStatus is the status with its details.
func (r *StatusError) GRPCStatus() *status.Status {
	message := r.Message
	if len(message) > maxStatusMessage {
		message = strings.ToValidUTF8(message[:maxStatusMessage], "")
	}
	st := status.New(r.Code, message)
	details := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason: ReasonName(r.Reason), Domain: Domain, Metadata: r.Metadata,
	}}, r.Details...)
	if with, err := st.WithDetails(details...); err == nil {
		return with
	}
	return st
}

// ReasonName is the reason as ErrorInfo has it.
func ReasonName(r pb.ErrorReason) string { return strings.TrimPrefix(r.String(), "ERROR_REASON_") }

// Failures that have no package of their own.
var (
	// ErrAuditDisabled means that no audit log is kept.
	ErrAuditDisabled = errors.New("no audit log is kept")
	// ErrFileNotAllowed means that a payload names a file outside of the allowed directories, or no regular file.
	ErrFileNotAllowed = errors.New("the file is not a regular one under an allowed directory")
	// ErrFileMissing means that a payload names a file that does not exist.
	ErrFileMissing = errors.New("there is no such file")
	// ErrFileChanged means that a file changed while it was read.
	ErrFileChanged = errors.New("the file changed while it was read")
	// ErrIdle means that a client neither sent nor took a message for longer than a stream may be idle.
	ErrIdle = errors.New("no message came or was taken in time")
)

// sentinels maps errors that are compared by identity.
var sentinels = []struct {
	err    error
	code   codes.Code
	reason pb.ErrorReason
	text   string
}{
	{artifactstore.ErrFull, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_DISK_FULL, "the disk of the artifact store is full"},
	{artifactstore.ErrTooManyFiles, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_FD_LIMIT, "the process has no file descriptor left"},
	{artifactstore.ErrTooLarge, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_ARTIFACT_TOO_LARGE, "the artifact is larger than the file system allows"},
	{artifactstore.ErrReadOnly, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_STORE_READ_ONLY, "the artifact store cannot be written to"},
	{artifactstore.ErrOutsideStore, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_PATH_OUTSIDE_STORE, "the path is not in the store of this server"},
	{artifactstore.ErrUnknown, codes.NotFound, pb.ErrorReason_ERROR_REASON_ARTIFACT_NOT_FOUND, "the store has no such artifact"},
	{catalog.ErrMissing, codes.DataLoss, pb.ErrorReason_ERROR_REASON_ARTIFACT_MISSING, "the artifact is gone from the store, and nothing of ours deleted it"},
	{catalog.ErrQuota, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_QUOTA_STORE, "the artifact store holds as much as it may, and nothing in it may be deleted"},
	{catalog.ErrSessionQuota, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_QUOTA_SESSION, "the artifacts of the session would be more than a session may have"},
	{catalog.ErrRace, codes.Aborted, pb.ErrorReason_ERROR_REASON_GC_RACE, "what was put was deleted as garbage at the same time"},
	{ErrFileNotAllowed, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_FILE_NOT_ALLOWED, "the file is not a regular one under a directory that the operator allowed"},
	{ErrFileMissing, codes.NotFound, pb.ErrorReason_ERROR_REASON_FILE_NOT_FOUND, "there is no such file"},
	{ErrFileChanged, codes.Aborted, pb.ErrorReason_ERROR_REASON_FILE_CHANGED, "the file changed while it was read"},
	{auditlog.ErrUnknown, codes.NotFound, pb.ErrorReason_ERROR_REASON_RECORD_NOT_FOUND, "the audit log has no such record"},
	{auditlog.ErrBroken, codes.DataLoss, pb.ErrorReason_ERROR_REASON_AUDIT_CHAIN_BROKEN, "the audit log is not what was written to it"},
	{auditlog.ErrReused, codes.AlreadyExists, pb.ErrorReason_ERROR_REASON_REQUEST_ID_REUSED, "the request id was used for another request"},
	{auditlog.ErrFailed, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_AUDIT_LOG_FAILED, "the audit log failed, and takes nothing until the server starts again"},
	{auditlog.ErrFull, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_DISK_FULL, "the disk of the audit log is full"},
	{auditlog.ErrReadOnly, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_STORE_READ_ONLY, "the audit log cannot be written to"},
	{auditlog.ErrClosed, codes.Unavailable, pb.ErrorReason_ERROR_REASON_DRAINING, "the server is shutting down"},
	{ErrAuditDisabled, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_AUDIT_DISABLED, "the operator keeps no audit log"},
	{artifactstore.ErrBusy, codes.Aborted, pb.ErrorReason_ERROR_REASON_LOG_BUSY, "another call appends to the log"},
	{artifactstore.ErrFinished, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_LOG_FINISHED, "the log is finished; nothing can be appended"},
	{artifactstore.ErrClosed, codes.Unavailable, pb.ErrorReason_ERROR_REASON_DRAINING, "the server is shutting down"},
	{ErrIdle, codes.DeadlineExceeded, pb.ErrorReason_ERROR_REASON_STREAM_IDLE, "no message came, or was taken, for longer than a stream may be idle"},
	{context.Canceled, codes.Canceled, pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED, "the call was cancelled"},
	{context.DeadlineExceeded, codes.DeadlineExceeded, pb.ErrorReason_ERROR_REASON_DEADLINE, "the deadline of the call passed"},
}

// FieldError is an error about one field of a request.
type FieldError struct {
	field string
	err   error
}

func (l FieldError) Error() string { return l.field + ": " + l.err.Error() }
func (l FieldError) Unwrap() error { return l.err }

// AtField returns an error about one field of a request.
func AtField(field string, err error) error { return FieldError{field, err} }

// StreamOrder returns the error for a message that does not come at its place in a stream.
func StreamOrder(text string) error {
	check := envelope.NewChecker("")
	check.Fail("message", pb.ErrorReason_ERROR_REASON_STREAM_ORDER, "%s", text)
	return check.Err()
}

// FromReceive returns the error for a Recv that failed before the finish of a stream: its end is one too.
func FromReceive(err error) error {
	if errors.Is(err, io.EOF) {
		return StreamOrder("the stream ended without a finish")
	}
	return err
}

// PrefixField moves an error about a request below the field of a larger one that holds it.
func PrefixField(path string, err error) error {
	if invalid, ok := errors.AsType[*envelope.InvalidError](err); ok {
		return invalid.WithPrefix(path)
	}
	if l, ok := errors.AsType[FieldError](err); ok {
		return FieldError{path + "." + l.field, l.err}
	}
	return FieldError{path, err}
}

// ToStatus maps an error of the rooms below to a refusal, with the field that is
// to blame where the error knows it.
func ToStatus(err error) *StatusError {
	r := classify(err)
	l, ok := errors.AsType[FieldError](err)
	if !ok || r.Code != codes.InvalidArgument || r.Metadata["field"] != "" {
		return r
	}
	at := *r
	at.Metadata = maps.Clone(r.Metadata)
	if at.Metadata == nil {
		at.Metadata = map[string]string{}
	}
	at.Metadata["field"], at.Message = l.field, l.field+": "+r.Message
	at.Details = append(at.Details, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{
		Field: l.field, Description: r.Message, Reason: ReasonName(r.Reason),
	}}})
	return &at
}

// classify maps an error by what it is. The text of what has no mapping is for the log and not for the client.
func classify(err error) *StatusError {
	var (
		known     *StatusError
		expired   *catalog.ExpiredError
		invalid   *envelope.InvalidError
		shortfall *envelope.ShortfallError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &expired):
		return artifactExpired(expired)
	case errors.As(err, &invalid):
		return invalidArgument(invalid)
	case errors.As(err, &shortfall):
		return budgetTooSmall(shortfall)
	case errors.Is(err, renderers.ErrNotSanitised):
		return &StatusError{Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_TEXT_NOT_SANITISED, Message: renderers.ErrNotSanitised.Error()}
	}
	if errors.Is(err, artifactstore.ErrUnavailable) {
		return objectStoreUnavailable()
	}
	if errors.Is(err, auditlog.ErrUnavailable) {
		return auditLogUnavailable()
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return &StatusError{Code: s.code, Reason: s.reason, Message: s.text}
		}
	}
	if isStoreFailure(err) {
		return &StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_STORE_FAILED, Message: "the store failed"}
	}
	if st, foreign := status.FromError(err); foreign {
		return fromForeignStatus(st)
	}
	return serverFailed()
}

// storeFailures are failures of the artifact store that have no reason of their own.
var storeFailures = []error{
	artifactstore.ErrDamaged, artifactstore.ErrNameInvalid, artifactstore.ErrSealed, artifactstore.ErrSizeMismatch, artifactstore.ErrRootUnsafe,
	catalog.ErrCatalogUnreadable,
}

// isStoreFailure reports whether an error is one of the store or of the system below it.
func isStoreFailure(err error) bool {
	if slices.ContainsFunc(storeFailures, func(s error) bool { return errors.Is(err, s) }) {
		return true
	}
	var (
		path   *fs.PathError
		link   *os.LinkError
		call   *os.SyscallError
		number syscall.Errno
	)
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call) || errors.As(err, &number)
}

// foreignReasons are the reasons of statuses that are not of this package: of gRPC itself, and of its services for
// health and reflection.
var foreignReasons = map[codes.Code]pb.ErrorReason{
	codes.Canceled: pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED, codes.DeadlineExceeded: pb.ErrorReason_ERROR_REASON_DEADLINE,
	codes.Unimplemented: pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, codes.NotFound: pb.ErrorReason_ERROR_REASON_SERVICE_UNKNOWN,
	codes.InvalidArgument: pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID, codes.ResourceExhausted: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
	codes.Unavailable: pb.ErrorReason_ERROR_REASON_DRAINING,
}

// fromForeignStatus is the refusal for a status that is not of this package. One that says of no mistake or state whose it
// is, is a fault of the server.
func fromForeignStatus(st *status.Status) *StatusError {
	reason, known := foreignReasons[st.Code()]
	if !known {
		return serverFailed()
	}
	return &StatusError{Code: st.Code(), Reason: reason, Message: strings.ToValidUTF8(st.Message(), "")}
}

// serverFailed is what has no reason of its own.
func serverFailed() *StatusError {
	return &StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_INTERNAL, Message: "the server failed"}
}

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

func budgetTooSmall(e *envelope.ShortfallError) *StatusError {
	return &StatusError{
		Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_BUDGET_TOO_SMALL, Message: e.Error(),
		Metadata: map[string]string{
			"unit": e.Unit, "needed": strconv.Itoa(e.Needed), "budget": strconv.Itoa(e.Budget),
			"shortfall": strconv.Itoa(e.Needed - e.Budget),
		},
	}
}

// WithIncident adds an id that the log has too to a fault of the server.
func (r *StatusError) WithIncident(id string) *StatusError {
	with := *r
	with.Metadata = maps.Clone(r.Metadata)
	if with.Metadata == nil {
		with.Metadata = map[string]string{}
	}
	with.Metadata["incident"] = id
	with.Message = fmt.Sprintf("%s (incident %s)", r.Message, id)
	return &with
}

// MessageTooLarge is permanent: sending the same again does not help. The size is negative when it is not known.
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
	switch method {
	case pb.ToolResultService_Project_FullMethodName, pb.ToolResultService_ProjectTurn_FullMethodName:
		r.Message += "; ProjectStream takes outputs of any size"
	case pb.ToolResultService_Compact_FullMethodName:
		r.Message += "; CompactStream takes histories of any length"
	}
	return r
}

// AnswerTooLarge is permanent as well.
func AnswerTooLarge(limit int) *StatusError {
	return &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		Message:  fmt.Sprintf("what the model answered has more than %d bytes", limit),
		Metadata: map[string]string{"limit": strconv.Itoa(limit)},
	}
}

// InFlightBytes may succeed when it is tried again.
func InFlightBytes(limit int64) *StatusError {
	return &StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_IN_FLIGHT_BYTES,
		Message:  "too many bytes of requests are being worked on",
		Metadata: map[string]string{"limit": strconv.FormatInt(limit, 10)},
		Details:  []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(100 * time.Millisecond)}},
	}
}

// objectStoreUnavailable may succeed when the object store answers again.
func objectStoreUnavailable() *StatusError {
	return &StatusError{
		Code: codes.Unavailable, Reason: pb.ErrorReason_ERROR_REASON_OBJECT_STORE_UNAVAILABLE,
		Message: "the artifact is in the object store alone, and that does not answer",
		Details: []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)}},
	}
}

// auditLogUnavailable may succeed when the database of the audit log answers again.
func auditLogUnavailable() *StatusError {
	return &StatusError{
		Code: codes.Unavailable, Reason: pb.ErrorReason_ERROR_REASON_AUDIT_LOG_UNAVAILABLE,
		Message: "the database of the audit log does not answer",
		Details: []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)}},
	}
}

func Draining() *StatusError {
	return &StatusError{Code: codes.Unavailable, Reason: pb.ErrorReason_ERROR_REASON_DRAINING, Message: "the server is shutting down"}
}

// FromRead maps an error of reading an artifact. Damage is a finding there, and a
// fault of the store everywhere else.
func FromRead(err error) error {
	if errors.Is(err, artifactstore.ErrDamaged) {
		return &StatusError{
			Code: codes.DataLoss, Reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_CORRUPT, Message: "the artifact is not what was put",
		}
	}
	return err
}

// artifactExpired says what a tombstone says.
func artifactExpired(e *catalog.ExpiredError) *StatusError {
	deleted := e.At.UTC().Format(time.RFC3339)
	return &StatusError{
		Code: codes.FailedPrecondition, Reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_EXPIRED,
		Message:  fmt.Sprintf("the artifact was deleted at %s: %s", deleted, e.Why),
		Metadata: map[string]string{"deleted_at": deleted, "why": e.Why},
	}
}

// RangeNotSatisfiable says how far the artifact goes.
func RangeNotSatisfiable(lines, size int64) *StatusError {
	return &StatusError{
		Code: codes.OutOfRange, Reason: pb.ErrorReason_ERROR_REASON_RANGE_NOT_SATISFIABLE,
		Message: fmt.Sprintf("the artifact has %d lines and %d bytes", lines, size),
		Metadata: map[string]string{
			"total_lines": strconv.FormatInt(lines, 10), "total_bytes": strconv.FormatInt(size, 10),
		},
	}
}

// LogOffsetMismatch says how much of the log there is.
func LogOffsetMismatch(received int64) *StatusError {
	return &StatusError{
		Code: codes.FailedPrecondition, Reason: pb.ErrorReason_ERROR_REASON_LOG_OFFSET_MISMATCH,
		Message:  fmt.Sprintf("the log has %d bytes", received),
		Metadata: map[string]string{"received_bytes": strconv.FormatInt(received, 10)},
	}
}

func New(code codes.Code, reason pb.ErrorReason, message string) *StatusError {
	return &StatusError{Code: code, Reason: reason, Message: message}
}

// TokenInvalid does not say in what way.
func TokenInvalid() *StatusError {
	return New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_INVALID, "the token is not one of this server")
}

// TokenBackoff may succeed after a time, with a right token.
func TokenBackoff(wait time.Duration) *StatusError {
	r := New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_BACKOFF, "too many wrong tokens came from this address")
	r.Details = []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}}
	return r
}

func MethodUnknown() *StatusError {
	return New(codes.Unimplemented, pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, "the server has no such method")
}

func MethodNotAllowed(message string) *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_METHOD_NOT_ALLOWED, message)
}

// SessionMismatch does not repeat which session was named, nor which one is the caller's.
func SessionMismatch() *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_SESSION_MISMATCH, "the caller is confined to another session than the request names")
}

func RawNotAllowed() *StatusError {
	return New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_RAW_NOT_ALLOWED, "only the sidecar's own user may read what was redacted, or who has its token")
}
