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
	// Handle returns the name of the artifact at a path; nil: artifacts are named by their
	// paths.
	Handle func(path string) string
}

// Renderer makes the receipt of a canonical result of one family. Safe for concurrent
// use. It does not know the budget: the projection fitted the previews, and
// Receipt.Cost says whether a receipt fits. It returns ErrNotSanitised.
type Renderer interface {
	Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error)
}

// Describe is a Renderer made of the one thing in which families differ: the
// description of their successes. Errors are rendered alike for every family.
type Describe func(payload protoreflect.Message) Document

// Document returns what the receipt of r says.
func (d Describe) Document(r *pb.CanonicalToolResult) Document {
	if e := r.GetError(); e != nil {
		d := errorDocument(e)
		d.addNames(e.ProtoReflect())
		return d
	}
	_, payload := envelope.Payload(r)
	return d(payload).compacted(payload, contractGrammar())
}

// Render implements Renderer.
func (d Describe) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	if p.Handle != nil {
		r, _ = p.withHandles(r.ProtoReflect()).Interface().(*pb.CanonicalToolResult)
	}
	return Write(d.Document(r), p.Counter)
}

// Parse reads a receipt back; see ParseReceipt.
func (d Describe) Parse(text string) (Document, error) { return ParseReceipt(text) }

// Error returns the Renderer of results without a family, because the tool failed.
func Error() Renderer {
	return Describe(func(protoreflect.Message) Document { return Document{Outcome: outcomeEnded} })
}

// ToolHandle names an artifact by the call of the tool that reads it, which a runtime may offer under a
// name of its own:
//
//	read_result(result="1fa0074a")
func ToolHandle(tool, name string) string { return tool + `(result="` + name + `")` }

// Document is what a receipt says: a family's renderer describes it, and ParseReceipt
// reads it back.
type Document struct {
	Outcome  string // the first line, which begins with one of the outcome forms
	Facts    []Fact // lines of the form "label: value"
	Sections []Section
	Brief    bool // everything is on one line
}

// Fact is a line of the form "label: value". The label is one of the grammar, with or
// without an item before it; the value is one line and not empty.
type Fact struct{ Label, Value string }

// Section is one stream of tool text.
type Section struct {
	Label  string  // such as "stdout", "Initial output", "Item 2 stderr"
	Extent *Extent // nil when the section shows everything
	Body   []Piece
}

// ReadableForm is the form in which a payload is shown.
type ReadableForm uint8

// The forms.
const (
	FormWritten ReadableForm = iota // as the tool wrote it
	FormValues                      // of JSON
	FormReport                      // of a report of tests or checks
	FormTable                       // of records
)

// formNames are the names of forms in an extent.
var formNames = [...]string{FormValues: "its values", FormReport: "its report", FormTable: "a table"}

// Extent holds the facts of a stream that is not shown as it is.
type Extent struct {
	Lines    int64        // of the form that is shown; 0 for a stream without lines, such as a binary
	Form     ReadableForm // of these lines
	Bytes    int64        // of all lines; 0 if their number implies the size
	Entries  int64        // of a list, which has neither lines nor bytes
	Shown    int64        // lines or entries shown; equal to their number when all are
	Notes    []string     // further facts, in the grammar's words
	Artifact string       // path of the whole stream; empty when it is not stored
}

// Piece is a run of tool text, or a cut marker between two runs.
type Piece struct {
	Text  string // sanitised; lines are separated by "\n", without one at the end
	First int64  // number of the first line, where lines are numbered; 0 otherwise
	Mark  *Mark  // nil for text
}

// Mark is a cut marker. It replaces whole lines, or what is between the two parts of a
// line. Of Next, Bytes, Values and Repeats at most one is set, but for Bytes at the
// beginning of a line, which have its number. None is set at the end of a text, and
// between numbered lines.
type Mark struct {
	Next          int64 // number of the line that the text goes on with
	Bytes         int64 // omitted inside a line
	Values, Total int64 // of a JSON container: values omitted, and all that it has
	Repeats, Like int64 // lines omitted, and the number of lines just before that they repeat
}
