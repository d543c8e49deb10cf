package renderers

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// errorDocument describes the error of any tool: what went wrong, what can be
// done, and the details. RFC "error".
func errorDocument(e *pb.ToolError) Document {
	d := Document{Outcome: errorOutcome(e)}
	d.addError(e, "")
	return d
}

// errorOutcome is the kind and, if it shows anything, the message.
func errorOutcome(e *pb.ToolError) string {
	outcome := outcomeError + " " + e.GetKind()
	if message := preview.OneLine(e.GetMessage()); message != "" {
		outcome += ": " + message
	}
	return outcome
}

// addError adds the facts of an error, with a prefix for an item of a batch.
func (d *Document) addError(e *pb.ToolError, prefix string) {
	d.fact(prefix+labelRecover, e.GetRecoveryHint())
	retryable := "no"
	if e.GetRetryable() {
		retryable = "yes"
	}
	d.fact(prefix+labelRetryable, retryable)
	d.fact(prefix+labelDetails, e.GetDetailsJson())
	if o := e.GetDetailsOmitted(); o != nil {
		place := "not kept"
		if path := o.GetArtifact().GetPath(); path != "" {
			place = path
		}
		d.fact(prefix+labelDetailsInFull, count(int64(o.GetBytes()), "byte")+", "+place)
	}
}

// fact adds a fact whose value shows anything.
func (d *Document) fact(label, value string) {
	if value = preview.OneLine(value); value != "" {
		d.Facts = append(d.Facts, Fact{label, value})
	}
}
