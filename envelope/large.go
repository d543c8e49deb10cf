package envelope

import (
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Large fields and lists follow a naming convention, so one piece of code reads and
// writes them in every family: previews with their ledger, lists with their totals,
// and the artifacts that both refer to by index. Inside a custom family a large field
// is one message, an Excerpt, which has a path in the place of an index.

// LargeField gives access to a field x that may be huge. In a family of the contract
// it is the fields x_preview, x_truncated, x_artifact, x_cuts and x_source of one
// message, by the naming convention of ledger.proto; in a custom family it is one
// Excerpt.
type LargeField struct {
	Name                             string                       // x
	excerpt                          protoreflect.FieldDescriptor // nil for a family of the contract
	preview, truncated, cuts, source protoreflect.FieldDescriptor // nil for an Excerpt
	artifact, artifacts              protoreflect.FieldDescriptor // nil for an Excerpt
}

// The suffixes and names of the convention.
const (
	suffixPreview   = "_preview"
	suffixTruncated = "_truncated"
	suffixArtifact  = "_artifact"
	suffixCuts      = "_cuts"
	suffixSource    = "_source"
	artifactsField  = "artifacts" // the list that indices refer to
	sumField        = "truncated" // states whether any large field or list of the message is truncated
)

// LargeFields returns the large fields of a message, in the order of their previews. A
// preview is a large field when it has cuts beside it.
func LargeFields(d protoreflect.MessageDescriptor) []LargeField {
	return largeFields.get(d, readLargeFields)
}

// largeFields caches the large fields of messages.
var largeFields messageCache[[]LargeField]

// messageCache caches what was read from the descriptor of a message, because every
// call needs it. Safe for concurrent use. It grows with the number of message types
// only, which is fixed after start-up.
type messageCache[T any] struct{ entries sync.Map }

// get returns the cached value for a message, which read computes the first time.
func (o *messageCache[T]) get(d protoreflect.MessageDescriptor, read func(protoreflect.MessageDescriptor) T) T {
	known, ok := o.entries.Load(d)
	if !ok {
		known, _ = o.entries.LoadOrStore(d, read(d))
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

// isExcerpt reports whether a field holds an Excerpt.
func isExcerpt(f protoreflect.FieldDescriptor) bool {
	return f.Message() != nil && f.Message().FullName() == excerptName
}

var excerptName = (*pb.Excerpt)(nil).ProtoReflect().Descriptor().FullName()

// matches reports whether a field carries the role of the large field: its preview or
// its Excerpt.
func (f *LargeField) matches(d protoreflect.FieldDescriptor) bool {
	return f.preview == d || f.excerpt == d
}

// partPath returns the path of a part of the large field, given its suffix.
func (f *LargeField) partPath(suffix string) string {
	if f.excerpt != nil {
		return f.Name + "." + suffix[1:]
	}
	return f.Name + suffix
}

// Has reports whether the field was captured. An empty field that was captured differs
// from one that was not.
func (f *LargeField) Has(m protoreflect.Message) bool {
	if f.excerpt != nil {
		return m.Has(f.excerpt)
	}
	return m.Has(f.preview)
}

// Text returns the preview; empty when the field was not captured.
func (f *LargeField) Text(m protoreflect.Message) string {
	if f.excerpt != nil {
		return f.excerptIn(m).GetPreview()
	}
	return m.Get(f.preview).String()
}

func (f *LargeField) isTruncated(m protoreflect.Message) bool {
	if f.excerpt != nil {
		return f.excerptIn(m).GetTruncated()
	}
	return m.Get(f.truncated).Bool()
}

// excerptIn returns the Excerpt in a message; nil when it is absent.
func (f *LargeField) excerptIn(m protoreflect.Message) *pb.Excerpt {
	if !m.Has(f.excerpt) {
		return nil
	}
	return generated(m.Get(f.excerpt).Message(), &pb.Excerpt{})
}

// hasPath reports whether an Excerpt names an artifact.
func (f *LargeField) hasPath(m protoreflect.Message) bool {
	return f.excerpt != nil && f.excerptIn(m).GetArtifact() != nil
}

// sourceIn returns the source facts in a message; nil when they are absent.
func (f *LargeField) sourceIn(m protoreflect.Message) *pb.SourceFacts {
	if f.excerpt != nil {
		return f.excerptIn(m).GetSource()
	}
	if !m.Has(f.source) {
		return nil
	}
	return generated(m.Get(f.source).Message(), &pb.SourceFacts{})
}

// countArtifacts returns the number of artifacts that indices of the message can refer
// to.
func (f *LargeField) countArtifacts(m protoreflect.Message) int {
	if f.artifacts == nil {
		return 0
	}
	return m.Get(f.artifacts).List().Len()
}

// Large is the value of a large field.
type Large struct {
	Preview   string
	Truncated bool
	Artifact  string // path; empty when the payload is not stored
	Original  string // path of the payload as it was given, beside its readable form; empty for others
	Cuts      []*pb.Cut
	Source    *pb.SourceFacts // nil when the preview is the payload
}

// Get returns the value of the field. An artifact index out of range reads as no
// artifact; ValidateCanonical rejects it.
func (f *LargeField) Get(m protoreflect.Message) Large {
	if f.excerpt != nil {
		e := f.excerptIn(m)
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
	if v.Source != nil && v.Source.OriginalArtifact != nil {
		v.Original = pathOf(m.Get(f.artifacts).List(), uint64(v.Source.GetOriginalArtifact()))
	}
	return v
}

// Set writes the value of the field. A new artifact path is appended to the message's
// artifacts, an existing one keeps its index.
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

// generated returns a message of the contract as its generated type. Inside the
// message of a custom family it may be a dynamic one, which is copied.
func generated[M proto.Message](m protoreflect.Message, into M) M {
	if same, ok := m.Interface().(M); ok {
		return same
	}
	proto.Merge(into, m.Interface()) // the same message by another type
	return into
}

// pathAt returns the path that an artifact index names; "" when it names none.
func pathAt(m protoreflect.Message, artifacts, index protoreflect.FieldDescriptor) string {
	if !m.Has(index) {
		return ""
	}
	return pathOf(m.Get(artifacts).List(), m.Get(index).Uint())
}

// pathOf returns the path of an artifact in a list; empty if the index is out of range.
func pathOf(list protoreflect.List, index uint64) string {
	if index >= uint64(list.Len()) {
		return ""
	}
	return generated(list.Get(int(index)).Message(), &pb.ArtifactReference{}).GetPath()
}

// setPath writes a path into the artifacts, at the index if there is one and at the
// end otherwise.
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

// OmittedNames returns the names that compaction kept of the texts of a message and of those
// inside it, and that these do not show any more, each once.
func OmittedNames(m protoreflect.Message) []string {
	if m == nil || !m.IsValid() {
		return nil
	}
	var names []string
	shown := ""
	eachLarge(m, func(v *Large) {
		names = append(names, v.Source.GetNames()...)
		shown += v.Preview + "\n"
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		known := seen[name] || strings.Contains(shown, name[strings.LastIndexByte(name, ' ')+1:])
		seen[name] = true
		return known
	})
}

// eachLarge visits the large fields with names of a message and of the messages inside it.
func eachLarge(m protoreflect.Message, visit func(*Large)) {
	for _, f := range LargeFields(m.Descriptor()) {
		if f.sourceIn(m).GetNames() != nil {
			v := f.Get(m)
			visit(&v)
		}
	}
	for _, f := range innerTexts.get(m.Descriptor(), readInnerTexts) {
		switch {
		case f.IsList():
			for i := range m.Get(f).List().Len() {
				eachLarge(m.Get(f).List().Get(i).Message(), visit)
			}
		case m.Has(f):
			eachLarge(m.Get(f).Message(), visit)
		}
	}
}

// innerTexts caches the fields of messages that hold messages with large fields.
var innerTexts messageCache[[]protoreflect.FieldDescriptor]

func readInnerTexts(d protoreflect.MessageDescriptor) (list []protoreflect.FieldDescriptor) {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.Message() == nil || f.IsMap() || IsLeaf(f.Message()) {
			continue
		}
		if len(LargeFields(f.Message())) > 0 || len(innerTexts.get(f.Message(), readInnerTexts)) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// LargeList gives access to a list x that may be huge: the fields x, x_total,
// x_truncated and x_artifact of one message, by the naming convention of ledger.proto.
type LargeList struct {
	Name                                  string // x
	Field                                 protoreflect.FieldDescriptor
	total, truncated, artifact, artifacts protoreflect.FieldDescriptor
}

const suffixTotal = "_total"

// LargeLists returns the large lists of a message in the order of the contract.
func LargeLists(d protoreflect.MessageDescriptor) []LargeList {
	return largeLists.get(d, readLargeLists)
}

var largeLists messageCache[[]LargeList]

func readLargeLists(d protoreflect.MessageDescriptor) []LargeList {
	var lists []LargeList
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		by := func(suffix string) protoreflect.FieldDescriptor {
			return d.Fields().ByName(f.Name() + protoreflect.Name(suffix))
		}
		if f.IsList() && by(suffixTotal) != nil {
			lists = append(lists, LargeList{
				Name: string(f.Name()), Field: f, total: by(suffixTotal), truncated: by(suffixTruncated),
				artifact: by(suffixArtifact), artifacts: d.Fields().ByName(artifactsField),
			})
		}
	}
	return lists
}

// Listed holds the facts of a large list. The elements stay in the message.
type Listed struct {
	Shown, Total int
	Truncated    bool
	Artifact     string // path; empty when the list is not stored
}

// Get returns the facts of the list.
func (l *LargeList) Get(m protoreflect.Message) Listed {
	return Listed{
		Shown: m.Get(l.Field).List().Len(), Total: int(m.Get(l.total).Uint()),
		Truncated: m.Get(l.truncated).Bool(), Artifact: pathAt(m, l.artifacts, l.artifact),
	}
}

// Set writes the facts of the list. A new artifact path is appended to the message's
// artifacts, an existing one keeps its index.
func (l *LargeList) Set(m protoreflect.Message, v Listed) {
	m.Set(l.total, protoreflect.ValueOfUint64(uint64(v.Total)))
	m.Set(l.truncated, protoreflect.ValueOfBool(v.Truncated))
	setPath(m, l.artifacts, l.artifact, v.Artifact)
}

// SumTruncated writes the field "truncated" of a message: whether any of its large
// fields and lists is truncated. A message without the field stays as it is, and so
// does an absent field with presence.
func SumTruncated(m protoreflect.Message) {
	sum := m.Descriptor().Fields().ByName(sumField)
	if sum == nil || sum.HasPresence() && !m.Has(sum) {
		return
	}
	truncated := false
	for _, f := range LargeFields(m.Descriptor()) {
		truncated = truncated || f.isTruncated(m)
	}
	for _, l := range LargeLists(m.Descriptor()) {
		truncated = truncated || m.Get(l.truncated).Bool()
	}
	m.Set(sum, protoreflect.ValueOfBool(truncated))
}
