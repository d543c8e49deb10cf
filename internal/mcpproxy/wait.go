package mcpproxy

import (
	"context"
	"errors"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// wait is the context of a call of a sidecar. It ends when the sidecar does nothing for as long as the patience lasts: a frozen one
// costs that, whatever the size of a result. One that does something has a time that grows with the size.
type wait struct {
	context.Context
	cancel   context.CancelCauseFunc
	patience time.Duration
	timer    *time.Timer
}

// errPatience says that the sidecar was waited for in vain.
var errPatience = errors.New("the sidecar does not answer")

const (
	// bytesPerMilli is how much of a large result a sidecar reads in a millisecond, if it is slow.
	bytesPerMilli = 4 << 10
	// betweenSigns is the time between two questions whether a sidecar is alive.
	betweenSigns = 100 * time.Millisecond
)

// newWait returns the context of a call with so many bytes. The caller calls stop at the end.
func newWait(ctx context.Context, patience time.Duration, size int) (w *wait, stop func()) {
	all := patience
	if size > maxUnary {
		all += time.Duration(size/bytesPerMilli) * time.Millisecond
	}
	ctx, release := context.WithTimeoutCause(ctx, all, errPatience)
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
