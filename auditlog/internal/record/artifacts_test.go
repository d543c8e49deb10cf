package record

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestArtifactsOfCanonicalResultsAreNamed: references count in the result and in what was compacted, at any depth.
func TestArtifactsOfCanonicalResultsAreNamed(t *testing.T) {
	t.Parallel()
	reference := func(path string) *pb.CanonicalToolResult {
		command := &pb.CommandResult{Artifacts: []*pb.ArtifactReference{{Path: path}, {}}}
		return &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_Command{Command: command}}
	}
	for name, c := range map[string]struct {
		record *pb.AuditRecord
		want   []string
	}{
		"canonical": {&pb.AuditRecord{Canonical: reference("a")}, []string{"a"}},
		"compacted": {&pb.AuditRecord{Compacted: []*pb.AuditCompacted{{Canonical: reference("b")}, {}}}, []string{"b"}},
		"both":      {&pb.AuditRecord{Canonical: reference("b"), Compacted: []*pb.AuditCompacted{{Canonical: reference("a")}}}, []string{"a", "b"}},
		"none":      {&pb.AuditRecord{}, nil},
	} {
		if got := Artifacts(c.record); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestReferencesInMapsAreFound reads a message of a family that somebody else defined, with maps of references and of text.
func TestReferencesInMapsAreFound(t *testing.T) {
	t.Parallel()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("other.proto"), Syntax: proto.String("proto3"), Dependency: []string{pb.File_toolresult_v1_payload_proto.Path()},
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Other")}},
	}
	reference := (&pb.ArtifactReference{}).ProtoReflect().Descriptor()
	for i, value := range []*descriptorpb.FieldDescriptorProto{
		{Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: proto.String("." + string(reference.FullName()))},
		{Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()},
	} {
		name := []string{"References", "Texts"}[i]
		value.Name, value.Number, value.Label = proto.String("value"), proto.Int32(2), descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
		file.MessageType[0].NestedType = append(file.MessageType[0].NestedType, &descriptorpb.DescriptorProto{
			Name: proto.String(name + "Entry"), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
			Field: []*descriptorpb.FieldDescriptorProto{{Name: proto.String("key"), Number: proto.Int32(1),
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}, value},
		})
		file.MessageType[0].Field = append(file.MessageType[0].Field, &descriptorpb.FieldDescriptorProto{
			Name: proto.String(strings.ToLower(name)), Number: proto.Int32(int32(i + 1)), TypeName: proto.String(".Other." + name + "Entry"),
			Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(),
		})
	}
	described, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(described.Messages().Get(0))
	fields := m.Descriptor().Fields()
	for _, path := range []string{"a", "b"} {
		m.Mutable(fields.Get(0)).Map().Set(protoreflect.ValueOfString(path).MapKey(),
			protoreflect.ValueOfMessage((&pb.ArtifactReference{Path: path}).ProtoReflect()))
	}
	m.Mutable(fields.Get(1)).Map().Set(protoreflect.ValueOfString("key").MapKey(), protoreflect.ValueOfString("no reference"))
	var got []string
	eachReference(m, func(path string) { got = append(got, path) })
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
}
