package renderers

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Text renders the output of any tool. If there is nothing else to state, its receipt
// begins with the title of the text: a reader sees that the tool answered.
func Text() Renderer {
	describe, ok := Declared("text").(Describe)
	if !ok {
		return nil // the registry says so
	}
	return Describe(func(payload protoreflect.Message) Document {
		d := describe(payload)
		if r, _ := payload.Interface().(*pb.TextResult); r.GetEmpty() {
			d.Sections = nil // the outcome says it
		}
		return d
	})
}

// isBare reports whether a document is written without its outcome, which then follows
// from its only section.
func (d *Document) isBare() bool {
	if d.Outcome != outcomeText || d.Brief || len(d.Facts) > 0 || len(d.Sections) != 1 {
		return false
	}
	s := &d.Sections[0]
	return s.Label == labelText && (s.Extent != nil || len(s.Body) > 0)
}

// parseBare reads the beginning of a receipt without an outcome.
func (p *parser) parseBare() bool {
	label, rest, _ := strings.Cut(p.lines[0], ":")
	if label != labelText {
		return false
	}
	_, extent := parseExtent(strings.TrimPrefix(rest, " "))
	return rest == "" || extent
}
