package envelope

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// CheckSchema checks that a canonical payload keeps the conventions: a retention on
// every field, complete large fields, a compaction level where anything can be
// shortened, and no field that the RFC's JSON cannot express.
func CheckSchema(d protoreflect.MessageDescriptor) error {
	if err := checkSchema(d, map[protoreflect.FullName]bool{}); err != nil {
		return err
	}
	_, err := ReadTraits(d)
	return err
}

// checkSchema checks a message and the messages inside it. seen maps a message to
// whether its check is done: one that was begun and is not done contains itself.
func checkSchema(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) error {
	if done, begun := seen[d.FullName()]; done {
		return nil
	} else if begun {
		return fmt.Errorf("message %s contains itself, and JSON text has a bound on nesting", d.FullName())
	}
	seen[d.FullName()] = false
	shrinks := false
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		retention := Retention(f)
		if retention == pb.Retention_RETENTION_UNSPECIFIED {
			return fmt.Errorf("field %s has no retention", f.FullName())
		}
		shrinks = shrinks || retention != pb.Retention_RETENTION_KEEP || isExcerpt(f)
		if err := checkField(d, f); err != nil {
			return err
		}
		if f.Message() != nil && !isExcerpt(f) { // its own fields are the contract's
			if err := checkSchema(f.Message(), seen); err != nil {
				return err
			}
		}
	}
	if shrinks && d.Fields().ByName(levelField) == nil {
		return fmt.Errorf("message %s can be shortened but has no %s", d.FullName(), levelField)
	}
	seen[d.FullName()] = true
	return nil
}

// checkField checks one field of a message against the conventions that its type and
// name ask for.
func checkField(d protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) error {
	switch f.Kind() {
	case protoreflect.BytesKind, protoreflect.FloatKind, protoreflect.DoubleKind, protoreflect.GroupKind:
		return fmt.Errorf("field %s is of kind %s, which a canonical payload cannot have", f.FullName(), f.Kind())
	}
	if f.IsMap() {
		return fmt.Errorf("field %s is a map, whose order is not fixed", f.FullName())
	}
	if f.HasDefault() {
		return fmt.Errorf("field %s has a default, which receipts would state although no tool said it", f.FullName())
	}
	if err := checkEnum(f); err != nil {
		return err
	}
	if err := checkReserved(d, f); err != nil {
		return err
	}
	if isExcerpt(f) {
		return checkExcerpt(f)
	}
	if name, ok := strings.CutSuffix(string(f.Name()), suffixCuts); ok {
		if err := checkConvention(d, "large field "+name, name, largeFieldTypes); err != nil {
			return err
		}
		return checkNotDropped(d.Fields().ByName(protoreflect.Name(name + suffixPreview)))
	}
	if f.IsList() && d.Fields().ByName(f.Name()+suffixTotal) != nil {
		if err := checkConvention(d, "large list "+string(f.Name()), string(f.Name()), largeListTypes); err != nil {
			return err
		}
		return checkNotDropped(f)
	}
	return nil
}

// The types of the fields of the convention (ledger.proto), taken from fields of the
// contract. These fields are read and written by their names, so a field of the same
// name must have the same type.
var (
	largeFieldTypes = conventionTypes((*pb.FileReadResult)(nil).ProtoReflect().Descriptor(), "content",
		suffixPreview, suffixTruncated, suffixArtifact, suffixSource, suffixCuts)
	largeListTypes = conventionTypes((*pb.SearchResult)(nil).ProtoReflect().Descriptor(), "files",
		suffixTruncated, suffixArtifact, suffixTotal)
	reservedTypes = map[protoreflect.Name]protoreflect.FieldDescriptor{
		artifactsField:  (*pb.FileReadResult)(nil).ProtoReflect().Descriptor().Fields().ByName(artifactsField),
		levelField:      (*pb.FileReadResult)(nil).ProtoReflect().Descriptor().Fields().ByName(levelField),
		supersededField: (*pb.FileReadResult)(nil).ProtoReflect().Descriptor().Fields().ByName(supersededField),
	}
)

// suffixType is a suffix of the convention and a field that has its type.
type suffixType struct {
	suffix string
	field  protoreflect.FieldDescriptor
}

// conventionTypes returns the types of the fields that belong to a large field or list
// of d.
func conventionTypes(d protoreflect.MessageDescriptor, name string, suffixes ...string) (types []suffixType) {
	for _, suffix := range suffixes {
		types = append(types, suffixType{suffix, d.Fields().ByName(protoreflect.Name(name + suffix))})
	}
	return types
}

// checkConvention checks that a large field or list has all fields of the convention,
// with their types, and that those which state omissions are always kept.
func checkConvention(d protoreflect.MessageDescriptor, what, name string, types []suffixType) error {
	for _, t := range types {
		f := d.Fields().ByName(protoreflect.Name(name + t.suffix))
		if f == nil {
			return fmt.Errorf("%s of %s has no %s", what, d.FullName(), name+t.suffix)
		}
		optionalTotal := t.suffix == suffixTotal && f.Kind() == protoreflect.Uint64Kind && !f.IsList() // with presence or without
		if !isOfType(f, t.field) && !optionalTotal {
			return fmt.Errorf("%s of %s: %s is of another type than the convention says", what, d.FullName(), f.Name())
		}
		if t.suffix != suffixPreview && Retention(f) != pb.Retention_RETENTION_KEEP {
			return fmt.Errorf("%s of %s: %s says what is left out, which is always kept", what, d.FullName(), f.Name())
		}
	}
	if d.Fields().ByName(artifactsField) == nil {
		return fmt.Errorf("message %s has something large but no %s", d.FullName(), artifactsField)
	}
	return nil
}

// checkExcerpt checks a large field of a custom family, which is one Excerpt.
func checkExcerpt(f protoreflect.FieldDescriptor) error {
	switch role, _ := FieldRole(f); {
	case f.IsList():
		return fmt.Errorf("field %s is a list of %s, and each large field has a name of its own", f.FullName(), excerptName)
	case role != pb.Role_ROLE_LARGE_TEXT:
		return fmt.Errorf("field %s is of type %s, and its role is ROLE_LARGE_TEXT", f.FullName(), excerptName)
	}
	return checkNotDropped(f)
}

// checkNotDropped checks that a large field is shortened step by step, and never
// removed without a statement of its size.
func checkNotDropped(f protoreflect.FieldDescriptor) error {
	if Retention(f) == pb.Retention_RETENTION_DROP {
		return fmt.Errorf("field %s is large, and is shortened and not dropped", f.FullName())
	}
	return nil
}

// checkReserved checks the fields that a projection derives by their names. A tool's
// own field of such a name would stay empty.
func checkReserved(d protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) error {
	if want := reservedTypes[f.Name()]; want != nil && !isOfType(f, want) {
		return fmt.Errorf("field %s has a name that is reserved by the conventions, and another type", f.FullName())
	}
	if reservedTypes[f.Name()] != nil && Retention(f) != pb.Retention_RETENTION_KEEP {
		return fmt.Errorf("field %s is of the conventions, and is always kept", f.FullName())
	}
	if f.Name() == sumField && (f.Kind() != protoreflect.BoolKind || f.IsList() || len(LargeFields(d))+len(LargeLists(d)) == 0) {
		return fmt.Errorf("field %s has a name that is reserved for whether anything large beside it was truncated", f.FullName())
	}
	return nil
}

// isOfType reports whether a field can hold every value of another, absent and zero
// values such as the index 0 included.
func isOfType(f, want protoreflect.FieldDescriptor) bool {
	return f.Kind() == want.Kind() && f.IsList() == want.IsList() && (f.HasPresence() || !want.HasPresence()) && sameInner(f, want)
}

// checkEnum checks that the RFC's JSON has different names for the values of an enum.
func checkEnum(f protoreflect.FieldDescriptor) error {
	if f.Enum() == nil {
		return nil
	}
	names := map[string]protoreflect.EnumNumber{}
	for i := range f.Enum().Values().Len() {
		n := f.Enum().Values().Get(i).Number()
		name := enumName(f.Enum(), n)
		if other, known := names[name]; known && other != n {
			return fmt.Errorf("field %s has an enum of which two values are %q in JSON", f.FullName(), name)
		}
		names[name] = n
	}
	return nil
}
