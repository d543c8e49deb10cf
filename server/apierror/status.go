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
	"strings"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
)

// This file has the mapping: StatusError, the table of sentinel errors, and ToStatus, which finds what an error is. Sentinels
// are compared with errors.Is in the order of the table, so that a wrapped error keeps its reason. The constructors of the
// single statuses are in reasons.go.

// Domain is the domain of the ErrorInfo of every status of this server (google.rpc.ErrorInfo).
const Domain = "toolresult.v1"

// maxStatusMessage bounds the message of a status, in bytes. A status travels in the trailers of HTTP/2, and clients reject
// those beyond their limit on headers, which is 8 KiB for some: the call would then fail without a reason at all.
const maxStatusMessage = 1024

// StatusError is the status of a call that is not served. Every error that a client receives was one.
//
// A StatusError may be shared between calls: methods that change one return a copy.
type StatusError struct {
	Code     codes.Code
	Reason   pb.ErrorReason
	Message  string                 // no bytes of a tool; cut to 1024 bytes on the wire
	Metadata map[string]string      // of the ErrorInfo; nil for none
	Details  []protoadapt.MessageV1 // after the ErrorInfo: BadRequest, RetryInfo
}

// Error returns the message. It makes a StatusError an error, so that interceptors and services can return one.
func (r *StatusError) Error() string { return r.Message }

// GRPCStatus returns the status with its details, the ErrorInfo first. gRPC calls it on every error that a handler returns.
// A message that is too long is cut at a character. Details that cannot be encoded are dropped, but not the status.
func (r *StatusError) GRPCStatus() *status.Status {
	message := r.Message
	if len(message) > maxStatusMessage {
		message = strings.ToValidUTF8(message[:maxStatusMessage], "")
	}
	st := status.New(r.Code, message)
	metadata := map[string]string{"hint": Hint(r.Reason)}
	maps.Copy(metadata, r.Metadata)
	details := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason: ReasonName(r.Reason), Domain: Domain, Metadata: metadata,
	}}, r.Details...)
	if with, err := st.WithDetails(details...); err == nil {
		return with
	}
	return st
}

// ReasonName returns the name of a reason as ErrorInfo has it: without the prefix of the enum.
func ReasonName(r pb.ErrorReason) string { return strings.TrimPrefix(r.String(), "ERROR_REASON_") }

// Hint returns what a caller can do next about a reason, as the contract has it; empty for a number that it does not have.
func Hint(r pb.ErrorReason) string {
	value := r.Descriptor().Values().ByNumber(r.Number())
	if value == nil {
		return ""
	}
	hint, _ := proto.GetExtension(value.Options(), pb.E_Hint).(string)
	return hint
}

// RetryDelay returns how long a caller is to wait before it makes the same call again, and whether the status says so.
func (r *StatusError) RetryDelay() (time.Duration, bool) {
	for _, d := range r.Details {
		if retry, ok := d.(*errdetails.RetryInfo); ok {
			return retry.GetRetryDelay().AsDuration(), true
		}
	}
	return 0, false
}

// Failures that have no package of their own.
var (
	// ErrAuditDisabled means that no audit log is kept.
	ErrAuditDisabled = errors.New("no audit log is kept")
	// ErrFileNotAllowed means that a payload names a file outside of the allowed directories, or no regular file.
	ErrFileNotAllowed = errors.New("the file is not a regular one under an allowed directory")
	// ErrFileLinked means that a payload names a file of another user that has more than one name.
	ErrFileLinked = errors.New("the file has more than one name and is not the caller's")
	// ErrNoRoots means that a payload names a file, and that the operator allowed no directory.
	ErrNoRoots = errors.New("no directory is allowed whose files may be payloads")
	// ErrFileMissing means that a payload names a file that does not exist.
	ErrFileMissing = errors.New("there is no such file")
	// ErrFileChanged means that a file changed while it was read.
	ErrFileChanged = errors.New("the file changed while it was read")
	// ErrIdle means that a client neither sent nor received a message for longer than a stream may be idle.
	ErrIdle = errors.New("no message came or was taken in time")
)

// sentinels maps errors that have no fields to statuses. The first that an error wraps decides, so the order matters where an
// error wraps two: the reason that names the cause comes before the end of the call that it led to. The texts are part of
// what clients see, and name no path and no id.
var sentinels = []struct {
	err    error
	code   codes.Code
	reason pb.ErrorReason
	text   string
}{
	{artifactstore.ErrVanished, codes.Internal, pb.ErrorReason_ERROR_REASON_STORE_FAILED, "files of the store were deleted or replaced while it was open; it takes nothing until the server starts again"},
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
	{ErrFileLinked, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_FILE_NOT_ALLOWED, "the file has more than one name and belongs to another user than the caller, so that it may be a link to what the caller cannot read"},
	{ErrNoRoots, codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_FILE_NOT_ALLOWED, "the payload is a file, and the operator allowed no directory for that: the setting \"roots\" is empty"},
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

// passing maps errors to statuses of calls that may succeed when they are tried again. Nothing was written or answered.
var passing = []struct {
	err    error
	reason pb.ErrorReason
	text   string
	retry  time.Duration
}{
	{artifactstore.ErrUnavailable, pb.ErrorReason_ERROR_REASON_OBJECT_STORE_UNAVAILABLE, "the artifact is in the object store alone, and that does not answer", retryRemote},
	{catalog.ErrBusy, pb.ErrorReason_ERROR_REASON_STORE_UNAVAILABLE, "the catalog of the artifact store cannot be used for now", retryDisk},
	{auditlog.ErrUnavailable, pb.ErrorReason_ERROR_REASON_AUDIT_LOG_UNAVAILABLE, "the audit log cannot be used for now", retryRemote},
}

// FieldError is an error about one field of a request. It changes neither the code nor the reason of the error that it wraps;
// statuses of InvalidArgument get the field in their metadata and as a violation.
type FieldError struct {
	field string // a path such as "results[3].call"
	err   error
}

// Error returns the field and the error at it.
func (l FieldError) Error() string { return l.field + ": " + l.err.Error() }

// Unwrap returns the error without the field.
func (l FieldError) Unwrap() error { return l.err }

// AtField returns an error about one field of a request, as a [FieldError].
func AtField(field string, err error) error { return FieldError{field, err} }

// StreamOrder returns the error for a message that is not at its place in a stream: InvalidArgument, STREAM_ORDER.
func StreamOrder(text string) error {
	check := envelope.NewChecker("")
	check.Fail("message", pb.ErrorReason_ERROR_REASON_STREAM_ORDER, "%s", text)
	return check.Err()
}

// FromReceive returns the error for a Recv that failed before the finish of a stream. io.EOF, which gRPC returns when a client
// closes its half of the stream, is an error of order there; every other error is returned as it is.
func FromReceive(err error) error {
	if errors.Is(err, io.EOF) {
		return StreamOrder("the stream ended without a finish")
	}
	return err
}

// PrefixField moves an error about a request below the field of a larger request that holds it: "call" below "results[3]" is
// "results[3].call". An error about no field gets path as its field.
func PrefixField(path string, err error) error {
	if invalid, ok := errors.AsType[*envelope.InvalidError](err); ok {
		return invalid.WithPrefix(path)
	}
	if l, ok := errors.AsType[FieldError](err); ok {
		return FieldError{path + "." + l.field, l.err}
	}
	return FieldError{path, err}
}

// ToStatus maps an error of any package to a status. Where the error names a field and the status is an InvalidArgument that
// names none yet, the status names that field. The error itself is not changed.
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

// classify maps an error by its type and by what it wraps. Types come first, because they know more than a sentinel that they
// may wrap: the limits, the time of a deletion, the violations. Failures of the operating system come after the sentinels,
// and a status of gRPC comes last, since an error of ours may wrap one. The text of an error without a mapping is for the log
// and not for the client.
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
	for _, s := range passing {
		if errors.Is(err, s.err) {
			return &StatusError{Code: codes.Unavailable, Reason: s.reason, Message: s.text, Details: retryAfter(s.retry)}
		}
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return &StatusError{Code: s.code, Reason: s.reason, Message: s.text}
		}
	}
	if isStoreFailure(err) {
		failed := &StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_STORE_FAILED, Message: "the store failed"}
		if errors.Is(err, artifactstore.ErrDisk) {
			failed.Message, failed.Details = "the disk of the artifact store did not take a write", retryAfter(retryDisk)
		}
		return failed
	}
	if st, foreign := status.FromError(err); foreign {
		return fromForeignStatus(st)
	}
	return serverFailed()
}

// storeFailures are failures of the artifact store that have no reason of their own. ErrDamaged is among them, because it is
// a finding only where an artifact is read (see FromRead).
var storeFailures = []error{
	artifactstore.ErrDamaged, artifactstore.ErrNameInvalid, artifactstore.ErrSealed, artifactstore.ErrSizeMismatch, artifactstore.ErrRootUnsafe,
	artifactstore.ErrDisk, catalog.ErrCatalogUnreadable,
}

// isStoreFailure reports whether an error is one of the store or of the operating system below it. Nothing but the store uses
// files once the server runs; payloads that are files have sentinels of their own.
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
// health and reflection. A code that is not here says of no mistake of the client, and becomes Internal.
var foreignReasons = map[codes.Code]pb.ErrorReason{
	codes.Canceled: pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED, codes.DeadlineExceeded: pb.ErrorReason_ERROR_REASON_DEADLINE,
	codes.Unimplemented: pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, codes.NotFound: pb.ErrorReason_ERROR_REASON_SERVICE_UNKNOWN,
	codes.InvalidArgument: pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID, codes.ResourceExhausted: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
	codes.Unavailable: pb.ErrorReason_ERROR_REASON_DRAINING,
}

// fromForeignStatus returns the status for one that is not of this package. gRPC writes its messages itself, so they have no
// bytes of a tool; they may quote a header, which need not be UTF-8.
func fromForeignStatus(st *status.Status) *StatusError {
	reason, known := foreignReasons[st.Code()]
	if !known {
		return serverFailed()
	}
	return &StatusError{Code: st.Code(), Reason: reason, Message: strings.ToValidUTF8(st.Message(), "")}
}

// serverFailed returns the status of errors that have no reason of their own.
func serverFailed() *StatusError {
	return &StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_INTERNAL, Message: "the server failed"}
}

// WithIncident returns a copy with an id in its metadata and message. The log has the same id with the text of the error, so
// that an operator finds what a client reports.
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

// FromRead maps an error of reading an artifact. Damage is a finding about the artifact there (DataLoss), and a failure of the
// store everywhere else (Internal). Other errors, and nil, are returned as they are.
func FromRead(err error) error {
	if errors.Is(err, artifactstore.ErrDamaged) {
		return &StatusError{
			Code: codes.DataLoss, Reason: pb.ErrorReason_ERROR_REASON_ARTIFACT_CORRUPT, Message: "the artifact is not what was put",
		}
	}
	return err
}
