package main

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// fieldsPath is where the table of fields is, for Rust, whose generated messages have no reflection.
const fieldsPath = "clients/rust/src/fields.rs"

// named are the messages that code of the client names, first of all in the table.
var named = []protoreflect.MessageDescriptor{
	(&pb.ArtifactReference{}).ProtoReflect().Descriptor(), (&pb.Payload{}).ProtoReflect().Descriptor(),
	(&pb.CanonicalToolResult{}).ProtoReflect().Descriptor(), (&pb.CompleteToolOutput{}).ProtoReflect().Descriptor(),
}

// fieldTable is a table of the messages in which an artifact reference or a payload can be.
type fieldTable struct {
	messages []protoreflect.MessageDescriptor
	place    map[protoreflect.FullName]int // in messages
}

// rustFields returns the table of fields that lead to artifact references and payloads, and the names of the families.
func rustFields() []byte {
	t := fieldTable{place: map[protoreflect.FullName]int{}}
	for _, m := range named {
		t.add(m)
	}
	for i := 0; i < len(t.messages); i++ { // which grows
		for _, f := range leading(t.messages[i]) {
			t.add(f.Message())
		}
	}
	var out bytes.Buffer
	out.WriteString("//! The fields in which artifacts and payloads are. Made by `make generate`.\n\n")
	out.WriteString("/// A kind of message, by its place in [`FIELDS`].\npub(crate) type Kind = usize;\n\n")
	for i, m := range named {
		fmt.Fprintf(&out, "/// The kind of `%s`.\npub(crate) const %s: Kind = %d;\n", m.Name(), constant(string(m.Name())), i)
	}
	out.WriteString("\n/// The fields of each kind that lead to an artifact or a payload, in the order of the contract, and the\n")
	out.WriteString("/// kind of their messages.\n#[rustfmt::skip]\npub(crate) static FIELDS: &[&[(u32, Kind)]] = &[\n")
	for _, m := range t.messages {
		var fields []string
		for _, f := range leading(m) {
			fields = append(fields, fmt.Sprintf("(%d, %d)", f.Number(), t.place[f.Message().FullName()]))
		}
		fmt.Fprintf(&out, "    &[%s], // %s\n", strings.Join(fields, ", "), m.Name())
	}
	out.WriteString("];\n\n/// The name of each family, by the field of `CompleteToolOutput` that its output is.\npub(crate) static FAMILIES: &[(u32, &str)] = &[\n")
	families := named[3].Oneofs().ByName("result").Fields()
	for i := range families.Len() {
		fmt.Fprintf(&out, "    (%d, %q),\n", families.Get(i).Number(), families.Get(i).Name())
	}
	out.WriteString("];\n")
	return out.Bytes()
}

// add adds a message once.
func (t *fieldTable) add(m protoreflect.MessageDescriptor) {
	if _, there := t.place[m.FullName()]; !there {
		t.place[m.FullName()] = len(t.messages)
		t.messages = append(t.messages, m)
	}
}

// leading returns the fields of a message whose messages are, or have in them, an artifact reference or a payload.
func leading(m protoreflect.MessageDescriptor) (out []protoreflect.FieldDescriptor) {
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); f.Message() != nil && leads(f.Message(), map[protoreflect.FullName]bool{}) {
			if f.IsMap() {
				panic(fmt.Sprintf("%s is a map, which the client of Rust does not walk", f.FullName()))
			}
			out = append(out, f)
		}
	}
	return out
}

// leads reports whether a message is, or has in it, an artifact reference or a payload. Messages that were seen are not looked at again.
func leads(m protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if m.FullName() == named[0].FullName() || m.FullName() == named[1].FullName() {
		return true
	}
	if seen[m.FullName()] {
		return false
	}
	seen[m.FullName()] = true
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); f.Message() != nil && leads(f.Message(), seen) {
			return true
		}
	}
	return false
}

// constant turns CanonicalToolResult into CANONICAL_TOOL_RESULT.
func constant(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToUpper(string(r)))
	}
	return b.String()
}
