package envelope

import (
	"fmt"
	"path"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Traits are what the options of a canonical message say of a result among others:
// what it is about, whether it is a failure, and which files it read or changed.
type Traits struct {
	subject  *Template                    // nil for none
	reads    protoreflect.FieldDescriptor // with the path that was read; nil for none
	changes  []changes
	failures []protoreflect.FieldDescriptor
	excuses  []protoreflect.FieldDescriptor // enums of which a value means no failure
	inner    []innerTraits                  // of messages inside that have any
}

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

// collectTraits reads all but the subject and the paths. No message of a payload contains itself;
// CheckSchema sees to it.
func collectTraits(d protoreflect.MessageDescriptor) *Traits {
	t := &Traits{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if MeansFailure(f) {
			t.failures = append(t.failures, f)
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

// MeansFailure reports whether a field that is set says of a failure.
func MeansFailure(f protoreflect.FieldDescriptor) bool {
	means, _ := proto.GetExtension(f.Options(), pb.E_MeansFailure).(bool)
	return means
}

func hasExcuse(e protoreflect.EnumDescriptor) bool {
	for i := range e.Values().Len() {
		if excuses(e.Values().Get(i)) {
			return true
		}
	}
	return false
}

func excuses(v protoreflect.EnumValueDescriptor) bool {
	if v == nil {
		return false // of a later version
	}
	means, _ := proto.GetExtension(v.Options(), pb.E_MeansNoFailure).(bool)
	return means
}

func (t *Traits) empty() bool { return len(t.failures)+len(t.excuses)+len(t.inner) == 0 }

// Subject is what a payload is about; empty when it does not say.
func (t *Traits) Subject(payload protoreflect.Message) string {
	if t.subject == nil {
		return ""
	}
	return t.subject.Expand(payload, AsIs)
}

// Failed reports whether a payload says of a failure: of itself, or of an element of
// its lists.
func (t *Traits) Failed(payload protoreflect.Message) bool {
	own, excused, listed := t.verdict(payload)
	return own && !excused || listed
}

// verdict looks at a message and those inside of it: elements of lists speak for
// themselves.
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

func isZero(v protoreflect.Value) bool {
	switch n := v.Interface().(type) {
	case bool:
		return !n
	case int32:
		return n == 0
	case int64:
		return n == 0
	case uint32:
		return n == 0
	case uint64:
		return n == 0
	case string:
		return n == ""
	case protoreflect.EnumNumber:
		return n == 0
	}
	return false
}

// changes is where a payload has paths that were changed.
type changes struct {
	list protoreflect.FieldDescriptor // whose elements have the path; nil when the payload has it
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

// unchangedEnums returns the enums of a message with a value that leaves a path as it was.
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

func keepsPath(v protoreflect.EnumValueDescriptor, p protoreflect.FieldDescriptor) bool {
	if v == nil {
		return false // of a later version
	}
	name, _ := proto.GetExtension(v.Options(), pb.E_UnchangedPath).(string)
	return name == string(p.Name())
}

// Reads returns the path that a payload is of; empty when it is of none. Two paths are the
// same when they are as text, after path.Clean: a relative and an absolute one never are,
// because nobody says where the relative one begins.
func (t *Traits) Reads(payload protoreflect.Message) string {
	if t.reads == nil {
		return ""
	}
	return cleanPath(payload.Get(t.reads).String())
}

// Changes returns the paths that a payload says were changed, as Reads returns them.
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

// isUnchanged reports whether an element says that its path was left as it was.
func (c *changes) isUnchanged(m protoreflect.Message) bool {
	for _, f := range c.unchangedBy {
		if keepsPath(f.Enum().Values().ByNumber(m.Get(f).Enum()), c.path) {
			return true
		}
	}
	return false
}

func appendPath(list []string, text string) []string {
	if text = cleanPath(text); text != "" {
		list = append(list, text)
	}
	return list
}

func cleanPath(text string) string {
	if text == "" {
		return ""
	}
	return path.Clean(text)
}
