package renderers

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

// Policy governs a receipt.
type Policy struct {
	Counter tokens.Counter
	// Handle names the artifact at a path; nil: by its path.
	Handle func(path string) string
}

// Renderer makes the receipt of a canonical result of one family. It takes no
// account of a budget: previews were fitted when they were made, and whether a
// receipt fits is for Receipt.Cost to say. It returns ErrNotSanitised.
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
	return d(payload).compacted(payload, &builtIn)
}

// Render makes the receipt of r.
func (d Describe) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	if p.Handle != nil {
		r, _ = p.named(r.ProtoReflect()).Interface().(*pb.CanonicalToolResult)
	}
	return Write(d.Document(r), p.Counter)
}

// Parse reads a receipt back; see ParseReceipt.
func (d Describe) Parse(text string) (Document, error) { return ParseReceipt(text) }

// Error returns the Renderer of results that have no family, because the tool
// failed.
func Error() Renderer {
	return Describe(func(protoreflect.Message) Document { return Document{Outcome: outcomeEnded} })
}
