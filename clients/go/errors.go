package toolresult

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// domain is that of the ErrorInfo of every rejected call.
const domain = "toolresult.v1"

// Errors of calls that no sidecar answered, for errors.Is.
var (
	// ErrUnavailable means that no sidecar answered.
	ErrUnavailable = errors.New("no sidecar answers")
	// ErrNoSidecar means that none was found. It is an ErrUnavailable, too.
	ErrNoSidecar = errors.New("no sidecar runs")
)

// startHint is the hint of errors of calls that no sidecar answered.
const startHint = "start one: toolresult ensure"

// Error is a call that was not served. errors.Is finds its reason, such as [ErrBudgetTooSmall]; status.FromError the status.
type Error struct {
	// Reason is that of the contract, such as "BUDGET_TOO_SMALL"; empty when gRPC itself ended the call.
	Reason string
	// Code is the status.
	Code codes.Code
	// Message says what was wrong. It has no bytes of a tool.
	Message string
	// Field is the path of the field that was wrong, such as "output.tool_name"; empty: none.
	Field string
	// Hint says what to do next; empty: nothing is known.
	Hint string
	// Retryable is whether the same call may succeed when it is made again.
	Retryable bool
	// RetryAfter is how long to wait before; 0: the sidecar does not say.
	RetryAfter time.Duration
	// Metadata has further facts, such as "needed" of a budget.
	Metadata map[string]string

	status *status.Status
	cause  error // ErrUnavailable, ErrNoSidecar, what was found, or nil
}

// Error returns the message, the field and the reason.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("toolresult: " + e.Message)
	if e.Reason != "" {
		b.WriteString(" (" + e.Reason + ")")
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the error of which this one was made; nil: of the status alone.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the reason.
func (e *Error) Is(target error) bool {
	r, ok := target.(reasonError)
	return ok && e.Reason != "" && r.Error() == e.Reason
}

// GRPCStatus returns the status.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// reasonError is a reason as an error.
type reasonError pb.ErrorReason

// Error returns the name of the reason.
func (r reasonError) Error() string {
	return strings.TrimPrefix(pb.ErrorReason(r).String(), "ERROR_REASON_")
}

// ofGRPC are the reasons of statuses that gRPC itself makes, without an ErrorInfo.
var ofGRPC = map[codes.Code]pb.ErrorReason{
	codes.DeadlineExceeded: pb.ErrorReason_ERROR_REASON_DEADLINE, codes.Canceled: pb.ErrorReason_ERROR_REASON_CLIENT_CANCELLED,
	codes.Unimplemented: pb.ErrorReason_ERROR_REASON_METHOD_UNKNOWN, codes.ResourceExhausted: pb.ErrorReason_ERROR_REASON_MESSAGE_TOO_LARGE,
}

// fromError returns an error of gRPC as an [*Error]; nil, io.EOF and what has no status as they are.
func fromError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	var known *Error
	st, ok := status.FromError(err)
	if !ok || errors.As(err, &known) {
		return err
	}
	e := &Error{Code: st.Code(), Message: st.Message(), Retryable: st.Code() == codes.Unavailable || st.Code() == codes.Aborted, status: st}
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == domain {
				e.Reason, e.Metadata = d.GetReason(), d.GetMetadata()
				e.Field, e.Hint = d.GetMetadata()["field"], d.GetMetadata()["hint"]
			}
		case *errdetails.RetryInfo:
			e.Retryable, e.RetryAfter = true, d.GetRetryDelay().AsDuration()
		}
	}
	if e.Reason != "" {
		return e
	}
	if e.Code == codes.Unavailable {
		e.cause, e.Hint = ErrUnavailable, startHint
	} else if reason, ok := ofGRPC[e.Code]; ok {
		e.Reason = reasonError(reason).Error()
	}
	return e
}

// unavailable returns the error of a sidecar that cannot be called.
func unavailable(message string, cause error) *Error {
	return &Error{
		Code: codes.Unavailable, Message: message, Hint: startHint, Retryable: true, status: status.New(codes.Unavailable, message),
		cause: fmt.Errorf("%w: %w", ErrUnavailable, cause),
	}
}

// noSidecar returns the error of a sidecar that was not found.
func noSidecar(cause error) *Error {
	return unavailable(cause.Error(), fmt.Errorf("%w: %w", ErrNoSidecar, cause))
}

// typedErrors returns an interceptor that makes errors [*Error], and gives calls without a deadline a time.
func typedErrors(timeout time.Duration) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, resp any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
		if _, has := ctx.Deadline(); !has && timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return fromError(call(ctx, method, req, resp, conn, options...))
	}
}

// typedStreamErrors makes the errors of streams [*Error].
func typedStreamErrors(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, conn, method, options...)
	if err != nil {
		return nil, fromError(err)
	}
	return typedStream{stream}, nil
}

// typedStream is a stream whose errors are [*Error].
type typedStream struct{ grpc.ClientStream }

// SendMsg implements [grpc.ClientStream].
func (s typedStream) SendMsg(m any) error { return fromError(s.ClientStream.SendMsg(m)) }

// RecvMsg implements [grpc.ClientStream].
func (s typedStream) RecvMsg(m any) error { return fromError(s.ClientStream.RecvMsg(m)) }
