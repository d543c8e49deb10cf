package renderers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Declared renders a family of the contract by the options of its canonical payload
// (options.proto): its outcome, facts, texts and lists. It returns nil for an unknown
// family, or one whose options are wrong; the registry reports that.
func Declared(family string) Renderer {
	_, f := envelope.Case(family)
	if f == nil {
		return nil // the registry says so
	}
	return describeByOptions(f.Message())
}

// describeByOptions returns the renderer of a declared payload, or nil if its options
// are wrong.
func describeByOptions(d protoreflect.MessageDescriptor) Renderer {
	a, err := newLayout(d)
	if err != nil {
		return nil
	}
	return Describe(a.document)
}

// layout holds the options of a canonical payload that shape its receipt.
type layout struct {
	outcome *envelope.Template
	schema  *envelope.Schema
}

// newLayout reads the options of a canonical payload.
func newLayout(d protoreflect.MessageDescriptor) (layout, error) {
	outcome, err := envelope.OutcomeTemplate(d)
	return layout{outcome, envelope.NewSchema(d)}, err
}

// document describes a payload.
func (a layout) document(payload protoreflect.Message) Document {
	d := Document{Outcome: strings.TrimRight(a.outcome.Expand(payload, textscan.OneLine), " ")}
	d.declared(a.schema, payload)
	return d
}

// declared adds the fields of a message by their roles, in the order of the contract.
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
			if f.Inner != nil && !f.Desc.IsList() && !f.Derived {
				d.declared(f.Inner, m.Get(f.Desc).Message())
			}
		}
	}
}

// text adds a large field. An empty one gets a line too.
func (d *Document) text(m protoreflect.Message, f *envelope.Field) {
	s := stream{*f.Large, f.Label}
	section, ok := s.section(m, "")
	if !ok {
		section.Extent = &Extent{}
	}
	d.Sections = append(d.Sections, section)
}

// list adds a list, if anything of it is shown, or was before it was shortened.
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

// listExtent returns the extent of a list that is not shown whole; nil for others.
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

// CustomRenderer renders a custom family by its options. In its receipts its labels
// and the beginning of its outcome are reserved, besides the forms of the contract.
// Safe for concurrent use.
type CustomRenderer struct {
	layout
	types    envelope.Types
	reserved *reserved // the forms of the family
	grammar  grammar   // of the family and the contract
}

// Custom returns the renderer of a custom family. It rejects labels that the grammar
// has for another kind of line.
func Custom(t *envelope.Type) (*CustomRenderer, error) {
	looks, err := newLayout(t.Canonical)
	if err != nil {
		return nil, err
	}
	own := grammar{brief: map[string]bool{}}
	own.declare(t.Name(), t.Canonical)
	both := grammar{
		outcomes: slices.Concat(own.outcomes, contractGrammar().outcomes),
		facts:    slices.Concat(own.facts, contractGrammar().facts), sections: slices.Concat(own.sections, contractGrammar().sections),
		brief: own.brief,
	}
	maps.Copy(both.brief, contractGrammar().brief)
	if err := both.check(); err != nil {
		return nil, err
	}
	return &CustomRenderer{
		layout: looks, types: envelope.Types{t.Name(): t}, reserved: newReserved(own.forms()), grammar: both,
	}, nil
}

// Document returns what the receipt of r says.
func (c *CustomRenderer) Document(r *pb.CanonicalToolResult) Document {
	_, payload := c.types.Open(r)
	return c.compacted(payload)
}

// compacted describes a payload, with what compaction stated in it.
func (c *CustomRenderer) compacted(payload protoreflect.Message) Document {
	return c.document(payload).compacted(payload, &c.grammar)
}

// Render implements Renderer.
func (c *CustomRenderer) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	_, payload := c.types.Open(r)
	return write(c.compacted(p.withHandles(payload)), p.Counter, c.reserved)
}

// RenderPayload renders a payload that is not wrapped into its result yet.
func (c *CustomRenderer) RenderPayload(payload protoreflect.Message, p Policy) (Receipt, error) {
	return write(c.document(p.withHandles(payload)), p.Counter, c.reserved)
}

// Parse reads a receipt of the family, as ParseReceipt reads those of the contract.
func (c *CustomRenderer) Parse(text string) (Document, error) { return parse(text, c.grammar) }

// check checks that no label is of a fact and of a section: a reader could not tell
// the two apart.
func (g *grammar) check() error {
	for _, f := range g.facts {
		if slices.ContainsFunc(g.sections, func(s Form) bool { return s.Begin == f.Begin }) {
			return fmt.Errorf("the label %q is of a fact and of a section", f.Begin)
		}
	}
	return nil
}
