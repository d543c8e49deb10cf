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
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Most families need no Go: this file projects them by the options of their messages.
// Families that derive or select something in their own way add an adapter, which runs
// after the copy and before the parts are fitted (docs/adr/0012).

// Declared projects a family of the contract by the options of its messages
// (options.proto): payloads become large fields, lists become large lists, and all
// else is copied by name. It returns nil for an unknown family, or one whose options
// are wrong; the registry reports that.
func Declared(family string) Projector { return declare(family, nil) }

// adapter is the part of a projection that a family adds in Go: further checks, or
// parts of another kind. It is called after the copy.
type adapter func(ctx context.Context, w *work) error

// work is one projection in progress.
type work struct {
	Input
	plan    *plan
	sink    artifactstore.Sink
	check   envelope.Checker
	from    protoreflect.Message // the complete payload
	into    protoreflect.Message // the canonical payload
	parts   []part
	finish  func()        // completes into after each round, from what the parts omit
	limits  limits        // of the facts, in this round
	summary string        // replaces the receipt's first line as the summary; empty: it does not
	hints   preview.Hints // of the previews of payloads
}

// declaredProjector projects a family by its options.
type declaredProjector struct {
	field protoreflect.FieldDescriptor // the family's case of the canonical oneof
	plan  *plan
	adapt adapter // nil for none
}

// declare returns the projector of a family with an adapter, or nil.
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

// Project returns the canonical result of a declared family.
func (d declaredProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.ProtoReflect()
	name := d.field.Name()
	r := canonical(in.Output)
	w := &work{
		Input: in, plan: d.plan, sink: sink, check: envelope.NewChecker("output." + string(name)), finish: func() {},
		from:  out.Get(out.Descriptor().Fields().ByName(name)).Message(),
		into:  r.ProtoReflect().Mutable(d.field).Message(),
		hints: preview.Hints{Shape: shape.Prose}, // what a runtime writes is for readers, if nothing speaks against it
	}
	if err := w.project(ctx, d.adapt); err != nil {
		return Projection{}, err
	}
	return w.fit(ctx, r)
}

// plan lists what a projection by name does for one family. It is made once, at
// start-up.
type plan struct {
	from, into *envelope.Schema
	outcome    *envelope.Template
	copies     []copied
	lists      []largeSource[envelope.LargeList]
	payloads   []largeSource[envelope.LargeField]
}

// copied is a field of a complete message, and the canonical field that gets its
// value.
type copied struct {
	from *envelope.Field
	into protoreflect.FieldDescriptor
}

// largeSource is a field of a complete message, and the large field or list that it
// becomes.
type largeSource[T any] struct {
	from *envelope.Field
	into *T
}

// newPlan returns the plan of a family, or nil if its options are wrong.
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
		case from == nil || f.Derived:
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

// project checks the complete payload and fills the canonical one, except for what
// parts show.
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

// copy copies fields by name, and collects the parts.
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
			w.parts = append(w.parts, newPayload(p.into, w.into, asPayload(w.from.Get(p.from.Desc).Message()), &w.Input, w.hints))
		}
	}
}

// bounded returns the value of a field of the complete payload within the bounds of
// the field.
func (w *work) bounded(f *envelope.Field) protoreflect.Value {
	if v, cut := (bounding{byField: true}).field(f, w.from); cut {
		return v
	}
	return w.from.Get(f.Desc)
}

// fit fits the parts to the budget, and cuts facts if these alone do not fit. Without
// a summary of the runtime the receipt's first line becomes the summary.
func (w *work) fit(ctx context.Context, r *pb.CanonicalToolResult) (Projection, error) {
	given := r.GetSummaryText()
	finish := func() error {
		w.finish()
		w.limits.shorten(w.plan.into, w.into)
		envelope.SumTruncated(w.into)
		if given == "" {
			r.SummaryText = oneLine(cmp.Or(w.summary, w.plan.outcome.Expand(w.into, textscan.OneLine)), envelope.MaxSummary)
		}
		return nil
	}
	return tighten(func(l limits) (Projection, error) {
		w.limits = l
		return fit(ctx, w.Input, r, w.parts, finish, w.sink)
	})
}

// asPayload returns a message as a payload. The message of a custom family has
// payloads of a dynamic type, which are copied.
func asPayload(m protoreflect.Message) *pb.Payload {
	if p, ok := m.Interface().(*pb.Payload); ok {
		return p
	}
	p := &pb.Payload{}
	proto.Merge(p, m.Interface())
	return p
}

// checkMessage checks a complete message for mistakes of the caller. Elements of lists
// are written by tools, so only their payloads and messages are required.
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

// checkInner checks a payload, or a message inside another.
func (w *work) checkInner(c envelope.Checker, at string, f *envelope.Field, m protoreflect.Message, element bool) {
	if f.Desc.Message().FullName() == payloadName {
		checkPayload(c, at, asPayload(m), &w.Input)
		return
	}
	w.checkMessage(c.At(at), f.Inner, m, element)
}

var payloadName = (*pb.Payload)(nil).ProtoReflect().Descriptor().FullName()

// Custom projects a custom family by the options of its messages, as Declared does for
// families of the contract. It returns nil if the options are wrong.
func Custom(t *envelope.Type) Projector {
	plan := newPlan(t.Complete, t.Canonical)
	if plan == nil {
		return nil
	}
	return customProjector{t, plan}
}

// customProjector projects a custom family.
type customProjector struct {
	family *envelope.Type
	plan   *plan
}

// Project returns the canonical result of a custom family. Its payload is measured as
// it is, and wrapped once, after it fits.
func (c customProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	check := envelope.NewChecker("output." + envelope.CustomCase)
	from := c.family.Read(check, in.Output.GetCustom())
	if err := check.Err(); err != nil {
		return Projection{}, err
	}
	into := c.family.NewPayload()
	in.Measure = func(*pb.CanonicalToolResult) (envelope.Receipt, error) {
		if in.Mask != nil {
			in.Mask(into)
		}
		return in.MeasurePayload(into)
	}
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
