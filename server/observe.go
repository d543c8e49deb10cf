package server

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/server/metrics"
)

// observed is what is remembered of a projection for Metrics.
type observed struct {
	left preview.Counts
}

// leaves is where a projector counts what it leaves out; nil when nobody asks.
func (p *projection) leaves() *preview.Counts {
	if p.service.metrics == nil {
		return nil
	}
	return new(preview.Counts)
}

// fitted takes what a projection within a budget has counted.
func (p *projection) fitted(left *preview.Counts) {
	if left != nil {
		p.left = *left
	}
}

// tell tells Metrics of an answer.
func (p *projection) tell(ctx context.Context, resp *pb.ProjectResponse) {
	if p.service.metrics != nil {
		p.service.metrics.Projected(ctx, p.facts(resp))
	}
}

func (p *projection) facts(resp *pb.ProjectResponse) *metrics.Projected {
	facts := &metrics.Projected{
		Began: p.began, Family: p.family.Name, Failed: resp.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR,
		Bytes: p.outputBytes(), Receipt: int64(resp.GetReceipt().GetTokens()), Cuts: map[pb.CutKind]metrics.Cuts{}, Left: p.left,
	}
	// The receipt is text of the same kind, and its tokens are known: no text is counted for this.
	if text := int64(len(resp.GetReceipt().GetText())); text > 0 {
		facts.Tokens = (facts.Bytes*facts.Receipt + text/2) / text
	}
	for _, m := range p.registry.Messages(resp.GetCanonical()) {
		envelope.Walk("", m, func(_ string, m protoreflect.Message) { facts.AddLedger(m) })
	}
	for i, path := range facts.Artifacts {
		facts.Artifacts[i], _ = p.store.Resolve(path) // it is one of the store's own
	}
	for _, r := range resp.GetRedactions() {
		facts.AddRedaction(p.redactions, r)
	}
	return facts
}

// outputBytes is the size of the complete output as it came: the message, and what came
// beside it.
func (p *projection) outputBytes() int64 {
	n := int64(proto.Size(p.req.GetOutput()))
	for _, s := range p.streams {
		if s.Original != nil {
			n += s.Original.Size()
		} else {
			n += s.Blob.Size()
		}
	}
	return n
}

func compactedOf(plan *compactor.Plan) metrics.Compacted {
	c := metrics.Compacted{Results: int64(len(plan.Results)), Before: int64(plan.Before), After: int64(plan.After)}
	for i := range plan.Results {
		if plan.Results[i].Changed {
			c.Changed++
		}
	}
	return c
}

// watched is a store whose puts Metrics is told of.
func watched(s store, m metrics.Reporter) store {
	if m == nil {
		return s
	}
	return watchedStore{s, m}
}

type watchedStore struct {
	store
	metrics metrics.Reporter
}

// SinkFor returns the sink of an owner.
func (w watchedStore) SinkFor(o catalog.Owner) artifactstore.Sink {
	return watchedSink{w.store.SinkFor(o), w.metrics}
}

type watchedSink struct {
	artifactstore.Sink
	metrics metrics.Reporter
}

// Put puts a blob.
func (w watchedSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	began := time.Now()
	ref, err := w.Sink.Put(ctx, b)
	w.metrics.Put(ctx, b.Size(), began, err)
	return ref, err
}

// State is how much of everything there is at one moment.
type State struct {
	Artifacts, ArtifactBytes    int64            // in the books
	QuotaBytes                  int64            // 0: none
	Waiting                     map[string]int64 // records that wait to be made durable, by store
	ObjectStore                 bool             // there is one
	PendingArtifacts            int64            // in the spool alone
	PendingBytes                int64
	OpenUnary, OpenStreams      int64 // calls in flight
	InFlightBytes, MaxInFlight  int64
	Connections, MaxConnections int64
}

// State returns how much there is now. It may be called at any time after New, also
// when the server is closed.
func (s *Server) State() State {
	status := s.catalog.Status()
	load := s.calls.Load()
	now := State{
		Artifacts: status.Artifacts, ArtifactBytes: status.Bytes, QuotaBytes: s.config.StoreQuota, Waiting: map[string]int64{metrics.CatalogStore: s.catalog.Waiting(), metrics.AuditStore: s.audit.Waiting()},
		OpenUnary: load.Unary, OpenStreams: load.Streams,
		InFlightBytes: load.Bytes, MaxInFlight: s.config.MaxInFlightBytes,
		Connections: int64(len(s.slots)), MaxConnections: int64(s.config.MaxConnections),
	}
	if s.objects != nil {
		o := s.objects.Status()
		now.ObjectStore, now.PendingArtifacts, now.PendingBytes = true, int64(o.PendingArtifacts), int64(o.PendingBytes)
	}
	return now
}
