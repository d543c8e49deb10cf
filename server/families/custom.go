package families

import (
	"errors"
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// maxDescriptorSet bounds the file of a descriptor set, in bytes. With all of its imports a set has some hundred kilobytes.
const maxDescriptorSet = 16 << 20

// LoadCustomFamilies returns the families that an operator defines in files with descriptor sets (docs/families.md), in the
// order of the files and by name. Without paths there are none. The error names the file, the family and the field with a
// mistake. Two files may define the same name here; NewRegistry rejects it.
func LoadCustomFamilies(paths ...string) ([]Family, error) {
	var families []Family
	for _, path := range paths {
		types, err := readTypes(path)
		if err != nil {
			return nil, fmt.Errorf("families of %s: %w", path, err)
		}
		for _, t := range types {
			f, err := customFamily(t)
			if err != nil {
				return nil, fmt.Errorf("families of %s: family %s: %w", path, t.Name(), err)
			}
			families = append(families, f)
		}
	}
	return families, nil
}

// readTypes reads the message types of a descriptor set, as protoc writes it with --include_imports. The text of protobuf's own
// errors varies on purpose and names no field, so it is not passed on.
func readTypes(path string) ([]*envelope.Type, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxDescriptorSet {
		return nil, fmt.Errorf("the file has %d bytes, at most %d are allowed", info.Size(), maxDescriptorSet)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(content, &set); err != nil {
		return nil, errors.New("the file is no descriptor set")
	}
	return envelope.ReadTypes(&set)
}

// customFamily returns the family of a message type, whose options state its budget and its lines.
func customFamily(t *envelope.Type) (Family, error) {
	renderer, err := renderers.Custom(t)
	return Family{
		Name: t.Name(), Tokens: envelope.DefaultTokens(t.Canonical), Type: t,
		Projector: projectors.Custom(t), Renderer: renderer,
	}, err
}
