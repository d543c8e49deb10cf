package dialect

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// openAIResponses returns the dialect of OpenAI Responses, whose input is a list of items: messages, reasoning, calls
// and outputs of calls. An output may have parts.
func openAIResponses() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_OPENAI_RESPONSES, Shape: items{},
		IDs: Pattern{min: 1, max: 64, other: printable}, Names: OpenAINames, NeedsIDs: true,
		Results: ResultsAfter, EmptyText: true, TextBlocks: true, CustomTools: true, TypedResults: true, Media: MediaInside, Shows: func(m *pb.Media) bool { return isImage(m) || isPDF(m) }, Limits: openAILimits,
	}
}

// items is the shape of OpenAI Responses.
type items struct{}

// Read reads an item as a message of one block, or of several texts. Items of other types, such as reasoning, are
// messages without blocks.
func (items) Read(o rawjson.Object) Message {
	m := Message{Original: o}
	switch o.Text("type") {
	case "function_call":
		m.Role = RoleAssistant
		m.Blocks = []Block{{Call: &Call{ID: o.Text("call_id"), Name: o.Text("name"), Arguments: o.Text("arguments")}, Original: o}}
	case "custom_tool_call":
		m.Role = RoleAssistant
		m.Blocks = []Block{{Call: &Call{ID: o.Text("call_id"), Name: o.Text("name"), Arguments: o.Text("input"), Custom: true}, Original: o}}
	case "function_call_output", "custom_tool_call_output":
		m.Role = RoleTool
		m.Blocks = []Block{{Result: &Result{
			ID: o.Text("call_id"), Text: firstText(o.Get("output")), Custom: o.Text("type") == "custom_tool_call_output",
		}, Original: o}}
	case "", "message":
		m.Role = roles[o.Text("role")]
		m.Blocks = ReadContent(o.Get("content"))
	}
	return m
}

// Write writes a message as one item for each call and result. Texts after a result become parts of its output, because
// the next message may be the user's.
func (items) Write(m Message) []rawjson.Object {
	var list []rawjson.Object
	var texts []Block // texts after a result, or of the user
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			list = append(list, callItem(b.Original, *b.Call))
		case b.Result != nil:
			list = append(list, resultItem(b.Original, *b.Result))
		case b.Original != nil && m.Original == nil: // an item of its own, such as reasoning
			list = append(list, b.Original)
		case m.Role == RoleAssistant && b.Text != nil:
			list = append(list, messageItem("assistant").WithText("content", *b.Text))
		case m.Role == RoleAssistant:
			list = append(list, messageItem("assistant").WithList("content", []rawjson.Object{b.Original}))
		default:
			texts = append(texts, b)
		}
	}
	if len(texts) == 0 {
		return list
	}
	if last := len(list) - 1; last >= 0 {
		list[last] = list[last].WithList("output", append(outputParts(list[last]), inputParts(texts)...))
		return list
	}
	o := messageItem("user")
	if len(texts) == 1 && texts[0].Original == nil {
		return []rawjson.Object{o.WithText("content", *texts[0].Text)}
	}
	return []rawjson.Object{o.WithList("content", inputParts(texts))}
}

// messageItem returns a message without its content. The API does not require the type, but OpenAI's library for Go
// cannot read a message without it.
func messageItem(role string) rawjson.Object {
	return rawjson.Object{}.WithText("type", "message").WithText("role", role)
}

// callItem writes a call of a function, or of a custom tool.
func callItem(base rawjson.Object, c Call) rawjson.Object {
	kind, key := "function_call", "arguments"
	if c.Custom {
		kind, key = "custom_tool_call", "input"
	}
	return base.WithText("type", kind).WithText("call_id", c.ID).WithText("name", c.Name).WithText(key, c.Arguments)
}

// resultItem writes the output of a call. One that was read keeps its output.
func resultItem(base rawjson.Object, r Result) rawjson.Object {
	kind := "function_call_output"
	if r.Custom {
		kind = "custom_tool_call_output"
	}
	o := base.WithText("type", kind).WithText("call_id", r.ID)
	if base != nil {
		return o
	}
	o = o.WithText("output", r.Text)
	if len(r.Media) == 0 {
		return o
	}
	parts := outputParts(o)
	for _, m := range r.Media {
		parts = append(parts, responsesMedia(m))
	}
	return o.WithList("output", parts)
}

// outputParts returns the output of an item as parts.
func outputParts(o rawjson.Object) []rawjson.Object {
	if output := o.Get("output"); len(output) > 0 && output[0] == '"' {
		return inputParts([]Block{TextBlock(rawjson.String(output))})
	}
	return o.Children("output")
}

// inputParts writes texts as parts, and blocks that were read as they were.
func inputParts(blocks []Block) []rawjson.Object {
	var parts []rawjson.Object
	for _, b := range blocks {
		if b.Original != nil {
			parts = append(parts, b.Original)
		} else {
			parts = append(parts, rawjson.Object{}.WithText("type", "input_text").WithText("text", *b.Text))
		}
	}
	return parts
}

// responsesMedia writes media as a part.
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
		return o.WithText("filename", fileName(m)).WithText("file_data", dataURL(m))
	}
	return o.WithText(urlKey, dataURL(m))
}
