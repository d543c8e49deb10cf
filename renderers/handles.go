package renderers

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var (
	referenceName = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName()
	referencePath = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().Fields().ByName("path").Name()
)

// withHandles returns a message in which handles replace the paths of all artifacts,
// or the message itself if paths stay. Everything that a receipt says of artifacts
// comes from these references, and tool text does not. Both messages share what is the
// same in them, so neither may change while the other one is in use.
func (p Policy) withHandles(m protoreflect.Message) protoreflect.Message {
	if p.Handle == nil || m == nil {
		return m
	}
	return handles{p.Handle}.in(m)
}

// handles replaces the paths of references.
type handles struct{ handle func(path string) string }

// in returns a message with handles: the message itself where it has no reference, and else a copy that shares the rest.
func (h handles) in(m protoreflect.Message) protoreflect.Message {
	d := m.Descriptor()
	if d.FullName() == referenceName {
		return h.inReference(m)
	}
	var c protoreflect.Message
	set := func(f protoreflect.FieldDescriptor, v protoreflect.Value) {
		if c == nil {
			c = shallow(m)
		}
		c.Set(f, v)
	}
	for _, f := range referring(d) {
		if !m.Has(f) {
			continue
		}
		if !f.IsList() {
			one := m.Get(f).Message()
			if with := h.in(one); with != one {
				set(f, protoreflect.ValueOfMessage(with))
			}
			continue
		}
		if list, changed := h.inList(m, f); changed {
			set(f, list)
		}
	}
	if c == nil {
		return m
	}
	return c
}

// inReference returns a reference with a handle.
func (h handles) inReference(m protoreflect.Message) protoreflect.Message {
	path := m.Descriptor().Fields().ByName(referencePath)
	text := m.Get(path).String()
	if text == "" {
		return m
	}
	c := shallow(m)
	c.Set(path, protoreflect.ValueOfString(h.handle(text)))
	return c
}

// inList returns a list of messages with handles, and whether it differs from the one in a message.
func (h handles) inList(m protoreflect.Message, f protoreflect.FieldDescriptor) (v protoreflect.Value, changed bool) {
	list, made := m.Get(f).List(), m.NewField(f)
	for i := range list.Len() {
		one := list.Get(i).Message()
		with := h.in(one)
		changed = changed || with != one
		made.List().Append(protoreflect.ValueOfMessage(with))
	}
	return made, changed
}

// shallow returns a copy of a message that shares the values of its fields.
func shallow(m protoreflect.Message) protoreflect.Message {
	c := m.New()
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		c.Set(f, v)
		return true
	})
	c.SetUnknown(m.GetUnknown())
	return c
}

// referrers are the fields of messages that may have a reference to an artifact in them, by descriptor.
var referrers sync.Map

// referring returns the fields of a message that may have a reference in them.
func referring(d protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	if known, ok := referrers.Load(d); ok {
		fields, _ := known.([]protoreflect.FieldDescriptor)
		return fields
	}
	var fields []protoreflect.FieldDescriptor
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil && !f.IsMap() && refers(f.Message(), map[protoreflect.FullName]bool{}) {
			fields = append(fields, f)
		}
	}
	referrers.Store(d, fields)
	return fields
}

// refers reports whether a message is a reference or may have one in it, unless it was seen before.
func refers(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if d.FullName() == referenceName {
		return true
	}
	if seen[d.FullName()] {
		return false
	}
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil && !f.IsMap() && refers(f.Message(), seen) {
			return true
		}
	}
	return false
}
