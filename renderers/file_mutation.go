package renderers

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// FileMutation renders changed files as the options declare it, with an outcome of its
// own for an edit that changed nothing.
func FileMutation() Renderer {
	describe, ok := Declared("file_mutation").(Describe)
	if !ok {
		return nil // the registry says so
	}
	return Describe(func(payload protoreflect.Message) Document {
		d := describe(payload)
		r, _ := payload.Interface().(*pb.FileMutationResult)
		if r.ChangesTotal == nil || r.GetChangesTotal() > 0 {
			return d
		}
		d.Outcome = outcomeNoChange
		if r.DiffPreview != nil && r.GetDiffPreview() == "" && r.GetDiffSource() == nil { // it says the same
			d.Sections = withoutSection(d.Sections, "Diff")
		}
		return d
	})
}

// withoutSection returns the sections except the one with a label.
func withoutSection(sections []Section, label string) (others []Section) {
	for _, s := range sections {
		if s.Label != label {
			others = append(others, s)
		}
	}
	return others
}
