package artifactapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/redaction"
)

// This file serves AppendLog. A call has three goroutines: one receives and appends, one syncs, one sends answers. They share a
// wish to sync and the newest answer, each in a channel of one element, where a newer one replaces an older one: so neither a
// slow disk nor a client that does not read can make the others wait, and no queue grows.

// logs has what AppendLog needs of the server.
type logs struct {
	store    logStore
	every    time.Duration   // between two syncs; 0: only on request
	idle     time.Duration   // that the last answers may wait for a client to take them
	draining <-chan struct{} // closed when calls are to end
	secrets  *redaction.Secrets
	patterns *redact.Patterns // nil when they are off
	begun    *beginnings
	logger   *slog.Logger
}

// logStore keeps logs.
type logStore interface {
	artifactstore.Source
	OpenLog(ctx context.Context, o catalog.Owner, name string) (artifactstore.Log, error)
}

// appendLogCall is the stream of an AppendLog call.
type appendLogCall = grpc.BidiStreamingServer[pb.AppendLogRequest, pb.AppendLogResponse]

// AppendLog writes a log that grows.
func (a *service) AppendLog(call appendLogCall) error { return a.logs.serve(call) }

// serve serves one call. It receives, syncs and sends in a goroutine each, so that a slow disk does not keep the client from
// sending, nor a client that does not read its answers the log from becoming durable.
func (l logs) serve(call appendLogCall) error {
	first, err := call.Recv()
	if err != nil {
		return apierror.FromReceive(err)
	}
	log, err := l.open(call.Context(), first.GetHeader())
	if err != nil {
		return err
	}
	a := &appending{
		logs: l, call: call, log: log, broken: make(chan error, 1),
		wishes: make(chan struct{}, 1), answers: make(chan *pb.AppendLogResponse, 1),
	}
	var sending, syncing sync.WaitGroup
	stop := make(chan struct{})
	sending.Go(func() { a.guard(a.send) })
	a.answer(log.Durable())
	syncing.Go(func() { a.guard(func() { a.sync(stop) }) })
	finished, err := a.receive()
	close(stop)
	syncing.Wait() // before end, which syncs by itself and answers last
	last, err := a.end(finished, first.GetHeader().GetCall(), err)
	close(a.answers)
	return idle.Send(l.idle, func() error {
		sending.Wait()
		if err != nil {
			return err
		}
		return call.Send(last)
	})
}

// open checks the header and opens its log. at_byte is the position at which the client goes on; one that is not the end of the
// log is rejected with the end, and 0 appends wherever the log ends. A log that does not exist is only made for 0.
func (l logs) open(ctx context.Context, header *pb.LogHeader) (*redactedLog, error) {
	if header == nil {
		return nil, apierror.StreamOrder("the first message is the header")
	}
	if err := identity.ConfineCall(ctx, &header.Call); err != nil {
		return nil, err
	}
	check := envelope.NewChecker("header")
	check.Name("call.session_id", header.GetCall().GetSessionId(), true)
	check.CallID("call.call_id", header.GetCall().GetCallId(), true)
	check.Name("call.agent_id", header.GetCall().GetAgentId(), false)
	check.Name("name", header.GetName(), false)
	check.Length("require_set", header.GetRequireSet(), redaction.MaxSetID)
	if err := check.Err(); err != nil {
		return nil, err
	}
	values, err := l.secrets.Values(header.GetCall().GetSessionId(), header.GetRequireSet())
	if err != nil {
		return nil, err
	}
	r := redaction.NewPass(redact.Options{Values: values, Patterns: l.patterns})
	r.CheckCall(check, header.GetCall())
	r.CheckName(check, "name", header.GetName())
	if err := check.Err(); err != nil {
		return nil, err
	}
	name := artifactstore.LogName(header.GetCall().GetSessionId(), header.GetCall().GetCallId(), header.GetName())
	shown, err := l.shown(ctx, header, name)
	if err != nil {
		return nil, err
	}
	log, err := l.store.OpenLog(ctx, catalog.Owner{Session: header.GetCall().GetSessionId(), Call: header.GetCall().GetCallId()}, name)
	if err != nil {
		return nil, err
	}
	if at := header.GetAtByte(); at > 0 && at != uint64(log.Received()) {
		return nil, errors.Join(apierror.LogOffsetMismatch(log.Received()), log.Close())
	}
	if dropped := log.Dropped(); dropped > 0 {
		l.logger.WarnContext(ctx, "the end of a log was cut off: nothing vouched for it after a crash", "log", log.Path(), "bytes", dropped)
	}
	return newRedactedLog(log, r.Options, shown, l.begun.take(log.Path(), log.Received())), nil
}

// shown returns the end of a log that a call goes on with; nil without one. A call that goes on at a position of a log that
// does not exist is rejected, before anything is made for it.
func (l logs) shown(ctx context.Context, header *pb.LogHeader, name string) ([]byte, error) {
	pages, err := l.store.Pages(ctx, artifactstore.LiveName(name))
	switch {
	case errors.Is(err, artifactstore.ErrUnknown) && header.GetAtByte() > 0:
		return nil, apierror.LogOffsetMismatch(0)
	case errors.Is(err, artifactstore.ErrUnknown):
		return nil, nil
	case err != nil && header.GetAtByte() > 0:
		return nil, err
	case err != nil:
		return nil, nil // OpenLog says what is wrong
	}
	defer pages.Close() // read-only
	end, err := pages.Read(nil, pages.Size()-shownBefore, pages.Size())
	if err != nil {
		return nil, nil // it is damaged, which is for OpenLog to find
	}
	return end, nil
}

// appending is one AppendLog call.
type appending struct {
	logs
	call    appendLogCall
	log     *redactedLog
	wishes  chan struct{}              // to sync; one is for all that were not begun
	answers chan *pb.AppendLogResponse // to send; the newest is for all
	broken  chan error                 // the first failure of syncing or of a panic
}

// receive appends what the client sends, until the client finishes, fails or disconnects, or the server drains.
func (a *appending) receive() (finished bool, err error) {
	type received struct {
		message *pb.AppendLogRequest
		err     error
	}
	in, done := make(chan received), make(chan struct{})
	defer close(done)
	go a.guard(func() {
		for {
			m, err := a.call.Recv() // the end of the call ends it
			select {
			case in <- received{m, err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	})
	for {
		select {
		case r := <-in:
			if errors.Is(r.err, io.EOF) { // without a finish: the log stays, and another call may go on with it
				return false, nil
			}
			if r.err != nil {
				return false, r.err
			}
			if finished, err := a.take(r.message); finished || err != nil {
				return finished, err
			}
		case err := <-a.broken:
			return false, err
		case <-a.draining:
			return false, apierror.Draining()
		}
	}
}

// guard turns a panic into a failure of the call: in a goroutine of ours the recovery interceptor would not see it, and the
// process would end.
func (a *appending) guard(work func()) {
	defer func() {
		if p := recover(); p != nil {
			select {
			case a.broken <- fmt.Errorf("panic: %s\n%s", idle.DescribePanic(p), debug.Stack()):
			default: // the call has failed already
			}
		}
	}()
	work()
}

// take handles one message.
func (a *appending) take(m *pb.AppendLogRequest) (finished bool, err error) {
	switch m := m.GetMessage().(type) {
	case *pb.AppendLogRequest_Data:
		return false, a.log.Append(m.Data)
	case *pb.AppendLogRequest_Sync:
		select {
		case a.wishes <- struct{}{}:
		default: // a wish that was not begun covers this one
		}
		return false, nil
	case *pb.AppendLogRequest_Finish:
		return true, nil
	}
	return false, apierror.StreamOrder("the header comes once, and then data, syncs and a finish")
}

// sync makes the log durable from time to time, and when the client asks for it.
func (a *appending) sync(stop <-chan struct{}) {
	var tick <-chan time.Time
	if a.every > 0 {
		ticker := time.NewTicker(a.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	settle := time.NewTicker(settleEvery) // for bytes that the redactor keeps back
	defer settle.Stop()
	before, owed := a.log.Durable(), false // owed: an answer to a wish from a time when the redactor kept bytes back
	for {
		asked := false // this round answers a wish
		select {
		case <-stop:
			return
		case <-a.wishes:
			asked = true
		case <-tick: // answered only if it made more durable
		case <-settle.C:
			if err := a.log.settle(); err != nil {
				a.broken <- err
				return
			}
			if asked = owed && !a.log.waits(); !asked {
				continue
			}
		}
		durable, err := a.log.Sync()
		if err != nil {
			a.broken <- err
			return
		}
		if asked || durable > before {
			a.answer(durable)
		}
		before, owed = durable, (owed || asked) && a.log.waits()
	}
}

// answer sends the state of the log. It replaces an answer that is not sent yet.
func (a *appending) answer(durable int64) {
	select {
	case <-a.answers:
	default:
	}
	a.answers <- a.state(durable)
}

// state returns the answer for a log: its path, the bytes received, and those of them that survive a power cut.
func (a *appending) state(durable int64) *pb.AppendLogResponse {
	return &pb.AppendLogResponse{Path: a.log.Path(), ReceivedBytes: uint64(a.log.Received()), DurableBytes: uint64(durable)}
}

// send sends the answers.
func (a *appending) send() {
	for answer := range a.answers { // until serve closes it
		_ = a.call.Send(answer) // a client that is gone is for receive to notice
	}
}

// end ends the call: with an artifact if the client finished, and otherwise with every received byte made durable, whatever the
// reason, since another call may go on with the log. It returns the last answer.
func (a *appending) end(finished bool, owner *pb.CallReference, why error) (*pb.AppendLogResponse, error) {
	defer a.log.Close() // the bytes were synced
	if !finished {
		begun, err := a.log.flush()
		if why == nil {
			why = err
		}
		a.begun.keep(a.log.Path(), a.log.Received(), begun)
		durable, err := a.log.Sync()
		if why == nil {
			why = err
		}
		if err == nil {
			a.answer(durable) // also to a client that is rejected
		}
		return a.state(durable), why
	}
	ref, err := a.log.Finish(context.WithoutCancel(a.call.Context())) // asked for, even if the client has disconnected since
	if err != nil {
		return nil, err
	}
	last := a.state(a.log.Durable())
	last.Artifact = &pb.ArtifactEntry{
		Path: ref.Path, Bytes: uint64(ref.Size), Digest: ref.Digest, CallId: owner.GetCallId(),
		State: pb.ArtifactState_ARTIFACT_STATE_STORED,
	}
	return last, nil
}
