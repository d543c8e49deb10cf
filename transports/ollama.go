package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// ollama is Ollama's chat. Calls have no ids; the result of one is found by its name and
// place. Arguments are an object. Messages become text by a template, so that tool text
// must not hold the marks of one.
func ollama() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_OLLAMA,
		shape: flat{
			readCall: readOllamaCall, writeCall: writeOllamaCall,
			readTool:  func(o rawjson.Object) result { return result{name: o.Text("tool_name")} },
			writeTool: writeOllamaTool, noContent: rawjson.Quote(""), attach: ollamaImage,
		},
		noIDs: true, names: openAINames,
		place: placeFollowing, ordered: true, blank: true, template: true,
		shows: func(m *pb.Media) bool { return isImage(m) && len(m.GetData()) > 0 }, limits: ollamaLimits,
	}
}

func readOllamaCall(o rawjson.Object) call {
	function := o.Child("function")
	return call{name: function.Text("name"), arguments: string(function.Get("arguments"))}
}

func writeOllamaCall(base rawjson.Object, c call) rawjson.Object {
	function := base.Child("function").WithText("name", c.name).With("arguments", rawjson.Compact(c.arguments))
	return base.WithObject("function", function)
}

func writeOllamaTool(base rawjson.Object, r result) rawjson.Object {
	return base.WithText("role", "tool").WithText("tool_name", r.name)
}

// ollamaImage puts an image beside the content of a message.
func ollamaImage(o rawjson.Object, m *pb.Media) rawjson.Object {
	return o.With("images", json.RawMessage("["+string(rawjson.Quote(encoded(m)))+"]"))
}
