package server

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/recorder"
)

// RequestIDHeader carries the id of a call: the client's own, if it sent one,
// or one that the server made. It is in the log, in refusals of faults, and in
// the answer's header.
const RequestIDHeader = "x-request-id"

// calls is what the interceptors share.
type calls struct {
	logger   *slog.Logger
	metrics  metrics.Reporter
	access   *identity.Authenticator
	rights   map[string]right
	limits   *pb.Limits
	audit    *recorder.Recorder // nil when no log is kept
	instance string             // begins the ids of requests that have none
	sequence atomic.Uint64
	draining atomic.Bool
	inFlight atomic.Int64
	open     openCalls
}

// chain returns the interceptors of unary calls, the outermost first. Recovery
// is innermost, so that log and metrics see what became of a panic.
func (c *calls) chain() grpc.ServerOption {
	return grpc.ChainUnaryInterceptor(
		c.requestID,
		c.identify,
		interceptors.UnaryServerInterceptor(interceptors.CommonReportableFunc(c.report)),
		c.refuse,
		c.admit,
		c.deadline,
		recovery.UnaryServerInterceptor(recovery.WithRecoveryHandlerContext(c.panicked)),
	)
}

// streamChain returns those of streaming calls, in the same order. Streams have no
// default deadline: an output may take hours to arrive.
func (c *calls) streamChain() grpc.ServerOption {
	return grpc.ChainStreamInterceptor(
		c.receiveStream,
		c.streamRequestID,
		c.identifyStream,
		interceptors.StreamServerInterceptor(interceptors.CommonReportableFunc(c.report)),
		c.refuseStream,
		c.admitStream,
		recovery.StreamServerInterceptor(recovery.WithRecoveryHandlerContext(c.panicked)),
	)
}

// requestID gives every call an id.
func (c *calls) requestID(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return next(c.withRequestID(ctx), req)
}

func (c *calls) streamRequestID(srv any, call grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, within{call, c.withRequestID(call.Context())})
}

// within is a stream whose context was given more.
type within struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // of the stream
}

// Context is the context with what it was given.
func (w within) Context() context.Context { return w.ctx }

// identify finds out who makes a call. What follows from it is for those who serve the call.
func (c *calls) identify(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return next(identity.NewContext(ctx, c.access.Identify(ctx)), req)
}

func (c *calls) identifyStream(srv any, call grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, within{call, identity.NewContext(call.Context(), c.access.Identify(call.Context()))})
}

func (c *calls) withRequestID(ctx context.Context) context.Context {
	id := ""
	if given := metadata.ValueFromIncomingContext(ctx, RequestIDHeader); len(given) > 0 {
		id = printable(given[0], 64)
	}
	if id == "" {
		id = c.instance + strconv.FormatUint(c.sequence.Add(1), 36)
	}
	_ = grpc.SetHeader(ctx, metadata.MD{RequestIDHeader: []string{id}}) // it fails only after the answer
	return identity.WithRequestID(ctx, id)
}

// printable keeps the characters of an id that are safe in logs and headers.
func printable(s string, limit int) string {
	if len(s) > limit || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return s
}

// report logs a call and counts it. It asks whether anybody listens before it
// builds anything, and never looks at payloads.
func (c *calls) report(ctx context.Context, call interceptors.CallMeta) (interceptors.Reporter, context.Context) {
	r := &report{calls: c, ctx: ctx, method: c.named(call.FullMethod()), streams: call.Typ != interceptors.Unary}
	c.open.count(r.streams, +1)
	return r, ctx
}

// named is a method by its name, or "unknown": the name of one that there is not is text of a caller.
func (c *calls) named(method string) string {
	if c.rights[method] == nobody {
		return "unknown"
	}
	return method
}

type report struct {
	interceptors.NoopReporter
	*calls
	ctx     context.Context //nolint:containedctx // a Reporter lives for one call
	method  string
	streams bool
}

// PostCall is called when the call is over.
func (r *report) PostCall(err error, elapsed time.Duration) {
	code := status.Code(err)
	r.open.count(r.streams, -1)
	if r.metrics != nil {
		r.metrics.Call(r.method, code, elapsed)
	}
	level := slog.LevelDebug
	switch code {
	case codes.OK:
	case codes.Internal, codes.DataLoss, codes.Unknown:
		level = slog.LevelError
	default:
		level = slog.LevelInfo
	}
	if r.logger.Enabled(r.ctx, level) {
		r.logger.LogAttrs(r.ctx, level, "call", slog.String("method", r.method), slog.String("code", code.String()),
			slog.Duration("elapsed", elapsed), slog.String("request_id", identity.RequestID(r.ctx)), slog.String("peer", identity.FromContext(r.ctx).String()))
	}
}

// refuse makes statuses of the errors of the rooms below.
func (c *calls) refuse(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := next(ctx, req)
	if err != nil {
		return nil, c.refused(ctx, info.FullMethod, req, err)
	}
	return resp, nil
}

func (c *calls) refuseStream(srv any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := next(srv, call); err != nil {
		return c.refused(call.Context(), info.FullMethod, nil, err)
	}
	return nil
}

// refused is the status of an error. Faults of the server get an incident id,
// which the log has with the whole error.
func (c *calls) refused(ctx context.Context, method string, req any, err error) error {
	r := apierror.ToStatus(err)
	if r.Code == codes.Internal && r.Metadata["incident"] == "" {
		id := c.incident(ctx)
		c.logger.ErrorContext(ctx, "fault", "incident", id, "method", method, "error", err)
		r = r.WithIncident(id)
	}
	c.audit.Rejected(ctx, c.named(method), req, r)
	return r.GRPCStatus().Err()
}

func (c *calls) incident(ctx context.Context) string {
	if id := identity.RequestID(ctx); id != "" {
		return id
	}
	return c.instance + strconv.FormatUint(c.sequence.Add(1), 36)
}

// panicked makes a refusal of a panic: the stack goes to the log, a fixed text
// to the client.
func (c *calls) panicked(ctx context.Context, p any) error {
	id := c.incident(ctx)
	c.logger.ErrorContext(ctx, "panic", "incident", id, "panic", idle.DescribePanic(p), "stack", string(debug.Stack()))
	r := apierror.StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_PANIC, Message: "the server failed on this call"}
	return r.WithIncident(id)
}

// admit lets a call in: access, drain, and the limits on bytes.
func (c *calls) admit(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if r := c.mayCall(identity.FromContext(ctx), info.FullMethod, req); r != nil {
		return nil, r
	}
	m, ok := req.(proto.Message)
	if !ok {
		return next(ctx, req)
	}
	size := int64(proto.Size(m))
	defer c.inFlight.Add(-size)
	if c.inFlight.Add(size) > int64(c.limits.GetMaxInFlightBytes()) {
		return nil, apierror.InFlightBytes(int64(c.limits.GetMaxInFlightBytes()))
	}
	return next(ctx, req)
}

// admitStream lets a stream in; its messages are bounded one by one by gRPC.
func (c *calls) admitStream(srv any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if r := c.mayCall(identity.FromContext(call.Context()), info.FullMethod, nil); r != nil {
		return r
	}
	return next(srv, call)
}

// deadline gives a call the default deadline when its client set none.
func (c *calls) deadline(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limits.GetDefaultDeadline().AsDuration())
		defer cancel()
	}
	return next(ctx, req)
}
