package renderers

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// errorDocument describes the error of any tool: what went wrong, what can be done,
// and the details. RFC "error".
func errorDocument(e *pb.ToolError) Document {
	d := Document{Outcome: errorOutcome(e)}
	d.addError(e, "")
	d.addErrorText(e, "")
	return d
}

// errorTexts are the large fields of an error.
var errorTexts = sync.OnceValue(func() []stream {
	return streams((*pb.ToolError)(nil).ProtoReflect().Descriptor(), [2]string{"message", labelErrorText})
})

// addErrorText adds the section of a message with several lines.
func (d *Document) addErrorText(e *pb.ToolError, prefix string) {
	texts := errorTexts()
	for i := range texts {
		if s, ok := texts[i].section(e.ProtoReflect(), prefix); ok {
			d.Sections = append(d.Sections, s)
		}
	}
}

// errorOutcome returns the kind of an error, and its message if that is visible.
func errorOutcome(e *pb.ToolError) string {
	outcome := outcomeError + " " + e.GetKind()
	if message := textscan.OneLine(e.GetMessage()); message != "" {
		outcome += ": " + message
	}
	return outcome
}

// addError adds the facts of an error, with a prefix for an item of a batch.
func (d *Document) addError(e *pb.ToolError, prefix string) {
	d.fact(prefix+labelRecover, e.GetRecoveryHint())
	if e.Retryable != nil {
		d.fact(prefix+labelRetryable, yesOrNo[e.GetRetryable()])
	}
	if e.DetailsJson != nil && e.GetDetailsDefect() != pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		d.fact(prefix+labelShownAsText, "error details, because "+envelope.Words(e.ProtoReflect(), detailsDefect(), textscan.OneLine))
	}
	d.fact(prefix+labelDetails, e.GetDetailsJson())
	if o := e.GetDetailsOmitted(); o != nil {
		place := "not kept"
		if path := o.GetArtifact().GetPath(); path != "" {
			place = path
		}
		d.fact(prefix+labelDetailsInFull, count(int64(o.GetBytes()), "byte")+", "+place)
	}
}

var detailsDefect = sync.OnceValue(func() protoreflect.FieldDescriptor {
	return (*pb.ToolError)(nil).ProtoReflect().Descriptor().Fields().ByName("details_defect")
})

var yesOrNo = map[bool]string{true: "yes", false: "no"}

// fact adds a fact, unless its value is empty or invisible.
func (d *Document) fact(label, value string) {
	if value = textscan.OneLine(value); value != "" {
		d.Facts = append(d.Facts, Fact{label, value})
	}
}
