package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// openAIResponses is OpenAI Responses, whose input is a list of items: what was said,
// reasoning, calls and outputs of calls. An output may have parts.
func openAIResponses() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_OPENAI_RESPONSES, shape: items{},
		ids: pattern{least: 1, most: 64, other: printable}, names: openAINames, needsIDs: true,
		place: placeAfter, blank: true, blocks: true, custom: true, typed: true, media: mediaInside, shows: func(m *pb.Media) bool { return isImage(m) || isPDF(m) }, limits: openAILimits,
	}
}

// items is the shape of Responses.
type items struct{}

func (items) read(o rawjson.Object) message {
	m := message{base: o}
	switch o.Text("type") {
	case "function_call":
		m.role = roleAssistant
		m.blocks = []block{{call: &call{id: o.Text("call_id"), name: o.Text("name"), arguments: o.Text("arguments")}, base: o}}
	case "custom_tool_call":
		m.role = roleAssistant
		m.blocks = []block{{call: &call{id: o.Text("call_id"), name: o.Text("name"), arguments: o.Text("input"), custom: true}, base: o}}
	case "function_call_output", "custom_tool_call_output":
		m.role = roleTool
		m.blocks = []block{{result: &result{
			id: o.Text("call_id"), text: firstText(o.Get("output")), custom: o.Text("type") == "custom_tool_call_output",
		}, base: o}}
	case "", "message":
		m.role = roles[o.Text("role")]
		m.blocks = readContent(o.Get("content"))
	}
	return m
}

func (items) write(m message) []rawjson.Object {
	var list []rawjson.Object
	var said []block // behind a result, or of one who is no tool
	for _, b := range m.blocks {
		switch {
		case b.call != nil:
			list = append(list, itemOfCall(b.base, *b.call))
		case b.result != nil:
			list = append(list, itemOfResult(b.base, *b.result))
		case b.base != nil && m.base == nil: // an item of its own
			list = append(list, b.base)
		case m.role == roleAssistant:
			list = append(list, itemOfMessage("assistant").WithText("content", *b.text))
		default:
			said = append(said, b)
		}
	}
	if len(said) == 0 {
		return list
	}
	if last := len(list) - 1; last >= 0 {
		list[last] = list[last].WithList("output", append(outputParts(list[last]), inputParts(said)...))
		return list
	}
	o := itemOfMessage("user")
	if len(said) == 1 {
		return []rawjson.Object{o.WithText("content", *said[0].text)}
	}
	return []rawjson.Object{o.WithList("content", inputParts(said))}
}

// itemOfMessage is a message without its content. It need not say its type, but OpenAI's
// library for Go cannot read one that does not.
func itemOfMessage(role string) rawjson.Object {
	return rawjson.Object{}.WithText("type", "message").WithText("role", role)
}

func itemOfCall(base rawjson.Object, c call) rawjson.Object {
	kind, key := "function_call", "arguments"
	if c.custom {
		kind, key = "custom_tool_call", "input"
	}
	return base.WithText("type", kind).WithText("call_id", c.id).WithText("name", c.name).WithText(key, c.arguments)
}

func itemOfResult(base rawjson.Object, r result) rawjson.Object {
	kind := "function_call_output"
	if r.custom {
		kind = "custom_tool_call_output"
	}
	o := base.WithText("type", kind).WithText("call_id", r.id)
	if base != nil {
		return o
	}
	o = o.WithText("output", r.text)
	if len(r.media) == 0 {
		return o
	}
	parts := outputParts(o)
	for _, m := range r.media {
		parts = append(parts, responsesMedia(m))
	}
	return o.WithList("output", parts)
}

// outputParts is the output of an item as parts.
func outputParts(o rawjson.Object) []rawjson.Object {
	if output := o.Get("output"); len(output) > 0 && output[0] == '"' {
		return inputParts([]block{textBlock(rawjson.String(output))})
	}
	return o.Children("output")
}

func inputParts(blocks []block) []rawjson.Object {
	var parts []rawjson.Object
	for _, b := range blocks {
		if b.base != nil {
			parts = append(parts, b.base)
		} else {
			parts = append(parts, rawjson.Object{}.WithText("type", "input_text").WithText("text", *b.text))
		}
	}
	return parts
}

func responsesMedia(m *pb.Media) rawjson.Object {
	kind, urlKey := "input_image", "image_url"
	if isPDF(m) {
		kind, urlKey = "input_file", "file_url"
	}
	o := rawjson.Object{}.WithText("type", kind)
	switch {
	case m.GetFileId() != "":
		return o.WithText("file_id", m.GetFileId())
	case isPDF(m) && m.GetUrl() == "":
		return o.WithText("filename", fileName(m)).WithText("file_data", address(m))
	}
	return o.WithText(urlKey, address(m))
}
