package projectors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// callToolResult is the result of an MCP tool. Source: Model Context Protocol,
// revision 2025-06-18, "CallToolResult".
type callToolResult struct {
	content    []contentBlock
	structured json.RawMessage // nil when there is none
	isError    bool
	more       bool // it has members that are never shown, such as _meta
}

// contentBlock are the members of a content block. Their names are exact.
type contentBlock map[string]json.RawMessage

// readCallToolResult reads valid JSON text. It says so where that is no result.
func readCallToolResult(text []byte) (r callToolResult, defect pb.JsonDefect) {
	const shape = pb.JsonDefect_JSON_DEFECT_SHAPE
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return r, shape
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		switch {
		case isNull(value):
		case name == "content":
			var blocks []json.RawMessage
			if json.Unmarshal(value, &blocks) != nil {
				return callToolResult{}, shape
			}
			for _, b := range blocks {
				var block contentBlock
				_ = json.Unmarshal(b, &block) // what is no object has no members
				r.content = append(r.content, block)
			}
		case name == "structuredContent":
			r.structured = value
		case name == "isError":
			if json.Unmarshal(value, &r.isError) != nil {
				return callToolResult{}, shape
			}
		default:
			r.more = true
		}
	}
	return r, pb.JsonDefect_JSON_DEFECT_UNSPECIFIED
}

func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }

// text returns a member that is a string.
func (b contentBlock) text(name string) (string, bool) {
	var value *string
	if json.Unmarshal(b[name], &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

// more reports whether the block has members beside the given.
func (b contentBlock) more(names ...string) bool {
	n := 0
	for _, name := range names {
		if _, ok := b[name]; ok {
			n++
		}
	}
	return len(b) > n
}

// Kinds of content.
const (
	contentText     = "text"
	contentImage    = "image"
	contentAudio    = "audio"
	contentResource = "resource"
	contentLink     = "resource_link"
)

// toolError is what a result that says isError becomes. Its details are what the
// message does not say.
func (r *callToolResult) toolError(source *pb.Payload) *pb.CompleteToolError {
	var texts []string
	said := !r.more
	for _, b := range r.content {
		text, ok := b.text("text")
		if kind, _ := b.text("type"); ok && kind == contentText {
			texts = append(texts, text)
		}
		said = said && ok && !b.more("type", "text")
	}
	message := strings.Join(texts, "\n")
	e := &pb.CompleteToolError{}
	if message != "" {
		e.Message = inline([]byte(message))
	}
	switch {
	case !said:
		e.Details = inline(source.GetInline())
	case r.structured != nil && !isText(onlyMember(r.structured), message) && (len(texts) != 1 || !(&jsonValue{text: r.structured}).isSame(texts[0])):
		e.Details = inline(append(append([]byte(`{"structuredContent":`), r.structured...), '}'))
	}
	switch { // what was replaced in the answer is said once
	case e.Message != nil:
		e.Message.Redactions = source.GetRedactions()
	case e.Details != nil:
		e.Details.Redactions = source.GetRedactions()
	}
	return e
}

func inline(content []byte) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}
}

// callToolResult adds the content of a result.
func (a *answer) callToolResult(ctx context.Context, r callToolResult) error {
	a.keepSource = r.more
	var texts []string
	inner := onlyMember(r.structured)
	structured, only := jsonValue{text: r.structured}, jsonValue{text: inner}
	resource, unknown := (*string)(nil), unknownContent{counts: map[string]int{}}
	for _, b := range r.content {
		kind, _ := b.text("type")
		known, err := false, error(nil)
		switch kind {
		case contentText:
			var text string
			if text, known = b.text("text"); !known {
				break
			}
			// U+FFFD may stand for half of a surrogate pair.
			a.keepSource = a.keepSource || b.more("type", "text") || strings.ContainsRune(text, utf8.RuneError)
			if alone := len(r.content) == 1; (alone || isContainer(text)) && (structured.isSame(text) || only.isSame(text)) {
				a.set("text_repeats_structured", protoreflect.ValueOfBool(true))
				a.keepSource = true
				break
			}
			texts = append(texts, text)
		case contentImage, contentAudio:
			known, err = a.media(ctx, kind, b)
		case contentResource:
			known, err = a.resource(ctx, b, &resource)
		case contentLink:
			known = a.link(b)
		}
		if err != nil {
			return err
		}
		if !known {
			unknown.add(kind)
		}
	}
	a.unknown = unknown.words()
	for _, words := range a.unknown {
		f := a.into.Descriptor().Fields().ByName("unknown_content")
		a.into.Mutable(f).List().Append(protoreflect.ValueOfString(words))
	}
	a.keepSource = a.keepSource || len(unknown.kinds) > 0
	if len(texts) > 0 {
		if err := a.text(ctx, "text", strings.Join(texts, "\n"), len(texts) == 1); err != nil {
			return err
		}
	}
	if len(texts) > 0 && isText(inner, strings.Join(texts, "\n")) {
		a.set("structured_repeats_text", protoreflect.ValueOfBool(true))
		r.structured, a.keepSource = nil, true
	}
	if r.structured != nil {
		if err := a.structured(ctx, r.structured); err != nil {
			return err
		}
	}
	if resource != nil {
		return a.text(ctx, "resource", *resource, true)
	}
	return nil
}

// isContainer reports whether text, if it is JSON, is an object or an array. Of
// several texts, a scalar that is structured data too may be there by chance.
func isContainer(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// line returns a member that is a string on one line of at most limit bytes.
func (a *answer) line(b contentBlock, name string, limit int) string {
	text, _ := b.text(name)
	line := oneLine(text, limit)
	a.keepSource = a.keepSource || line != text
	return line
}

// media adds an image or a sound. It reports false for a block that has no data.
func (a *answer) media(ctx context.Context, kind string, b contentBlock) (bool, error) {
	data, ok := b.text("data")
	if !ok {
		return false, nil
	}
	a.keepSource = a.keepSource || b.more("type", "data", "mimeType")
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_IMAGE, MediaType: a.line(b, "mimeType", maxMediaType),
	}
	if kind == contentAudio {
		n.Kind = pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_AUDIO
	}
	return true, a.decoded(ctx, n, data)
}

// decoded adds an attachment whose bytes are base64, or should be.
func (a *answer) decoded(ctx context.Context, n *pb.ExternalAttachment, data string) error {
	content, ok := decodeBase64(data)
	if !ok {
		n.Undecoded, content = true, []byte(data)
	}
	return a.attach(ctx, n, content)
}

// resource adds an embedded resource. The text of the first one that has text is
// shown.
func (a *answer) resource(ctx context.Context, b contentBlock, shown **string) (bool, error) {
	var inner contentBlock
	if json.Unmarshal(b["resource"], &inner) != nil {
		return false, nil
	}
	text, hasText := inner.text("text")
	blob, hasBlob := inner.text("blob")
	if !hasText && !hasBlob {
		return false, nil
	}
	a.keepSource = a.keepSource || b.more("type", "resource") || inner.more("uri", "mimeType", "text", "blob") || hasText && hasBlob
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE,
		Uri:  a.line(inner, "uri", maxAttachmentURI), MediaType: a.line(inner, "mimeType", maxMediaType),
	}
	switch {
	case !hasText:
		return true, a.decoded(ctx, n, blob)
	case *shown == nil && text != "":
		*shown, n.InText, n.Bytes = &text, true, new(uint64(len(text)))
		a.refer(n)
		return true, nil
	}
	return true, a.attach(ctx, n, []byte(text))
}

// link adds a link to a resource.
func (a *answer) link(b contentBlock) bool {
	if _, ok := b.text("uri"); !ok {
		return false
	}
	name, description := a.line(b, "name", maxAttachmentName), a.line(b, "description", maxAttachmentName)
	n := &pb.ExternalAttachment{
		Kind: pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE_LINK, Name: name, Description: description,
		Uri: a.line(b, "uri", maxAttachmentURI), MediaType: a.line(b, "mimeType", maxMediaType),
	}
	var size *uint64
	if json.Unmarshal(b["size"], &size) == nil { // null says nothing
		n.Bytes = size
	}
	a.keepSource = a.keepSource || b.more("type", "uri", "name", "description", "mimeType", "size")
	a.refer(n)
	return true
}

// unknownContent counts blocks that cannot be shown, by their type.
type unknownContent struct {
	kinds  []string
	counts map[string]int
}

func (u *unknownContent) add(kind string) {
	of := "of type " + oneLine(kind, maxUnknownType)
	if kind == "" {
		of = "without a type"
	}
	if len(u.kinds) >= maxUnknownTypes && u.counts[of] == 0 {
		of = "of other types"
	}
	if u.counts[of] == 0 {
		u.kinds = append(u.kinds, of)
	}
	u.counts[of]++
}

func (u *unknownContent) words() (list []string) {
	for _, kind := range u.kinds {
		list = append(list, fmt.Sprintf("%d %s", u.counts[kind], kind))
	}
	return list
}

// onlyMember returns the value of an object that has no other, nil of anything
// else. Servers wrap in such an object what is no object itself.
func onlyMember(text []byte) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members) != 1 {
		return nil
	}
	for _, value := range members {
		return value
	}
	return nil
}

// isText reports whether value is text as a JSON string.
func isText(value []byte, text string) bool {
	s, ok := contentBlock{"": value}.text("")
	return ok && s == text
}

// jsonValue is valid JSON, or nil, that texts are compared with: it is read once,
// however many there are.
type jsonValue struct {
	text  []byte
	value any
	read  bool
}

// isSame reports whether text is the same JSON value: with the members of objects
// in any order, and numbers as they are written.
func (j *jsonValue) isSame(text string) bool {
	if j.text == nil {
		return false
	}
	check := envelope.NewChecker("")
	if check.JSON("", []byte(text)); check.Err() != nil {
		return false
	}
	if !j.read {
		j.value, j.read = decode(j.text), true
	}
	return reflect.DeepEqual(decode([]byte(text)), j.value)
}

func decode(text []byte) (value any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	_ = dec.Decode(&value) // it was checked
	return value
}
