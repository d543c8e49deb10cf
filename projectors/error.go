package projectors

import (
	"context"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Error projects the failure of a tool of any family: kind, message, hint and
// retryable as given, details bounded. An error of a known kind that came
// without a hint gets the one of the table of kinds. RFC "Projection Algorithm",
// step 4.
func Error() Projector { return failure{} }

type failure struct{}

// Project returns the canonical result of an error. What the budget of the
// receipt has no room for is left out: first a hint of ours, then the details as
// a whole, which are in the store then.
func (failure) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	out := in.Output
	given := out.GetError()
	e, err := projectError(ctx, given, withHint, sink)
	if err != nil {
		return nil, err
	}
	r := canonical(out, given.GetMessage(), given.GetKind())
	r.Error = e
	shorter := []func() error{
		func() error { e.RecoveryHint = given.RecoveryHint; return nil },
		func() error { return omitDetails(ctx, e, given.GetDetailsJson(), sink) },
	}
	for {
		cost, err := in.Measure(r)
		if err != nil {
			return nil, err
		}
		if cost.Over(in.Policy.Budget) == (envelope.Cost{}) {
			return r, nil
		}
		if len(shorter) == 0 {
			return nil, cost.Fits(in.Policy.Budget)
		}
		if err := shorter[0](); err != nil {
			return nil, err
		}
		shorter = shorter[1:]
	}
}

// hinting says whether an error that came without a recovery hint gets the one
// of its kind.
type hinting bool

const (
	withHint hinting = true
	asGiven  hinting = false
)

// wantsHint reports whether an error came without a hint and its kind has one. A
// hint that is there and empty says that none is wanted.
func wantsHint(e *pb.CompleteToolError) bool {
	_, known := envelope.LookupErrorKind(e.GetKind())
	return known && e != nil && e.RecoveryHint == nil
}

// projectError bounds the details of an error, and says what to do next where the
// runtime did not.
func projectError(ctx context.Context, in *pb.CompleteToolError, hint hinting, sink artifactstore.Sink) (*pb.ToolError, error) {
	e := &pb.ToolError{
		Kind: in.GetKind(), Message: in.GetMessage(), RecoveryHint: in.RecoveryHint, Retryable: in.GetRetryable(),
	}
	if hint == withHint && wantsHint(in) {
		kind, _ := envelope.LookupErrorKind(in.GetKind())
		e.RecoveryHint = &kind.Hint
	}
	if len(in.GetDetailsJson()) == 0 {
		return e, nil
	}
	bounded, whole := envelope.BoundDetails(in.GetDetailsJson())
	if !whole {
		if err := omitDetails(ctx, e, in.GetDetailsJson(), sink); err != nil {
			return nil, err
		}
	}
	if bounded != "" {
		e.DetailsJson = &bounded
	}
	return e, nil
}

// omitDetails takes the details out of an error, into the store.
func omitDetails(ctx context.Context, e *pb.ToolError, details []byte, sink artifactstore.Sink) error {
	e.DetailsJson = nil
	if len(details) == 0 || e.GetDetailsOmitted() != nil {
		return nil
	}
	ref, err := sink.Put(ctx, artifactstore.BytesBlob(details))
	if err != nil {
		return err
	}
	e.DetailsOmitted = &pb.DetailsOmitted{
		Bytes: uint64(len(details)), Digest: ref.Digest, Artifact: &pb.ArtifactReference{Path: ref.Path},
	}
	return nil
}

// canonical is the envelope of a result. Its summary is the runtime's or, where
// that shows nothing, the first of the family's that does.
func canonical(out *pb.CompleteToolOutput, summaries ...string) *pb.CanonicalToolResult {
	summary := oneLine(out.GetSummaryText(), envelope.MaxSummary)
	for _, s := range summaries {
		if summary == "" {
			summary = oneLine(s, envelope.MaxSummary)
		}
	}
	return &pb.CanonicalToolResult{ToolName: out.GetToolName(), Status: out.GetStatus(), SummaryText: summary}
}

// oneLine is the visible form of a text on one line, of at most limit bytes.
func oneLine(text string, limit int) string {
	text = preview.OneLine(text)
	if len(text) <= limit {
		return text
	}
	const more = "..."
	end := 0
	for i := range text {
		if i > limit-len(more) {
			break
		}
		end = i
	}
	return text[:end] + more
}
