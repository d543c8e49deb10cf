package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/rpc"
)

// Bounds of one stream. docs/reference/limits.md has the arithmetic.
const (
	maxCalls  = 64      // that have no answer yet; and the workers, but for one that reads
	keptIdle  = 4       // workers that wait for a message, and keep their stacks
	maxUnsent = 1 << 20 // bytes of answers that wait to be sent, from which on no call is taken
)

// stream is one ProjectSession call.
//
// A few workers take turns: one of them receives a message, lets another one receive the next, decodes its own and works on it, and
// sends the answer. A message that ends a call is read while others wait: for memory, for a place, and for calls that have no answer
// yet. So no message is handed from one goroutine to another on its way, and a worker keeps the stack that its first call grew.
// Answers are sent by one goroutine at a time: who finds that another sends leaves its answer to that.
//
// The handler itself only waits. A Recv or a Send ends with the stream and not before, so the handler must be able to return
// without those who wait in it.
type stream struct {
	service *Service
	wire    grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]
	calls   *rpc.Calls
	share   places // of its large calls
	id      string
	ctx     context.Context // of the stream; ends calls when the client is gone
	cancel  context.CancelFunc

	turn     chan struct{} // has an element when a worker may receive
	stopping chan struct{} // closed when no more calls are taken
	over     chan struct{} // closed when all calls are answered, or need no answer
	stall    *time.Timer   // runs while a message that has begun is received
	stalling bool          // it runs; of the worker that receives
	begun    atomic.Bool   // a message has, and is not received yet

	mu       sync.Mutex
	space    sync.Cond // signalled when an answer was sent, or no more calls are taken
	workers  int
	waiting  int                           // of them: for their turn
	underWay map[uint64]context.CancelFunc // calls whose answer is not being sent yet
	working  int                           // calls without an answer
	unsent   []unsent
	bytes    int   // of unsent
	holding  *call // whose message waits with memory that others need; nil: none does
	sending  bool
	since    time.Time // for how long it is sending, or has nothing under way
	stopped  bool
	broken   bool // nothing can be sent
	done     bool // over is closed
	err      error
	panicked idle.Panic
}

// unsent is an answer that waits for the one before.
type unsent struct {
	answer *pb.ProjectSessionResponse
	size   int // in bytes
}

// newStream returns a stream that takes no calls yet.
func newStream(s *Service, wire grpc.BidiStreamingServer[pb.ProjectSessionRequest, pb.ProjectSessionResponse]) *stream {
	t := &stream{
		service: s, wire: wire, share: newShare(), id: idOf(wire.Context()),
		turn: make(chan struct{}, 1), stopping: make(chan struct{}), over: make(chan struct{}),
		underWay: map[uint64]context.CancelFunc{}, since: time.Now(),
	}
	t.space.L = &t.mu
	t.ctx, t.cancel = context.WithCancel(wire.Context())
	t.calls = rpc.NewCalls(wire, t)
	return t
}

// run serves the stream until it ends, and returns its error.
func (t *stream) run() error {
	t.next()
	quiet := time.NewTimer(t.service.options.Idle)
	defer quiet.Stop()
	draining := t.service.options.Draining
	for {
		select {
		case <-t.over:
			if t.panicked != "" {
				panic(t.panicked) // the recovery interceptor takes it
			}
			return t.err
		case <-draining:
			draining = nil
			t.stop(apierror.Draining())
		case <-quiet.C:
			quiet.Reset(t.quiet())
		}
	}
}

// quiet ends a stream whose client is idle: it neither sends while nothing is under way, nor takes answers. It returns when to look
// again.
func (t *stream) quiet() time.Duration {
	t.mu.Lock()
	left := t.service.options.Idle
	if t.sending || t.rests() && !t.begun.Load() {
		left -= time.Since(t.since)
	}
	sending := t.sending
	t.mu.Unlock()
	if left > 0 {
		return left
	}
	if sending {
		t.breakOff(apierror.ErrIdle)
	} else {
		t.stop(apierror.ErrIdle)
	}
	return t.service.options.Idle
}

// rests reports whether nothing is under way. The caller holds mu.
func (t *stream) rests() bool { return t.working == 0 && len(t.unsent) == 0 && !t.sending }

// stop takes no more calls. The stream ends with err when those under way are answered; the first err counts.
func (t *stream) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopLocked(err)
}

// breakOff ends the stream without its answers: they cannot be sent.
func (t *stream) breakOff(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.breakLocked(err)
}

// stopLocked is stop for who holds mu.
func (t *stream) stopLocked(err error) {
	if !t.stopped {
		t.stopped, t.err = true, err
		close(t.stopping)
		t.space.Broadcast()
	}
	t.settle()
}

// breakLocked is breakOff for who holds mu.
func (t *stream) breakLocked(err error) {
	if !t.broken {
		t.broken = true
		if t.stopped { // the reason is this one: answers are missing
			t.err = err
		}
	}
	t.cancel()
	t.stopLocked(err)
}

// settle closes over when nothing is left to do. The caller holds mu.
func (t *stream) settle() {
	if t.stopped && !t.done && t.working == 0 && (t.broken || t.rests()) {
		t.done = true
		close(t.over)
	}
}

// next lets a worker receive the next message. It starts one if all others work.
func (t *stream) next() {
	t.mu.Lock()
	if t.waiting == 0 && t.workers <= maxCalls && !t.stopped {
		t.workers++
		go t.work()
	}
	t.mu.Unlock()
	t.turn <- struct{}{} // there is one turn, and the caller had it
}

// work is a worker.
func (t *stream) work() {
	var serving *call
	defer func() {
		if p := recover(); p != nil {
			t.failed(serving, idle.Panic(fmt.Sprintf("%s\n%s", idle.DescribePanic(p), debug.Stack())))
		}
	}()
	for t.takeTurn() {
		c := t.receive()
		if c == nil {
			break
		}
		t.next()
		serving = c
		answer := t.service.answer(c, t.id, t.share, func() { t.decoded(c) })
		serving = nil
		t.send(answer)
	}
	t.mu.Lock()
	t.workers--
	t.mu.Unlock()
}

// failed ends the stream for a panic outside of what the interceptors cover. serving is the call that was worked on; nil: none.
func (t *stream) failed(serving *call, p idle.Panic) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panicked == "" {
		t.panicked = p
	}
	if serving != nil {
		t.working--
		serving.drop()
	}
	t.breakLocked(errPanic)
}

// errPanic is the reason of a stream that ends with a panic, which is passed on.
var errPanic = errors.New("a worker panicked")

// takeTurn waits until the worker may receive. It reports false when it is not needed any more.
func (t *stream) takeTurn() bool {
	t.mu.Lock()
	if t.stopped || t.waiting >= keptIdle {
		t.mu.Unlock()
		return false
	}
	t.waiting++
	t.mu.Unlock()
	taken := false
	select {
	case <-t.turn:
		taken = true
	case <-t.stopping:
	}
	t.mu.Lock()
	t.waiting--
	t.mu.Unlock()
	return taken
}

// receive receives the next call. It returns nil when there are no more, or none is taken. While none may be taken it receives little
// messages still, until one of them is a call.
func (t *stream) receive() *call {
	for {
		m := &pb.ProjectSessionRequest{}
		message, err := t.calls.Receive(m, t.waitForSpace)
		t.begun.Store(false)
		var c *call
		var isCancel bool
		if err == nil {
			if c, isCancel, err = callOf(message, m); err != nil {
				err = t.invalid(message, err)
			}
		}
		switch {
		case isCancel:
			message.Drop()
			t.end(c.number)
			continue
		case errors.Is(err, io.EOF):
			t.stop(nil)
			return nil
		case err != nil:
			if c = rejected(err); c == nil {
				t.stop(err)
				return nil
			}
		}
		if t.waitForSpace() && t.begin(c) {
			return c
		}
		c.drop()
		return nil
	}
}

// invalid returns the error of a message that cannot be decoded, as decoding it says it.
func (t *stream) invalid(message *rpc.Message, err error) error {
	release, why := message.Decode(t.ctx)
	if why == nil {
		release()
		return err
	}
	return why
}

// waitForSpace waits until a call may be taken. It reports false when none is taken any more.
func (t *stream) waitForSpace() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.stopped && (t.working+len(t.unsent) >= maxCalls || t.bytes >= maxUnsent || t.holding != nil) {
		t.space.Wait()
	}
	return !t.stopped
}

// decoded notes that the message of a call does not wait any more.
func (t *stream) decoded(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holding == c {
		t.holding = nil
		t.space.Signal()
	}
}

// begin begins a call. It reports false when none is taken any more, or when its number is taken, which ends the stream: two
// answers with one number would say nothing.
func (t *stream) begin(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return false
	}
	if t.underWay[c.number] != nil {
		t.stopLocked(numberTaken())
		return false
	}
	if d := t.service.options.Deadline; d > 0 {
		c.ctx, c.cancel = context.WithTimeout(t.ctx, d)
	} else {
		c.ctx, c.cancel = context.WithCancel(t.ctx)
	}
	t.underWay[c.number] = c.cancel
	t.working++
	if c.message != nil && !c.message.SetAside() {
		t.holding = c
	}
	return true
}

// end ends the work on a call, if it is under way.
func (t *stream) end(number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cancel := t.underWay[number]; cancel != nil {
		cancel()
	}
	if t.rests() {
		t.since = time.Now()
	}
}

// send sends an answer, and those that others leave meanwhile; or leaves it to who is sending.
func (t *stream) send(a *pb.ProjectSessionResponse) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.working--
	if t.sending {
		size := proto.Size(a)
		t.unsent, t.bytes = append(t.unsent, unsent{a, size}), t.bytes+size
		t.settle()
		return
	}
	t.sending = true
	for a != nil && !t.broken {
		t.transmit(a)
		a = nil
		if len(t.unsent) > 0 {
			a, t.bytes = t.unsent[0].answer, t.bytes-t.unsent[0].size
			t.unsent = slices.Delete(t.unsent, 0, 1)
		}
	}
	t.sending, t.since = false, time.Now()
	t.settle()
}

// transmit sends an answer. The caller holds mu, which is free meanwhile. From its answer on the client may use a number again.
func (t *stream) transmit(a *pb.ProjectSessionResponse) {
	delete(t.underWay, a.GetNumber())
	t.since = time.Now()
	err := func() error {
		t.mu.Unlock()
		defer t.mu.Lock()
		return t.wire.Send(a)
	}()
	if err != nil {
		t.breakLocked(err)
	}
	t.space.Signal()
}

// Within bounds how long the client may stop in the middle of a message, see package idle: the stream ends when the time is over.
// The worker that receives calls it; the longest time is that of the rest of its work, which is not the client's.
func (t *stream) Within(d time.Duration) error {
	if t.stalling && !t.stall.Stop() {
		return apierror.ErrIdle
	}
	if t.stalling = d != math.MaxInt64; !t.stalling {
		return nil
	}
	t.begun.Store(true)
	if t.stall == nil {
		t.stall = time.AfterFunc(d, func() { t.stop(apierror.ErrIdle) })
	} else {
		t.stall.Reset(d)
	}
	return nil
}
