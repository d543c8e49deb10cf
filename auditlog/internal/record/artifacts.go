package record

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Artifacts returns the artifacts that a record names, sorted and each once: those of its payloads, and the paths in
// its canonical results.
func Artifacts(r *pb.AuditRecord) (list []string) {
	add := func(name string) {
		if name != "" {
			list = append(list, Text(name))
		}
	}
	for _, p := range r.GetPayloads() {
		add(p.GetArtifact())
		add(p.GetOriginalArtifact())
	}
	if r.GetCanonical() != nil {
		eachReference(r.GetCanonical().ProtoReflect(), add)
	}
	for _, c := range r.GetCompacted() {
		eachReference(c.ProtoReflect(), add)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// eachReference calls add with the path of each reference to an artifact, at any depth of a message of any family.
func eachReference(m protoreflect.Message, add func(path string)) {
	if ref, ok := m.Interface().(*pb.ArtifactReference); ok {
		add(ref.GetPath())
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsMap():
			if f.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					eachReference(v.Message(), add)
					return true
				})
			}
		case f.IsList():
			for i := range v.List().Len() {
				eachReference(v.List().Get(i).Message(), add)
			}
		default:
			eachReference(v.Message(), add)
		}
		return true
	})
}
