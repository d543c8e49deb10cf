package costs

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// deepest is how many messages are around a field that is filled, at the most.
const deepest = 7

// Methods returns all methods of the contract.
func Methods() (names []string) {
	protoregistry.GlobalFiles.RangeFilesByPackage("toolresult.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			s := file.Services().Get(i)
			for j := range s.Methods().Len() {
				names = append(names, string(s.Name())+"/"+string(s.Methods().Get(j).Name()))
			}
		}
		return true
	})
	slices.Sort(names)
	return names
}

// Paths returns the fields of a request that a caller may fill: texts, bytes and lists.
func Paths(request protoreflect.MessageDescriptor) []string {
	return paths(request, nil)
}

// paths returns the fields of a message with those in the messages inside. around are the messages that it is in.
func paths(d protoreflect.MessageDescriptor, around []protoreflect.FullName) (list []string) {
	if len(around) == deepest || slices.Contains(around, d.FullName()) {
		return nil
	}
	around = append(slices.Clone(around), d.FullName())
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		name := string(f.Name())
		if f.IsMap() {
			continue
		}
		if f.IsList() {
			name += "[]"
			list = append(list, name)
		}
		switch f.Kind() {
		case protoreflect.MessageKind:
			for _, inner := range paths(f.Message(), around) {
				list = append(list, name+"."+inner)
			}
		case protoreflect.StringKind, protoreflect.BytesKind:
			if !f.IsList() {
				list = append(list, name)
			}
		}
	}
	return list
}
