package projectors

import (
	"context"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// FileMutation projects changed files. When the runtime did not say which ones
// they are, its diff does.
func FileMutation() Projector { return declare("file_mutation", adaptFileMutation) }

func adaptFileMutation(_ context.Context, w *work) error {
	out, _ := w.from.Interface().(*pb.FileMutationOutput)
	into, _ := w.into.Interface().(*pb.FileMutationResult)
	if len(out.GetChanges()) > 0 {
		return nil
	}
	if out.GetDiff() == nil {
		w.check.Fail("changes", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required where there is no diff")
		return nil
	}
	derived, err := changesOf(out.GetDiff().GetInline())
	if err != nil || out.GetDiff().GetSourceLoss() != nil { // a list with a gap would say less than was changed
		into.DiffUnreadable, into.ChangesUnknown = true, true
		w.finish = func() { into.ChangesTotal = nil }
		return nil
	}
	for _, p := range w.parts {
		l, ok := p.(*list)
		if !ok || l.field.Name != "changes" {
			continue
		}
		l.all = (&pb.FileMutationResult{Changes: derived}).ProtoReflect().Get(l.field.Field).List()
		w.finish = func() { into.Digest = l.stored.Digest }
	}
	if len(derived) == 0 {
		w.summary = "no file was changed"
	}
	return nil
}
