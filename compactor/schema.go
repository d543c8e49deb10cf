package compactor

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// schema is what of a message can be compacted, read from its options once.
type schema struct {
	large   []envelope.LargeField
	lists   []envelope.LargeList           // that may be shortened
	drop    []protoreflect.FieldDescriptor // that may go at the lowest levels
	inner   []inner                        // messages inside that have any of this
	failure []protoreflect.FieldDescriptor // messages that say what went wrong
	leveled bool                           // it says how far it was compacted
	traits  *envelope.Traits               // of a payload
}

type inner struct {
	field  protoreflect.FieldDescriptor
	schema *schema
}

// read reads a payload.
func (c *Compactor) read(d protoreflect.MessageDescriptor) (err error) {
	s := newSchema(d)
	s.traits, err = envelope.TraitsOf(d)
	c.schemas[d.FullName()] = s
	return err
}

// schemaOf returns the schema of a payload.
func (c *Compactor) schemaOf(payload protoreflect.Message) *schema {
	return c.schemas[payload.Descriptor().FullName()]
}

func newSchema(d protoreflect.MessageDescriptor) *schema {
	s := &schema{large: envelope.LargeFields(d), leveled: envelope.HasLevel(d)}
	isList := map[protoreflect.FieldDescriptor]bool{}
	for _, l := range envelope.LargeLists(d) {
		isList[l.Field] = true
		if envelope.Retention(l.Field) != pb.Retention_RETENTION_KEEP {
			s.lists = append(s.lists, l)
		}
	}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if envelope.Retention(f) == pb.Retention_RETENTION_DROP {
			s.drop = append(s.drop, f)
		}
		if f.Message() == nil || envelope.IsLeaf(f.Message()) {
			continue
		}
		if envelope.MeansFailure(f) {
			s.failure = append(s.failure, f)
		}
		if in := newSchema(f.Message()); in.any() {
			s.inner = append(s.inner, inner{f, in})
		}
	}
	return s
}

// each visits the messages inside of a message.
func (s *schema) each(m protoreflect.Message, visit func(*schema, protoreflect.Message)) {
	s.eachOf(m, m, func(s *schema, m, _ protoreflect.Message) { visit(s, m) })
}

// eachOf visits the messages inside of a message, and with each what it is in another
// one that has at least as many.
func (s *schema) eachOf(m, other protoreflect.Message, visit func(s *schema, m, other protoreflect.Message)) {
	for _, in := range s.inner {
		switch {
		case !m.Has(in.field):
		case in.field.IsList():
			list, others := m.Get(in.field).List(), other.Get(in.field).List()
			for i := range list.Len() {
				visit(in.schema, list.Get(i).Message(), others.Get(i).Message())
			}
		default:
			visit(in.schema, m.Get(in.field).Message(), other.Get(in.field).Message())
		}
	}
}

// copyOf copies of a message what compaction changes: its fields, its lists, and the
// messages inside that have something to compact. All others are shared.
func (s *schema) copyOf(m protoreflect.Message) protoreflect.Message {
	c := m.New()
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !f.IsList() {
			c.Set(f, v)
			return true
		}
		from, to := v.List(), c.Mutable(f).List()
		for i := range from.Len() {
			to.Append(from.Get(i))
		}
		return true
	})
	for _, in := range s.inner {
		switch {
		case !m.Has(in.field):
		case in.field.IsList():
			list := c.Mutable(in.field).List()
			for i := range list.Len() {
				list.Set(i, protoreflect.ValueOfMessage(in.schema.copyOf(list.Get(i).Message())))
			}
		default:
			c.Set(in.field, protoreflect.ValueOfMessage(in.schema.copyOf(m.Get(in.field).Message())))
		}
	}
	c.SetUnknown(m.GetUnknown())
	return c
}

// shows reports whether a payload shows anything that does not fit in one line: text,
// lists and what went wrong.
func shows(s *schema, m protoreflect.Message) (any bool) {
	for _, f := range s.failure {
		any = any || m.Has(f)
	}
	for i := range s.large {
		any = any || s.large[i].Text(m) != ""
	}
	for i := range s.lists {
		any = any || m.Get(s.lists[i].Field).List().Len() > 0
	}
	s.each(m, func(s *schema, m protoreflect.Message) { any = any || shows(s, m) })
	return any
}

// failed reports whether a result is a failure.
func failed(s *schema, r *pb.CanonicalToolResult, payload protoreflect.Message) bool {
	return r.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR || s.traits.Failed(payload)
}

// any reports whether the message has any of this.
func (s *schema) any() bool {
	return len(s.large)+len(s.lists)+len(s.drop)+len(s.inner)+len(s.failure) > 0
}
