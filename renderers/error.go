package renderers

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// errorDocument describes the error of any tool: what went wrong, what can be
// done, and the details. RFC "error".
func errorDocument(e *pb.ToolError) Document {
	d := Document{Outcome: outcomeError + " " + e.GetKind() + ": " + e.GetMessage()}
	d.addError(e, "")
	return d
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
		value := count(int64(o.GetBytes()), "byte") + " in all"
		if path := o.GetArtifact().GetPath(); path != "" {
			value += extentStop + extentAll + path
		}
		d.fact(prefix+labelDetailsOmitted, value)
	}
}

// fact adds a fact that has a value.
func (d *Document) fact(label, value string) {
	if value != "" {
		d.Facts = append(d.Facts, Fact{label, value})
	}
}
