// Package metrics defines what the server measures and reports. It knows no exporter and keeps nothing: server/telemetry
// implements [Reporter].
//
// Measurements are numbers and names of closed sets: methods and codes, families, kinds and reasons of the contract. No text
// of a tool, a caller or a file is among them, so that none can become a label. There are two exceptions: the name of an
// artifact, to be compared with others and not to be passed on, and the [Names] of a call, for its span alone.
package metrics

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
)

// Reporter receives measurements from many goroutines and must not block. A nil Reporter disables reporting at no cost.
type Reporter interface {
	Calls
	Results
	Stores
}

// Calls receives measurements of RPCs.
type Calls interface {
	// Call reports a finished RPC.
	Call(method string, code codes.Code, elapsed time.Duration)
	// Step reports one step of an RPC, by a name that is a constant in the code.
	Step(ctx context.Context, step string, began time.Time, err error)
}

// Results receives measurements of tool results.
type Results interface {
	// Projected reports a projected output when its answer is ready. Snapshots of a stream are not reported.
	Projected(ctx context.Context, p *Projected)
	// Compacted reports a compaction that was no dry run.
	Compacted(c Compacted)
}

// Stores receives measurements of what is read and made durable.
type Stores interface {
	// Read reports one page that was read of an artifact.
	Read(r Read)
	// Put reports an artifact of some bytes that a projection or a compaction stored, also one that the store had already.
	Put(ctx context.Context, bytes int64, began time.Time, err error)
	// Commits reports records that one transaction made durable: how long the first of them waited for it, and how long it
	// took with its sync.
	Commits(store string, records int, waited, took time.Duration)
}

// Projected are the facts of a projection.
type Projected struct {
	Began     time.Time
	Family    string
	Failed    bool  // the tool said so: the result is an error
	Bytes     int64 // of the complete output: the message, its streams and its files
	Tokens    int64 // that the complete output would cost, estimated
	Receipt   int64 // tokens of the receipt
	Truncated bool  // content was cut

	Cuts       map[pb.CutKind]Cuts
	Kept, Left preview.Counts   // lines that matter, where lines were chosen
	Redactions map[string]int64 // by rule
	Artifacts  []string         // names
	Names      Names
}

// Names are what a caller calls a tool and its call by. They are of the patterns of the contract, and no output of a tool.
type Names struct {
	Tool          string
	Session, Call string // empty: not known
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

// registeredKind replaces the names of values that callers registered to be redacted: these names are texts of a caller.
const registeredKind = "registered"

// AddLedger adds the facts of one message: the cuts and kept lines of its large fields, and, if any of them is truncated, its
// artifacts. Details of an error that were omitted count as truncated; they have an artifact of their own. f.Cuts must not be
// nil where a message may have cuts.
func (f *Projected) AddLedger(m protoreflect.Message) {
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

// ledger adds the cuts of a large field, and the lines of its segments that were kept for a reason. Reasons that this program
// does not know, and head and tail, which are kept wherever they are, are not counted.
func (f *Projected) ledger(large *envelope.Large) {
	for _, c := range large.Cuts {
		sum := f.Cuts[c.GetKind()]
		bytes, _ := envelope.Omitted(c)
		f.Cuts[c.GetKind()] = Cuts{sum.Count + 1, sum.Bytes + int64(bytes)}
	}
	for _, s := range large.Source.GetSegments() {
		if r := int(s.GetReason()); r >= int(shape.KeepError) && r < len(f.Kept) {
			f.Kept[r] += int64(s.GetLastLine() - s.GetFirstLine() + 1)
		}
	}
}

// AddRedaction counts a kind of redaction: by its name if it is that of a rule, and as "registered" otherwise.
func (f *Projected) AddRedaction(rules map[string]bool, r *pb.Redaction) {
	kind := registeredKind
	if rules[r.GetKind()] {
		kind = r.GetKind()
	}
	if f.Redactions == nil {
		f.Redactions = map[string]int64{}
	}
	f.Redactions[kind] += int64(r.GetCount())
}

// Names of the stores that commit. They are values of the label store, which dashboards use.
const (
	JournalStore = "journal"
	AuditStore   = "audit"
)

// OnCommit returns a callback that reports the commits of a store; nil for a nil Reporter.
func OnCommit(m Reporter, name string) func(records int, waited, took time.Duration) {
	if m == nil {
		return nil
	}
	return func(records int, waited, took time.Duration) { m.Commits(name, records, waited, took) }
}
