package server

import (
	"context"
	"errors"
	"fmt"
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

// refusal is a call that is not served: the one way to a status.
type refusal struct {
	code     codes.Code
	reason   pb.ErrorReason
	message  string // no tool bytes
	metadata map[string]string
	details  []protoadapt.MessageV1
}

// Error makes a refusal an error, so that interceptors can return one.
func (r *refusal) Error() string { return r.message }

// GRPCStatus is the status with its details.
func (r *refusal) GRPCStatus() *status.Status {
	message := r.message
	if len(message) > maxStatusMessage {
		message = strings.ToValidUTF8(message[:maxStatusMessage], "")
	}
	st := status.New(r.code, message)
	details := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason: reasonName(r.reason), Domain: Domain, Metadata: r.metadata,
	}}, r.details...)
	if with, err := st.WithDetails(details...); err == nil {
		return with
	}
	return st
}

// reasonName is the reason as ErrorInfo has it.
func reasonName(r pb.ErrorReason) string { return strings.TrimPrefix(r.String(), "ERROR_REASON_") }

// sentinels maps the failures of the artifact store.
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
	{artifactstore.ErrForeign, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_PATH_OUTSIDE_STORE, "the path is not in the store of this server"},
	{artifactstore.ErrUnknown, codes.NotFound, pb.ErrorReason_ERROR_REASON_ARTIFACT_NOT_FOUND, "the store has no such artifact"},
	{catalog.ErrMissing, codes.DataLoss, pb.ErrorReason_ERROR_REASON_ARTIFACT_MISSING, "the artifact is gone from the store, and nothing of ours deleted it"},
	{catalog.ErrQuota, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_QUOTA_STORE, "the artifact store holds as much as it may, and nothing in it may be deleted"},
	{catalog.ErrSessionQuota, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_QUOTA_SESSION, "the artifacts of the session would be more than a session may have"},
	{catalog.ErrRace, codes.Aborted, pb.ErrorReason_ERROR_REASON_GC_RACE, "what was put was deleted as garbage at the same time"},
	{errFileNotAllowed, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_FILE_NOT_ALLOWED, "the file is not a regular one under a directory that the operator allowed"},
	{errFileMissing, codes.NotFound, pb.ErrorReason_ERROR_REASON_FILE_NOT_FOUND, "there is no such file"},
	{errFileChanged, codes.Aborted, pb.ErrorReason_ERROR_REASON_FILE_CHANGED, "the file changed while it was read"},
	{auditlog.ErrUnknown, codes.NotFound, pb.ErrorReason_ERROR_REASON_RECORD_NOT_FOUND, "the audit log has no such record"},
	{auditlog.ErrBroken, codes.DataLoss, pb.ErrorReason_ERROR_REASON_AUDIT_CHAIN_BROKEN, "the audit log is not what was written to it"},
	{auditlog.ErrReused, codes.AlreadyExists, pb.ErrorReason_ERROR_REASON_REQUEST_ID_REUSED, "the request id was used for another request"},
	{auditlog.ErrPoisoned, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_AUDIT_LOG_FAILED, "the audit log failed, and takes nothing until the server starts again"},
	{auditlog.ErrFull, codes.ResourceExhausted, pb.ErrorReason_ERROR_REASON_DISK_FULL, "the disk of the audit log is full"},
	{auditlog.ErrReadOnly, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_STORE_READ_ONLY, "the audit log cannot be written to"},
	{auditlog.ErrClosed, codes.Unavailable, pb.ErrorReason_ERROR_REASON_DRAINING, "the server is shutting down"},
	{errAuditOff, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_AUDIT_DISABLED, "the operator keeps no audit log"},
	{artifactstore.ErrBusy, codes.Aborted, pb.ErrorReason_ERROR_REASON_LOG_BUSY, "another call appends to the log"},
	{artifactstore.ErrFinished, codes.FailedPrecondition, pb.ErrorReason_ERROR_REASON_LOG_FINISHED, "the log is finished; nothing can be appended"},
	{artifactstore.ErrClosed, codes.Unavailable, pb.ErrorReason_ERROR_REASON_DRAINING, "the server is shutting down"},
	{errIdle, codes.DeadlineExceeded, pb.ErrorReason_ERROR_REASON_STREAM_IDLE, "no message came, or was taken, for longer than a stream may be idle"},
	{context.Canceled, codes.Canceled, pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED, "the call was cancelled"},
	{context.DeadlineExceeded, codes.DeadlineExceeded, pb.ErrorReason_ERROR_REASON_DEADLINE, "the deadline of the call passed"},
}

// located is an error about one field of a request.
type located struct {
	field string
	err   error
}

func (l located) Error() string { return l.field + ": " + l.err.Error() }
func (l located) Unwrap() error { return l.err }

// under moves an error about a request below the field of a larger one that holds it.
func under(path string, err error) error {
	if invalid, ok := errors.AsType[*envelope.InvalidError](err); ok {
		return invalid.WithPrefix(path)
	}
	if l, ok := errors.AsType[located](err); ok {
		return located{path + "." + l.field, l.err}
	}
	return located{path, err}
}

// refuse maps an error of the rooms below to a refusal, with the field that is
// to blame where the error knows it.
func refuse(err error) *refusal {
	r := refusalOf(err)
	l, ok := errors.AsType[located](err)
	if !ok || r.code != codes.InvalidArgument || r.metadata["field"] != "" {
		return r
	}
	at := *r
	at.metadata = maps.Clone(r.metadata)
	if at.metadata == nil {
		at.metadata = map[string]string{}
	}
	at.metadata["field"], at.message = l.field, l.field+": "+r.message
	at.details = append(at.details, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{
		Field: l.field, Description: r.message, Reason: reasonName(r.reason),
	}}})
	return &at
}

// refusalOf maps an error by what it is. The text of what has no mapping is for the log and not for the client.
func refusalOf(err error) *refusal {
	var (
		known     *refusal
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
		return &refusal{code: codes.InvalidArgument, reason: pb.ErrorReason_ERROR_REASON_TEXT_NOT_SANITISED, message: renderers.ErrNotSanitised.Error()}
	}
	if errors.Is(err, artifactstore.ErrUnavailable) {
		return objectStoreDown()
	}
	if errors.Is(err, auditlog.ErrUnavailable) {
		return auditLogDown()
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return &refusal{code: s.code, reason: s.reason, message: s.text}
		}
	}
	if isStoreFailure(err) {
		return &refusal{code: codes.Internal, reason: pb.ErrorReason_ERROR_REASON_STORE_FAILED, message: "the store failed"}
	}
	if st, foreign := status.FromError(err); foreign {
		return foreignRefusal(st)
	}
	return serverFailed()
}

// storeFailures are failures of the artifact store that have no reason of their own.
var storeFailures = []error{
	artifactstore.ErrDamaged, artifactstore.ErrNameInvalid, artifactstore.ErrSealed, artifactstore.ErrSizeMismatch, artifactstore.ErrRootUnsafe,
	catalog.ErrBooks,
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

// foreignRefusal is the refusal for a status that is not of this package. One that says of no mistake or state whose it
// is, is a fault of the server.
func foreignRefusal(st *status.Status) *refusal {
	reason, known := foreignReasons[st.Code()]
	if !known {
		return serverFailed()
	}
	return &refusal{code: st.Code(), reason: reason, message: strings.ToValidUTF8(st.Message(), "")}
}

// serverFailed is what has no reason of its own.
func serverFailed() *refusal {
	return &refusal{code: codes.Internal, reason: pb.ErrorReason_ERROR_REASON_INTERNAL, message: "the server failed"}
}

func invalidArgument(e *envelope.InvalidError) *refusal {
	bad := &errdetails.BadRequest{}
	for _, v := range e.Violations {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: v.Field, Description: v.Message, Reason: reasonName(v.Reason),
		})
	}
	return &refusal{
		code: codes.InvalidArgument, reason: e.Violations[0].Reason, message: e.Error(),
		metadata: map[string]string{"field": e.Violations[0].Field}, details: []protoadapt.MessageV1{bad},
	}
}

func budgetTooSmall(e *envelope.ShortfallError) *refusal {
	return &refusal{
		code: codes.InvalidArgument, reason: pb.ErrorReason_ERROR_REASON_BUDGET_TOO_SMALL, message: e.Error(),
		metadata: map[string]string{
			"unit": e.Unit, "needed": strconv.Itoa(e.Needed), "budget": strconv.Itoa(e.Budget),
			"shortfall": strconv.Itoa(e.Needed - e.Budget),
		},
	}
}

// incident adds an id that the log has too to a fault of the server.
func (r *refusal) incident(id string) *refusal {
	with := *r
	with.metadata = maps.Clone(r.metadata)
	if with.metadata == nil {
		with.metadata = map[string]string{}
	}
	with.metadata["incident"] = id
	with.message = fmt.Sprintf("%s (incident %s)", r.message, id)
	return &with
}

// messageTooLarge is permanent: sending the same again does not help. The size is negative when it is not known.
func messageTooLarge(method string, size int64, limit int) *refusal {
	r := &refusal{
		code: codes.ResourceExhausted, reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		message:  fmt.Sprintf("the message is unpacked to more than %d bytes", limit),
		metadata: map[string]string{"limit": strconv.Itoa(limit)},
	}
	if size >= 0 {
		r.message = fmt.Sprintf("the message has %d bytes, at most %d are allowed", size, limit)
		r.metadata["size"] = strconv.FormatInt(size, 10)
	}
	switch method {
	case pb.ToolResultService_Project_FullMethodName, pb.ToolResultService_ProjectTurn_FullMethodName:
		r.message += "; ProjectStream takes outputs of any size"
	case pb.ToolResultService_Compact_FullMethodName:
		r.message += "; CompactStream takes histories of any length"
	}
	return r
}

// answerTooLarge is permanent as well.
func answerTooLarge(limit int) *refusal {
	return &refusal{
		code: codes.ResourceExhausted, reason: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
		message:  fmt.Sprintf("what the model answered has more than %d bytes", limit),
		metadata: map[string]string{"limit": strconv.Itoa(limit)},
	}
}

// inFlight may succeed when it is tried again.
func inFlight(limit int64) *refusal {
	return &refusal{
		code: codes.ResourceExhausted, reason: pb.ErrorReason_ERROR_REASON_IN_FLIGHT_BYTES,
		message:  "too many bytes of requests are being worked on",
		metadata: map[string]string{"limit": strconv.FormatInt(limit, 10)},
		details:  []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(100 * time.Millisecond)}},
	}
}

// objectStoreDown may succeed when the object store answers again.
func objectStoreDown() *refusal {
	return &refusal{
		code: codes.Unavailable, reason: pb.ErrorReason_ERROR_REASON_OBJECT_STORE_UNAVAILABLE,
		message: "the artifact is in the object store alone, and that does not answer",
		details: []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)}},
	}
}

// auditLogDown may succeed when the database of the audit log answers again.
func auditLogDown() *refusal {
	return &refusal{
		code: codes.Unavailable, reason: pb.ErrorReason_ERROR_REASON_AUDIT_LOG_UNAVAILABLE,
		message: "the database of the audit log does not answer",
		details: []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)}},
	}
}

func draining() *refusal {
	return &refusal{code: codes.Unavailable, reason: pb.ErrorReason_ERROR_REASON_DRAINING, message: "the server is shutting down"}
}

// reading maps an error of reading an artifact. Damage is a finding there, and a
// fault of the store everywhere else.
func reading(err error) error {
	if errors.Is(err, artifactstore.ErrDamaged) {
		return &refusal{
			code: codes.DataLoss, reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_CORRUPT, message: "the artifact is not what was put",
		}
	}
	return err
}

// artifactExpired says what a tombstone says.
func artifactExpired(e *catalog.ExpiredError) *refusal {
	deleted := e.At.UTC().Format(time.RFC3339)
	return &refusal{
		code: codes.FailedPrecondition, reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_EXPIRED,
		message:  fmt.Sprintf("the artifact was deleted at %s: %s", deleted, e.Why),
		metadata: map[string]string{"deleted_at": deleted, "why": e.Why},
	}
}

// nothingThere says how far the artifact goes.
func nothingThere(lines, size int64) *refusal {
	return &refusal{
		code: codes.OutOfRange, reason: pb.ErrorReason_ERROR_REASON_RANGE_NOT_SATISFIABLE,
		message: fmt.Sprintf("the artifact has %d lines and %d bytes", lines, size),
		metadata: map[string]string{
			"total_lines": strconv.FormatInt(lines, 10), "total_bytes": strconv.FormatInt(size, 10),
		},
	}
}

// otherPosition says how much of the log there is.
func otherPosition(received int64) *refusal {
	return &refusal{
		code: codes.FailedPrecondition, reason: pb.ErrorReason_ERROR_REASON_LOG_OFFSET_MISMATCH,
		message:  fmt.Sprintf("the log has %d bytes", received),
		metadata: map[string]string{"received_bytes": strconv.FormatInt(received, 10)},
	}
}

func denied(code codes.Code, reason pb.ErrorReason, message string) *refusal {
	return &refusal{code: code, reason: reason, message: message}
}

// tokenWrong does not say in what way.
func tokenWrong() *refusal {
	return denied(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_INVALID, "the token is not one of this server")
}

// tokenBackoff may succeed after a time, with a right token.
func tokenBackoff(wait time.Duration) *refusal {
	r := denied(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_BACKOFF, "too many wrong tokens came from this address")
	r.details = []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}}
	return r
}

func methodUnknown() *refusal {
	return denied(codes.Unimplemented, pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, "the server has no such method")
}

func methodNotAllowed(message string) *refusal {
	return denied(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_METHOD_NOT_ALLOWED, message)
}

// sessionForeign does not repeat which session was named, nor which one is the caller's.
func sessionForeign() *refusal {
	return denied(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_SESSION_MISMATCH, "the caller is confined to another session than the request names")
}

func rawNotAllowed() *refusal {
	return denied(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_RAW_NOT_ALLOWED, "only the sidecar's own user may read what was redacted, or who has its token")
}
