package projectors

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/tokens"
)

// Projector makes the canonical result of one family. It returns an
// *envelope.InvalidError for a complete output that breaks the contract, an
// *envelope.ShortfallError when what must be kept does not fit the budget, and
// the errors of the artifact store.
type Projector interface {
	Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error)
}

// Input is one complete output and how to project it.
type Input struct {
	Output *pb.CompleteToolOutput // its envelope is valid
	Policy Policy
	// Measure says what the receipt of a canonical result costs.
	Measure func(*pb.CanonicalToolResult) (envelope.Cost, error)
	// MeasurePayload does so for the payload of a family that an operator brought.
	MeasurePayload func(protoreflect.Message) (envelope.Cost, error)
	// Streams are the payloads that came as streams, by name; nil when all are inline.
	Streams map[string]Stream
}

// Stream is a payload that came as a stream: its bytes, which are in the store
// already, and what was kept of them for a preview of the policy's budget.
type Stream struct {
	Blob    artifactstore.Blob
	Excerpt *preview.Excerpt
}

// size is how many bytes of a payload arrived; false when it names a stream that
// there is not.
func (in *Input) size(p *pb.Payload) (int64, bool) {
	if p.GetStream() == "" {
		return int64(len(p.GetInline())), true
	}
	s, ok := in.Streams[p.GetStream()]
	if !ok {
		return 0, false
	}
	return s.Blob.Size(), true
}

// Policy governs a projection. Every value is set.
type Policy struct {
	Budget      envelope.Cost // of the receipt as a whole; 0 lines or bytes: no limit
	LineBytes   int           // bytes of one line before its inner part is cut
	HeadPercent int           // share of the first lines of a cut preview
	KeepAll     bool          // store every payload, not only those that are not shown whole
	BeforeLine  string        // what the receipt puts before every line of a payload, at its longest
	Counter     tokens.Counter
}
