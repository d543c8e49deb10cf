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
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Errors have no family. Their messages may have any length (docs/adr/0037): one line
// stays the message, and a longer text becomes a section with its most telling line as
// the message. Details are JSON of bounded size; everything else of them is stored.

// Bounds of errors, in bytes.
const (
	maxHeadline = 512     // of the line that represents a message of several lines
	maxDetails  = 4 << 20 // of details in a stream or file that are read into memory; larger ones are stored unread
)

// Error projects the failure of a tool of any family. Kind, hint and retryable stay as
// given, a message of one line stays and a longer one becomes a section, and details
// are bounded. An error of a known kind without a hint gets the hint of its kind. RFC
// "Projection Algorithm", step 4.
func Error() Projector { return errorProjector{newErrorProjection()} }

type errorProjector struct{ errorProjection }

// Project returns the canonical result of an error. When it does not fit the budget,
// the hint of the table of kinds goes first, then the details, which are stored, and
// at last texts are cut.
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

// errorShape states how much of an error its canonical form has.
type errorShape struct {
	limits
	hint        hinting
	omitDetails bool
}

// errorProjection projects errors of tools, and of the items of a batch.
type errorProjection struct{ fields fields }

func newErrorProjection() errorProjection { return errorProjection{newFields(&pb.ToolError{})} }

// check checks what a caller states about the payloads of an error. Their content is
// the tool's.
func (errorProjection) check(c envelope.Checker, e *pb.CompleteToolError, in *Input) {
	checkPayload(c, "message", e.GetMessage(), in)
	checkPayload(c, "details", e.GetDetails(), in)
}

// project returns the canonical error, and the parts that are fitted to a budget.
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

// addMessage sets the message of an error. A message of several lines, or one that
// cannot be shown as it is, is represented by its most telling line, and returned as a
// part.
func (p errorProjection) addMessage(e *pb.ToolError, given *pb.Payload, l limits, in *Input) []part {
	size, _ := in.size(given)
	if given == nil || size == 0 && given.GetSourceLoss() == nil {
		return nil
	}
	whole := newPayload(p.fields["message"], e.ProtoReflect(), given, in, preview.Hints{})
	shown := whole.excerpt.Select(preview.Budget{
		Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: envelope.MaxMessage,
	}, in.Policy.Counter, preview.Hints{})
	line := strings.TrimSuffix(shown.Text, "\n")
	single := !strings.Contains(line, "\n") && shown.Whole() && len(line) <= minLimit(l.text, envelope.MaxMessage)
	if single && given.GetSourceLoss() == nil && len(given.GetRedactions()) == 0 {
		e.Message = line
		return nil
	}
	e.Message = oneLine(headline(shown.Text), minLimit(l.text, maxHeadline))
	return []part{whole}
}

// headline returns the line of a text that says best what went wrong: the one with the
// highest score, the last of several, or the first visible line where none has a
// score.
func headline(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	best, most := "", -1
	for _, s := range preview.Ranked(text) {
		line := ""
		if at := int(s.FirstLine) - 1; at < len(lines) {
			line = strings.TrimSpace(textscan.OneLine(lines[at]))
		}
		if wrong := s.Reason >= shape.KeepError && s.Reason <= shape.KeepDiagnostic; wrong && line != "" && s.Score >= most {
			best, most = line, s.Score
		}
	}
	if best == "" {
		for _, line := range lines {
			if best = strings.TrimSpace(textscan.OneLine(line)); best != "" {
				break
			}
		}
	}
	return best
}

// givenHint returns the hint of an error on one line within a limit; nil for none.
func givenHint(e *pb.CompleteToolError, limit int) *string {
	if e.RecoveryHint == nil {
		return nil
	}
	return new(oneLine(e.GetRecoveryHint(), minLimit(limit, envelope.MaxHint)))
}

// wantsHint reports whether an error has no hint, but a kind from the table. An empty
// hint says that none is wanted; a kind without a letter is no kind.
func wantsHint(e *pb.CompleteToolError) bool {
	if e == nil || e.RecoveryHint != nil || !strings.ContainsFunc(e.GetKind(), isLetter) {
		return false
	}
	_, known := envelope.LookupErrorKind(envelope.NormalizeErrorKind(e.GetKind()))
	return known
}

// isLetter reports whether a rune is an ASCII letter.
func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// addDetails sets the details of an error within their bound, and stores those that do
// not fit.
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
	defect := envelope.JSONDefect(content)
	bounded, whole := boundDetails(content, defect, in.Policy.Counter)
	if !whole {
		if err := p.omitDetails(ctx, e, given, in, sink); err != nil {
			return err
		}
	}
	if bounded != "" {
		e.DetailsJson = &bounded
		if beginsAsJSON(content) {
			e.DetailsDefect = defect
		}
	}
	return nil
}

// beginsAsJSON reports whether a text begins as a JSON object or array.
func beginsAsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// boundDetails returns details as bounded JSON text, and whether nothing is missing.
// Text that is no JSON becomes a JSON string.
func boundDetails(content []byte, defect pb.JsonDefect, c tokens.Counter) (bounded string, whole bool) {
	if defect == pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		return envelope.BoundDetails(content)
	}
	text := preview.FromBytes(content, envelope.MaxDetails).Select(preview.Budget{
		Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: envelope.MaxDetails,
	}, c, preview.Hints{})
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if enc.Encode(text.Text) != nil || !text.Whole() || quoted.Len() > envelope.MaxDetails {
		return "", false
	}
	return strings.TrimSuffix(quoted.String(), "\n"), true
}

// omitDetails moves the details of an error into the store, and states their size and
// place.
func (errorProjection) omitDetails(ctx context.Context, e *pb.ToolError, given *pb.Payload, in *Input, sink artifactstore.Sink) error {
	e.DetailsJson, e.DetailsDefect = nil, pb.JsonDefect_JSON_DEFECT_UNSPECIFIED
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

// canonical returns the envelope of a result. Its summary is that of the runtime or,
// if that shows nothing, the first given one that does; the name of the tool is the
// last resort.
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

// oneLine returns a text in its visible form on one line, of at most limit bytes.
func oneLine(text string, limit int) string {
	text = textscan.OneLine(text)
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
