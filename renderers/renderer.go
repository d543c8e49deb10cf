package renderers

import (
	"google.golang.org/protobuf/proto"
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
	return d(payload).compacted(payload, &contractGrammar)
}

// Render makes the receipt of r.
func (d Describe) Render(r *pb.CanonicalToolResult, p Policy) (Receipt, error) {
	if p.Handle != nil {
		r, _ = p.withHandles(r.ProtoReflect()).Interface().(*pb.CanonicalToolResult)
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

// CallHandle names an artifact by the call of read_result that reads it:
//
//	read_result(result="1fa0074a")
func CallHandle(name string) string { return envelope.ReadTool + `(result="` + name + `")` }

var referenceName = (*pb.ArtifactReference)(nil).ProtoReflect().Descriptor().FullName()

// withHandles returns a message in which every artifact is called by its handle in place of its path. It is the message itself
// where paths stay. Everything that a receipt says of artifacts comes from these references, and tool text does not.
func (p Policy) withHandles(m protoreflect.Message) protoreflect.Message {
	if p.Handle == nil || m == nil {
		return m
	}
	m = proto.Clone(m.Interface()).ProtoReflect()
	replacePaths(m, p.Handle)
	return m
}

// replacePaths replaces the paths of all references in a message.
func replacePaths(m protoreflect.Message, handle func(path string) string) {
	if m.Descriptor().FullName() == referenceName {
		path := m.Descriptor().Fields().ByName("path")
		if text := m.Get(path).String(); text != "" {
			m.Set(path, protoreflect.ValueOfString(handle(text)))
		}
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Message() == nil || f.IsMap() || !m.Has(f):
		case f.IsList():
			for j := range m.Get(f).List().Len() {
				replacePaths(m.Get(f).List().Get(j).Message(), handle)
			}
		default:
			replacePaths(m.Mutable(f).Message(), handle)
		}
	}
}

// Document is what a receipt says: what a family's renderer describes, and what
// ParseReceipt reads back.
type Document struct {
	Outcome  string // the first line: one of the outcome forms
	Facts    []Fact // "label: value" lines
	Sections []Section
	Brief    bool // all of it stands on one line
}

// Fact is one line of the form "label: value". Labels are those of the grammar,
// with or without an item in front; values are one line and not empty.
type Fact struct{ Label, Value string }

// Section is one stream of tool text.
type Section struct {
	Label  string  // "stdout", "Initial output", "Item 2 stderr"
	Extent *Extent // nil when the section shows all there is
	Body   []Piece
}

// Extent are the facts of a stream that is not shown as it is.
type Extent struct {
	Lines, Bytes int64    // as the tool wrote it; Lines is 0 for what has none, such as a binary
	Indented     int64    // lines of the readable form that is shown of JSON; 0: it is shown as it was written
	Entries      int64    // of a list, which has no lines and bytes
	Shown        int64    // lines or entries shown; equal to their number when all of them are
	Notes        []string // what else a reader must know, in the grammar's words
	Artifact     string   // path of all of it; empty when it was not stored
}

// Piece is a run of tool text, or a cut marker between two of them.
type Piece struct {
	Text  string // sanitised; lines are separated by "\n" and the last one is not ended
	First int64  // number of the text's first line, where its lines are numbered; otherwise 0
	Mark  *Mark  // nil for text
}

// Mark is a cut marker. Inside a line it stands between the two parts of that
// line that are shown; otherwise it stands for whole lines.
type Mark struct {
	Inside        bool
	First, Last   int64 // lines, from 1; equal when Inside
	Bytes         int64 // bytes left out, when Inside
	Values, Total int64 // of a JSON container: values left out, and how many it has; 0 for other cuts
	Like          int64 // first of the lines just before that those left out are like; 0 for other cuts
}
