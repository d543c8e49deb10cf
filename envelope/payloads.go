package envelope

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Payloads are found by the type of a field, not by family, so that reading, spooling,
// redaction and limits treat those of every family alike, custom ones included. Paths
// are those that a BadRequest names to the client.

// VisitCustomPayloads visits the payloads of the message of a custom family; t is nil for other families.
func VisitCustomPayloads(out *pb.CompleteToolOutput, t *Type, visit func(path string, p *pb.Payload)) {
	custom := out.GetCustom()
	if custom == nil || t == nil {
		return
	}
	check := NewChecker("")
	if m := t.Read(check, custom); check.Err() == nil {
		VisitPayloads(CustomMessagePath, m, visit)
	}
}

// CustomMessagePath is the path of the message of a custom family in a request.
const CustomMessagePath = "output." + CustomCase + ".message"

// VisitPayloads visits the payloads inside of a message, with their paths. Payloads in maps are not visited: no message has any.
func VisitPayloads(path string, m protoreflect.Message, visit func(path string, p *pb.Payload)) {
	for _, f := range payloadFields.get(m.Descriptor(), readPayloadFields) {
		if !m.Has(f) {
			continue
		}
		at, v := path+"."+string(f.Name()), m.Get(f)
		switch {
		case f.IsList():
			for i := range v.List().Len() {
				VisitPayloads(fmt.Sprintf("%s[%d]", at, i), v.List().Get(i).Message(), visit)
			}
		case f.Message().FullName() == payloadName:
			visit(at, AsPayload(v.Message()))
		default:
			VisitPayloads(at, v.Message(), visit)
		}
	}
}

// payloadFields caches the fields with payloads of messages.
var payloadFields messageCache[[]protoreflect.FieldDescriptor]

// readPayloadFields returns the fields of a message that may have payloads inside, in the order of
// the contract.
func readPayloadFields(d protoreflect.MessageDescriptor) (list []protoreflect.FieldDescriptor) {
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil && !f.IsMap() && mayHavePayload(f.Message(), map[protoreflect.FullName]bool{}) {
			list = append(list, f)
		}
	}
	return list
}

// mayHavePayload reports whether a message is a payload or may have one inside. seen has those that are looked at already.
func mayHavePayload(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if d.FullName() == payloadName {
		return true
	}
	if seen[d.FullName()] {
		return false
	}
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil && !f.IsMap() && mayHavePayload(f.Message(), seen) {
			return true
		}
	}
	return false
}

// OutputFamily returns the name of the family of an output: the type of a custom family, or its case; empty for errors.
func OutputFamily(out *pb.CompleteToolOutput) string {
	if out.GetCustom() != nil {
		return out.GetCustom().GetType()
	}
	return Family(out)
}

// AsPayload returns a message as a payload, also inside of the message of a custom family, which may be of a dynamic type.
func AsPayload(m protoreflect.Message) *pb.Payload { return generated(m, &pb.Payload{}) }

// WithContents returns an output in which some payloads have other contents, inline; out itself when there are none. The
// copy shares everything else with out, so that large contents are not copied, and is only to be read.
func WithContents(out *pb.CompleteToolOutput, contents map[*pb.Payload][]byte) *pb.CompleteToolOutput {
	if len(contents) == 0 {
		return out
	}
	return withContents(out.ProtoReflect(), contents).Interface().(*pb.CompleteToolOutput)
}

func withContents(m protoreflect.Message, contents map[*pb.Payload][]byte) protoreflect.Message {
	c := m.New()
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap(): // no map has payloads
			c.Set(f, v)
		case f.IsList():
			list := c.Mutable(f).List()
			for i := range v.List().Len() {
				list.Append(protoreflect.ValueOfMessage(withContents(v.List().Get(i).Message(), contents)))
			}
		default:
			c.Set(f, protoreflect.ValueOfMessage(withContents(v.Message(), contents)))
		}
		return true
	})
	c.SetUnknown(m.GetUnknown())
	if p, ok := m.Interface().(*pb.Payload); ok {
		if content, ok := contents[p]; ok {
			c.Interface().(*pb.Payload).Source = &pb.Payload_Inline{Inline: content}
		}
	}
	return c
}
