package renderers

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// CustomRenderer renders a family that an operator brought, by its options. Its
// labels and the beginning of its outcome are reserved in its own receipts, beside
// the forms of the contract.
type CustomRenderer struct {
	appearance
	types    envelope.Types
	reserved *reserved
	grammar  grammar
}

// Custom returns the renderer of a family that an operator brought. It refuses
// labels that the grammar already has for another kind of line.
func Custom(t *envelope.Type) (*CustomRenderer, error) {
	looks, err := newAppearance(t.Canonical)
	if err != nil {
		return nil, err
	}
	own := grammar{brief: map[string]bool{}}
	own.declare(t.Name(), t.Canonical)
	both := grammar{
		outcomes: slices.Concat(own.outcomes, builtIn.outcomes),
		facts:    slices.Concat(own.facts, builtIn.facts), sections: slices.Concat(own.sections, builtIn.sections),
		brief: own.brief,
	}
	maps.Copy(both.brief, builtIn.brief)
	if err := both.check(); err != nil {
		return nil, err
	}
	return &CustomRenderer{
		appearance: looks, types: envelope.Types{t.Name(): t}, reserved: newReserved(own.forms()), grammar: both,
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
	return write(c.compacted(p.named(payload)), p.Counter, c.reserved)
}

// RenderPayload makes the receipt of a payload that is not in its envelope yet.
func (c *CustomRenderer) RenderPayload(payload protoreflect.Message, p Policy) (Receipt, error) {
	return write(c.document(p.named(payload)), p.Counter, c.reserved)
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
