package transports

import (
	"encoding/json"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Patterns of OpenAI's API reference and of the messages of its refusals: names of
// functions have at most 64 characters, ids of calls at most 40.
var (
	openAINames = pattern{least: 1, most: 64, other: word}
	openAIIDs   = pattern{least: 1, most: 40, other: printable}
)

// openAIChat is OpenAI Chat Completions. A tool message has text alone, so that images
// and files of a result stand in a message of the user behind it.
func openAIChat() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_OPENAI_CHAT,
		shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeToolMessage,
			noContent: json.RawMessage("null"), parts: true, media: openAIChatMedia,
		},
		ids: openAIIDs, names: openAINames, needsIDs: true,
		place: placeFollowing, blank: true, blocks: true, custom: true, shows: openAIChatShows, limits: openAILimits,
	}
}

// readFunctionCall reads an element of "tool_calls".
func readFunctionCall(o object) call {
	if custom := o.child("custom"); custom != nil {
		return call{id: o.text("id"), name: custom.text(keyName), arguments: custom.text("input"), custom: true}
	}
	function := o.child(keyFunction)
	return call{id: o.text("id"), name: function.text(keyName), arguments: function.text(keyArguments)}
}

func writeFunctionCall(base object, c call) object {
	if c.custom {
		custom := base.child("custom").withText(keyName, c.name).withText("input", c.arguments)
		return base.withText("id", c.id).withText(keyType, "custom").withObject("custom", custom)
	}
	return functionCall(base, c.id, c.name, quote(c.arguments))
}

// functionCall writes the call of a function.
func functionCall(base object, id, name string, arguments json.RawMessage) object {
	function := base.child(keyFunction).withText(keyName, name).with(keyArguments, arguments)
	return base.withText("id", id).withText(keyType, keyFunction).withObject(keyFunction, function)
}

func readToolMessage(o object) result {
	return result{id: o.text("tool_call_id"), name: o.text(keyName)}
}

func writeToolMessage(base object, r result) object {
	return base.withText(keyRole, "tool").withText("tool_call_id", r.id)
}

func openAIChatShows(m *pb.Media) bool {
	if isImage(m) {
		return m.GetFileId() == ""
	}
	return isPDF(m) && m.GetUrl() == ""
}

func openAIChatMedia(m *pb.Media) object {
	if isImage(m) {
		return object{}.withText(keyType, "image_url").withObject("image_url", object{}.withText("url", address(m)))
	}
	file := object{}
	if m.GetFileId() != "" {
		file = file.withText("file_id", m.GetFileId())
	} else {
		file = file.withText("filename", fileName(m)).withText("file_data", address(m))
	}
	return object{}.withText(keyType, "file").withObject("file", file)
}

func isImage(m *pb.Media) bool {
	switch m.GetMediaType() {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func isPDF(m *pb.Media) bool { return m.GetMediaType() == "application/pdf" }

// fileName is a name for a document, which providers want even if it has none.
func fileName(m *pb.Media) string {
	if name := m.GetName(); name != "" {
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return "document.pdf"
}
