package identity

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// Caller identifies who makes a call, as far as the server knows by itself. Every call has one in its context before
// anything else looks at it, a call that is rejected, too.
type Caller struct {
	Local       bool                  // at the other end of a Unix socket
	UID, GID    uint32                // of a local caller, as the kernel says
	PID         int32                 // likewise, when it connected
	started     time.Time             // of that process; zero: not known
	address     string                // of a caller over TCP
	certificate string                // subject of its certificate, where one was asked for
	Trusted     bool                  // it is the sidecar's own user, or has the sidecar's token over TCP
	Session     string                // that its token confines it to; empty: to none
	Rejected    *apierror.StatusError // why it may not call at all; nil when it may
}

// callerKey is the key of a Caller in a context.
type callerKey struct{}

// NewContext returns a context with a caller, which FromContext returns.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// FromContext is who makes the call of a context. Outside of a call it is nobody, who has no right of its own.
func FromContext(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// MayReadRaw reports whether the caller may read what was redacted.
func (c Caller) MayReadRaw() bool { return c.Trusted && c.Session == "" }

// String names the caller for the log.
func (c Caller) String() string {
	text := c.address
	if c.Local {
		text = fmt.Sprintf("uid %d, pid %d", c.UID, c.PID)
	}
	if c.certificate != "" {
		text += ", certificate " + c.certificate
	}
	if c.Session != "" {
		text += ", session " + c.Session
	}
	return text
}

// AuditCaller is the caller as a record has it.
func (c Caller) AuditCaller() *pb.AuditCaller {
	a := &pb.AuditCaller{Address: c.address, ConfinedTo: c.Session, Certificate: c.certificate}
	if c.Local {
		a.Uid, a.Gid, a.Pid = &c.UID, &c.GID, &c.PID
		if !c.started.IsZero() {
			a.PidStartedAt = timestamppb.New(c.started)
		}
	}
	return a
}
