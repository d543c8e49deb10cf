package pipeline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/ingest"
)

// keepTimeout bounds what is stored of a call that is over.
const keepTimeout = 10 * time.Second

// checkAbort checks what is to become of streams whose call ends without its finish.
func checkAbort(check envelope.Checker, header *pb.StreamHeader) {
	switch header.GetOnAbort() {
	case pb.AbortPolicy_ABORT_POLICY_UNSPECIFIED:
	case pb.AbortPolicy_ABORT_POLICY_KEEP:
		if header.GetCall() == nil { // a call that there is has been checked
			check.Fail("call.session_id", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required to keep what came")
		}
	default:
		check.Fail("on_abort", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no policy that this server knows")
	}
}

func (a *arrival) keepsOnAbort() bool {
	return a.header.GetOnAbort() == pb.AbortPolicy_ABORT_POLICY_KEEP
}

// stageContext bounds the life of a stage: the call, unless the streams are stored when
// the call is over. A stage fails for good when it is written to after its context.
func (a *arrival) stageContext() context.Context {
	if a.keepsOnAbort() {
		return context.WithoutCancel(a.ctx)
	}
	return a.ctx
}

// end gives back what the streams hold; what was put stays.
func (a *arrival) end() {
	if a.keepsOnAbort() && !a.answered {
		a.keep()
	}
	a.order.Discard()
	for _, in := range a.streams {
		in.Discard()
	}
	for _, spool := range a.joined {
		spool.Discard()
	}
}

// keep stores the streams of a call that ends without its answer. The context of the
// call is over by then as a rule, so this has one of its own.
func (a *arrival) keep() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), keepTimeout)
	defer cancel()
	call, kept, streams := a.header.GetCall(), map[string]int64{}, map[string]ingest.Payload{}
	logger := a.pipeline.Logger.With("session", call.GetSessionId(), "call", call.GetCallId(), "request_id", identity.RequestID(ctx))
	store := func(name string, blob artifactstore.Blob, err error) (bytes int64) {
		if err == nil && blob != nil && blob.Size() > 0 {
			bytes, err = blob.Size(), a.pipeline.storePartial(ctx, call, blob)
		}
		if err != nil {
			logger.WarnContext(ctx, "a stream of a call without its finish was not kept", "stream", name, "bytes", bytes, "error", err)
			return 0
		}
		return bytes
	}
	for _, name := range slices.Sorted(maps.Keys(a.streams)) {
		in := a.streams[name]
		err := in.Flush(func(ready [][]byte) error { return a.order.Fill(in.name, in.Waiting(), ready) })
		stream, failed := in.Seal()
		streams[name] = stream
		if n := store(name, stream.Blob, errors.Join(err, failed)); n > 0 {
			kept[name] = n
		}
	}
	order, err := a.order.Interleaved(streams)
	logger.InfoContext(ctx, "kept what came of a call without its finish",
		"stream_bytes", kept, "in_order_bytes", store("", order.Blob, err))
}

// storePartial stores the beginning of something whose call is over.
func (p *Pipeline) storePartial(ctx context.Context, call *pb.CallReference, blob artifactstore.Blob) error {
	owner := Owner(call)
	owner.Partial = true
	_, err := p.Store.SinkFor(owner).Put(ctx, blob)
	return err
}
