package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ollama is Ollama's chat. Calls have no ids; the result of one is found by its name and
// place. Arguments are an object. Messages become text by a template, so that tool text
// must not hold the marks of one.
func ollama() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_OLLAMA,
		shape: flat{
			readCall: readOllamaCall, writeCall: writeOllamaCall,
			readTool:  func(o object) result { return result{name: o.text("tool_name")} },
			writeTool: writeOllamaTool, noContent: quote(""), attach: ollamaImage,
		},
		noIDs: true, names: openAINames,
		place: placeFollowing, ordered: true, blank: true, template: true,
		shows: func(m *pb.Media) bool { return isImage(m) && len(m.GetData()) > 0 }, limits: ollamaLimits,
	}
}

func readOllamaCall(o object) call {
	function := o.child(keyFunction)
	return call{name: function.text(keyName), arguments: string(function.get(keyArguments))}
}

func writeOllamaCall(base object, c call) object {
	function := base.child(keyFunction).withText(keyName, c.name).with(keyArguments, compact(c.arguments))
	return base.withObject(keyFunction, function)
}

func writeOllamaTool(base object, r result) object {
	return base.withText(keyRole, "tool").withText("tool_name", r.name)
}

// ollamaImage puts an image beside the content of a message.
func ollamaImage(o object, m *pb.Media) object {
	return o.with("images", json.RawMessage("["+string(quote(encoded(m)))+"]"))
}
