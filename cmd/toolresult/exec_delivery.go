package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/spool"
)

// The output of a command is kept in a spool until it is delivered, and streamed to the sidecar while the command runs, so that
// little is left to do when it ends. The sidecar never stops the command: one that is dead or silent, or falls too far behind, is
// given up, and then the spool is printed as it was.

// Bounds of a delivery.
const (
	// maxInline is the largest size of a stream that is sent in one message, in bytes. A longer one is sent in chunks, while it
	// grows. Two streams of this size fit into a message of 4 MiB.
	maxInline = 1 << 20
	// chunkBytes is the size of a chunk, in bytes: small chunks cost a message each, and larger ones gain nothing more
	// (integration/bench).
	chunkBytes = 256 << 10
	// maxBehind is how many bytes a sidecar may be behind that takes nothing for a fifth of the patience.
	maxBehind = 64 << 20
	// drain is about how many bytes a sidecar takes in a second when the command has ended: of short lines, which take the most time.
	drain = 96 << 20
	// While it reads, a sidecar takes a processor from a command that writes as fast as it can. Until the command ends it gets no
	// more than burst for each second of the patience, and steady more for each second of the command.
	burst, steady = 128 << 20, 32 << 20
)

// limits are how long a delivery waits for its sidecar, after the end of the command. The command itself never waits.
type limits struct {
	starting time.Duration // until a sidecar serves; the other times begin then
	patience time.Duration // while the sidecar takes nothing and answers nothing
	perMiB   time.Duration // longer for each MiB of the output: an answer to more takes longer
	total    time.Duration // in all, for an output of more than maxBehind; 0: without a limit, as with --strict
	work     time.Duration // in all, for other outputs: on a machine that does much else they take longer
}

// strict reports whether the sidecar has all the time that it takes, and may be behind by any size.
func (l limits) strict() bool { return l.total == 0 }

// delivery is the output of a command on its way to a sidecar. Its methods are safe for concurrent use.
type delivery struct {
	limits
	target         *target
	req            *pb.ProjectRequest
	line           string // of the command
	spool          *spool.Spool
	stdout, stderr io.Writer  // where a receipt goes, and what we say
	raw            [2]*masked // where the output goes without a receipt, by stream
	why            func(reason string)
	shown          *progress // of the output; nil: none is shown

	ctx       context.Context // ends when the sidecar is given up
	cancel    context.CancelFunc
	untouched int64         // the size up to which an output needs no sidecar
	wanted    chan struct{} // closed when the output is larger than that
	isWanted  sync.Once
	large     chan struct{} // closed when a stream is too large for one message
	isLarge   sync.Once
	finished  chan struct{} // closed when the command has ended, and req is complete
	answered  chan struct{} // closed when resp, temporary and err are set

	serving atomic.Int64 // since when a sidecar serves, in nanoseconds since 1970; 0: none does yet

	live     atomic.Bool  // a sidecar that runs is sent the output while it grows
	embedded atomic.Bool  // the sidecar is one in this process
	sent     atomic.Int64 // bytes that the sidecar has taken
	busy     atomic.Int64 // since when it is waited for, in nanoseconds since 1970; 0: it waits for the command
	before   int64        // bytes that it had taken when the command ended
	taken    atomic.Int64 // when it took or answered something last, in nanoseconds since 1970
	begun    time.Time

	unread   [2]atomic.Bool // whether a stream has no reader any more
	passOnce sync.Once
	passed   chan struct{} // closed when the output is passed on

	resp      *pb.ProjectResponse
	temporary string // directory of an embedded store that is temporary
	err       error
}

// deliver begins to deliver. The request has no output yet. Close it.
func deliver(ctx context.Context, to *target, req *pb.ProjectRequest, line string, within limits) *delivery {
	d := &delivery{
		limits: within, begun: time.Now(), target: to, req: req, line: line, spool: spool.New(""), why: func(string) {},
		wanted: make(chan struct{}), large: make(chan struct{}), finished: make(chan struct{}), answered: make(chan struct{}), passed: make(chan struct{}),
	}
	d.printTo(io.Discard, io.Discard)
	d.ctx, d.cancel = context.WithCancel(ctx)
	return d
}

// start begins to deliver what is added.
func (d *delivery) start() {
	if d.untouched == 0 {
		d.isWanted.Do(func() { close(d.wanted) })
	}
	go func() {
		defer close(d.answered)
		d.resp, d.temporary, d.err = d.send()
		if d.err != nil {
			select {
			case <-d.finished: // who waits for the answer has the error
			default:
				d.giveUp(explain(d.err))
			}
		}
	}()
}

// close gives up what is not delivered, and releases the spool. It waits a moment for an embedded sidecar to leave no file behind.
func (d *delivery) close() {
	d.cancel()
	if d.embedded.Load() {
		select {
		case <-d.answered:
		case <-time.After(100 * time.Millisecond):
		}
	}
	_ = d.spool.Close() // it is read
}

// writer returns a writer of a stream of the command.
func (d *delivery) writer(stream spool.Stream) io.Writer { return &streamWriter{d, stream} }

// streamWriter adds to a stream.
type streamWriter struct {
	to     *delivery
	stream spool.Stream
}

// Write keeps the next bytes or, without a sidecar, passes them on. It fails only if nobody reads what is passed on: then the
// command learns it, as it would without us.
func (w *streamWriter) Write(p []byte) (int, error) {
	d := w.to
	if d.unread[w.stream].Load() {
		return 0, syscall.EPIPE
	}
	if err := d.spool.Add(w.stream, p); err != nil {
		if full, ok := errors.AsType[*spool.FullError](err); ok {
			d.giveUp(fmt.Sprintf("%v; TMPDIR names the directory", full))
			return len(p), nil
		}
		return 0, err
	}
	d.shown.grew()
	if d.spool.Total() > d.untouched {
		d.isWanted.Do(func() { close(d.wanted) })
	}
	if d.spool.Size(w.stream) > maxInline {
		d.isLarge.Do(func() { close(d.large) })
		d.checkPace()
	}
	return len(p), nil
}

// behind returns the number of bytes that a sidecar has not taken.
func (d *delivery) behind() int64 { return d.spool.Total() - d.sent.Load() }

// checkPace gives up a sidecar that is so far behind that it could not be ready in time when the command ends.
func (d *delivery) checkPace() {
	behind := d.behind()
	if d.strict() || behind <= maxBehind {
		return
	}
	busy := d.busy.Load() // 0 for a sidecar that is sent nothing yet
	if behind > int64(d.total.Seconds()*drain) || busy > 0 && time.Since(time.Unix(0, busy)) > d.patience/5 {
		d.giveUp(fmt.Sprintf("the sidecar is %d MiB behind", behind>>20))
	}
}

// giveUp gives the sidecar up and passes on the spool, and what is added from then on. It returns when that is done.
func (d *delivery) giveUp(reason string) {
	d.passOnce.Do(func() {
		d.cancel()
		d.why(reason)
		_ = d.spool.PassOn(d.raw[spool.Stdout], d.raw[spool.Stderr]) // where an error would be printed
		close(d.passed)
	})
	<-d.passed
}

// wait finishes the delivery with the output, and returns the answer, which is whole also when there is an error. Without one,
// giveUp passes the output on, if it is not done.
func (d *delivery) wait(output *pb.CompleteToolOutput) (*pb.ProjectResponse, error) {
	d.req.Output = output
	ended := time.Now()
	d.before = d.sent.Load()
	close(d.finished)
	d.spool.End()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-d.answered:
			return d.resp, d.err
		case <-d.ctx.Done():
			<-d.passed
			return nil, errPassedOn
		case <-timer.C:
			if d.ctx.Err() != nil {
				continue
			}
			if err := d.late(ended); err != nil {
				return nil, err
			}
			timer.Reset(25 * time.Millisecond)
		}
	}
}

// late returns an error when the sidecar is waited for no longer, after the end of the command.
func (d *delivery) late(ended time.Time) error {
	serving := time.Unix(0, d.serving.Load())
	if d.serving.Load() == 0 {
		if time.Since(ended) >= d.starting {
			return fmt.Errorf("no sidecar serves after %v", d.starting)
		}
		return nil
	}
	if serving.After(ended) {
		ended = serving
	}
	limit := d.patience + time.Duration(d.spool.Total()>>20)*d.perMiB
	if !d.strict() {
		allowed := max(d.patience, d.total)
		limit = min(limit, allowed)
		if d.spool.Total() <= maxBehind {
			allowed = max(allowed, d.work)
		}
		if needed := d.neededSince(ended); needed > allowed {
			return fmt.Errorf("the sidecar needs %v, and is %d MiB behind", needed.Round(time.Second/10), d.behind()>>20)
		}
	}
	if time.Since(d.silentSince(ended)) >= limit {
		return fmt.Errorf("the sidecar has not answered for %v", limit)
	}
	return nil
}

// neededSince returns how long the sidecar needs after the end of the command, by how fast it is since then.
func (d *delivery) neededSince(ended time.Time) time.Duration {
	took, taken := time.Since(ended), d.sent.Load()-d.before
	if took < d.patience/4 || taken <= 0 { // who takes nothing has its patience
		return took
	}
	return took + time.Duration(float64(took)*float64(d.behind())/float64(taken))
}

// silentSince returns since when the sidecar has taken and answered nothing, after the end of the command.
func (d *delivery) silentSince(ended time.Time) time.Time {
	since := ended
	if busy := d.busy.Load(); busy > 0 && !d.strict() && busy < ended.UnixNano() { // it was silent before the end, too
		since = time.Unix(0, busy)
	}
	if taken := time.Unix(0, d.taken.Load()); taken.After(since) {
		since = taken
	}
	return since
}

// errPassedOn means that the sidecar was given up before the command ended.
var errPassedOn = errors.New("the output is passed on")

// send sends the output until the sidecar has answered, or there is no use in another attempt.
func (d *delivery) send() (resp *pb.ProjectResponse, temporary string, err error) {
	select {
	case <-d.wanted:
	case <-d.finished:
	case <-d.ctx.Done():
		return nil, "", d.ctx.Err()
	}
	ready := d.prepare()
	defer ready.close()
	select {
	case <-d.large:
	case <-d.finished:
	case <-d.ctx.Done():
		return nil, "", d.ctx.Err()
	}
	for attempt := 1; ; attempt++ {
		c, err := d.connect(ready)
		if err == nil {
			d.sent.Store(0)
			temporary = c.temporary
			resp, err = d.project(c)
			err = errors.Join(err, c.close())
		}
		if err == nil || d.ctx.Err() != nil || resp != nil || !d.again(err, attempt) {
			return resp, temporary, err
		}
	}
}

// connect connects to the sidecar, if that was not done already.
func (d *delivery) connect(ready *prepared) (*connection, error) {
	if c := ready.take(); c != nil {
		d.live.Store(true)
		return d.use(c), nil
	}
	where, err := d.target.find(d.ctx)
	if err != nil || where.address == "" { // one in this process locks the store, and begins when all of the output is there
		d.live.Store(false)
		d.await()
		where, err = d.target.find(d.ctx)
	}
	if err != nil {
		return nil, err
	}
	d.embedded.Store(where.address == "")
	d.live.Store(where.address != "")
	c, err := d.target.connectAt(d.ctx, where)
	if err != nil {
		return nil, err
	}
	return d.use(c), nil
}

// use notes that a sidecar serves, which is called from now on.
func (d *delivery) use(c *connection) *connection {
	d.serving.CompareAndSwap(0, time.Now().UnixNano())
	go func() {
		select {
		case <-d.finished: // from then on an answer is waited for
			c.beat(d.ctx, d.patience, func() { d.taken.Store(time.Now().UnixNano()) })
		case <-d.ctx.Done():
		}
	}()
	return c
}

// await waits for the end of the command.
func (d *delivery) await() {
	d.busy.Store(0)
	select {
	case <-d.finished:
	case <-d.ctx.Done():
	}
}

// streamIdle is the reason of a stream that was silent for too long (docs/reference/errors.md).
var streamIdle = strings.TrimPrefix(pb.ErrorReason_ERROR_REASON_STREAM_IDLE.String(), "ERROR_REASON_")

// again waits until the call may be made again, and reports whether it may.
func (d *delivery) again(err error, attempt int) bool {
	d.busy.Store(0)
	st := status.Convert(err)
	var delay time.Duration
	asked := false
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *errdetails.RetryInfo:
			delay, asked = detail.GetRetryDelay().AsDuration(), true
		case *errdetails.ErrorInfo:
			if detail.GetReason() == streamIdle { // the command is silent
				d.await()
				asked = true
			}
		}
	}
	if !asked && (attempt > 1 || st.Code() != codes.Unavailable && st.Code() != codes.Aborted) {
		return false
	}
	select {
	case <-time.After(delay):
		return true
	case <-d.ctx.Done():
		return false
	}
}

// project projects the output: in one message, or with ProjectStream if a stream is too large. Both give the same receipt for the
// same bytes.
func (d *delivery) project(c *connection) (*pb.ProjectResponse, error) {
	select {
	case <-d.large:
		return d.projectStream(c)
	default:
	}
	d.busy.Store(time.Now().UnixNano())
	if err := d.fill(); err != nil {
		return nil, err
	}
	return c.Project(d.ctx, d.req)
}

// fill puts the bytes of the streams into the request, in the place of their names.
func (d *delivery) fill() error {
	bytes := map[string][]byte{}
	r, buf := d.spool.NewReader(), make([]byte, 32<<10)
	for {
		from, n, err := r.Read(buf)
		bytes[from.String()] = append(bytes[from.String()], buf[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	command := d.req.GetOutput().GetCommand()
	for _, p := range []*pb.Payload{command.GetStdout(), command.GetStderr(), command.GetCombinedOutput()} {
		if p.GetStream() != "" {
			p.Source = &pb.Payload_Inline{Inline: bytes[p.GetStream()]}
		}
	}
	return nil
}

// projectStream sends the streams while they grow.
func (d *delivery) projectStream(c *connection) (*pb.ProjectResponse, error) {
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	d.busy.Store(time.Now().UnixNano())
	call, err := c.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	r := d.spool.NewReader()
	defer context.AfterFunc(call.Context(), r.Stop)() // a call that has ended takes no more, and the answer says why
	if err := d.sendAll(call, r); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, spool.ErrStopped) {
		return nil, err
	}
	answer, err := call.Recv()
	if err != nil {
		return nil, err
	}
	// The call has ended when its status is read; until then the answer may be followed by an error.
	if _, err := call.Recv(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("after the answer: %w", err)
	}
	return answer.GetResult(), nil
}

// sendAll sends both streams, in the order in which they were written, and the finish. Sizes go with the finish, by which the
// sidecar finds out whether bytes were lost on the way.
func (d *delivery) sendAll(call pb.ToolResultService_ProjectStreamClient, r *spool.Reader) error {
	header := &pb.StreamHeader{
		Family: "command", Policy: d.req.GetPolicy(), Call: d.req.GetCall(), Streams: []string{spool.Stdout.String(), spool.Stderr.String()},
		KeepOrder: true, CommandLine: d.line, ToolName: toolName,
	}
	if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}}); err != nil {
		return err
	}
	buf := make([]byte, chunkBytes)
	for {
		d.busy.Store(0)
		d.pace()
		from, n, err := r.Read(buf)
		if n > 0 {
			chunk := &pb.StreamChunk{Stream: from.String(), Data: buf[:n]}
			d.busy.Store(time.Now().UnixNano())
			if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}}); err != nil {
				return err
			}
			d.sent.Add(int64(n))
			d.taken.Store(time.Now().UnixNano())
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	d.busy.Store(time.Now().UnixNano())
	finish := &pb.StreamFinish{Output: d.req.GetOutput(), StreamBytes: map[string]uint64{
		spool.Stdout.String(): uint64(d.spool.Size(spool.Stdout)), spool.Stderr.String(): uint64(d.spool.Size(spool.Stderr)),
	}}
	return call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: finish}})
}

// pace waits until the sidecar may take more, without harm to a command that writes as fast as it can.
func (d *delivery) pace() {
	for !d.strict() {
		allowed := d.patience.Seconds()*burst + time.Since(d.begun).Seconds()*steady
		over := float64(d.sent.Load()) - allowed
		if over <= 0 {
			return
		}
		select {
		case <-time.After(time.Duration(over / steady * float64(time.Second))):
		case <-d.finished:
			return
		case <-d.ctx.Done():
			return
		}
	}
}
