package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ollamaStream reads the lines of Ollama's chat, in which a call is always whole.
type ollamaStream struct{}

func (ollamaStream) event(o object, a *answer) {
	m := o.child("message")
	a.content.add(m.get(keyContent))
	for _, part := range m.children(keyToolCalls) {
		function := part.child(keyFunction)
		c := a.call()
		c.name = function.text(keyName)
		c.whole(function.get(keyArguments))
	}
	if string(o.get("done")) != "true" {
		return
	}
	reason, end := o.text("done_reason"), pb.StreamEnd_STREAM_END_COMPLETE
	if reason == "length" {
		end = pb.StreamEnd_STREAM_END_LENGTH
	}
	a.finish(end, reason)
}
