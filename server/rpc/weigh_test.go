package rpc

import (
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// bombs returns messages of about size bytes, each the smallest element of one field, over and over: what decodes to the most.
func bombs(d protoreflect.MessageDescriptor, size int) map[string][]byte {
	list := map[string][]byte{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		var one []byte
		switch kind := f.Kind(); {
		case f.Message() != nil, kind == protoreflect.StringKind, kind == protoreflect.BytesKind:
			one = protowire.AppendBytes(protowire.AppendTag(nil, f.Number(), protowire.BytesType), nil)
		case f.IsPacked():
			list[string(f.Name())] = protowire.AppendBytes(protowire.AppendTag(nil, f.Number(), protowire.BytesType), make([]byte, size))
			continue
		case kind == protoreflect.DoubleKind:
			one = protowire.AppendFixed64(protowire.AppendTag(nil, f.Number(), protowire.Fixed64Type), 0)
		default:
			one = protowire.AppendVarint(protowire.AppendTag(nil, f.Number(), protowire.VarintType), 0)
		}
		list[string(f.Name())] = []byte(strings.Repeat(string(one), size/len(one)))
	}
	list["unknown"] = []byte(strings.Repeat("\xfa\x7f\x00", size/3))
	return list
}

// allocated returns the bytes that decoding allocates; with stays those alone that are not garbage at its end.
func allocated(t *testing.T, data []byte, m proto.Message, stays bool) int64 {
	t.Helper()
	var before, after runtime.MemStats
	if stays {
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	if err := proto.Unmarshal(data, m); err != nil {
		t.Fatal(err)
	}
	if stays {
		runtime.GC()
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	if stays {
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestWeightCoversMemory decodes, for every field of every message of the contract, a message that has nothing but that field, and
// compares the weight with what it takes.
func TestWeightCoversMemory(t *testing.T) {
	const size = 24 << 10
	var worst float64
	var name protoreflect.FullName
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		if d.FullName().Parent() != "toolresult.v1" {
			return true
		}
		for field, data := range bombs(d, size) {
			_ = proto.Unmarshal(data[:min(len(data), 12)], mt.New().Interface()) // what the first one costs
			weight, real := Weigh(data, mt.Zero().Interface()), allocated(t, data, mt.New().Interface(), false)
			if limit := weight + weight/8 + 8<<10; real > limit {
				if real = allocated(t, data, mt.New().Interface(), true); real > limit {
					t.Errorf("%s.%s weighs %d, and takes %d", d.FullName(), field, weight, real)
				}
			}
			if times := float64(real) / size; times > worst {
				worst, name = times, d.FullName().Append(protoreflect.Name(field))
			}
		}
		return true
	})
	t.Logf("%s takes %.0f times its bytes", name, worst)
}
