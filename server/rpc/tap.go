package rpc

import (
	"context"
	"log/slog"
	"sync/atomic"

	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/tap"

	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// gRPC reads the message of a call before it asks the interceptors, 4 MiB of it by default. So who calls is found out
// when the headers are there, before a byte of the message: a caller who is not known gets its status and nothing is read.
// For the first call of a connection, Preauth does so.

// Tap returns the option that identifies callers by the headers of their calls.
func (c *Interceptors) Tap() grpc.ServerOption { return grpc.InTapHandle(c.tap) }

// tap identifies the caller of a call, and ends the call of one who is not known. The health of the server as a whole is
// anybody's to ask: which health is asked for is in the message, and admit looks at it. It runs on the goroutine that
// reads the connection, and does not wait for anything. Preauth ended connections whose first caller was not known.
func (c *Interceptors) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	who := c.Authenticator.Identify(ctx)
	ctx = identity.NewContext(ctx, who)
	if who.Rejected == nil || info.FullMethodName == healthpb.Health_Check_FullMethodName {
		c.use.touch(info.FullMethodName)
		return ctx, nil
	}
	c.reject(ctx, info.FullMethodName, who.Rejected)
	return ctx, who.Rejected.GRPCStatus().Err()
}

// reject reports a call that is rejected by its headers alone, and returns its id.
func (c *Interceptors) reject(ctx context.Context, method string, why *apierror.StatusError) (id string) {
	id = c.requestIDOf(ctx)
	ctx = identity.WithRequestID(ctx, id)
	c.recordLate(context.WithoutCancel(ctx), c.named(method), why)
	err := why.GRPCStatus().Err()
	c.count(c.named(method), err, 0)
	if c.unknownCallers.lines.Allow() {
		c.log(ctx, c.named(method), err, 0, slog.Int64("not_logged", c.unknownCallers.others.Swap(0)))
	} else {
		c.unknownCallers.others.Add(1)
	}
	return id
}

// Bounds of the lines about calls that are rejected by their headers alone: anybody can make hundreds of them a second.
const (
	unknownLinesPerSecond = 1
	unknownLinesBurst     = 20
)

// unknownCallers bounds those lines. The next one counts the others.
type unknownCallers struct {
	lines  *rate.Limiter
	others atomic.Int64 // calls since the last line
}

// maxLate is how many records of rejected calls may be on their way to the log. More are not written: they are in the log of
// the process and in the metrics.
const maxLate = 32

// recordLate records a rejected call, which takes a sync of the disk, and does not wait for it.
func (c *Interceptors) recordLate(ctx context.Context, method string, why *apierror.StatusError) {
	select {
	case c.lateSlots <- struct{}{}:
		c.late.Go(func() {
			c.Rejections.Rejected(ctx, method, nil, why)
			<-c.lateSlots
		})
	default:
	}
}

// Wait waits until the records of rejected calls are written, and logs how many calls no line has counted. No more calls may come.
func (c *Interceptors) Wait() {
	c.late.Wait()
	if n := c.unknownCallers.others.Swap(0); n > 0 {
		c.Logger.Info("calls were rejected", "not_logged", n)
	}
}

// requestIDOf returns the id of a call: that of the client, if it is one word of at most 64 printable bytes, and otherwise
// one that is unique among all servers (a random part for the process) and in this one (a sequence).
func (c *Interceptors) requestIDOf(ctx context.Context) string {
	if given := metadata.ValueFromIncomingContext(ctx, RequestIDHeader); len(given) > 0 {
		if id := printable(given[0], 64); id != "" {
			return id
		}
	}
	return c.nextID()
}
