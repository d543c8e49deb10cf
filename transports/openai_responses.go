package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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

const (
	itemCall         = "function_call"
	itemOutput       = "function_call_output"
	itemCustomCall   = "custom_tool_call"
	itemCustomOutput = "custom_tool_call_output"
	keyCallID        = "call_id"
)

func (items) read(o object) message {
	m := message{base: o}
	switch o.text(keyType) {
	case itemCall:
		m.role = roleAssistant
		m.blocks = []block{{call: &call{id: o.text(keyCallID), name: o.text(keyName), arguments: o.text(keyArguments)}, base: o}}
	case itemCustomCall:
		m.role = roleAssistant
		m.blocks = []block{{call: &call{id: o.text(keyCallID), name: o.text(keyName), arguments: o.text("input"), custom: true}, base: o}}
	case itemOutput, itemCustomOutput:
		m.role = roleTool
		m.blocks = []block{{result: &result{
			id: o.text(keyCallID), text: firstText(o.get("output")), custom: o.text(keyType) == itemCustomOutput,
		}, base: o}}
	case "", "message":
		m.role = roles[o.text(keyRole)]
		m.blocks = readContent(o.get(keyContent))
	}
	return m
}

func (items) write(m message) []object {
	var list []object
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
			list = append(list, itemOfMessage("assistant").withText(keyContent, *b.text))
		default:
			said = append(said, b)
		}
	}
	if len(said) == 0 {
		return list
	}
	if last := len(list) - 1; last >= 0 {
		list[last] = list[last].withList("output", append(outputParts(list[last]), inputParts(said)...))
		return list
	}
	o := itemOfMessage("user")
	if len(said) == 1 {
		return []object{o.withText(keyContent, *said[0].text)}
	}
	return []object{o.withList(keyContent, inputParts(said))}
}

// itemOfMessage is a message without its content. It need not say its type, but OpenAI's
// library for Go cannot read one that does not.
func itemOfMessage(role string) object {
	return object{}.withText(keyType, "message").withText(keyRole, role)
}

func itemOfCall(base object, c call) object {
	kind, key := itemCall, keyArguments
	if c.custom {
		kind, key = itemCustomCall, "input"
	}
	return base.withText(keyType, kind).withText(keyCallID, c.id).withText(keyName, c.name).withText(key, c.arguments)
}

func itemOfResult(base object, r result) object {
	kind := itemOutput
	if r.custom {
		kind = itemCustomOutput
	}
	o := base.withText(keyType, kind).withText(keyCallID, r.id)
	if base != nil {
		return o
	}
	o = o.withText("output", r.text)
	if len(r.media) == 0 {
		return o
	}
	parts := outputParts(o)
	for _, m := range r.media {
		parts = append(parts, responsesMedia(m))
	}
	return o.withList("output", parts)
}

// outputParts is the output of an item as parts.
func outputParts(o object) []object {
	if output := o.get("output"); len(output) > 0 && output[0] == '"' {
		return inputParts([]block{textBlock(stringOf(output))})
	}
	return o.children("output")
}

func inputParts(blocks []block) []object {
	var parts []object
	for _, b := range blocks {
		if b.base != nil {
			parts = append(parts, b.base)
		} else {
			parts = append(parts, object{}.withText(keyType, "input_text").withText(keyText, *b.text))
		}
	}
	return parts
}

func responsesMedia(m *pb.Media) object {
	kind, urlKey := "input_image", "image_url"
	if isPDF(m) {
		kind, urlKey = "input_file", "file_url"
	}
	o := object{}.withText(keyType, kind)
	switch {
	case m.GetFileId() != "":
		return o.withText("file_id", m.GetFileId())
	case isPDF(m) && m.GetUrl() == "":
		return o.withText("filename", fileName(m)).withText("file_data", address(m))
	}
	return o.withText(urlKey, address(m))
}
