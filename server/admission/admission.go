// Package admission bounds the memory of the calls that a server works on. A call reserves what its work takes at the most
// before its message is read, and waits for others to end where that is not free. So the memory of a server does not depend on
// what callers send, nor on how many of them there are.
//
// There are lanes, each with a first-in first-out queue. A call takes from them in one order, and while it waits for the work lane
// it holds nothing of that, so that no two calls wait for each other:
//
//	messages that are read, and what streams have sent; or calls with little
//	messages of calls of a stream that were read, and whose work has not begun
//	the messages inside of a message of a stream
//	the work of calls, and of streams that end
//	large answers, until they are sent
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
	perByte       = 8                // of a message: as it is sent, decoded, redacted, in its readable form, and its lines
	perWholeByte  = 4                // of a stream that is read whole: the same, without the message
	perStreamByte = 2                // of a message that is read: as it is sent, and decoded
	perAnswerByte = 2                // of an answer: as it is read, and encoded
	perElement    = 256              // of a message in a message, decoded
	perLine       = 300              // of a line that may be shown: its place, its rank and its text
	littleExtra   = 256 << 10        // of messages inside, which are counted with the bytes of a message
	usualLines    = 8 << 10          // of a payload, which are counted with its bytes
	mostLines     = 128 << 10        // of a payload that are kept, whatever the budget (preview.Writer)
	freePreviews  = 1 << 20          // of the previews of the streams of a call, with a usual budget
	maxPatience   = 10 * time.Second // for which a call waits, and no longer than half of its deadline
	endPatience   = time.Minute      // the same, once streams have been received
)

// Memory is the memory that calls may take at once. It is safe for concurrent use. A nil Memory bounds nothing.
type Memory struct {
	limit                                                                int64
	work, little, messages, ahead, elements, answers, streams, histories lane
}

// NewMemory returns a Memory of some bytes for the work of calls. The other lanes have a half to an eighth of that.
func NewMemory(limit int64) *Memory {
	of := func(share int64) lane { return lane{limit: limit / share} }
	return &Memory{limit: limit, work: of(1), little: of(4), messages: of(4), ahead: of(8), elements: of(8), answers: of(8), streams: of(4), histories: of(2)}
}

// LittleMessage is the size of a message of a call with little, in bytes.
const LittleMessage = 4 << 10

// Little reserves the memory of a unary call with a message of at most LittleMessage bytes. The caller must call release when the
// call is over. The error is that of a server that is busy for longer than calls wait, or that of the context.
func (m *Memory) Little(ctx context.Context) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.little, perCall+perByte*LittleMessage)
}

// Call reserves the memory of a unary call with any other message.
func (m *Memory) Call(ctx context.Context, w Weight) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.work, perCall+perByte*w.Bytes+perElement*w.Elements+perLine*w.Lines())
}

// Message reserves the memory of a message of a stream of size bytes, until it is worked on.
func (m *Memory) Message(ctx context.Context, size int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.messages, perStreamByte*size)
}

// Ahead reserves the memory of a message of size bytes that was read and waits for the memory of its work. It does not wait: ok is false
// if others have that memory.
func (m *Memory) Ahead(size int64) (release func(), ok bool) {
	if m == nil {
		return func() {}, true
	}
	if !m.ahead.try(size) {
		return nil, false
	}
	return sync.OnceFunc(func() { m.ahead.give(size) }), true
}

// Whole reserves the memory for the work on size bytes that are read from the store, and on a message beside them.
func (m *Memory) Whole(ctx context.Context, size int64, w Weight) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	return m.reserveWithin(ctx, endPatience, &m.work, perCall+perWholeByte*size+perByte*w.Bytes+perLine*w.Lines())
}

// Elements reserves the memory of the messages that a message of a stream has inside.
func (m *Memory) Elements(ctx context.Context, n int64) (release func(), err error) {
	if m == nil || n*perElement <= littleExtra {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.elements, n*perElement)
}

// LittleAnswer is the size of an answer of a call with little, in bytes.
const LittleAnswer = 32 << 10

// Answer reserves the memory of an answer of at most size bytes, until it is sent. A call asks for it last of all.
func (m *Memory) Answer(ctx context.Context, size int64) (release func(), err error) {
	if m == nil || size <= LittleAnswer {
		return func() {}, nil
	}
	return m.reserve(ctx, &m.answers, perAnswerByte*size)
}

// Reserved returns the bytes that are reserved now.
func (m *Memory) Reserved() (n int64) {
	if m == nil {
		return 0
	}
	for _, l := range []*lane{&m.work, &m.little, &m.messages, &m.ahead, &m.elements, &m.answers, &m.streams, &m.histories} {
		n += l.reserved()
	}
	return n
}

// errBusy means that others kept the memory for longer than a call waits.
var errBusy = errors.New("busy")

// reserve reserves n bytes of a lane. What takes more than all of it is worked on alone.
func (m *Memory) reserve(ctx context.Context, l *lane, n int64) (func(), error) {
	return m.reserveWithin(ctx, maxPatience, l, n)
}

// reserveWithin is reserve with a patience.
func (m *Memory) reserveWithin(ctx context.Context, patience time.Duration, l *lane, n int64) (func(), error) {
	n = min(n, l.limit)
	err := l.take(ctx, patience, n)
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
	limit   int64
	mu      sync.Mutex
	taken   int64
	waiting []*waiter
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

// take takes n bytes, which are not more than all. It waits until they are free, and no longer than a patience and half of
// what is left of a deadline: a caller that is rejected has time to try again.
func (l *lane) take(ctx context.Context, patience time.Duration, n int64) error {
	l.mu.Lock()
	if len(l.waiting) == 0 && l.taken+n <= l.limit {
		l.taken += n
		l.mu.Unlock()
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
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

// try takes n bytes if they are free.
func (l *lane) try(n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 || l.taken+n > l.limit {
		return false
	}
	l.taken += n
	return true
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

// Growing is memory that grows while a stream arrives. It is not safe for concurrent use.
type Growing struct {
	lane  *lane // nil: nothing is bounded
	free  int64 // bytes that are not counted
	limit int64 // that an error names
	taken int64
}

// Previews returns memory for the previews of a stream, of nothing yet. The first MiB is free.
func (m *Memory) Previews() *Growing {
	if m == nil {
		return &Growing{}
	}
	return &Growing{lane: &m.streams, free: freePreviews, limit: m.limit}
}

// History returns memory for a history that arrives in a stream, of nothing yet.
func (m *Memory) History() *Growing {
	if m == nil {
		return &Growing{}
	}
	return &Growing{lane: &m.histories, limit: m.limit}
}

// Grow makes it n bytes, if that is more than it is. It does not wait: a stream may last for hours, and so might those that it would
// wait for.
func (g *Growing) Grow(n int64) error {
	if n -= g.free; g.lane == nil || n <= g.taken {
		return nil
	}
	l := g.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken+n-g.taken > l.limit && l.taken > g.taken { // one alone may have all of it
		return apierror.InFlightBytes(g.limit)
	}
	l.taken, g.taken = l.taken+n-g.taken, n
	return nil
}

// Release gives it back.
func (g *Growing) Release() {
	if g.taken > 0 {
		g.lane.give(g.taken)
		g.taken = 0
	}
}
