package server

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Metrics is told what the server does, from many goroutines, and must not keep it
// waiting. A nil Metrics is told nothing, and nothing is done for it.
//
// What it is told are numbers, and names of closed sets: methods and codes, families,
// kinds and reasons of the contract. No text of a tool, a caller or a file is among
// them, so that none can end up in a label; the one exception is the name of an
// artifact, to be compared with others and not to be passed on.
type Metrics interface {
	// Call is told of a call when it is over.
	Call(method string, code codes.Code, elapsed time.Duration)
	// Projected is told of an output that was projected, when its answer is ready.
	// Snapshots of a stream are not among them.
	Projected(ctx context.Context, p *Projected)
	// Compacted is told of a compaction that was no dry run.
	Compacted(c Compacted)
	// Read is told of a page that was read of an artifact.
	Read(r Read)
	// Put is told of an artifact of so many bytes that a projection or a compaction
	// put into the store, also of one that was there.
	Put(ctx context.Context, bytes int64, began time.Time, err error)
	// Step is told of a step of a call, by the name that is fixed where it is told.
	Step(ctx context.Context, step string, began time.Time, err error)
	// Commits is told of records that one transaction made durable in a store: how
	// long the first of them waited for it, and how long it took with its sync.
	Commits(store string, records int, waited, took time.Duration)
}

// Projected are the facts of a projection.
type Projected struct {
	Began     time.Time
	Family    string
	Failed    bool  // the tool said so: the result is an error
	Bytes     int64 // of the complete output: the message, and what came beside it
	Tokens    int64 // that these would cost, estimated
	Receipt   int64 // tokens of the receipt
	Truncated bool  // content was left out

	Cuts       map[pb.CutKind]Cuts
	Kept, Left preview.Counts   // lines that matter, where lines were chosen
	Redactions map[string]int64 // by rule
	Artifacts  []string         // names
}

// Cuts are the cuts of a kind.
type Cuts struct{ Count, Bytes int64 }

// Compacted are the facts of a compaction.
type Compacted struct {
	Results, Changed int64
	Before, After    int64 // tokens
}

// Read are the facts of a read.
type Read struct {
	Selection string // as the contract names it
	Bytes     int64
	Artifact  string // its name
}

// registeredKind stands for the names of values that callers registered to be redacted.
const registeredKind = "registered"

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

func (p *projection) facts(resp *pb.ProjectResponse) *Projected {
	facts := &Projected{
		Began: p.began, Family: p.family.Name, Failed: resp.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR,
		Bytes: p.outputBytes(), Receipt: int64(resp.GetReceipt().GetTokens()), Cuts: map[pb.CutKind]Cuts{}, Left: p.left,
	}
	// The receipt is text of the same kind, and its tokens are known: no text is counted for this.
	if text := int64(len(resp.GetReceipt().GetText())); text > 0 {
		facts.Tokens = (facts.Bytes*facts.Receipt + text/2) / text
	}
	for _, m := range p.registry.opened(resp.GetCanonical()) {
		envelope.Walk("", m, func(_ string, m protoreflect.Message) { facts.add(m) })
	}
	for i, path := range facts.Artifacts {
		facts.Artifacts[i], _ = p.store.NameOf(path) // it is one of the store's own
	}
	for _, r := range resp.GetRedactions() {
		facts.redacted(p.redactions, r)
	}
	return facts
}

// opened are the payload and the error of a result, whichever it has.
func (r *Registry) opened(c *pb.CanonicalToolResult) (list []protoreflect.Message) {
	if c.GetError() != nil {
		list = append(list, c.GetError().ProtoReflect())
	}
	if _, payload := r.types.Open(c); payload != nil {
		list = append(list, payload)
	}
	return list
}

// outputBytes is the size of the complete output as it came: the message, and what came
// beside it.
func (p *projection) outputBytes() int64 {
	n := int64(proto.Size(p.req.GetOutput()))
	for _, s := range p.streams {
		if s.original != nil {
			n += s.original.Size()
		} else {
			n += s.Blob.Size()
		}
	}
	return n
}

// add adds what the ledger of one message says.
func (f *Projected) add(m protoreflect.Message) {
	truncated := false
	fields, lists := envelope.LargeFields(m.Descriptor()), envelope.LargeLists(m.Descriptor())
	for i := range fields {
		large := fields[i].Get(m)
		truncated = truncated || large.Truncated
		f.ledger(&large)
	}
	for i := range lists {
		truncated = truncated || lists[i].Get(m).Truncated
	}
	if e, ok := m.Interface().(*pb.ToolError); ok && e.GetDetailsOmitted() != nil {
		f.Truncated, f.Artifacts = true, append(f.Artifacts, e.GetDetailsOmitted().GetArtifact().GetPath())
	}
	if truncated {
		f.Truncated, f.Artifacts = true, append(f.Artifacts, envelope.Artifacts(m)...)
	}
}

func (f *Projected) ledger(large *envelope.Large) {
	for _, c := range large.Cuts {
		sum := f.Cuts[c.GetKind()]
		bytes, _ := envelope.Omitted(c)
		f.Cuts[c.GetKind()] = Cuts{sum.Count + 1, sum.Bytes + int64(bytes)}
	}
	for _, s := range large.Source.GetSegments() {
		if r := int(s.GetReason()); r >= int(preview.KeepError) && r < len(f.Kept) {
			f.Kept[r] += int64(s.GetLastLine() - s.GetFirstLine() + 1)
		}
	}
}

// redacted counts a kind of redaction: by its name, if it is that of a rule.
func (f *Projected) redacted(rules map[string]bool, r *pb.Redaction) {
	kind := registeredKind
	if rules[r.GetKind()] {
		kind = r.GetKind()
	}
	if f.Redactions == nil {
		f.Redactions = map[string]int64{}
	}
	f.Redactions[kind] += int64(r.GetCount())
}

func compactedOf(plan *compactor.Plan) Compacted {
	c := Compacted{Results: int64(len(plan.Results)), Before: int64(plan.Before), After: int64(plan.After)}
	for i := range plan.Results {
		if plan.Results[i].Changed {
			c.Changed++
		}
	}
	return c
}

// wholeSelection stands for a read without a selection.
const wholeSelection = "whole"

func (a *artifacts) readOf(req *pb.ReadArtifactRequest, resp *pb.ReadArtifactResponse) Read {
	r := Read{Selection: wholeSelection, Bytes: int64(len(resp.GetData()))}
	m := req.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("selection")); f != nil {
		r.Selection = string(f.Name())
	}
	r.Artifact, _ = a.catalog.NameOf(req.GetPath()) // it was read by this path
	return r
}

// Names of the stores that commit.
const (
	booksStore = "books"
	auditStore = "audit"
)

// onCommit tells Metrics of the commits of a store.
func onCommit(m Metrics, name string) func(orders int, waited, took time.Duration) {
	if m == nil {
		return nil
	}
	return func(orders int, waited, took time.Duration) { m.Commits(name, orders, waited, took) }
}

// watched is a store whose puts Metrics is told of.
func watched(s store, m Metrics) store {
	if m == nil {
		return s
	}
	return watchedStore{s, m}
}

type watchedStore struct {
	store
	metrics Metrics
}

// For returns the sink of an owner.
func (w watchedStore) For(o catalog.Owner) artifactstore.Sink {
	return watchedSink{w.store.For(o), w.metrics}
}

type watchedSink struct {
	artifactstore.Sink
	metrics Metrics
}

// Put puts a blob.
func (w watchedSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	began := time.Now()
	ref, err := w.Sink.Put(ctx, b)
	w.metrics.Put(ctx, b.Size(), began, err)
	return ref, err
}

// openCalls counts the calls in flight.
type openCalls struct{ unary, streams atomic.Int64 }

func (o *openCalls) count(streams bool, n int64) {
	if streams {
		o.streams.Add(n)
		return
	}
	o.unary.Add(n)
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
	now := State{
		Artifacts: status.Artifacts, ArtifactBytes: status.Bytes, QuotaBytes: s.config.StoreQuota, Waiting: map[string]int64{booksStore: s.catalog.Waiting(), auditStore: s.audit.waiting()},
		OpenUnary: s.calls.open.unary.Load(), OpenStreams: s.calls.open.streams.Load(),
		InFlightBytes: s.calls.inFlight.Load(), MaxInFlight: s.config.MaxInFlightBytes,
		Connections: int64(len(s.slots)), MaxConnections: int64(s.config.MaxConnections),
	}
	if s.objects != nil {
		o := s.objects.Status()
		now.ObjectStore, now.PendingArtifacts, now.PendingBytes = true, int64(o.PendingArtifacts), int64(o.PendingBytes)
	}
	return now
}
