package transports

import (
	"encoding/json"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
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
func readFunctionCall(o rawjson.Object) call {
	if custom := o.Child("custom"); custom != nil {
		return call{id: o.Text("id"), name: custom.Text("name"), arguments: custom.Text("input"), custom: true}
	}
	function := o.Child("function")
	return call{id: o.Text("id"), name: function.Text("name"), arguments: function.Text("arguments")}
}

func writeFunctionCall(base rawjson.Object, c call) rawjson.Object {
	if c.custom {
		custom := base.Child("custom").WithText("name", c.name).WithText("input", c.arguments)
		return base.WithText("id", c.id).WithText("type", "custom").WithObject("custom", custom)
	}
	return functionCall(base, c.id, c.name, rawjson.Quote(c.arguments))
}

// functionCall writes the call of a function.
func functionCall(base rawjson.Object, id, name string, arguments json.RawMessage) rawjson.Object {
	function := base.Child("function").WithText("name", name).With("arguments", arguments)
	return base.WithText("id", id).WithText("type", "function").WithObject("function", function)
}

func readToolMessage(o rawjson.Object) result {
	return result{id: o.Text("tool_call_id"), name: o.Text("name")}
}

func writeToolMessage(base rawjson.Object, r result) rawjson.Object {
	return base.WithText("role", "tool").WithText("tool_call_id", r.id)
}

func openAIChatShows(m *pb.Media) bool {
	if isImage(m) {
		return m.GetFileId() == ""
	}
	return isPDF(m) && m.GetUrl() == ""
}

func openAIChatMedia(m *pb.Media) rawjson.Object {
	if isImage(m) {
		return rawjson.Object{}.WithText("type", "image_url").WithObject("image_url", rawjson.Object{}.WithText("url", address(m)))
	}
	file := rawjson.Object{}
	if m.GetFileId() != "" {
		file = file.WithText("file_id", m.GetFileId())
	} else {
		file = file.WithText("filename", fileName(m)).WithText("file_data", address(m))
	}
	return rawjson.Object{}.WithText("type", "file").WithObject("file", file)
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
