package integration_test

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// promised is the contract as clients were promised it.
func promised(t *testing.T) *protoregistry.Files {
	t.Helper()
	text, err := os.ReadFile("../proto/v1.binpb")
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(text, set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPromisedContractIsServed looks for everything that clients were promised in the contract of this program: names,
// numbers, JSON names and types. `make breaking` knows more rules; this one needs nothing but Go.
func TestPromisedContractIsServed(t *testing.T) {
	t.Parallel()
	seen := 0
	promised(t).RangeFilesByPackage(pb.File_toolresult_v1_service_proto.Package(), func(file protoreflect.FileDescriptor) bool {
		for i := range file.Messages().Len() {
			seen += wantMessage(t, file.Messages().Get(i))
		}
		for i := range file.Enums().Len() {
			seen += wantEnum(t, file.Enums().Get(i))
		}
		for i := range file.Services().Len() {
			seen += wantService(t, file.Services().Get(i))
		}
		return true
	})
	if seen < 1000 {
		t.Errorf("only %d elements were promised", seen)
	}
}

// current is what the program has by the name of something promised; nil when there is nothing.
func current[D protoreflect.Descriptor](t *testing.T, was D) (now D, ok bool) {
	t.Helper()
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(was.FullName())
	if err != nil {
		t.Errorf("%s is gone", was.FullName())
		return now, false
	}
	if now, ok = found.(D); !ok {
		t.Errorf("%s is something else now", was.FullName())
	}
	return now, ok
}

func wantMessage(t *testing.T, was protoreflect.MessageDescriptor) (seen int) {
	t.Helper()
	now, ok := current(t, was)
	for i := range was.Fields().Len() {
		f := was.Fields().Get(i)
		seen++
		if !ok {
			continue
		}
		g := now.Fields().ByNumber(f.Number())
		if g == nil || g.Name() != f.Name() || g.JSONName() != f.JSONName() || g.Kind() != f.Kind() || g.Cardinality() != f.Cardinality() ||
			g.HasPresence() != f.HasPresence() || typeName(g) != typeName(f) {
			t.Errorf("%s is not what was promised: %v", f.FullName(), g)
		}
	}
	return seen
}

// typeName is the message or the enum of a field; empty for others.
func typeName(f protoreflect.FieldDescriptor) protoreflect.FullName {
	switch {
	case f.Message() != nil:
		return f.Message().FullName()
	case f.Enum() != nil:
		return f.Enum().FullName()
	}
	return ""
}

func wantEnum(t *testing.T, was protoreflect.EnumDescriptor) (seen int) {
	t.Helper()
	now, ok := current(t, was)
	for i := range was.Values().Len() {
		seen++
		v := was.Values().Get(i)
		if ok && (now.Values().ByNumber(v.Number()) == nil || now.Values().ByNumber(v.Number()).Name() != v.Name()) {
			t.Errorf("%s is not what was promised", v.FullName())
		}
	}
	return seen
}

func wantService(t *testing.T, was protoreflect.ServiceDescriptor) (seen int) {
	t.Helper()
	now, ok := current(t, was)
	for i := range was.Methods().Len() {
		seen++
		m := was.Methods().Get(i)
		if !ok {
			continue
		}
		n := now.Methods().ByName(m.Name())
		if n == nil || n.Input().FullName() != m.Input().FullName() || n.Output().FullName() != m.Output().FullName() ||
			n.IsStreamingClient() != m.IsStreamingClient() || n.IsStreamingServer() != m.IsStreamingServer() {
			t.Errorf("%s is not what was promised", m.FullName())
		}
	}
	return seen
}
