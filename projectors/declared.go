package projectors

import (
	"cmp"
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Declared projects a family by the options of its messages (options.proto):
// payloads become large fields, lists large lists, and everything else is copied
// by its name. The family is that of a case of the contract.
func Declared(family string) Projector { return declare(family, nil) }

// adapter is what a family adds to the projection by its options, in Go: it
// checks more, or makes parts of another kind. It is called after the copy.
type adapter func(ctx context.Context, w *work) error

// work is one projection under way.
type work struct {
	Input
	plan    *plan
	sink    artifactstore.Sink
	check   envelope.Checker
	from    protoreflect.Message // the complete payload
	into    protoreflect.Message // the canonical payload
	parts   []part
	finish  func()        // completes into from what the parts left out
	limits  limits        // of the facts
	summary string        // in the place of the receipt's first line
	focus   preview.Focus // of the payloads
}

type declaredProjector struct {
	field protoreflect.FieldDescriptor // the family's case of the canonical oneof
	plan  *plan
	adapt adapter
}

func declare(family string, adapt adapter) Projector {
	complete, canonical := envelope.Case(family)
	if canonical == nil {
		return nil // the registry says so
	}
	plan := newPlan(complete.Message(), canonical.Message())
	if plan == nil {
		return nil // the registry says so
	}
	return declaredProjector{canonical, plan, adapt}
}

// Project returns the canonical result of a family that is declared.
func (d declaredProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.ProtoReflect()
	name := d.field.Name()
	r := canonical(in.Output)
	w := &work{
		Input: in, plan: d.plan, sink: sink, check: envelope.NewChecker("output." + string(name)), finish: func() {},
		from:  out.Get(out.Descriptor().Fields().ByName(name)).Message(),
		into:  r.ProtoReflect().Mutable(d.field).Message(),
		focus: preview.Focus{Shape: preview.ShapeProse}, // what a runtime writes is for readers, if nothing speaks against it
	}
	if err := w.project(ctx, d.adapt); err != nil {
		return Projection{}, err
	}
	return w.fit(ctx, r)
}

// plan is how a projection by name goes for one family.
type plan struct {
	from, into *envelope.Schema
	outcome    *envelope.Template
	copies     []copied
	lists      []largeSource[envelope.LargeList]
	payloads   []largeSource[envelope.LargeField]
}

// copied is a field of a complete message, and that of the canonical one with its value.
type copied struct {
	from *envelope.Field
	into protoreflect.FieldDescriptor
}

// largeSource is a field of a complete message, and what it becomes.
type largeSource[T any] struct {
	from *envelope.Field
	into *T
}

// newPlan returns the plan of a family, or nil if its options are not right.
func newPlan(complete, canonical protoreflect.MessageDescriptor) *plan {
	outcome, err := envelope.OutcomeTemplate(canonical)
	if err != nil {
		return nil
	}
	p := &plan{from: envelope.NewSchema(complete), into: envelope.NewSchema(canonical), outcome: outcome}
	for i := range p.into.Fields {
		f := &p.into.Fields[i]
		from := p.from.Field(f.Desc.Name())
		switch {
		case from == nil || f.Made:
		case f.List != nil:
			p.lists = append(p.lists, largeSource[envelope.LargeList]{from, f.List})
		case envelope.SameType(from.Desc, f.Desc):
			p.copies = append(p.copies, copied{from, f.Desc})
		}
	}
	for i := range p.from.Fields {
		f := &p.from.Fields[i]
		if large := p.into.LargeField(string(f.Desc.Name())); large != nil {
			p.payloads = append(p.payloads, largeSource[envelope.LargeField]{f, large})
		}
	}
	return p
}

// project makes the canonical payload, but for what parts show.
func (w *work) project(ctx context.Context, adapt adapter) error {
	w.checkMessage(w.check, w.plan.from, w.from, false)
	if err := w.check.Err(); err != nil {
		return err
	}
	w.copy()
	if adapt != nil {
		if err := adapt(ctx, w); err != nil {
			return err
		}
	}
	return w.check.Err()
}

// copy fills the canonical payload by name, and collects its parts.
func (w *work) copy() {
	for _, c := range w.plan.copies {
		switch {
		case !w.from.Has(c.from.Desc):
		case c.from.Desc.IsList(): // a dynamic list belongs to its field
			from, into := w.bounded(c.from).List(), w.into.Mutable(c.into).List()
			for i := range from.Len() {
				into.Append(from.Get(i))
			}
		default:
			w.into.Set(c.into, w.bounded(c.from))
		}
	}
	for _, l := range w.plan.lists {
		w.parts = append(w.parts, &list{field: l.into, into: w.into, from: l.from, all: w.from.Get(l.from.Desc).List()})
	}
	for _, p := range w.plan.payloads {
		if w.from.Has(p.from.Desc) {
			w.parts = append(w.parts, newPayload(p.into, w.into, asPayload(w.from.Get(p.from.Desc).Message()), &w.Input, w.focus))
		}
	}
}

// bounded is the value of a field of the complete payload within its bounds.
func (w *work) bounded(f *envelope.Field) protoreflect.Value {
	if v, cut := (bounding{byField: true}).field(f, w.from); cut {
		return v
	}
	return w.from.Get(f.Desc)
}

// fit shows the parts, and says in a summary what the receipt says first. Facts that do not
// fit are cut.
func (w *work) fit(ctx context.Context, r *pb.CanonicalToolResult) (Projection, error) {
	given := r.GetSummaryText()
	finish := func() error {
		w.finish()
		w.limits.shorten(w.plan.into, w.into)
		envelope.SumTruncated(w.into)
		if given == "" {
			r.SummaryText = oneLine(cmp.Or(w.summary, w.plan.outcome.Expand(w.into, preview.OneLine)), envelope.MaxSummary)
		}
		return nil
	}
	return tighten(func(l limits) (Projection, error) {
		w.limits = l
		return fit(ctx, w.Input, r, w.parts, finish, w.sink)
	})
}

// asPayload is a payload, also when a message that an operator brought has it.
func asPayload(m protoreflect.Message) *pb.Payload {
	if p, ok := m.Interface().(*pb.Payload); ok {
		return p
	}
	p := &pb.Payload{}
	proto.Merge(p, m.Interface())
	return p
}

// checkMessage checks a complete message for what a caller can do wrong. Of the elements of
// lists, which tools write, only payloads and other messages are required.
func (w *work) checkMessage(c envelope.Checker, s *envelope.Schema, m protoreflect.Message, element bool) {
	for i := range s.Fields {
		f := &s.Fields[i]
		name := string(f.Desc.Name())
		if f.Required && (!element || f.Desc.Message() != nil) && !envelope.IsSet(m, f.Desc) {
			c.Fail(name, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		}
		if f.Desc.Message() == nil || f.Desc.IsMap() || !m.Has(f.Desc) { // no canonical payload has a map to copy it to
			continue
		}
		if !f.Desc.IsList() {
			w.checkInner(c, name, f, m.Get(f.Desc).Message(), element)
			continue
		}
		list := m.Get(f.Desc).List()
		for i := range list.Len() {
			w.checkInner(c, fmt.Sprintf("%s[%d]", name, i), f, list.Get(i).Message(), true)
		}
	}
}

func (w *work) checkInner(c envelope.Checker, at string, f *envelope.Field, m protoreflect.Message, element bool) {
	if f.Desc.Message().FullName() == payloadName {
		checkPayload(c, at, asPayload(m), &w.Input)
		return
	}
	w.checkMessage(c.At(at), f.Inner, m, element)
}

var payloadName = (*pb.Payload)(nil).ProtoReflect().Descriptor().FullName()

// Custom projects a family that an operator brought, by the options of its
// messages: as Declared does those of the contract. It returns nil if the options
// are not right.
func Custom(t *envelope.Type) Projector {
	plan := newPlan(t.Complete, t.Canonical)
	if plan == nil {
		return nil
	}
	return customProjector{t, plan}
}

type customProjector struct {
	family *envelope.Type
	plan   *plan
}

// Project returns the canonical result of a family that an operator brought. Its
// payload is wrapped once, when it is done.
func (c customProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	check := envelope.NewChecker("output." + envelope.CustomCase)
	from := c.family.Read(check, in.Output.GetCustom())
	if err := check.Err(); err != nil {
		return Projection{}, err
	}
	into := c.family.NewPayload()
	in.Measure = func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return in.MeasurePayload(into) }
	r := canonical(in.Output)
	w := &work{Input: in, plan: c.plan, sink: sink, check: check.At("message"), finish: func() {}, from: from, into: into}
	if err := w.project(ctx, nil); err != nil {
		return Projection{}, err
	}
	p, err := w.fit(ctx, r)
	if err != nil {
		return Projection{}, err
	}
	p.Canonical.Result = &pb.CanonicalToolResult_Custom{Custom: c.family.Wrap(into)}
	return p, nil
}
