package envelope

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Payload returns the name of the family and the payload of a canonical result, or
// ("", nil) when it has none.
func Payload(r *pb.CanonicalToolResult) (string, protoreflect.Message) {
	m := r.ProtoReflect()
	f := m.WhichOneof(resultOneof(m.Descriptor()))
	if f == nil {
		return "", nil
	}
	return string(f.Name()), m.Get(f).Message()
}

// Family returns the name of the family of a complete output, or "" when it has no
// result.
func Family(out *pb.CompleteToolOutput) string {
	m := out.ProtoReflect()
	f := m.WhichOneof(resultOneof(m.Descriptor()))
	if f == nil {
		return ""
	}
	return string(f.Name())
}

func resultOneof(d protoreflect.MessageDescriptor) protoreflect.OneofDescriptor {
	return d.Oneofs().ByName("result")
}

// OneofFields returns the cases of the result oneofs of CompleteToolOutput and
// CanonicalToolResult, in the order of the contract.
func OneofFields() (complete, canonical []protoreflect.FieldDescriptor) {
	return oneofFields((*pb.CompleteToolOutput)(nil).ProtoReflect().Descriptor()),
		oneofFields((*pb.CanonicalToolResult)(nil).ProtoReflect().Descriptor())
}

func oneofFields(d protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	fields := resultOneof(d).Fields()
	list := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range list {
		list[i] = fields.Get(i)
	}
	return list
}

// Retention returns the retention of a field of a canonical payload.
func Retention(f protoreflect.FieldDescriptor) pb.Retention {
	r, _ := proto.GetExtension(f.Options(), pb.E_Retention).(pb.Retention)
	return r
}

// AddArtifact returns the index of a path in the artifacts of a message. A new path is
// appended.
func AddArtifact(m protoreflect.Message, path string) uint32 {
	list := m.Mutable(m.Descriptor().Fields().ByName(artifactsField)).List()
	for i := range list.Len() {
		if generated(list.Get(i).Message(), &pb.ArtifactReference{}).GetPath() == path {
			return uint32(i)
		}
	}
	list.Append(protoreflect.ValueOfMessage((&pb.ArtifactReference{Path: path}).ProtoReflect()))
	return uint32(list.Len() - 1)
}

// Artifacts returns the paths of the artifacts that a message names itself, without
// those of messages inside it.
func Artifacts(m protoreflect.Message) (paths []string) {
	if f := m.Descriptor().Fields().ByName(artifactsField); f != nil && f.IsList() {
		for i := range m.Get(f).List().Len() {
			paths = append(paths, generated(m.Get(f).List().Get(i).Message(), &pb.ArtifactReference{}).GetPath())
		}
	}
	for _, f := range LargeFields(m.Descriptor()) {
		if f.hasPath(m) {
			paths = append(paths, f.Get(m).Artifact)
		}
	}
	return paths
}

// levelField is the field with the compaction level of a payload.
const levelField = "compaction_level"

// SetLevel writes the compaction level of a payload or error. A message without the
// field stays as it is.
func SetLevel(m protoreflect.Message, level pb.CompactionLevel) {
	if f := m.Descriptor().Fields().ByName(levelField); f != nil {
		m.Set(f, protoreflect.ValueOfEnum(level.Number()))
	}
}

// HasLevel reports whether a message has a field for a compaction level.
func HasLevel(d protoreflect.MessageDescriptor) bool { return d.Fields().ByName(levelField) != nil }

// Level returns the compaction level of a payload or error.
func Level(m protoreflect.Message) pb.CompactionLevel {
	if f := m.Descriptor().Fields().ByName(levelField); f != nil {
		return pb.CompactionLevel(m.Get(f).Enum())
	}
	return pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED
}

// supersededField is the field that names the later result which supersedes a payload.
const supersededField = "superseded"

// SetSuperseded states in a payload which later result supersedes it. A message
// without the field stays as it is.
func SetSuperseded(m protoreflect.Message, s *pb.Superseded) {
	if f := m.Descriptor().Fields().ByName(supersededField); f != nil {
		m.Set(f, protoreflect.ValueOfMessage(s.ProtoReflect()))
	}
}

// SupersededBy returns the later result that supersedes a payload; nil when it names
// none.
func SupersededBy(m protoreflect.Message) *pb.Superseded {
	f := m.Descriptor().Fields().ByName(supersededField)
	if f == nil || !m.Has(f) {
		return nil
	}
	return generated(m.Get(f).Message(), &pb.Superseded{})
}

// unchangedField is the field that names the earlier result which a payload repeats.
const unchangedField = "unchanged"

// UnchangedSince returns the earlier result that a payload repeats; nil when it names
// none.
func UnchangedSince(m protoreflect.Message) *pb.OutputUnchanged {
	f := m.Descriptor().Fields().ByName(unchangedField)
	if f == nil || f.Message() == nil || !m.Has(f) {
		return nil
	}
	u, _ := m.Get(f).Message().Interface().(*pb.OutputUnchanged)
	return u
}

// Walk calls visit for a message and then for every message inside it, with their
// paths, in the order of the contract.
func Walk(path string, m protoreflect.Message, visit func(path string, m protoreflect.Message)) {
	visit(path, m)
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Message() == nil || !m.Has(f) || IsLeaf(f.Message()) {
			continue
		}
		at := join(path, string(f.Name()))
		if !f.IsList() {
			Walk(at, m.Get(f).Message(), visit)
			continue
		}
		for j := range m.Get(f).List().Len() {
			Walk(fmt.Sprintf("%s[%d]", at, j), m.Get(f).List().Get(j).Message(), visit)
		}
	}
}

// IsLeaf reports whether a message belongs to a field of its parent and holds nothing
// to visit.
func IsLeaf(d protoreflect.MessageDescriptor) bool { return slices.Contains(leaves, d.FullName()) }

// leaves are the messages for which IsLeaf is true.
var leaves = []protoreflect.FullName{
	(*pb.Cut)(nil).ProtoReflect().Descriptor().FullName(),
	(*pb.SourceFacts)(nil).ProtoReflect().Descriptor().FullName(),
	(*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName(),
	excerptName,
}

// ReadTool is the name of the tool that reads what a receipt does not show. Its
// results are pages, which are never cut again.
const ReadTool = "read_result"
