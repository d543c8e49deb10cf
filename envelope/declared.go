package envelope

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// This file reads the options that declare a family (options.proto): roles and labels
// of fields, and templates of lines. It also checks what the options promise, at
// start-up: labels that a reader can tell apart, and a complete message that fills the
// canonical one. A family that passes needs no Go at all.

// FieldRole returns the role of a field of a canonical payload, and its label.
func FieldRole(f protoreflect.FieldDescriptor) (pb.Role, string) {
	role, _ := proto.GetExtension(f.Options(), pb.E_Role).(pb.Role)
	label, _ := proto.GetExtension(f.Options(), pb.E_Label).(string)
	return role, label
}

// OutcomeTemplate returns the template of the first line of a family's receipt. It
// must begin with fixed words, which are then reserved in receipts.
func OutcomeTemplate(d protoreflect.MessageDescriptor) (*Template, error) {
	text, _ := proto.GetExtension(d.Options(), pb.E_Outcome).(string)
	t, err := ParseTemplate(text, d)
	if err != nil {
		return nil, err
	}
	if len(t.Fixed()) < minFixed || !isForm(t.Fixed()) {
		return nil, fmt.Errorf("the outcome template of %s does not begin with fixed words: a letter, and %d to %d bytes of printable ASCII, with single spaces",
			d.FullName(), minFixed, maxForm)
	}
	return t, nil
}

// DefaultTokens returns the default budget of a family's receipt, in tokens.
func DefaultTokens(d protoreflect.MessageDescriptor) int {
	if n, _ := proto.GetExtension(d.Options(), pb.E_DefaultTokens).(uint32); n > 0 {
		return int(n)
	}
	return defaultTokens
}

const defaultTokens = 1000 // as options.proto states it

// Case returns the fields of a family in both result oneofs; nil for an unknown
// family.
func Case(family string) (complete, canonical protoreflect.FieldDescriptor) {
	return oneofCase((*pb.CompleteToolOutput)(nil).ProtoReflect().Descriptor(), family),
		oneofCase((*pb.CanonicalToolResult)(nil).ProtoReflect().Descriptor(), family)
}

func oneofCase(d protoreflect.MessageDescriptor, family string) protoreflect.FieldDescriptor {
	return resultOneof(d).Fields().ByName(protoreflect.Name(family))
}

// maxForm bounds the reserved beginning of a line in bytes. No more than that of a
// line of tool text is compared with it.
const maxForm = 128

// isForm reports whether a text can be the reserved beginning of a receipt line. Tool
// text that imitates it is compared with runs of space as one, so it has single
// spaces.
func isForm(text string) bool {
	if len(text) > maxForm || strings.Contains(text, "  ") {
		return false
	}
	letter := text != "" && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z')
	return letter && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// minFixed is the least length of the fixed words of an outcome, in bytes. Shorter
// ones would reserve too much of ordinary output.
const minFixed = 5

// LineTemplate returns the template for the elements of a list of messages. It returns
// nil for lists of scalars, whose lines are their values.
func LineTemplate(f protoreflect.FieldDescriptor) (*Template, error) {
	if f.Message() == nil {
		return nil, nil
	}
	text, _ := proto.GetExtension(f.Message().Options(), pb.E_Line).(string)
	if text == "" {
		return nil, fmt.Errorf("message %s is the element of a list and has no line template", f.Message().FullName())
	}
	return ParseTemplate(text, f.Message())
}

// CheckRoles checks the roles, labels and templates of a canonical payload that is
// declared by options. A payload without an outcome template is described in Go, and
// passes.
func CheckRoles(d protoreflect.MessageDescriptor) error {
	if text, _ := proto.GetExtension(d.Options(), pb.E_Outcome).(string); text == "" {
		return nil
	}
	if _, err := OutcomeTemplate(d); err != nil {
		return err
	}
	return checkRoles(d, map[protoreflect.FullName]int{}, map[string]bool{})
}

// checkRoles checks a message and the messages inside it. seen maps each type of
// message to the number of its sections; sections collects the labels of all.
func checkRoles(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]int, sections map[string]bool) error {
	before := len(sections)
	seen[d.FullName()] = 0
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		role, label := FieldRole(f)
		if err := checkRole(f, role, label); err != nil {
			return fmt.Errorf("field %s: %w", f.FullName(), err)
		}
		if role == pb.Role_ROLE_LARGE_TEXT || role == pb.Role_ROLE_LIST {
			if sections[label] {
				return fmt.Errorf("field %s: has the label %q of another section, and a reader could not tell the two apart", f.FullName(), label)
			}
			sections[label] = true
		}
		if role != pb.Role_ROLE_UNSPECIFIED || f.Message() == nil || f.IsList() {
			continue
		}
		n, again := seen[f.Message().FullName()]
		if again && n > 0 {
			return fmt.Errorf("field %s: is one more %s, whose sections would have the same labels", f.FullName(), f.Message().FullName())
		}
		if again {
			continue
		}
		if err := checkRoles(f.Message(), seen, sections); err != nil {
			return err
		}
	}
	seen[d.FullName()] = len(sections) - before
	return nil
}

// checkRole checks one field against its role.
func checkRole(f protoreflect.FieldDescriptor, role pb.Role, label string) error {
	if role != pb.Role_ROLE_UNSPECIFIED && (!isForm(label) || strings.ContainsRune(label, ':') || strings.HasSuffix(label, " ")) {
		return fmt.Errorf("has a role and no label: a letter, and then printable ASCII without a colon, with single spaces, of at most %d bytes", maxForm)
	}
	switch role {
	case pb.Role_ROLE_HANDLE:
		if Retention(f) != pb.Retention_RETENTION_KEEP {
			return errors.New("is a handle, which is always kept")
		}
		fallthrough
	case pb.Role_ROLE_FACT:
		if f.Message() != nil {
			return errors.New("is a message, and a fact has one value")
		}
	case pb.Role_ROLE_LARGE_TEXT:
		if !slices.ContainsFunc(LargeFields(f.ContainingMessage()), func(l LargeField) bool { return l.matches(f) }) {
			return fmt.Errorf("is large text, and its type is not %s", excerptName)
		}
	case pb.Role_ROLE_LIST:
		if !f.IsList() {
			return errors.New("is a list, and not repeated")
		}
		return checkElement(f)
	}
	return nil
}

// checkElement checks the templates of a list's elements, and of the lists inside
// them, which are one level deep.
func checkElement(f protoreflect.FieldDescriptor) error {
	if _, err := LineTemplate(f); err != nil || f.Message() == nil {
		return err
	}
	for _, inner := range ListFields(f.Message()) {
		if _, err := LineTemplate(inner); err != nil {
			return err
		}
	}
	return nil
}

// ListFields returns the fields of a message with ROLE_LIST.
func ListFields(d protoreflect.MessageDescriptor) (lists []protoreflect.FieldDescriptor) {
	for i := range d.Fields().Len() {
		if role, _ := FieldRole(d.Fields().Get(i)); role == pb.Role_ROLE_LIST {
			lists = append(lists, d.Fields().Get(i))
		}
	}
	return lists
}

// CheckPairs checks that a projection by name fills a whole canonical payload: each of
// its fields is derived, or the complete message has a field of the same name and
// type. Large fields are allowed at the top only, where the projection sees them.
func CheckPairs(complete, canonical protoreflect.MessageDescriptor) error {
	if err := checkSmall(canonical, map[protoreflect.FullName]bool{}); err != nil {
		return err
	}
	large := LargeFields(canonical)
	if complete == canonical && len(large) > 0 {
		return fmt.Errorf("%s has large text %s, and names no complete message with the payload %s", canonical.FullName(), large[0].Name, large[0].Name)
	}
	if complete == canonical {
		return nil
	}
	made := DerivedFields(canonical)
	for i := range canonical.Fields().Len() {
		f := canonical.Fields().Get(i)
		if made[f.Name()] {
			continue
		}
		if from := complete.Fields().ByName(f.Name()); from == nil || !SameType(from, f) {
			return fmt.Errorf("%s has no field %s of the same type", complete.FullName(), f.Name())
		}
	}
	for i := range large {
		from := complete.Fields().ByName(protoreflect.Name(large[i].Name))
		if from == nil || from.Message() == nil || from.Message().FullName() != payloadName {
			return fmt.Errorf("%s has no payload %s", complete.FullName(), large[i].Name)
		}
	}
	return nil
}

// checkSmall checks that the messages inside a payload hold nothing large, and no
// error, whose details have a form of their own.
func checkSmall(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) error {
	made := DerivedFields(d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		inner := f.Message()
		if inner == nil || made[f.Name()] || seen[inner.FullName()] {
			continue
		}
		seen[inner.FullName()] = true
		if inner.Fields().ByName(artifactsField) != nil || len(LargeFields(inner)) > 0 || inner.FullName() == errorName {
			return fmt.Errorf("field %s holds something large or an error below the top of the payload", f.FullName())
		}
		if err := checkSmall(inner, seen); err != nil {
			return err
		}
	}
	return nil
}

var (
	errorName   = (*pb.ToolError)(nil).ProtoReflect().Descriptor().FullName()
	payloadName = (*pb.Payload)(nil).ProtoReflect().Descriptor().FullName()
)

// SameType reports whether a value of one field can be set in another.
func SameType(a, b protoreflect.FieldDescriptor) bool {
	if a.Kind() != b.Kind() || a.Cardinality() != b.Cardinality() || a.HasPresence() != b.HasPresence() || oneofName(a) != oneofName(b) {
		return false
	}
	return sameInner(a, b)
}

// sameInner reports whether two fields of the same kind hold the same message or enum, if they
// hold one.
func sameInner(a, b protoreflect.FieldDescriptor) bool {
	if a.Message() != nil {
		return a.Message().FullName() == b.Message().FullName()
	}
	return a.Enum() == nil || a.Enum().FullName() == b.Enum().FullName()
}

// oneofName returns the name of the oneof that a field is in, or "". Two fields of a
// oneof exclude each other, and two others do not, so the oneof is part of a field's
// type.
func oneofName(f protoreflect.FieldDescriptor) protoreflect.Name {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o.Name()
	}
	return ""
}

// DerivedFields returns the names of the fields of a canonical payload that a
// projection derives and does not copy.
func DerivedFields(d protoreflect.MessageDescriptor) map[protoreflect.Name]bool {
	made := map[protoreflect.Name]bool{levelField: true, supersededField: true, artifactsField: true, sumField: true}
	for _, f := range LargeFields(d) {
		if f.excerpt != nil {
			made[f.excerpt.Name()] = true
			continue
		}
		for _, suffix := range []string{suffixPreview, suffixTruncated, suffixArtifact, suffixCuts, suffixSource} {
			made[protoreflect.Name(f.Name+suffix)] = true
		}
	}
	for _, l := range LargeLists(d) {
		for _, suffix := range []string{suffixTotal, suffixTruncated, suffixArtifact} {
			made[protoreflect.Name(l.Name+suffix)] = true
		}
	}
	return made
}
