package streams

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// ollamaStream reads the lines of Ollama's chat, in which a call is always whole: the server parses the text of the model
// by the template of the model, and sends a call when it is complete. Calls have no ids, and arguments are an object.
type ollamaStream struct{}

// event reads one line.
func (ollamaStream) event(o rawjson.Object, a *answer) {
	m := o.Child("message")
	a.content.appendJSON(m.Get("content"))
	for _, part := range m.Children("tool_calls") {
		function := part.Child("function")
		c := a.newCall()
		c.name = function.Text("name")
		c.setArguments(function.Get("arguments"))
	}
	if string(o.Get("done")) != "true" {
		return
	}
	// A stream without this line was cut off: its end stays unknown.
	reason, end := o.Text("done_reason"), pb.StreamEnd_STREAM_END_COMPLETE
	if reason == "length" {
		end = pb.StreamEnd_STREAM_END_LENGTH
	}
	a.setEnd(end, reason)
}
