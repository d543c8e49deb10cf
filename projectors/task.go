package projectors

import (
	"bytes"
	"context"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// TaskOutput projects the output and the result of a background task. RFC "Do Not
// Duplicate Large Payloads": a result that the output ends with is shown once.
func TaskOutput() Projector {
	return declare("task_output", func(_ context.Context, w *work) error {
		out, _ := w.from.Interface().(*pb.TaskOutputOutput)
		for _, p := range w.parts {
			if text, ok := p.(*payload); ok {
				text.mayRead, text.hints = true, preview.Hints{Rules: w.Rules} // what programs write
			}
		}
		shown, err := w.endsWithResult(out.GetOutput(), out.GetTaskResult())
		if err != nil || !shown {
			return err
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

// Bounds of the search for a result at the end of an output, in bytes: the largest
// result that is compared, and the white space after it.
const (
	maxRepeated = 64 << 10
	spaceAfter  = 4 << 10
)

// endsWithResult reports whether the last lines of an output are a result. The result
// must begin a line: "all is ok" does not end with the result "ok".
func (w *work) endsWithResult(output, result *pb.Payload) (bool, error) {
	if n, _ := w.size(result); n == 0 || n > maxRepeated {
		return false, nil
	}
	r, err := w.tail(result, maxRepeated)
	if err != nil {
		return false, err
	}
	o, err := w.tail(output, int64(len(r))+spaceAfter)
	if err != nil {
		return false, err
	}
	r = bytes.TrimSpace(r) // a tool may end its output with more or fewer line ends
	before, ends := bytes.CutSuffix(bytes.TrimSpace(o), r)
	before = bytes.TrimRight(before, " \t")
	return ends && len(r) > 0 && (len(before) == 0 || before[len(before)-1] == '\n'), nil
}
