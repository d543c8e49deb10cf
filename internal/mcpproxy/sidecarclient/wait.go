package sidecarclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/internal/mcpproxy"
)

// wait is the context of a call of a sidecar. It ends when the sidecar does nothing for as long as the patience lasts, so that a
// frozen one costs that, whatever the size of a result. One that does something has more time.
type wait struct {
	context.Context
	cancel   context.CancelCauseFunc
	patience time.Duration
	timer    *time.Timer
}

// errPatience says that the sidecar was waited for in vain.
var errPatience = errors.New("the sidecar does not answer")

// betweenSigns is the time between two questions whether a sidecar is alive.
const betweenSigns = 100 * time.Millisecond

// newWait returns a context that ends after most, whatever the sidecar does. The caller calls stop at the end.
func newWait(ctx context.Context, patience, most time.Duration) (w *wait, stop func()) {
	ctx, release := context.WithTimeoutCause(ctx, most, errPatience)
	w = &wait{patience: patience}
	w.Context, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errPatience) })
	return w, func() {
		w.timer.Stop()
		w.cancel(nil)
		release()
	}
}

// sign notes that the sidecar has done something, so that the patience begins anew.
func (w *wait) sign() {
	if w.Err() == nil {
		w.timer.Reset(w.patience)
	}
}

// whileAlive waits on while the sidecar answers what its health is, whatever that is. It returns when the call has ended.
func (w *wait) whileAlive(health healthpb.HealthClient) {
	for w.Err() == nil {
		if _, err := health.Check(w, &healthpb.HealthCheckRequest{}); err == nil {
			w.sign()
		}
		select {
		case <-w.Done():
		case <-time.After(betweenSigns):
		}
	}
}

// explain returns the error of a call in plain words: errPatience if the end of the wait is its reason.
func (w *wait) explain(err error) error {
	switch cause := context.Cause(w); {
	case err == nil:
		return nil
	case cause != nil:
		return cause
	case status.Code(err) == codes.DeadlineExceeded: // the sidecar looked at the clock first
		return errPatience
	case status.Code(err) == codes.PermissionDenied, status.Code(err) == codes.NotFound:
		return fmt.Errorf("%w: %s", mcpproxy.ErrNotFound, status.Convert(err).Message())
	}
	return errors.New(status.Convert(err).Message())
}
