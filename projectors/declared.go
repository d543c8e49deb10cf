package projectors

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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
	sink   artifactstore.Sink
	check  envelope.Checker
	from   protoreflect.Message // the complete payload
	into   protoreflect.Message // the canonical payload
	parts  []part
	finish func() // completes into from what the parts left out
	seal   func() // puts into where it belongs, before it is measured; nil when it is there
}

type declared struct {
	field protoreflect.FieldDescriptor // the family's case of the canonical oneof
	adapt adapter
}

func declare(family string, adapt adapter) Projector {
	_, f := envelope.Case(family)
	if f == nil {
		return nil // the registry says so
	}
	return declared{f, adapt}
}

// Project returns the canonical result of a family that is declared.
func (d declared) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	out := in.Output.ProtoReflect()
	name := d.field.Name()
	r := canonical(in.Output)
	w := &work{
		Input: in, sink: sink, check: envelope.NewChecker("output." + string(name)), finish: func() {},
		from: out.Get(out.Descriptor().Fields().ByName(name)).Message(),
		into: r.ProtoReflect().Mutable(d.field).Message(),
	}
	if err := w.project(ctx, d.adapt); err != nil {
		return nil, err
	}
	return r, w.fit(ctx, r)
}

// project makes the canonical payload, but for what parts show.
func (w *work) project(ctx context.Context, adapt adapter) error {
	checkDeclared(w.check, w.from)
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

// fit shows the parts, and says in a summary what the receipt says first.
func (w *work) fit(ctx context.Context, r *pb.CanonicalToolResult) error {
	template, err := envelope.Outcome(w.into.Descriptor())
	if err != nil {
		return err
	}
	given := r.GetSummaryText()
	return fit(ctx, w.Input, r, w.parts, func() {
		w.finish()
		envelope.SumTruncated(w.into)
		if given == "" {
			r.SummaryText = oneLine(template.Expand(w.into), envelope.MaxSummary)
		}
		if w.seal != nil {
			w.seal()
		}
	}, w.sink)
}

// copy fills the canonical payload by name, and collects its parts.
func (w *work) copy() {
	d := w.into.Descriptor()
	made := envelope.Made(d)
	lists := envelope.LargeLists(d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		from := w.from.Descriptor().Fields().ByName(f.Name())
		if !made[f.Name()] && from != nil && w.from.Has(from) && largeList(lists, f) == nil {
			w.into.Set(f, w.from.Get(from))
		}
	}
	for i := range lists {
		if from := w.from.Descriptor().Fields().ByName(lists[i].Field.Name()); from != nil {
			w.parts = append(w.parts, &list{field: &lists[i], into: w.into, all: w.from.Get(from).List()})
		}
	}
	large := fieldsOf(w.into.Interface())
	for i := range w.from.Descriptor().Fields().Len() {
		from := w.from.Descriptor().Fields().Get(i)
		if large[string(from.Name())] != nil && w.from.Has(from) {
			w.parts = large.add(w.parts, string(from.Name()), w.into, payloadOf(w.from.Get(from).Message()), w.Policy)
		}
	}
}

// payloadOf is a payload, also when a message that an operator brought has it.
func payloadOf(m protoreflect.Message) *pb.Payload {
	if p, ok := m.Interface().(*pb.Payload); ok {
		return p
	}
	p := &pb.Payload{}
	proto.Merge(p, m.Interface())
	return p
}

func largeList(lists []envelope.LargeList, f protoreflect.FieldDescriptor) *envelope.LargeList {
	for i := range lists {
		if lists[i].Field == f {
			return &lists[i]
		}
	}
	return nil
}

// Bounds of declared messages that say nothing else, as options.proto states
// them.
const (
	defaultMaxBytes = 1024
	defaultMaxItems = 64
)

// checkDeclared checks a complete message by the options of its fields.
func checkDeclared(c envelope.Checker, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		name := string(f.Name())
		if option[bool](f, pb.E_Required) && !envelope.IsSet(m, f) {
			c.Fail(name, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		}
		if !m.Has(f) {
			continue
		}
		if !f.IsList() {
			checkValue(c, name, f, m.Get(f))
			continue
		}
		list, most := m.Get(f).List(), orDefault(option[uint32](f, pb.E_MaxItems), defaultMaxItems)
		if list.Len() > most {
			c.Fail(name, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d elements, at most %d are allowed", list.Len(), most)
			continue
		}
		for j := range list.Len() {
			checkValue(c, fmt.Sprintf("%s[%d]", name, j), f, list.Get(j))
		}
	}
}

func checkValue(c envelope.Checker, at string, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch f.Kind() {
	case protoreflect.StringKind:
		c.Length(at, v.String(), orDefault(option[uint32](f, pb.E_MaxBytes), defaultMaxBytes))
	case protoreflect.MessageKind:
		if f.Message().FullName() == payloadName {
			checkPayload(c, at, payloadOf(v.Message()))
			return
		}
		checkDeclared(c.At(at), v.Message())
	}
}

var payloadName = (*pb.Payload)(nil).ProtoReflect().Descriptor().FullName()

// option is an option of a field.
func option[T any](f protoreflect.FieldDescriptor, x protoreflect.ExtensionType) T {
	v, _ := proto.GetExtension(f.Options(), x).(T)
	return v
}

func orDefault(n uint32, missing int) int {
	if n == 0 {
		return missing
	}
	return int(n)
}
