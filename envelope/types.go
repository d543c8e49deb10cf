package envelope

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Custom families are read from a descriptor set that the operator gives. Its files
// are linked on top of the contract of this build, checked by the same conventions as
// the families of the contract, and their messages are dynamic. On the wire a custom
// payload is the RFC's JSON of its message, which any client can read.

// Type is a custom family: two messages that carry the options of the contract, from a
// descriptor set of the operator. Immutable, and safe for concurrent use.
type Type struct {
	Complete, Canonical protoreflect.MessageDescriptor
}

// Name returns the full name of the canonical message, which names the family.
func (t *Type) Name() string { return string(t.Canonical.FullName()) }

// Types holds custom families by name. A nil map holds none.
type Types map[string]*Type

// CustomCase is the case of the result oneofs for all custom families.
const CustomCase = "custom"

// ReadTypes returns the families of a descriptor set, sorted by name: the messages
// with an outcome template. It fails for the first family that breaks a convention.
// The set may omit the files of the contract and of protobuf itself; those of this
// build are always used.
func ReadTypes(set *descriptorpb.FileDescriptorSet) ([]*Type, error) {
	files, err := linkFiles(set)
	if err != nil {
		return nil, err
	}
	types := Types{}
	for _, file := range files {
		for i := range file.Messages().Len() {
			d := file.Messages().Get(i)
			if n := nestedFamily(d); n != nil {
				return nil, fmt.Errorf("family %s: it is inside of another message, and families stand at the top of their file", n.FullName())
			}
			if text, _ := proto.GetExtension(d.Options(), pb.E_Outcome).(string); text == "" {
				continue
			}
			t, err := newType(d, files)
			if err != nil {
				return nil, fmt.Errorf("family %s: %w", d.FullName(), err)
			}
			types[t.Name()] = t
		}
	}
	if len(types) == 0 {
		return nil, errors.New("no message has an outcome template")
	}
	list := make([]*Type, 0, len(types))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		list = append(list, types[name])
	}
	return list, nil
}

// nestedFamily returns a message inside another that has an outcome template, or nil.
func nestedFamily(d protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	for i := range d.Messages().Len() {
		n := d.Messages().Get(i)
		if text, _ := proto.GetExtension(n.Options(), pb.E_Outcome).(string); text != "" {
			return n
		}
		if n := nestedFamily(n); n != nil {
			return n
		}
	}
	return nil
}

// linkFiles returns descriptors for the operator's files, on top of those of this
// build. Files may be in any order: each pass links those whose imports are there.
func linkFiles(set *descriptorpb.FileDescriptorSet) ([]protoreflect.FileDescriptor, error) {
	own := &descriptorpb.FileDescriptorSet{}
	for _, file := range set.GetFile() {
		if err := checkNotContract(file); err != nil {
			return nil, err
		}
		if _, err := protoregistry.GlobalFiles.FindFileByPath(file.GetName()); err != nil {
			own.File = append(own.File, file)
		}
	}
	var linked protoregistry.Files
	var files []protoreflect.FileDescriptor
	for len(own.File) > 0 {
		before := len(own.File)
		var failed error
		own.File = slices.DeleteFunc(own.File, func(file *descriptorpb.FileDescriptorProto) bool {
			d, err := protodesc.NewFile(file, overlayFiles{&linked})
			if err == nil {
				err = linked.RegisterFile(d)
			}
			if err != nil {
				failed = err // perhaps its imports come later
				return false
			}
			files = append(files, d)
			return true
		})
		if len(own.File) == before {
			return nil, failed
		}
	}
	return files, nil
}

// checkNotContract checks that a file is no copy of a file of the contract under
// another path. Its messages would look like those of this build, and be different
// types.
func checkNotContract(file *descriptorpb.FileDescriptorProto) error {
	for _, m := range file.GetMessageType() {
		name := protoreflect.FullName(file.GetPackage()).Append(protoreflect.Name(m.GetName()))
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		if err == nil && d.ParentFile().Package() == contract && d.ParentFile().Path() != file.GetName() {
			return fmt.Errorf("file %s has message %s of the contract: import it as %s", file.GetName(), name, d.ParentFile().Path())
		}
	}
	return nil
}

var contract = (*pb.Payload)(nil).ProtoReflect().Descriptor().ParentFile().Package()

// overlayFiles resolves descriptors in the operator's files first, and then in those
// of this build.
type overlayFiles struct{ *protoregistry.Files }

// FindFileByPath implements protodesc.Resolver.
func (o overlayFiles) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if d, err := o.Files.FindFileByPath(path); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName implements protodesc.Resolver.
func (o overlayFiles) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := o.Files.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// newType checks that a message is a family of its own that keeps all conventions.
func newType(canonical protoreflect.MessageDescriptor, files []protoreflect.FileDescriptor) (*Type, error) {
	t := &Type{Complete: canonical, Canonical: canonical}
	if name, _ := proto.GetExtension(canonical.Options(), pb.E_Complete).(string); name != "" {
		if t.Complete = findMessage(files, name); t.Complete == nil {
			return nil, fmt.Errorf("its complete message %s is not in the set", name)
		}
	}
	if strings.HasPrefix(t.Name(), "toolresult.") || !strings.Contains(t.Name(), ".") {
		return nil, errors.New("it needs a package, and one of its own")
	}
	if err := checkExcerpts(canonical); err != nil {
		return nil, err
	}
	if err := CheckSchema(canonical); err != nil {
		return nil, err
	}
	if err := CheckRoles(canonical); err != nil {
		return nil, err
	}
	if err := CheckPairs(t.Complete, canonical); err != nil {
		return nil, err
	}
	return t, checkBounds(t.Complete, map[protoreflect.FullName]bool{})
}

// checkExcerpts checks that a custom family has Excerpts as large fields. The naming
// convention is for families of the contract.
func checkExcerpts(canonical protoreflect.MessageDescriptor) error {
	for i := range canonical.Fields().Len() {
		f := canonical.Fields().Get(i)
		if f.Message() != nil && f.Message().FullName() == cutName {
			return fmt.Errorf("field %s: what large text leaves out is in its %s: one field with that type, and ROLE_LARGE_TEXT, in the place of several", f.FullName(), excerptName)
		}
	}
	return nil
}

var cutName = (*pb.Cut)(nil).ProtoReflect().Descriptor().FullName()

// checkBounds checks the bounds of a complete message and of the messages inside it
// against the highest values that options.proto allows.
func checkBounds(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) error {
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if n := bound(f, pb.E_MaxBytes, 1); n > limitMaxBytes {
			return fmt.Errorf("field %s: max_bytes is %d, at most %d are allowed", f.FullName(), n, limitMaxBytes)
		}
		if n := bound(f, pb.E_MaxItems, 1); n > limitMaxItems {
			return fmt.Errorf("field %s: max_items is %d, at most %d are allowed", f.FullName(), n, limitMaxItems)
		}
		if f.Message() != nil && !seen[f.Message().FullName()] {
			if err := checkBounds(f.Message(), seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func findMessage(files []protoreflect.FileDescriptor, name string) protoreflect.MessageDescriptor {
	for _, file := range files {
		for i := range file.Messages().Len() {
			if d := file.Messages().Get(i); string(d.FullName()) == name {
				return d
			}
		}
	}
	return nil
}

// Read decodes the complete message of an output. It fails c for bytes that are no
// such message.
func (t *Type) Read(c Checker, out *pb.CustomOutput) protoreflect.Message {
	m := dynamicpb.NewMessage(t.Complete)
	switch e := out.GetEncoding().(type) {
	case *pb.CustomOutput_Message:
		if proto.Unmarshal(e.Message, m) != nil {
			c.Fail("message", pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID, "is no %s", t.Complete.FullName())
		}
	case *pb.CustomOutput_MessageJson:
		if err := protojson.Unmarshal([]byte(e.MessageJson), m); err != nil {
			c.Fail("message_json", pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID, "is no %s in JSON", t.Complete.FullName())
		}
	default:
		c.Fail("message", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	return m
}

// NewPayload returns an empty canonical payload.
func (t *Type) NewPayload() protoreflect.Message { return dynamicpb.NewMessage(t.Canonical) }

// Wrap returns the message of the contract for a canonical payload.
func (t *Type) Wrap(payload protoreflect.Message) *pb.CustomResult {
	var w writer
	w.message(payload)
	return &pb.CustomResult{Type: t.Name(), PayloadJson: string(w.buf)}
}

// unwrap decodes the canonical payload in a message of the contract; nil for an
// unknown family.
func (ts Types) unwrap(c Checker, r *pb.CustomResult) protoreflect.Message {
	t := ts[r.GetType()]
	if t == nil {
		c.Fail("type", pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server was given")
		return nil
	}
	c.JSON("payload_json", []byte(r.GetPayloadJson()))
	d, payload := decoder{c}, t.NewPayload()
	if members, ok := d.object("payload_json", []byte(r.GetPayloadJson())); ok {
		d.message(payload, "payload_json", members)
	}
	return payload
}

// Open returns the name of the family and the payload of a canonical result, as
// Payload does, and decodes the payload of a custom family. Changes of a decoded
// payload do not reach the result: see WithPayload.
func (ts Types) Open(r *pb.CanonicalToolResult) (string, protoreflect.Message) {
	name, payload := Payload(r)
	custom := r.GetCustom()
	if custom == nil {
		return name, payload
	}
	c := NewChecker("")
	if own := ts.unwrap(c, custom); c.Err() == nil {
		return custom.GetType(), own
	}
	return name, payload // ValidateCanonical rejects it
}

// WithPayload returns a copy of a result with another payload or error in the place of
// the present one. The copy shares everything else.
func (ts Types) WithPayload(r *pb.CanonicalToolResult, payload protoreflect.Message) *pb.CanonicalToolResult {
	other := &pb.CanonicalToolResult{}
	to := other.ProtoReflect()
	r.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Message() != nil && f.Message() == payload.Descriptor() {
			v = protoreflect.ValueOfMessage(payload)
		}
		to.Set(f, v)
		return true
	})
	to.SetUnknown(r.ProtoReflect().GetUnknown())
	if t := ts[r.GetCustom().GetType()]; t != nil {
		other.Result = &pb.CanonicalToolResult_Custom{Custom: t.Wrap(payload)}
	}
	return other
}
