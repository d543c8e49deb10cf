package compactor

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// schema lists the parts of a message that can be compacted. It is read from the
// options of the contract once, for each type of payload.
type schema struct {
	large   []envelope.LargeField
	lists   []envelope.LargeList           // that may be shortened
	drop    []protoreflect.FieldDescriptor // with RETENTION_DROP
	inner   []inner                        // messages inside it that have any of these
	failure []protoreflect.FieldDescriptor // messages that state a failure
	leveled bool                           // the message has a compaction level
	traits  *envelope.Traits               // of the payload; nil for messages inside it
}

// inner is a field that holds messages with a schema of their own.
type inner struct {
	field  protoreflect.FieldDescriptor
	schema *schema
}

// read adds the schema of a payload.
func (c *Compactor) read(d protoreflect.MessageDescriptor) (err error) {
	s := newSchema(d)
	s.traits, err = envelope.ReadTraits(d)
	c.schemas[d.FullName()] = s
	return err
}

// schemaFor returns the schema of a payload; nil for an unknown type.
func (c *Compactor) schemaFor(payload protoreflect.Message) *schema {
	return c.schemas[payload.Descriptor().FullName()]
}

// newSchema reads the options of a message and of the messages inside it, none of
// which contains itself (envelope.CheckSchema).
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
		if in := newSchema(f.Message()); in.hasAny() {
			s.inner = append(s.inner, inner{f, in})
		}
	}
	return s
}

// each visits the messages directly inside a message that have a schema.
func (s *schema) each(m protoreflect.Message, visit func(*schema, protoreflect.Message)) {
	s.eachPair(m, m, func(s *schema, m, _ protoreflect.Message) { visit(s, m) })
}

// eachPair visits the messages directly inside a message, each with its counterpart in
// other, whose lists are at least as long.
func (s *schema) eachPair(m, other protoreflect.Message, visit func(s *schema, m, other protoreflect.Message)) {
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

// cloneParts copies what compaction changes in a message: its fields, its lists, and
// the messages inside it that have a schema. Everything else is shared.
func (s *schema) cloneParts(m protoreflect.Message) protoreflect.Message {
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
				list.Set(i, protoreflect.ValueOfMessage(in.schema.cloneParts(list.Get(i).Message())))
			}
		default:
			c.Set(in.field, protoreflect.ValueOfMessage(in.schema.cloneParts(m.Get(in.field).Message())))
		}
	}
	c.SetUnknown(m.GetUnknown())
	return c
}

// showsBody reports whether a payload shows anything that does not fit in a receipt of
// one line: text, list elements, or a message that states a failure.
func showsBody(s *schema, m protoreflect.Message) (shows bool) {
	for _, f := range s.failure {
		shows = shows || m.Has(f)
	}
	for _, f := range s.large {
		shows = shows || f.Text(m) != ""
	}
	for _, l := range s.lists {
		shows = shows || m.Get(l.Field).List().Len() > 0
	}
	s.each(m, func(s *schema, m protoreflect.Message) { shows = shows || showsBody(s, m) })
	return shows
}

// isFailure reports whether a result is a failure: its status says so, or its payload.
func isFailure(s *schema, r *pb.CanonicalToolResult, payload protoreflect.Message) bool {
	return r.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR || s.traits.Failed(payload)
}

// mayBeFailure reports whether a result is a failure, or says neither that nor the
// opposite.
func mayBeFailure(s *schema, r *pb.CanonicalToolResult, payload protoreflect.Message) bool {
	return isFailure(s, r, payload) || s.traits.Uncertain(payload)
}

// hasAny reports whether compaction can change the message.
func (s *schema) hasAny() bool {
	return len(s.large)+len(s.lists)+len(s.drop)+len(s.inner)+len(s.failure) > 0
}
