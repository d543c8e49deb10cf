package envelope

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Compaction and the metrics ask the same questions about every result: what is it
// about, did it fail, which files did it read or change. The options subject,
// means_failure, means_no_failure, means_uncertain, reads, changes and unchanged_path answer them
// without code for any family.

// Traits states what a result means among others: its subject, whether it is a
// failure, and which files it read or changed. It is read from the options of a
// canonical message. Immutable, and safe for concurrent use.
type Traits struct {
	subject   *Template                    // nil for none
	reads     protoreflect.FieldDescriptor // path of the file that was read; nil for none
	changes   []changes
	failures  []protoreflect.FieldDescriptor // fields with the option means_failure
	excuses   []protoreflect.FieldDescriptor // enums with a value that means no failure
	uncertain []protoreflect.FieldDescriptor // fields with the option means_uncertain
	inner     []innerTraits                  // messages inside it that have any of these
}

// innerTraits holds the Traits of the messages in a field.
type innerTraits struct {
	field protoreflect.FieldDescriptor
	*Traits
}

// ReadTraits reads the options of a canonical message.
func ReadTraits(d protoreflect.MessageDescriptor) (*Traits, error) {
	t := collectTraits(d)
	if err := t.readPaths(d); err != nil {
		return nil, fmt.Errorf("%w of %s", err, d.FullName())
	}
	text, _ := proto.GetExtension(d.Options(), pb.E_Subject).(string)
	if text == "" {
		return t, nil
	}
	var err error
	if t.subject, err = ParseTemplate(text, d); err != nil {
		return nil, fmt.Errorf("subject of %s: %w", d.FullName(), err)
	}
	return t, nil
}

// collectTraits reads the options about failures. No message of a payload contains
// itself; CheckSchema rejects that.
func collectTraits(d protoreflect.MessageDescriptor) *Traits {
	t := &Traits{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if MeansFailure(f) {
			t.failures = append(t.failures, f)
		}
		if means, _ := proto.GetExtension(f.Options(), pb.E_MeansUncertain).(bool); means {
			t.uncertain = append(t.uncertain, f)
		}
		switch {
		case f.Enum() != nil && hasExcuse(f.Enum()):
			t.excuses = append(t.excuses, f)
		case f.Message() != nil:
			if inner := collectTraits(f.Message()); !inner.empty() {
				t.inner = append(t.inner, innerTraits{f, inner})
			}
		}
	}
	return t
}

// MeansFailure reports whether a field that is set states a failure.
func MeansFailure(f protoreflect.FieldDescriptor) bool {
	means, _ := proto.GetExtension(f.Options(), pb.E_MeansFailure).(bool)
	return means
}

// hasExcuse reports whether an enum has a value that means no failure.
func hasExcuse(e protoreflect.EnumDescriptor) bool {
	for i := range e.Values().Len() {
		if excuses(e.Values().Get(i)) {
			return true
		}
	}
	return false
}

// excuses reports whether a value means no failure. It is false for nil, a value of a
// newer contract.
func excuses(v protoreflect.EnumValueDescriptor) bool {
	if v == nil {
		return false // of a later version
	}
	means, _ := proto.GetExtension(v.Options(), pb.E_MeansNoFailure).(bool)
	return means
}

func (t *Traits) empty() bool {
	return len(t.failures)+len(t.excuses)+len(t.uncertain)+len(t.inner) == 0
}

// Subject returns the subject of a payload; empty when it states none.
func (t *Traits) Subject(payload protoreflect.Message) string {
	if t.subject == nil {
		return ""
	}
	return t.subject.Expand(payload, AsIs)
}

// Failed reports whether a payload states a failure: of itself, or of an element of
// its lists.
func (t *Traits) Failed(payload protoreflect.Message) bool {
	own, excused, listed := t.verdict(payload)
	return own && !excused || listed
}

// Uncertain reports whether a payload, or an element of its lists, states that nothing
// says whether it failed.
func (t *Traits) Uncertain(payload protoreflect.Message) bool {
	if slices.ContainsFunc(t.uncertain, payload.Has) {
		return true
	}
	for _, in := range t.inner {
		switch {
		case in.field.IsList():
			list := payload.Get(in.field).List()
			for i := range list.Len() {
				if in.Uncertain(list.Get(i).Message()) {
					return true
				}
			}
		case payload.Has(in.field) && in.Uncertain(payload.Get(in.field).Message()):
			return true
		}
	}
	return false
}

// verdict examines a message and the messages inside it. An excuse covers the whole
// message, but not the elements of lists, which stand for themselves.
func (t *Traits) verdict(m protoreflect.Message) (failed, excused, listed bool) {
	for _, f := range t.failures {
		failed = failed || m.Has(f) && (f.Message() != nil || !isZero(m.Get(f)))
	}
	for _, f := range t.excuses {
		excused = excused || excuses(f.Enum().Values().ByNumber(m.Get(f).Enum()))
	}
	for _, in := range t.inner {
		switch {
		case in.field.IsList():
			list := m.Get(in.field).List()
			for i := range list.Len() {
				listed = listed || in.Failed(list.Get(i).Message())
			}
		case m.Has(in.field):
			f, e, l := in.verdict(m.Get(in.field).Message())
			failed, excused, listed = failed || f, excused || e, listed || l
		}
	}
	return failed, excused, listed
}

// isZero reports whether a scalar is zero, false or empty.
func isZero(v protoreflect.Value) bool { return reflect.ValueOf(v.Interface()).IsZero() }

// changes is where a payload holds paths of changed files.
type changes struct {
	list protoreflect.FieldDescriptor // list whose elements hold the path; nil when the payload itself holds it
	path protoreflect.FieldDescriptor
	// of an element: enums of which a value says that the path was left as it was
	unchangedBy []protoreflect.FieldDescriptor
}

// readPaths reads the options reads and changes.
func (t *Traits) readPaths(d protoreflect.MessageDescriptor) (err error) {
	if name, _ := proto.GetExtension(d.Options(), pb.E_Reads).(string); name != "" {
		if t.reads, err = pathField(d, name); err != nil {
			return fmt.Errorf("option reads: %w", err)
		}
	}
	names, _ := proto.GetExtension(d.Options(), pb.E_Changes).([]string)
	for _, name := range names {
		c := changes{}
		in := d
		if list, inside, ok := strings.Cut(name, "."); ok {
			c.list = d.Fields().ByName(protoreflect.Name(list))
			if c.list == nil || !c.list.IsList() || c.list.Message() == nil {
				return fmt.Errorf("option changes: %s is no list of messages", list)
			}
			in, name = c.list.Message(), inside
		}
		if c.path, err = pathField(in, name); err != nil {
			return fmt.Errorf("option changes: %w", err)
		}
		if c.list != nil {
			c.unchangedBy = unchangedEnums(in, c.path)
		}
		t.changes = append(t.changes, c)
	}
	return nil
}

// pathField returns the field of a message with a path.
func pathField(d protoreflect.MessageDescriptor, name string) (protoreflect.FieldDescriptor, error) {
	f := d.Fields().ByName(protoreflect.Name(name))
	if f == nil || f.Kind() != protoreflect.StringKind || f.IsList() {
		return nil, fmt.Errorf("%s has no string %s", d.Name(), name)
	}
	return f, nil
}

// unchangedEnums returns the enums of a message with a value that leaves a path as it
// was.
func unchangedEnums(d protoreflect.MessageDescriptor, p protoreflect.FieldDescriptor) (list []protoreflect.FieldDescriptor) {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.Enum() == nil || f.IsList() {
			continue
		}
		for j := range f.Enum().Values().Len() {
			if keepsPath(f.Enum().Values().Get(j), p) {
				list = append(list, f)
				break
			}
		}
	}
	return list
}

// keepsPath reports whether a value leaves the path as it was. It is false for nil, a
// value of a newer contract.
func keepsPath(v protoreflect.EnumValueDescriptor, p protoreflect.FieldDescriptor) bool {
	if v == nil {
		return false // of a later version
	}
	name, _ := proto.GetExtension(v.Options(), pb.E_UnchangedPath).(string)
	return name == string(p.Name())
}

// Reads returns the path of the file that a payload shows; empty for none. Paths are
// equal if they are equal text after path.Clean: a relative and an absolute path never
// are, because nobody knows where the relative one begins.
func (t *Traits) Reads(payload protoreflect.Message) string {
	if t.reads == nil {
		return ""
	}
	return cleanPath(payload.Get(t.reads).String())
}

// Changes returns the paths of the files that a payload states as changed, cleaned as
// those of Reads are.
func (t *Traits) Changes(payload protoreflect.Message) (list []string) {
	for _, c := range t.changes {
		if c.list == nil {
			list = appendPath(list, payload.Get(c.path).String())
			continue
		}
		elements := payload.Get(c.list).List()
		for i := range elements.Len() {
			if m := elements.Get(i).Message(); !c.isUnchanged(m) {
				list = appendPath(list, m.Get(c.path).String())
			}
		}
	}
	return list
}

// isUnchanged reports whether an element states that its path was left as it was.
func (c *changes) isUnchanged(m protoreflect.Message) bool {
	return slices.ContainsFunc(c.unchangedBy, func(f protoreflect.FieldDescriptor) bool {
		return keepsPath(f.Enum().Values().ByNumber(m.Get(f).Enum()), c.path)
	})
}

// appendPath appends a cleaned path, unless it is empty.
func appendPath(list []string, text string) []string {
	if text = cleanPath(text); text != "" {
		list = append(list, text)
	}
	return list
}

// cleanPath is path.Clean, except that an empty path stays empty.
func cleanPath(text string) string {
	if text == "" {
		return ""
	}
	return path.Clean(text)
}
