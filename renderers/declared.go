package renderers

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
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
	a, err := newAppearance(d)
	if err != nil {
		return nil
	}
	return Describe(a.document)
}

// appearance is what the options of a family's canonical payload say of its
// receipt.
type appearance struct {
	outcome *envelope.Template
	schema  *envelope.Schema
}

func newAppearance(d protoreflect.MessageDescriptor) (appearance, error) {
	outcome, err := envelope.Outcome(d)
	return appearance{outcome, envelope.NewSchema(d)}, err
}

func (a appearance) document(payload protoreflect.Message) Document {
	d := Document{Outcome: strings.TrimRight(a.outcome.Expand(payload, textscan.OneLine), " ")}
	d.declared(a.schema, payload)
	return d
}

// declared adds the fields of a message by their roles, in the order of the
// contract.
func (d *Document) declared(s *envelope.Schema, m protoreflect.Message) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if !m.Has(f.Desc) && f.Role != pb.Role_ROLE_LIST { // a list that was emptied has facts
			continue
		}
		switch f.Role {
		case pb.Role_ROLE_FACT, pb.Role_ROLE_HANDLE:
			d.fact(f.Label, envelope.Words(m, f.Desc, textscan.OneLine))
		case pb.Role_ROLE_LARGE_TEXT:
			d.text(m, f)
		case pb.Role_ROLE_LIST:
			d.list(m, f)
		default:
			if f.Inner != nil && !f.Desc.IsList() && !f.Made {
				d.declared(f.Inner, m.Get(f.Desc).Message())
			}
		}
	}
}

// text adds a large field. That it is empty is worth a line.
func (d *Document) text(m protoreflect.Message, f *envelope.Field) {
	s := stream{*f.Large, f.Label}
	section, ok := s.section(m, "")
	if !ok {
		section.Extent = &Extent{}
	}
	d.Sections = append(d.Sections, section)
}

// list adds a list of which something is shown, or was.
func (d *Document) list(m protoreflect.Message, f *envelope.Field) {
	s := Section{Label: f.Label, Extent: listExtent(m, f.List)}
	var text []string
	elements := m.Get(f.Desc).List()
	for i := range elements.Len() {
		for _, line := range envelope.Lines(f.Desc, elements.Get(i), textscan.OneLine) {
			text = append(text, strings.TrimRight(line, " "))
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
func listExtent(m protoreflect.Message, l *envelope.LargeList) *Extent {
	if l == nil {
		return nil
	}
	v := l.Get(m)
	if !v.Truncated {
		return nil
	}
	return &Extent{Entries: int64(v.Total), Shown: int64(v.Shown), Artifact: v.Artifact}
}
