package rpc

import (
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A message of 4 MiB may decode into half a gigabyte: an empty element of a list is two bytes as it is sent, and a struct of some
// hundred in memory. So a message is weighed before it is decoded, by walking over its fields. TestWeightCoversMemory compares
// with what decoding takes.

// Costs of what is decoded, in bytes, beside its content: allocations are rounded up, and lists grow in steps.
const (
	messageCost  = 16  // of an allocation
	elementCost  = 24  // of a pointer in a list
	textCost     = 48  // of a string or bytes
	scalarCost   = 24  // of a number in a list or behind a pointer, or a case of a oneof
	packedCost   = 8   // of a byte of a packed list
	entryCost    = 128 // of an entry of a map
	unknownTimes = 2   // of a byte of a field that is not known
	unknownSize  = 256 // of the struct of a message that has no Go type
	maxNesting   = 10_000
)

// layout is how a message is decoded.
type layout struct {
	size   int64 // of its struct
	fields map[protowire.Number]fieldLayout
}

// fieldLayout is how a field is decoded.
type fieldLayout struct {
	cost    int64
	text    bool                           // its bytes are kept
	message protoreflect.MessageDescriptor // nil: not a message
}

// layouts has the layouts that were needed so far, by protoreflect.MessageDescriptor.
var layouts sync.Map

// layoutOf returns the layout of a message.
func layoutOf(d protoreflect.MessageDescriptor) *layout {
	if known, ok := layouts.Load(d); ok {
		return known.(*layout)
	}
	l := &layout{size: messageCost + structSize(d), fields: map[protowire.Number]fieldLayout{}}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		l.fields[f.Number()] = layoutOfField(f)
	}
	layouts.Store(d, l)
	return l
}

// layoutOfField returns the layout of a field.
func layoutOfField(f protoreflect.FieldDescriptor) fieldLayout {
	switch {
	case f.IsMap():
		return fieldLayout{cost: entryCost, message: f.Message()}
	case f.Message() != nil:
		return fieldLayout{cost: elementCost, message: f.Message()}
	case f.Kind() == protoreflect.StringKind, f.Kind() == protoreflect.BytesKind:
		return fieldLayout{cost: textCost, text: true}
	case f.IsList(), f.HasPresence():
		return fieldLayout{cost: scalarCost}
	}
	return fieldLayout{}
}

// structSize returns the size of the struct that a message is decoded into.
func structSize(d protoreflect.MessageDescriptor) int64 {
	if d.IsMapEntry() {
		return 0
	}
	known, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		return unknownSize
	}
	return int64(reflect.TypeOf(known.Zero().Interface()).Elem().Size())
}

// Weigh returns about how many bytes of memory a message takes when it is decoded, and never much less. What cannot be decoded
// has the weight of what comes before.
func Weigh(data []byte, m proto.Message) int64 {
	return layoutOf(m.ProtoReflect().Descriptor()).weigh(data, 0)
}

// weigh returns the weight of a message at a depth.
func (l *layout) weigh(data []byte, depth int) int64 {
	weight := l.size
	if depth > maxNesting {
		return weight
	}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return weight
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return weight
		}
		f, known := l.fields[number]
		switch {
		case !known:
			weight += unknownTimes * int64(n+size)
		case kind != protowire.BytesType:
			weight += f.cost
		default:
			content, _ := protowire.ConsumeBytes(data[n:])
			weight += f.weigh(content, depth)
		}
		data = data[n+size:]
	}
	return weight
}

// weigh returns the weight of a field with a length.
func (f fieldLayout) weigh(content []byte, depth int) int64 {
	switch {
	case f.message != nil:
		return f.cost + layoutOf(f.message).weigh(content, depth+1)
	case f.text:
		return f.cost + int64(len(content))
	}
	return f.cost + packedCost*int64(len(content))
}
