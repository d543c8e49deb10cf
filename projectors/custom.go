package projectors

import (
	"context"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Custom projects a family that an operator brought, by the options of its
// messages: as Declared does those of the contract. It returns nil if the options
// are not right.
func Custom(t *envelope.Type) Projector {
	plan := newPlan(t.Complete, t.Canonical)
	if plan == nil {
		return nil
	}
	return custom{t, plan}
}

type custom struct {
	family *envelope.Type
	plan   *plan
}

// Project returns the canonical result of a family that an operator brought. Its
// payload is wrapped once, when it is done.
func (c custom) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	check := envelope.NewChecker("output." + envelope.CustomCase)
	from := c.family.Read(check, in.Output.GetCustom())
	if err := check.Err(); err != nil {
		return nil, err
	}
	into := c.family.NewPayload()
	in.Measure = func(*pb.CanonicalToolResult) (envelope.Cost, error) { return in.MeasurePayload(into) }
	r := canonical(in.Output)
	w := &work{Input: in, plan: c.plan, sink: sink, check: check.At("message"), finish: func() {}, from: from, into: into}
	if err := w.project(ctx, nil); err != nil {
		return nil, err
	}
	if err := w.fit(ctx, r); err != nil {
		return nil, err
	}
	r.Result = &pb.CanonicalToolResult_Custom{Custom: c.family.Wrap(into)}
	return r, nil
}
