package projectors

import (
	"context"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Custom projects a family that an operator brought, by the options of its
// messages: as Declared does those of the contract.
func Custom(t *envelope.Type) Projector { return custom{t} }

type custom struct{ family *envelope.Type }

// Project returns the canonical result of a family that an operator brought.
func (c custom) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	check := envelope.NewChecker("output." + envelope.CustomCase)
	from := c.family.Read(check, in.Output.GetCustom())
	if err := check.Err(); err != nil {
		return nil, err
	}
	r := canonical(in.Output)
	w := &work{Input: in, sink: sink, check: check.At("message"), finish: func() {}, from: from, into: c.family.NewPayload()}
	if err := w.project(ctx, nil); err != nil {
		return nil, err
	}
	w.seal = func() { r.Result = &pb.CanonicalToolResult_Custom{Custom: c.family.Wrap(w.into)} }
	return r, w.fit(ctx, r)
}
