package envelope

import "google.golang.org/protobuf/reflect/protoreflect"

// LargeList is a list that may be huge: the fields x, x_total, x_truncated and
// x_artifact of one message, by the convention of ledger.proto.
type LargeList struct {
	Name                                  string // x
	Field                                 protoreflect.FieldDescriptor
	total, truncated, artifact, artifacts protoreflect.FieldDescriptor
}

const suffixTotal = "_total"

// LargeLists returns the large lists of a message in the order of the contract.
func LargeLists(d protoreflect.MessageDescriptor) []LargeList {
	return largeLists.of(d, readLargeLists)
}

var largeLists ofMessages[[]LargeList]

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

// Listed are the facts of a large list; its elements stay where they are.
type Listed struct {
	Shown, Total int
	Truncated    bool
	Artifact     string // path; empty when the list was not stored
}

// Get reads the facts of the list.
func (l *LargeList) Get(m protoreflect.Message) Listed {
	return Listed{
		Shown: m.Get(l.Field).List().Len(), Total: int(m.Get(l.total).Uint()),
		Truncated: m.Get(l.truncated).Bool(), Artifact: pathAt(m, l.artifacts, l.artifact),
	}
}

// Set writes the facts of the list: a new artifact path is appended to the
// message's artifacts, an old one keeps its index.
func (l *LargeList) Set(m protoreflect.Message, v Listed) {
	m.Set(l.total, protoreflect.ValueOfUint64(uint64(v.Total)))
	m.Set(l.truncated, protoreflect.ValueOfBool(v.Truncated))
	setPath(m, l.artifacts, l.artifact, v.Artifact)
}

// SumTruncated writes the field "truncated" of a message, where it has one:
// whether any of its large fields and lists is truncated. One that has presence
// and is absent stays absent.
func SumTruncated(m protoreflect.Message) {
	sum := m.Descriptor().Fields().ByName(sumField)
	if sum == nil || sum.HasPresence() && !m.Has(sum) {
		return
	}
	truncated := false
	fields, lists := LargeFields(m.Descriptor()), LargeLists(m.Descriptor())
	for i := range fields {
		truncated = truncated || fields[i].isTruncated(m)
	}
	for i := range lists {
		truncated = truncated || m.Get(lists[i].truncated).Bool()
	}
	m.Set(sum, protoreflect.ValueOfBool(truncated))
}

// Lines are the lines of an element of a list, as receipts have them: its own,
// and those of its lists two columns in. Their values are cleaned.
func Lines(f protoreflect.FieldDescriptor, v protoreflect.Value, clean Clean) []string {
	if f.Message() == nil {
		return []string{scalarWords(f, v, clean)}
	}
	line, err := LineOf(f)
	if err != nil {
		return nil // CheckRoles refused it
	}
	m := v.Message()
	lines := []string{line.Expand(m, clean)}
	for _, inner := range ListsOf(f.Message()) {
		list := m.Get(inner).List()
		for i := range list.Len() {
			for _, text := range Lines(inner, list.Get(i), clean) {
				lines = append(lines, "  "+text)
			}
		}
	}
	return lines
}

// ListText is the whole of a list as an artifact keeps it: one JSON value in the
// RFC's form on each line.
func ListText(f protoreflect.FieldDescriptor, list protoreflect.List) []byte {
	var w writer
	for i := range list.Len() {
		w.comma = false
		w.value(f, list.Get(i))
		w.raw("\n")
	}
	return w.buf
}
