package families

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
)

// An output of a family that this server does not have is shown as text: a newer client has cases that this build has not, and
// another operator has families of their own. The text is what was received, so that nothing of it is lost, and the reason is
// a field beside it.

// textCase is the name of the family that takes any output.
const textCase = "text"

// Media types of outputs that are shown as text.
const (
	mediaJSON     = "application/json"
	mediaProtobuf = "application/x-protobuf"
)

// maxFamilyName bounds the name of a custom family that is not known, in bytes.
const maxFamilyName = 128

// AsText returns an output as one of the text family if its own family is not known, or if the JSON of its message says a thing
// twice; any other output as it is. It shares what it does not change with the given one.
func (r *Registry) AsText(out *pb.CompleteToolOutput) *pb.CompleteToolOutput {
	if out.GetError() != nil {
		return out
	}
	text := r.customAsText(out.GetCustom())
	if out.GetResult() == nil && envelope.EffectiveStatus(out) == pb.ToolStatus_TOOL_STATUS_SUCCESS {
		text = caseAsText(out.ProtoReflect().GetUnknown())
	}
	if text == nil {
		return out
	}
	return &pb.CompleteToolOutput{
		ToolName: out.GetToolName(), Status: out.GetStatus(), SummaryText: out.GetSummaryText(),
		Result: &pb.CompleteToolOutput_Text{Text: text},
	}
}

// customAsText returns the message of a custom family as text; nil if it can be read or is a mistake of the caller.
func (r *Registry) customAsText(out *pb.CustomOutput) *pb.TextOutput {
	if out.GetEncoding() == nil || !IsName(out.GetType()) {
		return nil
	}
	why, known := notKnown(out.GetType()), r.types[out.GetType()] != nil
	if known {
		defect := messageDefect([]byte(out.GetMessageJson()))
		if defect == "" {
			return nil
		}
		why = "the JSON of its family " + out.GetType() + " has " + defect
	}
	if json, ok := out.GetEncoding().(*pb.CustomOutput_MessageJson); ok {
		return textOf([]byte(json.MessageJson), mediaJSON, why)
	}
	return textOf(out.GetMessage(), mediaProtobuf, why)
}

// messageDefect says what JSON has that no message can hold; empty: nothing. JSON that is none is a mistake of the caller.
func messageDefect(text []byte) string {
	switch defect := envelope.JSONDefect(text); {
	case defect == pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY:
		return "a key twice"
	case defect == pb.JsonDefect_JSON_DEFECT_UNSPECIFIED && envelope.HasHalfPair(text):
		return "half of a surrogate pair"
	}
	return ""
}

// caseAsText returns the fields of an output that this build does not know as text; nil if none can be a case of its result.
func caseAsText(unknown protoreflect.RawFields) *pb.TextOutput {
	for rest := unknown; len(rest) > 0; {
		number, kind, n := protowire.ConsumeField(rest)
		if n < 0 {
			return nil // they were received over a wire, which checks them
		}
		if kind == protowire.BytesType {
			return textOf(unknown, mediaProtobuf, fmt.Sprintf("%s (field %d)", notKnown(""), number))
		}
		rest = rest[n:]
	}
	return nil
}

// notKnown states that a family is not known; name is empty if nobody said it.
func notKnown(name string) string {
	if name != "" {
		name += " "
	}
	return "its family " + name + "is not known here"
}

// textOf returns content as the output of a tool.
func textOf(content []byte, mediaType, why string) *pb.TextOutput {
	return &pb.TextOutput{Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}, MediaType: mediaType, ShownAsText: why}
}

// ResultAsText returns a canonical result as one of the text family if its own family is not known; any other result as it is.
func (r *Registry) ResultAsText(c *pb.CanonicalToolResult) *pb.CanonicalToolResult {
	custom := c.GetCustom()
	switch {
	case c.GetStatus() != pb.ToolStatus_TOOL_STATUS_SUCCESS || c.GetError() != nil:
	case custom != nil && r.types[custom.GetType()] == nil && IsName(custom.GetType()):
		return projectors.AsText(c.GetToolName(), c.GetSummaryText(), readable([]byte(custom.GetPayloadJson())), mediaJSON, notKnown(custom.GetType()))
	case c.GetResult() == nil:
		if text := caseAsText(c.ProtoReflect().GetUnknown()); text != nil {
			return projectors.AsText(c.GetToolName(), c.GetSummaryText(), text.GetContent().GetInline(), text.GetMediaType(), text.GetShownAsText())
		}
	}
	return c
}

// ResultFromJSON reads a canonical result from the RFC's JSON, as envelope.FromJSON does. One of a family that is not known is
// of the text family.
func (r *Registry) ResultFromJSON(text []byte, family string) (*pb.CanonicalToolResult, error) {
	c, err := envelope.FromJSON(text, family)
	if err == nil {
		return r.ResultAsText(c), nil
	}
	var given struct {
		ToolName    string          `json:"tool_name"`
		Status      string          `json:"status"`
		SummaryText string          `json:"summary_text"`
		Result      json.RawMessage `json:"result"`
	}
	if !envelope.IsOfNoFamily(err) || json.Unmarshal(text, &given) != nil || given.Status != "success" {
		return nil, err
	}
	return projectors.AsText(given.ToolName, given.SummaryText, readable(given.Result), mediaJSON, notKnown(family)), nil
}

// readable returns JSON indented, and what is no JSON as it is.
func readable(text []byte) []byte {
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		return text
	}
	return indented.Bytes()
}

// IsName reports whether a name can be that of a family, custom or of a later contract.
func IsName(name string) bool {
	return len(name) <= maxFamilyName && protoreflect.FullName(name).IsValid()
}
