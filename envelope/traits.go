package envelope

import (
	"fmt"

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

// TraitsOf reads the options of a canonical message.
func TraitsOf(d protoreflect.MessageDescriptor) (*Traits, error) {
	t := readTraits(d)
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

// readTraits reads all but the subject and the paths. No message of a payload contains itself;
// CheckSchema sees to it.
func readTraits(d protoreflect.MessageDescriptor) *Traits {
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
			if inner := readTraits(f.Message()); !inner.empty() {
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
