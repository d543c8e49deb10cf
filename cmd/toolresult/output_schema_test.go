package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// schemas is the JSON Schema of what commands print: a definition for each command, for each message of the contract and for each
// type of this program. Messages are described as protojson writes them, with the names of the contract.
type schemas struct{ defs map[string]*jsonschema.Schema }

// message adds a message with all that it refers to, and returns a reference. With every, all its members are there; else those
// that have a value, as in records.
func (s *schemas) message(d protoreflect.MessageDescriptor, every bool) *jsonschema.Schema {
	switch d.FullName() {
	case "google.protobuf.Timestamp":
		return &jsonschema.Schema{Type: "string", Description: "RFC 3339, UTC"}
	case "google.protobuf.Duration":
		return &jsonschema.Schema{Type: "string", Description: "seconds, with s behind"}
	}
	name := string(d.Name())
	if !every {
		name += ".sparse"
	}
	ref := &jsonschema.Schema{Ref: "#/$defs/" + name}
	if s.defs[name] != nil {
		return ref
	}
	object := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	s.defs[name] = object // before its fields, which may refer to it
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		object.Properties[string(f.Name())] = s.field(f, every)
		object.PropertyOrder = append(object.PropertyOrder, string(f.Name()))
		// What has presence is omitted when it has no value; messages and members of a oneof do.
		if every && !f.HasPresence() {
			object.Required = append(object.Required, string(f.Name()))
		}
	}
	return ref
}

// field returns the schema of a field.
func (s *schemas) field(f protoreflect.FieldDescriptor, every bool) *jsonschema.Schema {
	switch {
	case f.IsMap():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: s.value(f.MapValue(), every)}
	case f.IsList():
		return &jsonschema.Schema{Type: "array", Items: s.value(f, every)}
	}
	return s.value(f, every)
}

// value returns the schema of one value of a field.
func (s *schemas) value(f protoreflect.FieldDescriptor, every bool) *jsonschema.Schema {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return s.message(f.Message(), every)
	case protoreflect.BoolKind:
		return &jsonschema.Schema{Type: "boolean"}
	case protoreflect.EnumKind:
		return s.enum(f.Enum())
	case protoreflect.StringKind:
		return &jsonschema.Schema{Type: "string"}
	case protoreflect.BytesKind:
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return &jsonschema.Schema{Type: "number"}
	case protoreflect.Int64Kind, protoreflect.Uint64Kind, protoreflect.Sint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return &jsonschema.Schema{Type: "string", Pattern: "^-?[0-9]+$"}
	default:
		return &jsonschema.Schema{Type: "integer"}
	}
}

// enum returns the schema of an enum. A later version may have further values, so that they are examples and no closed list.
func (s *schemas) enum(d protoreflect.EnumDescriptor) *jsonschema.Schema {
	name := string(d.Name())
	if s.defs[name] == nil {
		e := &jsonschema.Schema{Type: "string"}
		for i := range d.Values().Len() {
			e.Examples = append(e.Examples, string(d.Values().Get(i).Name()))
		}
		s.defs[name] = e
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// of returns the schema of a type of this program. Names begin in upper case, as those of messages.
func (s *schemas) of(t *testing.T, v any) *jsonschema.Schema {
	t.Helper()
	made, err := jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{})
	if err != nil {
		t.Fatal(err)
	}
	open(made)
	name := reflect.TypeOf(v).Name()
	name = strings.ToUpper(name[:1]) + name[1:]
	s.defs[name] = made
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// open lets every object have further members, which later versions may add.
func open(s *jsonschema.Schema) {
	if s.Type == "object" && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	if s.Items != nil {
		open(s.Items)
	}
}

// closed returns a copy of a document of schemas in which no object may have a member that it does not describe.
func closed(t *testing.T, document *jsonschema.Schema) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, described := v["properties"].(map[string]any); described && v["additionalProperties"] == nil {
				v["additionalProperties"] = false
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(tree)
	text, err = json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	strict := &jsonschema.Schema{}
	if err := json.Unmarshal(text, strict); err != nil {
		t.Fatal(err)
	}
	return strict
}

// validate fails the test unless every value of some JSON is as a definition says.
func validate(t *testing.T, document *jsonschema.Schema, definition string, values []any) {
	t.Helper()
	root := closed(t, document)
	root.Ref = "#/$defs/" + strings.ReplaceAll(definition, "/", "~1")
	resolved, err := root.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %v\n%v", definition, err, v)
		}
	}
}

// decode returns the JSON values of a text, one after the other.
func decode(t *testing.T, text string) (values []any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		values = append(values, v)
	}
	return values
}

// pretty returns a document of schemas as it is committed: a definition on each line, which a diff can show.
func pretty(t *testing.T, document *jsonschema.Schema) string {
	t.Helper()
	names := make([]string, 0, len(document.Defs))
	for name := range document.Defs {
		names = append(names, name)
	}
	slices.Sort(names)
	var b bytes.Buffer
	b.WriteString("{\n\"$schema\": \"" + document.Schema + "\",\n\"$comment\": \"" + document.Comment + "\",\n\"$defs\": {\n")
	for i, name := range names {
		text, err := json.Marshal(document.Defs[name])
		if err != nil {
			t.Fatal(err)
		}
		key, _ := json.Marshal(name) // of a string
		b.WriteString(string(key) + ": " + string(text))
		if i < len(names)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// descriptor returns the descriptor of a message.
func descriptor(m proto.Message) protoreflect.MessageDescriptor { return m.ProtoReflect().Descriptor() }
