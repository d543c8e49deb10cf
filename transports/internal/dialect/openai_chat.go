package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Patterns of OpenAI's API reference and of its error messages: names of functions have at most 64 characters, ids of
// calls at most 40.
var (
	OpenAINames = Pattern{min: 1, max: 64, other: word}
	openAIIDs   = Pattern{min: 1, max: 40, other: printable}
)

// openAIChat returns the dialect of OpenAI Chat Completions. A message of a tool has text alone, so images and files of
// results go into a message of the user after them.
func openAIChat() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_OPENAI_CHAT,
		Shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeToolMessage,
			noContent: json.RawMessage("null"), parts: true, media: openAIChatMedia,
		},
		IDs: openAIIDs, Names: OpenAINames, NeedsIDs: true,
		Results: ResultsFollow, EmptyText: true, TextBlocks: true, CustomTools: true, Shows: openAIChatShows, Limits: openAILimits,
	}
}

// readFunctionCall reads an element of "tool_calls".
func readFunctionCall(o rawjson.Object) Call {
	if custom := o.Child("custom"); custom != nil {
		return Call{ID: o.Text("id"), Name: custom.Text("name"), Arguments: custom.Text("input"), Custom: true}
	}
	function := o.Child("function")
	return Call{ID: o.Text("id"), Name: function.Text("name"), Arguments: function.Text("arguments")}
}

// writeFunctionCall writes an element of "tool_calls".
func writeFunctionCall(base rawjson.Object, c Call) rawjson.Object {
	if c.Custom {
		custom := base.Child("custom").WithText("name", c.Name).WithText("input", c.Arguments)
		return base.WithText("id", c.ID).WithText("type", "custom").WithObject("custom", custom)
	}
	return functionCall(base, c.ID, c.Name, rawjson.Quote(c.Arguments))
}

// functionCall writes a call of a function. Arguments are a JSON string that holds JSON.
func functionCall(base rawjson.Object, id, name string, arguments json.RawMessage) rawjson.Object {
	function := base.Child("function").WithText("name", name).With("arguments", arguments)
	return base.WithText("id", id).WithText("type", "function").WithObject("function", function)
}

// readToolMessage reads all of a result but its text. The member "name" is Mistral's.
func readToolMessage(o rawjson.Object) Result {
	return Result{ID: o.Text("tool_call_id"), Name: o.Text("name")}
}

// writeToolMessage writes all of a result but its content.
func writeToolMessage(base rawjson.Object, r Result) rawjson.Object {
	return base.WithText("role", "tool").WithText("tool_call_id", r.ID)
}

// openAIChatShows reports whether media can be a part of a message of the user. An image has no file id, a document no
// URL.
func openAIChatShows(m *pb.Media) bool {
	if isImage(m) {
		return m.GetFileId() == ""
	}
	return isPDF(m) && m.GetUrl() == ""
}

// openAIChatMedia writes media as a part of content.
func openAIChatMedia(m *pb.Media) rawjson.Object {
	if isImage(m) {
		return rawjson.Object{}.WithText("type", "image_url").WithObject("image_url", rawjson.Object{}.WithText("url", dataURL(m)))
	}
	file := rawjson.Object{}
	if m.GetFileId() != "" {
		file = file.WithText("file_id", m.GetFileId())
	} else {
		file = file.WithText("filename", fileName(m)).WithText("file_data", dataURL(m))
	}
	return rawjson.Object{}.WithText("type", "file").WithObject("file", file)
}
