package projectors

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Bounds of the facts of attachments and of unknown content, in bytes and in
// elements.
const (
	maxAttachmentName = 256
	maxAttachmentURI  = 4096
	maxMediaType      = 128
	maxUnknownType    = 64
	maxUnknownTypes   = 16
	// maxStoredAttachments bounds how many files one call makes. The bytes of
	// further attachments stay in the source artifact.
	maxStoredAttachments = 64
)

// ExternalMCP projects results of MCP tools. One that says isError becomes an
// error of the envelope.
func ExternalMCP() Projector {
	d, ok := declare("external_mcp", nil).(declared)
	if !ok {
		return nil // the registry says so
	}
	return externalMCP{d}
}

type externalMCP struct{ declared }

// Project returns the canonical result of an MCP tool.
func (e externalMCP) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	out := in.Output.GetExternalMcp()
	check := envelope.NewChecker("output.external_mcp")
	(&work{Input: in}).checkMessage(check, e.plan.from, out.ProtoReflect())
	result := readCallToolResult(check, out.GetResultJson())
	if err := check.Err(); err != nil {
		return nil, err
	}
	if result.isError {
		in.Output = &pb.CompleteToolOutput{
			ToolName: in.Output.GetToolName(), Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: in.Output.GetSummaryText(),
			Error: result.toolError(out.GetResultJson().GetInline()),
		}
		return Error().Project(ctx, in, sink)
	}
	d := e.declared
	d.adapt = func(ctx context.Context, w *work) error {
		a := newAnswer(w, out.GetResultJson())
		if err := a.callToolResult(ctx, result); err != nil {
			return err
		}
		return a.end(ctx)
	}
	return d.Project(ctx, in, sink)
}

// ExternalJSON projects results of other tools that answer JSON.
func ExternalJSON() Projector {
	return declare("external_json", func(ctx context.Context, w *work) error {
		out := w.from.Interface().(*pb.ExternalJsonOutput)
		if !checkJSON(w.check, "result_json", out.GetResultJson()) {
			return nil // project returns what check found
		}
		a := newAnswer(w, out.GetResultJson())
		a.result.Server = out.GetSource()
		if err := a.structured(ctx, out.GetResultJson().GetInline()); err != nil {
			return err
		}
		return a.end(ctx)
	})
}

// checkJSON checks a payload of JSON text that is there.
func checkJSON(c envelope.Checker, field string, in *pb.Payload) bool {
	if in.GetSourceLoss() != nil {
		c.Fail(field+".source_loss", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "excludes JSON text, which is whole")
	} else if in != nil {
		c.JSON(field, in.GetInline())
	}
	return c.Err() == nil
}

// answer is the canonical payload of an external tool under way.
type answer struct {
	*work
	result      *pb.ExternalResult
	fields      fields
	source      []byte          // the answer as it was received
	secrets     []*pb.Redaction // that were replaced in it
	keepSource  bool            // a part of it is in no other place
	attachments []*pb.ExternalAttachment
}

func newAnswer(w *work, source *pb.Payload) *answer {
	result := w.into.Interface().(*pb.ExternalResult)
	return &answer{work: w, result: result, fields: fieldsOf(result), source: source.GetInline(), secrets: source.GetRedactions()}
}

// end adds what comes of the whole answer.
func (a *answer) end(ctx context.Context) error {
	a.result.Empty = len(a.parts) == 0 && len(a.attachments) == 0 && len(a.result.GetUnknownContent()) == 0
	if a.keepSource {
		ref, err := a.sink.Put(ctx, artifactstore.BytesBlob(a.source))
		if err != nil {
			return err
		}
		a.result.SourceArtifact = new(uint32(len(a.result.GetArtifacts())))
		a.result.Artifacts = append(a.result.Artifacts, &pb.ArtifactReference{Path: ref.Path})
	}
	if len(a.attachments) > 0 {
		a.list()
	}
	return nil
}

// list adds the attachments as a part.
func (a *answer) list() {
	complete := &pb.ExternalResult{Attachments: a.attachments}
	lists := envelope.LargeLists(a.into.Descriptor())
	l := &list{field: &lists[0], into: a.into, all: complete.ProtoReflect().Get(lists[0].Field).List()}
	a.parts = append(a.parts, l)
	a.finish = func() {
		if l.stored.Path != "" {
			a.result.AttachmentsStored = &pb.ExternalStored{Bytes: uint64(l.stored.Size), Digest: l.stored.Digest}
		}
	}
}

// show adds a part that is shown in a large field.
func (a *answer) show(name string, text []byte, e excerpt) {
	a.parts = append(a.parts, &payload{
		field: a.fields[name], into: a.into, blob: artifactstore.BytesBlob(text), excerpt: e, made: true, left: a.Left,
		secrets: a.secrets,
	})
	a.secrets = nil // they are of the answer as a whole, and are said once
}

// text adds text, without the base64 in it. A JSON object or array is shown in
// its readable form if it may.
func (a *answer) text(ctx context.Context, name, text string, readable bool) error {
	if t := strings.TrimLeft(text, " \t\r\n"); readable && t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(text)) {
		return a.json(ctx, name, []byte(text))
	}
	text, err := a.lift(ctx, text)
	if err != nil {
		return err
	}
	a.show(name, []byte(text), preview.Of([]byte(text), a.Policy.Budget.Tokens))
	return nil
}

// structured adds structured data.
func (a *answer) structured(ctx context.Context, text []byte) error {
	return a.json(ctx, "structured", text)
}

// json adds valid JSON in its readable form, without the base64 in it.
func (a *answer) json(ctx context.Context, name string, text []byte) error {
	text, err := rewriteStrings(text, func(s string) (string, error) { return a.lift(ctx, s) })
	if err != nil {
		return err
	}
	j, err := preview.ParseJSON(text)
	if err != nil {
		return fmt.Errorf("read %s again: %w", name, err)
	}
	a.show(name, j.Text(), j)
	return nil
}

// lift takes long base64 out of text and leaves placeholders.
func (a *answer) lift(ctx context.Context, text string) (string, error) {
	return liftBase64(text, func(mediaType string, content []byte) (string, error) {
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
	a.refer(n)
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

// refer adds an attachment whose bytes are elsewhere.
func (a *answer) refer(n *pb.ExternalAttachment) {
	a.attachments = append(a.attachments, n)
	n.Number = uint32(len(a.attachments))
}
