package admission

import (
	"bytes"
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// MaxElements is how many messages a message may have inside. An empty one takes two bytes as it is sent and some 256 when it is
// decoded, so that 4 MiB of them would be half a gigabyte.
const MaxElements = 1 << 17

// Weight is what an encoded message says of the memory that the work on it takes.
type Weight struct {
	Bytes    int64 // its size
	Elements int64 // messages inside; a large one counts more than once, and eight texts of a list as one
	Payloads int64 // of the messages inside
	Newlines int64 // in all of it
	Tokens   int64 // the largest budget that it has

	texts int64 // in lists
}

// Weigh weighs an encoded message. It stops at what cannot be decoded, which is rejected when it is.
func Weigh(encoded []byte, d protoreflect.MessageDescriptor) Weight {
	w := Weight{Bytes: int64(len(encoded))}
	w.message(encoded, d, nested)
	w.Elements += w.texts / 8
	if d.FullName() == transcriptName {
		w.Bytes *= 3
	}
	if w.Tokens > 0 {
		w.Newlines = int64(bytes.Count(encoded, []byte{'\n'}))
	}
	return w
}

// Lines returns how many lines may be shown beside those that are counted with the bytes of a message.
func (w Weight) Lines() int64 {
	most := min(2*w.Tokens, mostLines)
	if most <= usualLines {
		return 0
	}
	return min(w.Newlines, most*max(1, w.Payloads))
}

// nested is how deep messages are counted. Those further inside are in fields that no message of the contract has.
const nested = 64

// The messages of the contract that say something of memory, and the field of a budget.
const (
	payloadName = "toolresult.v1.Payload"
	budgetName  = "toolresult.v1.Budget"
	// A transcript is read as a tree of messages.
	transcriptName = "toolresult.v1.LintTranscriptRequest"
	budgetTokens   = 1
)

// message weighs the fields of a message.
func (w *Weight) message(b []byte, d protoreflect.MessageDescriptor, depth int) {
	if d.FullName() == payloadName {
		w.Payloads++
	}
	for len(b) > 0 && depth > 0 {
		number, wire, size := protowire.ConsumeTag(b)
		if size < 0 {
			return
		}
		b = b[size:]
		if size = protowire.ConsumeFieldValue(number, wire, b); size < 0 {
			return
		}
		value := b[:size]
		b = b[size:]
		switch wire {
		case protowire.BytesType:
			f := d.Fields().ByNumber(number)
			switch {
			case f == nil:
			case f.Message() != nil:
				inner, _ := protowire.ConsumeBytes(value)
				w.Elements += elementsOf(f.Message())
				w.message(inner, f.Message(), depth-1)
			case f.IsList():
				w.texts++
			}
		case protowire.VarintType:
			if number == budgetTokens && d.FullName() == budgetName {
				tokens, _ := protowire.ConsumeVarint(value)
				w.Tokens = max(w.Tokens, int64(min(tokens, mostLines)))
			}
		}
	}
}

// elements has what messages count as, by their descriptors.
var elements sync.Map

// elementsOf returns the number of elements that a message counts as, by the struct that it is decoded into. A message that has no
// Go type, as those of custom families have not, counts as one.
func elementsOf(d protoreflect.MessageDescriptor) int64 {
	if known, ok := elements.Load(d); ok {
		return known.(int64)
	}
	n := int64(1)
	if t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName()); err == nil {
		size := pointerSize + int64(reflect.TypeOf(t.Zero().Interface()).Elem().Size())
		n = (size + perElement - 1) / perElement
	}
	elements.Store(d, n)
	return n
}

// pointerSize is what a message in a list takes beside its struct, in bytes: a pointer, in a list that grows in steps, and what
// an allocation is rounded up by.
const pointerSize = 64
