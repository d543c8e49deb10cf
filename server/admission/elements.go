package admission

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MaxElements is how many messages a message may have inside. An empty one takes two bytes as it is sent and some 256 when it is
// decoded, so that 4 MiB of them would be half a gigabyte.
const MaxElements = 1 << 17

// nested is how deep messages are counted. Those further inside are in fields that no message of the contract has.
const nested = 64

// CountElements returns how many messages an encoded message has inside. It stops at what cannot be decoded, which is rejected
// when it is.
func CountElements(encoded []byte, d protoreflect.MessageDescriptor) int64 {
	return count(encoded, d, nested)
}

func count(b []byte, d protoreflect.MessageDescriptor, depth int) (n int64) {
	for len(b) > 0 && depth > 0 {
		number, wire, size := protowire.ConsumeTag(b)
		if size < 0 {
			return n
		}
		b = b[size:]
		if wire != protowire.BytesType {
			if size = protowire.ConsumeFieldValue(number, wire, b); size < 0 {
				return n
			}
			b = b[size:]
			continue
		}
		value, size := protowire.ConsumeBytes(b)
		if size < 0 {
			return n
		}
		b = b[size:]
		if f := d.Fields().ByNumber(number); f != nil && f.Message() != nil {
			n += 1 + count(value, f.Message(), depth-1)
		}
	}
	return n
}
