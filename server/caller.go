package server

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// caller is who makes a call, as far as the server knows by itself. Every call has one in its context before
// anything else looks at it, also one that is refused.
type caller struct {
	local       bool                  // at the other end of a Unix socket
	uid, gid    uint32                // of a local caller, as the kernel says
	pid         int32                 // likewise, when it connected
	address     string                // of a caller over TCP
	certificate string                // subject of its certificate, where one was asked for
	own         bool                  // it is the sidecar's own user, or has the sidecar's token over TCP
	session     string                // that its token confines it to; empty: to none
	refused     *apierror.StatusError // why it may not call at all; nil when it may
}

type callerKey struct{}

func withCaller(ctx context.Context, c caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerOf is who makes the call of a context. Outside of a call it is nobody, who has no right of its own.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// mayReadRaw reports whether the caller may read what was redacted.
func (c caller) mayReadRaw() bool { return c.own && c.session == "" }

// String names the caller for the log.
func (c caller) String() string {
	text := c.address
	if c.local {
		text = fmt.Sprintf("uid %d, pid %d", c.uid, c.pid)
	}
	if c.certificate != "" {
		text += ", certificate " + c.certificate
	}
	if c.session != "" {
		text += ", session " + c.session
	}
	return text
}

// audit is the caller as a record has it.
func (c caller) audit() *pb.AuditCaller {
	a := &pb.AuditCaller{Address: c.address, ConfinedTo: c.session, Certificate: c.certificate}
	if c.local {
		a.Uid, a.Gid, a.Pid = &c.uid, &c.gid, &c.pid
	}
	return a
}

// identify finds out who makes a call. What follows from it is for those who serve the call.
func (c *calls) identify(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return next(withCaller(ctx, c.access.identify(ctx)), req)
}

func (c *calls) identifyStream(srv any, call grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, within{call, withCaller(call.Context(), c.access.identify(call.Context()))})
}
