package admission_test

import (
	"bytes"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/toolresult/toolresult/server/admission"
)

// bombs returns messages of about size bytes, each the smallest element of one field, over and over: what decodes to the most.
func bombs(d protoreflect.MessageDescriptor, size int) map[string][]byte {
	list := map[string][]byte{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if !f.IsList() && !f.IsMap() { // the last one stays
			continue
		}
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
		list[string(f.Name())] = bytes.Repeat(one, size/len(one))
	}
	list["unknown"] = bytes.Repeat([]byte("\xfa\x7f\x00"), size/3)
	return list
}

// TestReservedMemoryCoversDecoding decodes, for every list of every message of the contract, a message that has nothing but that
// list: what stays of it takes no more memory than a call with it reserves. The short form takes every fourth list, in any order:
// each costs two collections of all garbage.
func TestReservedMemoryCoversDecoding(t *testing.T) {
	const size = 64 << 10
	var worst float64
	lists := 0
	var name protoreflect.FullName
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		if d.FullName().Parent() != "toolresult.v1" {
			return true
		}
		for field, data := range bombs(d, size) {
			if lists++; testing.Short() && lists%4 != 0 {
				continue
			}
			m := admission.NewMemory(1 << 40)
			release, err := m.Call(t.Context(), admission.Weigh(data, d))
			if err != nil {
				t.Fatal(err)
			}
			reserved := m.Reserved()
			release()
			kept := keptByDecoding(t, data, mt)
			if kept > reserved {
				t.Errorf("%s.%s reserves %d, and takes %d", d.FullName(), field, reserved, kept)
			}
			if share := float64(kept) / float64(reserved); share > worst {
				worst, name = share, d.FullName().Append(protoreflect.Name(field))
			}
		}
		return true
	})
	t.Logf("%s takes %.2f of what it reserves", name, worst)
}

// keptByDecoding returns the bytes that a decoded message takes. It decodes the beginning first, for what is made once.
func keptByDecoding(t *testing.T, data []byte, mt protoreflect.MessageType) int64 {
	t.Helper()
	_ = proto.Unmarshal(data[:min(len(data), 12)], mt.New().Interface())
	decoded := mt.New().Interface()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := proto.Unmarshal(data, decoded); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(decoded)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}
