package projectors

import (
	"bytes"
	"context"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TaskOutput projects what a background task wrote and what it says came of it.
// RFC "Do Not Duplicate Large Payloads": a result that the output ends with is
// shown once.
func TaskOutput() Projector {
	return declare("task_output", func(_ context.Context, w *work) error {
		out, _ := w.from.Interface().(*pb.TaskOutputOutput)
		if !repeats(out.GetOutput().GetInline(), out.GetTaskResult().GetInline()) {
			return nil
		}
		w.parts = slices.DeleteFunc(w.parts, func(p part) bool {
			text, ok := p.(*payload)
			return ok && text.field.Name == "task_result"
		})
		r, _ := w.into.Interface().(*pb.TaskOutputResult)
		r.OutputHasTaskResult = true
		return nil
	})
}

// repeats reports whether the last lines of an output are a result that is there:
// "ok" is not what "all is ok" says.
func repeats(output, result []byte) bool {
	result = bytes.TrimSpace(result)
	before, ends := bytes.CutSuffix(bytes.TrimSpace(output), result)
	before = bytes.TrimRight(before, " \t")
	return ends && len(result) > 0 && (len(before) == 0 || before[len(before)-1] == '\n')
}
