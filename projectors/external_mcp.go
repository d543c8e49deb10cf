package projectors

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/external"
)

// An MCP result says the same thing up to three times: as text, as structured content,
// and as an embedded resource. This file shows each thing once, makes attachments of
// everything binary, and keeps the whole answer when a part of it is shown nowhere.

// mcpError returns the error that a result with isError becomes. Its details hold
// what the message does not say.
func mcpError(r *external.Result, source *pb.Payload) *pb.CompleteToolError {
	var texts []string
	onlyTexts := len(r.More) == 0
	for b := range r.Blocks() {
		text, ok := b.Content("text")
		if kind, _ := b.Text("type"); ok && kind == external.TypeText {
			texts = append(texts, text)
		}
		onlyTexts = onlyTexts && ok && !b.HasOther("type", "text")
	}
	message := strings.Join(texts, "\n")
	e := &pb.CompleteToolError{}
	if len(texts) == 1 && onlyTexts && r.Structured == nil && isReadable(message) {
		if lifted, around, ok := external.LiftText([]byte(message)); ok {
			message, e.Details = lifted, inline(around)
		}
	}
	if message != "" {
		e.Message = inline([]byte(message))
	}
	switch {
	case !onlyTexts:
		e.Details = inline(source.GetInline())
	case r.Structured != nil && !external.EqualsString(external.OnlyMember(r.Structured), message) &&
		(len(texts) != 1 || !external.NewValue(r.Structured).Equals(texts[0])):
		e.Details = inline(append(append([]byte(`{"structuredContent":`), r.Structured...), '}'))
	}
	switch { // the redactions of the answer are stated once
	case e.Message != nil:
		e.Message.Redactions = source.GetRedactions()
	case e.Details != nil:
		e.Details.Redactions = source.GetRedactions()
	}
	return e
}

// inline returns a payload with content.
func inline(content []byte) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}
}

// mcpContent collects the content of a result, one block after the other.
type mcpContent struct {
	*answer
	alone      bool            // the result has one block
	structured *external.Value // the structured content
	wrapped    *external.Value // its only member
	texts      []string
	resource   *string // text of the first resource that has text; nil for none
	unknown    unknownContent
}

// mcpResult adds the content of a result: its texts, its structured content where
// that says more, and the text of an embedded resource.
func (a *answer) mcpResult(ctx context.Context, r *external.Result) error {
	a.keepSource = len(r.More) > 0
	inner := external.OnlyMember(r.Structured)
	c := mcpContent{
		answer: a, alone: r.HasOneBlock(), unknown: unknownContent{counts: map[string]int{}},
		structured: external.NewValue(r.Structured), wrapped: external.NewValue(inner),
	}
	empty := true
	for b := range r.Blocks() {
		empty = false
		if err := c.block(ctx, b); err != nil {
			return err
		}
	}
	var members []string
	if empty && r.Structured == nil { // it did not answer nothing
		members = memberWords(r.More)
	}
	c.noteUnknown(members)
	structured := r.Structured
	if external.AreElements(inner, c.texts) || external.AreElements(structured, c.texts) {
		a.set("text_repeats_structured", protoreflect.ValueOfBool(true))
		c.texts, a.keepSource = nil, true
	}
	if len(c.texts) > 0 && external.EqualsString(inner, strings.Join(c.texts, "\n")) {
		a.set("structured_repeats_text", protoreflect.ValueOfBool(true))
		structured, a.keepSource = nil, true
	}
	if err := a.addTextAndData(ctx, c.texts, structured); err != nil {
		return err
	}
	if c.resource != nil {
		return a.addText(ctx, "resource", *c.resource, true)
	}
	return nil
}

// block adds a content block, or counts it as unknown.
func (c *mcpContent) block(ctx context.Context, b external.Block) (err error) {
	kind, _ := b.Text("type")
	known := false
	if len(c.attachments) == maxAttachments && kind != external.TypeText {
		c.unknown.add(kind)
		return nil
	}
	switch kind {
	case external.TypeText:
		known = c.textBlock(b)
	case external.TypeImage, external.TypeAudio:
		known, err = c.addMedia(ctx, kind, b)
	case external.TypeResource:
		known, err = c.addEmbedded(ctx, b, &c.resource)
	case external.TypeLink:
		known = c.addLink(b)
	}
	if err == nil && !known {
		c.unknown.add(kind)
	}
	return err
}

// textBlock adds a text, unless the structured content says the same. It reports
// false for a block without text.
func (c *mcpContent) textBlock(b external.Block) bool {
	text, ok := b.Content("text")
	if !ok {
		return false
	}
	// Half of a surrogate pair cannot be shown.
	c.keepSource = c.keepSource || b.HasOther("type", "text") || strings.ContainsRune(text, utf8.RuneError)
	if (c.alone || external.IsContainer(text)) && (c.structured.Equals(text) || c.wrapped.Equals(text)) {
		c.set("text_repeats_structured", protoreflect.ValueOfBool(true))
		c.keepSource = true
		return true
	}
	c.texts = append(c.texts, text)
	return true
}

// noteUnknown states how many blocks of which unknown types there were, and which members are all that there is.
func (c *mcpContent) noteUnknown(members []string) {
	c.answer.unknown = append(c.unknown.words(), members...)
	for _, words := range c.answer.unknown {
		f := c.into.Descriptor().Fields().ByName("unknown_content")
		c.into.Mutable(f).List().Append(protoreflect.ValueOfString(words))
	}
	c.keepSource = c.keepSource || len(c.answer.unknown) > 0
}

// line returns a member that is a string, on one line of at most limit bytes.
func (a *answer) line(b external.Block, name string, limit int) string {
	text, _ := b.Text(name)
	line := oneLine(text, limit)
	a.keepSource = a.keepSource || line != text
	return line
}

// addMedia adds an image or a sound. It reports false for a block without data.
func (a *answer) addMedia(ctx context.Context, kind string, b external.Block) (bool, error) {
	data, ok := b.Text("data")
	if !ok {
		return false, nil
	}
	a.keepSource = a.keepSource || b.HasOther("type", "data", "mimeType")
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_IMAGE, MediaType: a.line(b, "mimeType", maxMediaType),
	}
	if kind == external.TypeAudio {
		n.Kind = pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_AUDIO
	}
	return true, a.addDecoded(ctx, n, data)
}

// addDecoded adds an attachment of base64. Data that is no base64 is stored as it is,
// and marked as undecoded.
func (a *answer) addDecoded(ctx context.Context, n *pb.ExternalAttachment, data string) error {
	content, ok := external.DecodeBase64(data)
	if !ok {
		n.Undecoded, content = true, []byte(data)
	}
	return a.attach(ctx, n, content)
}

// addEmbedded adds an embedded resource. The text of the first one that has text is
// shown. It reports false for a block without a resource.
func (a *answer) addEmbedded(ctx context.Context, b external.Block, shown **string) (bool, error) {
	inner := external.Block(b.Member("resource"))
	text, hasText := inner.Content("text")
	blob, hasBlob := inner.Text("blob")
	if !hasText && !hasBlob {
		return false, nil
	}
	a.keepSource = a.keepSource || b.HasOther("type", "resource") || inner.HasOther("uri", "mimeType", "text", "blob") || hasText && hasBlob
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE,
		Uri:  a.line(inner, "uri", maxAttachmentURI), MediaType: a.line(inner, "mimeType", maxMediaType),
	}
	switch {
	case !hasText:
		return true, a.addDecoded(ctx, n, blob)
	case *shown == nil && text != "":
		*shown, n.InText, n.Bytes = &text, true, new(uint64(len(text)))
		a.addReference(n)
		return true, nil
	}
	return true, a.attach(ctx, n, []byte(text))
}

// addLink adds a link to a resource. It reports false for a block without a URI.
func (a *answer) addLink(b external.Block) bool {
	if _, ok := b.Text("uri"); !ok {
		return false
	}
	name, description := a.line(b, "name", maxAttachmentName), a.line(b, "description", maxAttachmentName)
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE_LINK, Name: name, Description: description,
		Uri: a.line(b, "uri", maxAttachmentURI), MediaType: a.line(b, "mimeType", maxMediaType),
	}
	var size *uint64
	if json.Unmarshal(b.Member("size"), &size) == nil { // null says nothing
		n.Bytes = size
	}
	a.keepSource = a.keepSource || b.HasOther("type", "uri", "name", "description", "mimeType", "size")
	a.addReference(n)
	return true
}

// unknownContent counts the blocks that cannot be shown, by their type.
type unknownContent struct {
	kinds  []string
	counts map[string]int
}

// add counts a block. After maxUnknownTypes different types further ones are counted
// together.
func (u *unknownContent) add(kind string) {
	words := "of type " + oneLine(kind, maxUnknownType)
	if kind == "" {
		words = "without a type"
	}
	if len(u.kinds) >= maxUnknownTypes && u.counts[words] == 0 {
		words = "of other types"
	}
	if u.counts[words] == 0 {
		u.kinds = append(u.kinds, words)
	}
	u.counts[words]++
}

// memberWords names members of a result that are never shown, the first ones each.
func memberWords(names []string) (list []string) {
	for i, name := range names {
		if i == maxUnknownTypes {
			return append(list, fmt.Sprintf("%d other members", len(names)-i))
		}
		list = append(list, "member "+oneLine(name, maxUnknownType))
	}
	return list
}

// words states the counts, in the order in which the types appeared.
func (u *unknownContent) words() (list []string) {
	for _, kind := range u.kinds {
		list = append(list, fmt.Sprintf("%d %s", u.counts[kind], kind))
	}
	return list
}
