package renderers

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// fill sets some fields of a message, down to a depth.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		switch {
		case f.IsMap() || rapid.IntRange(0, 2).Draw(t, "set") == 0:
		case f.Message() != nil && depth == 0:
		case f.IsList() && f.Message() != nil:
			list := m.Mutable(f).List()
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				fill(t, list.AppendMutable().Message(), depth-1)
			}
		case f.IsList():
		case f.Message() != nil:
			fill(t, m.Mutable(f).Message(), depth-1)
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text")))
		}
	}
}

// replaceAll replaces the paths of all references in a message, in place.
func replaceAll(m protoreflect.Message, handle func(string) string) {
	if path := m.Descriptor().Fields().ByName("path"); m.Descriptor().FullName() == referenceName && m.Get(path).String() != "" {
		m.Set(path, protoreflect.ValueOfString(handle(m.Get(path).String())))
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for j := range v.List().Len() {
				replaceAll(v.List().Get(j).Message(), handle)
			}
		default:
			replaceAll(v.Message(), handle)
		}
		return true
	})
}

// A message with handles is a copy in which every path was replaced, and the message stays as it was.
func TestHandlesReplaceEveryPath(t *testing.T) {
	replaced := 0
	rapid.Check(t, func(t *rapid.T) {
		r := &pb.CanonicalToolResult{}
		fill(t, r.ProtoReflect(), 5)
		r.ProtoReflect().SetUnknown([]byte{0xfa, 0x3f, 0x01, 'x'})
		handle := func(path string) string { replaced++; return "<" + path + ">" }
		before, want := proto.CloneOf(r), proto.CloneOf(r)
		replaceAll(want.ProtoReflect(), handle)
		got := Policy{Handle: handle}.withHandles(r.ProtoReflect()).Interface()
		if !proto.Equal(got, want) {
			t.Fatalf("%v\nwant %v", got, want)
		}
		if !proto.Equal(r, before) {
			t.Fatalf("the message was changed: %v\nwas %v", r, before)
		}
	})
	if replaced == 0 {
		t.Error("no path was replaced")
	}
}
