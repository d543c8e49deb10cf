package envelope

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Schema is a message of the contract, or of an operator, with its options read:
// once, and not with every call.
type Schema struct {
	Fields []Field // in the order of the contract
	large  []LargeField
}

// Field is one field of a Schema.
type Field struct {
	Desc     protoreflect.FieldDescriptor
	Role     pb.Role
	Label    string
	Large    *LargeField // that the field is, or whose preview; nil for others
	List     *LargeList  // that the field is; nil for others
	Made     bool        // a projection makes the field, and does not copy it
	Required bool
	MaxBytes int     // of a string
	MaxItems int     // of a list
	Inner    *Schema // of a message; nil for others
}

// Bounds of fields that say nothing else, as options.proto states them.
const (
	defaultMaxBytes = 1024
	defaultMaxItems = 64
	limitMaxBytes    = 65_536
	limitMaxItems    = 10_000
)

// NewSchema reads the options of a message and of those inside of it.
func NewSchema(d protoreflect.MessageDescriptor) *Schema {
	return newSchema(d, map[protoreflect.FullName]*Schema{})
}

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
		f.Made = made[f.Desc.Name()]
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

func bound(f protoreflect.FieldDescriptor, x protoreflect.ExtensionType, missing int) int {
	if n, _ := proto.GetExtension(f.Options(), x).(uint32); n > 0 {
		return int(n)
	}
	return missing
}

// Field returns the field of a name, or nil.
func (s *Schema) Field(name protoreflect.Name) *Field {
	for i := range s.Fields {
		if s.Fields[i].Desc.Name() == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// LargeField returns the large field of a name, or nil.
func (s *Schema) LargeField(name string) *LargeField {
	for i := range s.large {
		if s.large[i].Name == name {
			return &s.large[i]
		}
	}
	return nil
}
