// Package idle ends streaming calls whose client neither sends nor receives messages. It knows no message and no service: a
// call works inside of [Limit.Run], and each Recv or Send is a [Limit.Wait].
package idle

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/toolresult/toolresult/server/apierror"
)

// Limit bounds how long a call waits for its client.
//
// A Recv or a Send ends with its call and not before, so the handler must not be what waits in it. Run works in another
// goroutine and returns without it when the client is idle for too long. Handing every message over to the handler would
// cost more than receiving it.
type Limit struct {
	idle    time.Duration
	timer   *time.Timer   // runs during Wait; nil before the first one
	expired chan struct{} // closed when the timer fires
}

// NewLimit returns a limit of the given time for each wait. It serves one call.
func NewLimit(idle time.Duration) *Limit {
	return &Limit{idle: idle, expired: make(chan struct{})}
}

// Run does the work that receives and sends, and returns its error. It returns apierror.ErrIdle when a Wait takes too long:
// the work is then still in its Wait, which fails when the call ends. A panic of the work is passed on.
func (b *Limit) Run(work func() error) error {
	type end struct {
		err   error
		panic Panic // with its stack
	}
	done := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			if p := recover(); p != nil {
				e.panic = Panic(fmt.Sprintf("%s\n%s", DescribePanic(p), debug.Stack()))
			}
			done <- e
		}()
		e.err = work()
	}()
	select {
	case e := <-done:
		if e.panic != "" {
			panic(e.panic) // the recovery interceptor takes it
		}
		return e.err
	case <-b.expired:
		return apierror.ErrIdle
	}
}

// Wait runs a Recv or a Send of the call and returns its error. It returns apierror.ErrIdle when Run has given up: nothing of
// the call may be touched then.
func (b *Limit) Wait(client func() error) error {
	if b.timer == nil {
		b.timer = time.AfterFunc(b.idle, func() { close(b.expired) })
	} else {
		b.timer.Reset(b.idle)
	}
	err := client()
	if !b.timer.Stop() {
		return apierror.ErrIdle
	}
	return err
}

// Within gives the rest of a Wait another time: d from now on, or that of the limit if that is less. It is called by what the Wait
// runs. It returns apierror.ErrIdle when Run has given up.
func (b *Limit) Within(d time.Duration) error {
	if b.timer == nil || !b.timer.Stop() {
		return apierror.ErrIdle
	}
	b.timer.Reset(min(d, b.idle))
	return nil
}

// Send runs one Send of a call with a limit, for handlers that do nothing but send. After apierror.ErrIdle the call must end.
func Send(idle time.Duration, send func() error) error {
	b := NewLimit(idle)
	return b.Run(func() error { return b.Wait(send) })
}

// Panic is the text of a panic that is passed on, with its stack. It has no bytes of a tool, so that a log may have it.
type Panic string

// DescribePanic describes a panic without the bytes of a tool. Panics of the runtime have none in their text; any other value
// may have some, so only its type is named.
func DescribePanic(p any) string {
	switch p := p.(type) {
	case Panic:
		return string(p)
	case runtime.Error:
		return p.Error()
	}
	return fmt.Sprintf("a value of type %T", p)
}
