package envelope

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Schema holds the options of a message, read once. Immutable, and safe for concurrent
// use.
type Schema struct {
	Fields []Field // in the order of the contract
	large  []LargeField
}

// Field holds the options of one field of a message.
type Field struct {
	Desc     protoreflect.FieldDescriptor
	Role     pb.Role
	Label    string
	Large    *LargeField // the large field that it is or previews; nil for others
	List     *LargeList  // the large list that it is; nil for others
	Derived  bool        // a projection derives the field and does not copy it
	Required bool
	MaxBytes int     // of a string
	MaxItems int     // of a list
	Inner    *Schema // of a message; nil for scalars
}

// Bounds of fields, as options.proto states them: what holds without an option, and
// the highest values of the options.
const (
	defaultMaxBytes = 1024
	defaultMaxItems = 64
	limitMaxBytes   = 65_536
	limitMaxItems   = 10_000
)

// NewSchema reads the options of a message and of the messages inside it.
func NewSchema(d protoreflect.MessageDescriptor) *Schema {
	return newSchema(d, map[protoreflect.FullName]*Schema{})
}

// newSchema reuses the schemas in seen, so that a message may contain itself.
func newSchema(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]*Schema) *Schema {
	if s := seen[d.FullName()]; s != nil {
		return s
	}
	s := &Schema{large: LargeFields(d), Fields: make([]Field, d.Fields().Len())}
	lists, made := LargeLists(d), DerivedFields(d)
	seen[d.FullName()] = s
	for i := range s.Fields {
		f := &s.Fields[i]
		f.Desc = d.Fields().Get(i)
		f.Role, f.Label = FieldRole(f.Desc)
		f.Derived = made[f.Desc.Name()]
		f.Required, _ = proto.GetExtension(f.Desc.Options(), pb.E_Required).(bool)
		f.MaxBytes = bound(f.Desc, pb.E_MaxBytes, defaultMaxBytes)
		f.MaxItems = bound(f.Desc, pb.E_MaxItems, defaultMaxItems)
		for j := range s.large {
			if s.large[j].matches(f.Desc) {
				f.Large = &s.large[j]
			}
		}
		for j := range lists {
			if lists[j].Field == f.Desc {
				f.List = &lists[j]
			}
		}
		if f.Desc.Message() != nil {
			f.Inner = newSchema(f.Desc.Message(), seen)
		}
	}
	return s
}

// bound returns the value of an option, or missing when it is not set.
func bound(f protoreflect.FieldDescriptor, x protoreflect.ExtensionType, missing int) int {
	if n, _ := proto.GetExtension(f.Options(), x).(uint32); n > 0 {
		return int(n)
	}
	return missing
}

// Field returns the field with a name; nil for an unknown one.
func (s *Schema) Field(name protoreflect.Name) *Field {
	for i := range s.Fields {
		if s.Fields[i].Desc.Name() == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// LargeField returns the large field with a name; nil for an unknown one.
func (s *Schema) LargeField(name string) *LargeField {
	for i := range s.large {
		if s.large[i].Name == name {
			return &s.large[i]
		}
	}
	return nil
}
