package renderers

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var (
	referenceName = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName()
	referencePath = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().Fields().ByName("path").Name()
)

// withHandles returns a copy of a message in which handles replace the paths of all
// artifacts, or the message itself if paths stay. Everything that a receipt says of
// artifacts comes from these references, and tool text does not.
func (p Policy) withHandles(m protoreflect.Message) protoreflect.Message {
	if p.Handle == nil || m == nil {
		return m
	}
	c := proto.Clone(m.Interface()).ProtoReflect()
	replacePaths(c, p.Handle)
	return c
}

// replacePaths replaces the paths of all references in a message, in place.
func replacePaths(m protoreflect.Message, handle func(path string) string) {
	if d := m.Descriptor(); d.FullName() == referenceName {
		if f := d.Fields().ByName(referencePath); m.Has(f) {
			m.Set(f, protoreflect.ValueOfString(handle(m.Get(f).String())))
		}
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				replacePaths(v.List().Get(i).Message(), handle)
			}
		default:
			replacePaths(v.Message(), handle)
		}
		return true
	})
}
