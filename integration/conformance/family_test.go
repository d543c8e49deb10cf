package conformance_test

import (
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// doneFamily is a custom family that only confirms: its result has no fields.
const doneFamily = "conformance.v1.DoneResult"

// writeFamily writes the descriptor set of that family and returns its path.
func writeFamily(dir string) (string, error) {
	options := &descriptorpb.MessageOptions{}
	proto.SetExtension(options, pb.E_Outcome, "Work is done")
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("conformance/v1/done.proto"), Package: proto.String("conformance.v1"), Syntax: proto.String("proto3"),
		Dependency:  []string{"toolresult/v1/options.proto"},
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("DoneResult"), Options: options}},
	}}}
	data, err := proto.Marshal(set)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "done.binpb")
	return path, os.WriteFile(path, data, 0o600)
}
