package renderers

import (
	"fmt"
	"maps"
	"slices"
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
	return describeByOptions(f.Message())
}

// describeByOptions returns the description of a declared payload, or nil if its options
// are not right.
func describeByOptions(d protoreflect.MessageDescriptor) Renderer {
	a, err := newLayout(d)
	if err != nil {
		return nil
	}
	return Describe(a.document)
}

// layout is what the options of a family's canonical payload say of its
// receipt.
type layout struct {
	outcome *envelope.Template
	schema  *envelope.Schema
}

func newLayout(d protoreflect.MessageDescriptor) (layout, error) {
	outcome, err := envelope.OutcomeTemplate(d)
	return layout{outcome, envelope.NewSchema(d)}, err
}

func (a layout) document(payload protoreflect.Message) Document {
	d := Document{Outcome: strings.TrimRight(a.outcome.Expand(payload, preview.OneLine), " ")}
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
			d.fact(f.Label, envelope.Words(m, f.Desc, preview.OneLine))
		case pb.Role_ROLE_LARGE_TEXT:
			d.text(m, f)
		case pb.Role_ROLE_LIST:
			d.list(m, f)
		default:
			if f.Inner != nil && !f.Desc.IsList() && !f.Derived {
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
		for _, line := range envelope.Lines(f.Desc, elements.Get(i), preview.OneLine) {
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

// CustomRenderer renders a family that an operator brought, by its options. Its
// labels and the beginning of its outcome are reserved in its own receipts, beside
// the forms of the contract.
type CustomRenderer struct {
	layout
	types    envelope.Types
	reserved *reserved
	grammar  grammar
}

// Custom returns the renderer of a family that an operator brought. It refuses
// labels that the grammar already has for another kind of line.
func Custom(t *envelope.Type) (*CustomRenderer, error) {
	looks, err := newLayout(t.Canonical)
	if err != nil {
		return nil, err
	}
	own := grammar{brief: map[string]bool{}}
	own.declare(t.Name(), t.Canonical)
	both := grammar{
		outcomes: slices.Concat(own.outcomes, contractGrammar.outcomes),
		facts:    slices.Concat(own.facts, contractGrammar.facts), sections: slices.Concat(own.sections, contractGrammar.sections),
		brief: own.brief,
	}
	maps.Copy(both.brief, contractGrammar.brief)
	if err := both.check(); err != nil {
		return nil, err
	}
	return &CustomRenderer{
		layout: looks, types: envelope.Types{t.Name(): t}, reserved: newReserved(own.forms()), grammar: both,
	}, nil
}

// Document is what the receipt of r says.
func (c *CustomRenderer) Document(r *pb.CanonicalToolResult) Document {
	_, payload := c.types.Open(r)
	return c.compacted(payload)
}

func (c *CustomRenderer) compacted(payload protoreflect.Message) Document {
	return c.document(payload).compacted(payload, &c.grammar)
}

// Render makes the receipt of r.
func (c *CustomRenderer) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	_, payload := c.types.Open(r)
	return write(c.compacted(p.withHandles(payload)), p.Counter, c.reserved)
}

// RenderPayload makes the receipt of a payload that is not in its envelope yet.
func (c *CustomRenderer) RenderPayload(payload protoreflect.Message, p Policy) (Receipt, error) {
	return write(c.document(p.withHandles(payload)), p.Counter, c.reserved)
}

// Parse reads a receipt of the family, as ParseReceipt does those of the contract.
func (c *CustomRenderer) Parse(text string) (Document, error) { return parse(text, c.grammar) }

// check checks that no label is of a fact and of a section: a reader could not
// tell the two apart.
func (g *grammar) check() error {
	for _, f := range g.facts {
		if slices.ContainsFunc(g.sections, func(s Form) bool { return s.Begin == f.Begin }) {
			return fmt.Errorf("the label %q is of a fact and of a section", f.Begin)
		}
	}
	return nil
}
