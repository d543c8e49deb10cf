package dialect

import (
	"cmp"
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// ollama returns the dialect of Ollama's chat. Calls have no ids, so a result is matched by its name and place.
// Arguments are an object. A template turns messages into text, so a tool's text must not contain its marks.
func ollama() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_OLLAMA,
		Shape: flat{
			readCall: readOllamaCall, writeCall: writeOllamaCall,
			readTool:  func(o rawjson.Object) Result { return Result{Name: o.Text("tool_name")} },
			writeTool: writeOllamaTool, noContent: rawjson.Quote(""), attach: ollamaImage,
		},
		NoIDs: true, Names: OpenAINames,
		Results: ResultsFollow, OrderedResults: true, EmptyText: true, Templated: true,
		Shows: func(m *pb.Media) bool { return isImage(m) && len(m.GetData()) > 0 }, Limits: ollamaLimits,
	}
}

// readOllamaCall reads an element of "tool_calls". It has no id.
func readOllamaCall(o rawjson.Object) Call {
	function := o.Child("function")
	return Call{Name: function.Text("name"), Arguments: cmp.Or(string(function.Get("arguments")), "{}")}
}

// writeOllamaCall writes an element of "tool_calls". Arguments are a JSON object, not a string.
func writeOllamaCall(base rawjson.Object, c Call) rawjson.Object {
	function := base.Child("function").WithText("name", c.Name).With("arguments", rawjson.Compact(c.Arguments))
	return base.WithObject("function", function)
}

// writeOllamaTool writes all of a result but its content. The name stands for the missing id.
func writeOllamaTool(base rawjson.Object, r Result) rawjson.Object {
	return base.WithText("role", "tool").WithText("tool_name", r.Name)
}

// ollamaImage adds an image beside the content of a message.
func ollamaImage(o rawjson.Object, m *pb.Media) rawjson.Object {
	return o.With("images", json.RawMessage("["+string(rawjson.Quote(base64Data(m)))+"]"))
}
