package renderers

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
)

// Policy governs a receipt.
type Policy struct {
	Counter tokens.Counter
}

// Renderer makes the receipt of a canonical result of one family. It takes no
// account of a budget: previews were fitted when they were made, and whether a
// receipt fits is for Receipt.Fits to say. It returns ErrNotSanitised.
type Renderer interface {
	Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error)
}

// Describe is a Renderer made of the one thing in which families differ: what
// their successes say. Errors are rendered alike for every family.
type Describe func(payload protoreflect.Message) Document

// Document is what the receipt of r says.
func (d Describe) Document(r *pb.CanonicalToolResult) Document {
	if e := r.GetError(); e != nil {
		return errorDocument(e)
	}
	_, payload := envelope.Payload(r)
	return d(payload)
}

// Render makes the receipt of r.
func (d Describe) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	return Write(d.Document(r), p.Counter)
}

// Error returns the Renderer of results that have no family, because the tool
// failed.
func Error() Renderer {
	return Describe(func(protoreflect.Message) Document { return Document{Outcome: outcomeEnded} })
}

// Budget is what a receipt may cost as a whole; a limit of 0 is not set.
type Budget struct{ Tokens, Lines, Bytes int }

// Over returns by how much a receipt exceeds the budget in each unit; what fits
// is 0.
func (r Receipt) Over(b Budget) (over Budget) {
	excess := func(used, limit int) int {
		if limit == 0 {
			return 0
		}
		return max(0, used-limit)
	}
	return Budget{excess(r.Tokens, b.Tokens), excess(r.Lines, b.Lines), excess(len(r.Text), b.Bytes)}
}

// Fits returns an *envelope.ShortfallError if the receipt does not fit.
func (r Receipt) Fits(b Budget) error {
	switch over := r.Over(b); {
	case over.Tokens > 0:
		return &envelope.ShortfallError{Unit: "tokens", Needed: r.Tokens, Budget: b.Tokens}
	case over.Lines > 0:
		return &envelope.ShortfallError{Unit: "lines", Needed: r.Lines, Budget: b.Lines}
	case over.Bytes > 0:
		return &envelope.ShortfallError{Unit: "bytes", Needed: len(r.Text), Budget: b.Bytes}
	}
	return nil
}
