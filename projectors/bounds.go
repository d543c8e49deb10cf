package projectors

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Output of a tool is never rejected for its length: texts are cut and lists end early,
// and both say so.

// limits bounds the texts and lists among the facts of a result. The zero value leaves
// them to the bounds of their fields.
type limits struct {
	text   int // bytes of a text; 0: no limit
	handle int // bytes of what names something for a later call; 0: no limit
	items  int // elements of a list without an artifact; 0: no limit
}

// tightening holds the limits that are tried, one after the other, when the facts of a
// result do not fit its budget. Texts go before handles, and a handle never gets less
// than any usual id needs.
var tightening = []limits{{}, {1024, 0, 16}, {256, 1024, 16}, {64, 256, 4}, {16, 128, 1}}

// tighten calls project with limits that become tighter, until what must be kept fits.
func tighten(project func(limits) (Projection, error)) (p Projection, err error) {
	for _, l := range tightening {
		if p, err = project(l); !isShortfall(err) {
			return p, err
		}
	}
	return Projection{}, err
}

// isShortfall reports whether an error says that the facts do not fit the budget.
func isShortfall(err error) bool {
	_, short := errors.AsType[*envelope.ShortfallError](err)
	return short
}

// minLimit returns the smaller of two limits, of which 0 is no limit.
func minLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// cutText returns a text of at most limit bytes. One that is cut ends in "...".
func cutText(text string, limit int) string {
	const more = "..."
	if limit == 0 || len(text) <= limit {
		return text
	}
	end := max(0, limit-len(more))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more[:min(limit, len(more))]
}

// shorten applies limits to the facts of a canonical payload, in place. Previews,
// lists with artifacts and digests stay as they are.
func (l limits) shorten(s *envelope.Schema, payload protoreflect.Message) {
	if l == (limits{}) {
		return
	}
	b := bounding{limits: l}
	for i := range s.Fields {
		f := &s.Fields[i]
		if v, changed := b.field(f, payload); changed {
			payload.Set(f.Desc, v)
		}
	}
}

// bounding is one way to bound messages.
type bounding struct {
	limits
	byField bool // apply the bounds of the fields too, which a complete message states
}

// message returns a bounded copy of a message, or m itself if nothing exceeds its
// bounds.
func (b bounding) message(s *envelope.Schema, m protoreflect.Message) protoreflect.Message {
	into := m
	for i := range s.Fields {
		f := &s.Fields[i]
		v, changed := b.field(f, m)
		if !changed {
			continue
		}
		if into == m {
			into = proto.Clone(m.Interface()).ProtoReflect()
		}
		into.Set(f.Desc, v)
	}
	return into
}

// field returns the bounded value of a field, and whether it differs from the present
// one.
func (b bounding) field(f *envelope.Field, m protoreflect.Message) (v protoreflect.Value, changed bool) {
	if !m.Has(f.Desc) || f.Desc.IsMap() || !b.byField && (f.Derived || f.List != nil || isDigest(f.Desc)) {
		return v, false
	}
	if f.Desc.IsList() {
		return b.list(f, m)
	}
	return b.value(f, m.Get(f.Desc))
}

// isDigest reports whether a field is a digest. A part of a digest is worth nothing.
func isDigest(f protoreflect.FieldDescriptor) bool {
	return f.Name() == "digest" || strings.HasSuffix(string(f.Name()), "_digest")
}

// value returns a bounded text or message; other values have no bounds.
func (b bounding) value(f *envelope.Field, v protoreflect.Value) (protoreflect.Value, bool) {
	switch f.Desc.Kind() {
	case protoreflect.StringKind:
		text := cutText(v.String(), b.bytes(f))
		return protoreflect.ValueOfString(text), len(text) != len(v.String())
	case protoreflect.MessageKind:
		if d := f.Desc.Message(); d.FullName() == payloadName || envelope.IsLeaf(d) {
			return v, false
		}
		inner := b.message(f.Inner, v.Message())
		return protoreflect.ValueOfMessage(inner), inner != v.Message()
	}
	return v, false
}

// bytes returns the bound of a text in bytes; 0: none.
func (b bounding) bytes(f *envelope.Field) int {
	limit := b.text
	if f.Role == pb.Role_ROLE_HANDLE {
		limit = b.handle
	}
	if b.byField {
		limit = minLimit(limit, f.MaxBytes)
	}
	return limit
}

// list returns a bounded list. The last element of a list that ends early states how
// many are missing; a list whose elements have no text for that keeps its length.
func (b bounding) list(f *envelope.Field, m protoreflect.Message) (v protoreflect.Value, changed bool) {
	from := m.Get(f.Desc).List()
	n := from.Len()
	if most := b.elements(f); most > 0 && n > most && canStateRest(f.Desc) {
		n, changed = most-1, true
	}
	elements := make([]protoreflect.Value, n)
	for i := range elements {
		cut := false
		elements[i], cut = b.value(f, from.Get(i))
		changed = changed || cut
	}
	if !changed {
		return v, false
	}
	into := m.NewField(f.Desc)
	for _, e := range elements {
		into.List().Append(e)
	}
	if left := from.Len() - n; left > 0 {
		into.List().Append(restElement(f.Desc, into.List().NewElement(), left))
	}
	return into, true
}

// elements returns the bound of a list in elements; 0: none.
func (b bounding) elements(f *envelope.Field) int {
	if f.List != nil {
		return 0
	}
	if b.byField {
		return minLimit(b.items, f.MaxItems)
	}
	return b.items
}

// canStateRest reports whether an element of a list can state how many others there
// are.
func canStateRest(f protoreflect.FieldDescriptor) bool {
	return f.Kind() == protoreflect.StringKind || f.Message() != nil && firstText(f.Message()) != nil
}

// restElement returns the last element of a list that ends early.
func restElement(f protoreflect.FieldDescriptor, element protoreflect.Value, n int) protoreflect.Value {
	words := protoreflect.ValueOfString(fmt.Sprintf("... %d more", n))
	if f.Message() == nil {
		return words
	}
	element.Message().Set(firstText(f.Message()), words)
	return element
}

// firstText returns the first text field of a message, or nil.
func firstText(d protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Kind() == protoreflect.StringKind && !f.IsList() {
			return f
		}
	}
	return nil
}

// boundedTask returns a task handle within its bounds and the limits.
func boundedTask(t *pb.TaskHandle, l limits) *pb.TaskHandle {
	if t == nil {
		return nil
	}
	m, _ := bounding{l, true}.message(taskHandle(), t.ProtoReflect()).Interface().(*pb.TaskHandle)
	return m
}

// taskHandle returns the schema of task handles. They are few, and it is small.
func taskHandle() *envelope.Schema {
	return envelope.NewSchema((*pb.TaskHandle)(nil).ProtoReflect().Descriptor())
}
