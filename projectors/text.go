package projectors

import (
	"context"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Text projects what any tool printed or answered.
func Text() Projector {
	return declare("text", func(_ context.Context, w *work) error {
		out, _ := w.from.Interface().(*pb.TextOutput)
		into, _ := w.into.Interface().(*pb.TextResult)
		size, _ := w.size(out.GetContent())
		into.Empty = size == 0 && out.GetContent().GetSourceLoss() == nil
		for _, p := range w.parts {
			if text, ok := p.(*payload); ok {
				text.mayRead, text.hints = true, preview.Hints{Shape: shapeOfType(out.GetMediaType()), Rules: w.Rules} // it may be anything
			}
		}
		return nil
	})
}

// shapeOfType returns the shape of text of a media type; shape.None if the type says little.
func shapeOfType(mediaType string) shape.Shape {
	name, _, _ := strings.Cut(mediaType, ";")
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case strings.HasPrefix(name, "text/x-") && name != "text/x-log" && !strings.HasSuffix(name, "diff") && !strings.HasSuffix(name, "patch"),
		name == "text/javascript", name == "application/javascript", name == "application/typescript", name == "text/css", name == "application/x-sh":
		return shape.Source
	}
	return shape.None
}

// Page is a part of an artifact that a model asked for: one run of bytes, or the lines
// that match a pattern.
type Page struct {
	Tool         string         // name of the tool
	Bytes, Lines int64          // of the artifact
	Parts        []preview.Part // in order; none when no line matched
	Matches      bool           // the parts are lines that match, and their surroundings
	From, To     int64          // offsets where a run begins and ends inside of a line; 0: with a line
	First, Last  int64          // lines that were searched, where none matched
	Path, Digest string         // of the artifact, for lines that match
	Next         string         // the call that reads on; empty on the last page
}

// pageContent is the large field of the content of a page.
var pageContent = newFields(&pb.TextResult{})["content"]

// Result returns the page as a canonical result of the text family. A run is a payload
// of its own, whose place in the artifact is stated beside it. Matches are a preview
// of the artifact, whose cuts state their places.
func (p Page) Result() *pb.CanonicalToolResult {
	text := &pb.TextResult{NextPage: p.Next}
	switch {
	case len(p.Parts) == 0:
		text.NoMatch, text.FirstLine, text.LastLine, text.TotalLines = true, uint64(p.First), uint64(p.Last), uint64(p.Lines)
	case p.Matches:
		p.setMatches(text)
	default:
		p.setRun(text)
	}
	r := &pb.CanonicalToolResult{
		ToolName: p.Tool, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CanonicalToolResult_Text{Text: text},
	}
	if outcome, err := envelope.OutcomeTemplate(text.ProtoReflect().Descriptor()); err == nil {
		r.SummaryText = oneLine(outcome.Expand(text.ProtoReflect(), textscan.OneLine), envelope.MaxSummary)
	}
	return r
}

// AsText returns the canonical result of a tool whose content is shown as text, whole. why states why it is text although it
// is more than that.
func AsText(tool, summary string, content []byte, mediaType, why string) *pb.CanonicalToolResult {
	text := &pb.TextResult{MediaType: oneLine(mediaType, maxMediaType), ShownAsText: oneLine(why, maxShownAsText)}
	setWhole(text, content)
	out := &pb.CompleteToolOutput{ToolName: tool, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: summary}
	r := canonical(out, text.GetShownAsText())
	r.Result = &pb.CanonicalToolResult_Text{Text: text}
	return r
}

// maxShownAsText bounds why an output is shown as text, in bytes, as text.proto states it.
const maxShownAsText = 256

// setRun sets a run of bytes.
func (p Page) setRun(text *pb.TextResult) {
	only := p.Parts[0]
	text.FirstLine, text.LastLine, text.TotalLines = uint64(only.FirstLine), uint64(only.LastLine), uint64(p.Lines)
	text.FromByte, text.ToByte = uint64(p.From), uint64(p.To)
	setWhole(text, only.Text)
}

// setWhole sets content that is shown as a whole.
func setWhole(text *pb.TextResult, content []byte) {
	text.Empty = len(content) == 0
	v := preview.Page(content)
	large := envelope.Large{Preview: v.Text, Truncated: v.Truncated()}
	if !v.Whole() {
		large.Cuts, large.Source = (&payload{}).ledger(v)
	}
	pageContent.Set(text.ProtoReflect(), large)
}

// setMatches sets lines that match.
func (p Page) setMatches(text *pb.TextResult) {
	v := preview.Parts(p.Parts, p.Bytes, p.Lines)
	large := envelope.Large{Preview: v.Text, Truncated: v.Truncated(), Artifact: p.Path}
	if !v.Whole() {
		of := payload{}
		of.stored.Digest = p.Digest
		large.Cuts, large.Source = of.ledger(v)
	}
	pageContent.Set(text.ProtoReflect(), large)
}
