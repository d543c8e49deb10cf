package projectors

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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
