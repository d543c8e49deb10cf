package projectors

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// What a tool wrote is never refused for its length: texts are cut and lists end early,
// and both say so.

// limits are how long the texts and lists of facts may be. The zero value leaves them to
// the bounds of their fields.
type limits struct {
	text   int // bytes of a text; 0: no limit
	handle int // bytes of what names something for a later call; 0: no limit
	items  int // elements of a list without an artifact; 0: no limit
}

// tightening are the limits that are tried, in turn, where the facts of a result do not fit
// its budget. What names something goes last, and never to less than any usual id has.
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

func isShortfall(err error) bool {
	_, short := errors.AsType[*envelope.ShortfallError](err)
	return short
}

// minLimit is the smaller limit; 0 is none.
func minLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// cutText returns a text of at most limit bytes: a longer one ends in "...".
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

// shorten applies limits to the facts of a canonical payload, in place. What the parts of a
// projection show, artifacts and digests stay as they are.
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
	byField bool // to the bounds of the fields, which a complete message states
}

// message returns a bounded message; m itself if it is one.
func (b bounding) message(s *envelope.Schema, m protoreflect.Message) protoreflect.Message {
	into := m
	for i := range s.Fields {
		f := &s.Fields[i]
		v, changed := b.field(f, m)
		if !changed {
			continue
		}
		if into == m {
			into = shallow(m)
		}
		into.Set(f.Desc, v)
	}
	return into
}

// shallow is a copy of a message that shares what its fields hold.
func shallow(m protoreflect.Message) protoreflect.Message {
	into := m.New()
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		into.Set(f, v)
		return true
	})
	into.SetUnknown(m.GetUnknown())
	return into
}

// field returns the bounded value of a field, and whether it is another one.
func (b bounding) field(f *envelope.Field, m protoreflect.Message) (v protoreflect.Value, changed bool) {
	if !m.Has(f.Desc) || f.Desc.IsMap() || !b.byField && (f.Made || f.List != nil || isDigest(f.Desc)) {
		return v, false
	}
	if f.Desc.IsList() {
		return b.list(f, m)
	}
	return b.value(f, m.Get(f.Desc))
}

// isDigest reports whether a field is a digest, which is whole or nothing.
func isDigest(f protoreflect.FieldDescriptor) bool {
	return f.Name() == "digest" || strings.HasSuffix(string(f.Name()), "_digest")
}

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

// bytes is how long a text of a field may be; 0: no limit.
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

// list returns a bounded list. The last element of one that ends early says how many are
// left out; a list whose elements have no text for that stays as long as it is.
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

// elements is how many elements a list may have; 0: no limit.
func (b bounding) elements(f *envelope.Field) int {
	if f.List != nil {
		return 0
	}
	if b.byField {
		return minLimit(b.items, f.MaxItems)
	}
	return b.items
}

// canStateRest reports whether an element of a list can say how many others there are.
func canStateRest(f protoreflect.FieldDescriptor) bool {
	return f.Kind() == protoreflect.StringKind || f.Message() != nil && firstText(f.Message()) != nil
}

// restElement is the last element of a list that ends early.
func restElement(f protoreflect.FieldDescriptor, element protoreflect.Value, n int) protoreflect.Value {
	words := protoreflect.ValueOfString(fmt.Sprintf("... %d more", n))
	if f.Message() == nil {
		return words
	}
	element.Message().Set(firstText(f.Message()), words)
	return element
}

// firstText is the first field of a message that is a text; nil if it has none.
func firstText(d protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Kind() == protoreflect.StringKind && !f.IsList() {
			return f
		}
	}
	return nil
}

// boundedTask is a task handle without texts over their bounds and the limits.
func boundedTask(t *pb.TaskHandle, l limits) *pb.TaskHandle {
	if t == nil {
		return nil
	}
	m, _ := bounding{l, true}.message(taskHandle, t.ProtoReflect()).Interface().(*pb.TaskHandle)
	return m
}

var taskHandle = envelope.NewSchema((*pb.TaskHandle)(nil).ProtoReflect().Descriptor())
