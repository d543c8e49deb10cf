package auditapi

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// firstDifference says where two messages of one type differ first, in the order of their
// fields: the path and, of texts, the byte. It is empty when they are the same. It never
// has what stands there.
func firstDifference(path string, a, b protoreflect.Message) string {
	if a.IsValid() != b.IsValid() {
		return path + ": is there once and not the other time"
	}
	fields := a.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		at := path + "." + string(f.Name())
		switch {
		case a.Has(f) != b.Has(f):
			return at + ": is there once and not the other time"
		case !a.Has(f):
		case f.IsList():
			if d := differentLists(at, f, a.Get(f).List(), b.Get(f).List()); d != "" {
				return d
			}
		case f.IsMap():
			if !a.Get(f).Equal(b.Get(f)) {
				return at + ": differs"
			}
		default:
			if d := differentValues(at, f, a.Get(f), b.Get(f)); d != "" {
				return d
			}
		}
	}
	if !bytes.Equal(a.GetUnknown(), b.GetUnknown()) {
		return path + ": has other fields that this program does not know"
	}
	return ""
}

func differentLists(path string, f protoreflect.FieldDescriptor, a, b protoreflect.List) string {
	for i := range min(a.Len(), b.Len()) {
		if d := differentValues(fmt.Sprintf("%s[%d]", path, i), f, a.Get(i), b.Get(i)); d != "" {
			return d
		}
	}
	if a.Len() != b.Len() {
		return fmt.Sprintf("%s: has %d elements, and %d were answered", path, b.Len(), a.Len())
	}
	return ""
}

func differentValues(path string, f protoreflect.FieldDescriptor, a, b protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return firstDifference(path, a.Message(), b.Message())
	case protoreflect.StringKind:
		if at := firstByte(a.String(), b.String()); at >= 0 {
			return fmt.Sprintf("%s: differs from byte %d on", path, at)
		}
	case protoreflect.BytesKind:
		if at := firstByte(string(a.Bytes()), string(b.Bytes())); at >= 0 {
			return fmt.Sprintf("%s: differs from byte %d on", path, at)
		}
	default:
		if !a.Equal(b) {
			return path + ": has another value"
		}
	}
	return ""
}

// firstByte is where two texts differ first; -1 when they are the same.
func firstByte(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}
