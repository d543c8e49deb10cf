package envelope

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Payload returns the family's name and payload of a canonical result, or
// ("", nil) when it has none.
func Payload(r *pb.CanonicalToolResult) (string, protoreflect.Message) {
	m := r.ProtoReflect()
	f := m.WhichOneof(resultOneof(m.Descriptor()))
	if f == nil {
		return "", nil
	}
	return string(f.Name()), m.Get(f).Message()
}

// Family returns the name of the family of a complete output, or "" when it
// has no result.
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

// FamilyFields returns the cases of the result oneof of CompleteToolOutput and
// CanonicalToolResult, in the order of the contract.
func FamilyFields() (complete, canonical []protoreflect.FieldDescriptor) {
	return cases((*pb.CompleteToolOutput)(nil).ProtoReflect().Descriptor()),
		cases((*pb.CanonicalToolResult)(nil).ProtoReflect().Descriptor())
}

func cases(d protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
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

// LargeField is a field x that may be huge. In a family of the contract it is the fields
// x_preview, x_truncated, x_artifact, x_cuts and x_source of one message, by the naming
// convention of ledger.proto; in a custom family it is one Excerpt.
type LargeField struct {
	Name                             string                       // x
	excerpt                          protoreflect.FieldDescriptor // nil for one of several fields
	preview, truncated, cuts, source protoreflect.FieldDescriptor // nil for an Excerpt
	artifact, artifacts              protoreflect.FieldDescriptor // nil for an Excerpt
}

// The suffixes of the convention.
const (
	suffixPreview   = "_preview"
	suffixTruncated = "_truncated"
	suffixArtifact  = "_artifact"
	suffixCuts      = "_cuts"
	suffixSource    = "_source"
	artifactsField  = "artifacts" // what the indices refer to
	sumField        = "truncated" // whether any of several was truncated
)

// LargeFields returns the large fields of a message in the order of their
// previews. A preview is a large field when it has cuts beside it.
func LargeFields(d protoreflect.MessageDescriptor) []LargeField {
	return largeFields.of(d, readLargeFields)
}

var largeFields ofMessages[[]LargeField]

// ofMessages is what was read of the messages of the contract, and of those of custom
// families: once, because each call asks for it.
type ofMessages[T any] struct{ known sync.Map }

func (o *ofMessages[T]) of(d protoreflect.MessageDescriptor, read func(protoreflect.MessageDescriptor) T) T {
	known, ok := o.known.Load(d)
	if !ok {
		known, _ = o.known.LoadOrStore(d, read(d))
	}
	value, _ := known.(T)
	return value
}

func readLargeFields(d protoreflect.MessageDescriptor) []LargeField {
	var list []LargeField
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if isExcerpt(f) && !f.IsList() {
			list = append(list, LargeField{Name: string(f.Name()), excerpt: f})
			continue
		}
		name, ok := strings.CutSuffix(string(f.Name()), suffixPreview)
		if !ok || d.Fields().ByName(protoreflect.Name(name+suffixCuts)) == nil {
			continue
		}
		by := func(suffix string) protoreflect.FieldDescriptor {
			return d.Fields().ByName(protoreflect.Name(name + suffix))
		}
		list = append(list, LargeField{
			Name: name, preview: f, truncated: by(suffixTruncated), artifact: by(suffixArtifact),
			cuts: by(suffixCuts), source: by(suffixSource), artifacts: d.Fields().ByName(artifactsField),
		})
	}
	return list
}

func isExcerpt(f protoreflect.FieldDescriptor) bool {
	return f.Message() != nil && f.Message().FullName() == excerptName
}

var excerptName = (*pb.Excerpt)(nil).ProtoReflect().Descriptor().FullName()

// isOf reports whether a field is the one that has the large field's role: its preview
// or its Excerpt.
func (f *LargeField) isOf(d protoreflect.FieldDescriptor) bool {
	return f.preview == d || f.excerpt == d
}

// at is the path of a part of the large field, by its suffix.
func (f *LargeField) at(suffix string) string {
	if f.excerpt != nil {
		return f.Name + "." + suffix[1:]
	}
	return f.Name + suffix
}

// Has reports whether the field was captured.
func (f *LargeField) Has(m protoreflect.Message) bool {
	if f.excerpt != nil {
		return m.Has(f.excerpt)
	}
	return m.Has(f.preview)
}

// Text is the preview of the field; empty when it was not captured.
func (f *LargeField) Text(m protoreflect.Message) string {
	if f.excerpt != nil {
		return f.excerptOf(m).GetPreview()
	}
	return m.Get(f.preview).String()
}

func (f *LargeField) isTruncated(m protoreflect.Message) bool {
	if f.excerpt != nil {
		return f.excerptOf(m).GetTruncated()
	}
	return m.Get(f.truncated).Bool()
}

func (f *LargeField) excerptOf(m protoreflect.Message) *pb.Excerpt {
	if !m.Has(f.excerpt) {
		return nil
	}
	return generated(m.Get(f.excerpt).Message(), &pb.Excerpt{})
}

// hasPath reports whether an Excerpt names an artifact.
func (f *LargeField) hasPath(m protoreflect.Message) bool {
	return f.excerpt != nil && f.excerptOf(m).GetArtifact() != nil
}

// artifactsIn is how many artifacts the message has that indices can refer to.
func (f *LargeField) artifactsIn(m protoreflect.Message) int {
	if f.artifacts == nil {
		return 0
	}
	return m.Get(f.artifacts).List().Len()
}

// Large is the value of a large field.
type Large struct {
	Preview   string
	Truncated bool
	Artifact  string // path; empty when the payload was not stored
	Cuts      []*pb.Cut
	Source    *pb.SourceFacts // nil when the preview is the payload
}

// Get reads the field. An artifact index that names nothing reads as no
// artifact; ValidateCanonical rejects it.
func (f *LargeField) Get(m protoreflect.Message) Large {
	if f.excerpt != nil {
		e := f.excerptOf(m)
		return Large{
			Preview: e.GetPreview(), Truncated: e.GetTruncated(), Artifact: e.GetArtifact().GetPath(), Cuts: e.GetCuts(), Source: e.GetSource(),
		}
	}
	v := Large{Preview: m.Get(f.preview).String(), Truncated: m.Get(f.truncated).Bool()}
	if cuts := m.Get(f.cuts).List(); cuts.Len() > 0 {
		v.Cuts = make([]*pb.Cut, cuts.Len())
		for i := range v.Cuts {
			v.Cuts[i] = generated(cuts.Get(i).Message(), &pb.Cut{})
		}
	}
	if m.Has(f.source) {
		v.Source = generated(m.Get(f.source).Message(), &pb.SourceFacts{})
	}
	v.Artifact = pathAt(m, f.artifacts, f.artifact)
	return v
}

// Set writes the field. A new artifact path is appended to the message's
// artifacts, an old one keeps its index.
func (f *LargeField) Set(m protoreflect.Message, v Large) {
	if f.excerpt != nil {
		e := &pb.Excerpt{Preview: v.Preview, Truncated: v.Truncated, Cuts: v.Cuts, Source: v.Source}
		if v.Artifact != "" {
			e.Artifact = &pb.ArtifactReference{Path: v.Artifact}
		}
		m.Set(f.excerpt, protoreflect.ValueOfMessage(e.ProtoReflect()))
		return
	}
	m.Set(f.preview, protoreflect.ValueOfString(v.Preview))
	m.Set(f.truncated, protoreflect.ValueOfBool(v.Truncated))
	m.Clear(f.source)
	m.Clear(f.cuts)
	for _, c := range v.Cuts {
		m.Mutable(f.cuts).List().Append(protoreflect.ValueOfMessage(c.ProtoReflect()))
	}
	if v.Source != nil {
		m.Set(f.source, protoreflect.ValueOfMessage(v.Source.ProtoReflect()))
	}
	setPath(m, f.artifacts, f.artifact, v.Artifact)
}

// generated returns a message of the contract as its generated type. Inside of a
// message of a custom family it may be of a dynamic one.
func generated[M proto.Message](m protoreflect.Message, into M) M {
	if same, ok := m.Interface().(M); ok {
		return same
	}
	proto.Merge(into, m.Interface()) // the same message by another type
	return into
}

// pathAt is the path that an *_artifact index names; "" when it names nothing.
func pathAt(m protoreflect.Message, artifacts, index protoreflect.FieldDescriptor) string {
	list := m.Get(artifacts).List()
	if !m.Has(index) || m.Get(index).Uint() >= uint64(list.Len()) {
		return ""
	}
	return generated(list.Get(int(m.Get(index).Uint())).Message(), &pb.ArtifactReference{}).GetPath()
}

// setPath writes a path into the artifacts, where the index says; one that has no
// index yet is appended.
func setPath(m protoreflect.Message, artifacts, index protoreflect.FieldDescriptor, path string) {
	if path == "" {
		return
	}
	reference := protoreflect.ValueOfMessage((&pb.ArtifactReference{Path: path}).ProtoReflect())
	list := m.Mutable(artifacts).List()
	if m.Has(index) { // another form of the payload may have been stored since
		list.Set(int(m.Get(index).Uint()), reference)
		return
	}
	list.Append(reference)
	m.Set(index, protoreflect.ValueOfUint32(uint32(list.Len()-1)))
}

// AddArtifact returns the index of an artifact in the artifacts of a message, which
// it is appended to if it is not there.
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

// Artifacts returns the paths of the artifacts that a message names, without those of
// messages inside of it.
func Artifacts(m protoreflect.Message) (paths []string) {
	if f := m.Descriptor().Fields().ByName(artifactsField); f != nil && f.IsList() {
		for i := range m.Get(f).List().Len() {
			paths = append(paths, generated(m.Get(f).List().Get(i).Message(), &pb.ArtifactReference{}).GetPath())
		}
	}
	fields := LargeFields(m.Descriptor())
	for i := range fields {
		if fields[i].hasPath(m) {
			paths = append(paths, fields[i].Get(m).Artifact)
		}
	}
	return paths
}

// levelField is where a payload keeps its compaction level.
const levelField = "compaction_level"

// SetLevel writes the compaction level of a payload or error that has one.
func SetLevel(m protoreflect.Message, level pb.CompactionLevel) {
	if f := m.Descriptor().Fields().ByName(levelField); f != nil {
		m.Set(f, protoreflect.ValueOfEnum(level.Number()))
	}
}

// HasLevel reports whether a message has a place for a compaction level.
func HasLevel(d protoreflect.MessageDescriptor) bool { return d.Fields().ByName(levelField) != nil }

// Level reads the compaction level of a payload or error.
func Level(m protoreflect.Message) pb.CompactionLevel {
	if f := m.Descriptor().Fields().ByName(levelField); f != nil {
		return pb.CompactionLevel(m.Get(f).Enum())
	}
	return pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED
}

// supersededField is where a payload says which later result supersedes it.
const supersededField = "superseded"

// SetSuperseded says in a payload which later result supersedes it, where it has a
// place for that.
func SetSuperseded(m protoreflect.Message, s *pb.Superseded) {
	if f := m.Descriptor().Fields().ByName(supersededField); f != nil {
		m.Set(f, protoreflect.ValueOfMessage(s.ProtoReflect()))
	}
}

// SupersededBy is what a payload says of the later result that supersedes it; nil when
// it says nothing.
func SupersededBy(m protoreflect.Message) *pb.Superseded {
	f := m.Descriptor().Fields().ByName(supersededField)
	if f == nil || !m.Has(f) {
		return nil
	}
	return generated(m.Get(f).Message(), &pb.Superseded{})
}

// unchangedField is where a payload says which earlier result it repeats.
const unchangedField = "unchanged"

// UnchangedSince is what a payload says of the earlier result that it repeats; nil when
// it says nothing.
func UnchangedSince(m protoreflect.Message) *pb.OutputUnchanged {
	f := m.Descriptor().Fields().ByName(unchangedField)
	if f == nil || f.Message() == nil || !m.Has(f) {
		return nil
	}
	u, _ := m.Get(f).Message().Interface().(*pb.OutputUnchanged)
	return u
}

func needArtifacts(d protoreflect.MessageDescriptor) error {
	if d.Fields().ByName(artifactsField) == nil {
		return fmt.Errorf("message %s has something large but no %s", d.FullName(), artifactsField)
	}
	return nil
}

// Walk calls visit for a message and then for every message inside of it, with
// the path of each, in the order of the contract.
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

// IsLeaf reports whether a message belongs to a field of its parent, and holds nothing
// to visit.
func IsLeaf(d protoreflect.MessageDescriptor) bool { return slices.Contains(leaves, d.FullName()) }

// leaves are messages that belong to a field of their parent and hold nothing
// to visit.
var leaves = []protoreflect.FullName{
	(*pb.Cut)(nil).ProtoReflect().Descriptor().FullName(),
	(*pb.SourceFacts)(nil).ProtoReflect().Descriptor().FullName(),
	(*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName(),
	excerptName,
}
