package renderers

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// CallHandle names an artifact by the call of read_result that reads it:
//
//	read_result(result="1fa0074a")
func CallHandle(name string) string { return envelope.ReadTool + `(result="` + name + `")` }

var referenceName = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName()

// named returns a message in which every artifact is called by its handle in place of its path. It is the message itself
// where paths stay. Everything that a receipt says of artifacts comes from these references, and tool text does not.
func (p Policy) named(m protoreflect.Message) protoreflect.Message {
	if p.Handle == nil || m == nil {
		return m
	}
	m = proto.Clone(m.Interface()).ProtoReflect()
	eachReference(m, p.Handle)
	return m
}

// eachReference replaces the paths of all references in a message.
func eachReference(m protoreflect.Message, handle func(path string) string) {
	if m.Descriptor().FullName() == referenceName {
		path := m.Descriptor().Fields().ByName("path")
		if text := m.Get(path).String(); text != "" {
			m.Set(path, protoreflect.ValueOfString(handle(text)))
		}
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Message() == nil || f.IsMap() || !m.Has(f):
		case f.IsList():
			for j := range m.Get(f).List().Len() {
				eachReference(m.Get(f).List().Get(j).Message(), handle)
			}
		default:
			eachReference(m.Mutable(f).Message(), handle)
		}
	}
}
