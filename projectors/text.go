package projectors

import (
	"context"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Text projects whatever a tool printed or answered.
func Text() Projector {
	return declare("text", func(_ context.Context, w *work) error {
		out, _ := w.from.Interface().(*pb.TextOutput)
		into, _ := w.into.Interface().(*pb.TextResult)
		size, _ := w.size(out.GetContent())
		into.Empty = size == 0 && out.GetContent().GetSourceLoss() == nil
		for _, p := range w.parts {
			if text, ok := p.(*payload); ok {
				text.mayRead, text.focus = true, preview.Focus{} // it may be anything
			}
		}
		return nil
	})
}
