package projectors

import (
	"bytes"
	"context"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// TaskOutput projects what a background task wrote and what it says came of it.
// RFC "Do Not Duplicate Large Payloads": a result that the output ends with is
// shown once.
func TaskOutput() Projector {
	return declare("task_output", func(_ context.Context, w *work) error {
		out, _ := w.from.Interface().(*pb.TaskOutputOutput)
		for _, p := range w.parts {
			if text, ok := p.(*payload); ok {
				text.mayRead, text.focus = true, preview.Focus{} // what programs write
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

// What is looked at to find a result at the end of an output, in bytes: results of
// up to that size, and some space after them.
const (
	maxRepeated = 64 << 10
	spaceAfter  = 4 << 10
)

// endsWithResult reports whether the last lines of an output are a result that is there:
// "ok" is not what "all is ok" says.
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
	r = bytes.TrimSpace(r)
	before, ends := bytes.CutSuffix(bytes.TrimSpace(o), r)
	before = bytes.TrimRight(before, " \t")
	return ends && len(r) > 0 && (len(before) == 0 || before[len(before)-1] == '\n'), nil
}
