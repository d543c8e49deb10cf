package renderers

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Declared renders a family by the options of its canonical payload
// (options.proto): its outcome, its facts, its texts and its lists. The family is
// that of a case of the contract.
func Declared(family string) Renderer {
	_, f := envelope.Case(family)
	if f == nil {
		return nil // the registry says so
	}
	return describe(f.Message())
}

// describe returns the description of a declared payload, or nil if its options
// are not right.
func describe(d protoreflect.MessageDescriptor) Renderer {
	outcome, err := envelope.Outcome(d)
	if err != nil {
		return nil
	}
	return Describe(func(payload protoreflect.Message) Document { return declaredDocument(outcome, payload) })
}

func declaredDocument(outcome *envelope.Template, payload protoreflect.Message) Document {
	d := Document{Outcome: strings.TrimRight(outcome.Expand(payload), " ")}
	d.declared(payload)
	return d
}

// declared adds the fields of a message by their roles, in the order of the
// contract.
func (d *Document) declared(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		role, label := envelope.RoleOf(f)
		if !m.Has(f) && role != pb.Role_ROLE_LIST { // a list that was emptied has facts
			continue
		}
		switch role {
		case pb.Role_ROLE_FACT, pb.Role_ROLE_HANDLE:
			d.fact(label, envelope.Words(m, f))
		case pb.Role_ROLE_LARGE_TEXT:
			d.text(m, strings.TrimSuffix(string(f.Name()), "_preview"), label)
		case pb.Role_ROLE_LIST:
			d.list(m, f, label)
		default:
			if f.Message() != nil && !f.IsList() {
				d.declared(m.Get(f).Message())
			}
		}
	}
}

// text adds a large field. That it is empty is worth a line.
func (d *Document) text(m protoreflect.Message, name, label string) {
	for _, s := range streams(m.Descriptor(), [2]string{name, label}) {
		section, ok := s.section(m, "")
		if !ok {
			section.Extent = &Extent{}
		}
		d.Sections = append(d.Sections, section)
	}
}

// list adds a list of which something is shown, or was.
func (d *Document) list(m protoreflect.Message, f protoreflect.FieldDescriptor, label string) {
	s := Section{Label: label, Extent: listExtent(m, f)}
	var text []string
	elements := m.Get(f).List()
	for i := range elements.Len() {
		for _, line := range envelope.Lines(f, elements.Get(i)) {
			text = append(text, strings.TrimRight(preview.OneLine(line), " "))
		}
	}
	if len(text) > 0 {
		s.Body = []Piece{{Text: strings.Join(text, "\n")}}
	}
	if s.Extent != nil || len(s.Body) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

// listExtent states what a reader must know of a list that is not shown whole.
func listExtent(m protoreflect.Message, f protoreflect.FieldDescriptor) *Extent {
	lists := envelope.LargeLists(m.Descriptor())
	for i := range lists {
		if l := &lists[i]; l.Field == f {
			if v := l.Get(m); v.Truncated {
				return &Extent{Entries: int64(v.Total), Shown: int64(v.Shown), Artifact: v.Artifact}
			}
		}
	}
	return nil
}
