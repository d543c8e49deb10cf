package projectors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors/external"
)

// Bounds of the facts of attachments and of unknown content, in bytes and in elements,
// as external.proto states them.
const (
	maxAttachmentName = 256
	maxAttachmentURI  = 4096
	maxMediaType      = 128
	maxUnknownType    = 64
	maxUnknownTypes   = 16
	// maxStoredAttachments bounds the artifacts that one call makes. The bytes of further
	// attachments stay in the artifact of the whole answer.
	maxStoredAttachments = 64
	// maxAttachments bounds the attachments that are listed. Further blocks are counted, and
	// are in the artifact of the whole answer.
	maxAttachments = 10_000
)

// ExternalMCP projects results of MCP tools. A result with isError becomes an error of
// the envelope.
func ExternalMCP() Projector {
	d, ok := declare("external_mcp", nil).(declaredProjector)
	if !ok {
		return nil // the registry says so
	}
	return externalMCP{d}
}

type externalMCP struct{ declaredProjector }

// Project returns the canonical result of an MCP tool.
func (e externalMCP) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	given := in.Output.GetExternalMcp().GetResult()
	result, defect := external.Result{}, jsonDefect(given)
	if defect == pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		result, defect = external.ReadResult(given.GetInline())
	}
	if result.IsError {
		in.Output = &pb.CompleteToolOutput{
			ToolName: in.Output.GetToolName(), Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: in.Output.GetSummaryText(),
			Error: mcpError(&result, given),
		}
		return Error().Project(ctx, in, sink)
	}
	d := e.declaredProjector
	d.adapt = func(ctx context.Context, w *work) error {
		a := newAnswer(w, given)
		if defect != pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
			a.addAsText(given, defect)
		} else if err := a.mcpResult(ctx, &result); err != nil {
			return err
		}
		return a.finishAnswer(ctx)
	}
	return d.Project(ctx, in, sink)
}

// ExternalJSON projects results of other tools that answer JSON.
func ExternalJSON() Projector {
	return declare("external_json", func(ctx context.Context, w *work) error {
		given := w.Output.GetExternalJson().GetResult()
		a := newAnswer(w, given)
		if defect := jsonDefect(given); defect != pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
			a.addAsText(given, defect)
		} else if err := a.addTextAndData(ctx, nil, given.GetInline()); err != nil {
			return err
		}
		return a.finishAnswer(ctx)
	})
}

// jsonDefect returns the reason why an answer is not read as JSON, or
// JSON_DEFECT_UNSPECIFIED.
func jsonDefect(in *pb.Payload) pb.JsonDefect {
	if in.GetSourceLoss() != nil {
		return pb.JsonDefect_JSON_DEFECT_LOST_BYTES
	}
	return envelope.JSONDefect(in.GetInline())
}

// answer is the canonical payload of an external tool in progress.
type answer struct {
	*work
	fields      fields
	source      []byte          // the answer as it was received
	redactions  []*pb.Redaction // of the answer as a whole; nil once a part states them
	keepSource  bool            // store the whole answer: a part of it is nowhere else
	attachments []*pb.ExternalAttachment
	unknown     []string // content of types that this version does not know
}

// newAnswer returns an answer without content.
func newAnswer(w *work, source *pb.Payload) *answer {
	return &answer{work: w, fields: newFields(w.into.Interface()), source: source.GetInline(), redactions: source.GetRedactions()}
}

// set writes a field by its name. External families share the names of their fields.
func (a *answer) set(name protoreflect.Name, v protoreflect.Value) {
	a.into.Set(a.into.Descriptor().Fields().ByName(name), v)
}

// addAsText adds an answer that is no JSON as text. An empty answer adds nothing.
func (a *answer) addAsText(given *pb.Payload, defect pb.JsonDefect) {
	if len(a.source) == 0 && given.GetSourceLoss() == nil {
		return // it answered nothing
	}
	a.set("defect", protoreflect.ValueOfEnum(defect.Number()))
	a.parts = append(a.parts, newPayload(a.fields["text"], a.into, given, &a.Input, preview.Hints{}))
}

// finishAnswer adds what follows from the whole answer: whether it is empty, where all
// of it is, and its attachments.
func (a *answer) finishAnswer(ctx context.Context) error {
	a.set("empty", protoreflect.ValueOfBool(len(a.parts) == 0 && len(a.attachments) == 0 && len(a.unknown) == 0))
	if a.keepSource {
		ref, err := a.sink.Put(ctx, artifactstore.BytesBlob(a.source))
		if err != nil {
			return err
		}
		a.set("source_artifact", protoreflect.ValueOfUint32(envelope.AddArtifact(a.into, ref.Path)))
	}
	if len(a.attachments) > 0 {
		a.addAttachments()
	}
	return nil
}

// addAttachments adds the attachments as a part.
func (a *answer) addAttachments() {
	complete := &pb.ExternalMcpResult{Attachments: a.attachments}
	lists := envelope.LargeLists(a.into.Descriptor())
	all := complete.ProtoReflect().Descriptor().Fields().ByName(lists[0].Field.Name())
	l := &list{field: &lists[0], into: a.into, all: complete.ProtoReflect().Get(all).List()}
	a.parts = append(a.parts, l)
	a.finish = func() {
		if l.stored.Path != "" {
			stored := &pb.ExternalStored{Bytes: uint64(l.stored.Size), Digest: l.stored.Digest}
			a.set("attachments_stored", protoreflect.ValueOfMessage(stored.ProtoReflect()))
		}
	}
}

// addPart adds a part that is shown in a large field.
func (a *answer) addPart(name string, text []byte, e excerpt, w originalSize) {
	a.parts = append(a.parts, &payload{
		field: a.fields[name], into: a.into, blob: artifactstore.BytesBlob(text), excerpt: e, derived: true, omitted: a.Omitted,
		redactions: a.redactions, original: w, mayRead: true, hints: preview.Hints{Rules: a.Rules},
	})
	a.redactions = nil // they are of the answer as a whole, and are said once
}

// addText adds text without the base64 in it. A JSON object or array is shown in its
// readable form, if it may be.
func (a *answer) addText(ctx context.Context, name, text string, readable bool) error {
	if readable && isReadable(text) {
		return a.addJSON(ctx, name, []byte(text))
	}
	text, err := a.liftBase64(ctx, text)
	if err != nil {
		return err
	}
	a.addPart(name, []byte(text), preview.FromCommand([]byte(text), a.Policy.Budget.Tokens, a.Rules), originalSize{})
	return nil
}

// isReadable reports whether a text is a JSON object or array, which has a readable form.
func isReadable(text string) bool {
	return external.IsContainer(text) && utf8.ValidString(text) && json.Valid([]byte(text))
}

// addTextAndData adds the texts of an answer, and its structured data, which may be nil. If there is one of the two, and nearly all
// of it is one long text in JSON, it is shown as that text and the data around it.
func (a *answer) addTextAndData(ctx context.Context, texts []string, data []byte) error {
	var inner string
	var around []byte
	isAround := false
	switch {
	case len(texts) == 0 && data != nil:
		inner, around, isAround = external.LiftText(data)
	case len(texts) == 1 && data == nil && isReadable(texts[0]):
		inner, around, isAround = external.LiftText([]byte(texts[0]))
	}
	if isAround {
		a.keepSource = true
		texts, data = []string{inner}, around
	}
	if len(texts) > 0 {
		if err := a.addText(ctx, "text", strings.Join(texts, "\n"), len(texts) == 1); err != nil {
			return err
		}
	}
	if data == nil {
		return nil
	}
	return a.addJSON(ctx, "structured", data)
}

// addJSON adds valid JSON without the base64 in it. It is shown in a readable form if it does not fit.
func (a *answer) addJSON(ctx context.Context, name string, text []byte) error {
	plain, err := external.RewriteStrings(text, func(s string) (string, error) { return a.liftBase64(ctx, s) })
	if err != nil {
		return err
	}
	var written originalSize
	if !bytes.Equal(plain, text) {
		written = countWritten(text)
	}
	a.addPart(name, plain, preview.FromBytes(plain, a.Policy.Budget.Tokens), written)
	return nil
}

// liftBase64 makes attachments of long base64 in text, and puts placeholders in its
// place.
func (a *answer) liftBase64(ctx context.Context, text string) (string, error) {
	return external.LiftBase64(text, external.MinBase64, func(mediaType string, content []byte) (string, error) {
		a.keepSource = true
		n := &pb.ExternalAttachment{
			Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_BASE64, MediaType: oneLine(mediaType, maxMediaType),
		}
		if err := a.attach(ctx, n, content); err != nil {
			return "", err
		}
		what := "base64 data"
		if mediaType != "" {
			what = n.GetMediaType()
		}
		return fmt.Sprintf("[attachment %d: %s, %d bytes]", n.GetNumber(), what, len(content)), nil
	})
}

// attach adds an attachment and stores its bytes.
func (a *answer) attach(ctx context.Context, n *pb.ExternalAttachment, content []byte) error {
	n.Bytes = new(uint64(len(content)))
	a.addReference(n)
	if len(content) == 0 {
		return nil
	}
	if n.GetNumber() > maxStoredAttachments {
		a.keepSource = true
		return nil
	}
	ref, err := a.sink.Put(ctx, artifactstore.BytesBlob(content))
	if err != nil {
		return err
	}
	n.Digest, n.Artifact = ref.Digest, &pb.ArtifactReference{Path: ref.Path}
	return nil
}

// addReference adds an attachment whose bytes are elsewhere.
func (a *answer) addReference(n *pb.ExternalAttachment) {
	a.attachments = append(a.attachments, n)
	n.Number = uint32(len(a.attachments))
}
