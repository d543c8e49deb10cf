package server

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolresult/toolresult/server/apierror"
)

// inbox are the messages of a stream, with a limit on the time between them. Nothing
// but the end of its call ends a Recv, so the handler must not be the one that waits
// in it: it waits for a goroutine that receives the messages and works on them, and
// returns without it when no message comes. To hand each message over to the handler
// would cost more than to receive it.
type inbox struct {
	idle   time.Duration
	timer  *time.Timer   // runs while await waits; nil before the first time
	silent chan struct{} // closed when it fires
}

func newInbox(idle time.Duration) *inbox {
	return &inbox{idle: idle, silent: make(chan struct{})}
}

// while does the work that takes the messages. It fails with errIdle when a message
// does not come in time: then the work is in await, and ends there with the call.
func (b *inbox) while(work func() error) error {
	type end struct {
		err      error
		panicked panicked // and where
	}
	done := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			if p := recover(); p != nil {
				e.panicked = panicked(fmt.Sprintf("%s\n%s", whatPanicked(p), debug.Stack()))
			}
			done <- e
		}()
		e.err = work()
	}()
	select {
	case e := <-done:
		if e.panicked != "" {
			panic(e.panicked) // to where panics of calls are recovered
		}
		return e.err
	case <-b.silent:
		return apierror.ErrIdle
	}
}

// await waits for the client: it receives a message, or sends one. It fails as that does, and
// with errIdle when the call was given up: nothing of the call may be touched any more then.
func (b *inbox) await(client func() error) error {
	if b.timer == nil {
		b.timer = time.AfterFunc(b.idle, func() { close(b.silent) })
	} else {
		b.timer.Reset(b.idle)
	}
	err := client()
	if !b.timer.Stop() {
		return apierror.ErrIdle
	}
	return err
}

// taken sends to a client that must take it in time. A Send waits for as long as the client leaves
// its window closed, and like a Recv it ends with its call alone; after errIdle the call must end.
func taken(idle time.Duration, send func() error) error {
	b := newInbox(idle)
	return b.while(func() error { return b.await(send) })
}
