// Package admission bounds the memory of the calls that a server works on. A call reserves what its work takes at the most
// before its message is read, and waits for others to end where that is not free. So the memory of a server does not depend on
// what callers send, nor on how many of them there are.
//
// There are three lanes, each with a first-in first-out queue. Calls with little never wait for calls with much, and what waits
// in one lane holds nothing in a lane that comes after it, so that no two calls wait for each other:
//
//	messages of streams, then the work of calls and of finished streams
//	calls with little
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/toolresult/toolresult/server/apierror"
)

// What a call takes, in bytes of memory. docs/reference/limits.md has the measurements: no shape of an output that the search of
// costs finds takes more.
const (
	perCall       = 64 << 10
	perByte       = 8 // of a message: as it is sent, decoded, redacted, in its readable form, and its lines
	perWholeByte  = 4 // of a stream that is read whole: the same, without the message
	perStreamByte = 2 // of a message of a stream: as it is sent, and decoded
	littleMessage = 16 << 10
	littleShare   = 4                // of the limit, for calls with little
	messagesShare = 4                // of the limit, for messages of streams
	maxPatience   = 10 * time.Second // for which a call waits, and no longer than half of its deadline
)

// Memory is the memory that calls may take at once. It is safe for concurrent use. A nil Memory bounds nothing.
type Memory struct {
	limit                  int64
	work, little, messages lane
}

// NewMemory returns a Memory of some bytes for the work of calls, and a half of that for calls with little and for messages
// of streams.
func NewMemory(limit int64) *Memory {
	return &Memory{
		limit: limit, work: lane{limit: limit, patience: maxPatience},
		little: lane{limit: limit / littleShare, patience: maxPatience}, messages: lane{limit: limit / messagesShare, patience: maxPatience},
	}
}

// Call reserves the memory of a unary call with a message of size bytes. The caller must call release once when the call is
// over. The error is that of a server that is busy for longer than calls wait, or that of the context.
func (m *Memory) Call(ctx context.Context, size int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	if size <= littleMessage {
		return m.reserve(ctx, &m.little, perCall+perByte*size)
	}
	return m.reserve(ctx, &m.work, perCall+perByte*size)
}

// Message reserves the memory of a message of a stream of size bytes, until it is worked on.
func (m *Memory) Message(ctx context.Context, size int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.messages, perStreamByte*size)
}

// Whole reserves the memory for the work on size bytes of streams that are read whole, and on a message of
// another size.
func (m *Memory) Whole(ctx context.Context, size, message int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.work, perCall+perWholeByte*size+perByte*message)
}

// Reserved returns the bytes that are reserved now.
func (m *Memory) Reserved() int64 {
	if m == nil {
		return 0
	}
	return m.work.reserved() + m.little.reserved() + m.messages.reserved()
}

// errBusy means that others kept the memory for longer than a call waits.
var errBusy = errors.New("busy")

// reserve reserves n bytes of a lane. What takes more than all of it is worked on alone.
func (m *Memory) reserve(ctx context.Context, l *lane, n int64) (func(), error) {
	n = min(n, l.limit)
	err := l.take(ctx, n)
	if errors.Is(err, errBusy) {
		return nil, apierror.InFlightBytes(m.limit)
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { l.give(n) }), nil
}

// lane is memory with a queue of those who wait for it, the first of whom is served first, however much it wants: what is
// large is not overtaken for ever.
type lane struct {
	limit    int64
	patience time.Duration
	mu       sync.Mutex
	taken    int64
	waiting  []*waiter
}

// waiter waits for n bytes.
type waiter struct {
	n     int64
	ready chan struct{} // closed once it has them
}

// reserved returns the bytes that are taken.
func (l *lane) reserved() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// take takes n bytes, which are not more than all. It waits until they are free, and no longer than its patience and half of
// what is left of a deadline: a caller that is rejected has time to try again.
func (l *lane) take(ctx context.Context, n int64) error {
	l.mu.Lock()
	if len(l.waiting) == 0 && l.taken+n <= l.limit {
		l.taken += n
		l.mu.Unlock()
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	patience := l.patience
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline)/2)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.ready:
		return nil
	case <-timer.C:
		return l.leave(w, errBusy)
	case <-ctx.Done():
		return l.leave(w, ctx.Err())
	}
}

// leave takes a waiter out of the queue, and returns why. One that was served in the meantime has its bytes.
func (l *lane) leave(w *waiter, why error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, w)
	if i < 0 {
		return nil
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.serve() // it may have been in the way of those behind it
	return why
}

// give gives n bytes back.
func (l *lane) give(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken -= n
	l.serve()
}

// serve lets in those at the head of the queue whose memory is free.
func (l *lane) serve() {
	for len(l.waiting) > 0 && l.taken+l.waiting[0].n <= l.limit {
		l.taken += l.waiting[0].n
		close(l.waiting[0].ready)
		l.waiting = slices.Delete(l.waiting, 0, 1)
	}
}
