package projectors

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// Bounds of what is made of an error, in bytes.
const (
	maxHeadline = 512     // of the line that stands for a message of several
	maxDetails  = 4 << 20 // of details that are a stream or a file and are looked into; larger ones are stored as they are
)

// Error projects the failure of a tool of any family: kind, hint and retryable as
// given, a message of one line as it is and a longer one as a section, details bounded.
// An error of a known kind that came without a hint gets the one of the table of kinds.
// RFC "Projection Algorithm", step 4.
func Error() Projector { return errorProjector{newErrorProjection()} }

type errorProjector struct{ errorProjection }

// Project returns the canonical result of an error. What the budget of the
// receipt has no space for is left out: first a hint of ours, then the details as
// a whole, which are in the store then. At last texts are cut.
func (f errorProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	given := in.Output.GetError()
	check := envelope.NewChecker("output.error")
	f.check(check, given, &in)
	if err := check.Err(); err != nil {
		return Projection{}, err
	}
	shapes := []errorShape{{hint: withHint}, {hint: asGiven}}
	for _, l := range tightening {
		shapes = append(shapes, errorShape{limits: l, omitDetails: true})
	}
	var err error
	for _, shape := range shapes {
		e, parts, failed := f.project(ctx, given, shape, &in, sink)
		if failed != nil {
			return Projection{}, failed
		}
		r := canonical(in.Output, e.GetMessage(), e.GetKind())
		r.Error = e
		p, short := fit(ctx, in, r, parts, func() error { return nil }, sink)
		if !isShortfall(short) {
			return p, short
		}
		err = short
	}
	return Projection{}, err
}

// errorShape is how much of an error its canonical form has.
type errorShape struct {
	limits
	hint        hinting
	omitDetails bool
}

// errorProjection projects errors, of a tool and of the items of a batch.
type errorProjection struct{ fields fields }

func newErrorProjection() errorProjection { return errorProjection{newFields(&pb.ToolError{})} }

// check checks what a caller says of the payloads of an error; what is in them is the tool's.
func (errorProjection) check(c envelope.Checker, e *pb.CompleteToolError, in *Input) {
	checkPayload(c, "message", e.GetMessage(), in)
	checkPayload(c, "details", e.GetDetails(), in)
}

// project returns the canonical error, and as parts what is to be fitted to a budget.
func (p errorProjection) project(ctx context.Context, given *pb.CompleteToolError, shape errorShape, in *Input, sink artifactstore.Sink) (*pb.ToolError, []part, error) {
	e := &pb.ToolError{Kind: envelope.NormalizeErrorKind(given.GetKind()), RecoveryHint: givenHint(given, shape.text), Retryable: given.Retryable}
	if e.GetKind() != given.GetKind() {
		e.GivenKind = oneLine(given.GetKind(), envelope.MaxGivenKind)
	}
	if shape.hint == withHint && wantsHint(given) {
		known, _ := envelope.LookupErrorKind(e.GetKind())
		e.RecoveryHint = &known.Hint
	}
	add := p.addDetails
	if shape.omitDetails {
		add = p.omitDetails
	}
	if err := add(ctx, e, given.GetDetails(), in, sink); err != nil {
		return nil, nil, err
	}
	return e, p.addMessage(e, given.GetMessage(), shape.limits, in), nil
}

// addMessage writes a message of one line into an error. Of any other it writes the line
// that says most, and returns the whole as a part.
func (p errorProjection) addMessage(e *pb.ToolError, given *pb.Payload, l limits, in *Input) []part {
	size, _ := in.size(given)
	if given == nil || size == 0 && given.GetSourceLoss() == nil {
		return nil
	}
	whole := newPayload(p.fields["message"], e.ProtoReflect(), given, in, preview.Focus{})
	shown := whole.excerpt.Select(preview.Budget{
		Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: envelope.MaxMessage,
	}, in.Policy.Counter, preview.Focus{})
	line := strings.TrimSuffix(shown.Text, "\n")
	single := !strings.Contains(line, "\n") && shown.Whole() && len(line) <= minLimit(l.text, envelope.MaxMessage)
	if single && given.GetSourceLoss() == nil && len(given.GetRedactions()) == 0 {
		e.Message = line
		return nil
	}
	e.Message = oneLine(headline(shown.Text), minLimit(l.text, maxHeadline))
	return []part{whole}
}

// headline returns the line of a text that says best what went wrong; of several that say as
// much the last one, and where none does the first one that has a character.
func headline(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	best, most := "", -1
	for _, s := range preview.Ranked(text) {
		line := ""
		if at := int(s.FirstLine) - 1; at < len(lines) {
			line = strings.TrimSpace(preview.OneLine(lines[at]))
		}
		if wrong := s.Reason >= preview.KeepError && s.Reason <= preview.KeepDiagnostic; wrong && line != "" && s.Score >= most {
			best, most = line, s.Score
		}
	}
	if best == "" {
		for _, line := range lines {
			if best = strings.TrimSpace(preview.OneLine(line)); best != "" {
				break
			}
		}
	}
	return best
}

// givenHint is the hint that came with an error, brought to one line within a limit; nil
// where none came.
func givenHint(e *pb.CompleteToolError, limit int) *string {
	if e.RecoveryHint == nil {
		return nil
	}
	return new(oneLine(e.GetRecoveryHint(), minLimit(limit, envelope.MaxHint)))
}

// wantsHint reports whether an error came without a hint and its kind, which somebody gave,
// has one. A hint that is there and empty says that none is wanted, and a kind without a
// letter is none.
func wantsHint(e *pb.CompleteToolError) bool {
	if e == nil || e.RecoveryHint != nil || !strings.ContainsFunc(e.GetKind(), isLetter) {
		return false
	}
	_, known := envelope.LookupErrorKind(envelope.NormalizeErrorKind(e.GetKind()))
	return known
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// addDetails bounds the details of an error.
func (p errorProjection) addDetails(ctx context.Context, e *pb.ToolError, given *pb.Payload, in *Input, sink artifactstore.Sink) error {
	size, _ := in.size(given)
	if size == 0 {
		return nil
	}
	if Key(given) != "" && size > maxDetails || given.GetSourceLoss() != nil {
		return p.omitDetails(ctx, e, given, in, sink)
	}
	content, err := in.content(given)
	if err != nil {
		return err
	}
	bounded, whole := boundDetails(content, in.Policy.Counter)
	if !whole {
		if err := p.omitDetails(ctx, e, given, in, sink); err != nil {
			return err
		}
	}
	if bounded != "" {
		e.DetailsJson = &bounded
	}
	return nil
}

// boundDetails returns details as JSON text of bounded length, and whether that is all of
// them. What is no JSON becomes a JSON string.
func boundDetails(content []byte, c tokens.Counter) (bounded string, whole bool) {
	if envelope.JSONDefect(content) == pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		return envelope.BoundDetails(content)
	}
	text := preview.Of(content, envelope.MaxDetails).Select(preview.Budget{
		Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: envelope.MaxDetails,
	}, c, preview.Focus{})
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if enc.Encode(text.Text) != nil || !text.Whole() || quoted.Len() > envelope.MaxDetails {
		return "", false
	}
	return strings.TrimSuffix(quoted.String(), "\n"), true
}

// omitDetails takes the details out of an error, into the store.
func (errorProjection) omitDetails(ctx context.Context, e *pb.ToolError, given *pb.Payload, in *Input, sink artifactstore.Sink) error {
	e.DetailsJson = nil
	size, _ := in.size(given)
	if size == 0 {
		return nil
	}
	ref, err := sink.Put(ctx, in.blob(given))
	if err != nil {
		return err
	}
	e.DetailsOmitted = &pb.DetailsOmitted{
		Bytes: uint64(size), Digest: ref.Digest, Artifact: &pb.ArtifactReference{Path: ref.Path},
	}
	return nil
}

// canonical is the envelope of a result. Its summary is the runtime's or, where
// that shows nothing, the first of the family's that does.
func canonical(out *pb.CompleteToolOutput, summaries ...string) *pb.CanonicalToolResult {
	summary := oneLine(out.GetSummaryText(), envelope.MaxSummary)
	if len(summaries) > 0 {
		summaries = append(summaries, out.GetToolName()) // there is always one
	}
	for _, s := range summaries {
		if summary == "" {
			summary = oneLine(s, envelope.MaxSummary)
		}
	}
	return &pb.CanonicalToolResult{ToolName: out.GetToolName(), Status: envelope.EffectiveStatus(out), SummaryText: summary}
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
