package envelope

import (
	"fmt"
	"path"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// changes is where a payload has paths that were changed.
type changes struct {
	list protoreflect.FieldDescriptor // whose elements have the path; nil when the payload has it
	path protoreflect.FieldDescriptor
	// of an element: enums of which a value says that the path was left as it was
	left []protoreflect.FieldDescriptor
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
			c.left = leftBy(in, c.path)
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

// leftBy returns the enums of a message with a value that leaves a path as it was.
func leftBy(d protoreflect.MessageDescriptor, p protoreflect.FieldDescriptor) (list []protoreflect.FieldDescriptor) {
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
			if m := elements.Get(i).Message(); !c.leftIn(m) {
				list = appendPath(list, m.Get(c.path).String())
			}
		}
	}
	return list
}

// leftIn reports whether an element says that its path was left as it was.
func (c *changes) leftIn(m protoreflect.Message) bool {
	for _, f := range c.left {
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
