package redaction

import (
	"regexp"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// A result that is made again, when the values that were registered then are gone, has what was masked in the first one.
// The masks say where that was: they keep the place and the length of what they hide.

// maskRun matches a mask of Mask: a placeholder filled up with asterisks, or asterisks alone.
var maskRun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[redacted:[\w.-]{1,64}\]\**|\*+`)
})

// CopyMasks masks in one message what is masked in another one: in every text that is as long in both.
func CopyMasks(from, to protoreflect.Message) {
	from.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !to.Has(f) || f.IsMap() {
			return true
		}
		if !f.IsList() {
			if masked, ok := copyMask(f, v, to.Get(f)); ok {
				to.Set(f, masked)
			}
			return true
		}
		list := to.Get(f).List()
		for i := range min(v.List().Len(), list.Len()) {
			if masked, ok := copyMask(f, v.List().Get(i), list.Get(i)); ok {
				list.Set(i, masked)
			}
		}
		return true
	})
}

// copyMask returns a text with the masks of another one, and whether that has any. It copies those of a message in place.
func copyMask(f protoreflect.FieldDescriptor, from, to protoreflect.Value) (protoreflect.Value, bool) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		CopyMasks(from.Message(), to.Message())
	case protoreflect.StringKind:
		masked, ok := withMasks(from.String(), to.String())
		return protoreflect.ValueOfString(masked), ok
	case protoreflect.BytesKind:
		masked, ok := withMasks(string(from.Bytes()), string(to.Bytes()))
		return protoreflect.ValueOfBytes([]byte(masked)), ok
	}
	return to, false
}

// withMasks returns a text with the masks of another one of the same length, and whether that has any.
func withMasks(masked, text string) (string, bool) {
	runs := maskRun().FindAllStringIndex(masked, -1)
	if len(masked) != len(text) || masked == text || runs == nil {
		return text, false
	}
	out := []byte(text)
	for _, run := range runs {
		copy(out[run[0]:run[1]], masked[run[0]:run[1]])
	}
	return string(out), true
}
