package rpc

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/metrics"
)

// This file has the interceptors in the order in which a call passes them. Unary calls and streams have the same, but for two
// things: a stream has no default deadline, and the memory of its messages is reserved one by one.

// RequestIDHeader carries the id of a call: that of the client, if it sent one, or one that the server made. It is in the log, in
// statuses of faults of the server, and in the header of the answer.
const RequestIDHeader = "x-request-id"

// Options configure the interceptors. All but Metrics and Memory are required.
type Options struct {
	Logger        *slog.Logger
	Metrics       metrics.Reporter // nil when nothing is reported
	Authenticator *identity.Authenticator
	Limits        *pb.Limits
	Memory        *admission.Memory // that calls may take at once; nil when it is not bounded
	Rejections    rejections
}

// rejections records calls that are rejected.
type rejections interface {
	Rejected(ctx context.Context, method string, req any, err *apierror.StatusError)
}

// Interceptors are the interceptors of a server. Safe for concurrent use.
type Interceptors struct {
	Options
	rights   map[string]right
	instance string // begins the ids of requests that have none
	sequence atomic.Uint64
	draining atomic.Bool
	open     openCalls
	use      *use
	outcomes outcomes
	received atomic.Int64 // bytes of messages

	late           sync.WaitGroup // records of calls that the tap rejected
	lateSlots      chan struct{}
	unknownCallers unknownCallers
}

// NewInterceptors returns the interceptors of a server.
func NewInterceptors(o Options) *Interceptors {
	return &Interceptors{
		Options: o, rights: Rights(), use: newUse(), instance: strconv.FormatUint(rand.Uint64(), 36) + "-", lateSlots: make(chan struct{}, maxLate),
		unknownCallers: unknownCallers{lines: rate.NewLimiter(unknownLinesPerSecond, unknownLinesBurst)},
	}
}

// Drain rejects calls from now on, but for those of the health service.
func (c *Interceptors) Drain() { c.draining.Store(true) }

// load has the calls and bytes that the server works on at one moment.
type load struct {
	Unary, Streams int64 // calls in flight
	Bytes          int64 // of memory that calls in flight have reserved
}

// Load returns the calls and bytes that the server works on.
func (c *Interceptors) Load() load {
	return load{Unary: c.open.unary.Load(), Streams: c.open.streams.Load(), Bytes: c.Memory.Reserved()}
}

// Unary returns the interceptors of unary calls.
func (c *Interceptors) Unary() grpc.ServerOption { return grpc.ChainUnaryInterceptor(c.unary()...) }

// unary returns the interceptors of unary calls, the outermost first. Recovery
// is innermost, so that log and metrics see what became of a panic.
func (c *Interceptors) unary() []grpc.UnaryServerInterceptor {
	return []grpc.UnaryServerInterceptor{
		c.requestID,
		interceptors.UnaryServerInterceptor(interceptors.CommonReportableFunc(c.report)),
		c.mapError,
		c.admit,
		c.deadline,
		recovery.UnaryServerInterceptor(recovery.WithRecoveryHandlerContext(c.panicked)),
	}
}

// Stream returns the interceptors of streaming calls, in the same order. Streams have no default deadline: a tool may write its
// output for hours.
func (c *Interceptors) Stream() grpc.ServerOption {
	return grpc.ChainStreamInterceptor(
		c.receiveStream,
		c.streamRequestID,
		interceptors.StreamServerInterceptor(interceptors.CommonReportableFunc(c.report)),
		c.mapStreamError,
		c.admitStream,
		recovery.StreamServerInterceptor(recovery.WithRecoveryHandlerContext(c.panicked)),
	)
}

// requestID gives every call an id.
func (c *Interceptors) requestID(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return next(c.withRequestID(ctx), req)
}

// streamRequestID gives every stream an id.
func (c *Interceptors) streamRequestID(srv any, call grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, streamWithContext{call, c.withRequestID(call.Context())})
}

// streamWithContext is a stream with a context of its own.
type streamWithContext struct {
	grpc.ServerStream
	ctx context.Context // of the stream
}

// Context returns the context.
func (w streamWithContext) Context() context.Context { return w.ctx }

// withRequestID returns a context with the id of the call, which the header of the answer has, too.
func (c *Interceptors) withRequestID(ctx context.Context) context.Context {
	if _, inner := grpc.ServerTransportStreamFromContext(ctx).(*innerStream); inner {
		return ctx // Inner gave it one
	}
	id := c.requestIDOf(ctx)
	_ = grpc.SetHeader(ctx, metadata.MD{RequestIDHeader: []string{id}}) // it fails only after the answer
	return identity.WithRequestID(ctx, id)
}

// nextID returns an id that no other call has.
func (c *Interceptors) nextID() string { return c.instance + strconv.FormatUint(c.sequence.Add(1), 36) }

// printable keeps the characters of an id that are safe in logs and headers.
func printable(s string, limit int) string {
	if len(s) > limit || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return s
}

// report logs a call and counts it when it is over. It never looks at payloads.
func (c *Interceptors) report(ctx context.Context, call interceptors.CallMeta) (interceptors.Reporter, context.Context) {
	r := &report{Interceptors: c, ctx: ctx, method: c.named(call.FullMethod()), called: call.FullMethod(), streams: call.Typ != interceptors.Unary}
	c.open.count(r.streams, +1)
	c.use.count(r.called, +1)
	return r, ctx
}

// named returns the name of a method, or "unknown" for one that does not exist: its name is text of a caller, and no label.
func (c *Interceptors) named(method string) string {
	if c.rights[method] == denyAll {
		return "unknown"
	}
	return method
}

// report reports one call.
type report struct {
	interceptors.NoopReporter
	*Interceptors
	ctx     context.Context // a Reporter lives for one call
	method  string          // "unknown" for one that does not exist
	called  string
	streams bool
}

// PostCall is called when the call is over.
func (r *report) PostCall(err error, elapsed time.Duration) {
	r.open.count(r.streams, -1)
	r.use.count(r.called, -1)
	r.finished(r.ctx, r.method, err, elapsed)
}

// finished logs and counts a call that is over.
func (c *Interceptors) finished(ctx context.Context, method string, err error, elapsed time.Duration) {
	c.count(method, err, elapsed)
	c.log(ctx, method, err, elapsed)
}

// count counts a call that is over.
func (c *Interceptors) count(method string, err error, elapsed time.Duration) {
	code := status.Code(err)
	c.outcomes.add(method, code)
	if c.Metrics != nil {
		c.Metrics.Call(method, code, elapsed)
	}
}

// log writes the line of a call that is over. further is what the line says besides.
func (c *Interceptors) log(ctx context.Context, method string, err error, elapsed time.Duration, further ...slog.Attr) {
	code, level := status.Code(err), slog.LevelDebug
	switch code {
	case codes.OK:
	case codes.Internal, codes.DataLoss, codes.Unknown:
		level = slog.LevelError
	default:
		level = slog.LevelInfo
	}
	if c.Logger.Enabled(ctx, level) {
		c.Logger.LogAttrs(ctx, level, "call", append([]slog.Attr{
			slog.String("method", method), slog.String("code", code.String()), slog.Duration("elapsed", elapsed),
			slog.String("request_id", identity.RequestID(ctx)), slog.String("peer", identity.FromContext(ctx).String()),
		}, further...)...)
	}
}

// mapError turns the errors of services into statuses.
func (c *Interceptors) mapError(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := next(ctx, req)
	if err != nil {
		return nil, c.statusFor(ctx, info.FullMethod, req, err)
	}
	return resp, nil
}

// mapStreamError turns the error of a stream into a status.
func (c *Interceptors) mapStreamError(srv any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := next(srv, call); err != nil {
		return c.statusFor(call.Context(), info.FullMethod, nil, err)
	}
	return nil
}

// statusFor returns the status for an error, and records the call as rejected. A fault of the server gets an incident id, which
// the log has with the whole error. req is nil for a stream.
func (c *Interceptors) statusFor(ctx context.Context, method string, req any, err error) error {
	r := apierror.ToStatus(err)
	if r.Code == codes.Internal && r.Metadata["incident"] == "" {
		id := c.incident(ctx)
		c.Logger.ErrorContext(ctx, "fault", "incident", id, "method", method, "error", err)
		r = r.WithIncident(id)
	}
	c.Rejections.Rejected(ctx, c.named(method), req, r)
	pushBack(ctx, r)
	return r.GRPCStatus().Err()
}

// pushBack says to gRPC itself whether to repeat a call that its retry policy would repeat by the code alone, and when (gRFC A6):
// after the delay of the status; never, where what is exhausted is not free again by waiting.
func pushBack(ctx context.Context, r *apierror.StatusError) {
	delay, known := r.RetryDelay()
	switch {
	case known:
		_ = grpc.SetTrailer(ctx, metadata.Pairs(pushbackTrailer, strconv.FormatInt(delay.Milliseconds(), 10))) // it fails outside of a call
	case r.Code == codes.ResourceExhausted:
		_ = grpc.SetTrailer(ctx, metadata.Pairs(pushbackTrailer, "-1"))
	}
}

// pushbackTrailer is the name of the trailer, in milliseconds.
const pushbackTrailer = "grpc-retry-pushback-ms"

// incident returns the id under which the log has a fault: that of the call, if it has one already.
func (c *Interceptors) incident(ctx context.Context) string {
	if id := identity.RequestID(ctx); id != "" {
		return id
	}
	return c.nextID()
}

// panicked returns the status for a panic: the stack goes to the log, and a fixed text to the client.
func (c *Interceptors) panicked(ctx context.Context, p any) error {
	id := c.incident(ctx)
	c.Logger.ErrorContext(ctx, "panic", "incident", id, "panic", idle.DescribePanic(p), "stack", string(debug.Stack()))
	r := apierror.StatusError{Code: codes.Internal, Reason: pb.ErrorReason_ERROR_REASON_PANIC, Message: "the server failed on this call"}
	return r.WithIncident(id)
}

// admit lets a call in whose caller may make it. Its memory was reserved before its message was read.
func (c *Interceptors) admit(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if r := c.checkRight(identity.FromContext(ctx), info.FullMethod, req); r != nil {
		return nil, r
	}
	return next(ctx, req)
}

// admitStream lets a stream in; its messages are bounded one by one by gRPC.
func (c *Interceptors) admitStream(srv any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if r := c.checkRight(identity.FromContext(call.Context()), info.FullMethod, nil); r != nil {
		return r
	}
	return next(srv, call)
}

// deadline gives a call the default deadline when its client set none, so that no call works for ever for nobody.
func (c *Interceptors) deadline(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Limits.GetDefaultDeadline().AsDuration())
		defer cancel()
	}
	return next(ctx, req)
}

// openCalls counts the calls in flight.
type openCalls struct{ unary, streams atomic.Int64 }

// count adds n calls.
func (o *openCalls) count(streams bool, n int64) {
	if streams {
		o.streams.Add(n)
		return
	}
	o.unary.Add(n)
}
